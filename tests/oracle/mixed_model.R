# Linear mixed models with crossed random intercepts by lme4 (REML), of eight simulated sets of scores (written beside,
# as mixed_model_data.csv) and of the scores of regression_data.csv: coefficients, errors, variances, the likelihood
# ratio of each variance, computed by hand. lme4's optimiser ends at about seven digits.
source("lib/write.R")
suppressPackageStartupMessages(library(lme4))

set.seed(11)
sets <- do.call(rbind, lapply(1:8, function(set) {
  rows <- expand.grid(sample = 1:2, prompt = paste0("p", 1:4), item = paste0("i", 1:7))
  rows <- rows[runif(nrow(rows)) < 0.9, ]
  rows$x <- round(rnorm(nrow(rows)), 2)
  own <- rnorm(7, sd = c(0, 0.5, 1, 2)[1 + set %% 4])[as.integer(rows$item)]
  of <- rnorm(4, sd = c(0.7, 0)[1 + (set > 4)])[as.integer(rows$prompt)]
  cbind(set = set, rows, score = round(3 + 0.4 * rows$x + own + of + rnorm(nrow(rows)), 2))
}))
write_oracle(sets[c("set", "item", "prompt", "x", "score")], "mixed_model_data.csv")
strict <- lmerControl(
  optimizer = "bobyqa", optCtrl = list(rhoend = 1e-12, maxfun = 1e6), calc.derivs = FALSE,
  check.conv.singular = .makeCC("ignore", tol = 1e-4)
)
fit_of <- function(formula, data) suppressWarnings(lmer(as.formula(formula), data, REML = TRUE, control = strict))
one <- function(set, data, fixed, random) {
  formula <- function(names) paste("score ~", fixed, "+", paste0("(1 | ", names, ")", collapse = " + "))
  fit <- fit_of(formula(random), data)
  variances <- as.data.frame(VarCorr(fit))
  variances <- setNames(variances$vcov, variances$grp)
  ratio <- sapply(random, function(name) {
    others <- setdiff(random, name)
    null <- if (length(others)) logLik(fit_of(formula(others), data)) else logLik(lm(as.formula(paste("score ~", fixed)), data), REML = TRUE)
    2 * as.numeric(logLik(fit) - null)
  })
  names <- gsub("group([bc])", "group=\\1", gsub("[()]", "", names(fixef(fit))))
  rbind(
    data.frame(set, term = names, estimate = fixef(fit), std_error = sqrt(diag(as.matrix(vcov(fit)))), statistic = NA),
    data.frame(set, term = paste0("variance:", random), estimate = variances[random], std_error = NA, statistic = ratio),
    data.frame(set, term = "variance:residual", estimate = variances[["Residual"]], std_error = NA, statistic = NA)
  )
}
found <- lapply(1:8, function(set) one(set, sets[sets$set == set, ], "x", c("item", "prompt")))
own <- one(0, read.csv("regression_data.csv"), "group + age", "item")
write_oracle(do.call(rbind, c(found, list(own))), "mixed_model.csv")
