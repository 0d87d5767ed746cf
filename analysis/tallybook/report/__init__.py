"""Reports: a Quarto project written from the results of a study, and the two engines that can render it."""
