"""Detection and draft of the instrument `likelihood-pair`."""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.likelihood_columns import DIFFERENCES, LIKELIHOODS, SIDES, header_parts, log_likelihood
from tallybook.instruments.likelihood_pair.instrument import REASONS
from tallybook.sources.json_records import at, is_array, opened_list
from tallybook.study.draft import category, named, score
from tallybook.study.instrument_base import Proposal, Sample
from tallybook.study.names import header_name, identifier, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.instruments.likelihood_pair.instrument import LikelihoodPairInstrument
    from tallybook.study.draft import Draft

_RANK = 5
_UNRELATED = {"unrelated", "meaningless", "nonsense"}
_PAIR = re.compile(
    r"(^|_)(pair|paar|paire|par|pareja|coppia|item|prompt|sentence|example|group|set|idx|index|id|no|nr)(_|$)"
)
_BOTH = 0.9
"""The share of pairs that must have both records in a sample."""
_MANY, _NEAR = 20, 1e-3
"""The number of differences of which some are negative, and how near numbers in tables are to exact ones."""
_THIRD = frozenset({"c", "3"})
"""What a third option beside A and B, or 1 and 2, is called."""
_TWO, _KINDS, _NAMED = 2, 5, 4
"""The number of records of a pair, the most kinds of records, and the `SIDES` that are words rather than places."""


def proposals(_: type[LikelihoodPairInstrument], sample: Sample) -> Iterator[Proposal]:
    """Propose two numeric columns whose names differ only in the side, pairs of records, or a column of differences."""
    if {sample.named.get("first"), sample.named.get("second")} <= {*sample.numbers}:
        yield _pair(sample.named["first"], sample.named["second"], {}, "{}")
        return
    words = {name: header_parts(name) for name in sample.numbers}
    sided = [name for name, own in words.items() if any(own & side for sides in SIDES for side in sides)]
    for x, y in permutations(sided, 2):
        for first, second in SIDES:
            common = words[x] - first - second
            are_sides = words[x] & first and words[y] & second and not words[x] & second
            if any(common < own and own - common <= _THIRD for own in words.values()):  # C beside A and B
                continue
            if are_sides and common == words[y] - first - second and (form := log_likelihood(common, sample, (x, y))):
                others = [name for name, own in words.items() if own & _UNRELATED and own - _UNRELATED == common]
                yield _pair(x, y, {"unrelated": others[0]} if others and form == "{}" else {}, form)
                return
    if sample.is_lines and "text" in words and _is_signed(sample, "text"):
        yield _difference("text")
    elif (pair := _listed(sample, words)) is not None:
        yield pair
    elif (records := _records(sample, words)) is not None:
        yield records
    else:
        logs = LIKELIHOODS | {"logratio", "llr"}
        taken = [name for name, own in words.items() if own & DIFFERENCES and own & logs and _is_signed(sample, name)]
        yield from map(_difference, taken if len(taken) == 1 else ())


def _numbers(sample: Sample, column: str) -> pl.Series:
    return sample.responses.get_column(column).cast(pl.Float64, strict=False)


def _is_signed(sample: Sample, column: str) -> bool:
    """Return whether differences say which is higher: of many, some are negative, unless they are absolute."""
    differences = _numbers(sample, column).drop_nulls()
    return differences.len() < _MANY or bool((differences < 0).any())


def _listed(sample: Sample, words: Mapping[str, frozenset[str]]) -> Proposal | None:
    """Propose a list of two log-likelihoods, which is called so or stands beside their difference; None without one."""
    rows = sample.responses.select(pl.exclude("^\0.*$").cast(pl.String))
    differences = {name: _numbers(sample, name).abs() for name, own in words.items() if own & DIFFERENCES}
    firsts = rows.head(1).row(0, named=True) if rows.height else {}
    for name in (name for name, cell in firsts.items() if is_array(opened_list(cell))):
        lists = [opened_list(cell) for cell in rows.get_column(name)]
        if not all(is_array(one) and len(one) == _TWO for one in lists):
            continue
        inner = _inner(lists[0][0])
        first, second = (
            pl.Series([_number(at(one, f"{side}{inner}")) for one in lists], dtype=pl.Float64) for side in (0, 1)
        )
        apart = (first - second).abs()
        if apart.null_count() or (first > 0).any() or (second > 0).any():
            continue
        far = {one: (own - apart).abs() > _NEAR * (1 + apart) for one, own in differences.items()}
        beside = [one for one, is_far in far.items() if not is_far.fill_null(value=True).any()]
        if beside or header_parts(name) & LIKELIHOODS:
            sides = _texts(rows.columns) or ("first", "second")
            pair = _pair(f"{name}.0{inner}", f"{name}.1{inner}", {}, "{}", sides)
            return pair._replace(columns=[*pair.columns, *beside])
    return None


def _inner(value: object) -> str:
    """Return the path of the first element that is no list."""
    return f".0{_inner(value[0])}" if is_array(value) and value else ""


def _number(value: object) -> float | None:
    try:
        return float(str(value))
    except ValueError:
        return None


def _texts(columns: Sequence[str]) -> tuple[str, str] | None:
    """Return the columns of a pair's texts, whose names differ only in the side, named as study files may."""
    words = {name: header_parts(name) for name in columns}
    for (one, x), (other, y) in permutations(words.items(), 2):
        if any(x & first and y & second and x - first == y - second for first, second in SIDES[:_NAMED]):
            own, that = (identifier(plain(name.rpartition(".")[2])) for name in (one, other))
            return own, that
    return None


