# BCa's acceleration of means of counted scores: boot::empinf's jackknife (r-cran-boot) on the repeated values.
suppressPackageStartupMessages(library(boot))
source("lib/write.R")

scores <- list(
  c(1, 2, 3, 4, 5), c(0, 1, 10, 100, 1000), c(-2.5, -0.1, 0, 1 / 3, 7)
)
counts <- rbind(
  c(1, 1, 1, 1, 1), c(2, 0, 0, 0, 5), c(10, 20, 40, 20, 10), c(0, 3, 0, 9, 1), c(97, 1, 1, 1, 0), c(5, 4, 3, 2, 1),
  c(200, 0, 40, 0, 3)
)

one <- function(score, count) {
  data <- rep(scores[[score]], counts[count, ])
  influence <- empinf(data = data, statistic = function(x, i) mean(x[i]), type = "jack", stype = "i")
  influence <- influence - mean(influence)
  sum(influence^3) / (6 * sum(influence^2)^1.5)
}

cells <- expand.grid(score = seq_along(scores), count = seq_len(nrow(counts)))
value <- mapply(one, cells$score, cells$count)
rows <- data.frame(
  x = do.call(rbind, scores[cells$score]), count = counts[cells$count, ], acceleration = value
)
write_oracle(rows, "bootstrap_acceleration.csv")
