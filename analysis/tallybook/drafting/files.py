"""The source of a drafted study: patterns of a dump's file paths, and what the names of files, folders and keys tell.

File or folder names give the model where no column does. For texts in a file each, and for nested JSON, every level of
the path is a column.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, get_args

import polars as pl

from tallybook.drafting.file_names import model_beside, pieces_of
from tallybook.drafting.header_words import MODEL
from tallybook.drafting.missing_numbers import declared
from tallybook.sources.formats import json_documents, plain_text
from tallybook.sources.formats.json_documents import LEVEL, is_tree
from tallybook.sources.patterns import Pattern
from tallybook.study.record_sources import RecordFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tallybook.drafting.columns import Column
    from tallybook.drafting.survey import File, Survey
    from tallybook.sources.content import Content
    from tallybook.study.draft import Draft, Settings
    from tallybook.study.format_base import Format

_MOST_FILES = 8
"""The number of files above which a study file gives a pattern of their names."""
_AGAIN = re.compile(r"(?i)[-_ .(]+(?:re-?run|repeat(?:ed)?|again|run[-_ ]?2|second|2nd|copy|wiederholung)\d*\)?$")
"""The end of names of files of a model that was asked again."""
_PART = re.compile(r"(part|shard|chunk|batch|train|test|validation|valid|dev|of)?[-_.]?[\d.-]*(of[-_.]?\d+)?")
"""The names of files and folders that are parts of a dump, or splits of a data set."""
_KEYED = re.compile(r"(?<![^,:;])(\w+)=([^,;]+)")
"""A column and its value in a folder's name: `model=gpt-4o`, `bbq:subject=Age,model=gpt-4o`."""
OF_FOLDER = "folder."
"""The prefix of columns that are named in folder names."""
FORMATS = (json_documents.TREE.name, plain_text.FILE.name)
"""The formats whose records do not hold their model and prompt."""
_PARTS = re.compile(r"(folder|name)_\d+|" + LEVEL + r"\d+")
"""The names of columns for levels: of folders, of parts of file names, of nested JSON."""
_NUMBERED = re.compile(r"[^\W\d]*[-_]?\d+")
_PHRASE = re.compile(r"\S\s+\S+\s+\S|[。？！?!]$")
_ABOUT = re.compile(r"(?i)(readme|licen[cs]e|notes?|requirements|changelog|prompts?|citation|instructions?)([-_. ].*)?")
"""The names of text files that describe the other files."""
_MOST_LEVELS = 30
_FEW_MODELS = 12


class Located(NamedTuple):
    """The data folder of a dump and the names of its files."""

    folder: str  # the data folder, relative to that of the study file
    names: list[str]  # the paths of the files, relative to the data folder


def located(files: Sequence[str], folder: Path) -> Located:
    """Find the data folder: that of the study file if it holds all files, otherwise their nearest common folder."""
    paths = [os.path.abspath(file) for file in files]  # noqa: PTH100  keeps links
    real = [os.path.realpath(file) for file in files]
    common, of_real = (os.path.commonpath([os.path.dirname(name) for name in names]) for names in (paths, real))  # noqa: PTH120
    for place in (os.path.abspath(folder), common):  # noqa: PTH100
        if all(Path(name).is_relative_to(os.path.realpath(place)) for name in real):
            return Located(_relative(place, folder), [_relative(name, place) for name in paths])
    return Located(_relative(of_real, folder), [_relative(name, of_real) for name in real])


def _relative(path: str, folder: str | Path) -> str:
    return PurePath(os.path.relpath(path, folder)).as_posix()


def source_settings(survey: Survey, names: Sequence[str]) -> Settings:
    """Return the settings of a study's source for the files of a dump, except for its columns."""
    of_formats = {file.format for file in survey.files}
    read_as = of_formats.pop() if len(of_formats) == 1 else "auto"
    settings: Settings = {"format": "auto" if read_as == "delimited" else read_as}
    if settings["format"] not in get_args(RecordFormat):
        settings = {"format": "plugin", "plugin": read_as}
    settings["files"] = names[0] if len(names) == 1 else list(names)
    if len(names) > _MOST_FILES and not survey.passed:
        folders = [PurePosixPath(name).parent for name in names]
        common = PurePosixPath(*_common_start([folder.parts for folder in folders]))
        within = "" if set(folders) == {common} else "**/"
        start = "" if common == PurePosixPath() else f"{common}/"
        settings["files"] = f"{start}{within}*{_common_suffix(names)}"
    given = survey.reading
    if given.delimiter is not None:
        settings["format"] = "csv"
    told = {"sheet": given.sheet, "table": given.table, "delimiter": given.delimiter, "unfold": survey.unfold}
    rows = given.header if isinstance(given.header, int) else [*given.header]
    told |= {"header": rows if rows != 1 else None}
    told |= {"encoding": given.encoding if given.encoding != "utf-8" else None}
    told |= {"missing": declared(survey.missing, survey.by_name, survey.records) or None}
    settings |= {name: one for name, one in told.items() if one is not None}
    settings["extra"] = "ignore"
    return settings


