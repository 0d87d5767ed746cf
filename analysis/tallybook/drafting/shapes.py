"""Records whose values lie deeper or elsewhere: in JSON of cells, in messages, in parts of ids, in separate files."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import product
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook.drafting import roles
from tallybook.drafting.clusters import END_OF_RUN, ITEM_OF, repetitions_of
from tallybook.drafting.columns import FILE, KEY
from tallybook.drafting.files import with_parts
from tallybook.drafting.header_words import MODEL, NAMES, NUMBERING
from tallybook.drafting.survey import PLAIN_NAMES, Joined, Part, Survey, described
from tallybook.sources.formats.chat import is_message
from tallybook.sources.formats.json_documents import LEVEL
from tallybook.sources.json_records import at, flatten, is_array, is_object, opened, parse
from tallybook.sources.unpivot import bracketed
from tallybook.study.names import header_name, plain

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from tallybook.drafting.survey import File
    from tallybook.study.draft import Draft, Settings

_MOST_NAMES = 30
"""The largest number of paths into the objects of a column that become columns."""
_MESSAGES = r'^\s*\[?\s*\{.*"role"\s*:'
_SAID_BY = {"text": ("assistant", "model", "ai"), "prompt": ("user", "human")}
_STEM = 4
"""The number of letters that a table's name and the column of its keys have in common: `stimuli`, `stimulus_id`."""
_BETWEEN = ("|", "__", "--", "::", ";", "&", "/", ":", "_", "-", ".", ",", " ")
"""The separators of the parts of ids; those that occur least often within parts come first."""
_WITHIN = {"_", "-", ".", " "}
"""The separators that may be within values, too, where keys are before them."""
_KEY, _WORD_KEY = re.compile(r"[^\W\d]\w*\s*[=:]\s*"), r"[^\W\d_]+\s*[=:]"
"""The name of a part of an id, before its value; also a name that is a single word."""
_OF_ITEM = re.compile(r"(^|_)(key|(item|prompt|stimulus|vignette|scenario|cell|condition|variant)_(id|code|name))$")
_PAIRS = re.compile(r"(?:[^\W\d]\w+ ?= ?[^=\n]{1,40}){2,}")
"""Keys and values, and nothing else."""
_MOST_IDS, _MOST_PARTS, _MOST_LEVELS, _FEW, _FEWEST = 200_000, 12, 30, 2, 5


def json_cell_paths(found: Survey, answers: Mapping[str, str]) -> list[str]:
    """List the paths into JSON objects in cells (`metadata.race`); in that of answers only those of models."""
    if found.is_tool_output:
        return []
    texts = found.sample.select(column.name for column in found.columns if column.kind == "text")
    braced = texts.select(pl.all().drop_nulls().str.contains(r"^\s*\{.*\}\s*$").all())
    held = {
        name: [opened(cell) for cell in texts[name].drop_nulls()] for name in braced.columns if braced.item(0, name)
    }
    held = {name: objects for name, objects in held.items() if all(map(is_object, objects))}
    text = roles.guess(found, answers).text if held else None
    paths: dict[str, None] = {}
    for name, objects in held.items():
        inner = dict.fromkeys(key for one in objects for key in flatten(one))
        if name != text or (len(inner) > 1 and all(map(MODEL.search, inner))):  # answers by model
            paths |= dict.fromkeys(f"{name}.{key}" for key in [*inner][:_MOST_NAMES])
    return [path for path in paths if path not in found.by_name]


def in_messages(found: Survey, answers: Mapping[str, str]) -> dict[str, str]:
    """Find the paths of answer and prompt in lists of messages, for the roles that no other column has."""
    if found.is_tool_output or answers.keys() & {"text", "labels", "scores"}:
        return {}
    cells = found.sample.select(column.name for column in found.columns)
    hold = cells.select(pl.all().str.contains(_MESSAGES).any())
    talking = [name for name in hold.columns if hold.item(0, name)]
    guessed = roles.guess(found, answers) if talking else None
    for column in talking:
        values = cells.get_column(column).drop_nulls()
        wanted = {role: by for role, by in _SAID_BY.items() if getattr(guessed, role) in {None, column}}
        if not wanted:
            continue
        try:
            talks = [_without_other_items(parse(value)) for value in values]
        except ValueError:
            continue
        if all(map(is_message, talks)) and "text" in wanted and talks[0]["role"] in _SAID_BY["text"]:
            return {"text": f"{column}.content"}
        if not all(is_array(talk) and all(map(is_message, talk)) for talk in talks):
            continue
        if 2 * sum(talk[-1]["role"] in _SAID_BY["text"] for talk in talks if talk) > len(talks):
            paths = {role: _last(talks, column, said_by) for role, said_by in wanted.items()}
            return {role: path for role, path in paths.items() if path is not None}
    return {}


