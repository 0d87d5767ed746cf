# Two-sided binomial p-values by their tails, on the log scale: twice the smaller tail, and twice the smaller one-sided
# mid-p-value (as exactci::binom.exact(tsmethod = "central", midp = TRUE), whose package Debian does not carry).
# stats::pbinom and dbinom with log.p.
source("lib/write.R")
source("lib/grid.R")

log_sum <- function(a, b) pmax(a, b) + log1p(exp(-abs(a - b)))

cells <- unique(rbind(
  binomial_grid(),
  # Far below the smallest double.
  spread_outcomes(c(2000, 1e5, 1e6), c(0.001, 0.25, 0.5, 0.9), c(-300, -120, -60, 60, 120, 300)),
  data.frame(successes = c(0, 1e5, 1e9), trials = c(1e5, 1e5, 1e9), probability = c(0.5, 0.01, 0.5))
))
cells <- subset(cells, probability > 0 & probability < 1)
found <- with(cells, {
  lower <- pbinom(successes, trials, probability, log.p = TRUE)
  upper <- pbinom(successes - 1, trials, probability, lower.tail = FALSE, log.p = TRUE)
  half <- dbinom(successes, trials, probability, log = TRUE) - log(2)
  below <- log_sum(pbinom(successes - 1, trials, probability, log.p = TRUE), half)
  above <- log_sum(pbinom(successes, trials, probability, lower.tail = FALSE, log.p = TRUE), half)
  data.frame(log_doubling = pmin(0, log(2) + pmin(lower, upper)), log_mid_p = pmin(0, log(2) + pmin(below, above)))
})
write_oracle(cbind(cells, found), "binomial_tails.csv")
