"""Answers that texts give in JSON: the value of the key that names the answer, whatever other keys there are."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, cast

from tallybook.sources.json_records import opened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_BESIDE = re.compile(
    r".*(?:confiden|certain|probab\w+_of|reason|rationale|explan|justif|comment|note|thought|analysis|uncertain|id$|index|model"
    r"|currency|unit|name|(?:^|_)per_|_per$|(?:^|_)(?:current|present|asking|market|average|mean|median|media|area|sqm|m2)(?:_|$)"
    r"|(?:^|_)(?:size|surface|superficie|fläche|metros|mq)(?:_|$)|question|prompt|min|max|low|high|range|why"
    r"|grund|begr(?:ü|ue)ndung|erkl(?:ä|ae)rung|motiv|explica|justific|理由|原因|raz[aóã]o?n?|raison|ragione).*"
)
_KEYS = (
    *("final_answer", "answer", "final", "score", "rating", "value", "amount", "number", "salary", "price", "estimate"),
    *("verdict", "label", "judgment", "judgement", "grade", "decision", "result", "overall", "total", "output"),
    "response",
)
"""The keys that name an answer, more likely ones first."""
_ELSEWHERE = (
    *("respuesta", "réponse", "reponse", "risposta", "antwort", "resposta", "bewertung", "puntuación", "puntuacion"),
    *("punteggio", "pontuação", "voto", "stufe", "einstufung", "valoración", "valoracion", "valutazione", "avaliação"),
    *("avaliacao", "calificación", "note", "nota", "wert", "valore", "valeur", "valor", "回答", "答案", "评分"),
)
"""The same in other languages."""
_OWN_KEY = re.compile(
    r"recommend|suggest|propos|(?:^|_)(?:fair|final)(?:_|$)|empf|empfohl|vorschlag|recom|suger|conseil|consigli"
)
"""Keys of what is recommended, whatever others there are."""
_BEGINS = re.compile(r"[\[{]")
_HEADED = 3
"""The number of lines of a table with one row: header, separator and cells."""
_DEEPEST = 4
"""The greatest depth at which an answer is looked for."""
_MOST_FAILURES = 20
"""The number of brackets that open no valid JSON after which the search stops."""


def documents(text: str, hook: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Iterator[tuple[int, int, Any]]:
    """Yield the start, the end and the value of each JSON object and array in a text, or of an object as Python's."""
    if text.lstrip().startswith("{'") and hook is None and isinstance(found := opened(text), dict):
        yield 0, len(text), cast("object", found)
        return
    decoder = json.JSONDecoder(object_pairs_hook=hook)
    at = failures = 0
    while failures < _MOST_FAILURES and (begin := _BEGINS.search(text, at)):
        try:
            value, at = decoder.raw_decode(text, begin.start())
        except (ValueError, RecursionError):
            at, failures = begin.end(), failures + 1
            continue
        yield begin.start(), at, value


def _whole(text: str) -> str:
    r"""Replace unpaired surrogates, which JSON can escape but no string column can hold.

    >>> _whole("\ud800 and \ud83d\ude00") == "\ufffd and \U0001f600"
    True
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def as_lines(text: str) -> str:
    """Rewrite the last JSON object in a text, or a table with one row, as lines `name: value`; keep other texts."""
    objects = [own for _, _, value in documents(text) if (own := _only_object(value))] if "{" in text else []
    told = objects[-1] if objects else {}  # one in a reasoning block stands before the answer
    lines = [f"{key}: {value}" for key, value in _scalars(told)]
    if len(lines) > 1 or (lines and text.lstrip("` \n[").startswith(("{", "json"))):
        return _whole("\n".join(lines))
    rows = [line.strip().strip("|").split("|") for line in text.split("\n") if line.count("|") > 1]
    if len(rows) == _HEADED and not "".join(rows[1]).strip("-: ") and len(rows[0]) == len(rows[2]) > _HEADED - 1:
        return "\n".join(f"{head.strip()}: {cell.strip()}" for head, cell in zip(rows[0], rows[2], strict=True))
    return text


def _scalars(told: dict[str, Any], depth: int = 0) -> Iterator[tuple[str, str | int | float]]:
    """Yield the keys and scalars of an object and of the objects in it."""
    for key, value in told.items():
        if isinstance(value, str | int | float):
            yield key, value
        elif depth < _DEEPEST:
            yield from _scalars(_only_object(value), depth + 1)


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _only_object(value: object) -> dict[str, Any]:
    """Return a value that is an object, or the only element of a list that is; else an empty one."""
    held = cast("list[object]", value) if isinstance(value, list) else [value]
    return _object(held[0]) if len(held) == 1 else {}


def value_of(text: str, *, is_named: bool = False) -> str | None:
    """Return the answer in a text with exactly one JSON object; None if no key is that of an answer.

    If `is_named`, a key must name the answer: being the only value that may be one is not enough.
    """
    if "{" not in text:
        return None
    objects = [own for _, _, told in documents(text) if (own := _object(told)) or told == {}]
    return _value(objects[0], _DEEPEST if is_named else 0) if len(objects) == 1 else None


def _value(told: dict[str, Any], depth: int) -> str | None:
    scalars = {str(key).lower(): value for key, value in told.items() if isinstance(value, str | int | float)}
    named = [value for key, value in scalars.items() if _OWN_KEY.search(key) and not _BESIDE.fullmatch(key)]
    named = named or [scalars[key] for key in (*_KEYS, *_ELSEWHERE) if key in scalars]
    named = named or [
        value for key in _KEYS for name, value in scalars.items() if key in name and not _BESIDE.fullmatch(name)
    ]
    rest = [value for key, value in scalars.items() if not _BESIDE.fullmatch(key)]
    if named or (len(rest) == 1 and depth < _DEEPEST):
        return _whole(str((named or rest)[0]))
    inner = [own for value in told.values() if (own := _object(value)) or value == {}]
    return _value(inner[0], depth + 1) if len(inner) == 1 and not rest and depth < _DEEPEST else None


def at_path(text: str | None, keys: list[str]) -> str | None:
    """Return the value at a path of keys in a JSON cell, fenced or not; the cell itself if it is not JSON."""
    if text is None:
        return None
    bare = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        found: Any = json.loads(bare)
    except (ValueError, RecursionError):
        return bare
    for key in keys:
        if isinstance(found, list) and key.isdecimal() and int(key) < len(cast("list[Any]", found)):
            found = cast("list[Any]", found)[int(key)]
        else:
            found = _object(cast("object", found)).get(key)
    if found is None or isinstance(found, dict | list):
        return None
    return json.dumps(found) if isinstance(found, bool) else _whole(str(found))
