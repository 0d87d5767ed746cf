"""What every part of the study file has in common."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$")]
"""A name within the study file: it starts with a letter and holds letters, digits, '_', '.' and '-'."""


class Declaration(BaseModel):
    """A part of the study file: read-only, and an unknown setting is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)
