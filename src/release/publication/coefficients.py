# Prints the table of coefficients of a release as CSV: python3 coefficients.py release.json
# z is the estimate over its standard error; p is two-sided. A coefficient of a number is for PER units of its column.
import csv
import json
import math
import sys

PER = @PER@
LOG_ODDS = @LOG_ODDS@
TESTED = @TESTED@  # Whether the release has p-values: penalised coefficients have none.
FIELDS = ("estimate", "std_error", "lower", "upper", "noise_share", "interval")

with open(sys.argv[1] if len(sys.argv) > 1 else "release.json", encoding="utf-8") as file:
    release = json.load(file)

categories = [
    f"{column['name']}[{level}]"
    for column in release["plan"]["columns"]
    if column.get("type") == "category" and "name" in column
    for level in column.get("levels") or []
]


def entries():
    coefficients = release["coefficients"]
    if isinstance(coefficients, list):
        yield from coefficients
        return
    for row, outcome in enumerate(coefficients["outcomes"]):
        for column, term in enumerate(coefficients["terms"]):
            yield {"outcome": outcome, "term": term, **{name: coefficients[name][row][column] for name in FIELDS}}


def line(entry):
    term = entry["term"]
    per = 1.0 if term == "(Intercept)" or term in categories else PER
    numbers = [None if entry[name] is None else entry[name] * per for name in FIELDS[:4]]
    estimate, error, lower, upper = numbers
    share, interval = entry["noise_share"], entry["interval"]
    z = p = None
    full = TESTED and interval != "withheld" and (share is None or share < 1)
    if full and estimate is not None and error is not None and error > 0:
        z = estimate / error
        p = math.erfc(abs(z) / math.sqrt(2))
    cells = [entry["outcome"], term, *numbers, share, interval, z, p]
    if LOG_ODDS:
        compared = term != "(Intercept)"
        cells += [math.exp(value) if compared and value is not None else None for value in (estimate, lower, upper)]
    return ["" if cell is None else cell for cell in cells]


header = ["outcome", "term", *FIELDS, "z", "p_value"]
if LOG_ODDS:
    header += ["odds_ratio", "odds_ratio_lower", "odds_ratio_upper"]
writer = csv.writer(sys.stdout)
writer.writerow(header)
for entry in entries():
    writer.writerow(line(entry))
