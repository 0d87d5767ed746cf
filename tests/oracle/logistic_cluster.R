# Cluster-robust standard errors of logistic coefficients: sandwich::vcovCL (Debian: r-cran-sandwich) on one row a
# response, and a test with it from lmtest::coeftest (Debian: r-cran-lmtest).
source("lib/write.R")
source("lib/logistic_data.R")

rows <- clustered()
one_each <- function(times, y) transform(rows[rep(seq_len(nrow(rows)), times), ], y = rep(y, sum(times)))
responses <- rbind(one_each(rows$successes, 1), one_each(rows$failures, 0))
fit <- NULL
for (again in 0:3) { # see logistic.R
  fit <- glm(y ~ x + z, binomial, responses, start = coef(fit), control = glm.control(epsilon = 1e-15, maxit = 100))
}

robust <- function(correction, ...) {
  covariance <- sandwich::vcovCL(fit, cluster = ~item, ...)
  tested <- lmtest::coeftest(fit, vcov. = covariance)
  data.frame(
    correction = correction, term = c("Intercept", "x", "z"), estimate = tested[, 1], std_error = tested[, 2],
    statistic = tested[, 3], p = tested[, 4], covariance_with_x = covariance[, "x"]
  )
}

write_oracle(rbind(
  robust("clusters-and-terms", type = "HC1"),
  robust("clusters", type = "HC0"),
  robust("none", type = "HC0", cadjust = FALSE)
), "logistic_cluster.csv")
