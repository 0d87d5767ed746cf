# Two-sided exact binomial tests: stats::binom.test, and twice the smaller tail.
source("lib/write.R")
source("lib/grid.R")

# binom.test lists every outcome on the far side of the mean, up to a billion of them here. Where that is too long the
# same outcomes are counted by bisection; dbinom falls away from the mean, so the ones as rare as x are the outermost.
counted_test <- function(x, n, p) {
  bound <- dbinom(x, n, p) * (1 + 1e-7)
  m <- n * p
  if (x == m) return(1)
  towards <- if (x < m) 1 else -1
  start <- if (x < m) ceiling(m) else floor(m)
  low <- 0
  high <- (if (x < m) n - start else start) + 1
  while (low < high) {
    middle <- floor((low + high) / 2)
    if (dbinom(start + towards * middle, n, p) <= bound) high <- middle else low <- middle + 1
  }
  far <- start + towards * low
  if (x < m) pbinom(x, n, p) + pbinom(far - 1, n, p, lower.tail = FALSE)
  else pbinom(far, n, p) + pbinom(x - 1, n, p, lower.tail = FALSE)
}

test <- function(x, n, p) {
  far_side <- if (x < n * p) n * (1 - p) else n * p
  if (far_side < 2e5) binom.test(x, n, p)$p.value else counted_test(x, n, p)
}

cells <- binomial_grid()
# The two routes agree wherever both can be taken (the sum of two whole tails may miss 1 by its rounding).
small <- subset(cells, trials < 20000 & probability > 0 & probability < 1)
counted <- with(small, mapply(counted_test, successes, trials, probability))
listed <- with(small, mapply(test, successes, trials, probability))
stopifnot(all.equal(counted, listed, tolerance = 1e-14))

cells$minimum_likelihood <- with(cells, pmin(1, mapply(test, successes, trials, probability)))
cells$doubling <- with(cells, pmin(1, 2 * pmin(
  pbinom(successes, trials, probability), pbinom(successes - 1, trials, probability, lower.tail = FALSE)
)))
write_oracle(cells, "binomial_two_sided.csv")
