"""Labels that titles and headings of tables and figures take from where they are declared."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Callable

_LABEL = re.compile(r"\{(factors|outcomes)\.([^{}]+)\}")
_BRACES = str.maketrans("{}", "()")
"""Braces in labels, which are not filled in again."""


def with_labels(content: dict[str, Any]) -> dict[str, Any]:
    """Fill labels into tables and figures: `{factors.gender}`, `{factors.gender.male}`, `{outcomes.answer}`.

    >>> factors = {"gender": {"label": "Gender", "levels": {"male": "Men"}}}
    >>> tables = [{"title": "{outcomes.a} by {factors.gender}: {factors.gender.male}", "stub": "{factors.gender}"}]
    >>> with_labels({"factors": factors, "outcomes": {"a": {"label": "Answer"}}, "tables": tables})["tables"]
    [{'title': 'Answer by gender: men', 'stub': 'Gender'}]
    >>> factors = {"model": {"label": "Model", "levels": {"lyra": "Lyra 8B"}}}
    >>> with_labels({"factors": factors, "tables": [{"title": "Shares of {factors.model.lyra}"}]})["tables"]
    [{'title': 'Shares of Lyra 8B'}]
    """
    known = {kind: _named(content.get(kind)) for kind in ("factors", "outcomes")}

    def label(found: re.Match[str]) -> str:
        named = known[found[1]].get(found[2])
        if named is None:
            return found[0]
        plain = named.translate(_BRACES)
        is_of_data = found[2].endswith(f".{named}")
        is_name = is_of_data or found[2].startswith("model.")
        is_kept = found.start() == 0 or plain[1:2].isupper() or is_name
        return plain if is_kept else plain[:1].lower() + plain[1:]

    return content | {part: _filled(content[part], label) for part in ("tables", "figures") if part in content}


def _filled(value: Any, label: Callable[[re.Match[str]], str]) -> Any:  # noqa: ANN401  whatever stands there
    match value:
        case str():
            return _LABEL.sub(label, value)
        case list():
            return [_filled(one, label) for one in cast("list[Any]", value)]
        case dict():
            return {name: _filled(one, label) for name, one in cast("dict[str, Any]", value).items()}
        case _:
            return value


def _named(declared: object) -> dict[str, str]:
    """Map names to labels, of factors or outcomes and, as `factor.level`, of levels; the first of a name holds."""
    known: dict[str, str] = {}
    for own, settings in _table(declared).items():
        levels = _table(settings).get("levels")
        if isinstance(levels, list):
            levels = {level: level for level in cast("list[object]", levels) if isinstance(level, str)}
        labels = {own: _table(settings).get("label")}
        labels |= {f"{own}.{level}": label for level, label in _table(levels).items()}
        for name, label in labels.items():
            if isinstance(label, str):
                known.setdefault(name, label)
    return known


def _table(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
