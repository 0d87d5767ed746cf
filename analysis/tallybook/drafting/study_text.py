"""The text of the study file for a drafted study, with comments, for people to read and edit."""

from __future__ import annotations

import re
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from tallybook.drafting.toml import document
from tallybook.study.names import title
from tallybook.study.usual import MOST_SHOWN

if TYPE_CHECKING:
    from tallybook.study.draft import Draft, Settings

_MOST_PANELS = 8
"""The largest number of models for which figures by a factor are drafted."""
_TWO, _MOST_COMPARED, _MOST_WITH_ONE = 2, 4, 12
"""The largest numbers of levels of a factor that are compared with each other, and with a level of reference."""
_PLAIN = re.compile(
    r"(?i)^(?:(?:no|without)[ _-](?:group|identity|name|persona|role)|none|control|neutral|baseline|default|unspecified"
    r"|generic|keine?|neutro|neutra|neutre|aucune?|ning[uú]n[oa]?|nessun[oa]?|nenhum[a]?|无)$"
)
"""The names of levels that others are compared with: those of no group or persona."""
_ABOUT = [
    "A study: where its responses come from, how they are coded, what is computed and how it is shown.",
    "Drafted from a dump. Change any line; `tallybook validate` says whether the study still fits the data.",
    "An editor completes it after `tallybook schema study -o study.schema.json`, if its first line is",
    "`#:schema study.schema.json`.",
]
_COMMENTS = {
    "key": "what identifies a response: no two agree in all of these",
    "data": "relative to the folder of this file; a folder outside of it must be confirmed, or named with --data",
    "sources": "where responses come from",
    "sources.extra": 'columns that are not named below are ignored; "error" refuses them',
    "sources.samples_by": "responses that agree in these are repetitions, numbered as they come",
    "sources.files": "relative to the folder of the data",
    "sources.constants": "columns with one value everywhere",
    "sources.columns": "column here -> its path in the files",
    "sources.derive": "columns derived from others",
    "factors": "how results are split: a level that is not listed is an error\n"
    '# In place of a list: [factors.age] with label = "Age group", levels = { older = "Older applicants", ... }',
    "instrument": "how the texts are read",
    "checks": "what `tallybook validate` also checks, such as that not more than a fifth is refused:\n"
    '# refusals = { kind = "rate", status = "refused", at_most = 0.2, by = ["model"] }',
    "df": 'fewer degrees of freedom than "clusters" gives, as clusters differ in size',
    "denominator": 'of shares: "all" responses, "answered" (without refusals), or "coded" (with an answer)',
    "checks.design": "every model answered each prompt equally often",
    "checks.encoding": "warn of mojibake, control characters, texts that were cut off",
    "checks.requests": "warn of texts that are messages of failed requests",
    "checks.secrets": "warn of API keys and e-mail addresses",
    "style": "how numbers are printed",
    "analyses": "what is computed",
    "tables": f"the usual tables, of {MOST_SHOWN} outcomes at most; [[tables]] with rows and measures declares others",
    "figures": "the usual figures; [[figures]] with a kind declares others",
}


def study_text(draft: Draft) -> str:
    """Format a draft as the text of a study file."""
    about = "".join(f"# {line}\n" for line in [*_ABOUT, *(f"TO CHECK: {doubt}" for doubt in draft.doubts)])
    comments = dict(_COMMENTS)
    place: Settings = {} if draft.data == "." else {"data": draft.data}
    if draft.cluster is not None:
        place["cluster"] = draft.cluster
        comments["cluster"] = f"what repeats: {draft.evidence}; [] treats all responses as independent"
        place |= {"df": "effective"} if draft.evidence.is_uneven else {}
    elif "item" in draft.columns:
        place["cluster"] = []
        comments["cluster"] = "responses are treated as independent: too few prompts, names or the like repeat"
    if draft.categories:  # one for all, so that a difference in one table is that between shares in another
        place["denominator"] = "all"
    columns = {name: one["path"] if [*one] == ["path"] else one for name, one in draft.columns.items()}
    source = draft.source | {"columns": columns} | ({"derive": draft.derive} if draft.derive else {})
    declared: Settings = {"name": draft.name, "title": draft.title, **place, "key": draft.key, "sources": [source]}
    factors = {name: _shortened(name, factor, "levels") for name, factor in draft.factors.items()}
    is_short = all([*one] == ["levels"] and isinstance(one["levels"], list) for one in factors.values())
    declared["factors"] = {name: one["levels"] for name, one in factors.items()} if is_short else factors
    declared["instrument"] = draft.instrument
    declared["outcomes"] = {name: _shortened(name, one, "labels") for name, one in draft.outcomes.items()}
    checks = {"checks": draft.checks} if draft.checks else {}
    results = _results(draft)
    comments |= {f"analyses.{name}.cluster": _why(draft, one) for name, one in results["analyses"].items()}
    return f"{about}\n{document(declared | checks | results, comments)}"


