"""The start of a study: a dump is looked at, and the files of a study that reads it are written."""

from __future__ import annotations

import json
import os
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, get_args

from tallybook.core.errors import UsageError
from tallybook.core.output import write_text
from tallybook.core.resources import REPORTS
from tallybook.core.untrusted import printable
from tallybook.drafting import instruments, roles
from tallybook.drafting.assembly import draft
from tallybook.drafting.beside import joined
from tallybook.drafting.files import located
from tallybook.drafting.inspection import inspection
from tallybook.drafting.name_parts import FORMATS, PART, write_form
from tallybook.drafting.study_text import study_text
from tallybook.drafting.survey import ANSWERS, ASKED, FILTER, Reading, survey
from tallybook.drafting.wide import told_of, unfolded, wide
from tallybook.sources.formats.delimited import DELIMITERS
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.labels import with_labels
from tallybook.study.model import Study
from tallybook.study.names import plain, title
from tallybook.study.record_sources import Encoding
from tallybook.study.schemas import table_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tallybook.drafting.roles import Roles
    from tallybook.drafting.survey import Survey
    from tallybook.study.draft import Draft
    from tallybook.study.instrument_base import Proposal

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


class Started(NamedTuple):
    """What was made of a dump."""

    found: str  # what the dump holds, for people to read
    draft: Draft  # the study
    files: tuple[Path, ...]  # the files that were written
    rows: int  # how many records the dump holds


class Outline(NamedTuple):
    """What was made of a dump before it is written."""

    found: str  # what the dump holds, for people to read
    draft: Draft  # the study
    text: str  # the study file's text
    study: Study  # the declaration that it is read as
    rows: int  # how many records the dump holds


def _look(dump: Sequence[Path], reading: Reading) -> Survey:
    return survey(dump, reading=reading)


def start(
    dump: Sequence[Path],
    folder: Path,
    told: Sequence[str],
    *,
    name: str | None = None,
    instrument: str | None = None,
    ask: Callable[[str, Sequence[str]], str] | None = None,
    replace: bool = False,
    look: Callable[[Sequence[Path], Reading], Survey] = _look,
) -> Started:
    """Look at a dump and write a study."""
    targets = [
        folder / "study.toml",
        folder / "responses.schema.json",
        folder / "report" / "index.qmd",
        folder / "ci.yml",
    ]
    if not replace and (there := [target for target in targets if target.exists()]):
        raise UsageError(f"{there[0]} exists; --force replaces it, --out writes elsewhere")
    outlined = outline(dump, folder, told, name=name, instrument=instrument, ask=ask, look=look)
    contents = [
        outlined.text,
        json.dumps(table_schema(outlined.study), indent=2, ensure_ascii=False) + "\n",
        (REPORTS / "default" / "index.qmd").read_text(encoding="utf-8"),
        _workflow(targets[0], outlined.draft.data),
    ]
    try:
        for target, content in zip(targets, contents, strict=True):
            target.parent.mkdir(parents=True, exist_ok=True)
            write_text(target, content)
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror}") from None
    return Started(outlined.found, outlined.draft, tuple(targets), outlined.rows)


def _workflow(study: Path, data: str) -> str:
    quoted = json.dumps(study.as_posix(), ensure_ascii=False)  # as YAML reads it too
    text = WORKFLOW.replace("VERSION", version("tallybook")).replace("STUDY", quoted)
    if not data.startswith(".."):
        return text
    folder = Path(os.path.relpath(study.parent / data))
    return f"{text}          data: {json.dumps(folder.as_posix(), ensure_ascii=False)}\n"