def _records(sample: Sample, words: Mapping[str, frozenset[str]]) -> Proposal | None:
    """Propose pairs of separate records, by a column of likelihoods and one that names the text; None if none fit."""
    likely = [name for name, own in words.items() if not own & DIFFERENCES and log_likelihood(own, sample, (name,))]
    if len(likely) != 1 or not sample.is_table:
        return None
    number, rows = likely[0], sample.responses
    different = rows.select(pl.all().n_unique()).row(0, named=True)
    for role in (name for name in rows.columns if name != number and _TWO <= different[name] <= _KINDS):
        told = sorted(map(str, rows.get_column(role).drop_nulls().unique()))
        sides = [
            (x, y)
            for x, y in permutations(told, 2)
            for one, other in SIDES[:_NAMED]
            if header_parts(x) & one and not header_parts(x) & other and header_parts(y) & other
        ]
        pairs = [name for name in rows.columns if _PAIR.search(header_name(name)) and name not in {role, number}]
        for pair in pairs if sides else ():
            of_both = rows.filter(pl.col(role).is_in(sides[0]))
            both = of_both.group_by(pair).agg(pl.col(role).n_unique()).get_column(role)
            if both.len() > _TWO and (both == _TWO).sum() >= _BOTH * both.len():
                others = [kind for kind in told if kind not in sides[0]]
                form = log_likelihood(words[number], sample, (number,))
                return _joined(number, role, pair, (sides[0], others), form)
    return None


def _joined(number: str, role: str, pair: str, kinds: tuple[tuple[str, str], list[str]], form: str) -> Proposal:
    """Propose pairs of records, where the second record of each pair is looked up, and records of others are passed."""
    sides, others = kinds
    first, second = sides

    def draft(made: Draft) -> None:
        own, side = made.take(number, "first_likelihood", {"type": "number"}), made.take(role, "side")
        if made.columns.get("item", {}).get("path") != pair:
            made.columns["item"] = {"path": pair}
        for name in ("side", "condition"):
            made.factors.pop(name, None)
        made.add_constant("other_side", second)  # not derived: what is derived of likelihoods comes behind the lookup
        made.key = tuple(name for name in made.key if made.columns.get(name, {}).get("path") != role)
        if "samples_by" in made.source:
            made.source["samples_by"] = [name for name in made.source["samples_by"] if name in made.key]
        equal = {name: made.columns[name]["path"] for name in made.key if name in made.columns}
        on, take = {**equal, "other_side": role}, {"second_likelihood": number}
        made.source["keep"] = {"is": {side: first}}
        made.source["lookups"] = [{"file": made.source["files"], "on": on, "take": take}]
        _compare(made, {"first": own, "second": "second_likelihood"}, sides, form)
        made.drop_unnumbered_doubt()
        made.evidence = made.evidence.joined(_TWO + len(others))
        made.doubts.append(
            f"Each pair is two records of one {pair}: {first} is the first text, {second} the second. "
            "See `keep` and `lookups`." + (f" Records of {', '.join(others)} are not read." if others else "")
        )

    return Proposal("likelihood-pair", 1.0, _RANK, draft, {number, role})


def _pair(
    first: str, second: str, more: Mapping[str, str], form: str, sides: tuple[str, str] | None = None
) -> Proposal:
    """Propose two columns of likelihoods."""

    def draft(made: Draft) -> None:
        columns = {"first": first, "second": second, **more}
        names = {role: f"{role}_likelihood" if sides else None for role in columns}
        own = {role: made.take(column, names[role], {"type": "number"}) for role, column in columns.items()}
        _compare(made, own, sides or (own["first"], own["second"]), form)
        made.doubts.append(
            f"{first} is taken as the first text of a pair, {second} as the second: the higher one is preferred. See "
            "`instrument`, or --set first=COLUMN --set second=COLUMN."
        )

    return Proposal("likelihood-pair", 1.0, _RANK, draft, {first, second, *more.values()})


def _difference(column: str) -> Proposal:
    """Propose a column of differences of log-likelihoods."""

    def draft(made: Draft) -> None:
        own = made.take(column, "score" if column == "text" else None, {"type": "number"})
        _compare(made, {"difference": own}, ("first", "second"))
        made.doubts.append(
            f"{column} is taken as a difference of log-likelihoods: above 0 the first text is likelier. What belongs "
            "to a record can be looked up in another file. See `instrument`, and `lookups` in docs/shapes.md."
        )

    return Proposal("likelihood-pair", 1.0, _RANK, draft, {column, "line"})


def _compare(made: Draft, columns: Mapping[str, str], sides: tuple[str, str], form: str = "{}") -> None:
    """Draft the comparison of columns as they are, or of the log-likelihoods that `form` computes from them."""
    if form == "{}":
        made.instrument |= columns
    else:
        parts = (f"({form.format(f'{{{columns[role]}}}')})" for role in ("first", "second"))
        made.derive["likelihood"] = {"compute": " - ".join(parts)}
        made.instrument["difference"] = "likelihood"
    labels = {sides[0]: ["first"], sides[1]: ["second"], "tie": ["tie"]}
    made.outcomes["preference"] = category("Likelier text", "likelier", labels)
    made.outcomes["difference"] = score("Difference of log-likelihoods", "likelihood_difference")
    made.outcomes["reason"] = category("Reason for no preference", "no_preference", named(REASONS), kind="reason")
    if "unrelated" in columns:
        made.outcomes["language"] = score("Language score", "language_score")
    if made.source.get("constants", {}).get("item") == "all":
        del made.source["constants"]["item"]
        made.source.pop("samples_by", None)
        made.derive = {"item": {"from": "key", "extract": "(.+)"}} | made.derive
        made.add_constant("sample", 0)
        made.key = ("model", "item", "sample")
        made.drop_unnumbered_doubt()
