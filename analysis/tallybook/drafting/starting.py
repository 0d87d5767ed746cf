"""The drafting of a study from beginning to end: a dump is read, and the files of a study of it are written."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, get_args

from tallybook.core.errors import DataError, UsageError
from tallybook.core.output import write_text
from tallybook.core.progress import progress
from tallybook.core.resources import REPORTS
from tallybook.core.untrusted import printable
from tallybook.drafting import instruments, roles
from tallybook.drafting.assembly import draft
from tallybook.drafting.counted_once import (
    FILTER,
    counts_beside,
    of_answers,
    of_calls,
    of_one_annotator,
    of_one_filter,
    of_one_role,
    without_totals,
)
from tallybook.drafting.files import located, write_form
from tallybook.drafting.inspection import inspection, listed, taken_for
from tallybook.drafting.preferences import preferences
from tallybook.drafting.results import of_results
from tallybook.drafting.shapes import in_messages, in_parts, joined, joined_tables, json_cell_paths, with_constants
from tallybook.drafting.sibling_columns import is_of_others
from tallybook.drafting.study_text import study_text
from tallybook.drafting.survey import ALL_SHEETS, ANSWERS, ASKED, PLAIN_NAMES, Reading, is_unknown, survey
from tallybook.drafting.unfolding import describe_wide, unfolded
from tallybook.drafting.wide_columns import wide
from tallybook.sources.formats.delimited import DELIMITERS
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import declared
from tallybook.study.names import identifier, plain
from tallybook.study.record_sources import Encoding
from tallybook.study.schemas import table_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from tallybook.core.progress import Progress
    from tallybook.drafting.columns import Column
    from tallybook.drafting.roles import Roles
    from tallybook.drafting.survey import Survey
    from tallybook.drafting.unfolding import Wide
    from tallybook.study.draft import Draft
    from tallybook.study.instrument_base import Proposal
    from tallybook.study.model import Study

    Ask = Callable[[str, Sequence[str]], str]
    Watched = Callable[[], AbstractContextManager[Progress]]
    Look = Callable[[Reading], Survey]

WORKFLOW = """\
# Continuous integration: a dump that breaks its schema is refused. For GitHub: .github/workflows/tallybook.yml
# Replace OWNER/tallybook with the address of Tallybook's repository, the version for a tag of it.
name: responses
on: [push, pull_request]
permissions:
  contents: read
jobs:
  validate:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - uses: OWNER/tallybook@vVERSION
        with:
          targets: STUDY
"""
_READING = ("sheet", "delimiter", "encoding", "table", "filter", "header")
"""The names of the user's settings for how a dump is read."""
_FAILED = {"error", "canceled", "expired"}
_TRIED = 100
"""The number of records on which instruments are tried to find the column of answers."""
_LONG, _MOST_READ, _TWO = 60, 0.95, 2
_MEANING = "Names that mean something else in study files are changed"
_UNWATCHED = partial(progress, quiet=True)


class Started(NamedTuple):
    """A drafted study and the summary of its dump."""

    found: str  # the summary of the dump, for people to read
    draft: Draft  # the study
    text: str  # the study file's text
    study: Study  # the parsed declaration
    rows: int  # the number of records in the dump
    files: tuple[Path, ...] = ()  # the files that were written


def start(
    dump: Sequence[Path],
    folder: Path,
    told: Sequence[str],
    *,
    name: str | None = None,
    instrument: str | None = None,
    ask: Ask | None = None,
    replace: bool = False,
    watched: Watched = _UNWATCHED,
) -> Started:
    """Draft a study of a dump and write its files."""
    names = ("study.toml", "responses.schema.json", "report/index.qmd", "ci.yml")
    targets = tuple(folder / name for name in names)
    if not replace and (there := [target for target in targets if target.exists()]):
        raise UsageError(f"{there[0]} exists; --force replaces it, --out writes elsewhere")
    made = outline(dump, folder, told, name=name, instrument=instrument, ask=ask, watched=watched)
    contents = [
        made.text,
        json.dumps(table_schema(made.study), indent=2, ensure_ascii=False) + "\n",
        (REPORTS / "default" / "index.qmd").read_text(encoding="utf-8"),
        _workflow(targets[0], made.draft.data),
    ]
    try:
        for target, content in zip(targets, contents, strict=True):
            target.parent.mkdir(parents=True, exist_ok=True)
            write_text(target, content)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
    return made._replace(files=targets)


