"""The base classes of analyses: declaration, checks, computation, notes and methods passages."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, TypeAlias, get_args

from tallybook.core.registry import Registry
from tallybook.core.wording import with_article
from tallybook.study.base import Declaration, Identifier, Several, must_differ, require_declared
from tallybook.study.clusters import Cluster, check_columns, columns_of, is_within, joined, parts_of
from tallybook.study.coding import check_where
from tallybook.study.notation import Notation
from tallybook_schemas.vocabulary import DegreesOfFreedom, StandardError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    import polars as pl

    from tallybook.statistics.scales import Transformation
    from tallybook.study.account import Account
    from tallybook.study.model import Study

Scale: TypeAlias = Literal["identity", "sqrt", "fourth-root", "log", "logit", "atanh", "bounded"]
"""The scale on which intervals and tests are computed, because errors are closer to normal on it."""

Adjustment = Literal["bonferroni", "holm", "hochberg", "benjamini-hochberg", "benjamini-yekutieli"]
"""The corrections of p-values for multiple tests; see `tallybook.statistics.multiplicity`."""

Counts = Literal["hypotheses", "rows"]
"""The unit in which the tests of a family are counted."""
HYPOTHESIS = "hypothesis of the test"
"""The column that identifies a hypothesis within a cell of an analysis; null in rows without a test of their own."""
UNANSWERED = "no answer: "
"""The prefix of hypotheses about refusals and uncoded responses, which form a separate family."""


class Family(Declaration):
    """The families of tests, and the correction of their p-values, which fills `p_adjusted`."""

    by: tuple[Identifier, ...] = ()
    """The factors (or `outcome`) whose combinations are the families; without any, all tests are one."""
    method: Adjustment = "holm"
    """How the p-values of a family are adjusted."""
    counts: Counts = "hypotheses"
    """What a family's size is the number of. A category and its complement are one hypothesis, and so are a
    coefficient and its odds ratio; intercepts are none, and refusals are a family of their own. `rows` counts each row
    with a p-value."""


class Inputs(NamedTuple):
    """The inputs of an analysis."""

    # the counts of the analysed responses, by cluster if there are any; empty for an analysis of estimates
    tally: pl.DataFrame
    references: Mapping[str, pl.DataFrame]  # the tables of population proportions by name
    summaries: Mapping[str, pl.DataFrame]  # the tables of printed means by name
    estimates: Callable[[str], pl.DataFrame]  # returns the estimates of another analysis
    counts: Callable[[str], pl.DataFrame]  # returns the tally of another analysis
    # the counts of all responses, keyed by the cluster column that they keep; "" for none
    tallies: Mapping[str, pl.DataFrame]


class Analysis(Declaration):
    """An analysis that a study file declares; a subclass is named by the literal type of its `statistic`."""

    by: tuple[Identifier, ...]
    """The factors whose combinations are the cells."""
    family: Family | None = None
    """The p-values are adjusted within these families; by default not at all."""

    has_p_values: ClassVar[bool] = False
    """Whether it tests something, whatever its settings."""
    counts_tests: ClassVar[bool] = False
    """Whether its numbers of observations are numbers of tests."""
    is_ranking: ClassVar[bool] = False
    """Whether its terms are labels that the data make, in an order."""
    is_of_shares: ClassVar[bool] = False
    """Whether the study's `denominator` is that of its shares."""
    is_of_cells: ClassVar[bool] = True
    """Whether its estimates are of cells and terms, which the rows of usual tables are."""
    states_independence: ClassVar[bool] = False
    """Whether its own note states the assumption of independence, so that the table needs no further note of it."""
    results: ClassVar[str] = "estimates"
    """The noun for its estimates in messages and in the methods section, as Markdown."""
    has_errors_of_source: ClassVar[bool] = False
    """Whether its intervals rest on the standard errors of the analysis that it is of, and on its clusters."""
    names_terms: ClassVar[bool] = False
    """Whether its results are called by their terms, as they are of several outcomes together."""
    term_names: ClassVar[tuple[str, ...]] = ()
    """The terms of its estimates, if they depend on neither settings nor data."""
    form: ClassVar[Notation] = Notation()
    """The notation of its estimates, if it is the same for all terms and settings."""

    @classmethod
    def name(cls) -> str:
        """Return the name of the statistic in study files."""
        return ANALYSES.name_of(cls)

    @property
    def plain_results(self) -> str:
        """The noun for its estimates, without Markdown, in the notes of analyses that are computed from them."""
        return self.results.replace("*", "")

    @property
    def sources(self) -> tuple[str, ...]:
        """The analyses that it is computed from."""
        return ()

    @property
    def counts_hypotheses_of(self) -> tuple[str, ...]:
        """The analyses whose hypotheses this one counts."""
        return ()

    @property
    def has_tests(self) -> bool:
        """Whether the analysis has tests, given its settings."""
        return self.has_p_values

    @property
    def resamples(self) -> bool:
        """Whether the analysis may draw random numbers."""
        return False

    def with_defaults_of(self, study: Study) -> Analysis:
        """Return the analysis with the study's denominator, if it is of shares and names none."""
        field = type(self).model_fields.get("denominator") if self.is_of_shares else None
        possible = () if field is None or "denominator" in self.model_fields_set else get_args(field.annotation)
        if study.denominator not in possible:
            return self
        return self.model_copy(update={"denominator": study.denominator})

    def check(self, study: Study, place: str) -> None:
        """Raise a ValueError for names that are not declared and settings that make no sense."""
        require_declared(self.by, study.factors, f"{place}.by", "factor")
        must_differ(self.by, f"{place}.by")
        if self.family is None:
            return
        if not self.has_tests:
            raise ValueError(f"{place}.family: {with_article(self.name())} has no p-values that could be adjusted")
        require_declared(self.family.by, [*self.by, "outcome"], f"{place}.family.by", "factor of the analysis")

    def of_responses(self, study: Study) -> OfResponses:
        """Return the analysis of responses that this one is ultimately computed from."""
        raise NotImplementedError

    def cluster_column(self, study: Study) -> str | None:
        """Return the tally column that holds the clusters; None if responses are treated as independent."""
        if not isinstance(self, Clustered):
            return None
        if self.cluster is not None:
            return joined(self.cluster)
        is_possible = (
            study.cluster and not is_within(study.cluster, self.by) and self.setting_without_clusters() is None
        )
        return joined(study.cluster) if is_possible else None

    @property
    def crossed_scale(self) -> Scale | None:
        """The scale of the confidence intervals with two-way clustering; None without it."""
        return self.two_way_scale if isinstance(self, Clustered) and self.crossed else None

    def cluster_columns(self, study: Study) -> list[str]:
        """List the cluster columns that tallies must keep for this analysis."""
        column = self.cluster_column(study)
        if column is None:
            return []
        return [column] if self.crossed_scale is None else [column, *parts_of(column)]

    def outcomes_of(self, study: Study) -> tuple[str, ...] | None:
        """List the outcomes that have estimates; None if the source analysis is not declared."""
        raise NotImplementedError

    def specifications(self, study: Study) -> int:
        """Count the combinations of alternative settings that the analysis tries out; 0 if it has none."""
        return 0

    def counted_outcomes(self, study: Study) -> tuple[str, ...]:
        """List the outcomes whose counts are needed."""
        return self.of_responses(study).outcomes

    def terms(self, study: Study) -> list[str] | None:
        """List the terms that the estimates can have; None where they depend on the data."""
        return list(self.term_names)

    def uses_responses_of(self, study: Study, levels: Mapping[str, str]) -> bool:
        """Return whether responses with these factor levels enter the analysis."""
        raise NotImplementedError

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the estimates."""
        raise NotImplementedError

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr | pl.Series:
        """Name each estimate's hypothesis within its cell; null for a row that is not a hypothesis test of its own."""
        import polars as pl

        return pl.format("{} {}", "outcome", "term")

    def alike(self, study: Study, outcomes: Collection[str]) -> str:
        """State which rows of some outcomes (or all) are the same test."""
        return ""

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        """Return the notation of a term's estimate; `has_df` is whether its test has degrees of freedom."""
        return self.form

    def note(self, study: Study) -> str:
        """Write the note under a table: one sentence for each setting that affects the numbers."""
        raise NotImplementedError

    def account(self, study: Study) -> Account:
        """Write the account of the analysis for the methods section."""
        raise NotImplementedError


