"""Relative decisions: who of several people gets what."""

from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument

__all__ = ["RelativeDecisionInstrument"]
