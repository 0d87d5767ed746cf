# Firth's logistic regression: estimates and standard errors of brglm2 (Debian: r-cran-brglm2), where the adjustment
# type "AS_mixed" is Firth's for the logit link. Penalised profile limits and likelihood ratio tests by a climb of the
# penalised likelihood with a coefficient held, as in R's logistf. Also writes logistic_endometrial.csv, the data of
# Heinze & Schemper (2002) that come with brglm2, counted.
source("lib/write.R")
source("lib/logistic_data.R")

penalized <- function(x, s, f, beta) {
  eta <- drop(x %*% beta)
  w <- (s + f) * plogis(eta) * plogis(-eta)
  sum(s * plogis(eta, log.p = TRUE) + f * plogis(-eta, log.p = TRUE)) +
    determinant(crossprod(x, w * x))$modulus[[1]] / 2
}

# Modified scores on the free coefficients, halving steps that lose.
climb <- function(x, s, f, beta, free) {
  value <- penalized(x, s, f, beta)
  for (i in 1:20000) {
    eta <- drop(x %*% beta)
    p <- plogis(eta)
    w <- (s + f) * p * plogis(-eta)
    information <- crossprod(x, w * x)
    h <- w * rowSums((x %*% solve(information)) * x)
    u <- drop(crossprod(x, s * plogis(-eta) - f * p + h * (0.5 - p)))
    if (!length(free)) break
    step <- beta * 0
    step[free] <- solve(information[free, free], u[free])
    repeat {
      new <- penalized(x, s, f, beta + step)
      if (is.finite(new) && new >= value - 1e-12 || max(abs(step)) < 1e-12) break
      step <- step / 2
    }
    beta <- beta + step
    value <- new
    if (max(abs(x %*% step)) < 1e-13) break
  }
  list(beta = beta, value = value)
}

firth <- function(rows, dataset, predictors) {
  x <- model.matrix(reformulate(predictors), rows)
  s <- rows$successes
  f <- rows$failures
  fit <- suppressWarnings(glm(
    reformulate(predictors, "cbind(successes, failures)"), binomial, rows,
    method = brglm2::brglmFit, type = "AS_mixed", epsilon = 1e-13, maxit = 5000
  ))
  k <- ncol(x)
  full <- climb(x, s, f, coef(fit), seq_len(k))
  stopifnot(max(abs(full$beta - coef(fit))) < 1e-8 * max(1, abs(coef(fit))))
  error <- unname(sqrt(diag(vcov(fit))))
  # Both start where every weight is well above 0: at 0, and along the ridge of the likelihood.
  test <- function(held) max(0, 2 * (full$value - climb(x, s, f, full$beta * 0, setdiff(seq_len(k), held))$value))
  ridge <- vcov(fit)
  limit <- function(term, side) {
    drop_at <- function(value) {
      beta <- full$beta + (value - full$beta[term]) * ridge[, term] / ridge[term, term]
      beta[term] <- value
      2 * (full$value - climb(x, s, f, beta, setdiff(seq_len(k), term))$value) - qchisq(0.95, 1)
    }
    estimate <- full$beta[[term]]
    far <- 2
    while (drop_at(estimate + side * error[term] * far) < 0) far <- far + 0.5
    uniroot(drop_at, sort(estimate + side * error[term] * c(0, far)), tol = error[term] * 1e-12)$root
  }
  ratio <- vapply(seq_len(k), test, numeric(1))
  terms <- data.frame(
    dataset = dataset, term = sub("(Intercept)", "Intercept", colnames(x), fixed = TRUE), estimate = coef(fit),
    std_error = error, low = vapply(seq_len(k), limit, numeric(1), -1), high = vapply(seq_len(k), limit, numeric(1), 1),
    ratio = ratio, log_p = pchisq(ratio, 1, lower.tail = FALSE, log.p = TRUE)
  )
  ratio <- test(2:k)
  eta <- drop(x %*% full$beta)
  rbind(terms, data.frame(
    dataset = dataset, term = c("log_likelihood", "penalized_log_likelihood", "likelihood_ratio"),
    estimate = c(sum(s * plogis(eta, log.p = TRUE) + f * plogis(-eta, log.p = TRUE)), full$value, ratio),
    std_error = NA, low = NA, high = NA, ratio = c(NA, NA, ratio),
    log_p = c(NA, NA, pchisq(ratio, k - 1, lower.tail = FALSE, log.p = TRUE))
  ))
}

data(endometrial, package = "brglm2")
endometrial <- aggregate(
  cbind(successes = HG, failures = 1 - HG) ~ NV + PI + EH, endometrial, sum
)
write_oracle(endometrial, "logistic_endometrial.csv")

data <- rbind(logistic_data(), separated_data())
wanted <- c("complete", "quasi", "dummy", "constant", "snoring", "beetles", "clustered", "barely", "tiny")
small <- lapply(wanted, function(name) {
  rows <- data[data$dataset == name, ]
  firth(rows, name, c("x", if (!anyNA(rows$z)) "z"))
})
found <- c(list(firth(endometrial, "endometrial", c("NV", "PI", "EH"))), small)
write_oracle(do.call(rbind, found), "logistic_firth.csv")
