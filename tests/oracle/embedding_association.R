# Word embedding association tests from their definitions: cosines, associations, effect sizes, every regrouping, and
# the same without the first two principal components (prcomp). Also writes embedding_vectors.csv and
# embedding_scores.csv, the vectors and associations of all words.
source("lib/write.R")
source("lib/deviates.R")

dimensions <- 5
sets <- list(
  `3 words` = c(x = 3, y = 3, a = 4, b = 4), unequal = c(x = 2, y = 4, a = 3, b = 5),
  single = c(x = 1, y = 1, a = 4, b = 4), `6 words` = c(x = 6, y = 6, a = 6, b = 5), ties = c(x = 3, y = 3, a = 2, b = 2)
)

drawn <- function(name, seed) {
  size <- sets[[name]]
  member <- rep(names(size), size)
  values <- matrix(uniform(sum(size) * dimensions, seed) * 2 - 0.8, sum(size), dimensions)
  values[member == "x", 1] <- values[member == "x", 1] + 0.6
  values[member == "a", 1] <- values[member == "a", 1] + 0.8
  if (name == "ties") values[member == "y", ] <- values[member == "x", ][c(1, 2, 2), ]
  data.frame(test = name, member, word = ave(seq_along(member), member, FUN = seq_along), round(values * 64) / 64)
}

without_components <- function(values, k) {
  components <- prcomp(values)
  top <- components$rotation[, seq_len(k), drop = FALSE]
  centre <- matrix(components$center, nrow(values), ncol(values), byrow = TRUE)
  values - (values - centre) %*% top %*% t(top)
}

associations <- function(vectors, removed) {
  values <- as.matrix(vectors[, -(1:3)])
  if (removed > 0) values <- without_components(values, removed)
  values <- values / sqrt(rowSums(values^2))
  target <- vectors$member %in% c("x", "y")
  cosine <- function(set) values[target, , drop = FALSE] %*% t(values[vectors$member == set, , drop = FALSE])
  data.frame(
    vectors[target, 1:3], removed = removed, association = rowMeans(cosine("a")) - rowMeans(cosine("b")),
    row.names = NULL
  )
}

tested <- function(scores) {
  x <- scores$association[scores$member == "x"]
  y <- scores$association[scores$member == "y"]
  both <- c(x, y)
  n <- length(both)
  sums <- combn(n, length(x), function(members) sum(both[members]))
  slack <- 1e-12 * sum(abs(both))
  difference <- mean(x) - mean(y)
  data.frame(
    test = scores$test[1], removed = scores$removed[1], n = n, statistic = sum(x) - sum(y),
    sample = difference / sd(both), population = difference / (sd(both) * sqrt((n - 1) / n) + 0.001),
    reach = mean(sums >= sum(x) - slack), exceed = mean(sums > sum(x) + slack)
  )
}

vectors <- do.call(rbind, Map(drawn, names(sets), seq_along(sets) * 101))
scores <- lapply(split(vectors, factor(vectors$test, names(sets))), function(test) {
  list(associations(test, 0), associations(test, 2))
})
scores <- unlist(scores, recursive = FALSE)
write_oracle(vectors, "embedding_vectors.csv")
write_oracle(do.call(rbind, scores), "embedding_scores.csv")
write_oracle(do.call(rbind, lapply(scores, tested)), "embedding_association.csv")
