# Tests of a distribution against proportions: stats::chisq.test(p = ), G by its formula, and the exact multinomial test
# by listing every outcome with stats::dmultinom (ties as in stats::binom.test, which it equals for two categories).
source("lib/write.R")

outcomes <- function(n, k) {
  if (k == 1) return(matrix(n, 1, 1))
  do.call(rbind, lapply(0:n, function(first) cbind(first, outcomes(n - first, k - 1))))
}
exact <- function(counts, p) {
  n <- sum(counts)
  if (length(counts) == 2) return(binom.test(counts[1], n, p[1])$p.value)
  if (choose(n + length(counts) - 1, length(counts) - 1) > 30000) return(NA)
  chances <- apply(outcomes(n, length(counts)), 1, dmultinom, prob = p)
  min(1, sum(chances[chances <= dmultinom(counts, prob = p) * (1 + 1e-7)]))
}
text <- function(numbers) paste(sprintf("%.17g", numbers), collapse = " ")

cases <- list(
  list(c(6022, 2001), c(3, 1) / 4), # Mendel's yellow and green peas: Agresti (2002), section 1.5.2
  list(c(315, 108, 101, 32), c(9, 3, 3, 1) / 16), # Mendel's dihybrid cross
  list(c(3, 0, 0), c(0.5, 0.25, 0.25)), list(c(1, 0, 0), c(0.2, 0.3, 0.5)), list(c(4, 4, 4), rep(1, 3) / 3),
  list(c(10, 0, 5, 1), c(0.28, 0.53, 0.18, 0.01)), list(c(50, 0, 0), c(0.3, 0.52, 0.18)),
  list(c(0, 0, 200), c(0.7, 0.29, 0.01)), list(c(14, 17, 19), c(0.3, 0.36, 0.34)), list(c(0, 25), c(0.07, 0.93)),
  list(c(7, 3, 2, 1, 0), c(0.3, 0.3, 0.2, 0.1, 0.1)), list(c(100, 90, 55), c(0.25, 0.5, 0.25)),
  list(c(3, 1, 4, 1, 5, 9), c(1:6) / 21), list(c(1e9, 3e9 / 2, 5e8), c(0.3333, 0.5, 0.1667)),
  list(c(333333333, 333300000, 333366667), c(1, 1, 1) / 3), list(c(12, 13, 12, 13), rep(0.25, 4)),
  list(c(499, 1), c(0.5, 0.5)), list(c(2, 1, 1), c(1e-9, 0.4, 0.6 - 1e-9))
)
rows <- lapply(cases, function(case) {
  counts <- case[[1]]
  p <- case[[2]]
  test <- suppressWarnings(chisq.test(counts, p = p))
  x2 <- unname(test$statistic)
  g <- 2 * sum(ifelse(counts > 0, counts * log(counts / (sum(counts) * p)), 0))
  df <- length(counts) - 1
  data.frame(
    counts = text(counts), proportions = text(p), chi_square = x2, p_chi_square = test$p.value,
    log_p_chi_square = pchisq(x2, df, lower.tail = FALSE, log.p = TRUE), g = g,
    log_p_g = pchisq(g, df, lower.tail = FALSE, log.p = TRUE), w = sqrt(x2 / sum(counts)), p_exact = exact(counts, p)
  )
})
write_oracle(do.call(rbind, rows), "goodness_of_fit.csv")
