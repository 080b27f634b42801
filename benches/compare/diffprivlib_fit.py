"""A private linear regression with pandas and diffprivlib, from the start of the process to the coefficients."""

import sys

import pandas as pd
from diffprivlib.models import LinearRegression

table = pd.read_csv(sys.argv[1]).to_numpy()
fit = LinearRegression(epsilon=1.0, bounds_X=(-4.0, 4.0), bounds_y=(-12.0, 12.0)).fit(table[:, :-1], table[:, -1])
print(fit.coef_[0])