def _common_suffix(names: Sequence[str]) -> str:
    suffixes = {PurePosixPath(name).suffix for name in names}
    return suffixes.pop() if len(suffixes) == 1 else ""


class ModelForm(NamedTuple):
    """A pattern of file paths in which one part is the model."""

    form: str  # the pattern of the paths in a study file
    models: list[str]  # the model of each file
    steps: int = 0  # the number of levels from the file up to the folder named after the model; 0 for the file's name


def model_form(names: Sequence[str]) -> ModelForm | None:
    """Return the pattern of paths whose varying part is the model; None if that part only numbers parts or splits.

    >>> model_form(["a/run_gpt_4_final.csv", "a/run_llama_final.csv"])
    ModelForm(form='a/run_{model}_final.csv', models=['gpt_4', 'llama'], steps=0)
    >>> model_form(["runs/gpt-4/1.jsonl", "runs/llama/2.jsonl"])
    ModelForm(form='runs/{model}/*.jsonl', models=['gpt-4', 'llama'], steps=1)
    """
    form = _form_of_names(names) or _form_of_folders(names)
    return None if form is None or all(map(is_part, form.models)) else form


def model_of_all(names: Sequence[str], asked: Sequence[Path]) -> str | None:
    """Return the model in the name of a dump's only file, or of a folder that holds all its files.

    >>> model_of_all(["gpt-4o.csv"], [Path("gpt-4o.csv")])
    'gpt-4o'
    """
    within = next((place for place in asked if len(asked) == 1 and place.is_dir()), None)
    form = form_of(names) if len(names) > 1 else None
    paths = [PurePosixPath(name) for name in names]
    pieces = pieces_of([path.stem for path in paths]) if len(names) > 1 else []
    if (model := model_beside(pieces)) is not None:
        return model
    if form is not None and any(map(_name_models, form.values.values())):
        return None
    folders = [] if within is None else [path.parent.relative_to(within.parent.as_posix()).parts for path in paths]
    shared = [*_common_start(folders), *([paths[0].stem] if len(paths) == 1 else [])]
    return next((part for part in shared if MODEL.search(part)), None)


def is_part(name: str) -> bool:
    """Return whether a file is named like a part of a dump, or a split of a data set."""
    return _PART.fullmatch(name) is not None


def _form_of_names(names: Sequence[str]) -> ModelForm | None:
    """Return the common pattern of file names in one folder; None if there is none."""
    paths = [PurePosixPath(name) for name in names]
    stems = [path.name for path in paths]
    if len(set(stems)) <= 1 or len({path.parent for path in paths}) > 1 or pieces_of([path.stem for path in paths]):
        return None
    before = "".join(_common_start(stems))
    before = before[: max(before.rfind(separator) for separator in "_-. ") + 1]
    after = "".join(_common_start([stem[len(before) :][::-1] for stem in stems]))[::-1]
    after = after[min((place for place in map(after.find, "_-. ") if place >= 0), default=len(after)) :]
    models = [stem[len(before) : len(stem) - len(after)] for stem in stems]
    form = (paths[0].parent / f"{before}{{model}}{after}").as_posix()
    again = [_AGAIN.sub("", model) for model in models]
    models = [own if own in models else model for model, own in zip(models, again, strict=True)]
    return ModelForm(form, models) if all(len(stem) > len(before) + len(after) for stem in stems) else None


