# JZS Bayes factors, as logarithms: equation 1 of Rouder et al. (2009) with the prior's scale, by integrate().
source("lib/write.R")

log_factor <- function(t, df, n, scale) {
  q <- t^2 / df
  # Over y = ln g, as a logarithm whose largest value is taken off before the integration.
  log_integrand <- function(y) {
    x <- n * scale^2 * exp(y)
    (df + 1) / 2 * log1p(q * x / (1 + x + q)) - log1p(x) / 2 - y / 2 - exp(-y) / 2 - log(2 * pi) / 2
  }
  top <- max(log_integrand(seq(-6, 80, 0.01)))
  pieces <- c(seq(-8, 30, 0.5), seq(31, 120))
  parts <- mapply(function(a, b) {
    integrate(function(y) exp(log_integrand(y) - top), a, b, rel.tol = 1e-13, abs.tol = 0, stop.on.error = FALSE)$value
  }, head(pieces, -1), tail(pieces, -1))
  top + log(sum(parts))
}

scales <- c(0.2, sqrt(0.5), 1, sqrt(2))
one <- expand.grid(t = c(0, 0.3, -1.7, 2.24, 3.5, 8, 14, 40), n_1 = c(2, 3, 20, 80, 475, 1e4), n_2 = 0, scale = scales)
two <- expand.grid(t = c(0, 0.69, 2.5, -5, 12), n_1 = c(2, 25, 1000), n_2 = c(2, 60, 1e6), scale = scales)
far <- expand.grid(t = c(0, 5, 76.39342008909948, 3e4), n_1 = c(33600, 1e9), n_2 = 0, scale = scales)
cells <- rbind(one, two, far)
cells$df <- with(cells, ifelse(n_2 == 0, n_1 - 1, n_1 + n_2 - 2))
cells$effective_n <- with(cells, ifelse(n_2 == 0, n_1, n_1 * n_2 / (n_1 + n_2)))
cells$log_bf10 <- with(cells, mapply(log_factor, t, df, effective_n, scale))

# The package BayesFactor (Debian: r-cran-bayesfactor), where it is installed, agrees to its own tolerance.
if (requireNamespace("BayesFactor", quietly = TRUE)) {
  some <- subset(cells, abs(t) < 13 & n_1 < 1e5 & n_2 < 1e5)
  theirs <- with(some, mapply(function(t, n_1, n_2, scale) {
    BayesFactor::ttest.tstat(t, n_1, n_2, rscale = scale)$bf
  }, t, n_1, n_2, scale))
  stopifnot(max(abs(theirs - some$log_bf10)) < 1e-5)
}
write_oracle(cells, "bayes_factor.csv")
