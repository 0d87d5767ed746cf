"""Clusters: the columns whose values repeated responses share."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from tallybook.study.base import Identifier, must_differ, require_declared
from tallybook.study.naming import within_a_sentence
from tallybook.study.sources import CodedSource

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tallybook.study.model import Study

Cluster: TypeAlias = Identifier | tuple[Identifier, ...]
"""The column that identifies clusters, or several columns whose combinations do; empty for independent responses."""

_AND = " × "


def columns_of(cluster: Cluster | None) -> tuple[str, ...]:
    """List the columns of a declared cluster."""
    return (cluster,) if isinstance(cluster, str) else cluster or ()


def joined(cluster: Cluster | None) -> str | None:
    """Return the name of the tally column that identifies the cluster; None for independent responses.

    >>> joined("item"), joined(("name", "job")), joined(())
    ('item', 'name × job', None)
    """
    return _AND.join(columns_of(cluster)) or None


def parts_of(column: str) -> list[str]:
    """List the response columns that a joined cluster column consists of."""
    return column.split(_AND)


def called(study: Study, column: str) -> str:
    """Return the label of a cluster column for use within a sentence; `item` has its header in the files."""
    labels = (study.factors[name].label if name in study.factors else _named(study, name) for name in parts_of(column))
    return _AND.join(map(within_a_sentence, labels))


def _named(study: Study, column: str) -> str:
    columns = [getattr(source, "columns", {}).get(column) for source in study.sources]
    headers = {None if one is None else one.path for one in columns}
    header = headers.pop() if len(headers) == 1 and column == "item" else None
    return header or column


def cluster_columns(study: Study) -> list[str]:
    """List the response columns that can be declared as clusters."""
    made = [source.made for source in study.sources if not isinstance(source, CodedSource)]
    common = [name for name in (made[0] if made else ()) if all(name in others for others in made)]
    return [name for name in dict.fromkeys(["item", *study.factors, *common]) if name not in study.outcomes]


def check_columns(study: Study, cluster: Cluster | None, place: str) -> None:
    """Raise a ValueError for cluster columns that the responses do not have."""
    require_declared(columns_of(cluster), cluster_columns(study), place, "column of all responses")
    must_differ(columns_of(cluster), place)


def is_within(cluster: Cluster, by: Iterable[str]) -> bool:
    """Return whether `by` contains all columns of a cluster, so that each cell holds a single cluster."""
    return {*columns_of(cluster)} <= {*by}
