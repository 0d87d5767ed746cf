# Ordinal association of contingency tables from the definitions: concordance of every cell with every other, the
# variance of S with its usual tie corrections, and the standard errors of Brown & Benedetti (1977) in the form of
# SAS PROC FREQ. Base R; cross-checked with stats::cor.test and, where installed, vcdExtra::GKgamma (r-cran-vcdextra).
source("lib/write.R")
source("lib/tables.R")

association <- function(table) {
  rows <- seq_len(nrow(table))
  columns <- seq_len(ncol(table))
  cells <- expand.grid(i = rows, j = columns)
  count <- table[as.matrix(cells)]
  opposite <- function(sign) {
    apply(cells, 1, function(at) sum(table * (sign * outer(rows - at[1], columns - at[2]) > 0)))
  }
  a <- opposite(1)
  d <- opposite(-1)
  n <- sum(table)
  p <- sum(count * a)
  q <- sum(count * d)
  r <- rowSums(table)[cells$i]
  k <- colSums(table)[cells$j]
  wr <- n^2 - sum(rowSums(table)^2)
  wc <- n^2 - sum(colSums(table)^2)
  w <- sqrt(wr * wc)
  m <- min(dim(table))
  tau_b <- (p - q) / w
  v <- r * wc + k * wr
  rest <- sum(count * (a - d)^2) - (p - q)^2 / n
  of_d <- function(whole, off) 2 / whole^2 * sqrt(sum(count * (whole * (a - d) - (p - q) * off)^2))

  t <- rowSums(table)
  u <- colSums(table)
  s <- (p - q) / 2
  variance <- (n * (n - 1) * (2 * n + 5) - sum(t * (t - 1) * (2 * t + 5)) - sum(u * (u - 1) * (2 * u + 5))) / 18 +
    sum(t * (t - 1)) * sum(u * (u - 1)) / (2 * n * (n - 1)) +
    (if (n > 2) sum(t * (t - 1) * (t - 2)) * sum(u * (u - 1) * (u - 2)) / (9 * n * (n - 1) * (n - 2)) else 0)
  z <- s / sqrt(variance)
  corrected <- sign(s) * (abs(s) - 1) / sqrt(variance)
  data.frame(
    n = n, surplus = s, z = z, p = 2 * pnorm(-abs(z)), log_p = log(2) + pnorm(-abs(z), log.p = TRUE),
    p_continuity = 2 * pnorm(-abs(corrected)),
    tau_b = tau_b,
    # The sum of squares less the square of the sum, as SAS prints it.
    se_tau_b = sqrt(max(0, sum(count * (2 * w * (a - d) + tau_b * v)^2) - n^3 * tau_b^2 * (wr + wc)^2)) / w^2,
    tau_c = m * (p - q) / (n^2 * (m - 1)), se_tau_c = 2 * m / ((m - 1) * n^2) * sqrt(max(0, rest)),
    gamma = (p - q) / (p + q), se_gamma = 4 / (p + q)^2 * sqrt(sum(count * (q * a - p * d)^2)),
    somers_d_yx = (p - q) / wr, se_somers_d_yx = of_d(wr, n - r),
    somers_d_xy = (p - q) / wc, se_somers_d_xy = of_d(wc, n - k),
    somers_d = 2 * (p - q) / (wr + wc), se_somers_d = of_d((wr + wc) / 2, n - (r + k) / 2)
  )
}

check <- function(table, found) {
  # R divides by n - 2.
  if (sum(table) > 30000 || sum(table) == 2) return()
  at <- observations(table)
  test <- suppressWarnings(cor.test(at[, 1], at[, 2], method = "kendall", exact = FALSE))
  stopifnot(all.equal(unname(test$estimate), found$tau_b), all.equal(test$p.value, found$p, tolerance = 1e-7))
  continued <- suppressWarnings(cor.test(at[, 1], at[, 2], method = "kendall", exact = FALSE, continuity = TRUE))
  stopifnot(all.equal(continued$p.value, found$p_continuity, tolerance = 1e-7))
  if (requireNamespace("vcdExtra", quietly = TRUE)) {
    gamma <- vcdExtra::GKgamma(as.table(table))
    stopifnot(all.equal(gamma$gamma, found$gamma), all.equal(gamma$sigma, found$se_gamma))
  }
}

rows <- lapply(example_tables(), function(table) {
  found <- association(table)
  check(table, found)
  cbind(table = as_text(table), found)
})
write_oracle(do.call(rbind, rows), "rank_association.csv")