def _shortened(name: str, declared: Settings, setting: str) -> Settings:
    """Omit a label that is the default, and shorten names that map to themselves to a list."""
    kept = {own: one for own, one in declared.items() if (own, one) != ("label", title(name))}
    names: Settings = kept.get(setting, {})
    is_list = bool(names) and all(one in (own, [own]) for own, one in names.items())
    return kept | {setting: [*names]} if is_list else kept


class _Kind(NamedTuple):
    """The statistics for a kind of outcomes."""

    analysis: str  # the name of the analysis
    statistic: str
    compared: str  # the statistic that compares levels of a factor


_SHARE = _Kind("share", "proportion", "difference")
_MEAN = _Kind("mean", "score-mean", "mean-difference")


def _results(draft: Draft) -> Settings:
    """Declare the analyses, tables and figures."""
    analyses: Settings = {}
    figures: list[str] = []
    labels = [name for name, outcome in draft.outcomes.items() if outcome["kind"] == "label"]
    kinds = [(kind, outcomes) for kind, outcomes in ((_SHARE, draft.categories), (_MEAN, draft.scores)) if outcomes]
    for split in [None, *(name for name in draft.factors if name not in {"model", *draft.beside})]:
        by = ["model"] if split is None else ["model", split]
        suffix = "" if split is None else f"_by_{split}"
        other = _own_cluster(draft, split) or _both_clusters(draft, split)
        other = {"cluster": draft.within[split]} if split in draft.within else other
        for kind, outcomes in kinds:
            declared = {"statistic": kind.statistic, "outcomes": outcomes, "by": by, **other}
            analyses[f"{kind.analysis}{suffix}"] = declared
            if split is None or len(draft.factors["model"]["levels"]) <= _MOST_PANELS:
                figures.append(f"{kind.analysis}{suffix}")
        if labels:
            analyses[f"frequent{suffix}"] = {"statistic": "most-frequent", "outcomes": labels, "by": by}
        factor = split or "model"
        levels = draft.compared.get(factor, [])
        number = len(levels or draft.factors[factor]["levels"])
        plain = [level for level in draft.factors[factor]["levels"] if _PLAIN.search(level) and not levels]
        if not 1 < number <= (_MOST_WITH_ONE if len(plain) == 1 else _MOST_COMPARED):
            continue
        other = _own_cluster(draft, split) or ({} if split in draft.nested else _both_clusters(draft, split))
        for kind, outcomes in kinds:
            declared = {"statistic": kind.compared, "outcomes": outcomes, "by": ["model"] if split else []}
            declared |= {"factor": factor} | ({"levels": levels} if levels else {})
            declared |= {"reference": plain[0]} if len(plain) == 1 and number > _TWO else {}
            declared |= {"family": {"method": "holm"}} if _tests(draft, kind, outcomes, factor, number) > 1 else {}
            name = f"{kind.compared.replace('-', '_')}_by_{factor}"
            analyses[name] = declared | other
            figures += [name] if split else []
    if "bias" in draft.scores:
        analyses["test"] = {"statistic": "t-test", "outcomes": ["bias"], "by": ["model"]}
    analyses |= draft.analyses
    results: Settings = {"style": {"digits": draft.digits}} if draft.scores and draft.digits != _TWO else {}
    shown = {"tables": [{"usual": [*analyses]}], "figures": [{"usual": figures}] if figures else []}
    return results | {"analyses": analyses} | {name: one for name, one in shown.items() if one}


def _own_cluster(draft: Draft, split: str | None) -> Settings:
    """Return the cluster setting of analyses by a factor that the study's clusters do not fit; otherwise empty."""
    return {"cluster": draft.clusters[split] or []} if split in draft.clusters else {}


def _both_clusters(draft: Draft, split: str | None) -> Settings:
    """Return the setting for two crossed clusters, such as names and jobs, unless one of them is compared."""
    if draft.crossing is None or split in {draft.crossing, draft.cluster}:
        return {}
    return {"cluster": [draft.cluster, draft.crossing], "crossed": True}


def _why(draft: Draft, analysis: Settings) -> str:
    """Say why an analysis has other clusters than the study."""
    split = analysis.get("factor", analysis["by"][-1] if analysis["by"] else "")
    if analysis.get("crossed"):
        return "both repeat"
    if split in draft.nested and analysis.get("cluster") != draft.within.get(split):
        return f"each has one {split}"
    if draft.cluster is None:
        return ""
    return f"each {split} " + ("is one" if split == draft.cluster else f"has too few of {draft.cluster}")


def _tests(draft: Draft, kind: _Kind, outcomes: list[str], factor: str, levels: int) -> int:
    """Count the tests of a comparison; two complementary categories are one test."""
    pairs = comb(levels, 2) * (1 if factor == "model" else len(draft.factors["model"]["levels"]))
    categories = (len(draft.outcomes[name]["labels"]) for name in outcomes)
    return pairs * (sum(1 if number == _TWO else number for number in categories) if kind is _SHARE else len(outcomes))
