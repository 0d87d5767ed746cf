# Adjusted p-values within families: stats::p.adjust.
source("lib/write.R")
RNGkind("Mersenne-Twister", "Inversion", "Rejection")
set.seed(20250802)

families <- list(
  single = 0.03, missing = c(NA, NA), mixed = c(0.01, NA, 0.04, 0.03, 0.005, NA), tied = c(0.02, 0.02, 0.02, 0.5, 0.5),
  certain = c(0, 1, 1, 0, 0.2), tiny = c(1e-300, 1e-299, 5e-324, 1e-10, 0.9), uniform = runif(60),
  skewed = round(rbeta(200, 0.3, 2), 4), large = c(runif(250), 10^-runif(50, 2, 30))
)
rows <- do.call(rbind, lapply(names(families), function(family) {
  p <- families[[family]]
  data.frame(
    family, p, bonferroni = p.adjust(p, "bonferroni"), holm = p.adjust(p, "holm"), hochberg = p.adjust(p, "hochberg"),
    benjamini_hochberg = p.adjust(p, "BH"), benjamini_yekutieli = p.adjust(p, "BY")
  )
}))
# Families do not lie together in a frame of estimates.
write_oracle(rows[sample(nrow(rows)), ], "p_adjust.csv")
