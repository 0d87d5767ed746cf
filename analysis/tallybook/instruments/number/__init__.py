"""Numbers: amounts with currencies, thousands, ranges and units."""

from tallybook.instruments.number.instrument import NumberInstrument

__all__ = ["NumberInstrument"]
