"""Reports: a Quarto project written from results, and the two engines that render it."""
