"""Attribute choices: one of the options of a prompt."""

from tallybook.instruments.attribute_choice.instrument import AttributeChoiceInstrument

__all__ = ["AttributeChoiceInstrument"]
