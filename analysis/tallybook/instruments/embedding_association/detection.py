"""Detection and draft of the instrument `embedding-association`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.embedding_association.coder import vectors
from tallybook.instruments.embedding_association.instrument import REASONS
from tallybook.study.draft import Evidence, category, named
from tallybook.study.instrument_base import Proposal, Sample
from tallybook.study.names import header_name, title

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.embedding_association.instrument import EmbeddingAssociationInstrument
    from tallybook.study.draft import Draft

_RANK = 3
_FEWEST_NUMBERS = 8
"""The minimum length of a vector: shorter lists are lists of answers."""
_VECTOR = rf"^\s*[\[(]\s*-?[\d.]+(e[+-]?\d+)?([,;\s]+-?[\d.]+(e[+-]?\d+)?){{{_FEWEST_NUMBERS - 1},}}[,\s]*[\])]\s*$"
_SETS = re.compile(r"(^|_)(set|sets|group|category|concept|role|type|label|list)(_|$)")
"""Names of columns that say which set a word is of."""
_ATTRIBUTES = (
    ({"a", "attribute_a", "attribute_1", "a1", "attr_a", "attr1", "attributes_a"}, {"b", "attribute_b", "attribute_2"}),
    ({"pleasant"}, {"unpleasant"}),
    ({"career"}, {"family"}),
    ({"male", "male_terms", "male_words", "man", "men", "he"}, {"female", "female_terms", "female_words", "she"}),
    ({"temporary"}, {"permanent"}),
)
"""Names of sets of attributes: of one side, of the other; earlier ones are likelier attributes than targets."""
_WORDS = {"word", "words", "token", "term", "target", "stimulus", "item", "text", "name"}
"""Names of columns of words."""
_FEWEST, _MOST = 3, 8
"""The minimum and maximum number of sets."""


def proposals(_: type[EmbeddingAssociationInstrument], sample: Sample) -> Iterator[Proposal]:
    """Propose the instrument for a column of vectors beside one that names a few sets of words."""
    rows = sample.responses
    texts = [name for name, kind in rows.schema.items() if kind == pl.String and rows.height]
    held = rows.select(pl.col(texts).drop_nulls().head(20).str.contains(_VECTOR).mean())
    column = next((name for name in held.columns if held.item(0, name) == 1), None)
    if column is None or rows.select(vectors(pl.col(column)).is_not_null().mean()).item() < 1 / 2:
        return
    called = [name for name in texts if name != column and _SETS.search(header_name(name))]
    asked = [sample.named["sets"]] if "sets" in sample.named else called
    fitting = [name for name in asked if _FEWEST <= rows.get_column(name).n_unique() <= _MOST]
    if not fitting:
        return
    sets = fitting[0]
    names = rows.get_column(sets).drop_nulls().unique(maintain_order=True).to_list()
    sides = _sides(names)
    words = [name for name in texts if name not in {column, sets} and header_name(name) in _WORDS]
    word = words[0] if words else None

    def draft(made: Draft) -> None:
        own = made.take(column, "vector")
        factor = made.take(sets)
        if factor not in made.factors:
            made.factors[factor] = {"label": title(sets), "levels": {name: name for name in sorted(names)}}
        first, second = sides
        made.instrument |= {"column": own, "sets": factor, "first": [first], "second": [second]}
        targets = [name for name in names if name not in sides]
        made.outcomes["association"] = {
            "kind": "score",
            "label": f"Association with {first} rather than {second}",
            "attribute": "association",
            "where": {factor: targets},
        }
        made.outcomes["reason"] = category("Reason for no association", "no_association", named(REASONS), kind="reason")
        made.compared[factor] = targets
        _identify(made, sample, word, factor)
        made.doubts.append(
            f"{first} and {second} are taken as the attributes, the other values of {sets} as sets of target words. "
            'See `instrument`. WEAT\'s effect size and test are those of `statistic = "group-comparison"`, '
            '`test = "permutation"`.'
        )

    yield Proposal("embedding-association", 1.0, _RANK, draft, {column, *words[:1]})


def _identify(made: Draft, sample: Sample, word: str | None, factor: str) -> None:
    """Declare the word as the item, and its occurrences in several contexts as samples."""
    if word is None or made.columns.get("item", {}).get("path") == word:
        return
    made.columns["item"] = {"path": word}
    made.source.get("constants", {}).pop("item", None)
    asked = [name for name in made.factors if name in made.columns and name != factor]
    by = [*dict.fromkeys(["model", *asked, factor, "item"])]
    paths = [made.columns[name]["path"] for name in by if name in made.columns]
    times = sample.responses.group_by(paths).len().get_column("len")
    made.drop_unnumbered_doubt()
    if times.eq(1).all():
        made.source.pop("samples_by", None)
        made.add_constant("sample", 0)
    else:
        made.source.get("constants", {}).pop("sample", None)
        made.source["samples_by"] = by
        made.doubts.append("Each row of a word is taken as another context of it: words are the units of tests.")
    made.key = (*by, "sample")
    made.cluster, made.evidence = "item", Evidence("words")


def _sides(names: list[str]) -> tuple[str, str]:
    """Find the two sets of attributes by their names, or else take the last two."""
    known = {header_name(name): name for name in reversed(names)}
    for first, second in _ATTRIBUTES:
        pairs = [(known[one], known[other]) for one in known for other in known if one in first and other in second]
        if pairs:
            return pairs[0]
    return names[-2], names[-1]
