"""Detection and draft of the instrument `ranking`."""

from __future__ import annotations

import os
import re
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.errors import DataError
from tallybook.instruments.offered import PLACE, beside, listed, place_of, ranked
from tallybook.instruments.ranking.coder import elements
from tallybook.instruments.ranking.instrument import COMPLETENESS, REASONS
from tallybook.instruments.reading import named_in
from tallybook.study.draft import category, named, score
from tallybook.study.instrument_base import Proposal, Sample
from tallybook.study.names import free_names, header_name, identifier, title, unique_labels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.instruments.ranking.instrument import RankingInstrument
    from tallybook.study.draft import Draft

_RANK = 8
_MOST, _FEWEST = 30, 2
"""The most and the fewest options."""
_PROMPTS = 200
"""The most prompts that are looked at."""
_LONGEST = 60
"""The longest text of an option, in characters."""
_EACH = 8
"""The maximum number of options for which the rank of each is an outcome."""
_ROWS, _COLUMNS = 300, 200
"""The most records, and the most columns of numbers, in which ranks are looked for."""
_SAID = re.compile(
    r"(^|_)(text|response|answer|output|completion|reply|generation|content|antwort|reponse|respuesta)(_|$)"
)
"""The names of columns of answers, beside which columns of ranks say in which order options were shown."""
_COMMON = 0.3
"""The minimum share of texts that must rank options, and of these that must name an option."""
_ITEM = re.compile(r"^\W*(?:\d{1,2}|[-•*])[.):]?\s+\W*(\w[^\n:(,;]{0,50}?)[\W]*(?:$|[:(,;]| - | – )", re.MULTILINE)
_ARRAY = re.compile(r'\[\s*"[^"\[\]]+"(?:\s*,\s*"[^"\[\]]+")+\s*\]')
_CHAIN = re.compile(r"^[^>\n]*>[^>\n]+(?:>[^>\n]+)*$", re.MULTILINE)


def proposals(kind: type[RankingInstrument], sample: Sample) -> Iterator[Proposal]:
    """Propose the instrument by columns that list the ranked options, or by the options that many texts rank."""
    told = sample.options
    for settings, columns in (
        _told(sample, told)
        if told
        else (*_of_groups(sample), *_in_columns(sample), *_in_prompts(sample), *_in_texts(sample))
    ):
        settings = settings | ({"prompt": sample.prompt} if sample.prompt else {})  # noqa: PLW2901
        instrument = kind.model_validate({"kind": "ranking", "undecided": "ignore", **settings})
        try:
            read = instrument.code(sample.responses, {}).responses
        except DataError:
            continue
        found = Counter(read.get_column("completeness").to_list())
        some = 1 - found[None] / max(1, read.height)
        if told or found["complete"] + found["tied"] >= _COMMON * read.height:
            yield Proposal("ranking", some, _RANK, partial(_draft, settings), columns)


def in_columns(_: type[RankingInstrument], sample: Sample) -> Iterator[Proposal]:
    """Propose the instrument by columns of ranks, or of what is at each place: each row has every one once."""
    rows = sample.responses.select(pl.exclude("^\0.*$").cast(pl.String)).head(_ROWS)
    if any(_SAID.search(header_name(name)) and not PLACE.search(header_name(name)) for name in rows.columns):
        return
    if names := _ranks(rows, [name for name in sample.numbers if name in rows.columns][:_COLUMNS]):
        options = _bare(names)
        form = "; ".join(f"rank {{{name}}}: {option}" for name, option in options.items())
        yield _of_columns(names, _named([*options.values()]), form)
    elif places := _places(rows):
        texts = pl.concat(rows.get_column(name).rename("") for name in places).drop_nulls().unique().sort().to_list()
        yield _of_columns(places, _named(texts), " > ".join(f"{{{name}}}" for name in places))


def _ranks(rows: pl.DataFrame, numbers: Sequence[str]) -> list[str]:
    """Return the longest run of columns that are ranked in each row, unless the next ones have the same numbers."""
    ends = rows.select(pl.col(numbers).cast(pl.Float64, strict=False))
    ends = {name: (values.min(), values.max()) for name, values in zip(numbers, ends.iter_columns(), strict=True)}
    for several in range(min(len(numbers), _MOST), _FEWEST, -1):
        own = (1.0, float(several))
        for start in range(len(numbers) - several + 1):
            run = [*numbers[start : start + several]]
            beside = [*numbers[max(0, start - 1) : start], *numbers[start + several : start + several + 1]]
            is_run = all(ends[name] == own for name in run) and not any(ends[name] == own for name in beside)
            if is_run and ranked(rows, run):
                return run
    return []


