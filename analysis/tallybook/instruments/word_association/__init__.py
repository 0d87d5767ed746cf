"""Word associations: a word for each stimulus."""

from tallybook.instruments.word_association.instrument import WordAssociationInstrument

__all__ = ["WordAssociationInstrument"]
