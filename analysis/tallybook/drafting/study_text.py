"""A drafted study as the text of a study file: with comments, for a person to read and change."""

from __future__ import annotations

from math import comb
from typing import TYPE_CHECKING, NamedTuple

from tallybook.drafting.toml import document, heading, table
from tallybook.study.names import title
from tallybook.study.usual import MOST_SHOWN

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.study.draft import Draft, Settings

_MOST_PANELS = 8
"""How many models a drafted figure shows at most."""
_TWO, _MOST_COMPARED = 2, 4
"""How many levels of a factor are compared with each other at most."""
_ABOUT = [
    "A study: where its responses come from, how they are coded, what is computed and how it is shown.",
    "Drafted from a dump. Change any line; `tallybook validate` says whether the study still fits the data.",
    "An editor completes it after `tallybook schema study -o study.schema.json`, if its first line is",
    "`#:schema study.schema.json`.",
]
_COMMENTS = {
    "key": "what identifies a response: no two agree in all of these",
    "data": "relative to the folder of this file; a folder outside of it must be confirmed, or named with --data",
    "extra": 'columns that are not named below are ignored; "error" refuses them',
    "samples_by": "responses that agree in these are repetitions, numbered as they come",
    "files": "relative to the folder of the data",
    "constants": "columns with one value everywhere",
}
_CHECKS = {
    "design": "every model answered each prompt equally often",
    "encoding": "warn of mojibake, control characters, texts that were cut off",
    "requests": "warn of texts that are messages of failed requests",
    "secrets": "warn of API keys and e-mail addresses",
}
_REFUSALS = """\
# The most refusals that you accept, and so with "invalid" and "error":
# refusals = { kind = "rate", status = "refused", at_most = 0.2, by = ["model"] }
"""
"""A check whose bound only the user can know."""


_RESULTS = {
    "style": "how numbers are printed",
    "analyses": "what is computed",
    "tables": f"the usual tables, of {MOST_SHOWN} outcomes at most; [[tables]] with rows and measures declares others",
    "figures": "the usual figures; [[figures]] with a kind declares others",
}


def study_text(draft: Draft) -> str:
    """Write a study file."""
    return "\n".join([*_declared(draft), document(_results(draft), _RESULTS).lstrip()])


def _declared(draft: Draft) -> Iterator[str]:
    """Write how responses are read and coded."""
    yield "".join(f"# {line}\n" for line in [*_ABOUT, *(f"TO CHECK: {doubt}" for doubt in draft.doubts)])
    place: Settings = {} if draft.data == "." else {"data": draft.data}
    comments = dict(_COMMENTS)
    if draft.cluster is not None:
        place["cluster"] = draft.cluster
        comments["cluster"] = f"what repeats: {draft.evidence}; [] treats all responses as independent"
    elif "item" in draft.columns:
        place["cluster"] = []
        comments["cluster"] = "responses are treated as independent: too few prompts, names or the like repeat"
    yield table("", {"name": draft.name, "title": draft.title} | place | {"key": draft.key}, comments=comments)
    yield heading("where responses come from")
    yield table("[sources]", draft.source, comments=comments)
    columns = {name: one["path"] if [*one] == ["path"] else one for name, one in draft.columns.items()}
    yield table("sources.columns", columns, "column here -> its path in the files")
    if draft.derive:
        yield table("sources.derive", draft.derive, "columns derived from others")
    yield heading("how results are split: a level that is not listed is an error")
    yield '# In place of a list: [factors.age] with label = "Age group", levels = { older = "Older applicants", ... }\n'
    factors = {name: _names(one["levels"]) for name, one in draft.factors.items()}
    is_short = {
        name: isinstance(levels, list) and draft.factors[name]["label"] == title(name)
        for name, levels in factors.items()
    }
    yield table("factors", {name: levels for name, levels in factors.items() if is_short[name]})
    for name in (name for name in factors if not is_short[name]):
        factor = draft.factors[name] | {"levels": factors[name]}
        yield from _nested(("factors", name), factor, {"levels": "level in the data -> how tables call it"})
    yield heading("how the texts are read")
    yield from _nested(("instrument",), draft.instrument)
    said = {"labels": "category -> the labels that mean it", "names": "category -> how tables call it"}
    for name, outcome in draft.outcomes.items():
        labels = {"labels": _names(outcome["labels"])} if "labels" in outcome else {}
        own = {setting: one for setting, one in outcome.items() if (setting, one) != ("label", title(name))}
        yield from _nested(("outcomes", name), own | labels, said)
    yield heading("what `tallybook validate` also checks")
    short = {name: check for name, check in draft.checks.items() if name != "design"}
    yield f"{table('checks', short, comments=_CHECKS)}{_REFUSALS}"
    if "design" in draft.checks:
        yield table(("checks", "design"), draft.checks["design"], _CHECKS["design"])


