# Exact permutation tests of two samples of categories: every table with the observed margins, its probability from
# stats::lchoose and stats::dhyper, and the sum over those whose Jensen-Shannon divergence or total variation distance is
# at least the observed one.
source("lib/write.R")

relative <- function(p, q) rowSums(ifelse(p > 0, p * log(p / q), 0))
jensen_shannon <- function(p, q) {
  p <- p / rowSums(p)
  q <- q / rowSums(q)
  (relative(p, (p + q) / 2) + relative(q, (p + q) / 2)) / 2
}
total_variation <- function(p, q) rowSums(abs(p / rowSums(p) - q / rowSums(q))) / 2

log_sum <- function(x) max(x) + log(sum(exp(x - max(x))))

tables <- function(pooled, size) {
  some <- as.matrix(expand.grid(lapply(pooled[-1], function(most) 0:min(most, size))))
  every <- cbind(size - rowSums(some), some)
  every[every[, 1] >= 0 & every[, 1] <= pooled[1], , drop = FALSE]
}

log_p <- function(p, q, statistic) {
  pooled <- p + q
  every <- tables(pooled, sum(p))
  rest <- matrix(pooled, nrow(every), length(pooled), byrow = TRUE) - every
  if (length(pooled) == 2) {
    # lchoose loses digits where counts are large.
    mass <- dhyper(every[, 1], pooled[1], pooled[2], sum(p), log = TRUE)
  } else {
    mass <- rowSums(lchoose(rest + every, every)) - lchoose(sum(pooled), sum(p))
  }
  observed <- statistic(t(p), t(q))
  log_sum(mass[statistic(every, rest) >= observed * (1 - 1e-7)])
}

samples <- list(
  list(c(3, 1, 0), c(1, 3, 0)), list(c(30, 20, 0), c(18, 32, 0)), list(c(1, 0, 0), c(0, 1, 0)),
  list(c(5, 0, 0), c(5, 0, 0)), list(c(0, 2, 1), c(9, 1, 4)), list(c(7, 7, 7), c(7, 7, 7)),
  list(c(12, 3, 9), c(4, 4, 30)), list(c(1, 0, 2), c(40, 9, 3)), list(c(25, 0, 0), c(0, 0, 25)),
  list(c(400, 100, 0), c(100, 400, 0)), list(c(2000, 0, 0), c(0, 2000, 0)), list(c(3000, 1000, 0), c(2, 998, 0)),
  list(c(10, 990, 0), c(100000, 900000, 0)), list(c(6, 2, 8), c(6, 2, 9))
)
rows <- do.call(rbind, lapply(samples, function(pair) {
  kept <- pair[[1]] + pair[[2]] > 0
  p <- pair[[1]][kept]
  q <- pair[[2]][kept]
  one <- sum(kept) == 1
  data.frame(
    p = t(pair[[1]]), q = t(pair[[2]]),
    jensen_shannon = if (one) 0 else log_p(p, q, jensen_shannon),
    total_variation = if (one) 0 else log_p(p, q, total_variation)
  )
}))
write_oracle(rows, "table_permutation.csv")
