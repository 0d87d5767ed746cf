# Power of t tests and exact binomial tests, and the effects that they find with a given power.
source("lib/write.R")

# --- t: stats::power.t.test, which includes the tail on the other side ------------------------------------------------
t_cells <- expand.grid(
  n = c(2, 3, 10, 50, 475, 5000), type = c("one.sample", "two.sample"), alternative = c("two.sided", "one.sided"),
  alpha = c(0.05, 0.001), power = c(0.5, 0.8, 0.99), stringsAsFactors = FALSE
)
detectable <- function(n, type, alternative, alpha, power) {
  at <- function(delta) {
    power.t.test(n, delta, type = type, alternative = alternative, sig.level = alpha, strict = TRUE)$power
  }
  high <- 1
  while (suppressWarnings(at(high)) < power) high <- high * 1.5
  suppressWarnings(uniroot(function(delta) at(delta) - power, c(1e-9, high), tol = 1e-13)$root)
}
# Where the noncentrality would be above 37 pt() cannot be used: two observations at alpha 0.001.
t_cells <- subset(t_cells, n > 3 | alpha > 0.01)
t_cells$detectable <- with(t_cells, mapply(detectable, n, type, alternative, alpha, power))
t_cells <- subset(t_cells, detectable * sqrt(n) < 35)
t_cells$power_at_0.3 <- with(t_cells, mapply(function(n, type, alternative, alpha) {
  power.t.test(n, 0.3, type = type, alternative = alternative, sig.level = alpha, strict = TRUE)$power
}, n, type, alternative, alpha))
t_cells$alternative <- ifelse(t_cells$alternative == "two.sided", "two-sided", "greater")
write_oracle(t_cells, "power_t.csv")

# --- binomial: which outcomes binom.test rejects, and how probable they are -------------------------------------------
binomial_cells <- expand.grid(
  n = c(1, 2, 5, 8, 25, 50, 475), reference = c(0, 0.01, 0.25, 0.5, 0.93, 1), alpha = c(0.05, 0.005),
  power = c(0.5, 0.8)
)
rejected <- function(n, reference, alpha, method) {
  k <- 0:n
  p <- if (method == "minimum_likelihood") sapply(k, function(x) binom.test(x, n, reference)$p.value)
  else pmin(1, 2 * pmin(pbinom(k, n, reference), pbinom(k - 1, n, reference, lower.tail = FALSE)))
  k[p < alpha]
}
for (method in c("minimum_likelihood", "doubling")) {
  answers <- with(binomial_cells, mapply(function(n, reference, alpha, power) {
    outcomes <- rejected(n, reference, alpha, method)
    at <- function(p) sum(dbinom(outcomes, n, p))
    nearest <- function(from, to) {
      if (from == to || !any((outcomes - n * from) * (to - from) > 0)) return(NA)
      uniroot(function(p) at(p) - power, sort(c(from, to)), tol = 1e-14)$root
    }
    c(below = nearest(reference, 0), above = nearest(reference, 1), at_0.3 = at(0.3))
  }, n, reference, alpha, power))
  binomial_cells[paste0(method, "_", rownames(answers))] <- t(answers)
}
write_oracle(binomial_cells, "power_binomial.csv")
