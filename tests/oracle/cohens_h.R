# Cohen's h by its formula (Cohen 1988, chapter 6).
source("lib/write.R")

grid <- c(0, 1e-12, 0.001, 0.07, 0.25, 0.33, 1 / 3, 0.39, 0.5, 0.62, 2 / 3, 0.9, 0.999, 1)
cells <- expand.grid(proportion = grid, reference = grid)
cells$h <- with(cells, 2 * asin(sqrt(proportion)) - 2 * asin(sqrt(reference)))
write_oracle(cells, "cohens_h.csv")
