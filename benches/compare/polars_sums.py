"""Least squares with polars and numpy, from the start of the process to the coefficients."""

import sys

import numpy as np
import polars as pl

table = pl.read_csv(sys.argv[1]).to_numpy()
rows = np.column_stack([np.ones(len(table)), table])
moments = rows.T @ rows
print(np.linalg.solve(moments[:-1, :-1], moments[:-1, -1])[1])
