# Prints the tables of a release as CSV: python3 coefficients.py [FILE]
# z is the estimate over its standard error; p is two-sided. A coefficient of a number is for PER units of its column,
# which its label says, too: for another number of units write the program anew.
@REMARKS@
import csv
import json
import math
import os
import statistics
import sys

PER = @PER@
LOG_ODDS = @LOG_ODDS@
TESTED = @TESTED@  # Whether the release has p-values: penalised coefficients have none.
# The release in its ledger ("of"), what a coefficient is for ("per"), unit and modelled answer of each outcome ("compared"), terms that are not numbers ("fixed"), and what discreet computed from the released sums: standard deviations of terms and outcomes,
# rows, R squared and residual standard deviation of each fit, Wald statistics with their degrees of freedom, covariances of coefficients.
FACTS = json.loads(@FACTS@)
# What the exponential of a coefficient is called: of log-odds, and of an outcome whose logarithm was fitted.
RATIO = "odds_ratio" if LOG_ODDS else "factor" if FACTS["logarithms"] else ""
FIELDS = ("estimate", "std_error", "lower", "upper", "noise_share", "interval")

candidates = [sys.argv[1]] if len(sys.argv) > 1 else [@FILE@, "release.json"]
path = next(filter(os.path.isfile, candidates), None)
if path is None:
    sys.exit(f"There is no file {candidates[0]} in {os.getcwd()}. Name the release (JSON): python3 {sys.argv[0]} FILE")
with open(path, encoding="utf-8") as file:
    release = json.load(file)
if FACTS["of"] != release.get("ledger"):
    sys.exit(f"{path} is another release than the one that this program was made for.")


def entries():
    coefficients = release["coefficients"]
    if isinstance(coefficients, list):
        yield from coefficients
        return
    for row, outcome in enumerate(coefficients["outcomes"]):
        for column, term in enumerate(coefficients["terms"]):
            yield {"outcome": outcome, "term": term, **{name: coefficients[name][row][column] for name in FIELDS}}


def test(entry):
    estimate, error, share = entry["estimate"], entry["std_error"], entry["noise_share"]
    full = TESTED and entry["interval"] != "withheld" and (share is None or share < 1)
    if not full or estimate is None or error is None or error <= 0:
        return None, None
    return estimate / error, math.erfc(abs(estimate / error) / math.sqrt(2))


def line(entry):
    term = entry["term"]
    per = 1.0 if term in FACTS["fixed"] else PER
    numbers = [None if entry[name] is None else entry[name] * per for name in FIELDS[:4]]
    estimate, _, lower, upper = numbers
    cells = [entry["outcome"], term, *numbers, entry["noise_share"], entry["interval"], *test(entry)]
    cells += [FACTS["per"].get(term, ""), *FACTS["compared"].get(entry["outcome"], ("", ""))]
    if RATIO:
        # A column that moves several terms together has no factor of one of them alone.
        fitted = entry["outcome"] in FACTS["logarithms"] and term not in FACTS["together"]
        compared = term != "(Intercept)" and (LOG_ODDS or fitted)
        cells += [math.exp(value) if compared and value is not None else None for value in (estimate, lower, upper)]
    return cells


def combination(weights, outcome=None):
    """A sum of coefficients with its standard error and interval, such as an effect where another column is 70:
    combination({"treated": 1, "age:treated": 70}). FACTS["covariance"] is in the columns' own units."""
    outcome = outcome or next(iter(FACTS["covariance"]))
    own = [entry for entry in entries() if entry["outcome"] == outcome]
    terms = [entry["term"] for entry in own]
    places = {terms.index(term): weight for term, weight in weights.items()}
    estimate = sum(weight * own[place]["estimate"] for place, weight in places.items())
    rows = FACTS["covariance"][outcome]
    error = math.sqrt(sum(a * rows[i][j] * b for i, a in places.items() for j, b in places.items()))
    half = statistics.NormalDist().inv_cdf((1 + release["plan"].get("confidence", 0.95)) / 2) * error
    return estimate, error, estimate - half, estimate + half


def standardised(entry):
    own, of = FACTS["term_sd"].get(entry["term"]), FACTS["outcome_sd"].get(entry["outcome"])
    if LOG_ODDS or not own or not of or entry["interval"] == "withheld" or entry["estimate"] is None:
        return None
    return [entry["outcome"], entry["term"], entry["estimate"] * own / of]


def chi_square_tail(statistic, degrees):
    x, a = statistic / 2, degrees % 2 / 2
    tail = math.erfc(math.sqrt(x)) if a else 0.0
    while a < degrees / 2:
        tail += math.exp(a * math.log(x) - x - math.lgamma(a + 1)) if x > 0 else float(a == 0)
        a += 1
    return tail


def adjusted():
    terms = {}
    for entry in entries():
        p = test(entry)[1]
        if entry["term"] != "(Intercept)" and p is not None:
            terms.setdefault(entry["term"], []).append((p, entry["outcome"]))
    for term, found in terms.items():
        count, ascending = len(found), sorted(found)
        if count < 2:
            continue
        holm = {}
        largest = 0.0
        for rank, (p, outcome) in enumerate(ascending):
            largest = max(largest, min(1.0, p * (count - rank)))
            holm[outcome] = largest
        smallest = 1.0
        rate = {}
        for rank, (p, outcome) in reversed(list(enumerate(ascending))):
            smallest = min(smallest, p * count / (rank + 1))
            rate[outcome] = smallest
        for p, outcome in found:
            yield [term, outcome, p, holm[outcome], rate[outcome]]


# Names may hold letters that the terminal's own encoding lacks.
sys.stdout.reconfigure(encoding="utf-8")
writer = csv.writer(sys.stdout)


def table(header, lines):
    writer.writerow(header)
    writer.writerows([["" if cell is None else cell for cell in cells] for cells in lines])


header = ["outcome", "term", *FIELDS, "z", "p_value", "per", "unit", "answer"]
if RATIO:
    header += [RATIO, f"{RATIO}_lower", f"{RATIO}_upper"]
table(header, map(line, entries()))
tables = [
    (["outcome", "rows", "r_squared", "residual_sd"], FACTS["fit"]),
    (["outcome", "term", "standardised"], filter(None, map(standardised, entries()))),
    (
        ["outcome", "category", "wald_chi_square", "degrees", "p_value"],
        [[*known, chi_square_tail(*known[2:])] for known in FACTS["categories"]],
    ),
    (["term", "outcome", "p_value", "holm", "benjamini_hochberg"], adjusted()),
    (["column", "mean_or_share", "noise", "sd", "sd_noise"], FACTS["columns"]),
    (["column", "with", "correlation", "noise"], FACTS["correlations"]),
]
for names, lines in tables:
    lines = list(lines)
    if lines:
        sys.stdout.write("\n")
        table(names, lines)
