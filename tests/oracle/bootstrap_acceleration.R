# BCa's acceleration of statistics of counted scores: boot::empinf's jackknife (r-cran-boot) on the repeated values.
suppressPackageStartupMessages(library(boot))
source("lib/write.R")

statistics <- list(
  mean = function(x, i) mean(x[i]),
  variance = function(x, i) var(x[i]),
  standard_deviation = function(x, i) sd(x[i]),
  skewness = function(x, i) mean((x[i] - mean(x[i]))^3) / mean((x[i] - mean(x[i]))^2)^1.5
)
scores <- list(
  c(1, 2, 3, 4, 5), c(0, 1, 10, 100, 1000), c(-2.5, -0.1, 0, 1 / 3, 7)
)
counts <- rbind(
  c(1, 1, 1, 1, 1), c(2, 0, 0, 0, 5), c(10, 20, 40, 20, 10), c(0, 3, 0, 9, 1), c(97, 1, 1, 1, 0), c(5, 4, 3, 2, 1),
  c(200, 0, 40, 0, 3)
)

one <- function(score, count, name) {
  data <- rep(scores[[score]], counts[count, ])
  influence <- empinf(data = data, statistic = statistics[[name]], type = "jack", stype = "i")
  influence <- influence - mean(influence)
  sum(influence^3) / (6 * sum(influence^2)^1.5)
}

cells <- expand.grid(
  score = seq_along(scores), count = seq_len(nrow(counts)), statistic = names(statistics), stringsAsFactors = FALSE
)
value <- mapply(one, cells$score, cells$count, cells$statistic)
rows <- data.frame(
  x = do.call(rbind, scores[cells$score]), count = counts[cells$count, ], statistic = cells$statistic,
  acceleration = value
)
write_oracle(rows, "bootstrap_acceleration.csv")
