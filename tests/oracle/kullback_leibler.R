# Kullback-Leibler divergences by their formula, sum P log(P / Q), of counts smoothed before or after normalisation.
source("lib/write.R")

smoothed <- function(counts, epsilon, smoothing) {
  shifted <- (if (smoothing == "counts") counts else counts / sum(counts)) + epsilon
  shifted / sum(shifted)
}
divergence <- function(p, q, epsilon, smoothing, base) {
  p <- smoothed(p, epsilon, smoothing)
  q <- smoothed(q, epsilon, smoothing)
  some <- p > 0
  if (any(q[some] == 0)) NA else sum(p[some] * log(p[some] / q[some])) / log(base)
}

tallies <- rbind(
  c(50, 0, 0, 0), c(0, 50, 0, 0), c(12, 13, 12, 13), c(1, 2, 3, 4), c(10, 20, 30, 40), c(499, 1, 0, 0), c(0, 0, 1, 499),
  c(1e9, 1, 0, 5e8)
)
cells <- expand.grid(
  p = seq_len(nrow(tallies)), q = seq_len(nrow(tallies)), epsilon = c(0, 1e-250, 1e-12, 1e-3, 0.5),
  smoothing = c("counts", "proportions"), base = c(exp(1), 2), stringsAsFactors = FALSE
)
value <- mapply(
  function(p, q, ...) divergence(tallies[p, ], tallies[q, ], ...),
  cells$p, cells$q, cells$epsilon, cells$smoothing, cells$base
)
settings <- cells[c("epsilon", "smoothing", "base")]
rows <- data.frame(p = tallies[cells$p, ], q = tallies[cells$q, ], settings, divergence = value)
write_oracle(rows, "kullback_leibler.csv")
