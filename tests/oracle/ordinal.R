# Proportional odds of the counts in regression_data.csv, taken for ratings, on a factor, a number and their product, by
# MASS::polr on single rows: coefficients and model errors, and errors by leaving out one item at a time. polr ends where
# optim does: about seven digits of the coefficients, five of the model's errors (its Hessian is numeric).
source("lib/write.R")
suppressPackageStartupMessages(library(MASS))

rows <- read.csv("regression_data.csv")
rows$rating <- factor(pmin(rows$number, 4), ordered = TRUE)
rows$age <- rows$age / 40
fit_of <- function(right, data) {
  data$rating <- droplevels(data$rating)
  polr(as.formula(paste("rating ~", right)), data, Hess = TRUE, control = list(reltol = 1e-16, maxit = 5000))
}
one <- function(right, model) {
  fit <- fit_of(right, rows)
  estimate <- coef(fit)
  items <- unique(rows$item)
  each <- sapply(items, function(item) coef(fit_of(right, rows[rows$item != item, ])))
  clustered <- sqrt((length(items) - 1) / length(items) * rowSums((each - estimate)^2))
  data.frame(
    model, term = gsub("group([bc])", "group=\\1", names(estimate)), estimate,
    std_error = sqrt(diag(vcov(fit)))[seq_along(estimate)], clustered_error = clustered
  )
}
write_oracle(rbind(one("group + age", "sum"), one("group * age", "product")), "ordinal.csv")
