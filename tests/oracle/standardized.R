# Cohen's d and Hedges' g with noncentral t intervals, of the scores that t_tests.R wrote.
source("lib/write.R")
source("lib/noncentral_t.R")

counts <- read.csv("t_test_counts.csv", colClasses = c(value = "numeric"))
pairs <- read.csv("t_test_pairs.csv")
scores <- function(cell, group) with(counts[counts$cell == cell & counts$group == group, ], rep(value, count))
hedges_factor <- function(df) exp(log(pi) / 2 - lbeta((df - 1) / 2, 0.5) - log(df / 2) / 2)

size <- function(cell, design, confidence) {
  x <- scores(cell, "first")
  y <- scores(cell, "second")
  if (design == "paired") x <- with(pairs[pairs$cell == cell, ], rep(first - second, count))
  difference <- mean(x) - if (design %in% c("two-sample", "welch")) mean(y) else 0
  v <- c(var(x), var(y))
  n <- c(length(x), length(y))
  if (design == "two-sample") {
    df <- sum(n) - 2
    spread <- sqrt(sum((n - 1) * v) / df)
    effective_n <- prod(n) / sum(n)
  } else if (design == "welch") {
    # Delacre et al. (2021)
    df <- sum(v)^2 / sum(v^2 / (n - 1))
    spread <- sqrt(mean(v))
    effective_n <- prod(n) * sum(v) / (2 * sum(rev(n) * v))
  } else {
    df <- length(x) - 1
    spread <- sd(x)
    effective_n <- length(x)
  }
  d <- difference / spread
  t <- d * sqrt(effective_n)
  tail <- (1 - confidence) / 2
  limits <- c(noncentrality(1 - tail, t, df), noncentrality(tail, t, df)) / sqrt(effective_n)
  j <- hedges_factor(df)
  data.frame(
    cell, design, confidence, df, d, low = limits[1], high = limits[2], g = j * d, g_low = j * limits[1],
    g_high = j * limits[2]
  )
}

cells <- expand.grid(
  cell = unique(counts$cell), design = c("one-sample", "two-sample", "welch", "paired"), confidence = c(0.95, 0.8),
  stringsAsFactors = FALSE
)
cells <- subset(cells, (design != "paired" | cell %in% pairs$cell) & (design != "one-sample" | cell != "constant"))
# g has no factor with a single degree of freedom.
cells <- subset(cells, !(cell == "two" & design %in% c("one-sample", "paired")))
sizes <- do.call(rbind, do.call(Map, c(size, unname(as.list(cells)))))
write_oracle(sizes, "standardized.csv")

# The package effectsize (Debian: r-cran-effectsize), where it is installed: its limits come from optim().
if (requireNamespace("effectsize", quietly = TRUE)) {
  for (cell in c("sleep", "michelson", "likert", "binary")) {
    ours <- sizes[sizes$cell == cell & sizes$design == "two-sample" & sizes$confidence == 0.95, ]
    theirs <- suppressWarnings(effectsize::cohens_d(scores(cell, "first"), scores(cell, "second")))
    g <- suppressWarnings(effectsize::hedges_g(scores(cell, "first"), scores(cell, "second")))
    stopifnot(
      all.equal(theirs$Cohens_d, ours$d, tolerance = 1e-10), all.equal(g$Hedges_g, ours$g, tolerance = 1e-10),
      abs(theirs$CI_low - ours$low) < 1e-3, abs(theirs$CI_high - ours$high) < 1e-3
    )
  }
}
