# Compares two folders of CSVs, remade and committed: same files, same columns, same texts, numbers to a relative 1e-12,
# those of lme4 to what the tests ask of them, as it depends on the machine where its optimiser ends.
# The third argument is the number of scripts that could not run: then a file may lack.
folders <- commandArgs(trailingOnly = TRUE)
remade <- list.files(folders[1], "\\.csv$")
committed <- list.files(folders[2], "\\.csv$")
for (name in setdiff(remade, committed)) message(name, ": made, but not committed")
for (name in setdiff(committed, remade)) message(name, ": committed, but made by no script")
faults <- length(setdiff(remade, committed)) + (folders[3] == "0") * length(setdiff(committed, remade))
optimised <- c(mixed_logistic.csv = 5e-6, mixed_model.csv = 2e-6)

for (name in intersect(remade, committed)) {
  new <- read.csv(file.path(folders[1], name))
  old <- read.csv(file.path(folders[2], name))
  if (!identical(names(new), names(old)) || nrow(new) != nrow(old)) {
    message(name, ": columns or number of rows differ")
    faults <- faults + 1
    next
  }
  exact <- !name %in% names(optimised)
  limit <- if (exact) 1e-12 else optimised[[name]]
  for (column in names(new)) {
    a <- new[[column]]
    b <- old[[column]]
    # `%in% TRUE` takes what cannot be compared (a missing value against a number) for a difference.
    same <- (a == b) %in% TRUE | (is.na(a) & is.na(b))
    if (is.numeric(a) && is.numeric(b)) {
      same <- same | (abs(a - b) <= limit * pmax(abs(b), if (exact) 0 else 1e-6)) & is.finite(a) & is.finite(b)
    }
    if (any(!same)) {
      row <- which(!same)[1]
      message(name, ": ", sum(!same), " rows of ", column, " differ, first row ", row, ": ", a[row], " for ", b[row])
      faults <- faults + 1
    }
  }
}
quit(status = if (faults > 0) 1 else 0)
