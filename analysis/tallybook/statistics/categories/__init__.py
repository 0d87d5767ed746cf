"""Statistics of categories: goodness of fit, contingency tables, agreement and reliability."""
