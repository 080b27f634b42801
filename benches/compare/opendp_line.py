"""A private line on one feature with pandas and OpenDP, whose regression has one feature alone, from the start of the process to the slope."""

import sys

import opendp.prelude as dp
import pandas as pd

dp.enable_features("contrib", "honest-but-curious", "idealized-numerics")
table = pd.read_csv(sys.argv[1], usecols=["x1", "y"]).to_numpy()
fit = dp.sklearn.linear_model.LinearRegression(dp.max_divergence(), x_bounds=[(-4, 4)], y_bounds=(-12, 12), scale=1.0)
print(fit.fit(table[:, :1], table[:, 1]).coef_[0])
