"""Numbers: amounts with currencies, thousands, ranges and units."""
