# Cohen's kappa from the definitions of Fleiss, Cohen & Everitt (1969), as printed there; its value and standard error
# cross-checked with vcd::Kappa (r-cran-vcd) where installed.
source("lib/write.R")
source("lib/tables.R")

agreement <- function(table) {
  n <- sum(table)
  f <- table / n
  p <- rowSums(f)
  q <- colSums(f)
  po <- sum(diag(f))
  pe <- sum(p * q)
  kappa <- (po - pe) / (1 - pe)
  a <- sum(diag(f) * (1 - (p + q) * (1 - kappa))^2)
  off <- outer(q, p, "+")^2 * f
  b <- (1 - kappa)^2 * (sum(off) - sum(diag(off)))
  c <- (kappa - pe * (1 - kappa))^2
  se <- sqrt((a + b - c) / n) / (1 - pe)
  null <- sqrt((pe + pe^2 - sum(p * q * (p + q))) / n) / (1 - pe)
  if (n < 1e6 && requireNamespace("vcd", quietly = TRUE)) {
    other <- vcd::Kappa(table)$Unweighted
    stopifnot(all.equal(unname(other), c(kappa, se)))
  }
  z <- kappa / null
  data.frame(
    table = as_text(table), n = n, agreement = po, kappa = kappa, se = se, z = z, p = 2 * pnorm(-abs(z)),
    log_p = log(2) + pnorm(-abs(z), log.p = TRUE)
  )
}
tables <- list(
  by_row(2, 20, 5, 10, 15), by_row(2, 45, 15, 25, 15), by_row(2, 25, 35, 5, 35), by_row(3, 44, 5, 1, 7, 20, 3, 9, 5, 6),
  by_row(4, 22, 2, 2, 0, 5, 7, 14, 0, 0, 2, 36, 0, 0, 1, 17, 10), # Agresti (2013), table 11.8: carcinoma ratings
  by_row(2, 900, 1, 2, 3), by_row(2, 0, 9, 9, 0), by_row(2, 3, 0, 4, 2), by_row(3, 5, 0, 0, 0, 0, 2, 0, 3, 0),
  by_row(2, 4e8, 1e8, 2e8, 3e8), by_row(2, 70000, 30000, 20000, 80000), by_row(3, 1e8, 2, 3, 4, 2e8, 5, 6, 7, 3e8)
)
write_oracle(do.call(rbind, lapply(tables, agreement)), "agreement.csv")