def _without_other_items(talk: Any) -> Any:  # noqa: ANN401  whatever JSON can say
    """Return a list without what models do beside messages, such as reasoning and calls of tools."""
    if not is_array(talk):
        return talk
    return [one for one in talk if not (is_object(one) and "type" in one and "role" not in one)]


def _last(talks: Sequence[list[dict[str, Any]]], column: str, said_by: Sequence[str]) -> str | None:
    """Return the path of the last message by one of some senders: its text, or that of its last content block."""
    for role in said_by:
        contents = [content for talk in talks if (content := at(talk, f"{role}.content")) is not None]
        if contents:
            return f"{column}.{role}.content" + (".-1.text" if all(map(is_array, contents)) else "")
    return None


def joined(found: Survey, answers: Mapping[str, str]) -> Survey:
    """Join files that lack the answers' column with those that have it; leave out those that cannot be joined."""
    of_tools = {file.name for file in found.files if file.format not in PLAIN_NAMES}
    if len(found.files) == max(1, len(of_tools)):
        return found
    guessed = roles.guess(found, answers)
    lists = [name for name in bracketed(found.sample) if name in found.partial]
    if lists and {guessed.text, guessed.model} <= found.partial and "text" not in answers:
        filled = found.records.filter(pl.col(guessed.text or "").is_not_null())
        has_model = pl.col(guessed.model or "").is_not_null().any()
        if filled.select(pl.col(FILE).n_unique(), has_model).collect().row(0) == (1, False):  # a file of questions
            guessed = roles.guess(found, {"prompt": guessed.text or "", **answers})
    answering = ("text",) if of_tools else (guessed.text, *guessed.labels, *guessed.scores, *lists)
    text = next((name for name in answering if name is not None), None)
    if text is None or text not in found.partial:
        return found
    names = [column.name for column in found.columns]
    filled = found.records.group_by(FILE).agg(pl.col(names).is_not_null().any()).collect()
    held = {file: {name for name, has in zip(names, has_any, strict=True) if has} for file, *has_any in filled.rows()}
    answered = [file for file in found.files if file.name in of_tools or text in held[file.name]]
    if not answered:
        return found
    own = {name for file in answered for name in held[file.name]}
    records = found.records.filter(pl.col(FILE).is_in([file.name for file in answered]))
    records = records.select(FILE, KEY, *(name for name in names if name in own))
    tables: list[Joined] = []
    passed: dict[frozenset[str], list[File]] = {}
    alike = Counter(frozenset(held[file.name]) for file in found.files if file not in answered)
    for file in found.files:
        if file in answered:
            continue
        new = [name for name in names if name in held[file.name] - own]
        new = [name for name in new if name != "text" or text not in lists]  # what is unfolded is called so
        table = found.records.filter(pl.col(FILE) == file.name).select(*(n for n in names if n in held[file.name]))
        on = next(_keys(records, table.collect(), PurePath(file.name).stem), None)
        kind = frozenset(held[file.name])
        if not new or on is None or alike[kind] > 1:  # of several files with the same key, none has it alone
            lacks = f"{printable(file.name, 200)} lacks {printable(text)}:"
            has_text = any(not {*found.by_name[name].header.split("_")}.isdisjoint(NAMES["text"]) for name in new)
            if has_text and on is None:
                lacks = f"{lacks} its records count as empty responses. Leave it out, or see `lookups`."
                return replace(found, guessed=(*found.guessed, lacks))
            passed.setdefault(kind, []).append(file)
            continue
        other = table.select(on[1], *(name for name in new if name != on[1])).rename({on[1]: on[0]})
        records = records.join(other, on=on[0], how="left", maintain_order="left")
        tables.append(Joined(file.name, *on, tuple(name for name in new if name != on[1])))
        own |= {*new}
    partial = frozenset(name for name in own if any(name not in held[file.name] for file in answered))
    partial -= {name for table in tables for name in table.columns}
    kept = replace(found, files=tuple(answered), partial=partial, joined=tuple(tables))
    parts = [name for name in found.levels if not name.startswith(LEVEL) and name in own]
    records = with_parts(answered, records.drop(parts), FILE)  # fewer files differ in fewer parts of their names
    left_out = tuple(file.name for files in passed.values() for file in files)
    said = tuple(_left_out(files, printable(text)) for files in passed.values())
    kept = replace(kept, passed=(*found.passed, *left_out), guessed=(*found.guessed, *said))
    return described(kept, records)


def _left_out(files: Sequence[File], text: str) -> str:
    """Say that files of the same columns, which lack the answers, are left out."""
    first, *others = files
    lack, are = (f"and {len(others):,} more lack", "are") if others else ("lacks", "is")
    rows = counted(sum(file.rows for file in files), "record")
    return f"{printable(first.name, 200)} {lack} {text} and {are} left out, with {rows}. See `lookups`."


