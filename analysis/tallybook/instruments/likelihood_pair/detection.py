"""Whether `init` proposes the instrument `likelihood-pair`, and what it drafts of it."""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.instruments.likelihood_pair.instrument import REASONS
from tallybook.study.draft import category, named
from tallybook.study.instrument_base import Proposal, Sample
from tallybook.study.names import header_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.instruments.likelihood_pair.instrument import LikelihoodPairInstrument
    from tallybook.study.draft import Draft

_RANK = 5
_SIDES = (
    ({"stereo", "stereotype", "stereotypical", "stereotyped"}, {"anti", "antistereo", "antistereotype", "nonstereo"}),
    ({"more"}, {"less"}),
    ({"biased"}, {"unbiased"}),
    ({"male", "masculine", "he", "man", "men"}, {"female", "feminine", "she", "woman", "women"}),
    ({"first"}, {"second"}),
    ({"a"}, {"b"}),
    ({"1"}, {"2"}),
)
"""Words in the names of a pair's columns: of the first, of the second."""
_UNRELATED = {"unrelated", "meaningless", "nonsense"}
_LIKELIHOODS = {"logprob", "logprobs", "loglikelihood", "loglik", "logp", "logit", "ll", "lp", "pll", "likelihood"}
_LOSSES = {"nll", "loss", "surprisal", "crossentropy", "ce"}
_PERPLEXITIES = {"ppl", "perplexity"}
_SHARES = {"prob", "probability", "p"}
_SCORES = {"score", "scores"}
_DIFFERENCES = {"diff", "difference", "delta", "logratio", "llr", "margin"}


class _Column(NamedTuple):
    name: str
    words: frozenset[str]


def _word(name: str) -> frozenset[str]:
    joined = header_name(name)
    for apart, together in (("log_prob", "logprob"), ("log_likelihood", "loglikelihood"), ("log_ratio", "logratio")):
        joined = joined.replace(apart, together)
    return frozenset(joined.split("_"))


def proposals(_: type[LikelihoodPairInstrument], sample: Sample) -> Iterator[Proposal]:
    """Propose two columns of numbers whose names differ in nothing but the side, or one of differences."""
    if {sample.named.get("first"), sample.named.get("second")} <= {*sample.numbers}:
        yield _pair(sample.named["first"], sample.named["second"], {}, "{}")
        return
    columns = [_Column(name, _word(name)) for name in sample.numbers]
    sided = [one for one in columns if any(one.words & words for sides in _SIDES for words in sides)]
    for x, y in permutations(sided, 2):
        for first, second in _SIDES:
            common = x.words - first - second
            differ = (
                x.words & first and y.words & second and not x.words & second and common == y.words - first - second
            )
            if not differ or not (form := _form(common, sample, (x.name, y.name))):
                continue
            others = [one for one in columns if one.words & _UNRELATED and one.words - _UNRELATED == common]
            yield _pair(x.name, y.name, {"unrelated": others[0].name} if others and form == "{}" else {}, form)
            return
    if lines := [one.name for one in columns if sample.is_lines and one.name == "text"]:
        yield _taken(lines[0])
        return
    if (records := _records(sample, columns)) is not None:
        yield records
        return
    taken = [one for one in columns if one.words & _DIFFERENCES and one.words & (_LIKELIHOODS | {"logratio", "llr"})]
    if len(taken) == 1:
        yield _taken(taken[0].name)


_PAIR = re.compile(r"(^|_)(pair|item|prompt|sentence|example|group|set|idx|index|id|no|nr)(_|$)")
_BOTH = 0.9
"""The share of pairs that must have both records in a sample."""


def _records(sample: Sample, columns: Sequence[_Column]) -> Proposal | None:
    """Propose pairs whose texts are separate records: a column of likelihoods, and one that names the text."""
    likely = [one for one in columns if _form(one.words, sample, (one.name,)) and not one.words & _DIFFERENCES]
    if len(likely) != 1 or not sample.is_table:
        return None
    number, rows = likely[0].name, sample.responses
    different = rows.select(pl.all().n_unique()).row(0, named=True)
    for role in (name for name in rows.columns if name != number and different[name] == _TWO):
        told = sorted(map(str, rows.get_column(role).drop_nulls().unique()))
        sides = [
            (x, y)
            for x, y in permutations(told, 2)
            for one, other in _SIDES[:_NAMED]
            if _word(x) & one and not _word(x) & other and _word(y) & other
        ]
        pairs = [name for name in rows.columns if _PAIR.search(header_name(name)) and name not in {role, number}]
        for pair in pairs if sides else ():
            both = rows.group_by(pair).agg(pl.col(role).n_unique()).get_column(role)
            if both.len() > _TWO and (both == _TWO).sum() >= _BOTH * both.len():
                return _joined(number, role, pair, sides[0], _form(likely[0].words, sample, (number,)))
    return None


_TWO, _NAMED = 2, 4
"""Count the sides that are words rather than places."""


