# Prints the tables of a release: Rscript coefficients.R [FILE]
# z is the estimate over its standard error; p is two-sided. A coefficient of a number is for per units of its column.
@REMARKS@
library(jsonlite)

per <- @PER@
log_odds <- @LOG_ODDS@
tested <- @TESTED@  # Whether the release has p-values: penalised coefficients have none.
# What the coefficients do not say by themselves. Of the release: its entry in its ledger ("of"). Of coefficients: what each is for ("per"), unit and modelled
# answer of each outcome ("compared"), terms that are not numbers ("fixed"), their covariances, in the columns' own units ("covariance").
# What discreet computed from the released sums: standard deviations of terms and outcomes ("term_sd", "outcome_sd"); rows, R squared and
# residual standard deviation of each outcome, each with the standard deviation of its noise ("fit"); "columns" and "correlations".
# What is tested together ("categories"), and by what coefficients are multiplied in sums of them: the effect of a column where another has a
# level ("differences"), the outcome at a level ("levels") where numbers have these values ("held"), and two levels compared ("pairs").
facts <- fromJSON(@FACTS@, simplifyVector = FALSE)
fields <- c("estimate", "std_error", "lower", "upper", "noise_share", "interval")

arguments <- commandArgs(trailingOnly = TRUE)
candidates <- if (length(arguments) > 0) arguments[1] else c(@FILE@, "release.json")
file <- candidates[file.exists(candidates)][1]
if (is.na(file)) stop("There is no file ", candidates[1], " in ", getwd(), ". Name the release (JSON): Rscript coefficients.R FILE", call. = FALSE)
release <- fromJSON(file, simplifyVector = FALSE)
in_order <- function(part) if (is.null(names(part))) part else lapply(part[order(names(part))], in_order)
if (!identical(in_order(facts$of), in_order(release$ledger[names(facts$of)]))) stop(file, " is another release than the one that this program was made for.", call. = FALSE)

one <- function(value) if (is.null(value)) NA else value
rows <- function(entries) do.call(rbind, lapply(entries, function(entry) {
  as.data.frame(lapply(entry[c("outcome", "term", fields)], one), stringsAsFactors = FALSE)
}))
coefficients <- release$coefficients
if (!is.null(coefficients$outcomes)) {
  entries <- list()
  for (row in seq_along(coefficients$outcomes)) for (column in seq_along(coefficients$terms)) {
    numbers <- setNames(lapply(fields, function(name) coefficients[[name]][[row]][[column]]), fields)
    names <- list(outcome = coefficients$outcomes[[row]], term = coefficients$terms[[column]])
    entries[[length(entries) + 1]] <- c(names, numbers)
  }
  coefficients <- entries
}
result <- rows(coefficients)

estimates <- suppressWarnings(as.numeric(result$estimate))
scale <- ifelse(result$term %in% unlist(facts$fixed), 1, per)
for (name in fields[seq_len(4)]) result[[name]] <- as.numeric(result[[name]]) * scale

share <- as.numeric(result$noise_share)
full <- tested & result$interval != "withheld" & (is.na(share) | share < 1) & !is.na(result$std_error) & result$std_error > 0
result$z <- ifelse(full, result$estimate / result$std_error, NA)
two_sided <- function(z) if (tested) 2 * pnorm(-abs(z)) else NA * z
result$p_value <- two_sided(result$z)
word <- function(known, names, place) sapply(names, function(name) if (is.null(known[[name]])) "" else known[[name]][[place]], USE.NAMES = FALSE)
result$per <- word(facts$per, result$term, 1)
result$unit <- word(facts$compared, result$outcome, 1)
result$answer <- word(facts$compared, result$outcome, 2)
# The exponential of a coefficient: of log-odds, and of an outcome whose logarithm was fitted.
ratio <- if (log_odds) "odds_ratio" else if (length(facts$logarithms) > 0) "factor" else ""
if (ratio != "") {
  # A column that moves several terms together has no factor of one of them alone.
  fitted <- result$outcome %in% unlist(facts$logarithms) & !(result$term %in% unlist(facts$together))
  compared <- ifelse(result$term != "(Intercept)" & (log_odds | fitted), 1, NA)
  result[[ratio]] <- exp(result$estimate) * compared
  for (end in c("lower", "upper")) result[[paste(ratio, end, sep = "_")]] <- exp(result[[end]]) * compared
}
print(result, digits = 15)

