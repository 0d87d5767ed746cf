# Percentile bootstrap intervals of shares, whose bootstrap distribution is binomial: stats::qbinom.
source("lib/write.R")

trials <- c(2, 3, 10, 50, 475, 12345, 1e6, 1e9)
shares <- do.call(rbind, lapply(trials, function(n) {
  expand.grid(successes = unique(pmin(pmax(round(n * c(1e-9, 0.001, 0.07, 1 / 3, 0.5, 0.94)), 1), n - 1)), trials = n)
}))
shares <- merge(shares, data.frame(confidence = c(0.5, 0.9, 0.95, 0.999)))
shares$low <- with(shares, qbinom((1 - confidence) / 2, trials, successes / trials))
shares$high <- with(shares, trials - qbinom((1 - confidence) / 2, trials, (trials - successes) / trials))
write_oracle(shares, "bootstrap_shares.csv")
