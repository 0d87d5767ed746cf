# Deviates from a linear congruential generator: the same on every machine and in every version of R.
uniform <- function(n, seed) {
  state <- seed
  vapply(seq_len(n), function(i) {
    state <<- (16807 * state) %% 2147483647
    state / 2147483647
  }, numeric(1))
}
