"""Statistics: computation of estimates from tallies, for all cells at once.

Conventions that all statistics share are described only here. A frame has a row for each combination of the columns
that a statistic uses; its `count` is the number of responses in that row. Combinations may repeat, and a row with a
null is not an observation. `by` names the columns whose combinations are the cells (it may be empty); `cluster` names
the column whose values are independent of each other; `confidence` is the level of intervals, `alpha` that of tests.
Results are estimates (`estimates.COLUMNS`), one row for each cell and term. A missing column, an impossible count or a
setting out of range raises a ValueError that names it.
"""
