# Student's, Welch's, one-sample and paired t tests and two one-sided tests: stats::t.test on scores written out row by
# row; t_test_counts.csv holds the same scores as counts.
source("lib/write.R")
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
set.seed(20250801)

# Two groups of scores a cell, pairs where they are equally long.
likert <- function(n, chances) sample(1:5, n, replace = TRUE, prob = chances)
cells <- list(
  # Student (1908): hours of sleep gained by ten patients on two drugs.
  sleep = list(first = with(sleep, extra[group == 1]), second = with(sleep, extra[group == 2])),
  # Michelson (1882), in 1000 km/s; NIST calls it Michelso.
  michelson = list(first = (299000 + morley$Speed[1:60]) / 1000, second = (299000 + morley$Speed[61:100]) / 1000),
  likert = list(first = likert(400, c(1, 2, 4, 2, 1)), second = likert(400, c(2, 2, 4, 1, 1))),
  strong = list(first = likert(2000, c(0, 0, 1, 9, 90)), second = likert(1500, c(60, 30, 8, 2, 0))),
  binary = list(first = rep(0:1, c(417, 583)), second = rep(0:1, c(500, 400))),
  unequal = list(first = c(0.25, 0.5, 0.5, 0.75), second = round(rnorm(57, 3, 40), 1)),
  offset = list(first = 1e9 + c(1, 1, 2, 2, 2, 5), second = 1e9 + c(0, 0, 1, 3, 3, 3)),
  two = list(first = c(1, 2), second = c(4, 4.5)),
  # One constant group: Welch's test has the other one's degrees of freedom.
  constant = list(first = c(2, 2, 2, 2), second = c(1, 2, 3, 2.5, 2.5)),
  lone = list(first = c(5, 5, 6, 7, 9), second = c(1, 3)),
  # K ones among N, as in a table of decisions; so strong that p is no float.
  decisive = list(first = rep(0:1, c(120, 3480)), second = rep(0:1, c(3000, 100)))
)

counts <- do.call(rbind, lapply(names(cells), function(cell) {
  do.call(rbind, lapply(c("first", "second"), function(group) {
    tally <- table(cells[[cell]][[group]])
    data.frame(cell = cell, group = group, value = as.numeric(names(tally)), count = as.integer(tally))
  }))
}))
# table() prints values with 15 digits; the tests must read back the same numbers.
stopifnot(all(sapply(names(cells), function(cell) {
  rows <- counts[counts$cell == cell & counts$group == "first", ]
  identical(as.numeric(sort(cells[[cell]]$first)), rep(rows$value, rows$count))
})))
write_oracle(counts, "t_test_counts.csv")

pairs <- do.call(rbind, lapply(names(cells), function(cell) {
  rows <- cells[[cell]]
  if (length(rows$first) != length(rows$second)) return(NULL)
  together <- aggregate(count ~ first + second, data.frame(rows, count = 1), sum)
  data.frame(cell = cell, together)
}))
write_oracle(pairs, "t_test_pairs.csv")

# t.test refuses what it takes for constant and prints no p below 1e-308: the tail comes from pt.
test <- function(cell, design, alternative, confidence, mu) {
  rows <- cells[[cell]]
  arguments <- list(alternative = sub("-", ".", alternative), mu = mu, conf.level = confidence, x = rows$first)
  if (design != "one-sample") arguments$y <- rows$second
  arguments$paired <- design == "paired"
  arguments$var.equal <- design == "two-sample"
  result <- do.call(t.test, arguments)
  t <- unname(result$statistic)
  df <- unname(result$parameter)
  log_p <- switch(alternative,
    "two-sided" = log(2) + pt(abs(t), df, lower.tail = FALSE, log.p = TRUE),
    greater = pt(t, df, lower.tail = FALSE, log.p = TRUE),
    less = pt(t, df, log.p = TRUE)
  )
  stopifnot(abs(exp(log_p) - result$p.value) < 1e-12)
  limits <- ifelse(is.finite(result$conf.int), result$conf.int, NA)
  data.frame(
    cell, design, alternative, confidence, mu, t, df, p = result$p.value, log_p, low = limits[1], high = limits[2],
    std_error = result$stderr
  )
}

is_possible <- function(designs) {
  with(designs, (design != "paired" | cell %in% pairs$cell) & (design != "one-sample" | cell != "constant"))
}
designs <- expand.grid(
  cell = names(cells), design = c("one-sample", "two-sample", "welch", "paired"),
  alternative = c("two-sided", "greater", "less"), confidence = c(0.9, 0.95, 0.999), mu = c(0, 0.5),
  stringsAsFactors = FALSE
)
designs <- designs[is_possible(designs), ]
write_oracle(do.call(rbind, do.call(Map, c(test, unname(as.list(designs))))), "t_tests.csv")

# Two one-sided tests: the mean difference against both bounds.
equivalence <- expand.grid(
  cell = names(cells), design = c("one-sample", "two-sample", "welch", "paired"), half = c(0.2, 3),
  stringsAsFactors = FALSE
)
equivalence <- equivalence[is_possible(equivalence), ]
equivalence$log_p <- with(equivalence, mapply(function(cell, design, half) {
  max(test(cell, design, "greater", 0.95, -half)$log_p, test(cell, design, "less", 0.95, half)$log_p)
}, cell, design, half))
write_oracle(equivalence, "equivalence.csv")
