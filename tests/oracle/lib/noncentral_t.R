# The noncentral t distribution, whatever its noncentrality.

# P(T <= t) is the mean of Phi(t s - delta) over s, the square root of a chi-squared variable over df. pt(ncp = ) stops
# at 37.62, so the mean is taken by integrate(), over the 13 standard deviations of s around 1, piece by piece.
log_density <- function(s, df) log(2) + df / 2 * log(df / 2) - lgamma(df / 2) + (df - 1) * log(s) - df * s^2 / 2
probability <- function(t, df, delta, lower = TRUE) {
  spread <- 1 / sqrt(2 * df)
  ends <- c(max(0, 1 - 13 * spread), 1 + 13 * spread)
  # Where the normal distribution is much narrower than that of s, the pieces end around its middle.
  middle <- delta / t + c(-8, -3, -1, 0, 1, 3, 8) / abs(t)
  pieces <- sort(unique(c(seq(ends[1], ends[2], length.out = 15), middle[middle > ends[1] & middle < ends[2]])))
  # For large df the constant of the density loses digits; the density is then scaled to a total of 1.
  total <- function(f) sum(mapply(function(a, b) {
    integrate(f, a, b, rel.tol = 1e-13, abs.tol = 1e-300, stop.on.error = FALSE)$value
  }, head(pieces, -1), tail(pieces, -1)))
  peak <- log_density(1, df)
  weight <- function(s) exp(log_density(s, df) - peak)
  total(function(s) weight(s) * pnorm(t * s - delta, lower.tail = lower)) / total(weight)
}

noncentrality <- function(q, t, df) {
  width <- 12 * sqrt(1 + t^2 / (2 * df)) + 3 * abs(t) * (df < 10)
  excess <- function(delta) {
    if (q < 0.5) probability(t, df, delta) - q else (1 - q) - probability(t, df, delta, lower = FALSE)
  }
  uniroot(excess, t + c(-width, width), tol = 1e-13 * (1 + abs(t)))$root
}
