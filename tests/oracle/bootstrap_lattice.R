# Bootstrap intervals of means of lattice values without simulation: convolutions of the observed shares, one draw after
# the other and by sums alone (no transform).
source("lib/write.R")

# The distribution of the sum of n draws of positions 0 ... m.
sum_mass <- function(share, n) {
  mass <- 1
  for (draw in seq_len(n)) {
    longer <- numeric(length(mass) + length(share) - 1)
    for (j in seq_along(share)) {
      at <- seq_along(mass) + j - 1
      longer[at] <- longer[at] + mass * share[j]
    }
    mass <- longer
  }
  mass
}

# Smallest s with P(S <= s) >= level; a distribution function within 1e-13 of a level has reached it.
lowest <- function(mass, level) which(cumsum(mass) >= level - 1e-13)[1] - 1
highest <- function(mass, level) length(mass) - which(cumsum(rev(mass)) >= level - 1e-13)[1]

convolved <- function(count, confidence) {
  n <- sum(count)
  position <- seq_along(count) - 1
  observed <- sum(count * position)
  mass <- sum_mass(count / n, n)
  tail <- (1 - confidence) / 2
  low <- lowest(mass, tail) / n
  high <- highest(mass, tail) / n
  offset <- position - observed / n
  a <- sum(count * offset^3) / (6 * sum(count * offset^2)^1.5)
  below <- sum(mass[seq_len(observed)]) + mass[observed + 1] / 2
  z0 <- qnorm(below)
  adjusted <- function(z) z0 + (z0 + z) / (1 - a * (z0 + z))
  data.frame(
    std_error = sqrt(sum(count * offset^2)) / n, share_below = below, percentile_low = low, percentile_high = high,
    basic_low = 2 * observed / n - high, basic_high = 2 * observed / n - low,
    # Levels further out than 1e-12 are taken as 1e-12.
    bca_low = lowest(mass, max(pnorm(adjusted(qnorm(tail))), 1e-12)) / n,
    bca_high = highest(mass, max(pnorm(-adjusted(-qnorm(tail))), 1e-12)) / n
  )
}

counts <- rbind(
  c(1, 1, 1, 1, 1), c(2, 0, 0, 0, 5), c(10, 20, 40, 20, 10), c(0, 3, 0, 9, 1), c(97, 1, 1, 1, 0), c(5, 4, 3, 2, 1),
  c(1, 0, 0, 0, 1), c(0, 1, 1, 0, 0), c(300, 100, 50, 40, 10), c(0, 0, 0, 1, 499), c(3, 0, 0, 4, 0), c(25, 0, 1, 0, 24)
)
cells <- expand.grid(row = seq_len(nrow(counts)), confidence = c(0.5, 0.9, 0.95, 0.99, 0.999))
rows <- data.frame(
  count = counts[cells$row, ], confidence = cells$confidence,
  do.call(rbind, mapply(function(row, confidence) convolved(counts[row, ], confidence), cells$row, cells$confidence,
    SIMPLIFY = FALSE
  ))
)
write_oracle(rows, "bootstrap_lattice.csv")
