"""A drafted study as the text of a study file: with comments, for a person to read and change."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from tallybook.drafting.toml import key, settings, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.study.draft import Draft, Settings

_ENDS = ("ci_low", "ci_high")
_IN_BRACKETS = "In brackets: 95% confidence intervals."
_BRACES = str.maketrans("{}", "()")
_DENOMINATOR = "all"
"""One throughout, so that a difference in one table is that of the shares in another."""
_MOST_PANELS, _MOST_BESIDE = 8, 6
"""How many models a drafted figure shows at most, and how many levels side by side: more stand below each other."""
_TWO, _MOST_COMPARED = 2, 4
"""How many levels of a factor are compared with each other at most, and how many models stand side by side."""


def study_text(draft: Draft) -> str:
    """Write a study file."""
    return "\n".join(
        [_head(draft), *_source(draft), *_factors(draft), *_coding(draft), *_checks(draft), *_results(draft)]
    )


def _head(draft: Draft) -> str:
    about = [
        "# A study: where responses come from, how they are coded, what is computed and how it is shown.",
        "# It was drafted from a dump. Every line may be changed; `tallybook validate` says whether it fits the data.",
        "# An editor completes it after `tallybook schema study -o study.schema.json`, if its first line is",
        "# `#:schema study.schema.json`.",
        *(f"# TO CHECK: {doubt}" for doubt in draft.doubts),
    ]
    key_comment = "what tells responses apart: no two may be equal in all of these"
    place: Settings = {} if draft.data == "." else {"data": draft.data}
    comments = {
        "key": key_comment,
        "data": "relative to the folder of this file; a folder outside of it must be confirmed, or named with --data",
    }
    if "item" in draft.columns:
        place["cluster"] = []
        comments["cluster"] = "responses are treated as independent: too few prompts, names or the like repeat"
    if draft.cluster is not None:
        place["cluster"] = draft.cluster
        comments["cluster"] = f"what repeats: {draft.evidence}; [] treats all responses as independent"
    named = settings({"name": draft.name, "title": draft.title} | place | {"key": draft.key}, comments)
    return "\n".join([*about, "", named])


def _source(draft: Draft) -> Iterator[str]:
    yield _rule("where responses come from")
    comments = {
        "extra": 'columns that are not named below are passed over; "error" refuses them',
        "samples_by": "responses that are equal in these are repetitions, numbered as they come",
        "files": "relative to the folder of the data",
        "constants": "columns that have the same value everywhere",
    }
    yield "[[sources]]\n" + settings(draft.source, comments)
    yield "[sources.columns]          # column here -> its path in the files\n" + settings(draft.columns)
    if draft.derive:
        yield "[sources.derive]           # columns made of others\n" + settings(draft.derive)


def _factors(draft: Draft) -> Iterator[str]:
    yield _rule("by what results are split: any other level in the data is an error")
    for name, factor in draft.factors.items():
        levels: Settings = factor["levels"]
        rest = settings({setting: one for setting, one in factor.items() if setting != "levels"})
        yield f"[factors.{key(name)}]\n{rest}"
        yield f"[factors.{key(name)}.levels]   # level in the data -> how tables call it\n{settings(levels)}"


def _coding(draft: Draft) -> Iterator[str]:
    yield _rule("how the texts are read")
    parts = [setting for setting, one in draft.instrument.items() if isinstance(one, dict)]
    yield "[instrument]\n" + settings({name: one for name, one in draft.instrument.items() if name not in parts})
    for part in parts:
        inner: Settings = draft.instrument[part]
        if part == "scorings":
            for scoring, conventions in inner.items():
                yield f"[instrument.scorings.{key(scoring)}]\n" + settings(conventions)
        else:
            yield f"[instrument.{part}]\n" + settings(inner)
    for name, outcome in draft.outcomes.items():
        inline = [setting for setting, one in outcome.items() if not isinstance(one, dict) or setting == "where"]
        head: Settings = {setting: outcome[setting] for setting in inline}
        yield f"[outcomes.{key(name)}]\n" + settings(head)
        if "labels" in outcome:
            yield f"[outcomes.{key(name)}.labels]   # category -> the labels that mean it\n" + settings(
                outcome["labels"]
            )
        if "names" in outcome:
            yield f"[outcomes.{key(name)}.names]    # category -> how tables call it\n" + settings(outcome["names"])


def _checks(draft: Draft) -> Iterator[str]:
    yield _rule("what `tallybook validate` checks of the data beside")
    comments = {
        "design": "every model has each prompt equally often; missing ones are named",
        "encoding": "mojibake, control characters, texts that were cut off: a warning",
        "requests": "texts that no model wrote, but a request that failed: a warning",
        "secrets": "API keys, e-mail addresses: a warning",
    }
    for name, check in draft.checks.items():
        yield f"[checks.{name}]   # {comments[name]}\n" + settings(check)
    yield _REFUSALS


_REFUSALS = """\
# [checks.refusals]   # what share of each model's responses may be refused; so with "invalid" and "error"
# kind = "rate"
# status = "refused"
# at_most = 0.2
# by = ["model"]
"""
"""A check whose bound only the user can know."""


def _results(draft: Draft) -> Iterator[str]:
    yield _rule("what is computed, and the tables and figures that show it")
    factors = [name for name in draft.factors if name != "model"]
    labels = [name for name, outcome in draft.outcomes.items() if outcome["kind"] == "label"]
    numbers = count(1)
    for split in [None, *factors]:
        by = ["model"] if split is None else ["model", split]
        suffix = "" if split is None else f"_by_{split}"
        other = _own_cluster(draft, split) or _both_clusters(draft, split)
        if draft.categories:
            yield _analysis(f"share{suffix}", "proportion", draft.categories, by, denominator=_DENOMINATOR, **other)
        if draft.scores:
            yield _analysis(f"mean{suffix}", "score-mean", draft.scores, by, **other)
        if labels:
            yield _analysis(f"frequent{suffix}", "most-frequent", labels, by)
        for outcomes, write in ((draft.categories, _shares), (draft.scores, _means), (labels, _frequent)):
            for outcome in outcomes:
                yield write(draft, outcome, split, next(numbers))
        yield from _comparisons(draft, split, numbers)
    if "bias" in draft.scores:
        yield _analysis("test", "t-test", ["bias"], ["model"])
        yield _test(next(numbers))
    yield from _figures(draft, factors)


def _comparisons(draft: Draft, split: str | None, numbers: Iterator[int]) -> Iterator[str]:
    """Write what compares the levels of a factor, or the models."""
    factor, cells = (split, ["model"]) if split else ("model", [])
    levels, family = _levels(draft, factor), {"method": "holm"}
    other = _own_cluster(draft, split) or ({} if split in draft.nested else _both_clusters(draft, split))
    if draft.categories and 1 < len(levels) <= _MOST_COMPARED:
        more = {"factor": factor, "levels": levels, "denominator": _DENOMINATOR, "family": family}
        yield _analysis(f"difference_by_{factor}", "difference", draft.categories, cells, **more, **other)
        for outcome in draft.categories:
            yield _difference(draft, outcome, factor, next(numbers))
    if draft.scores and 1 < len(levels) <= _MOST_COMPARED:
        more = {"factor": factor, "levels": levels, "family": family}
        yield _analysis(f"mean_difference_by_{factor}", "mean-difference", draft.scores, cells, **more, **other)
        for outcome in draft.scores:
            yield _mean_difference(draft, outcome, factor, next(numbers))


def _own_cluster(draft: Draft, split: str | None) -> dict[str, object]:
    """Get the setting of what is split by a factor that the clusters of the study do not fit."""
    return {"cluster": draft.clusters[split] or []} if split in draft.clusters else {}


def _both_clusters(draft: Draft, split: str | None) -> dict[str, object]:
    """Declare two clusters that cross, such as names and jobs, where neither is compared."""
    if draft.crossing is None or split in {draft.crossing, draft.cluster}:
        return {}
    return {"cluster": [draft.cluster, draft.crossing], "crossed": True}


def _analysis(name: str, statistic: str, outcomes: list[str], by: list[str], **more: object) -> str:
    return f"[analyses.{key(name)}]\n" + settings(
        {"statistic": statistic, "outcomes": outcomes, "by": by, **more}  # pyright: ignore[reportArgumentType]
    )


def _table(outcome: str, split: str | None, number: int, **more: object) -> str:
    by = "{factors.model}" if split is None else f"{{factors.model}} and {{factors.{split}}}"
    return "[[tables]]\n" + settings(
        {
            "id": str(number),
            "title": f"{{outcomes.{outcome}}} by {by}.",
            "outcomes": [outcome],
            "stub": f"{{factors.{split or 'model'}}}",
            "rows": ["model"] if split is None else ["model", split],
            **more,
        }  # pyright: ignore[reportArgumentType]
    )


def _measure(name: str, label: str, **part: object) -> str:
    return f"\n[[tables.measures]]\nid = {text(name)}\nlabel = {text(label)}\n" + settings(
        {"parts": [{"statistic": name, **part}]}  # pyright: ignore[reportArgumentType]
    )


def _beside(draft: Draft, split: str | None) -> bool:
    """Tell whether models stand side by side, each over columns of its own."""
    return split is not None and _TWO <= len(draft.factors["model"]["levels"]) <= _MOST_COMPARED


def _shares(draft: Draft, outcome: str, split: str | None, number: int) -> str:
    analysis = "share" if split is None else f"share_by_{split}"
    part = {"analysis": analysis, "style": "number", "scale": 100, "digits": 1}
    if _beside(draft, split):
        place: Settings = {"rows": ["term", split], "columns": ["model", "measure"], "notes": [_IN_BRACKETS]}
        table = _table(outcome, split, number, **place) + _counts(analysis)
        return table + _with_interval("percent", "% [95% CI]", part)
    rows: Settings = {"row_label": "{label} (n = {n})", "row_n": analysis, "columns": ["term"]}
    return _table(outcome, split, number, **rows, notes=[_IN_BRACKETS]) + _with_interval("percent", None, part)


def _counts(analysis: str) -> str:
    return _measure("n", "n", analysis=analysis, value="n", style="number", digits=0)


def _with_interval(name: str, label: str | None, part: Settings) -> str:
    """Write a measure of an estimate with its interval in brackets."""
    parts = [{"statistic": name, **part}, *({"statistic": end, **part, "value": end} for end in _ENDS)]
    form = f"{{{name}}} [{{ci_low}}, {{ci_high}}]"
    return "\n[[tables.measures]]\n" + settings({"id": name, "label": label, "form": form, "parts": parts})


def _difference(draft: Draft, outcome: str, split: str, number: int) -> str:
    levels, names = _levels(draft, split), _level_names(draft, split)
    rows = ["term"] if split == "model" else ["model", "term"]
    shown: dict[str, object] = {"rows": rows, "columns": ["measure"], "notes": [_IN_BRACKETS]}
    between = f"difference in shares, {names[0]} − {names[1]}"
    if len(levels) > _TWO:  # a term of two levels is a category, of more a comparison too
        between = f"differences of shares between levels of {{factors.{split}}}"
    title = f"{{outcomes.{outcome}}}: {between}, in percentage points."
    if split == "model":  # the rows are categories
        shown["stub"] = f"{{outcomes.{outcome}}}"
    head = _table(outcome, None, number, **shown, title=title)
    analysis = f"difference_by_{split}"
    part = {"analysis": analysis, "style": "number", "scale": 100, "digits": 1}
    return head + _with_interval("difference", "Difference [95% CI]", part) + _p_values(analysis)


def _level_names(draft: Draft, factor: str) -> list[str]:
    """Name levels as a title does: braces stand for what is filled in, a level that has some is written without."""
    return [
        level.translate(_BRACES) if {*level} & {*"{}"} else f"{{factors.{factor}.{level}}}"
        for level in _levels(draft, factor)
    ]


def _levels(draft: Draft, factor: str) -> list[str]:
    """List the levels of a factor that are compared with each other."""
    return draft.compared.get(factor) or list(draft.factors[factor]["levels"])


def _mean_difference(draft: Draft, outcome: str, split: str, number: int) -> str:
    names = _level_names(draft, split)
    between, rows = f"difference in means, {names[0]} − {names[1]}", ["outcome"] if split == "model" else ["model"]
    if len(names) > _TWO:  # a term of more levels is a comparison
        between, rows = f"differences of means between levels of {{factors.{split}}}", ["model", "term"]
        rows = rows[1:] if split == "model" else rows
    title = f"{{outcomes.{outcome}}}: {between}."
    shown: dict[str, object] = {"rows": rows, "columns": ["measure"], "notes": [_IN_BRACKETS], "title": title}
    shown |= {"stub": "Outcome"} if "outcome" in rows else {}
    analysis = f"mean_difference_by_{split}"
    return (
        _table(outcome, None, number, **shown)
        + _with_interval("difference", "Difference [95% CI]", {"analysis": analysis, "style": "number", "digits": 3})
        + _measure("effect", "Hedges' g", analysis=analysis, value="effect", style="number", digits=2)
        + _p_values(analysis)
    )


def _p_values(analysis: str) -> str:
    tested = {"analysis": analysis, "style": "p-value", "form": "apa"}
    return _measure("p", "p", value="p_value", **tested) + _measure(
        "p_adjusted", "Adjusted p", value="p_adjusted", **tested
    )


def _means(draft: Draft, outcome: str, split: str | None, number: int) -> str:
    analysis = "mean" if split is None else f"mean_by_{split}"
    part = {"analysis": analysis, "style": "number", "digits": 3}
    place: Settings = {"columns": ["measure"]}
    if _beside(draft, split):
        place = {"rows": [split], "columns": ["model", "measure"]}
    table = _table(outcome, split, number, **place, notes=[_IN_BRACKETS])
    return table + _counts(analysis) + _with_interval("mean", "Mean [95% CI]", part)


def _test(number: int) -> str:
    return _table("bias", None, number, columns=["measure"]).replace(
        "by {factors.model}.", "by {factors.model}: is its mean other than 0?"
    ) + "".join(
        [
            _measure("t", "t", analysis="test", value="statistic", style="number", digits=2),
            _measure("df", "df", analysis="test", value="df", style="number", digits=0),
            _measure("p", "p", analysis="test", style="p-value", digits=3),
            _measure("d", "d", analysis="test", value="effect", style="number", digits=2),
        ]
    )


def _frequent(_draft: Draft, outcome: str, split: str | None, number: int) -> str:
    analysis = "frequent" if split is None else f"frequent_by_{split}"
    table = _table(outcome, split, number, columns=["measure"])
    return table + _measure("frequent", "Most frequent", analysis=analysis, style="ranked", top=5)


def _figures(draft: Draft, factors: list[str]) -> Iterator[str]:
    number = 0
    for split in [None, *factors]:
        is_long = len(draft.factors[split or "model"]["levels"]) > _MOST_BESIDE
        if split is not None and len(draft.factors["model"]["levels"]) > _MOST_PANELS:
            continue
        by = "by {factors.model}." if split is None else f"by {{factors.{split}}} and {{factors.model}}."
        suffix = "" if split is None else f"_by_{split}"
        place: Settings = {"x": split or "model"} | ({} if split is None else {"panels": "model"})
        place |= {"flip": True} if is_long else {}
        for outcome in draft.categories:
            number += 1
            shown = {"outcomes": [outcome], "terms": list(draft.outcomes[outcome]["labels"]), "colour": "term"}
            title, label = f"{{outcomes.{outcome}}} {by}", f"{{outcomes.{outcome}}} (%)"
            yield _points(number, title, f"share{suffix}", shown, place | {"scale": 100, "y_label": label})
        for outcome in draft.scores:
            number += 1
            title, label = f"{{outcomes.{outcome}}} {by}", f"{{outcomes.{outcome}}} (mean)"
            yield _points(number, title, f"mean{suffix}", {"outcomes": [outcome]}, place | {"y_label": label})


def _points(number: int, title: str, analysis: str, shown: Settings, place: Settings) -> str:
    head = {"kind": "points", "id": str(number), "title": title, "analysis": analysis}
    return "[[figures]]\n" + settings(head | shown | place)


def _rule(what: str) -> str:
    return f"# {'-' * 12} {what}\n"