class OfResponses(Analysis):
    """An analysis of counted responses."""

    outcomes: tuple[Identifier, ...]
    """The outcomes it is computed for."""
    where: dict[Identifier, Several] = {}
    """Factor -> the level (or levels) of the responses it is computed from; all responses otherwise."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("category", "reason")
    """The kinds of outcomes that it is defined for."""
    needs_values: ClassVar[bool] = True
    """Whether its estimates need each score, also those kept beside outcomes; otherwise means of cells do."""

    def check(self, study: Study, place: str) -> None:
        super().check(study, place)
        require_declared(self.outcomes, study.outcomes, f"{place}.outcomes", "outcome")
        must_differ(self.outcomes, f"{place}.outcomes")
        for name in self.outcomes:
            kind = study.outcomes[name].kind
            if kind not in self.outcome_kinds:
                allowed = " or ".join(self.outcome_kinds)
                raise ValueError(
                    f"{place}.outcomes: {name!r} is {with_article(kind)}; {with_article(self.name())} needs a {allowed}"
                )
        self.check_settings(study, place)
        if isinstance(self, Clustered):
            self.check_cluster(study, self.by, place)
        check_where(study, self.where, f"{place}.where")

    def check_settings(self, study: Study, place: str) -> None:
        """Raise a ValueError for invalid settings that only this statistic has."""

    @property
    def tested(self) -> tuple[str, ...]:
        """The reference tables that the analysis tests against."""
        return ()

    @property
    def replicates_separately(self) -> bool:
        """Whether the replicates without single clusters can be computed separately from each other, in blocks."""
        return True

    def of_responses(self, study: Study) -> OfResponses:
        return self

    def outcomes_of(self, study: Study) -> tuple[str, ...] | None:
        return self.outcomes

    def uses_responses_of(self, study: Study, levels: Mapping[str, str]) -> bool:
        return meets(self.where, levels) and any(meets(study.outcomes[one].where, levels) for one in self.outcomes)


class Clustered(Declaration):
    """The settings of analyses that can treat clusters of responses, and not responses, as independent."""

    cluster: Cluster | None = None
    """The column whose values are the clusters: `item`, a factor, or another column of the responses; of several their
    combinations. Responses to one item, or with one name, resemble each other, and standard errors that treat them as
    independent are too small. By default that of the study; `[]` treats all responses as independent."""
    standard_error: StandardError = "CV3"
    """How clustered standard errors are computed: by leaving out one cluster at a time (CV3, the jackknife around the
    estimate; CV3J, around the mean of the replicates), as the usual sandwich with the factor G / (G - 1) (CR1), or by
    drawing clusters with replacement (bootstrap)."""
    crossed: bool = False
    """Whether the two columns of `cluster` are clusters each on its own, as names and jobs that cross, and not their
    combinations: what shares a value of either is then not independent (two-way clustering)."""
    df: DegreesOfFreedom | None = None
    """The degrees of freedom of tests and intervals; by default that of the study, where the analysis can have it."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3",)
    """The standard errors that it can have."""
    degrees: ClassVar[tuple[DegreesOfFreedom, ...]] = ("clusters",)
    """The degrees of freedom that it can have."""

    def degrees_of_freedom(self, study: Study) -> DegreesOfFreedom:
        """Return the rule for degrees of freedom that applies; always `clusters` with bootstrap standard errors."""
        if self.standard_error == "bootstrap":
            return "clusters"
        return self.df or (study.df if study.df in self.degrees else "clusters")

    @property
    def two_way_scale(self) -> Scale | None:
        """The scale of confidence intervals with two-way clustering; None if the statistic does not support it."""
        return None

    @property
    def transformation(self) -> Transformation:
        """The transformation onto that scale, and its inverse."""
        from tallybook.statistics.scales import SCALES

        return SCALES[self.two_way_scale or "identity"]

    def check_crossed(self, study: Study, by: tuple[str, ...], place: str) -> None:
        """Raise a ValueError if two-way clustering is not available, or its two columns cannot cross."""
        if not self.crossed:
            return
        columns = columns_of(study.cluster if self.cluster is None else self.cluster)
        if self.two_way_scale is None or self.setting_without_clusters() is not None:
            raise ValueError(f"{place}.crossed: there are no two-way errors of this analysis")
        if len(columns) != 2:  # noqa: PLR2004  two ways
            raise ValueError(f"{place}.crossed: {len(columns)} columns of clusters; expected two")
        if within := [one for one in columns if one in by]:
            raise ValueError(f"{place}.crossed: {within[0]!r} is in 'by': each cell would be a single cluster")

    def setting_without_clusters(self) -> str | None:
        """Return the name of the setting that rules out clustered standard errors; None if there is none."""
        return None

    def check_cluster(self, study: Study, by: tuple[str, ...], place: str) -> None:
        """Raise a ValueError if the cluster columns do not exist, or the statistic cannot be clustered by them."""
        self.check_standard_error(place)
        self.check_crossed(study, by, place)
        if not self.cluster:
            return
        check_columns(study, self.cluster, f"{place}.cluster")
        if is_within(self.cluster, by):
            raise ValueError(
                f"{place}.cluster: {joined(self.cluster)!r} is in 'by': each cell would be a single cluster"
            )
        if (setting := self.setting_without_clusters()) is not None:
            value = getattr(self, setting)
            raise ValueError(f"{place}.cluster: there is no clustered standard error with {setting} = {value!r}")

    def check_standard_error(self, place: str) -> None:
        """Raise a ValueError for a standard error or degrees of freedom that the statistic does not offer."""
        if self.standard_error not in self.standard_errors:
            known = ", ".join(self.standard_errors)
            raise ValueError(f"{place}.standard_error: {self.standard_error!r} is not available here; expected {known}")
        if self.df is not None and self.df not in self.degrees:
            raise ValueError(f"{place}.df: {self.df!r} is not available here; expected {', '.join(self.degrees)}")