def _workflow(study: Path, data: str) -> str:
    def quoted(path: Path) -> str:
        return json.dumps(path.as_posix(), ensure_ascii=False)  # valid YAML, too

    text = WORKFLOW.replace("VERSION", version("tallybook")).replace("STUDY", quoted(study))
    if not data.startswith(".."):
        return text
    return f"{text}          data: {quoted(Path(os.path.relpath(study.parent / data)))}\n"


def outline(
    dump: Sequence[Path],
    folder: Path,
    told: Sequence[str],
    *,
    name: str | None = None,
    instrument: str | None = None,
    ask: Ask | None = None,
    watched: Watched = _UNWATCHED,
) -> Started:
    """Draft a study of a dump without writing anything."""

    def look(reading: Reading) -> Survey:
        with watched() as shown:  # progress must have left the terminal before questions are asked
            try:
                found, columns = of_answers(dump, shown, reading), roles.of_columns(answers)
            except DataError as error:
                raise (UsageError(str(error)) if is_unknown(error) else error) from None
            if found.sheets and found.combinations(["sheet"]) == 1:
                found = _of_one(found, "sheet", found.sheets, partial(survey, dump, shown), reading, answers=columns)
            if found.tables:
                found = _of_one(found, "table", found.tables, partial(survey, dump, shown), reading, answers=columns)
            found = of_one_role(of_one_filter(without_totals(found)))
            return joined(of_calls(found, roles.guess(found, columns).model), columns)

    answers = _settings(told)
    reading = _reading(answers)
    found, reading = _read_nested(look(reading), look, reading, answers)
    found = with_constants(found, answers)
    named, instrument = _named(found, answers, instrument)
    if (options := answers.pop("options", None)) is not None:
        if instrument not in {None, "ranking", "attribute-choice"}:
            raise UsageError("--set options= names what is ranked or chosen: --instrument ranking or attribute-choice")
        named, instrument = named | {"options": options}, instrument or "ranking"
    _check_answers(found)
    found = in_parts(found)
    found, beside, of_numbers = _reshape(found, look, reading, answers, kind=instrument, named=named)
    if of_numbers is None:
        found, coded = of_one_annotator(found, roles.guess(found, answers))
        chosen, proposal = _read_by(found, coded | answers, ask, instrument, named)
    else:  # the answers are numbers in columns, and the texts are questions
        proposal = of_numbers
        chosen = roles.guess(found, {"text": ""} | answers).but(proposal.columns)
        if chosen.item is None and "line" in {*proposal.columns} & found.by_name.keys():
            chosen = chosen._replace(item="line")
    called = name or Path(os.path.abspath(dump[0])).stem  # noqa: PTH100  keeps links
    made = draft(called, folder, found, chosen, proposal)
    if beside is not None:
        made.doubts.insert(0, describe_wide(beside, listed))
    made.doubts.extend(_unsure(found, chosen, proposal))
    renamed = {column: name for column, name in made.used.items() if name == f"{identifier(plain(column))}_column"}
    told_names = ", ".join(f"{printable(column)} is {name}" for column, name in renamed.items())
    made.doubts.extend([f"{_MEANING}: {told_names}."] if renamed else [])
    taken = {path: taken_for(column, made) for path, column in made.used.items()}
    write_form(made, found, located([file.name for file in found.files], folder).names)
    used = {*taken, *(found.unfold or {}).get("columns", {}), *ANSWERS, *ASKED}
    used |= {*beside.paths, beside.into, *(path.partition(".")[0] for path in beside.paths)} if beside else set()
    used |= {path[:place] for path in made.used for place, sign in enumerate(path) if sign == "."}
    used |= {*found.levels, *found.parts}
    left = [column for column in found.columns if column.name not in used]
    made.doubts[:] = [*of_results(found), *made.doubts, *_unread(left, found, chosen.prompt)]
    text = study_text(made)
    study = declared(text, folder / "study.toml")
    return Started(inspection(found, taken, proposal, [column.name for column in left]), made, text, study, found.rows)