def outline(
    dump: Sequence[Path],
    folder: Path,
    told: Sequence[str],
    *,
    name: str | None = None,
    instrument: str | None = None,
    ask: Callable[[str, Sequence[str]], str] | None = None,
    look: Callable[[Sequence[Path], Reading], Survey] = _look,
) -> Outline:
    """Draft a study of a dump, without writing anything."""
    answers = _settings(told)
    reading = reading_of(told)
    for setting in _READING:
        answers.pop(setting, None)
    found = joined(look(dump, reading), answers)
    named = _named(found, answers)
    if (options := answers.pop("options", None)) is not None:
        if instrument not in {None, "ranking"}:
            raise UsageError("--set options= names the options of a ranking: --instrument ranking")
        named, instrument = named | {"options": options}, "ranking"
    kinds = INSTRUMENTS.classes.values() if instrument is None else [INSTRUMENTS[instrument]]
    records = found.sample.select(list(found.by_name)).head(_TRIED)
    beside = wide(found) if not answers.keys() & {"text", "labels", "scores"} else None
    is_survey = beside is not None and beside.into == "item"
    _check_answers(found)
    is_given = (
        "text" in found.by_name
        and found.by_name["text"].kind != "empty"
        and found.files[0].format not in roles.PLAIN_NAMES
    )
    if (
        "text" not in answers
        and not (is_survey or is_given)
        and (own := [name for kind in kinds for name in kind.answers(records)])
    ):
        answers["text"] = own[0]
    of_numbers = None if answers.get("text") else instruments.propose_of_numbers(found, instrument, named)
    beside = None if of_numbers is not None or "text" in answers else beside
    if beside is not None:
        if any(path not in found.by_name for path in beside.paths):
            found = joined(look(dump, reading._replace(paths=(*reading.paths, *beside.paths))), answers)
        found = unfolded(found, beside)
    chosen = _chosen_roles(found, answers, ask) if of_numbers is None else _without_text(found, answers, of_numbers)
    if of_numbers is None and chosen.text is None and not chosen.labels and not chosen.scores:
        raise UsageError(
            "no column looks like an answer: --set text=COLUMN names that of the texts, --set labels=COLUMN or "
            f"scores=COLUMN answers that are coded; there are {', '.join(map(printable, found.by_name))}"
        )
    proposal = of_numbers or instruments.propose(found, chosen, instrument, named)
    if proposal.draft is None and chosen.text is not None and roles.is_found_by_structure(found, chosen):
        chosen = chosen._replace(text=None, labels=(*chosen.labels, chosen.text))
    called = name or Path(os.path.abspath(dump[0])).stem  # noqa: PTH100  keeps links
    made = draft(called, folder, found, chosen, proposal)
    if beside is not None:
        made.doubts.insert(0, told_of(beside, listed))
    made.doubts.extend(_unsure(found, chosen, proposal))
    paths = {column: settings["path"] for column, settings in made.columns.items()}
    paths |= {column: path for lookup in made.source.get("lookups", ()) for column, path in lookup["take"].items()}
    taken = {path: _taken_for(column, made) for column, path in paths.items()}
    write_form(made, found, located([file.name for file in found.files], folder).names)
    text = study_text(made)
    study = Study.model_validate(with_labels(tomllib.loads(text)))
    used = {*taken, *(beside.paths if beside else ())}
    left = [
        column.name for column in found.columns if column.name not in used | {*(found.unfold or {}).get("columns", {})}
    ]
    left = [name for name in left if name not in {*ANSWERS, *ASKED} and (beside is None or name != beside.into)]
    left = [name for name in left if found.files[0].format not in FORMATS or not PART.fullmatch(name)]
    return Outline(inspection(found, taken, proposal, left), made, text, study, found.rows)


def _check_answers(found: Survey) -> None:
    """Refuse what a tool wrote of a run in which nothing was answered, and say why."""
    status, text = found.by_name.get("status"), found.by_name.get("text")
    if (
        text is None
        or text.kind != "empty"
        or status is None
        or not {*status.values} <= _FAILED
        or "error" not in found.by_name
    ):
        return
    counted = ", ".join(f"{times} {name}" for name, times in status.values.items())
    error = printable(found.by_name["error"].example, 160)
    raise UsageError(f"nothing was answered: all {found.rows} records failed ({counted}), for instance with: {error}")


_FAILED = {"error", "canceled", "expired"}


def listed(names: Iterable[str]) -> str:
    """List some names, not too many."""
    shown = [printable(name, 40) for name in names]
    return ", ".join(shown[:_SHOWN]) + (f" and {len(shown) - _SHOWN} more" if len(shown) > _SHOWN else "")


_SHOWN = 12
_TRIED = 100
"""By how many records instruments tell which column holds their answers."""


def _unsure(found: Survey, chosen: Roles, proposal: Proposal) -> list[str]:
    """Say what was guessed, and what would change if it were wrong."""
    doubts: list[str] = []
    others = [
        column.name
        for column in found.columns
        if column.name not in {chosen.text, chosen.prompt}
        and column.length >= _LONG
        and column.distinct > 1
        and not (chosen.text or "").startswith((f"{column.name}.", "text"))
    ]
    if chosen.text is not None and "text" not in chosen.told and others and found.files[0].format in roles.PLAIN_NAMES:
        doubts.append(
            f"{printable(chosen.text)} is taken as the answer, not {listed(others)}: were it another, every number "
            "would change. --set text=COLUMN."
        )
    if proposal.draft is not None and 0 < proposal.share < _MOST_READ and chosen.text is not None:
        doubts.append(
            f"{proposal.kind} reads {proposal.share:.0%} of the texts looked at: `tallybook uncoded` lists the others, "
            "which no share counts as an answer."
        )
    return doubts