def joined_tables(found: Survey, others: Mapping[str, Survey]) -> Survey:
    """Join the other tables of a database whose rows are named in the table with the answers."""
    records, tables = found.records, list[Joined]()
    for name, other in others.items():
        table = other.records.drop(FILE, KEY)
        on = next(_keys(records, table.collect(), name), None)
        new = [one.name for one in other.columns if one.name not in {*records.collect_schema().names(), *(on or ())}]
        if on is not None and new:
            right = table.select(pl.col(on[1]).alias(on[0]), *new)
            records = records.join(right, on=on[0], how="left", maintain_order="left")
            tables.append(Joined(found.files[0].name, *on, tuple(new), name))
    return described(replace(found, joined=tuple(tables)), records) if tables else found


def _keys(records: pl.LazyFrame, table: pl.DataFrame, called: str = "") -> Iterator[tuple[str, str]]:
    """Yield pairs of matching columns: each value in the records is that of one row of a table.

    Where the table has a name, columns called after it come first, and numbers of rows, which all tables have, last.
    """
    columns = [name for name in records.collect_schema().names() if name not in {FILE, KEY}]
    pairs = [(name, name) for name in columns if name in table.columns]
    pairs += [(name, other) for name in columns for other in table.columns if name.endswith(("_" + other, "-" + other))]
    of_items = [other for other in table.columns if header_name(other) in NAMES["item"]]
    pairs += [("item", other) for other in of_items if "item" in columns]  # tools' outputs call ids so
    if called:
        stem = called.lower().removesuffix("s")[:_STEM]
        pairs += [(name, other) for name in columns for other in table.columns if name.lower().startswith(stem)]
        pairs.sort(key=lambda pair: (not pair[0].lower().startswith(stem), pair[0].lower() in {"id", "rowid"}))
    for name, other in pairs:
        values = table.get_column(other)
        if values.is_unique().all() and not values.null_count():
            different = records.select(name).unique().collect().to_series()
            if different.len() > 1 and not different.null_count() and different.is_in(values.implode()).all():
                yield name, other


def in_parts(found: Survey) -> Survey:
    """Add a column for each part of structured ids: `gpt-4o|black|nurse|3`."""
    for column in found.columns:
        is_keyed = _PAIRS.fullmatch(column.example) is not None and not column.is_called_answer
        is_id = (
            is_keyed
            or _OF_ITEM.search(column.header)
            or column.header in NAMES["item"]
            or column.name.startswith(LEVEL)
        )
        if not is_id or column.kind != "text" or column.missing or column.distinct > _MOST_IDS:
            continue
        names = found.distinct(column.name)
        if is_repeated := repetitions_of(found, column.name) is not None:
            names = sorted({stem[1] for name in names if (stem := re.match(ITEM_OF, name))})
        models = sorted({value for one in found.columns if one.names_models for value in one.values}, key=len)
        parts = _parts_of(
            column.name, names, column.distinct, models[::-1], f"(?:{END_OF_RUN})?" if is_repeated else ""
        )
        parts = {f"{name}_part" if name in found.by_name else name: part for name, part in parts.items()}
        if parts:
            forms = [pl.col(part.column).str.extract(part.form, 1).alias(name) for name, part in parts.items()]
            wide = described(found, found.records.with_columns(forms))
            new = {
                name: part for name, part in parts.items() if not _duplicates_column(wide, name, [*parts, column.name])
            }
            if new:
                passed = [name for name in parts if name not in new]
                kept = tuple(one for one in wide.columns if one.name not in passed)
                records = wide.records.drop(passed)
                return replace(wide, columns=kept, records=records, sample=wide.sample.drop(passed), parts=new)
    return found