def _of_one(
    found: Survey, part: str, names: Sequence[str], read: Look, reading: Reading, *, answers: Mapping[str, str]
) -> Survey:
    """Read only the sheet or table whose answers an instrument reads best, and sheets with its headers in its rows."""
    best, most = "", (-1.0, 0)
    surveys: dict[str, Survey] = {}
    for name in names:
        try:
            own = read(reading._replace(**{part: name}))
            chosen = roles.guess(own, answers)
            is_answered = bool(chosen.text or chosen.labels or chosen.scores)
            share = instruments.propose(own, chosen, None, {}).share if is_answered else -1.0
        except (DataError, UsageError):
            continue
        surveys[name] = own
        if (share, own.rows) > most:
            best, most = name, (share, own.rows)
    if not best:
        return found
    whole = surveys.pop(best)
    if part == "sheet" and whole.reading.header != found.reading.header:
        with suppress(DataError):
            again = read(reading._replace(sheet="*", header=whole.reading.header))
            if again.combinations([part]) > 1 and best in again.distinct(part):
                return replace(again, guessed=(ALL_SHEETS, *whole.guessed))
    whole = joined_tables(whole, surveys) if part == "table" else whole
    others = [name for name in names if name not in {best, *(table.table for table in whole.joined)}]
    said = f"The {part} {printable(best)} is read, not {listed(others)}: --set {part}=NAME reads another. See `{part}`."
    return replace(whole, guessed=(*([said] if others else []), *whole.guessed))


def _read_nested(found: Survey, look: Look, reading: Reading, answers: dict[str, str]) -> tuple[Survey, Reading]:
    """Read the dump again with paths into JSON objects and lists of messages, where these hold data or answers."""
    if (preferred := preferences(found, answers)) is not None:
        answers |= preferred.roles | answers
        found = replace(found, guessed=(*found.guessed, preferred.said))
    if inner := json_cell_paths(found, roles.of_columns(answers)):
        reading = reading._replace(paths=(*reading.paths, *inner))
        found = look(reading)
    paths = in_messages(found, roles.of_columns(answers))
    if not paths:
        return found, reading
    answers |= paths | answers
    reading = reading._replace(paths=(*reading.paths, *paths.values()))
    said = f"Messages are read as {' and '.join(paths)}: {listed(paths.values())}; --set text=COLUMN names others."
    found = look(reading)
    return replace(found, guessed=(*found.guessed, said)), reading


