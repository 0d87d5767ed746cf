# The cells of the binomial oracles: columns successes, trials, probability.

every_outcome <- function(trials, probabilities) {
  rows <- lapply(trials, function(n) expand.grid(successes = 0:n, trials = n, probability = probabilities))
  do.call(rbind, rows)
}

# Outcomes at given numbers of standard deviations from the mean, and the two extreme ones.
spread_outcomes <- function(trials, probabilities, deviations) {
  rows <- lapply(trials, function(n) lapply(probabilities, function(p) {
    k <- round(n * p + deviations * sqrt(n * p * (1 - p)))
    data.frame(successes = unique(sort(pmin(pmax(k, 0), n))), trials = n, probability = p)
  }))
  do.call(rbind, unlist(rows, recursive = FALSE))
}

binomial_grid <- function() {
  tie <- function(n, p) {
    k <- round((n + 1) * p) + (-4:3)
    data.frame(successes = pmin(pmax(k, 0), n), trials = n, probability = p)
  }
  unique(rbind(
    every_outcome(c(1, 2, 3, 5, 12), c(0, 1e-12, 0.01, 0.1, 0.25, 0.3, 1 / 3, 0.5, 2 / 3, 0.75, 0.9, 1)),
    spread_outcomes(
      c(25, 50, 475, 500, 12345), c(0, 0.001, 0.01, 0.07, 0.25, 1 / 3, 0.39, 0.5, 0.62, 0.9, 0.999, 1),
      c(-40, -15, -8, -4, -3, -2, -1, -0.5, 0, 0.5, 1, 2, 3, 4, 8, 15, 40)
    ),
    # Two modes, where (n + 1) p is a whole number, and the outcomes around them.
    tie(9, 0.5), tie(19, 0.25), tie(49, 0.3), tie(99, 0.3), tie(999, 0.1), tie(999, 0.5), tie(99999, 0.375),
    # p-values close to the smallest double.
    data.frame(successes = c(0, 1, 1000), trials = 1000, probability = c(0.5, 0.5, 0.53)),
    data.frame(successes = c(500, 495, 5), trials = 500, probability = c(0.25, 0.25, 0.75)),
    data.frame(successes = c(1, 1, 2, 3), trials = c(1, 7, 7, 100), probability = c(1e-300, 1e-300, 1e-150, 1e-100)),
    spread_outcomes(
      c(1e6, 3e7, 1e9), c(1e-9, 1e-6, 0.001, 0.07, 0.5, 0.75, 0.999999),
      c(-36, -15, -4, -2, -1, -0.3, 0, 0.3, 1, 2, 4, 15, 36)
    )
  ))
}
