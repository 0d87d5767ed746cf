# Contingency tables as text: rows separated by "/", counts by blanks.

as_text <- function(table) paste(apply(table, 1, function(row) paste(sprintf("%.0f", row), collapse = " ")), collapse = "/")

# One observation a row: its row and its column in the table.
observations <- function(table) {
  cells <- which(table > 0, arr.ind = TRUE)
  cells[rep(seq_len(nrow(cells)), table[cells]), , drop = FALSE]
}

by_row <- function(columns, ...) matrix(c(...), ncol = columns, byrow = TRUE)

# Tables of every kind that the statistics of association have to cope with; no row or column is empty.
example_tables <- function() {
  list(
    by_row(3, 1243, 487, 1413, 169, 431, 2582), # study: GPT-4, direction SAI
    by_row(4, 1, 3, 10, 6, 2, 3, 10, 7, 1, 6, 14, 12, 0, 1, 9, 11), # Agresti (2002), table 2.8: income, satisfaction
    by_row(3, 762, 327, 468, 484, 239, 477), # Agresti (2007), table 2.5: sex, party
    by_row(2, 3, 1, 1, 3), # Fisher's tea
    by_row(2, 189, 10845, 104, 10933), # Agresti (2007), table 2.3: aspirin, heart attack
    by_row(2, 10, 20, 25, 15), by_row(2, 5, 0, 0, 7), by_row(2, 0, 4, 9, 0), by_row(2, 0, 3, 4, 5), by_row(2, 1, 1, 1, 0),
    by_row(2, 1, 0, 0, 1), by_row(2, 12, 12, 12, 12), by_row(2, 1, 1000, 1, 1), by_row(3, 0, 0, 6, 0, 5, 0, 4, 0, 0),
    by_row(5, 9, 3, 1, 0, 0, 2, 8, 4, 1, 0, 0, 3, 9, 2, 1, 0, 1, 3, 8, 3, 1, 0, 0, 4, 9),
    by_row(5, 50, 20, 0, 1, 0, 3, 0, 70, 2, 9, 11, 0, 0, 0, 1), by_row(2, 20, 1, 3, 3, 0, 1, 14, 2, 7, 7, 5, 0),
    by_row(3, 4e5, 1, 3e5, 2e5, 5e5, 1e5, 3e5, 3e5, 3e5), by_row(2, 3e8, 2e8, 1e8, 4e8), by_row(2, 250000, 249000, 250500, 250500),
    by_row(3, 2e8, 1e8, 3e7, 1e8, 3e8, 7e7, 1e7, 4e7, 15e7), by_row(2, 900, 100, 80, 920), by_row(2, 1500, 300, 200, 1000)
  )
}
