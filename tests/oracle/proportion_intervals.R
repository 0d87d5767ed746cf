# Clopper-Pearson intervals: stats::binom.test (and its quantiles, where that would list too many outcomes). Jeffreys
# intervals: stats::qbeta. Newcombe's interval of a difference: from the Wilson intervals of stats::prop.test.
source("lib/write.R")

tail <- function(confidence) (1 - confidence) / 2
trials <- c(1, 2, 5, 10, 25, 50, 475, 12345, 1e6, 1e9)
cells <- do.call(rbind, lapply(trials, function(n) {
  k <- unique(round(n * c(0, 0.001, 0.02, 0.1, 0.25, 1 / 3, 0.5, 0.7, 0.94, 0.999, 1)))
  successes <- unique(sort(pmin(c(k, 1, n - 1), n)))
  expand.grid(successes = successes, trials = n, confidence = c(0.5, 0.9, 0.95, 0.999))
}))
cells <- within(cells, {
  exact_low <- ifelse(successes == 0, 0, qbeta(tail(confidence), successes, trials - successes + 1))
  exact_high <- ifelse(successes == trials, 1, qbeta(tail(confidence), successes + 1, trials - successes, lower.tail = FALSE))
  jeffreys_low <- ifelse(successes == 0, 0, qbeta(tail(confidence), successes + 0.5, trials - successes + 0.5))
  jeffreys_high <- ifelse(
    successes == trials, 1, qbeta(tail(confidence), successes + 0.5, trials - successes + 0.5, lower.tail = FALSE)
  )
})
for (row in which(cells$trials <= 12345)) {
  test <- with(cells[row, ], binom.test(successes, trials, conf.level = confidence))
  stopifnot(all.equal(as.numeric(test$conf.int), as.numeric(cells[row, c("exact_low", "exact_high")])))
}
write_oracle(cells, "proportion_intervals.csv")

score <- function(k, n, confidence) {
  as.numeric(suppressWarnings(prop.test(k, n, conf.level = confidence, correct = FALSE))$conf.int)
}
newcombe <- function(k1, n1, k2, n2, confidence) {
  first <- score(k1, n1, confidence)
  second <- score(k2, n2, confidence)
  f <- c(k1 / n1, k2 / n2)
  c(
    f[1] - f[2] - sqrt((f[1] - first[1])^2 + (second[2] - f[2])^2),
    f[1] - f[2] + sqrt((first[2] - f[1])^2 + (f[2] - second[1])^2)
  )
}
groups <- rbind(
  c(56, 70, 48, 80), c(9, 10, 3, 10), c(6, 7, 2, 7), c(5, 56, 0, 29), c(0, 10, 0, 20), c(0, 10, 0, 10), c(10, 10, 0, 20),
  c(10, 10, 0, 10), # the pairs of Newcombe (1998), table II
  c(1, 1, 0, 1), c(1, 1, 1, 1), c(189, 11034, 104, 11037), c(3e8, 1e9, 4e8, 1e9), c(1, 1e9, 0, 1e9), c(999, 1000, 1, 3)
)
pairs <- merge(data.frame(k1 = groups[, 1], n1 = groups[, 2], k2 = groups[, 3], n2 = groups[, 4]), c(0.9, 0.95, 0.999))
names(pairs)[5] <- "confidence"
limits <- mapply(newcombe, pairs$k1, pairs$n1, pairs$k2, pairs$n2, pairs$confidence)
write_oracle(cbind(pairs, low = limits[1, ], high = limits[2, ]), "newcombe.csv")
