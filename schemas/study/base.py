"""What every part of the study file has in common."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

if TYPE_CHECKING:
    from collections.abc import Iterable

Identifier = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_.-]*$")]
"""A name within the study file: it starts with a letter and holds letters, digits, '_', '.' and '-'."""

Characters = Annotated[str, StringConstraints(min_length=1)]
"""A text that is not empty."""


ColumnType = Literal["string", "integer", "number"]
"""The type of a column that is read or made."""


class Declaration(BaseModel):
    """A part of the study file: read-only, and an unknown setting is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True, allow_inf_nan=False)


def must_exist(names: Iterable[str], known: Iterable[str], place: str, kind: str) -> None:
    """Refuse a name that one part of the study file uses and no other part declares.

    Args:
        names: The names used.
        known: The names declared.
        place: Where they are used.
        kind: What they name.

    Raises:
        ValueError: For the first unknown name.
    """
    declared = list(known)
    for name in names:
        if name not in declared:
            raise ValueError(f"{place}: no {kind} {name!r}; declared: {', '.join(declared) or 'none'}")


def must_differ(names: Iterable[str], place: str) -> None:
    """Refuse a name that stands twice where each may stand once.

    Args:
        names: The names.
        place: Where they stand.

    Raises:
        ValueError: For the first repeated name.
    """
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise ValueError(f"{place}: {repeated[0]!r} stands there more than once")
