# Exact two-sided p-values of rank correlations without ties: stats::cor.test(exact = TRUE), of Kendall's tau for a
# negative S, whose tail R does not take from 1, and of Spearman's rho up to n = 9, where R counts the permutations.
source("lib/write.R")

set.seed(20240804)
as_text <- function(ranks) paste(ranks, collapse = " ")
order_of <- function(n, disorder) rank(-seq_len(n) + disorder * n * runif(n))
sizes <- c(2:12, 17, 25, 33, 40, 49)
rows <- do.call(rbind, lapply(sizes, function(n) {
  do.call(rbind, lapply(c(0, 0.05, 0.3, 0.6, 1, 3), function(disorder) {
    ranks <- order_of(n, disorder)
    kendall <- cor.test(seq_len(n), ranks, method = "kendall", exact = TRUE)
    if (kendall$estimate > 0) {
      ranks <- rev(ranks)
      kendall <- cor.test(seq_len(n), ranks, method = "kendall", exact = TRUE)
    }
    spearman <- cor.test(seq_len(n), ranks, method = "spearman", exact = TRUE)
    data.frame(
      ranks = as_text(ranks), tau = unname(kendall$estimate), p_tau = kendall$p.value,
      rho = unname(spearman$estimate), p_rho = if (n <= 9) spearman$p.value else NA
    )
  }))
}))
write_oracle(unique(rows), "kendall_exact.csv")
