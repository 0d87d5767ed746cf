"""Statistics: from tallies to estimates, for all cells at once and whatever the number of responses.

What all have in common is not said again. A frame has a row for each combination of the columns that a statistic is
told to use, with `count`, how many responses it stands for; combinations may repeat, a null is no observation. `by`
names the columns whose combinations are the cells, perhaps none; `cluster` the column whose values are independent of
each other; `confidence` is the level of intervals, `alpha` that of tests. Results are estimates (`estimates.COLUMNS`),
a row a cell and term. A missing column, an impossible count or a setting out of range is a ValueError that names it.
"""
