"""The usual tables and figures of analyses, which a study file can name instead of declaring them in full."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from itertools import combinations, count
from typing import Any, NamedTuple, cast

from tallybook.core.wording import expectation, value_text, with_article
from tallybook.study.analysis_base import ANALYSES
from tallybook.study.locations import Path, table_at

Settings = dict[str, Any]

MOST_SHOWN = 30
"""The maximum number of outcomes of an analysis that are shown; all are computed."""
_MOST_BESIDE, _MOST_UPRIGHT, _MOST_COLOURS, _MOST_FACTORS, _TWO = 4, 6, 3, 3, 2
"""The maximum numbers of levels in columns, on an upright x axis and in colours; the maximum number of factors; two."""
_BRACES = str.maketrans("{}", "()")
_PASSED_ON = ("mean", "combination", "estimate-difference")
"""The statistics whose estimates are of the kind of those that they join."""
_EFFECTS = {
    "goodness-of-fit chi-square": "Cohen’s w",
    "goodness-of-fit g": "Cohen’s w",
    "goodness-of-fit exact": "Cohen’s w",
    "group-comparison anova": "η²",
    "group-comparison welch-anova": "η²",
    "group-comparison kruskal-wallis": "ε²",
    "paired-comparison friedman": "Kendall’s W",
    "paired-comparison repeated-anova": "Generalised η²",
    "regression logistic": "Odds ratio",
    "regression ordinal": "Odds ratio",
    "regression poisson": "Rate ratio",
    "regression quasi-poisson": "Rate ratio",
}
"""Statistic with its test or distribution -> the effect size that tables show beside the estimate."""


class _Kind(NamedTuple):
    """How estimates of a statistic are displayed."""

    noun: str  # the quantity that is compared, for titles
    unit: str  # the text after the noun in titles
    axis: str  # the label of the axis of differences
    measure: str  # the name of the measure of an estimate
    label: str  # the heading of its column
    style: Settings  # the settings of its numbers
    is_share: bool = False


_SHARE = _Kind(
    "shares",
    ", in percentage points",
    "Percentage points",
    "percent",
    "%",
    {"scale": 100, "digits": 1},
    is_share=True,
)
_MEAN = _Kind("means", "", "Difference in means", "mean", "Mean", {})
_LEVELS = {"proportion": _SHARE, "score-mean": _MEAN}
_DIFFERENCES = {"difference": _SHARE, "mean-difference": _MEAN}
_RATIO = "impact-ratio"
_FOUR_FIFTHS = {"y_label": "Impact ratio", "line": 0.8, "line_label": "four fifths"}
FIGURES = (*_LEVELS, *_DIFFERENCES, _RATIO)
"""The statistics that have a usual figure."""


Places = dict[Path, Path]
"""The path of a table or figure -> the path of its name in the study file."""
Faults = list[tuple[Path, str]]
"""The paths of names under `usual` that stand for no table or figure, with the reasons."""


def expand_usual(content: Settings) -> tuple[Places, Faults]:
    """Replace names of usual tables and figures in a study file's content by the declarations they stand for."""
    places: Places = {}
    faults: Faults = []
    for setting in ("tables", "figures"):
        declared = content.get(setting)
        if not isinstance(declared, list) or not all(isinstance(part, dict) for part in cast("list[object]", declared)):
            continue
        parts: list[Settings] = []
        for place, part in enumerate(cast("list[Settings]", declared)):
            shown: list[Settings] = [{}]
            if "usual" in part:
                shown = [{"id": "", **one} for one in _of_names(content, part, setting, place, faults)]
            for one in shown:
                places[setting, len(parts)] = (setting, place)
                parts.append(one | {name: own for name, own in part.items() if name != "usual"})
        taken = {str(one.get("id")) for one in parts}
        free = (number for number in map(str, count(1)) if number not in taken)
        content[setting] = [one | {"id": next(free)} if one.get("id") == "" else one for one in parts]
    return places, faults


