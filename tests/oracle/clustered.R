# Cluster-robust standard errors of a mean and of a share: sandwich::vcovCL (Debian: r-cran-sandwich) on one row a
# response, with Student's distribution and one degree of freedom less than there are clusters. CV3 of the mean is
# (G - 1) / G times clubSandwich's CR3 (r-cran-clubsandwich), of the share it is counted without each cluster.
source("lib/write.R")
source("lib/logistic_data.R")

rows <- clustered()
rows$group <- ifelse(rows$z == 1, "b", "a")
one_each <- function(times, y) transform(rows[rep(seq_len(nrow(rows)), times), ], y = rep(y, sum(times)))
responses <- rbind(one_each(rows$successes, 1), one_each(rows$failures, 0))

mean_of <- function(part, group, kind = "mean") {
  fit <- lm(x ~ 1, part)
  df <- length(unique(part$item)) - 1
  error <- sqrt(if (kind == "mean") {
    sandwich::vcovCL(fit, cluster = ~item, type = "HC0")[1, 1]
  } else {
    df / (df + 1) * clubSandwich::vcovCR(fit, cluster = part$item, type = "CR3")[1, 1]
  })
  statistic <- (coef(fit) - 0.25) / error
  reach <- qt(0.025, df, lower.tail = FALSE) * error
  data.frame(
    kind = kind, group = group, estimate = coef(fit), std_error = error, df = df, ci_low = coef(fit) - reach,
    ci_high = coef(fit) + reach, statistic = statistic, p_value = 2 * pt(-abs(statistic), df)
  )
}

share_of <- function(part, group) {
  fit <- glm(y ~ 1, binomial, part, control = glm.control(epsilon = 1e-15, maxit = 100))
  fit <- glm(y ~ 1, binomial, part, start = coef(fit), control = glm.control(epsilon = 1e-15, maxit = 100))
  error <- sqrt(sandwich::vcovCL(fit, cluster = ~item, type = "HC0")[1, 1])
  df <- length(unique(part$item)) - 1
  share <- mean(part$y)
  reach <- qt(0.025, df, lower.tail = FALSE) * error
  data.frame(
    kind = "share", group = group, estimate = share, std_error = share * (1 - share) * error, df = df,
    ci_low = plogis(coef(fit) - reach), ci_high = plogis(coef(fit) + reach), statistic = NA, p_value = NA
  )
}

share_without_each <- function(part, group) {
  logit <- function(rows) qlogis(mean(rows$y))
  items <- unique(part$item)
  each <- sapply(items, function(item) logit(part[part$item != item, ]))
  shares <- plogis(each)
  df <- length(items) - 1
  reach <- qt(0.025, df, lower.tail = FALSE) * sqrt(df / (df + 1) * sum((each - logit(part))^2))
  data.frame(
    kind = "share CV3", group = group, estimate = mean(part$y),
    std_error = sqrt(df / (df + 1) * sum((shares - mean(part$y))^2)), df = df,
    ci_low = plogis(logit(part) - reach), ci_high = plogis(logit(part) + reach), statistic = NA, p_value = NA
  )
}

parts <- c(list(all = responses), split(responses, responses$group))
write_oracle(do.call(rbind, c(
  Map(mean_of, parts, names(parts)), Map(share_of, parts, names(parts)),
  Map(mean_of, parts, names(parts), "mean CV3"), Map(share_without_each, parts, names(parts))
)), "clustered.csv")
