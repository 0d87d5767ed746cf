# Writes a data frame as CSV with 17 significant digits (every double survives the trip) into the folder that is the
# script's only argument; without one, next to the scripts.
write_oracle <- function(rows, name) {
  folder <- c(commandArgs(trailingOnly = TRUE), ".")[1]
  rows[] <- lapply(rows, function(column) if (is.numeric(column)) sprintf("%.17g", column) else column)
  write.csv(rows, file.path(folder, name), quote = FALSE, row.names = FALSE, eol = "\n")
}
