# Prints the table of coefficients of a release: Rscript coefficients.R release.json
# z is the estimate over its standard error; p is two-sided. A coefficient of a number is for per units of its column.
library(jsonlite)

per <- @PER@
log_odds <- @LOG_ODDS@
tested <- @TESTED@  # Whether the release has p-values: penalised coefficients have none.
fields <- c("estimate", "std_error", "lower", "upper", "noise_share", "interval")

arguments <- commandArgs(trailingOnly = TRUE)
file <- if (length(arguments) > 0) arguments[1] else "release.json"
release <- fromJSON(file, simplifyVector = FALSE)

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

categories <- unlist(lapply(release$plan$columns, function(column) {
  if (identical(column$type, "category") && !is.null(column$name)) paste0(column$name, "[", unlist(column$levels), "]")
}))
scale <- ifelse(result$term == "(Intercept)" | result$term %in% categories, 1, per)
for (name in fields[seq_len(4)]) result[[name]] <- as.numeric(result[[name]]) * scale

share <- as.numeric(result$noise_share)
full <- tested & result$interval != "withheld" & (is.na(share) | share < 1) & !is.na(result$std_error) & result$std_error > 0
result$z <- ifelse(full, result$estimate / result$std_error, NA)
result$p_value <- 2 * pnorm(-abs(result$z))
if (log_odds) {
  compared <- ifelse(result$term == "(Intercept)", NA, 1)
  result$odds_ratio <- exp(result$estimate) * compared
  result$odds_ratio_lower <- exp(result$lower) * compared
  result$odds_ratio_upper <- exp(result$upper) * compared
}
print(result, digits = 15)
