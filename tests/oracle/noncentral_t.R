# Probabilities of the noncentral t distribution and the noncentralities that give them.
source("lib/write.R")
source("lib/noncentral_t.R")

cells <- rbind(
  expand.grid(
    t = c(-3, 0, 0.5, 2, 8, 25), df = c(1, 2, 5, 24, 49.5, 475, 33599), q = c(0.9995, 0.975, 0.95, 0.05, 0.025, 5e-4)
  ),
  expand.grid(t = c(76.39342008909948, -120, 500), df = c(49, 475, 33599, 1e6, 1e9), q = c(0.975, 0.025)),
  data.frame(t = c(3e4, -3e4), df = 1e9, q = c(0.975, 0.025))
)
cells$noncentrality <- with(cells, mapply(noncentrality, q, t, df))

# R's own function agrees where it can be used.
known <- subset(cells, abs(noncentrality) < 35 & df < 1e5)
own <- suppressWarnings(with(known, pt(t, df, noncentrality)))
stopifnot(nrow(known) > 150, max(abs(own - known$q)) < 1e-9)
write_oracle(cells, "noncentral_t.csv")

# Hedges' factor, from the beta function: differences of lgamma() would lose digits.
factors <- data.frame(df = c(1.5, 2, 3, 4, 9, 10.25, 49, 98, 475, 1e4, 33599, 1e6, 1e9))
factors$factor <- with(factors, exp(log(pi) / 2 - lbeta((df - 1) / 2, 0.5) - log(df / 2) / 2))
write_oracle(factors, "hedges_factor.csv")
