# The data of the logistic oracles: grouped counts, columns dataset, x, z, item, successes, failures. NA in z and item
# means that the data set has no such column.
source("lib/deviates.R")

grouped <- function(dataset, x, successes, failures, z = NA, item = NA) {
  data.frame(dataset = dataset, x = x, z = z, item = item, successes = successes, failures = failures)
}

# 12 items with 4 design rows each; items differ, and rows hold up to 9 responses.
clustered <- function() {
  item <- rep(1:12, each = 4)
  x <- round(uniform(48, 5) * 8) / 4 - 1
  z <- rep(c(0, 1), 24)
  chance <- plogis(0.4 + 0.9 * x - 0.5 * z + 1.5 * (uniform(12, 77)[item] - 0.5))
  n <- 1 + floor(uniform(48, 11) * 9)
  successes <- pmin(n, floor(n * chance + uniform(48, 99)))
  grouped("clustered", x, successes, n - successes, z, item)
}

logistic_data <- function() {
  rbind(
    # Agresti (2013), Categorical Data Analysis, table 4.2: snoring and heart disease.
    grouped("snoring", c(0, 2, 4, 5), c(24, 35, 21, 30), c(1355, 603, 192, 224)),
    # Bliss (1935), Annals of Applied Biology 22, 134-167: beetles killed at log10 doses of carbon disulphide.
    grouped(
      "beetles", c(1.6907, 1.7242, 1.7552, 1.7842, 1.8113, 1.8369, 1.861, 1.8839), c(6, 13, 18, 28, 52, 53, 61, 60),
      c(59, 60, 62, 56, 63, 59, 62, 60) - c(6, 13, 18, 28, 52, 53, 61, 60)
    ),
    # A predictor far from zero, and its square with it.
    grouped("years", 1990:2023, 20 + (0:33) * 3, 400 - (0:33)^2 %/% 8, z = (1990:2023 - 2000)^2),
    # Counts up to 1e9, as rare as 1 in 1e9.
    grouped("billion", c(0, 1, 2, 3), c(40, 7e5, 3e8, 999999000), c(999999960, 999300000, 7e8, 1000)),
    grouped("rare", c(0, 1), c(1, 5e8), c(999999999, 5e8)),
    # p-values beyond the smallest double.
    grouped("strong", c(-1, 0, 1), c(2e5, 5e5, 8.1e5), c(8e5, 5e5, 1.9e5)),
    # Almost nothing to find: a likelihood ratio near 0.
    grouped("flat", c(0, 1, 2), c(500000, 500030, 500060), c(500000, 499970, 499940)),
    # Overlap by a single response.
    grouped("barely", c(1, 2, 3, 4, 5, 6, 7), c(0, 0, 1, 0, 1, 1, 1), c(1, 1, 0, 1, 0, 0, 0)),
    # As few responses as can be: two points of one each way.
    grouped("tiny", c(0, 1), c(1, 1), c(1, 2)),
    clustered()
  )
}

# Separated completely, quasi-completely, and by a predictor that is never 1 among the failures; constant outcomes.
separated_data <- function() {
  rbind(
    grouped("complete", 1:6, c(0, 0, 0, 1, 1, 1), c(1, 1, 1, 0, 0, 0)),
    grouped("quasi", 1:5, c(0, 0, 2, 3, 1), c(2, 1, 1, 0, 0)),
    grouped("dummy", c(0, 0, 1, 1), c(12, 20, 9, 14), c(18, 10, 0, 0), z = c(0, 1, 0, 1)),
    grouped("constant", c(0, 1, 2), c(4, 5, 6), c(0, 0, 0)),
    grouped("large", c(0, 1), c(500, 1e6), c(999500, 0))
  )
}