def _bare(names: Sequence[str]) -> dict[str, str]:
    """Return what columns of ranks rank: their names without what is common to all and says that they are ranks."""
    start, end = (os.path.commonprefix([*some]) for some in (names, [name[::-1] for name in names]))  # noqa: RUF071
    end = end[::-1]
    start, end = (part if PLACE.search(header_name(part)) or "." in part else "" for part in (start, end))
    return {name: name[len(start) : len(name) - len(end)].strip("_. ") for name in names}


def _places(rows: pl.DataFrame) -> list[str]:
    """Return the columns of places, in their order, that hold different ones of the same few texts in each row."""
    forms: dict[str, dict[int, str]] = {}
    for name in rows.columns:
        if (place := place_of(name)) is not None:
            forms.setdefault(place[0], {})[place[1]] = name
    for own in forms.values():
        names = [own[place] for place in sorted(own)]
        filled = rows.select(names).drop_nulls()
        texts = {text for name in names for text in filled.get_column(name)}
        different = filled.select(pl.concat_list(names).list.n_unique().alias("several"))
        is_order = sorted(own) == [*range(1, len(own) + 1)] and 2 * filled.height > rows.height
        if len(names) > _FEWEST and is_order and len(texts) <= _MOST and (different["several"] == len(names)).all():
            return names if 2 * filled.height > len(texts) else []
    return []


def _of_columns(names: Sequence[str], options: dict[str, list[str]], form: str) -> Proposal:
    def draft(made: Draft) -> None:
        taken = {name: made.take(name) for name in names}
        made.derive["text"] = {"combine": re.sub(r"\{([^{}]*)\}", lambda match: f"{{{taken[match[1]]}}}", form)}
        _draft({"options": options}, made)
        made.doubts[-1] = (
            f"{', '.join(names)} are read as one order, the best first. See `derive.text` and `begins_with`."
        )

    return Proposal("ranking", 1.0, _RANK, draft, names)


def _told(sample: Sample, names: list[str]) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield the settings for options that the user names, as columns or as texts, and these columns."""
    if all(name in sample.responses.columns for name in names):
        values = _lists(sample).get(names[0]) if len(names) == 1 else None
        cells = (
            values.explode()
            if values is not None
            else pl.concat([sample.responses.get_column(one).rename("") for one in names])
        )
        different = cells.drop_nulls().unique().sort().to_list()
        few = {"options": _named(different)} if _FEWEST <= len(different) <= _MOST else {}
        yield {"offered": names[0] if len(names) == 1 else tuple(names), **few}, names
    elif len(names) >= _FEWEST:
        yield {"options": _named(names)}, []


def _lists(sample: Sample) -> dict[str, pl.Series]:
    """Return the columns whose cells all list several short texts."""
    found: dict[str, pl.Series] = {}
    for name in sample.texts:
        cells = sample.responses.get_column(name)
        if name in {"text", sample.text} or cells.null_count() or cells.str.contains(r"^\s*\{|[:?!]\s").any():
            continue
        lists = [elements(cell) for cell in cells]
        if all(_FEWEST <= len(one) <= _MOST and all(0 < len(part) <= _LONGEST for part in one) for one in lists):
            found[name] = pl.Series(name, lists, dtype=pl.List(pl.String))
    return found


def _in_columns(sample: Sample) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield the settings for each column that lists options, with one that lists their groups if there is any."""
    lists = _lists(sample)
    for name, options in lists.items():
        if (options.list.n_unique() < options.list.len()).any():  # a list that repeats itself is not of options
            continue
        others = [
            other
            for other, groups in lists.items()
            if other != name
            and (groups.list.len() == options.list.len()).all()
            and groups.explode().n_unique() <= min(_MOST, options.explode().n_unique() - 1)
        ]
        settings: dict[str, Any] = {"offered": name} | ({"groups": others[0]} if others else {})
        values = lists[others[0]] if others else options
        if (different := values.explode().unique().sort()).len() <= _MOST:
            settings["options"] = _named(different.to_list())
        yield settings, [name, *others]


