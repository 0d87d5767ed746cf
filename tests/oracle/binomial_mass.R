# Log probabilities of binomial outcomes: stats::dbinom.
source("lib/write.R")
source("lib/grid.R")

cells <- binomial_grid()
cells$log_mass <- with(cells, dbinom(successes, trials, probability, log = TRUE))
write_oracle(cells, "binomial_mass.csv")