def _parts_of(column: str, names: Sequence[str], ids: int, models: Sequence[str], repetition: str) -> dict[str, Part]:
    """Find the recurring parts of ids: words become `part_2`, numbers beside several words `item_3`; models are one.

    `repetition`: a regular expression of what may be behind the last part.
    """
    known = "|".join(map(re.escape, models)) or "(?!)"
    names = [re.sub(known, "\0", name) for name in names]
    whole = f"(?:{known}|.*?)" if any("\0" in name for name in names) else ".*?"
    for is_keyed, between in product((True, False), _BETWEEN):
        end = re.escape(between)
        end = rf"\s*{end}\s*" if any(f" {between}" in name or f"{between} " in name for name in names) else end
        sign = end + rf"(?={_WORD_KEY if '_' in between else _KEY.pattern})" * is_keyed
        split = [re.split(sign, name) for name in (names if re.search(sign, names[0]) else ())]
        several = len(split[0]) if split else 0
        if not 1 < several <= _MOST_PARTS or any(len(one) != several for one in split):
            continue
        fields = [_keyed(values) for values in zip(*split, strict=True)]
        keys = [key for key, _ in fields]
        is_mixed = between not in _WITHIN and any(between in part for one in split for part in one)
        if is_keyed and (is_mixed or not all(keys[1:])):
            continue
        words = sum(
            bool(key) or "\0" in own or (len(own) >= _FEW and not all(map(str.isdecimal, own))) for key, own in fields
        )
        parts: dict[str, Part] = {}
        is_apart = False
        for place, ((key, levels), following) in enumerate(zip(fields, [*keys[1:], ""], strict=True)):
            is_number = all(map(str.isdecimal, levels)) and not _is_amount(levels)
            if is_number and words < _FEW:  # 00 of age-00 has nothing to do with that of race-00
                continue
            is_number &= not key or NUMBERING.search(plain(key)) is not None
            fewest, most = (_FEWEST, len(names)) if is_number else (_FEW, _MOST_LEVELS)
            is_repeated = fewest <= len(levels) <= most and 2 * len(levels) <= ids
            if is_repeated and not any("\0" in one or not one for one in levels):  # models have a column of their own
                before = f"(?:^|{end})" if is_keyed else f"^(?:{whole}{end}){{{place}}}"
                after = f"{end}{re.escape(following)}|" if following or not is_keyed else repetition
                form = f"(?s){before}{re.escape(key)}(.*?)(?:{after}$)"
                name = plain(key) or f"{'item' if is_number else 'part'}_{place + 1}"
                parts[name] = Part(column, form, is_number)
                is_apart |= not is_number and 2 * len(levels) <= len(names)
        if is_apart:
            return parts
    return {}


def _is_amount(levels: Collection[str]) -> bool:
    """Return whether a few numbers are amounts that prompts vary, `5000` and `20000`, and number nothing."""
    numbers = sorted(int(one) for one in levels if one.isdecimal())
    return 1 < len(numbers) == len(levels) <= _FEWEST and numbers[-1] - numbers[0] >= 2 * len(numbers)


def _keyed(values: Sequence[str]) -> tuple[str, set[str]]:
    """Return the key and its sign before all values, `race=` of `race=black`, and the values behind; else no key."""
    keys = {match[0] if (match := _KEY.match(value)) else "" for value in values}
    key = keys.pop() if len(keys) == 1 else ""
    return key, {value.removeprefix(key) for value in values}


def _duplicates_column(found: Survey, name: str, others: Sequence[str]) -> bool:
    own = found.by_name[name].distinct
    same = (one.name for one in found.columns if one.distinct == own and one.name not in others and not one.missing)
    return any(found.combinations([name, one]) == own for one in same)


def with_constants(found: Survey, answers: dict[str, str]) -> Survey:
    """Add a column for each constant that the user set: `default==Ben`."""
    constants = {role: given[1:] for role, given in answers.items() if given.startswith("=")}
    if not constants:
        return found
    answers |= {role: role for role in constants}
    records = found.records.with_columns(pl.lit(value).alias(role) for role, value in constants.items())
    return replace(described(found, records), constants=constants)


def draft_parts(made: Draft, found: Survey) -> None:
    """Derive columns that are parts of ids from the id column, and declare constants that the user set."""
    for name, settings in made.release(found.constants).items():
        made.add_constant(name, found.constants[settings["path"]])
    examples: list[str] = []
    for name, settings in made.release(found.parts).items():
        part = found.parts[settings["path"]]
        column = made.take(part.column)
        own: dict[str, Settings] = {name: {"from": column, "extract": part.form}}
        # An item that is made of factors is derived behind them.
        made.derive = {**made.derive, **own} if column in made.derive else {**own, **made.derive}
        values = [*found.by_name[settings["path"]].values][:3]
        examples.append(f"{name}: {', '.join(map(printable, values))}")
    if examples:
        column = printable(next(iter(found.parts.values())).column)
        made.doubts.append(
            f"Parts of {column} are columns; give them better names: {'; '.join(examples)}. See `derive`."
        )


def draft_joins(made: Draft, found: Survey, files: Mapping[str, str]) -> None:
    """Declare columns of joined files as lookups; `files` maps each file to its path in the study file."""
    for table in found.joined:
        taken = {name: settings["path"] for name, settings in made.release(table.columns).items()}
        if taken:
            lookup = {"file": files[table.file], **({"table": table.table} if table.table else {})}
            lookup |= {"on": {made.take(table.column): table.key}, "take": taken}
            made.source.setdefault("lookups", []).append(lookup)
        names = ", ".join(map(printable, taken.values()))
        what = f"joined by {printable(table.column)} for {names}. See `lookups`" if taken else "left out"
        other = printable(table.file, 200) if table.table is None else f"The table {printable(table.table)}"
        made.doubts.append(f"{other} holds no answers and is {what}.")
