"""Least squares with duckdb, which sums all products in one query, from the start of the process to the coefficients."""

import sys

import duckdb
import numpy as np

names = open(sys.argv[1]).readline().strip().split(",")
terms = ["1.0", *names]
size = len(terms)
pairs = [(a, b) for a in range(size) for b in range(a, size)]
products = ", ".join(f"sum({terms[a]} * {terms[b]})" for a, b in pairs)
sums = duckdb.sql(f"SELECT {products} FROM read_csv('{sys.argv[1]}')").fetchall()[0]
moments = np.zeros((size, size))
for (a, b), value in zip(pairs, sums):
    moments[a, b] = moments[b, a] = value
print(np.linalg.solve(moments[:-1, :-1], moments[:-1, -1])[1])
