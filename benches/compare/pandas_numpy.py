"""Least squares with pandas and numpy, from the start of the process to the coefficients."""

import sys

import numpy as np
import pandas as pd

table = pd.read_csv(sys.argv[1]).to_numpy()
rows = np.column_stack([np.ones(len(table)), table])
moments = rows.T @ rows
print(np.linalg.solve(moments[:-1, :-1], moments[:-1, -1])[1])
