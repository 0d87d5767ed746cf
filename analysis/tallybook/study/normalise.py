"""Steps that make texts comparable: labels before they are looked up, prompts before they are matched."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from tallybook.study.base import Characters, Declaration, all_faults


class NormaliseStep(Declaration):
    """One step that makes a text comparable; exactly one of the settings."""

    lower_case: Literal[True] | None = None
    """Write it in lower case."""
    trim: Literal[True] | None = None
    """Remove white space at both ends."""
    strip_start: Characters | None = None
    """Remove any of these characters at the start."""
    cut_at: Characters | None = None
    """Cut the text off at the first of these characters."""
    delete: Characters | None = None
    """Delete every one of these characters."""
    replace: tuple[Characters, str] | None = None
    """Replace a text by another."""
    repair: Literal["mac-roman"] | None = None
    """Undo that UTF-8 was read as this encoding. A text of which that cannot be true is left as it is."""

    @model_validator(mode="after")
    @all_faults
    def _one_step(self) -> NormaliseStep:
        if len(self.model_fields_set) != 1:
            raise ValueError("exactly one setting a step")
        return self
