# Bootstrap intervals from given replicates: boot::boot.ci (r-cran-boot). A row holds the replicates it was made from.
suppressPackageStartupMessages(library(boot))
source("lib/write.R")

resamples <- 199
ratio <- function(data, i) sum(data$x[i]) / sum(data$u[i])
statistics <- list(
  city_ratio = list(data = city, statistic = ratio),
  aircondit_mean = list(data = aircondit$hours, statistic = function(x, i) mean(x[i])),
  aircondit_variance = list(data = aircondit$hours, statistic = function(x, i) var(x[i])),
  skewed_mean = list(data = exp(qnorm(ppoints(17))), statistic = function(x, i) mean(x[i])),
  correlation = list(
    data = data.frame(a = city$u, b = city$x), statistic = function(d, i) suppressWarnings(cor(d$a[i], d$b[i]))
  )
)

limits <- function(name, confidence) {
  case <- statistics[[name]]
  set.seed(20)
  made <- boot(case$data, case$statistic, R = resamples)
  # The jackknife values about their own mean, as in Efron & Tibshirani (1993, equation 14.15).
  influence <- empinf(made, type = "jack")
  influence <- influence - mean(influence)
  # Extreme order statistics are among the cases on purpose.
  ci <- suppressWarnings(boot.ci(made, conf = confidence, type = c("basic", "perc", "bca"), L = influence))
  known <- as.vector(made$t)
  data.frame(
    case = name, confidence = confidence, estimate = made$t0,
    acceleration = sum(influence^3) / (6 * sum(influence^2)^1.5), std_error = sd(known),
    basic_low = ci$basic[4], basic_high = ci$basic[5], percentile_low = ci$percent[4], percentile_high = ci$percent[5],
    bca_low = ci$bca[4], bca_high = ci$bca[5], t(setNames(known, paste0("t.", seq_along(known))))
  )
}

cases <- expand.grid(name = names(statistics), confidence = c(0.5, 0.9, 0.95, 0.975, 0.999), stringsAsFactors = FALSE)
rows <- do.call(rbind, mapply(limits, cases$name, cases$confidence, SIMPLIFY = FALSE))
write_oracle(rows, "bootstrap_limits.csv")