class OfEstimates(Analysis):
    """An analysis of the estimates of another analysis."""

    of: Identifier
    """The analysis that it is of."""

    of_kind: ClassVar[str] = "analysis of responses"
    """The kind of analyses that it can be computed from, for messages."""

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.of,)

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        """Return whether `analysis` can be the source. Rankings cannot: a label absent from a cell is not a zero."""
        return isinstance(analysis, OfResponses) and not analysis.is_ranking

    def check(self, study: Study, place: str) -> None:
        super().check(study, place)
        before = dict(takewhile(lambda one: one[1] is not self, study.analyses.items()))
        # An analysis of estimates must be declared before the one that uses it; otherwise two could use each other.
        taken = {name: other for name, other in study.analyses.items() if self.takes(other)}
        allowed = {name: other for name, other in taken.items() if isinstance(other, OfResponses) or name in before}
        require_declared([self.of], allowed, f"{place}.of", self.of_kind)
        of = allowed[self.of]
        require_declared(self.by, of.by, f"{place}.by", f"factor of {self.of}")
        self.check_of(study, of, allowed, place)

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        """Raise a ValueError if the settings do not fit the source analysis."""

    def of_responses(self, study: Study) -> OfResponses:
        return study.analyses[self.of].of_responses(study)

    def outcomes_of(self, study: Study) -> tuple[str, ...] | None:
        of = study.analyses.get(self.of)
        return None if of is None or of is self else of.outcomes_of(study)

    def uses_responses_of(self, study: Study, levels: Mapping[str, str]) -> bool:
        return any(study.analyses[name].uses_responses_of(study, levels) for name in self.sources)


def needed(study: Study, name: str) -> set[str]:
    """Return the names of an analysis and of all analyses that it is computed from."""
    analysis = study.analyses[name]
    others = {*analysis.sources, *analysis.counts_hypotheses_of} - {name}
    return {name}.union(*(needed(study, one) for one in others))


def meets(where: Mapping[str, tuple[str, ...]], levels: Mapping[str, str]) -> bool:
    """Return whether responses with these factor levels satisfy the filter `where`.

    >>> meets({"age": ("old", "young")}, {"age": "old"}), meets({"age": ("young",)}, {"age": "old"})
    (True, False)
    """
    return all(factor not in levels or levels[factor] in wanted for factor, wanted in where.items())


ANALYSES = Registry("tallybook.analyses", Analysis, "statistic", "statistic")
"""The analyses by the names of their statistics."""
