"""Detection and draft of the instrument `judge`."""

from __future__ import annotations

import json
import re
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.study.draft import categories_of, score
from tallybook.study.instrument_base import Proposal, Sample
from tallybook.study.names import free_name, header_name, plain, title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.instruments.judge.instrument import JudgeInstrument
    from tallybook.study.draft import Draft, Settings

_RANK = 90
"""After all instruments that read texts."""
_RANK_OF_JSON = 45
"""Propose judges before ratings and numbers: verdicts with reasons also hold numbers."""
_RANK_OF_ROWS = 4
"""Before all others: where each text has a row per judge, coding texts would count them several times."""
_JUDGES = re.compile(
    r"(^|_)(judge\w*|judgment|verdict|grade|grader|graded|evaluator|evaluation|scorer|score|assessment|harmfulness)(_|$)"
)
"""Names of columns of verdicts."""
_PEOPLE = re.compile(r"(^|_)(humans?|people|annot\w*|gold|truth|manual|experts?|raters?|coders?|participants?)\d*(_|$)")
"""Names of columns of people's codes."""
_PERSON = re.compile(r"(annotator|expert|rater|coder|participant)s?(_name)?")
"""Names of columns of who coded."""
_BESIDE = re.compile(r"(^|_)(reason|reasoning|rationale|explanation|comment|prompt|model|name|id|text)(_|$)")
_PATHS = ("score", "rating", "verdict", "label", "judgment", "grade", "answer")
"""The keys of JSON under which a verdict stands, the likelier first."""
_SAID = re.compile(r"(^|_)(text|response|answer|output|completion|reply|generation|winner|prefer\w*)(_|$)")
_ASKED = re.compile(r"(^|_)(question|instruction|input|query|scenario|vignette|persona)(_|$)")
_SURELY = re.compile(r"(^|_)(judges?|judge?ments?|graders?|evaluators?)(_|$)")
"""Names of columns of answers, of questions, and of what only judges give."""
_NUMBER = re.compile(r"_?(\d+|(?<=_)[a-z])(?=_|$)")
"""What numbers the people of several columns."""
_WORDS = 4
"""The mean number of words of texts."""
_FEW, _MOST, _FEWER = 12, 0.9, 2
"""The maximum number of labels of a judge, the minimum share of verdicts that must be read, and how many times as many
verdicts a judge gives as people, who code some of the responses."""


class _Verdicts(NamedTuple):
    column: str
    path: str | None
    numbers: pl.Series
    labels: pl.Series


def proposals(kind: type[JudgeInstrument], sample: Sample) -> Iterator[Proposal]:
    """Propose the instrument for columns that are named like verdicts and hold numbers or a few labels."""
    own = {"file", "key", "status", "text"}
    several = _of_several(sample.responses.columns)
    names = [name for name in sample.responses.columns if name not in own and "." not in name]
    judge = _judge_of_rows(sample.responses, names)
    headers = {name: header_name(name) for name in names if not _is_beside(name)}
    verdicts = {name for name, header in headers.items() if _JUDGES.search(header) and not _PEOPLE.search(header)}
    called = [name for name, header in headers.items() if name in verdicts or (judge and header == "rating")]
    # A tool that graded nothing writes the same score for all responses.
    called = [name for name in called if headers[name] != "score" or sample.responses[name].n_unique() > 1]
    called += [name for name in several if name not in called and (not verdicts or "." in name)]
    found = _verdicts(kind, sample, [name for name in called if name != judge])
    found = [one for one in found if one.numbers.len() or not any(_names_judge(one, other) for other in found)]
    if found:
        rank = _RANK_OF_ROWS if judge else _RANK_OF_JSON if any(one.path for one in found) else _RANK
        said = {one.column: max(one.numbers.len(), one.labels.len()) for one in found}
        few = [name for name, count in said.items() if _FEWER * count < max(said.values())]
        named = [name for name, header in headers.items() if _PEOPLE.search(header) and not _PERSON.fullmatch(header)]
        found = [one for one in found if one.column not in few]
        people = _verdicts(kind, sample, [*(one for one in named if one not in said and one != judge), *few])
        people = [one for one in people if any(_are_alike(one, other) for other in found)]
        used = [one.column for one in (*found, *people)]
        yield Proposal("judge", 1.0, rank, partial(_draft, found, judge, people), used)


