"""Display of the estimates of one analysis in Python: as sentences, as a table in a notebook, or as a frame."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.core.untrusted import printable
from tallybook.study.analysis_base import OfEstimates

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import polars as pl

    from tallybook.report.inline.apa import Parts
    from tallybook.study.model import Study
    from tallybook.tables.content import Table

_MOST = 20
"""The maximum number of estimates that are printed."""


class _Line(NamedTuple):
    cell: str
    term: str
    parts: Parts
    n: int


class Estimates:
    """The estimates of one analysis: `print` gives sentences, a notebook a table, `frame` the numbers.

    Attributes:
        frame: One row per estimate, with the columns of estimates.csv.
        name: The name of the analysis.
        study: The study in which it was computed.
        declared: Name -> settings of this analysis and of those that it is computed from, as in a study file.
    """

    def __init__(self, study: Study, name: str, frame: pl.DataFrame, declared: Mapping[str, dict[str, Any]]) -> None:
        self.study, self.name, self.frame, self.declared = study, name, frame, declared

    @property
    def notes(self) -> list[str]:
        """The settings, corrections and clusters behind the numbers."""
        from tallybook.tables.notes import convention, doubts, family_sizes, independence_notes

        said = convention(self.study, self.name, sizes=family_sizes(self.study, self.frame))
        counted = [name for name, one in self.study.analyses.items() if not isinstance(one, OfEstimates)]
        return [said, *independence_notes(self.study, counted, doubts(self.frame))]

    @property
    def table(self) -> Table:
        """The estimates as a table, for `tallybook.write_tables`."""
        from tallybook.report.inline.apa import plain
        from tallybook.tables.content import Column, Row, Table

        columns = {
            "estimate": "Estimate",
            "ci": f"{self.frame.get_column('confidence').max() or 0.95:.0%} CI",
            "statistic": "Statistic",
            "p": "p" if self.frame.get_column("p_adjusted").is_null().all() else "Adjusted p",
        }
        absent = [
            name
            for name, shown in (("ci", "ci_low"), ("statistic", "statistic"), ("p", "p_value"))
            if self.frame.get_column(shown).is_null().all()
        ]
        kept = [Column(name, label) for name, label in columns.items() if name not in absent]
        rows = [
            Row(str(number), term, (f"{n:,}", *(plain(getattr(parts, one.id)) for one in kept)), cell)
            for number, (cell, term, parts, n) in enumerate(self._lines())
        ]
        return Table(self.name, self._title, "", (Column("n", "n"), *kept), tuple(rows), tuple(self.notes))

    def __len__(self) -> int:
        """Return the number of estimates."""
        return self.frame.height

    def __repr__(self) -> str:
        from tallybook.report.inline.apa import plain

        known = self.study.outcomes
        labels = {known[one].label for one in self.frame.get_column("outcome") if one in known}
        lines = [  # the title names the outcome if there is only one
            f"{', '.join(part for part in (self._title, cell, term) if part and {part} != labels)}: {plain(parts.apa)}."
            for cell, term, parts, _ in self._lines(_MOST)
        ]
        hidden = [f"(and {len(self) - _MOST} more: see `frame`)"] if len(self) > _MOST else []
        return "\n".join([*(printable(line, 400) for line in lines), *hidden, *self.notes])

    def _repr_html_(self) -> str:
        from tallybook.tables.html import table_display

        return table_display(self.table).as_raw_html()

    @property
    def _title(self) -> str:
        """The statistic and its outcome, in words."""
        analysis = self.study.analyses[self.name]
        outcomes = dict.fromkeys(self.frame.get_column("outcome").drop_nulls())
        labels = [self.study.outcomes[one].label if one in self.study.outcomes else one for one in outcomes]
        between = getattr(analysis, "factor", None)
        compared = f" by {self.study.factors[between].label}" if between in self.study.factors else ""
        of = f" of {', '.join(labels)}" if labels else ""
        return f"{analysis.name().replace('-', ' ').capitalize()}{of}{compared}"

    def _lines(self, most: int | None = None) -> Iterator[_Line]:
        """Yield the estimates one by one: cell, term, parts of the phrase, and n."""
        from tallybook.report.inline.apa import parts
        from tallybook.study.naming import is_named_by_outcome, term_label

        outcomes, factors, analysis = self.study.outcomes, self.study.factors, self.study.analyses[self.name]
        by = [name for name in self.study.factors if self.frame.get_column(name).is_not_null().any()]
        several = self.frame.get_column("outcome").n_unique() > 1
        for row in self.frame.head(self.frame.height if most is None else most).iter_rows(named=True):
            cell = ", ".join(factors[name].levels[row[name]] for name in by if row[name] is not None)
            outcome, term = row["outcome"], row["term"]
            if outcome not in outcomes:
                called = term
            elif is_named_by_outcome(self.study, analysis, outcome):
                called = outcomes[outcome].label
            else:
                head = f"{outcomes[outcome].label}: " if several else ""
                called = head + term_label(self.study, outcome, term)
            yield _Line(cell, called, parts(self.study, row), row["n"])