def _of_groups(sample: Sample) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield the settings for columns of who is of one group, if prompts name one of each, and most answers do."""
    others = [name for name in sample.texts[:_COLUMNS] if name not in {"text", sample.text, sample.prompt}]
    if sample.prompt is None:
        return
    rows = sample.responses.drop_nulls(sample.prompt)
    asked, said = (
        rows.select(named_in(name, of).mean().alias(name) for name in others) for of in (sample.prompt, "text")
    )
    columns = [name for name in others if asked.item(0, name) == 1 and (said.item(0, name) or 0) > _COMMON]
    values = {name: rows.get_column(name).unique().sort().to_list() for name in columns}
    values = {name: own for name, own in values.items() if len(own) > 1}
    every = [one for own in values.values() for one in own]
    if len(values) > _FEWEST and len({*every}) == len(every) <= 2 * _MOST:
        yield {"offered": tuple(values), "options": {identifier(name): own for name, own in values.items()}}, [*values]


def _in_prompts(sample: Sample) -> list[tuple[dict[str, Any], list[str]]]:
    """Return the settings for the options that prompts list: the same in all, or the column of prompts."""
    found: list[tuple[dict[str, Any], list[str]]] = []
    for column in sample.prompts:
        prompts = sample.responses.get_column(column).drop_nulls().unique().sort().to_list()
        lists = [tuple(listed(prompt) or beside(prompt) or ()) for prompt in prompts[:_PROMPTS]]
        different = sorted({option for options in lists for option in options})
        if not lists or not all(lists) or any(len({*one}) != len(one) for one in lists) or len(different) > _MOST:
            continue
        same = len({frozenset(options) for options in lists}) == 1
        found.append((({} if same else {"offered": column}) | {"options": _named(different)}, []))
    return found


def _in_texts(sample: Sample) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """Yield the settings for the options that the lists and chains of many texts have in common."""
    texts = sample.responses.get_column("text").drop_nulls().to_list()
    counted: Counter[str] = Counter()
    written: dict[str, str] = {}
    ranking = 0
    for text in texts:
        plain = re.sub(r"[*_`\"]+", "", text[:5000])
        items = [item.strip() for item in _ITEM.findall(plain)]
        for array in _ARRAY.findall(text[:5000]) if len(items) < _FEWEST else ():
            items += re.findall(r'"([^"]+)"', array)
        for chain in _CHAIN.findall(plain) if len(items) < _FEWEST else ():
            items += [part.strip(" .:>") for part in chain.rpartition(":")[2].split(">")]
        plain = plain.replace("：", ":")
        sign = next((sign for sign in ",、，" if plain.count(sign) > 1), None)
        if len(items) < _FEWEST and plain.count("\n") == 0 and sign:
            items = [part.strip(" .。") for part in plain.rpartition(":")[2].split(sign)]
        keys = {item.lower() for item in items if item}
        ranking += len(keys) >= _FEWEST
        counted.update(keys)
        written |= {item.lower(): item for item in items if item.lower() not in written}
    common = sorted(written[key] for key, times in counted.items() if times >= _COMMON * max(1, ranking))
    if _FEWEST <= len(common) <= _MOST and ranking >= _COMMON * len(texts):
        yield {"options": _named(common)}, []


def _named(texts: list[str]) -> dict[str, list[str]]:
    """Name options, each once: "Unknown" and "unknown" are one."""
    different = {text.lower(): text for text in reversed(texts)}
    return {name: [text] for name, text in free_names([*different.values()][::-1]).items()}


def _draft(settings: dict[str, Any], made: Draft) -> None:
    taken = {
        name: made.take(column) if isinstance(column, str) else [made.take(one) for one in column]
        for name in ("offered", "groups", "prompt")
        if (column := settings.get(name))
    }
    made.instrument = {"kind": "ranking"} | settings | taken
    options: dict[str, list[str]] = settings.get("options", {})
    called = {name: texts[0] if len(texts) == 1 else title(name) for name, texts in options.items()}  # or of a group
    names = unique_labels(called)
    for end in ("first", "last"):
        outcome = {"kind": "label", "label": f"Ranked {end}", "attribute": f"ranked_{end}"}
        categories = category(f"Ranked {end}", f"ranked_{end}", named(options)) | {"names": names}
        made.outcomes[end] = categories if options else outcome
    if len(options) > _EACH:
        made.doubts.append("Only who is ranked first and last is shown; each rank is a column `rank_OPTION`.")
    for option in options if len(options) <= _EACH else ():
        made.outcomes[f"rank_{option}"] = score(f"Rank of {called[option]}", f"rank_{option}")
    made.outcomes["completeness"] = category("Completeness", "completeness", named(COMPLETENESS))
    made.outcomes["reason"] = category("Reason for no ranking", "unranked_reason", named(REASONS), kind="reason")
    if options and not isinstance(settings.get("offered"), str):  # each response ranks all of them
        chosen = {"outcomes": ["first"], "by": ["model"]}
        made.analyses["uniform_choice"] = {"statistic": "goodness-of-fit", **chosen}
        made.analyses["impact_ratio"] = {"statistic": "impact-ratio", **chosen}
    if "offered" not in settings:
        made.doubts.append(
            "The options are those that many texts rank; with one more, orders that lack it would be partial. "
            "See `instrument`."
        )