def _of_names(content: Settings, part: Settings, setting: str, place: int, faults: Faults) -> list[Settings]:
    """Build the tables or figures for the analyses that `usual` names."""
    names: Any = part["usual"]
    what = setting[:-1]
    analyses = table_at(content, "analyses")
    if not isinstance(names, list) or not names:
        said = f"found {value_text(cast('object', names))}; expected a list of one or more names"
        faults.append(((setting, place, "usual"), said))
        return []
    made: list[Settings] = []
    for number, name in enumerate(cast("list[Any]", names)):
        found: object = analyses.get(name, {}) if isinstance(name, str) else {}
        analysis: Settings = cast("Settings", found) if isinstance(found, dict) else {"by": found}
        statistic, by = str(analysis.get("statistic", "")), analysis.get("by", [])
        if not isinstance(by, list):
            continue  # reported for the analysis itself
        by = cast("list[object]", by)
        said = ""
        if not analysis:
            said = f"{value_text(name)} is not an analysis; {expectation(str(name), list(analyses))}"
        elif (kind := ANALYSES.find(statistic)) is None:
            continue  # an invalid statistic is reported for the analysis itself
        elif setting == "figures" and statistic not in FIGURES:
            said = f"{with_article(statistic)} has no usual {what}; there is one of {', '.join(FIGURES)}"
        elif setting == "tables" and not kind.is_of_cells:
            said = f"{with_article(statistic)} has no usual {what}; its rows are others than levels and terms"
        elif len(by) > _MOST_FACTORS:
            said = f"{value_text(name)} is split by {len(by)} factors; a usual {what} has three at most"
        if said:
            faults.append(((setting, place, "usual", number), said))
            continue
        with suppress(AttributeError, LookupError, TypeError):  # faults of the analysis are reported elsewhere
            shown = _Shown(content, name, analysis)
            make = shown.table if setting == "tables" else partial(shown.figure, terms=part.get("terms"))
            made += [make(outcome) for outcome in part.get("outcomes") or shown.outcomes[:MOST_SHOWN]]
    return made


def _base(analyses: Settings, analysis: Settings) -> Settings:
    """Return the analysis of responses that an analysis of estimates is computed from."""
    for _ in range(len(analyses)):
        analysis = analyses[analysis["of"]] if "outcomes" not in analysis else analysis
    return analysis


