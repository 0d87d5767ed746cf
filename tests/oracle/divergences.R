# Divergences by their formulas, of counts smoothed on a support: Kullback-Leibler, Jensen-Shannon, total variation and
# Hellinger.
source("lib/write.R")

smoothed <- function(counts, epsilon, smoothing) {
  shifted <- (if (smoothing == "counts") counts else counts / sum(counts)) + epsilon
  shifted / sum(shifted)
}
relative <- function(p, q) {
  some <- p > 0
  if (any(q[some] == 0)) NA else sum(p[some] * log(p[some] / q[some]))
}
measures <- function(p, q, epsilon, smoothing, support) {
  kept <- switch(support, declared = rep(TRUE, length(p)), union = p > 0 | q > 0, common = p > 0 & q > 0)
  if (!any(kept)) return(rep(NA_real_, 4))
  p <- smoothed(p[kept], epsilon, smoothing)
  q <- smoothed(q[kept], epsilon, smoothing)
  middle <- (p + q) / 2
  c(
    relative(p, q), (relative(p, middle) + relative(q, middle)) / 2, sum(abs(p - q)) / 2,
    sqrt(sum((sqrt(p) - sqrt(q))^2) / 2)
  )
}

tallies <- rbind(
  c(50, 0, 0, 0), c(0, 50, 0, 0), c(12, 13, 12, 13), c(1, 2, 3, 4), c(10, 20, 30, 40), c(499, 1, 0, 0), c(0, 0, 1, 499),
  c(1e9, 1, 0, 5e8), c(0, 3, 0, 1)
)
cells <- expand.grid(
  p = seq_len(nrow(tallies)), q = seq_len(nrow(tallies)), epsilon = c(0, 1e-12, 1e-3, 0.5),
  smoothing = c("counts", "proportions"), support = c("declared", "union", "common"), stringsAsFactors = FALSE
)
value <- t(mapply(
  function(p, q, ...) measures(tallies[p, ], tallies[q, ], ...),
  cells$p, cells$q, cells$epsilon, cells$smoothing, cells$support
))
colnames(value) <- c("kullback_leibler", "jensen_shannon", "total_variation", "hellinger")
settings <- cells[c("epsilon", "smoothing", "support")]
write_oracle(data.frame(p = tallies[cells$p, ], q = tallies[cells$q, ], settings, value), "divergences.csv")