def in_columns(kind: type[JudgeInstrument], sample: Sample) -> Iterator[Proposal]:
    """Propose the instrument for verdicts without texts, if a column says that a judge gave them."""
    names = [name for name in sample.responses.columns if not name.startswith("\0")]
    headers = [header_name(name) for name in names]
    words = sample.responses.select(pl.col(names).cast(pl.String).str.count_matches(r"\S+").mean()).row(0)
    is_text = (
        (mean or 0) >= _WORDS and not (_JUDGES.search(header) or _BESIDE.search(header) or _ASKED.search(header))
        for header, mean in zip(headers, words, strict=True)
    )
    if any(is_text) or any(map(_SAID.search, headers)) or not any(map(_SURELY.search, headers)):
        return
    called = [name for name in names if _JUDGES.search(header_name(name)) and not _is_beside(name)]
    called = [name for name in called if sample.responses.get_column(name).n_unique() > 1]  # not the judge's name
    found: list[_Verdicts] = []
    for one in sorted(_verdicts(kind, sample, called), key=lambda one: one.column not in sample.numbers):
        if not any(one.numbers.equals(known.numbers) and one.numbers.len() for known in found):
            found.append(one)
    if any(one.numbers.len() for one in found):
        yield Proposal("judge", 1.0, _RANK_OF_ROWS, partial(_draft, found, None, []), called)


def _of_several(names: Sequence[str]) -> list[str]:
    """Return the columns of several judges, `judges.NAME.score`, or of several people, `annotator_1`, `rater_B`."""
    found: dict[str, list[str]] = {}
    for name in names:
        header = header_name(name)
        *whole, judge, verdict = name.split(".") if name.count(".") > 1 else ("", "", "")
        if verdict.lower() in _PATHS and any(_JUDGES.search(header_name(one)) for one in (*whole, judge)):
            found.setdefault(".".join((*whole, "", verdict)), []).append(name)
        elif _PEOPLE.search(header) and not _is_beside(name) and (form := _NUMBER.sub("", header)) != header:
            found.setdefault(form, []).append(name)
    return [name for own in found.values() if len(own) > 1 for name in own]


def _judge_of_rows(responses: pl.DataFrame, names: list[str]) -> str | None:
    """Return the column that names the judge, if most texts repeat, once for each of its values; else None."""
    named = [name for name in names if _JUDGES.search(header_name(name)) or _PEOPLE.search(header_name(name))]
    texts = responses.group_by("text").agg(pl.len().alias("rows"), *(pl.col(name).n_unique() for name in named))
    repeated = texts.filter(pl.col("rows") > 1)
    if repeated.height <= texts.height / 2:
        return None
    most = repeated.get_column("rows").max()
    judges = (name for name in named if responses.get_column(name).n_unique() == most)
    return next((name for name in judges if (repeated[name] == repeated["rows"]).all()), None)


def _verdicts(kind: type[JudgeInstrument], sample: Sample, names: list[str]) -> list[_Verdicts]:
    """Return the columns whose cells can be read as verdicts."""
    cells = {name: sample.responses.get_column(name).cast(pl.String).replace("", None).drop_nulls() for name in names}
    paths = {name: _path(said[0]) for name, said in cells.items() if said.len() > 1}
    read: dict[str, tuple[pl.Series, pl.Series]] = {}
    for path in dict.fromkeys(paths.values()):
        read |= _read(kind, {name: cells[name] for name in paths if paths[name] == path}, path, [])
    found: list[_Verdicts] = []
    for name, path in paths.items():
        numbers, labels = read[name]
        often = labels.value_counts(name="times").filter(pl.col("times") > 1).get_column(labels.name).sort()
        if numbers.len() < labels.len() and 1 < often.len() <= _FEW:  # known labels are found in sentences, too
            numbers, labels = _read(kind, {name: cells[name]}, path, often.to_list())[name]
        is_read = max(numbers.len(), labels.len()) >= _MOST * cells[name].len()
        found += [_Verdicts(name, path, numbers, labels)] if is_read and labels.n_unique() <= _FEW else []
    return found


def _read(
    kind: type[JudgeInstrument], cells: dict[str, pl.Series], path: str | None, known: list[str]
) -> dict[str, tuple[pl.Series, pl.Series]]:
    """Return the numbers and the labels of columns, which are read as one: there may be thousands."""
    judge = {"column": "said", "labels": known} | ({"path": path} if path else {})
    instrument = kind.model_validate({"kind": "judge", "judges": {"one": judge}})
    said = pl.concat([column.rename("said") for column in cells.values()])
    made = instrument.code(pl.DataFrame({"said": said}).with_columns(status=pl.lit("ok")), {}).responses
    numbers, labels = made.get_column("one_score"), made.get_column("one_label")
    starts = accumulate(map(len, cells.values()), initial=0)
    return {
        name: (numbers.slice(start, column.len()).drop_nulls(), labels.slice(start, column.len()).drop_nulls())
        for start, (name, column) in zip(starts, cells.items(), strict=False)
    }


