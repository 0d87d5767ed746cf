"""Judges: scores or labels that models, scorers or people gave responses, delivered beside the text."""

from tallybook.instruments.judge.instrument import JudgeInstrument

__all__ = ["JudgeInstrument"]
