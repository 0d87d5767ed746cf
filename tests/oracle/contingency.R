# Contingency tables: stats::chisq.test (with and without Yates' correction, standardised residuals), G by its formula,
# Cramer's V and phi (cross-checked with vcd::assocstats, r-cran-vcd, where installed), Bergsma's V by its formula.
source("lib/write.R")
source("lib/tables.R")

statistics <- function(table) {
  n <- sum(table)
  r <- nrow(table)
  k <- ncol(table)
  plain <- suppressWarnings(chisq.test(table, correct = FALSE))
  yates <- suppressWarnings(chisq.test(table, correct = TRUE))
  x2 <- unname(plain$statistic)
  df <- unname(plain$parameter)
  g <- 2 * sum(ifelse(table > 0, table * log(table / plain$expected), 0))
  v <- sqrt(x2 / (n * (min(r, k) - 1)))
  shrunk <- function(levels) levels - (levels - 1)^2 / (n - 1)
  if (n < 1e6 && requireNamespace("vcd", quietly = TRUE)) {
    other <- vcd::assocstats(as.table(table))
    stopifnot(all.equal(other$cramer, v), all.equal(other$chisq_tests[, 1], c(g, x2), check.attributes = FALSE))
  }
  data.frame(
    table = as_text(table), chi_square = x2, df = df, p = plain$p.value,
    log_p = pchisq(x2, df, lower.tail = FALSE, log.p = TRUE), p_yates = yates$p.value,
    g = g, p_g = pchisq(g, df, lower.tail = FALSE), log_p_g = pchisq(g, df, lower.tail = FALSE, log.p = TRUE), v = v,
    v_corrected = sqrt(max(0, x2 / n - (r - 1) * (k - 1) / (n - 1)) / min(shrunk(r) - 1, shrunk(k) - 1)),
    phi = sqrt(x2 / n), residual = unname(plain$stdres[1, 1]), smallest = min(plain$expected),
    small = sum(plain$expected < 5)
  )
}
write_oracle(do.call(rbind, lapply(example_tables(), statistics)), "contingency.csv")
