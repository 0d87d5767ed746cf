"""Multiple choice: which of a question's options a response chooses."""

from tallybook.instruments.multiple_choice.instrument import MultipleChoiceInstrument

__all__ = ["MultipleChoiceInstrument"]