def _form_of_folders(names: Sequence[str]) -> ModelForm | None:
    """Return the pattern of paths of equal depth that differ in one folder; None if there is no such folder."""
    paths = [PurePosixPath(name).parts for name in names]
    if len({len(path) for path in paths}) != 1:
        return None
    different = [place for place, steps in enumerate(zip(*paths, strict=True)) if len({*steps}) > 1]
    different = [place for place in different if place < len(paths[0]) - 1]
    if len(different) != 1:
        return None
    [place] = different
    if any(map(pieces_of, ([path[place] for path in paths], [PurePosixPath(path[-1]).stem for path in paths]))):
        return None
    parts = [*paths[0][:place], "{model}", *paths[0][place + 1 :]]
    if len({path[-1] for path in paths}) > 1:
        parts[-1] = f"*{_common_suffix(names)}"
    return ModelForm("/".join(parts), [path[place] for path in paths], len(parts) - 1 - place)


def _common_start(sequences: Iterable[Sequence[str]]) -> list[str]:
    shared: list[str] = []
    for place in zip(*sequences, strict=False):
        if len(set(place)) > 1:
            break
        shared.append(place[0])
    return shared


def fallback_format(content: Content) -> Format | None:
    """Return the format of a text or JSON file that holds answers only if the dump's other files suggest it."""
    name = PurePosixPath(content.bare_name)
    if name.suffix.lower() in {".txt", ".md"}:
        return None if _ABOUT.fullmatch(name.stem) else plain_text.FILE
    return json_documents.TREE if is_tree(content) else None


def choose_formats(told: Mapping[Content, Format], others: Mapping[Content, Format]) -> dict[Content, Format]:
    """Return the formats of files with answers; if all are text and none has several lines, a file is one answer."""
    is_text = all(one is plain_text.FILE for one in others.values()) and len(told) + len(others) > 1
    if not told or not is_text or not all(one is plain_text.LINES for one in told.values()):
        return dict(told or others)
    is_short = all(b"\n" not in content.start().strip() for content in told)
    return dict.fromkeys([*told, *others], plain_text.FILE) if is_short else dict(told)


class Form(NamedTuple):
    """A pattern of the paths of files."""

    # the common parts of the paths, and at each difference the name of the column for it
    pieces: tuple[str, ...]
    values: dict[str, list[str]]  # column -> its value for each file

    def add(self, piece: str, values: Sequence[str] = ()) -> Form:
        """Return the form with one more piece: what all paths have, or a column with its value for each file."""
        return Form((*self.pieces, piece), self.values | ({piece: [*values]} if values else {}))

    def with_part(self, found: Sequence[str], kind: str, end: str) -> Form:
        """Return the form with one more part of paths, which is a column if it differs, and what ends it."""
        column = f"{kind}_{sum(name.startswith(kind) for name in self.values) + 1}"
        return (self.add(column, found) if len({*found}) > 1 else self.add(found[0])).add(end)

    def written(self, columns: Mapping[str, str]) -> str:
        """Format the pattern for a study file: columns that the study uses by their names there, others as `*`."""
        return "".join(columns.get(piece, "*") if piece in self.values else piece for piece in self.pieces)


def form_of(names: Sequence[str], *, is_table: bool = False) -> Form | None:
    """Return the pattern of file paths by the parts in which they differ; None for differing depths or wildcards.

    Names of tables that are made of a model and conditions are divided into these.

    >>> form_of(["runs/gpt-4/ann_nurse_1.txt", "runs/llama/ann_cook_2.txt"]).pieces
    ('runs', '/', 'folder_1', '/', 'ann', '_', 'name_1', '_', 'name_2', '.txt')
    >>> form_of(["model=gpt-4/0.parquet", "model=llama/0.parquet"]).pieces
    ('model=', 'folder.model', '', '/', '0', '.parquet')
    """
    paths = [PurePosixPath(name) for name in names]
    if len({(len(path.parts), path.suffix) for path in paths}) > 1 or re.search(r"[{}*]", "".join(names)):
        return None
    made = Form((), {})
    for steps in zip(*(path.parent.parts for path in paths), strict=True):
        whole = made.with_part(steps, "folder", "" if steps[0] == "/" else "/")
        made = _of_keys(made, steps) or (_of_pieces(made, steps, "/") if is_table else None) or whole
    stems = [path.stem for path in paths]
    if is_table and (whole := _of_pieces(made, stems, paths[0].suffix)):
        return whole
    signs = ("__", "_", " ") if any(map(MODEL.match, stems)) else ("__", "_", " ", "-", ".")
    split = next((sign for sign in signs if sign in stems[0] and len({stem.count(sign) for stem in stems}) == 1), "")
    parts = list(zip(*(stem.split(split) if split else [stem] for stem in stems), strict=True))
    for place, part in enumerate(parts, start=1):
        made = made.with_part(part, "name", split if place < len(parts) else paths[0].suffix)
    return made