def _reshape(
    found: Survey, look: Look, reading: Reading, answers: dict[str, str], *, kind: str | None, named: dict[str, str]
) -> tuple[Survey, Wide | None, Proposal | None]:
    """Reshape side-by-side answers to one row each; propose an instrument for answers that are numbers in columns."""
    if kind is not None and not INSTRUMENTS[kind].reads_text and {*INSTRUMENTS[kind].roles} <= named.keys():
        return found, None, instruments.propose_of_numbers(found, kind, named)
    beside = None if answers.keys() & {"text", "labels", "scores"} else counts_beside(found) or wide(found)
    is_tool_output = found.files[0].format not in PLAIN_NAMES
    is_given = is_tool_output and "text" in found.by_name and found.by_name["text"].kind != "empty"
    is_survey = beside is not None and beside.into == "item"
    is_of_models = beside is not None and (beside.into == "text" or {"text", "model"} <= beside.forms.keys())
    if "text" not in answers and not (is_survey or is_given or is_of_models):
        kinds = INSTRUMENTS.classes.values() if kind is None else [INSTRUMENTS[kind]]
        # Parts of names are no options, though they are numbered like them.
        records = found.sample.select([*found.by_name]).drop(found.levels).head(_TRIED)
        own = [column for one in kinds for column in one.answers(records)]
        if own and not (beside is not None and {*own} <= {*beside.paths}):
            answers["text"] = own[0]
    is_of_numbers = beside is not None and "text" not in {beside.into, *beside.forms}
    is_told = is_of_numbers or is_of_models or bool(answers.get("text"))
    told = named | ({"scores": answers["scores"]} if answers.get("scores") else {})
    of_numbers = None if is_told else instruments.propose_of_numbers(found, kind, told)
    if beside is None or of_numbers is not None or "text" in answers:
        return found, None, of_numbers
    if any(path not in found.by_name for path in beside.paths):
        found = look(reading._replace(paths=(*reading.paths, *beside.paths)))
    found = unfolded(found, beside)
    return found, beside, instruments.propose_of_numbers(found, kind, named) if is_of_numbers else None


def _read_by(
    found: Survey, answers: dict[str, str], ask: Ask | None, instrument: str | None, named: dict[str, str]
) -> tuple[Roles, Proposal]:
    """Return the columns' roles and the proposal of an instrument for the texts."""
    chosen = _chosen_roles(found, answers, ask)
    if chosen.text is None and not chosen.labels and not chosen.scores:
        there = ". ".join([", ".join(map(printable, found.by_name)), *of_results(found)])
        raise UsageError(
            "no column looks like an answer: name it by --set text=COLUMN, or coded answers by --set labels=COLUMN or "
            f"scores=COLUMN; the columns are {there}"
        )
    proposal = instruments.propose(found, chosen, instrument, named)
    if proposal.draft is None and chosen.text is not None and roles.is_found_by_structure(found, chosen):
        chosen = chosen._replace(text=None, labels=(*chosen.labels, chosen.text))
    return chosen, proposal


def _check_answers(found: Survey) -> None:
    """Raise a `UsageError` with the reason if all requests of a run failed."""
    status, text, errors = map(found.by_name.get, ("status", "text", "error"))
    if text and text.kind == "empty" and errors and status and {*status.values} <= _FAILED:
        counted = ", ".join(f"{times} {name}" for name, times in status.values.items())
        error = printable(errors.example, 160)
        raise UsageError(
            f"nothing was answered: all {found.rows} records failed ({counted}), for example with: {error}"
        )


def _unsure(found: Survey, chosen: Roles, proposal: Proposal) -> list[str]:
    """Describe what was guessed, and what would change if a guess were wrong."""
    if chosen.text is None:
        return [*proposal.said]
    texts = found.sample.get_column(chosen.text)
    doubts = [*proposal.said, *([said] if not proposal.share and (said := instruments.hint(texts)) else [])]
    others = [
        column.name
        for column in found.columns
        if column.name not in {chosen.text, chosen.prompt}
        and column.length >= _LONG
        and column.distinct > 1
        and not chosen.text.startswith((f"{column.name}.", "text"))
    ]
    if "text" not in chosen.told and others and found.files[0].format in PLAIN_NAMES:
        doubts.append(
            f"{printable(chosen.text)} is read as the answer, not {listed(others)}; another would change every number: "
            "--set text=COLUMN."
        )
    if proposal.draft is not None and 0 < proposal.share < _MOST_READ:
        doubts.append(
            f"{proposal.kind} reads {proposal.share:.0%} of the sampled texts; `tallybook uncoded` lists the others, "
            "which count as invalid."
        )
    return doubts