class _Shown:
    """An analysis for which usual tables and figures are built."""

    def __init__(self, content: Settings, name: str, analysis: Settings) -> None:
        self._name, self._analysis, self._study = name, analysis, content
        self._statistic: str = analysis["statistic"]
        self._base = _base(content["analyses"], analysis)
        self.outcomes: list[str] = self._base["outcomes"][: 1 if "formulas" in self._base else None]
        self._by: list[str] = list(analysis["by"])
        self._factors: Settings = content["factors"]
        is_passed_on = self._statistic in _PASSED_ON
        kinds = _LEVELS | _DIFFERENCES
        self._kind = kinds.get(self._base["statistic"] if is_passed_on else self._statistic, _MEAN)
        digits: int = content.get("style", {}).get("digits", 2)
        self._style: Settings = self._kind.style if is_passed_on else {"digits": max(2, digits), "large_digits": digits}
        has_factor = self._base["statistic"] in {*_DIFFERENCES, "paired-comparison"}
        self._factor: str = self._base["factor"] if has_factor else ""
        compared: list[str] = (
            list(self._base.get("levels") or self._factors[self._factor]["levels"]) if self._factor else []
        )
        reference: object = self._base.get("reference")
        self._pairs = [(one, str(reference)) for one in compared if one != reference and reference in compared]
        self._pairs = self._pairs or [*combinations(compared, 2)]

    def table(self, outcome: str) -> Settings:
        """Build the table of an outcome."""
        if self._statistic in _LEVELS:
            return self._estimates(outcome)
        if self._statistic in _DIFFERENCES:
            return self._differences(outcome)
        if self._statistic == "most-frequent":
            return self._table(outcome, measures=[self._measure("frequent", "Most frequent", style="ranked", top=5)])
        if self._statistic != "t-test":
            return self._tests(outcome)
        shown = {"t": ("statistic", 2), "df": ("df", 0), "p": ("p_value", 3), "d": ("effect", 2)}
        measures = [
            self._measure(name, name, value=value, style="p-value" if name == "p" else "number", digits=digits)
            for name, (value, digits) in shown.items()
        ]
        title = f"{{outcomes.{outcome}}}{self._by_factors}: is its mean other than 0?"
        return self._table(outcome, measures=measures, title=title)

    def _tests(self, outcome: str) -> Settings:
        """Build a table of tests, one a row."""
        kind, settings, f_test = ANALYSES[self._statistic], self._analysis, self._is_f_test
        fields = kind.model_fields
        option = next(
            (settings.get(name, fields[name].default) for name in ("test", "distribution") if name in fields), ""
        )
        has_interval = "confidence" in fields or self._statistic in {"equivalence", "multiverse"}
        interval = {"interval": has_interval and (self._statistic != "paired-comparison" or option == "t")}
        effect = _EFFECTS.get(f"{self._statistic} {option}", "")
        ratio = {"interval": self._statistic == "regression"}
        style = {"digits": 0} if self._statistic == "count" else self._style
        optional = {"style": "number", "grouped": True, "optional": True}
        measures = [
            *([self._number("n", "n", "n")] if self._statistic != "count" else []),
            self._measure("estimate", self._with_interval("Estimate", **interval), **optional, **style, **interval),
        ]
        if effect:
            heading = self._with_interval(effect, **ratio)
            measures.append(self._measure("effect", heading, value="effect", **optional, digits=2, **ratio))
        if kind.has_p_values or "null_value" in settings:
            numbers = {
                "statistic": ("F" if f_test else "Statistic", 2),
                "df": ("df₁" if f_test else "df", int(f_test)),
                "df2": ("df₂", int(f_test)),
            }
            measures += [
                self._measure(name, label, value=name, **optional, digits=digits)
                for name, (label, digits) in numbers.items()
            ]
            measures += self._p_values(optional=True)
        pair: dict[str, float] = settings.get("weights", {"": 1, " ": -1})
        weights = pair if self._statistic == "combination" else {}
        is_difference = sorted(weights.values()) == [-1, 1]
        results = "differences of estimates" if is_difference else kind.results.replace("*", "")
        unit = ", in percent" if self._statistic == "mean" and self._kind.is_share else self._kind.unit
        title = f"{{outcomes.{outcome}}}{self._by_factors}: {results}{unit}"
        if self._statistic == "paired-comparison" and self._is_pair:
            title += f", {self._in_title()}"
        if is_difference and "weights" in settings:
            title += f", {' − '.join(self._named(settings['factor'], sorted(weights, key=lambda one: -weights[one])))}"
        rows = self._by if self._has_one_term(outcome) else [*self._by, "term"]
        stub = {} if rows else {"rows": ["outcome"], "stub": "Outcome"}
        return self._table(outcome, **{"rows": rows} | stub, title=f"{title}.", measures=measures)

    def _with_interval(self, label: str, *, interval: bool = True) -> str:
        """Return the heading of a number and of its confidence interval, with the interval's level."""
        level: float = (self._base if self._statistic == "multiverse" else self._analysis).get("confidence", 0.95)
        if self._statistic == "equivalence":
            level = 1 - 2 * self._analysis.get("alpha", 0.05)
        return f"{label} [{100 * level:g}% CI]" if interval else label

    @property
    def _is_f_test(self) -> bool:
        """Whether the tests have two numbers of degrees of freedom."""
        if "test" not in (fields := ANALYSES[self._statistic].model_fields) or self._analysis.get("pairwise"):
            return self._statistic == "independence" and self._is_clustered
        test: str = self._analysis.get("test", fields["test"].default)
        return test.endswith("anova") or (test == "chi-square" and self._is_clustered)

    def _has_one_term(self, outcome: str) -> bool:
        """Return whether the estimates in a cell are of a single term."""
        if self._statistic == "combination" and "reference" in self._analysis:
            return False
        if self._statistic == "goodness-of-fit":
            return True
        if "formulas" in self._base:
            return len(self._base["formulas"]) == 1
        terms = ANALYSES[self._base["statistic"]].term_names
        if not terms and "factor" in self._base and self._study["outcomes"][outcome]["kind"] == "score":
            return self._base["statistic"] in {*_DIFFERENCES, "paired-comparison"} and self._is_pair
        return len(terms) == 1

    @property
    def _by_factors(self) -> str:
        return f" by {' and '.join(f'{{factors.{name}}}' for name in self._by)}" if self._by else ""

    @property
    def _clusters(self) -> str:
        """Name the clusters for a title, where another analysis differs in nothing else."""
        own, *others = (
            {name: value for name, value in one.items() if name not in {"cluster", "crossed"}}
            for one in (self._analysis, *(one for one in self._study["analyses"].values() if one is not self._analysis))
        )
        if own not in others or "cluster" not in self._analysis:
            return ""
        columns: str | list[str] = self._analysis["cluster"]
        names = [columns] if isinstance(columns, str) else columns
        shown = " and ".join(f"{{factors.{name}}}" if name in self._factors else name for name in names)
        return f", clustered by {shown}" if shown else ", responses taken as independent"

    def _table(self, outcome: str, **more: object) -> Settings:
        title = str(more.pop("title", f"{{outcomes.{outcome}}}{self._by_factors}."))
        return {
            "title": f"{title.removesuffix('.')}{self._clusters}." if title.endswith(".") else title,
            "outcomes": [outcome],
            "stub": f"{{factors.{self._by[-1]}}}" if self._by else "",
            "rows": self._by or ["term"],
            "columns": ["measure"],
            **more,
        }

    def _measure(self, name: str, label: str, **part: object) -> Settings:
        return {"id": name, "label": label, "parts": [{"statistic": name, "analysis": self._name, **part}]}

    def _number(self, name: str, label: str, value: str, digits: int = 0) -> Settings:
        return self._measure(name, label, value=value, style="number", digits=digits, grouped=True)

    def _p_values(self, **part: object) -> list[Settings]:
        """Build the measures of p values: adjusted ones beside them where tests are a family."""
        shown = {"p_value": ("p", "p")} | (
            {"p_adjusted": ("p_adjusted", "Adjusted p")} if "family" in self._analysis else {}
        )
        return [
            self._measure(name, label, value=value, style="p-value", form="apa", **part)
            for value, (name, label) in shown.items()
        ]

    def _estimate(self, name: str, label: str) -> Settings:
        """Build the measure of an estimate with its confidence interval; means have the digits of the study's style."""
        heading = self._with_interval(label) if label else ""
        return self._measure(name, heading, style="number", **self._kind.style, grouped=True, interval=True)

    def _estimates(self, outcome: str) -> Settings:
        """Build a table of shares or means; if the first of two factors has few levels, they become columns."""
        kind, by = self._kind, self._by
        measures = [self._number("n", "n", "n"), self._estimate(kind.measure, kind.label)]
        place: Settings = {}
        if len(by) == _TWO and _TWO <= len(self._factors[by[0]]["levels"]) <= _MOST_BESIDE:
            place = {"rows": ["term", by[1]] if kind.is_share else [by[1]], "columns": [by[0], "measure"]}
        elif kind.is_share and by:
            place = {"row_label": "{label} (n = {n})", "row_n": self._name, "columns": ["term"]}
            measures = [self._estimate(kind.measure, "")]
        elif not kind.is_share and not by:
            place = {"rows": ["outcome"], "stub": "Outcome"}
        return self._table(outcome, **place, measures=measures)

    def _differences(self, outcome: str) -> Settings:
        """Build a table of differences between the levels of a factor."""
        kind, is_pair = self._kind, self._is_pair
        between = f"difference in {kind.noun}, {self._in_title()}"
        if not is_pair:
            between = f"differences of {kind.noun} between levels of {{factors.{self._factor}}}"
        # With two levels, terms are categories; with more, they name the compared levels too.
        rows = [*self._by, *(["term"] if kind.is_share or not is_pair else [])] or ["outcome"]
        stub: Settings = {} if self._by else {"stub": f"{{factors.{self._factor}}}"}
        if kind.is_share and not self._by:  # the rows are categories
            stub = {"stub": f"{{outcomes.{outcome}}}"}
        elif rows == ["outcome"]:
            stub = {"stub": "Outcome"}
        measures = [
            self._number("n", "n", "n"),
            self._estimate("difference", "Difference"),
            *([] if kind.is_share else [self._number("effect", "Hedges’ g", "effect", 2)]),
            self._measure("df", "df", value="df", style="number", digits=0, optional=True),
            *self._p_values(),
        ]
        split = self._by_factors if {*self._by} - {"model"} else ""
        title = f"{{outcomes.{outcome}}}{split}: {between}{kind.unit}."
        return self._table(outcome, rows=rows, title=title, **stub, measures=measures)

    @property
    def _is_clustered(self) -> bool:
        """Whether clusters are independent, not responses."""
        own = self._analysis.get("cluster", self._base.get("cluster", self._study.get("cluster")))
        return bool(own) and not {*([own] if isinstance(own, str) else own)} & {*self._base["by"]}

    @property
    def _is_pair(self) -> bool:
        """Whether two levels are compared, and no others."""
        return len(self._pairs) == 1

    def _in_title(self) -> str:
        """Return the difference of the two compared levels as placeholders for a title."""
        return " − ".join(self._named(self._factor, [*self._pairs[0]]))

    def _named(self, factor: str, levels: list[str]) -> list[str]:
        """Return levels as placeholders for a title; a level with braces is printed without them."""
        return [level.translate(_BRACES) if {*level} & {*"{}"} else f"{{factors.{factor}.{level}}}" for level in levels]

    def figure(self, outcome: str, terms: list[str] | None) -> Settings:
        """Build the figure of an outcome; `terms`: those that the study file chooses, if it does."""
        kind, by = self._kind, self._by
        made: Settings = {"kind": "points", "analysis": self._name, "outcomes": [outcome]}
        if self._statistic in _DIFFERENCES:
            return made | self._forest(outcome, terms)
        if self._statistic == _RATIO:
            chosen = self._analysis.get("category")
            category = f" ({self._category(outcome, chosen)})" if chosen else ""
            made |= {"title": f"{{outcomes.{outcome}}}{category}{self._by_factors}: impact ratios."}
            return made | self._axes("term", by, flip=True) | _FOUR_FIFTHS
        split = f" by {' and '.join(f'{{factors.{name}}}' for name in reversed(by))}" if by else ""
        made |= {"title": f"{{outcomes.{outcome}}}{split}."}
        if kind.is_share:
            made |= {"terms": list(self._study["outcomes"][outcome]["labels"]), "colour": "term", "scale": 100}
        x = by[-1] if by else "term" if kind.is_share else "outcome"
        made |= self._axes(x, by[:-1], flip=bool(by) and len(self._factors[x]["levels"]) > _MOST_UPRIGHT)
        return made | {"y_label": f"{{outcomes.{outcome}}} ({'%' if kind.is_share else 'mean'})"}

    def _axes(self, x: str, others: list[str], *, flip: bool) -> Settings:
        """Place factors: of two or more that with most levels in rows of panels, then in panels, then in colours."""
        ordered = sorted(others, key=lambda one: len(self._factors[one]["levels"]), reverse=True)
        rows, panels, colour = [*([] if len(ordered) > 1 else [""]), *ordered, "", ""][:3]
        place: Settings = {"x": x, "panels": panels, "panel_rows": rows, "colour": colour}
        if panels and not rows and len(self._factors[panels]["levels"]) > _MOST_BESIDE:
            place["panels_per_row"] = _MOST_COLOURS
        return {name: value for name, value in place.items() if value} | ({"flip": True} if flip else {})

    def _forest(self, outcome: str, terms: list[str] | None) -> Settings:
        """Build a forest plot of the differences between levels; for shares, of all categories if a pair is compared.

        Of two categories, which complement each other, and between more levels it shows the first.
        """
        kind, is_pair, declared = self._kind, self._is_pair, self._factors[self._factor]["levels"]
        categories = list(self._study["outcomes"][outcome].get("labels", ()))
        compared = {f"{one} - {other}": f"{declared[one]} − {declared[other]}" for one, other in self._pairs}
        what, shown = f"{{outcomes.{outcome}}}", [""]
        if kind.is_share:
            shown = categories if is_pair and len(categories) > _TWO else categories[:1]
            if terms:
                shown = list(dict.fromkeys(str(term).partition(": ")[0] for term in terms))
            what += f" ({self._category(outcome, shown[0])})" if len(shown) == 1 else ""
            compared = {
                term if is_pair else f"{category}: {term}": name
                for category in shown
                for term, name in ({category: category} if is_pair else compared).items()
            }
        said = f", {self._in_title()}" if is_pair else f" between levels of {{factors.{self._factor}}}"
        noun = f"difference in {kind.noun}" if is_pair else f"differences of {kind.noun}"
        made: Settings = {"title": f"{what}: {noun}{said}{',' * bool(self._by)}{self._by_factors}."}
        made |= {} if is_pair and not kind.is_share else {"terms": list(compared)}
        made |= {} if is_pair or len(shown) > 1 else {"labels": {"term": compared}}
        # Many pairs are listed vertically, in a panel for each level of the last factor.
        if not self._by or (not is_pair and len(compared) > _MOST_COLOURS):
            made |= self._axes("term" if kind.is_share or not is_pair else "outcome", self._by, flip=True)
        else:
            made |= self._axes(self._by[-1], self._by[:-1], flip=True) | (
                {} if len(compared) == 1 else {"colour": "term"}
            )
        made |= {"line": 0, "line_label": "no difference"}
        return made | ({"scale": 100} if kind.is_share else {}) | {"y_label": kind.axis}

    def _category(self, outcome: str, category: str) -> str:
        """Return the name of a category for a title, without braces, which would be placeholders."""
        return str(self._study["outcomes"][outcome].get("names", {}).get(category, category)).translate(_BRACES)