def _of_pieces(made: Form, texts: Sequence[str], end: str) -> Form | None:
    """Add the things that names are made of to a form; None for names of one thing."""
    has_models = any(map(_name_models, made.values.values()))
    for name, found in (known := pieces_of(texts)):
        split = next((sign for sign in "_-" if sign in found[0] and len({one.count(sign) for one in found}) == 1), "")
        if name == "model" and has_models and split and not _name_models(found):  # a folder names the models
            *parts, last = zip(*(one.split(split) for one in found), strict=True)
            for part in parts:
                made = made.with_part(part, "name", split)
            made = made.with_part(last, "name", "")
            continue
        column = f"{OF_FOLDER}{name}"
        made = made.add(column, found) if name else made.add(found[0])
    return made.add(end) if known else None


def _of_keys(made: Form, steps: Sequence[str]) -> Form | None:
    """Add a folder's columns with their names, as in `model=gpt-4`; None for other folders."""
    if len({_KEYED.sub(r"\1=", step) for step in steps}) > 1 or not _KEYED.search(steps[0]):
        return None
    found = [_KEYED.findall(step) for step in steps]
    *between, end = _KEYED.split(steps[0])[::3]
    for before, pairs in zip(between, zip(*found, strict=True), strict=True):
        key, held = pairs[0][0], [value for _, value in pairs]
        made = made.add(f"{before}{key}=")
        made = made.add(f"{OF_FOLDER}{key}", held) if len({*held}) > 1 else made.add(held[0])
    return made.add(end).add("/")


def with_parts(files: Sequence[File], records: pl.LazyFrame, file: str) -> pl.LazyFrame:
    """Add columns for the parts in which file names differ to records; `file` is the column of the file names."""
    names = [one.name for one in files]
    form = form_of(names, is_table=_are_tables(files)) if len(names) > 1 else None
    own = {*records.collect_schema().names()}
    found = {} if form is None else form.values
    folders = [name for name in found if name.startswith("folder_")]
    # In tables, the name of a single folder is examined later, as it may be the model.
    of_models = [name for name in folders if _name_models(found[name])]
    of_models = of_models or [name for name in found if name.startswith("name_") and _name_models(found[name])]
    is_two = len({*folders, *of_models}) + any(name.startswith(OF_FOLDER) for name in found) > 1
    is_crossed = is_two and bool(of_models)
    is_one_each = len(files) > _FEW_MODELS and all(file.rows == 1 and file.format == "json" for file in files)
    parts = {
        name: values
        for name, values in found.items()
        if (name.startswith(OF_FOLDER) and name.removeprefix(OF_FOLDER) not in own)
        or (
            name not in own
            and (files[0].format in FORMATS or is_one_each or (is_crossed and name in {*folders, *of_models}))
        )
    }
    if not parts:
        return records
    known = pl.LazyFrame({file: names} | parts, schema_overrides=dict.fromkeys([file, *parts], pl.String))
    return records.join(known, on=file, how="left", maintain_order="left")


def _are_tables(files: Sequence[File]) -> bool:
    return all(file.format not in FORMATS for file in files)


def parts_in(found: Survey) -> list[str]:
    """List the columns that hold parts of the names of files and folders, or levels of nested JSON."""
    names = [file.name for file in found.files]
    form = form_of(names, is_table=_are_tables(found.files)) if len(names) > 1 else None
    made = {} if form is None else form.values
    # Records may have a column `name_1` of their own, of people.
    own = {name for name, values in made.items() if name in found.by_name and {*found.distinct(name)} <= {*values}}
    return [name for name in found.by_name if _PARTS.fullmatch(name) and (name.startswith(LEVEL) or name in own)]


