# Wilson intervals: stats::prop.test without continuity correction.
source("lib/write.R")

interval <- function(k, n, confidence) {
  # The chi-squared test printed beside the interval is not used: its warning about small counts does not matter.
  as.numeric(suppressWarnings(prop.test(k, n, conf.level = confidence, correct = FALSE))$conf.int)
}

trials <- c(1, 2, 5, 10, 25, 50, 475, 500, 12345, 1e6, 1e9)
cells <- do.call(rbind, lapply(trials, function(n) {
  k <- unique(round(n * c(0, 0.001, 0.02, 0.1, 0.25, 1 / 3, 0.5, 0.7, 0.94, 0.999, 1)))
  successes <- unique(sort(pmin(c(k, 1, n - 1), n)))
  expand.grid(successes = successes, trials = n, confidence = c(0.5, 0.9, 0.95, 0.99, 0.999))
}))
limits <- mapply(interval, cells$successes, cells$trials, cells$confidence)
cells$low <- limits[1, ]
cells$high <- limits[2, ]
write_oracle(cells, "wilson.csv")
