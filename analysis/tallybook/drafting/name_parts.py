"""Levels that no column holds: the parts of names of folders and files, and the keys of nested JSON."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.drafting.header_words import MODEL
from tallybook.sources.formats import json_tree, text_file, text_lines
from tallybook.sources.formats.json_tree import LEVEL, is_tree

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.drafting.survey import Column, File, Survey
    from tallybook.sources.content import Content
    from tallybook.study.draft import Draft
    from tallybook.study.format_base import Format

FORMATS = (json_tree.FORMAT.name, text_file.FORMAT.name)
"""The formats whose records do not say by themselves of which model and prompt they are."""
PART = re.compile(r"(folder|name)_\d+|" + LEVEL + r"\d+")
"""The columns of levels."""
_NUMBERED = re.compile(r"[^\W\d]*[-_]?\d+")
_ABOUT = re.compile(r"(?i)(readme|licen[cs]e|notes?|requirements|changelog|prompts?|citation|instructions?)([-_. ].*)?")
"""What files of text are called that are about the others."""
_MOST_LEVELS = 30
_FEW_MODELS = 12


def last_resort(content: Content) -> Format | None:
    """Get the format of a file of which only the other files of a dump, or its whole, tell that it holds answers."""
    name = PurePosixPath(content.bare_name)
    if name.suffix.lower() in {".txt", ".md"}:
        return None if _ABOUT.fullmatch(name.stem) else text_file.FORMAT
    return json_tree.FORMAT if is_tree(content) else None


def as_answers(told: Mapping[Content, Format], others: Mapping[Content, Format]) -> dict[Content, Format]:
    """Get the formats of files, of text an answer a file where all are text and none has several lines of numbers."""
    is_text = all(one is text_file.FORMAT for one in others.values()) and len(told) + len(others) > 1
    if not told or not is_text or not all(one is text_lines.FORMAT for one in told.values()):
        return dict(told or others)
    is_short = all(b"\n" not in content.start().strip() for content in told)
    return dict.fromkeys([*told, *others], text_file.FORMAT) if is_short else dict(told)


class Form(NamedTuple):
    """The form of the paths of files."""

    # what the paths have in common, and between it the names of the columns of what they differ in
    pieces: tuple[str, ...]
    values: dict[str, list[str]]  # column -> its values, one a file

    def written(self, columns: Mapping[str, str]) -> str:
        """Write the form for a study file, with the columns that the study takes as it calls them."""
        return "".join(columns.get(piece, "*") if piece in self.values else piece for piece in self.pieces)


def form_of(names: Sequence[str]) -> Form | None:
    """Find the parts in which the paths of files differ; None where they lie at several depths, or no form names them.

    >>> form_of(["runs/gpt-4/ann_nurse_1.txt", "runs/llama/ann_cook_2.txt"]).pieces
    ('runs', '/', 'folder_1', '/', 'ann', '_', 'name_1', '_', 'name_2', '.txt')
    """
    paths = [PurePosixPath(name) for name in names]
    if len({(len(path.parts), path.suffix) for path in paths}) > 1 or re.search(r"[{}*]", "".join(names)):
        return None
    pieces: list[str] = []
    values: dict[str, list[str]] = {}

    def add(found: Sequence[str], kind: str, end: str) -> None:
        column = f"{kind}_{sum(name.startswith(kind) for name in values) + 1}"
        if is_different := len({*found}) > 1:
            values[column] = list(found)
        pieces.extend([column if is_different else found[0], end])

    for steps in zip(*(path.parent.parts for path in paths), strict=True):
        add(steps, "folder", "" if steps[0] == "/" else "/")
    stems = [path.stem for path in paths]
    signs = ("__", "_", " ") if any(map(MODEL.match, stems)) else ("__", "_", " ", "-", ".")
    split = next((sign for sign in signs if sign in stems[0] and len({stem.count(sign) for stem in stems}) == 1), "")
    parts = list(zip(*(stem.split(split) if split else [stem] for stem in stems), strict=True))
    for place, part in enumerate(parts, start=1):
        add(part, "name", split if place < len(parts) else paths[0].suffix)
    return Form(tuple(pieces), values)


def with_parts(files: Sequence[File], records: pl.LazyFrame, file: str) -> pl.LazyFrame:
    """Get records with what the names of their files differ in; `file` is the column that holds the names."""
    names = [one.name for one in files]
    form = form_of(names) if len(names) > 1 else None
    if form is None:
        return records
    parts = pl.LazyFrame({file: names} | form.values, schema_overrides=dict.fromkeys([file, *form.values], pl.String))
    return records.join(parts, on=file, how="left", maintain_order="left")


def roles_of_parts(found: Survey) -> dict[str, str]:
    """Guess what levels are: the model, the prompt or item, the repetition; the rest are factors."""
    columns = found.by_name
    if found.files[0].format not in FORMATS:
        return {}
    parts = [column for column in found.columns if PART.fullmatch(column.name)]
    told: dict[str, str] = {}
    if "model" not in columns and (model := _model(parts)) is not None:
        told["model"] = model.name
        parts.remove(model)
    numbers = [part for part in parts if part.kind == "integer" and 2 * part.distinct <= found.rows]
    if "sample" not in columns and numbers and len(parts) > 1:
        told["sample"] = numbers[-1].name
        parts.remove(numbers[-1])
    own = [part for part in parts if part.distinct > 1]
    item = max(own, key=lambda part: (part.distinct, part.name), default=None)
    is_level = item is not None and (item.name.startswith(LEVEL) or item.distinct > _MOST_LEVELS)
    if item is not None and (is_level or all(map(_NUMBERED.fullmatch, item.values))):
        told["prompt" if " " in item.example.strip() else "item"] = item.name
    return told


def _model(parts: Sequence[Column]) -> Column | None:
    """Find the level that names models: by how models are called, or else the outermost one of few words."""
    words = [part for part in parts if part.kind == "text" and 0 < part.distinct <= _MOST_LEVELS]
    named = [part for part in words if 2 * sum(bool(MODEL.search(one)) for one in part.values) >= part.distinct]
    few = [part for part in words if part.distinct <= _FEW_MODELS and not any(" " in one for one in part.values)]
    return next(iter(named or (few if len(parts) > 1 else [])), None)


def write_form(made: Draft, found: Survey, seen: Sequence[str]) -> None:
    """Capture columns from the names of files instead of reading them from records."""
    form = form_of(seen) if found.files[0].format in FORMATS and len(seen) > 1 else None
    if form is None:
        return
    taken: dict[str, str] = {}
    for name, settings in list(made.columns.items()):
        if (part := settings["path"]) in form.values:
            taken[part] = f"{{{name}:int}}" if settings.get("type") == "integer" else f"{{{name}}}"
            del made.columns[name]
    made.source |= {"files": form.written(taken), "missing_files": "ignore"}
    made.doubts.insert(0, f"Parts of the names of folders and files are columns: {made.source['files']}. See `files`.")
