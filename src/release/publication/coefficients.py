# Prints the tables of a release as CSV: python3 coefficients.py [FILE]
# z is the estimate over its standard error; p is two-sided. A coefficient of a number is for PER units of its column,
# which its label says, too: for another number of units write the program anew.
@REMARKS@
import csv
import functools
import json
import math
import os
import statistics
import sys

PER = @PER@
LOG_ODDS = @LOG_ODDS@
TESTED = @TESTED@  # Whether the release has p-values: penalised coefficients have none.
# What the coefficients do not say by themselves. Of the release: its entry in its ledger ("of"). Of coefficients: what each is for ("per"), unit and modelled
# answer of each outcome ("compared"), terms that are not numbers ("fixed"), their covariances, in the columns' own units ("covariance").
# What discreet computed from the released sums: standard deviations of terms and outcomes ("term_sd", "outcome_sd"); rows, R squared and
# residual standard deviation of each outcome, each with the standard deviation of its noise ("fit"); "columns" and "correlations".
# What is tested together ("categories"), and by what coefficients are multiplied in sums of them: the effect of a column where another has a
# level ("differences"), the outcome at a level ("levels") where numbers have these values ("held"), and two levels compared ("pairs").
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


def two_sided(estimate, error):
    return math.erfc(abs(estimate / error) / math.sqrt(2)) if TESTED and error > 0 else None


def test(entry):
    estimate, error, share = entry["estimate"], entry["std_error"], entry["noise_share"]
    full = TESTED and entry["interval"] != "withheld" and (share is None or share < 1)
    if not full or estimate is None or error is None or error <= 0:
        return None, None
    return estimate / error, two_sided(estimate, error)


def raised(value):
    return math.exp(value) if value is not None and abs(value) < 709 else None


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
        cells += [raised(value) if compared else None for value in (estimate, lower, upper)]
    return cells


@functools.cache
def fitted(outcome):
    """The coefficients of an outcome by their terms, and their covariance."""
    own = {entry["term"]: entry for entry in entries() if entry["outcome"] == outcome}
    rows = FACTS["covariance"][outcome]
    return own, {one: dict(zip(own, row)) for one, row in zip(own, rows)}


def combination(weights, outcome=None):
    """A sum of coefficients with its standard error and interval, such as an effect where another column is 70:
    combination({"treated": 1, "age:treated": 70})."""
    own, covariance = fitted(outcome or next(iter(FACTS["covariance"])))
    estimate = sum(weight * own[term]["estimate"] for term, weight in weights.items())
    error = math.sqrt(sum(a * covariance[i][j] * b for i, a in weights.items() for j, b in weights.items()))
    half = statistics.NormalDist().inv_cdf((1 + release["plan"].get("confidence", 0.95)) / 2) * error
    return estimate, error, estimate - half, estimate + half


def sums(known, raise_to=raised):
    for outcome, of, what, weights in known:
        estimate, error, lower, upper = combination(weights, outcome)
        p = two_sided(estimate, error)
        shown = LOG_ODDS or outcome in FACTS["logarithms"]
        raised_too = [raise_to(value) if shown else None for value in (estimate, lower, upper)]
        yield [outcome, of, what, estimate, error, lower, upper, p, *(raised_too if RATIO else [])]


def share(log_odds):
    return 1 / (1 + math.exp(-log_odds)) if abs(log_odds) < 700 else float(log_odds > 0)


def pairs():
    lines = list(sums(FACTS["pairs"]))
    for of in dict.fromkeys((cells[0], cells[1]) for cells in lines):
        own = [cells for cells in lines if (cells[0], cells[1]) == of]
        p = [cells[7] for cells in own]
        for cells, all_p in zip(own, p if None in p else holm(p)):
            yield [*cells, all_p]


def wald(outcome, label, terms, statistic):
    """Of coefficients b with covariance V their b' V^-1 b, by elimination, where V is known."""
    if statistic is None:
        own, covariance = fitted(outcome)
        rows = [[*(covariance[i][j] for j in terms), own[i]["estimate"]] for i in terms]
        statistic = 0.0
        for k, pivot in enumerate(rows):
            statistic += pivot[-1] ** 2 / pivot[k]
            for row in rows[k + 1 :]:
                row[:] = [cell - row[k] / pivot[k] * above for cell, above in zip(row, pivot)]
    return [outcome, label, statistic, len(terms), chi_square_tail(statistic, len(terms))]


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


def holm(p):
    adjusted, largest = {}, 0.0
    for rank, place in enumerate(sorted(range(len(p)), key=p.__getitem__)):
        largest = adjusted[place] = max(largest, min(1.0, p[place] * (len(p) - rank)))
    return [adjusted[place] for place in range(len(p))]


def benjamini_hochberg(p):
    adjusted, smallest = {}, 1.0
    for rank, place in reversed(list(enumerate(sorted(range(len(p)), key=p.__getitem__)))):
        smallest = adjusted[place] = min(smallest, p[place] * len(p) / (rank + 1))
    return [adjusted[place] for place in range(len(p))]


def adjusted():
    terms = {}
    for entry in entries():
        p = test(entry)[1]
        if entry["term"] != "(Intercept)" and p is not None:
            terms.setdefault(entry["term"], []).append((entry["outcome"], p))
    for term, found in terms.items():
        p = [own for _, own in found]
        if len(p) > 1:
            for (outcome, own), *both in zip(found, holm(p), benjamini_hochberg(p)):
                yield [term, outcome, own, *both]


# Names may hold letters that the terminal's own encoding lacks.
sys.stdout.reconfigure(encoding="utf-8")
writer = csv.writer(sys.stdout)


def table(header, lines):
    writer.writerow(header)
    writer.writerows([["" if cell is None else cell for cell in cells] for cells in lines])


def and_raised(name):
    return [name, f"{name}_lower", f"{name}_upper"] if RATIO else []


NUMBERS = FIELDS[:4]
MEAN = "probability" if LOG_ODDS else "geometric_mean"
table(["outcome", "term", *FIELDS, "z", "p_value", "per", "unit", "answer", *and_raised(RATIO)], map(line, entries()))
means = [cells[:7] + cells[8:] for cells in sums(FACTS["levels"], share if LOG_ODDS else raised)]
tables = [
    (["outcome", "rows", "rows_noise", "r_squared", "r_squared_noise", "residual_sd", "residual_sd_noise"], FACTS["fit"]),
    (["outcome", "term", "standardised"], filter(None, map(standardised, entries()))),
    (["outcome", "term", "where", *NUMBERS, "p_value", *and_raised(RATIO)], sums(FACTS["differences"])),
    (["outcome", "column", "level", *NUMBERS, *and_raised(MEAN)], means),
    (["outcome", "column", "held_at"], FACTS["held"]),
    (["outcome", "column", "levels", *NUMBERS, "p_value", *and_raised(RATIO), "holm"], pairs()),
    (["outcome", "category", "wald_chi_square", "degrees", "p_value"], [wald(*known) for known in FACTS["categories"]]),
    (["term", "outcome", "p_value", "holm", "benjamini_hochberg"], adjusted()),
    (["column", "mean_or_share", "noise", "sd", "sd_noise"], FACTS["columns"]),
    (["column", "with", "correlation", "noise"], FACTS["correlations"]),
]
for names, lines in tables:
    lines = list(lines)
    if lines:
        sys.stdout.write("\n")
        table(names, lines)
