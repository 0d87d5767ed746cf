"""Rankings: an order of named options."""

from tallybook.instruments.ranking.instrument import RankingInstrument

__all__ = ["RankingInstrument"]
