# Logistic regression of grouped counts: base R's glm, with tests on a logarithmic scale and profile intervals found by
# uniroot. Also writes logistic_data.csv, the data of all logistic oracles.
source("lib/write.R")
source("lib/logistic_data.R")

control <- glm.control(epsilon = 1e-15, maxit = 200)

log_likelihood <- function(rows, eta) {
  sum(rows$successes * plogis(eta, log.p = TRUE) + rows$failures * plogis(-eta, log.p = TRUE))
}

# glm stops when the deviance stands still, half the digits early, and its standard errors are those of the step
# before: started again from where it stopped, it takes at least one more step.
fit_rows <- function(rows, formula) {
  fit <- NULL
  for (again in 0:3) {
    fit <- suppressWarnings(glm(formula, binomial, rows, start = coef(fit), control = control))
  }
  fit
}

# Twice the gain in log-likelihood from one linear predictor to another, row by row: two likelihoods of a million
# responses have too few digits in common.
twice_gain <- function(rows, before, after) {
  softplus_change <- function(a, b) ifelse(abs(b - a) < 1, log1p(plogis(a) * expm1(b - a)), log1pexp(b) - log1pexp(a))
  -2 * sum(rows$successes * softplus_change(-before, -after) + rows$failures * softplus_change(before, after))
}
log1pexp <- function(x) pmax(x, 0) + log1p(exp(-abs(x)))

# Where twice the drop of the profile likelihood reaches the chi-square quantile.
profile_limit <- function(rows, x, full, term, side) {
  eta_full <- drop(x %*% coef(full))
  drop_at <- function(value) {
    held <- NULL
    for (again in 0:1) {
      held <- suppressWarnings(glm.fit(
        x[, -term, drop = FALSE], cbind(rows$successes, rows$failures), offset = x[, term] * value,
        family = binomial(), control = control, intercept = FALSE, start = coef(held)
      ))
    }
    twice_gain(rows, held$linear.predictors, eta_full) - qchisq(0.95, 1)
  }
  estimate <- coef(full)[[term]]
  error <- sqrt(vcov(full)[term, term])
  far <- 2
  while (drop_at(estimate + side * error * far) < 0) far <- far + 0.5
  uniroot(drop_at, sort(estimate + side * error * c(0, far)), tol = error * 1e-13)$root
}

regression <- function(rows) {
  predictors <- c("x", if (!anyNA(rows$z)) "z")
  full <- fit_rows(rows, reformulate(predictors, "cbind(successes, failures)"))
  null <- fit_rows(rows, cbind(successes, failures) ~ 1)
  x <- model.matrix(full)
  estimate <- coef(full)
  error <- sqrt(diag(vcov(full)))
  n <- sum(rows$successes + rows$failures)
  l <- log_likelihood(rows, full$linear.predictors)
  l_null <- log_likelihood(rows, null$linear.predictors)
  ratio <- twice_gain(rows, null$linear.predictors, full$linear.predictors)
  stopifnot(all.equal(ratio, null$deviance - full$deviance, tolerance = 1e-6))
  k <- length(estimate)
  terms <- data.frame(
    dataset = rows$dataset[1], term = sub("(Intercept)", "Intercept", names(estimate), fixed = TRUE), n = n,
    estimate = estimate, std_error = error, low = estimate - qnorm(0.975) * error,
    high = estimate + qnorm(0.975) * error, statistic = estimate / error,
    log_p = log(2) + pnorm(-abs(estimate / error), log.p = TRUE),
    profile_low = NA, profile_high = NA
  )
  if (n < 1e8) {
    for (term in seq_len(k)) {
      terms$profile_low[term] <- profile_limit(rows, x, full, term, -1)
      terms$profile_high[term] <- profile_limit(rows, x, full, term, 1)
    }
  }
  model <- c(
    log_likelihood = l, log_likelihood_null = l_null, pseudo_r_squared = ratio / (-2 * l_null), aic = 2 * k - 2 * l,
    bic = k * log(n) - 2 * l, likelihood_ratio = ratio
  )
  whole <- data.frame(
    dataset = rows$dataset[1], term = names(model), n = n, estimate = model, std_error = NA, low = NA, high = NA,
    statistic = c(rep(NA, 5), ratio), log_p = c(rep(NA, 5), pchisq(ratio, k - 1, lower.tail = FALSE, log.p = TRUE)),
    profile_low = NA, profile_high = NA
  )
  rbind(terms, whole)
}

data <- logistic_data()
found <- lapply(split(data, factor(data$dataset, unique(data$dataset))), regression)
write_oracle(do.call(rbind, found), "logistic.csv")
write_oracle(rbind(data, separated_data()), "logistic_data.csv")
