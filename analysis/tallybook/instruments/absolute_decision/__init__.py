"""Absolute decisions: yes or no for one person."""

from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument

__all__ = ["AbsoluteDecisionInstrument"]