_LONG, _MOST_READ = 60, 0.95


_READING = ("sheet", "delimiter", "encoding", "table", "filter", "header")
"""What can be told of how a dump is read."""


def reading_of(told: Sequence[str]) -> Reading:
    """Get how the user says that a dump is read."""
    answers = _settings(told)
    sheet, delimiter, encoding, table, filtered, header = (answers.pop(setting, None) for setting in _READING)
    if delimiter is not None and delimiter not in DELIMITERS:
        raise UsageError(f"--set delimiter={printable(delimiter)}: expected one of , ; | or a tab")
    if encoding is not None and encoding not in get_args(Encoding):
        raise UsageError(f"--set encoding={printable(encoding)}: expected one of {', '.join(get_args(Encoding))}")
    if header is not None and not (header.isdecimal() and int(header)):
        raise UsageError(f"--set header={printable(header)}: expected the row of the headers, counted from 1")
    answers.pop("options", None)
    if FILTER in answers.get("factors", "").split(","):
        filtered = ""
    paths = tuple(name.strip() for given in answers.values() for name in given.split(","))
    named = tuple(path for path in paths if path)
    return Reading(named, sheet, delimiter, encoding or "utf-8", table, filtered, int(header or 1))


def _settings(told: Sequence[str]) -> dict[str, str]:
    settings: dict[str, str] = {}
    for text in told:
        role, equals, column = text.partition("=")
        if not equals:
            raise UsageError(f"--set {printable(text)}: expected ROLE=COLUMN, such as text=reply")
        if settings.setdefault(role.strip(), column.strip(" ")) != column.strip(" "):
            raise UsageError(f"--set {printable(text)}: {printable(role.strip())} is given twice; expected once")
    return settings


def _named(found: Survey, answers: dict[str, str]) -> dict[str, str]:
    """Get the columns of instruments' own roles, as the user says or as they are called."""
    named: dict[str, str] = {}
    called = {plain(column.name): column.name for column in found.columns}
    for together in dict.fromkeys(kind.roles for kind in INSTRUMENTS.classes.values()):
        own = {role: answers.pop(role) for role in together if role in answers}
        if own and (absent := [role for role in together if role not in own]):
            raise UsageError(f"--set {absent[0]}=COLUMN is needed too: {', '.join(together)} belong together")
        for role, column in own.items():
            if column not in found.by_name:
                raise UsageError(f"--set {role}={printable(column)}: no such column")
        own = own or {role: called[role] for role in together if role in called}
        named |= own if len(own) == len(together) else {}
    return named


def _chosen_roles(found: Survey, answers: dict[str, str], ask: Callable[[str, Sequence[str]], str] | None) -> Roles:
    """Get the roles: what neither the columns' names nor the user says is asked, if anybody is there to answer."""
    chosen = roles.guess(found, answers)
    if ask is None:
        return chosen
    for role, question in (("text", "Which column holds the response's text?"), ("model", "Which names the model?")):
        if getattr(chosen, role) is None and role not in answers:
            answers[role] = ask(question, [column.name for column in found.columns])
    return roles.guess(found, answers)


def _without_text(found: Survey, answers: dict[str, str], proposal: Proposal) -> Roles:
    """Get the roles in a dump whose answers are numbers in columns: its texts were asked, not answered."""
    guessed = roles.guess(found, {"text": ""} | answers)
    own = {
        role: tuple(name for name in getattr(guessed, role) if name not in proposal.columns)
        for role in ("factors", "labels", "scores")
    }
    item = guessed.item or ("line" if "line" in proposal.columns else None)
    return guessed._replace(**own, item=item)


def _taken_for(column: str, made: Draft) -> str:
    """Say what a column became in the study."""
    if column in {"model", "text", "item", "sample", "status"}:
        return column
    if column in made.factors or column.removesuffix("_given") in made.factors:
        return f"factor {column.removesuffix('_given')}"
    options = made.instrument.get("options", {})
    if column == options or column in (options.values() if isinstance(options, dict) else options):
        return "option"
    words = {used: role for role, used in made.instrument.get("columns", {}).items()}
    if column in words:
        return f"{words[column]} {'group' if words[column] in {'default', 'stigma'} else 'words'}"
    uses = [outcome for outcome, settings in made.outcomes.items() if settings["attribute"] == column]
    return f"outcome {uses[0]}" if uses else title(column)
