# Jackknife over clusters (CV3) of sums of statistics that share clusters: everything is computed again from the rows
# without one cluster, and differences are taken from the estimate of all rows. Means by lm, logits by glm, shares and
# ratios of shares by counting.
source("lib/write.R")
source("lib/logistic_data.R")

rows <- clustered()
rows$group <- ifelse(rows$z == 1, "b", "a")
one_each <- function(times, y) transform(rows[rep(seq_len(nrow(rows)), times), ], y = rep(y, sum(times)))
responses <- rbind(one_each(rows$successes, 1), one_each(rows$failures, 0))

of_group <- function(part, group) part[part$group == group, ]
share <- function(part) sum(part$y) / nrow(part)
slope <- function(part) {
  fit <- glm(y ~ x, binomial, part, control = glm.control(epsilon = 1e-15, maxit = 100))
  coef(glm(y ~ x, binomial, part, start = coef(fit), control = glm.control(epsilon = 1e-15, maxit = 100)))[["x"]]
}
statistics <- list(
  difference_of_shares = function(part) share(of_group(part, "b")) - share(of_group(part, "a")),
  weighted_shares = function(part) 0.25 * share(of_group(part, "a")) + 2 * share(of_group(part, "b")) - 1,
  difference_of_means = function(part) coef(lm(x ~ group, part))[["groupb"]],
  difference_of_slopes = function(part) slope(of_group(part, "b")) - slope(of_group(part, "a")),
  mean_of_shares = function(part) mean(c(share(of_group(part, "a")), share(of_group(part, "b"))))
)

jackknifed <- function(part, statistic, name, data) {
  whole <- statistics[[statistic]](part)
  items <- unique(part$item)
  each <- sapply(items, function(item) statistics[[statistic]](part[part$item != item, ]))
  clusters <- length(items)
  error <- sqrt((clusters - 1) / clusters * sum((each - whole)^2))
  reach <- qt(0.025, clusters - 1, lower.tail = FALSE) * error
  t <- (whole - 0.1) / error
  data.frame(
    data = name, statistic, estimate = whole, std_error = error, df = clusters - 1, ci_low = whole - reach,
    ci_high = whole + reach, t, p_value = 2 * pt(-abs(t), clusters - 1)
  )
}

# All items in both groups; and some of them in one group only.
apart <- responses[!(responses$item <= 3 & responses$group == "a") & !(responses$item >= 11 & responses$group == "b"), ]
found <- do.call(rbind, c(
  lapply(names(statistics), jackknifed, part = responses, name = "shared"),
  lapply(names(statistics), jackknifed, part = apart, name = "apart")
))
write_oracle(found, "jackknife.csv")
