"""The analyses of study files as methods of a study in Python: one method for each analysis in the registry."""

from __future__ import annotations

import re
import tomllib
from copy import deepcopy
from functools import cached_property
from inspect import Parameter, Signature, cleandoc
from typing import TYPE_CHECKING, Any, get_origin

import polars as pl

from tallybook import pipeline
from tallybook.core.errors import UsageError
from tallybook.study.analysis_base import ANALYSES, OfEstimates, needed
from tallybook.study.base import description
from tallybook.study.faults import checked
from tallybook.study.names import first_free
from tallybook.study.settings import apply_settings
from tallybook.study_estimates import Estimates
from tallybook.study_results import StudyData

if TYPE_CHECKING:
    from collections.abc import Callable

    from tallybook.study.analysis_base import Analysis
    from tallybook.study.model import Study

_SHOWN = ("tables", "numbers", "figures", "listings", "published", "printed", "errata", "not_reproduced", "remarks")
"""The parts of a study file that show results: an analysis is computed without them."""


class StudyAnalyses(StudyData):
    """A study whose analyses are also methods: `study.difference("hired", between="race", cluster="name")`."""

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Estimates]: ...

    def analyse(self, statistic: str, /, **settings: Any) -> Estimates:  # noqa: ANN401  those of the statistic
        """Compute an analysis, which the study file need not declare.

        Args:
            statistic: The statistic, as named in study files.
            **settings: Its settings in study files. `between` is another name of `factor`; where a setting names an
                analysis, give the estimates that it returned, or its name in the study file. By default an
                analysis is `by` model or, if it is computed from another analysis, `by` the factors of that one.

        Returns:
            The estimates.

        Raises:
            UsageError: If an argument is wrong; the message names it.
            DataError: If the data violate their schemas.
        """
        kind = ANALYSES[statistic]
        names = {"between": "factor"} if "factor" in kind.model_fields and "between" not in kind.model_fields else {}
        if "between" in names and {"between", "factor"} <= set(settings):
            raise UsageError(f"{_method(statistic)}: between and factor are one argument; expected one of them")
        given = {
            names.get(argument, argument): value.to_list() if isinstance(value, pl.Series) else value
            for argument, value in settings.items()
        }
        lists = {setting for setting, field in kind.model_fields.items() if get_origin(field.annotation) is tuple}
        content = deepcopy(self._content)
        analyses: dict[str, Any] = content.setdefault("analyses", {})
        for setting, value in given.items():
            if isinstance(value, Estimates):
                analyses |= value.declared
                given[setting] = value.name
            elif isinstance(value, str) and setting in lists:
                given[setting] = [value]
        read = {one.attribute: name for name, one in self.declaration.outcomes.items()}  # by their names in the dump
        if isinstance(given.get("outcomes"), list | tuple):
            outcomes: list[str] = list(given["outcomes"])
            given["outcomes"] = [one if one in read.values() else read.get(one, one) for one in outcomes]
        name = first_free(_method(statistic), analyses)
        if "by" not in given:
            given["by"] = self._cells(kind, given, analyses)
        analyses[name] = {"statistic": statistic} | {key: one for key, one in given.items() if one is not None}
        study = self._checked(content, name, statistic, {names[new]: new for new in settings if new in names})
        kept = needed(study, name)
        own = {one: analysis for one, analysis in study.analyses.items() if one in kept}
        only = study.model_copy(update={"analyses": own})
        source, counted = self._coded, self._tally
        found = pipeline.estimates_of(only, self.loaded.data, source, counted).filter(analysis=name)
        return Estimates(only, name, found, {one: analyses[one] for one in own})

    @cached_property
    def _content(self) -> dict[str, Any]:
        """The content of the study file, without the parts that show results."""
        content = tomllib.loads(self.loaded.text.removeprefix("\ufeff"))
        apply_settings(content, self.loaded.settings)
        return {setting: one for setting, one in content.items() if setting not in _SHOWN}

    def _cells(self, kind: type[Analysis], given: dict[str, Any], analyses: dict[str, Any]) -> list[str]:
        """Return the default of `by`: the model, or the factors of the analysis it is of, except those compared."""
        compared = [given.get(setting) for setting in ("factor", "over", "unit", "within")]
        by = analyses.get(str(given.get("of")), {}).get("by", []) if issubclass(kind, OfEstimates) else ["model"]
        return [name for name in by if name not in compared and name in self.declaration.factors]

    def _checked(self, content: dict[str, Any], name: str, statistic: str, names: dict[str, str]) -> Study:
        """Validate the study with the added analysis; faults name the method's argument."""
        study = checked(content)
        if not isinstance(study, list):
            return study
        told: list[str] = []
        for fault in study:
            setting = fault.shown.removeprefix(f"analyses.{name}").lstrip(".")
            first = re.split(r"[.\[]", setting)[0]
            argument = names.get(first, first) + setting[len(first) :]
            told.append(": ".join(part for part in (_method(statistic), argument, fault.message) if part))
        raise UsageError("\n".join(told))


def _method(statistic: str) -> str:
    return statistic.replace("-", "_")


def _method_of(statistic: str, kind: type[Analysis]) -> Callable[..., Estimates]:
    """Build the method of a statistic, with the arguments and their descriptions from study files."""
    first = "of" if issubclass(kind, OfEstimates) else "outcomes"
    required = {name: field.is_required() for name, field in kind.model_fields.items() if name != "statistic"}
    required |= {"by": False}
    order = sorted(required, key=lambda name: (name != first, not required[name]))

    def method(self: StudyAnalyses, *args: Any, **settings: Any) -> Estimates:  # noqa: ANN401
        if len(args) > 1:
            raise UsageError(f"{_method(statistic)}: one argument without a name ({first}); name the others")
        return self.analyse(statistic, **dict(zip((first,), args, strict=False)), **settings)

    parameters = [Parameter("self", Parameter.POSITIONAL_ONLY)]
    told = {name: " ".join((description(kind, name) or "").split()) for name in order}
    for name in order:
        where = Parameter.POSITIONAL_OR_KEYWORD if name == first else Parameter.KEYWORD_ONLY
        has_other = name == "factor" and "between" not in required
        parameters.append(Parameter(name, where, default=Parameter.empty if required[name] and not has_other else None))
        if has_other:
            parameters.append(Parameter("between", Parameter.KEYWORD_ONLY, default=None))
            told["between"] = "Another name of `factor`."
    arguments = "\n".join(f"    {name}: {text}" for name, text in told.items())
    method.__doc__ = f"{cleandoc(kind.__doc__ or '')}\n\nArgs:\n{arguments}\n\nReturns:\n    The estimates."
    method.__name__ = _method(statistic)
    method.__qualname__ = f"Study.{method.__name__}"
    method.__signature__ = Signature(parameters, return_annotation="Estimates")  # pyright: ignore[reportFunctionMemberAccess]
    return method


for _statistic, _kind in ANALYSES.classes.items():
    if not hasattr(StudyAnalyses, _method(_statistic)):
        setattr(StudyAnalyses, _method(_statistic), _method_of(_statistic, _kind))
