# Linear, logistic and (quasi-)Poisson regressions on a factor, a number and their product, by lm and glm on single rows:
# coefficients and their Wald tests, tests of the factor, average changes of the mean by prediction, and all errors again by
# leaving out one item at a time; those of coefficients also by sandwich::vcovCL (factor G/(G-1)). The data are in regression_data.csv.
source("lib/write.R")
source("lib/deviates.R")
suppressMessages(library(sandwich))

size <- 240
rows <- data.frame(item = rep(1:12, each = 20), group = rep(c("b", "a", "c", "a"), 60))
effect <- qnorm(uniform(12, 7))[rows$item]
rows$age <- round(20 + 40 * uniform(size, 11))
line <- -0.6 + 0.5 * effect + 0.4 * (rows$group == "b") - 0.3 * (rows$group == "c") + 0.01 * rows$age
rows$score <- round(10 + 2 * line + 2 * qnorm(uniform(size, 13)), 1)
rows$yes <- as.numeric(uniform(size, 17) < plogis(line))
rows$number <- abs(qpois(uniform(size, 19), exp(0.4 + 0.5 * line)))
write_oracle(rows, "regression_data.csv")

control <- glm.control(epsilon = 1e-15, maxit = 100)
fit_of <- function(family, right, data) {
  left <- c(linear = "score", logistic = "yes", poisson = "number", `quasi-poisson` = "number")[[family]]
  kind <- list(linear = gaussian(), logistic = binomial(), poisson = poisson(), `quasi-poisson` = quasipoisson())[[family]]
  glm(as.formula(paste(left, "~", right)), kind, data, control = control)
}
margins <- function(fit, data) {
  response <- function(changed) predict(fit, changed, type = "response")
  at <- function(level) {
    data$group <- level
    mean(response(data))
  }
  h <- 1e-3
  # Richardson's extrapolation of central differences: the error is of the order of h^4.
  central <- function(h) (response(transform(data, age = age + h)) - response(transform(data, age = age - h))) / (2 * h)
  c(at("b") - at("a"), at("c") - at("a"), mean((4 * central(h / 2) - central(h)) / 3))
}
names_of <- c("margin:group=b", "margin:group=c", "margin:age")
every <- function(fit, data) c(coef(fit), margins(fit, data))
wald <- function(beta, covariance) sum(beta * solve(covariance, beta))

one <- function(family, right, model) {
  fit <- fit_of(family, right, rows)
  estimate <- every(fit, rows)
  number <- length(coef(fit))
  scaled <- family %in% c("linear", "quasi-poisson")
  df <- if (scaled) fit$df.residual else Inf
  error <- c(sqrt(diag(vcov(fit))), rep(NA, 3))
  items <- unique(rows$item)
  each <- sapply(items, function(item) {
    part <- rows[rows$item != item, ]
    every(fit_of(family, right, part), part)
  })
  off <- each - estimate
  jackknife <- (length(items) - 1) / length(items) * off %*% t(off)
  clustered <- sqrt(diag(jackknife))
  crossed <- vcovCL(fit, cluster = rows$item, type = "HC0")
  term <- c(sub("\\(Intercept\\)", "Intercept", gsub("group([bc])", "group=\\1", names(coef(fit)))), names_of)
  found <- data.frame(
    family, model, term, estimate, std_error = error, p_value = 2 * pt(-abs(estimate / error), df),
    clustered_error = clustered, clustered_p = 2 * pt(-abs(estimate / clustered), length(items) - 1),
    sandwich_error = c(sqrt(diag(crossed)), rep(NA, 3))
  )
  test <- function(name, which) {
    own <- wald(coef(fit)[which], vcov(fit)[which, which])
    q <- length(which) # Hotelling's test
    f <- wald(coef(fit)[which], jackknife[which, which]) * (length(items) - q) / (q * (length(items) - 1))
    p <- if (scaled) pf(own / length(which), length(which), df, lower.tail = FALSE)
    else pchisq(own, length(which), lower.tail = FALSE)
    data.frame(
      family, model, term = name, estimate = if (scaled) own / length(which) else own, std_error = NA, p_value = p,
      clustered_error = f, clustered_p = pf(f, q, length(items) - q, lower.tail = FALSE),
      sandwich_error = wald(coef(fit)[which], crossed[which, which]) / length(which)
    )
  }
  tests <- test("wald:group", grep("^group[bc]$", names(coef(fit))))
  if (model == "product") tests <- rbind(tests, test("wald:group:age", grep(":", names(coef(fit)))))
  rbind(found, tests)
}
found <- NULL
for (family in c("linear", "logistic", "poisson", "quasi-poisson")) {
  found <- rbind(found, one(family, "group + age", "sum"), one(family, "group * age", "product"))
}
write_oracle(found, "regression.csv")