# The covariances of each outcome's coefficients, in the columns' own units, where they are known.
covariance <- sapply(names(facts$covariance), function(outcome) {
  terms <- result$term[result$outcome == outcome]
  matrix(unlist(facts$covariance[[outcome]]), length(terms), byrow = TRUE, dimnames = list(terms, terms))
}, simplify = FALSE)
# A sum of coefficients with its interval, such as an effect where another column is 70: combination(c(treated = 1, "age:treated" = 70))
combination <- function(weights, outcome = names(covariance)[1]) {
  unknown <- setdiff(names(weights), colnames(covariance[[outcome]]))
  if (length(unknown) > 0) stop("There is no term ", unknown[1], " of ", outcome, ".", call. = FALSE)
  all <- setNames(numeric(ncol(covariance[[outcome]])), colnames(covariance[[outcome]]))
  all[names(weights)] <- weights
  estimate <- sum(all * estimates[result$outcome == outcome])
  std_error <- sqrt(drop(all %*% covariance[[outcome]] %*% all))
  confidence <- if (is.null(release$plan$confidence)) 0.95 else release$plan$confidence
  half <- qnorm((1 + confidence) / 2) * std_error
  data.frame(estimate, std_error, lower = estimate - half, upper = estimate + half, p_value = two_sided(estimate / std_error))
}

framed <- function(rows, names) {
  columns <- lapply(seq_along(names), function(place) sapply(rows, function(row) one(row[[place]])))
  as.data.frame(setNames(columns, names), stringsAsFactors = FALSE)
}
shown <- function(table) if (nrow(table) > 0) { cat("\n"); print(table, digits = 15) }
shown(framed(facts$fit, c("outcome", "rows", "rows_noise", "r_squared", "r_squared_noise", "residual_sd", "residual_sd_noise")))
sd_of <- function(known, names) as.numeric(sapply(names, function(name) one(known[[name]])))
standardised <- estimates * sd_of(facts$term_sd, result$term) / sd_of(facts$outcome_sd, result$outcome)
kept <- !log_odds & result$interval != "withheld" & !is.na(standardised)
shown(data.frame(outcome = result$outcome, term = result$term, standardised)[kept, ])
# Sums of coefficients with their intervals and, of log-odds or of the logarithm of an outcome, with these raised, too.
sums <- function(known, names, raised, raise = exp) {
  if (length(known) == 0) return(data.frame())
  table <- do.call(rbind, lapply(known, function(row) combination(unlist(row[[4]]), row[[1]])))
  table <- cbind(framed(known, names), table)
  is_raised <- ifelse(log_odds | table$outcome %in% unlist(facts$logarithms), 1, NA)
  if (raised != "") table[paste0(raised, c("", "_lower", "_upper"))] <- lapply(table[c("estimate", "lower", "upper")] * is_raised, raise)
  table
}
shown(sums(facts$differences, c("outcome", "term", "where"), ratio))
mean_name <- if (log_odds) "probability" else if (ratio != "") "geometric_mean" else ""
means <- sums(facts$levels, c("outcome", "column", "level"), mean_name, if (log_odds) plogis else exp)
shown(means[names(means) != "p_value"])
shown(framed(facts$held, c("outcome", "column", "held_at")))
pairs <- sums(facts$pairs, c("outcome", "column", "levels"), ratio)
if (nrow(pairs) > 0) {
  pairs$holm <- ave(pairs$p_value, pairs$outcome, pairs$column, FUN = function(p) p.adjust(p, "holm"))
  shown(pairs)
}
# Of coefficients b with covariance V: b' V^-1 b, where V is known; by z and correlations, which are of one size.
wald <- function(outcome, terms, statistic) {
  if (!is.null(statistic)) return(statistic)
  v <- covariance[[outcome]][terms, terms]
  z <- setNames(estimates, result$term)[result$outcome == outcome][terms] / sqrt(diag(v))
  drop(z %*% solve(cov2cor(v), z))
}
if (length(facts$categories) > 0) {
  categories <- framed(facts$categories, c("outcome", "category"))
  categories$wald_chi_square <- sapply(facts$categories, function(test) wald(test[[1]], unlist(test[[3]]), test[[4]]))
  categories$degrees <- sapply(facts$categories, function(test) length(test[[3]]))
  categories$p_value <- pchisq(categories$wald_chi_square, categories$degrees, lower.tail = FALSE)
  shown(categories)
}
tests <- result[result$term != "(Intercept)" & !is.na(result$p_value), c("term", "outcome", "p_value")]
tests <- tests[ave(seq_len(nrow(tests)), tests$term, FUN = length) > 1, ]
tests <- tests[order(match(tests$term, tests$term)), ]
if (nrow(tests) > 0) {
  tests$holm <- ave(tests$p_value, tests$term, FUN = function(p) p.adjust(p, "holm"))
  tests$benjamini_hochberg <- ave(tests$p_value, tests$term, FUN = function(p) p.adjust(p, "BH"))
  shown(tests)
}
shown(framed(facts$columns, c("column", "mean_or_share", "noise", "sd", "sd_noise")))
shown(framed(facts$correlations, c("column", "with", "correlation", "noise")))
