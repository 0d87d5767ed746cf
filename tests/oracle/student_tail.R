# Tails of Student's t, as logarithms, and its critical values: stats::pt and stats::qt.
source("lib/write.R")

cells <- expand.grid(
  t = c(
    0, 1e-9, 1e-5, 0.01, 0.5, 1, 2, 2.5, 5, 10, 20, 30, 36, 38, 40, 76.39342008909948, 100, 1000, 1e5, 1e10, 1e100,
    1e150
  ),
  df = c(1, 1.5, 2, 3, 9, 49, 475.3, 1000, 33599, 1e6, 1e9)
)
cells$two_sided <- with(cells, log(2) + pt(t, df, lower.tail = FALSE, log.p = TRUE))
cells$greater <- with(cells, pt(t, df, lower.tail = FALSE, log.p = TRUE))
cells$less <- with(cells, pt(t, df, log.p = TRUE))
write_oracle(cells, "student_tail.csv")

quantiles <- expand.grid(
  tail = c(0.3, 0.05, 0.025, 0.005, 5e-4, 1e-8, 1e-30), df = c(1, 1.5, 2, 3, 9, 49, 475.3, 33599, 1e6, 1e9)
)
quantiles$critical <- with(quantiles, qt(tail, df, lower.tail = FALSE))
write_oracle(quantiles, "student_critical.csv")
