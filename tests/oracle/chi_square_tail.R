# Logarithms of upper chi-square tails, down to where the probability itself underflows.
source("lib/write.R")

cells <- expand.grid(
  statistic = c(0, 1e-8, 0.1, 1, 3.84, 50, 500, 900, 930, 1000, 5e3, 1e5, 1e8),
  df = c(1, 2, 3, 5, 7, 10, 50, 999, 9999)
)
cells$log_tail <- with(cells, pchisq(statistic, df, lower.tail = FALSE, log.p = TRUE))
write_oracle(cells, "chi_square_tail.csv")
