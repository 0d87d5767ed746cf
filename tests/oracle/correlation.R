# Pearson's and Spearman's correlations of counted pairs: stats::cor.test on the repeated observations, and for tables
# too large for that stats::cov.wt with the counts as weights; logarithms of p from stats::pt.
source("lib/write.R")
source("lib/tables.R")

midranks <- function(totals) cumsum(totals) - (totals - 1) / 2

weighted <- function(x, y, counts) {
  keep <- counts > 0
  pairs <- cbind(x, y)[keep, , drop = FALSE]
  cov.wt(pairs, wt = counts[keep] / sum(counts), cor = TRUE, method = "ML")$cor[1, 2]
}

correlation <- function(table, x, y) {
  n <- sum(table)
  cells <- expand.grid(i = seq_along(x), j = seq_along(y))
  counts <- table[as.matrix(cells)]
  r <- weighted(x[cells$i], y[cells$j], counts)
  rho <- weighted(midranks(rowSums(table))[cells$i], midranks(colSums(table))[cells$j], counts)
  t_of <- function(r) r * sqrt((n - 2) / (1 - r^2))
  log_p <- function(r) log(2) + pt(-abs(t_of(r)), n - 2, log.p = TRUE)
  found <- list(r = r, t = t_of(r), p = 2 * pt(-abs(t_of(r)), n - 2), log_p = log_p(r), rho = rho)
  limits <- c(NA, NA)
  if (n <= 3e4) {
    at <- observations(table)
    pearson <- cor.test(x[at[, 1]], y[at[, 2]])
    stopifnot(all.equal(unname(pearson$estimate), r), all.equal(pearson$p.value, found$p, tolerance = 1e-7))
    found$r <- unname(pearson$estimate)
    found$t <- unname(pearson$statistic)
    found$p <- pearson$p.value
    if (n > 3) limits <- pearson$conf.int
    spearman <- cor.test(x[at[, 1]], y[at[, 2]], method = "spearman", exact = FALSE)
    found$rho <- unname(spearman$estimate)
  }
  fisher <- function(r, se) tanh(atanh(r) + c(-1, 1) * qnorm(0.975) * se / sqrt(n - 3))
  if (n > 3e4) limits <- fisher(r, 1)
  rho <- found$rho
  data.frame(
    x = paste(x, collapse = " "), y = paste(y, collapse = " "), n = n, found[1:4], low = limits[1], high = limits[2],
    rho = rho, t_rho = t_of(rho), p_rho = 2 * pt(-abs(t_of(rho)), n - 2), log_p_rho = log_p(rho),
    low_bonett_wright = fisher(rho, sqrt(1 + rho^2 / 2))[1], low_fieller = fisher(rho, sqrt(1.06))[1],
    high_fisher = fisher(rho, 1)[2]
  )
}

scores <- c(-3, -0.5, 0.1, 2, 7, 7.5)
rows <- lapply(example_tables(), function(table) {
  # Fewer than four observations have no test or no interval, and of two equal orders t is infinite.
  if (sum(table) < 4 || sum(table > 0) <= 2) return(NULL)
  cbind(table = as_text(table), correlation(table, scores[seq_len(nrow(table))], 1e6 + seq_len(ncol(table))))
})
write_oracle(do.call(rbind, rows), "correlation.csv")