def _names_judge(one: _Verdicts, other: _Verdicts) -> bool:
    """Return whether a column of labels names who judges: always the same, or part of the other's name, unlike that."""
    is_part = header_name(other.column).startswith(f"{header_name(one.column)}_")
    return (is_part or one.labels.n_unique() == 1) and {*one.labels}.isdisjoint(other.labels)


def _are_alike(people: _Verdicts, judge: _Verdicts) -> bool:
    """Return whether people and a judge gave numbers on one scale, or the same labels."""
    tops = [abs(float(one.numbers.max() or 0)) for one in (people, judge)]  # pyright: ignore[reportArgumentType]  numbers
    is_scale = people.path is None and 0 < max(tops) < 2 * min(tops)
    return is_scale if people.numbers.len() and judge.numbers.len() else {*people.labels} <= {*judge.labels} != set()


def _path(cell: str) -> str | None:
    """Return the JSON key that holds the verdict; None if the cell is not JSON with a verdict."""
    try:
        found: Any = json.loads(cell)
    except (ValueError, RecursionError):
        return None
    told = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    numbers = [key for key, value in told.items() if isinstance(value, int | float) and not _is_beside(key)]
    named = [key for known in _PATHS for key in told if known in key.lower()]
    return next(iter(named), numbers[0] if len(numbers) == 1 else None)


def _is_beside(name: str) -> bool:
    return _BESIDE.search(header_name(name)) is not None


def _draft(found: list[_Verdicts], judge: str | None, people: list[_Verdicts], made: Draft) -> None:
    judges: dict[str, Settings] = {}
    for one in found:
        called = one.column.split(".")[-2] if one.column.count(".") > 1 else one.column
        short = re.sub(r"_(score|label|verdict|rating|grade|judgment)$", "", plain(called))
        name = free_name(short if short != "judge" else "judge_1", {*judges, *made.outcomes})
        column = made.take(one.column, free_name(f"{name}_verdict", made.columns))
        judges[name] = {"column": column} | ({"path": one.path} if one.path else {})
        if one.numbers.len() > one.labels.len():
            outcome: Settings = score(title(made.original(one.column)), f"{name}_score")
        else:
            shown = {label: label for label in sorted(set(one.labels))}
            outcome = categories_of(title(made.original(one.column)), f"{name}_label", shown)
            judges[name]["labels"] = list(shown)
        made.outcomes[name] = outcome
    made.instrument = {"kind": "judge", "judges": judges}
    for person in people[::-1]:  # each is kept beside the one before it, too
        own = next(name for name, one in zip(judges, found, strict=True) if _are_alike(person, one))
        _draft_person(person, own, made)
    made.doubts.append(
        "Columns are read as verdicts of judges by their names; one that is none would be an outcome without meaning. "
        "See `instrument`, `outcomes`."
    )
    if judge:
        made.doubts.append(
            f"Each response has a row for each {judge}, so that n counts verdicts. How far the judges agree is the "
            "statistic `level-agreement`."
        )


def _draft_person(person: _Verdicts, judge: str, made: Draft) -> None:
    """Keep what a person said of the responses, or of some, beside a judge's verdicts, which it corrects."""
    if person.numbers.len():
        name = free_name(plain(person.column), {*made.outcomes, *made.columns})
        others: list[str] = made.outcomes[judge].get("beside", [])
        beside = {"beside": others} if others else {}
        attribute = made.take(person.column, name, {"type": "number"})
        made.outcomes[name] = score(title(made.original(person.column)), attribute) | {"of_prompt": True, **beside}
        made.outcomes[judge]["beside"] = [name, *others]
        made.analyses[f"{judge}_and_people"] = {
            "statistic": "correlation",
            "outcomes": [judge, name, *others],
            "by": ["model"],
        }
        by = {"truth": name}
    else:
        name = made.take(person.column)
        codes = {label: code for code, [label] in made.outcomes[judge]["labels"].items()}
        steps = [{"trim": True}, {"lower_case": True}]
        made.columns[f"{name}_given"] = made.columns.pop(name)
        made.derive[name] = {"from": f"{name}_given", "normalise": steps, "map": codes, "missing": "uncoded"}
        made.factors[name] = {"label": title(name), "levels": {one: one for one in (*codes.values(), "uncoded")}}
        made.analyses[f"{judge}_and_{name}"] = {
            "statistic": "agreement",
            "outcomes": [judge],
            "factor": name,
            "by": ["model"],
        }
        by = {"factor": name}
    made.beside.append(name)
    corrected = {"statistic": "prediction-powered", "outcomes": [judge], "by": ["model"], **by}
    made.analyses[f"{judge}_corrected_by_{name}"] = corrected
    made.doubts.append(
        f"{printable(person.column)} is read as what people say of responses, and corrects {judge}; were it a judge, "
        f"it would have a mean of its own. See `instrument.judges`, `analyses.{judge}_corrected_by_{name}`."
    )