def _joined(number: str, role: str, pair: str, sides: tuple[str, str], form: str) -> Proposal:
    first, second = sides

    def draft(made: Draft) -> None:
        settings = {"type": "number"}
        own, side = made.take(number, "first_likelihood", settings), made.take(role, "side")
        if made.columns.get("item", {}).get("path") != pair:
            made.columns["item"] = {"path": pair}
        for name in ("side", "condition"):
            made.factors.pop(name, None)
        made.derive["other_side"] = {"from": side, "map": {first: second}}
        made.key = tuple(name for name in made.key if made.columns.get(name, {}).get("path") != role)
        if "samples_by" in made.source:
            made.source["samples_by"] = [name for name in made.source["samples_by"] if name in made.key]
        equal = {name: made.columns[name]["path"] for name in made.key if name in made.columns}
        made.source["keep"] = {"is": {side: first}}
        made.source["lookups"] = [
            {
                "file": made.source["files"],
                "on": {**equal, "other_side": role},
                "take": {"second_likelihood": number},
            }
        ]
        _compare(made, {"first": own, "second": "second_likelihood"}, form)
        _outcomes(made, {first: ["first"], second: ["second"], "tie": ["tie"]}, has_unrelated=False)
        made.number_repetitions()
        made.evidence = made.evidence.joined(_TWO)
        made.doubts.append(
            f"Each pair is two records of one {pair}: {first} is the first text, {second} the second. "
            "See `keep` and `lookups`."
        )

    return Proposal("likelihood-pair", 1.0, _RANK, draft, {number, role})


def _form(common: frozenset[str], sample: Sample, names: tuple[str, ...]) -> str:
    """Get the formula of a log-likelihood: `{}` for the column as it is, `-{}` for a loss; empty for other columns."""
    if common & _LIKELIHOODS:
        return "{}"
    if common & _LOSSES:
        return "-{}"
    if common & _PERPLEXITIES:
        return "-log({})"
    if common and not common & (_SHARES | _SCORES):
        return ""
    numbers = sample.responses.select(pl.col(list(names)).cast(pl.Float64, strict=False))
    ends = [column.drop_nulls() for column in numbers.iter_columns()]
    if common & _SHARES and all(((end > 0) & (end <= 1)).all() for end in ends):
        return "log({})"
    # A score below zero of every sentence is a log-likelihood.
    is_negative = all(end.len() and (end < 0).all() for end in ends)
    return "{}" if is_negative and (common & _SCORES or not common) else ""


def _compare(made: Draft, columns: Mapping[str, str], form: str) -> None:
    """Compare two columns as they stand, or the log-likelihoods that are made of them."""
    if form == "{}":
        made.instrument |= columns
        return
    parts = (f"({form.format(f'{{{columns[role]}}}')})" for role in ("first", "second"))
    made.derive["likelihood"] = {"compute": " - ".join(parts)}
    made.instrument["difference"] = "likelihood"


def _pair(first: str, second: str, more: Mapping[str, str], form: str) -> Proposal:
    def draft(made: Draft) -> None:
        columns = {"first": first, "second": second, **more}
        own = {role: made.take(column, settings={"type": "number"}) for role, column in columns.items()}
        _compare(made, own, form)
        labels = {own["first"]: ["first"], own["second"]: ["second"], "tie": ["tie"]}
        _outcomes(made, labels, has_unrelated=bool(more))
        made.doubts.append(
            f"{first} is taken as the first text of a pair, {second} as the second: the higher one is preferred. See "
            "`instrument`, or --set first=COLUMN --set second=COLUMN."
        )

    return Proposal("likelihood-pair", 1.0, _RANK, draft, {first, second, *more.values()})


def _taken(column: str) -> Proposal:
    def draft(made: Draft) -> None:
        made.instrument["difference"] = made.take(column, "score" if column == "text" else None, {"type": "number"})
        _outcomes(made, named(("first", "second", "tie")), has_unrelated=False)
        made.doubts.append(
            f"{column} is taken as a difference of log-likelihoods: above 0 the first text is likelier. What belongs "
            "to a record can be looked up in another file. See `instrument`, and `lookups` in docs/shapes.md."
        )

    return Proposal("likelihood-pair", 1.0, _RANK, draft, {column, "line"})


def _outcomes(made: Draft, labels: dict[str, list[str]], *, has_unrelated: bool) -> None:
    outcomes: dict[str, dict[str, Any]] = {
        "preference": category("Likelier text", "likelier", labels),
        "difference": {
            "kind": "score",
            "label": "Difference of log-likelihoods",
            "attribute": "likelihood_difference",
        },
        "reason": category("Reason for no preference", "no_preference", named(REASONS), kind="reason"),
    }
    if has_unrelated:
        outcomes["language"] = {"kind": "score", "label": "Language score", "attribute": "language_score"}
    made.outcomes.update(outcomes)
    if made.source.get("constants", {}).get("item") == "all":
        del made.source["constants"]["item"]
        made.source.pop("samples_by", None)
        made.derive = {"item": {"from": "key", "extract": "(.+)"}} | made.derive
        made.add_constant("sample", 0)
        made.key = ("model", "item", "sample")
        made.number_repetitions()
