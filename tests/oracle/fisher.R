# Fisher's exact test: stats::fisher.test. Its odds ratio and interval stop at a relative 1e-4, so the equations that it
# solves (Fisher's noncentral hypergeometric distribution, by its support) are solved here to the last digits, and
# fisher.test's own numbers only have to be near. Sample odds ratio with Woolf's interval by its formula; cross-checked
# with epitools::oddsratio.wald (r-cran-epitools) where installed.
source("lib/write.R")

conditional <- function(k1, n1, k2, n2, confidence) {
  k <- k1 + k2
  support <- max(0, k - n2):min(n1, k)
  if (length(support) == 1) return(c(NA, -Inf, Inf))
  log_mass <- dhyper(support, n1, n2, k, log = TRUE)
  chances <- function(log_odds) {
    terms <- log_mass + log_odds * support
    exp(terms - max(terms)) / sum(exp(terms - max(terms)))
  }
  solve_for <- function(f) {
    # The odds ratio with half a success more everywhere is near the roots.
    start <- log((k1 + 0.5) * (n2 - k2 + 0.5) / ((k2 + 0.5) * (n1 - k1 + 0.5)))
    suppressWarnings(uniroot(f, start + c(-40, 40), tol = 1e-14, maxiter = 10000))$root # ends of -Inf
  }
  alpha <- (1 - confidence) / 2
  at_lowest <- k1 == min(support)
  at_highest <- k1 == max(support)
  c(
    if (at_lowest) -Inf else if (at_highest) Inf else solve_for(function(l) sum((support - k1) * chances(l))),
    if (at_lowest) -Inf else solve_for(function(l) log(sum(chances(l)[support >= k1])) - log(alpha)),
    if (at_highest) Inf else solve_for(function(l) log(alpha) - log(sum(chances(l)[support <= k1])))
  )
}

# The same tables as R's: at most as likely as the observed one, times 1 + 1e-7; the tails on the log scale.
log_p <- function(k1, n1, k2, n2) {
  support <- max(0, k1 + k2 - n2):min(n1, k1 + k2)
  log_mass <- dhyper(support, n1, n2, k1 + k2, log = TRUE)
  rare <- log_mass[log_mass <= log_mass[support == k1] + log1p(1e-7)]
  min(0, max(rare) + log(sum(exp(rare - max(rare)))))
}

set.seed(1935)
random <- do.call(rbind, lapply(c(4, 12, 60, 400, 5000), function(size) {
  n <- matrix(sample(size, 24, TRUE), ncol = 2)
  shift <- runif(12)
  cbind(rbinom(12, n[, 1], shift), n[, 1], rbinom(12, n[, 2], pmin(1, pmax(0, shift + rnorm(12, 0, 0.2)))), n[, 2])
}))
fixed <- rbind(
  c(3, 4, 1, 4), c(1, 12, 10, 12), # R's examples: the lady tasting tea, convictions of twins
  c(189, 11034, 104, 11037), c(0, 5, 0, 7), c(5, 5, 7, 7), c(0, 5, 7, 7), c(5, 5, 0, 7), c(0, 1, 1, 1), c(1, 1, 1, 1),
  c(0, 40, 5, 40), c(40, 40, 35, 40), c(1, 100000, 9, 100000), c(30000, 100000, 31000, 100000),
  c(900, 1000, 100, 1000), c(50, 100, 51, 100), c(3000, 5000, 1000, 5000), c(10, 20, 1000, 2000), c(1, 2, 50000, 100000),
  c(40000, 50000, 10000, 50000)
)
cells <- unique(as.data.frame(rbind(fixed, random)))
names(cells) <- c("k1", "n1", "k2", "n2")
cells$confidence <- rep(c(0.95, 0.9, 0.999), length.out = nrow(cells))

rows <- do.call(rbind, lapply(seq_len(nrow(cells)), function(row) with(cells[row, ], {
  table <- matrix(c(k1, n1 - k1, k2, n2 - k2), 2)
  test <- fisher.test(table, conf.level = confidence)
  odds <- conditional(k1, n1, k2, n2, confidence)
  if (!is.na(odds[1])) {
    near <- c(test$estimate, test$conf.int)
    finite <- is.finite(log(near)) & near < 1e4 & near > 1e-4
    stopifnot(all.equal(unname(near[finite]), exp(odds[finite]), tolerance = 0.02))
  }
  z <- qnorm((1 + confidence) / 2)
  log_or <- log(table[1, 1]) + log(table[2, 2]) - log(table[1, 2]) - log(table[2, 1])
  se <- sqrt(sum(1 / table))
  if (is.finite(se) && requireNamespace("epitools", quietly = TRUE)) {
    wald <- suppressWarnings(epitools::oddsratio.wald(t(table)[2:1, 2:1], conf.level = confidence))$measure[2, ]
    stopifnot(all.equal(unname(wald), exp(log_or + c(0, -1, 1) * z * se)))
  }
  data.frame(
    k1, n1, k2, n2, confidence, p = test$p.value, log_p = log_p(k1, n1, k2, n2), log_odds = odds[1],
    log_odds_low = odds[2], log_odds_high = odds[3], sample_log_odds = if (is.finite(log_or)) log_or else NA,
    se = if (is.finite(se)) se else NA, low = if (is.finite(se)) exp(log_or - z * se) else NA,
    high = if (is.finite(se)) exp(log_or + z * se) else NA, h = 2 * asin(sqrt(k1 / n1)) - 2 * asin(sqrt(k2 / n2))
  )
})))
write_oracle(rows, "fisher.csv")