def _names(settings: Settings) -> Settings | list[str]:
    """List the names of settings that all are themselves."""
    return [*settings] if settings and all(one in (name, [name]) for name, one in settings.items()) else settings


def _nested(path: tuple[str, ...], content: Settings, said: dict[str, str] | None = None) -> Iterator[str]:
    """Write settings, those that are tables below their own headings."""
    is_part = {name: isinstance(one, dict) and name != "where" for name, one in content.items()}
    parts: dict[str, Settings] = {name: one for name, one in content.items() if is_part[name]}
    yield table(path, {name: one for name, one in content.items() if name not in parts})
    for name, part in parts.items():
        if name == "scorings":
            for scoring, conventions in part.items():
                yield table((*path, name, scoring), conventions)
        else:
            yield table((*path, name), part, (said or {}).get(name, ""))


class _Kind(NamedTuple):
    """The statistics that count and compare a kind of outcomes."""

    analysis: str  # the name of the analysis
    statistic: str
    compared: str  # the statistic that compares levels
    conventions: Settings


# One denominator throughout, so that a difference in one table is that of the shares in another.
_SHARE = _Kind("share", "proportion", "difference", {"denominator": "all"})
_MEAN = _Kind("mean", "score-mean", "mean-difference", {})


def _results(draft: Draft) -> Settings:
    """Declare what is computed and shown."""
    analyses: Settings = {}
    figures: list[str] = []
    labels = [name for name, outcome in draft.outcomes.items() if outcome["kind"] == "label"]
    kinds = [(kind, outcomes) for kind, outcomes in ((_SHARE, draft.categories), (_MEAN, draft.scores)) if outcomes]
    for split in [None, *(name for name in draft.factors if name != "model")]:
        by = ["model"] if split is None else ["model", split]
        suffix = "" if split is None else f"_by_{split}"
        other = _own_cluster(draft, split) or _both_clusters(draft, split)
        for kind, outcomes in kinds:
            declared = {"statistic": kind.statistic, "outcomes": outcomes, "by": by, **kind.conventions, **other}
            analyses[f"{kind.analysis}{suffix}"] = declared
            if split is None or len(draft.factors["model"]["levels"]) <= _MOST_PANELS:
                figures.append(f"{kind.analysis}{suffix}")
        if labels:
            analyses[f"frequent{suffix}"] = {"statistic": "most-frequent", "outcomes": labels, "by": by}
        factor = split or "model"
        levels = draft.compared.get(factor, [])
        number = len(levels or draft.factors[factor]["levels"])
        if not 1 < number <= _MOST_COMPARED:
            continue
        other = _own_cluster(draft, split) or ({} if split in draft.nested else _both_clusters(draft, split))
        for kind, outcomes in kinds:
            declared = {"statistic": kind.compared, "outcomes": outcomes, "by": ["model"] if split else []}
            declared |= {"factor": factor} | ({"levels": levels} if levels else {}) | kind.conventions
            declared |= {"family": {"method": "holm"}} if _tests(draft, kind, outcomes, factor, number) > 1 else {}
            name = f"{kind.compared.replace('-', '_')}_by_{factor}"
            analyses[name] = declared | other
            figures += [name] if split else []
    if "bias" in draft.scores:
        analyses["test"] = {"statistic": "t-test", "outcomes": ["bias"], "by": ["model"]}
    results: Settings = {"style": {"digits": draft.digits}} if draft.scores and draft.digits != _TWO else {}
    shown = {"tables": [{"usual": [*analyses]}], "figures": [{"usual": figures}] if figures else []}
    return results | {"analyses": analyses} | {name: one for name, one in shown.items() if one}


def _own_cluster(draft: Draft, split: str | None) -> Settings:
    """Get the setting of what is split by a factor that the clusters of the study do not fit."""
    return {"cluster": draft.clusters[split] or []} if split in draft.clusters else {}


def _both_clusters(draft: Draft, split: str | None) -> Settings:
    """Declare two clusters that cross, such as names and jobs, where neither is compared."""
    if draft.crossing is None or split in {draft.crossing, draft.cluster}:
        return {}
    return {"cluster": [draft.cluster, draft.crossing], "crossed": True}


def _tests(draft: Draft, kind: _Kind, outcomes: list[str], factor: str, levels: int) -> int:
    """Count the tests of a comparison; a category and its complement are one."""
    pairs = comb(levels, 2) * (1 if factor == "model" else len(draft.factors["model"]["levels"]))
    categories = (len(draft.outcomes[name]["labels"]) for name in outcomes)
    return pairs * (sum(1 if number == _TWO else number for number in categories) if kind is _SHARE else len(outcomes))
