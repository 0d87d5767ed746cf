# Heterogeneity of effects by metafor::rma (Debian: r-cran-metafor). Also writes random_effects_data.csv.
source("lib/write.R")
source("lib/deviates.R")

drawn <- function(cell, k, spread, seed) {
  data.frame(cell, effect = 0.3 + spread * (uniform(k, seed) - 0.5), variance = 0.01 + uniform(k, seed + 1)^2)
}

data <- rbind(
  drawn("spread", 12, 6, 5), drawn("alike", 40, 0.1, 7), drawn("two", 2, 3, 9), drawn("many", 500, 2, 11),
  transform(drawn("far", 100, 0.5, 13), effect = effect + 8),
  transform(drawn("tiny", 30, 4, 15), variance = variance / 1e6)
)

summarised <- function(rows) {
  fit <- suppressWarnings(metafor::rma(rows$effect, rows$variance, method = "DL", level = 95))
  q <- fit$QE
  df <- fit$k - 1
  data.frame(
    cell = rows$cell[1], k = fit$k, q = q, log_p_q = pchisq(q, df, lower.tail = FALSE, log.p = TRUE),
    i_squared = max(0, (q - df) / q)
  )
}

write_oracle(data, "random_effects_data.csv")
found <- lapply(split(data, factor(data$cell, unique(data$cell))), summarised)
write_oracle(do.call(rbind, found), "random_effects.csv")