def _unread(left: Sequence[Column], found: Survey, prompt: str | None) -> list[str]:
    """Name the columns that are not read although they look like answers."""
    if found.files[0].format not in PLAIN_NAMES:
        return []
    likely = [one for one in left if one.distinct > 1 and not one.is_bookkeeping and one.name != prompt]
    likely = [one for one in likely if not is_of_others(one.name)]
    names = [one.name for one in likely if one.is_called_answer or one.is_label or one.is_score]
    verb = "looks like an answer and is" if len(names) == 1 else "look like answers and are"
    said = f"{listed(names)} {verb} not read. See `unfold` and `outcomes`, or --set text=COLUMN, labels= or scores=."
    return [said] if names else []


def _reading(answers: dict[str, str]) -> Reading:
    """Remove the settings for how a dump is read from the user's settings, and return them."""
    told = {setting: answers.pop(setting) for setting in _READING if setting in answers}
    delimiter, encoding, header = told.get("delimiter"), told.get("encoding", "utf-8"), told.pop("header", "1")
    if delimiter is not None and delimiter not in DELIMITERS:
        raise UsageError(f"--set delimiter={printable(delimiter)}: expected one of , ; | or a tab")
    if encoding not in get_args(Encoding):
        raise UsageError(f"--set encoding={printable(encoding)}: expected one of {', '.join(get_args(Encoding))}")
    rows = header.split(",")
    if len(rows) > _TWO or not all(row.isdecimal() and int(row) for row in rows):
        raise UsageError(
            f"--set header={printable(header)}: expected the row of the headers, counted from 1, or two rows"
        )
    header_rows = (int(rows[0]), int(rows[1])) if len(rows) == _TWO else int(header)
    if FILTER in answers.get("factors", "").split(","):
        told["filter"] = ""
    paths = (name.strip() for role, given in answers.items() if role != "options" for name in given.split(","))
    return Reading(tuple(path for path in paths if path), header=header_rows, **told)


def _settings(told: Sequence[str]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for text in told:
        role, equals, column = text.partition("=")
        if not equals:
            raise UsageError(f"--set {printable(text)}: expected ROLE=COLUMN, such as text=reply")
        if settings.setdefault(role.strip(), column.strip(" ")) != column.strip(" "):
            raise UsageError(f"--set {printable(text)}: {printable(role.strip())} is given twice; expected once")
    return settings


def _named(found: Survey, answers: dict[str, str], instrument: str | None) -> tuple[dict[str, str], str | None]:
    """Return the columns of instruments' roles, set by the user or by column names, and the instrument.

    An instrument of numbers whose columns the user names is the instrument, whatever other columns hold.
    """
    named: dict[str, str] = {"text": answers["text"]} if answers.get("text") else {}
    called = {plain(column.name): column.name for column in found.columns}
    for name, kind in INSTRUMENTS.classes.items():
        together = kind.roles
        own = {role: answers.pop(role) for role in together if role in answers}
        if own and (absent := [role for role in together if role not in own]):
            raise UsageError(f"--set {absent[0]}=COLUMN is needed too: {', '.join(together)} belong together")
        for role, column in own.items():
            if column not in found.by_name and column not in found.constants:
                raise UsageError(f"--set {role}={printable(column)}: no such column")
        instrument = instrument or (name if own and not kind.reads_text else None)
        own = own or {role: called[role] for role in together if role in called and role not in named}
        named |= own if len(own) == len(together) else {}
    return named, instrument


def _chosen_roles(found: Survey, answers: dict[str, str], ask: Ask | None) -> Roles:
    """Return the roles; ask for a text or model column that neither names nor the user's settings give."""
    chosen = roles.guess(found, answers)
    if ask is None:
        return chosen
    for role, question in (("text", "Which column holds the response's text?"), ("model", "Which names the model?")):
        if getattr(chosen, role) is None and role not in answers:
            answers[role] = ask(question, [column.name for column in found.columns])
    return roles.guess(found, answers)