def roles_of_parts(found: Survey) -> dict[str, str]:
    """Guess the roles of level columns: the model, the prompt or item, the repetition; the others are factors."""
    columns = found.by_name
    parts = [columns[name] for name in found.levels]
    told: dict[str, str] = {}
    if "model" not in columns and found.model is None and (model := _model(parts)) is not None:
        told["model"] = model.name
        parts.remove(model)
    numbers = [part for part in parts if part.kind == "integer" and 2 * part.distinct <= found.rows]
    if "sample" not in columns and numbers and len(parts) > 1:
        told["sample"] = numbers[-1].name
        parts.remove(numbers[-1])
    prompts = [one for one in found.columns if one.is_prompt and one not in parts and one.kind == "text"]
    own = [part for part in parts if part.distinct > 1]
    own = [
        part
        for part in own
        if not any(one.distinct > part.distinct and found.determines([one.name], part.name) for one in prompts)
    ]
    item = max(own, key=lambda part: (_is_asked(part), part.distinct, part.name), default=None)
    is_level = item is not None and (item.name.startswith(LEVEL) or item.distinct > _MOST_LEVELS)
    if item is not None and (is_level or all(map(_NUMBERED.fullmatch, item.values))):
        told["prompt" if " " in item.example.strip() else "item"] = item.name
    return told


def _is_asked(part: Column) -> bool:
    """Return whether a level holds what was asked, phrases or numbers of questions, and not groups in a word or two."""
    values = [*part.values] or [part.example]
    return all(map(_NUMBERED.fullmatch, values)) or 2 * sum(map(bool, map(_PHRASE.search, values))) > len(values)


def _model(parts: Sequence[Column]) -> Column | None:
    """Return the level that names models: one whose values are known models, or else the first of few single words."""
    words = [part for part in parts if part.kind == "text" and 0 < part.distinct <= _MOST_LEVELS]
    named = [part for part in words if _name_models([*part.values])]
    few = [part for part in words if part.distinct <= _FEW_MODELS and not any(" " in one for one in part.values)]
    named.sort(key=lambda part: not any(MODEL.search(one) and re.search(r"\d", one) for one in part.values))
    return next(iter(named or (few if len(parts) > 1 else [])), None)  # with numbers: not the models' owners, "Qwen"


def _name_models(values: Sequence[str]) -> bool:
    return 2 * sum(bool(MODEL.search(one)) for one in {*values}) >= len({*values})


def write_form(made: Draft, found: Survey, seen: Sequence[str]) -> None:
    """Read columns from the names of files, by a pattern, instead of from the records."""
    form = form_of(seen, is_table=_are_tables(found.files)) if len(seen) > 1 else None
    made_of_names = {*found.levels, *(name for name in found.by_name if name.startswith(OF_FOLDER))}
    if form is None or not made_of_names:
        return
    released = made.release(made_of_names & {*form.values})
    parts = {name: one["path"] for name, one in released.items()}
    whole = {name for name, one in released.items() if one.get("type") == "integer"}
    taken = {part: f"{{{name}:int}}" if name in whole else f"{{{name}}}" for name, part in parts.items()}
    written = form.written(taken)
    if not _fits(written, {name: form.values[part] for name, part in parts.items()}, found.files, seen):
        for name, part in parts.items():
            made.derive = {
                name: {"from": "file", "map": dict(zip(seen, form.values[part], strict=True))},
                **made.derive,
            }
        if whole:  # what is derived is no number
            del made.derive["sample"]
            made.source["samples_by"] = [name for name in made.key if name != "sample"]
        made.doubts.insert(0, "Parts of the names of files are columns. See `derive`.")
        return
    made.source |= {"files": written, "missing_files": "ignore"}
    made.doubts.insert(0, f"Parts of the names of folders and files are columns: {made.source['files']}. See `files`.")


def _fits(written: str, parts: Mapping[str, Sequence[str]], files: Sequence[File], seen: Sequence[str]) -> bool:
    """Return whether a pattern matches the files of a dump and no others, and gives each the values that it has."""
    if not _are_tables(files):
        return True
    pattern = Pattern.parse(written, is_path=True)
    told = [{part: values[place] for part, values in parts.items()} for place in range(len(seen))]
    found = [{part: str(value) for part, value in (pattern.match(name) or {}).items()} for name in seen]
    root = Path(files[0].name).parents[len(PurePosixPath(seen[0]).parts) - 1]
    others = (path.relative_to(root).as_posix() for path in root.glob(re.sub(r"\{[^}]*\}", "*", written)))
    return found == told and not any(pattern.match(name) for name in others if name not in seen)
