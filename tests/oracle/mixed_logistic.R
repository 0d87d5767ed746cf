# Logistic mixed models with crossed random intercepts by lme4 (Laplace), of six simulated sets of answers (written
# beside, as mixed_logistic_data.csv): coefficients, their errors (from the
# penalised least squares, not from differences), variances, the likelihood ratio of each, the deviance. lme4's
# optimiser ends at about six digits.
source("lib/write.R")
suppressPackageStartupMessages(library(lme4))

set.seed(17)
sets <- do.call(rbind, lapply(1:6, function(set) {
  rows <- expand.grid(sample = 1:3, prompt = paste0("p", 1:5), item = paste0("i", 1:12))
  rows <- rows[runif(nrow(rows)) < 0.9, ]
  rows$x <- round(rnorm(nrow(rows)), 2)
  own <- rnorm(12, sd = c(0, 0.5, 1, 2)[1 + set %% 4])[as.integer(rows$item)]
  of <- rnorm(5, sd = c(0.7, 0)[1 + (set > 4)])[as.integer(rows$prompt)]
  cbind(set = set, rows, yes = as.integer(runif(nrow(rows)) < plogis(-0.5 + 0.6 * rows$x + own + of)))
}))
write_oracle(sets[c("set", "item", "prompt", "x", "yes")], "mixed_logistic_data.csv")
strict <- glmerControl(
  optimizer = "bobyqa", optCtrl = list(rhoend = 1e-10, maxfun = 1e6), tolPwrss = 1e-12, calc.derivs = FALSE,
  check.conv.singular = .makeCC("ignore", tol = 1e-4)
)
fit_of <- function(formula, data) {
  suppressWarnings(glmer(as.formula(formula), data, family = binomial, nAGQ = 1, control = strict))
}
one <- function(set, data, fixed, random) {
  formula <- function(names) paste("yes ~", fixed, "+", paste0("(1 | ", names, ")", collapse = " + "))
  fit <- fit_of(formula(random), data)
  variances <- as.data.frame(VarCorr(fit))
  variances <- setNames(variances$vcov, variances$grp)
  ratio <- sapply(random, function(name) {
    others <- setdiff(random, name)
    null <- if (length(others)) fit_of(formula(others), data) else glm(as.formula(paste("yes ~", fixed)), binomial, data)
    2 * as.numeric(logLik(fit) - logLik(null))
  })
  errors <- sqrt(diag(as.matrix(vcov(fit, use.hessian = FALSE))))
  rbind(
    data.frame(set, term = gsub("[()]", "", names(fixef(fit))), estimate = fixef(fit), std_error = errors, statistic = NA),
    data.frame(set, term = paste0("variance:", random), estimate = variances[random], std_error = NA, statistic = ratio),
    data.frame(set, term = "deviance", estimate = -2 * as.numeric(logLik(fit)), std_error = NA, statistic = NA)
  )
}
found <- lapply(1:6, function(set) one(set, sets[sets$set == set, ], "x", c("item", "prompt")))
write_oracle(do.call(rbind, found), "mixed_logistic.csv")
