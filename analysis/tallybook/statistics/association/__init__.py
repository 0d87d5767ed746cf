"""Association of two ordered or numeric variables: Kendall, Stuart, Goodman-Kruskal, Somers, Spearman, Pearson."""
