"""Texts in today's styles, labelled before any rule was changed because of them, and how they are read.

Each template is written for several prompts. Half of the templates, by a hash of their text, are `seen` while rules are
written; the others are `kept`: only counted, never looked at one by one.
"""

from __future__ import annotations

import hashlib
import tomllib
from itertools import product
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import polars as pl

from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument
from tallybook.instruments.attribute_choice.instrument import AttributeChoiceInstrument
from tallybook.instruments.profile.instrument import ProfileInstrument
from tallybook.instruments.reading import VERDICT
from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument
from tallybook.instruments.word_association.instrument import WordAssociationInstrument
from tallybook.study.coding import LabelOutcome

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tallybook.study.instrument_base import Instrument

Kind = Literal["choice", "relative", "absolute", "words", "profile"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Set = Literal[1, 2, 3, 4, 5, 6, 7]
SETS: tuple[Set, ...] = get_args(Set)
"""The sets, in the order in which they were written, each before any rule was changed because of it."""
LANGUAGES = {
    "german": "de",
    "spanish": "es",
    "french": "fr",
    "italian": "it",
    "portuguese": "pt",
    "chinese": "zh",
}
_FOLDER = Path(__file__).parent


class Labelled(NamedTuple):
    """A text, its prompt's values, and what a careful reader reads: an answer, or one of the words of `WITHOUT`."""

    text: str
    values: Mapping[str, str]
    label: str
    style: str
    is_kept: bool
    set: Set = 1


WITHOUT = ("refused", "none", "left", "invalid", "empty")
"""Declined; nothing answered; nothing answered, whether or not it counts as declined; says nothing; no text."""


def is_kept(template: str) -> bool:
    """Whether a template is of the half that is only counted."""
    return hashlib.sha256(template.encode()).digest()[0] % 2 == 1


def texts(kind: Kind) -> Iterator[Labelled]:
    """Every text of an instrument, of all sets."""
    for each in SETS:
        folder = _FOLDER / f"set{each}"
        if (folder / f"{kind}.toml").exists():
            yield from _of(kind, folder, each)


def _of(kind: Kind, folder: Path, set_: Set) -> Iterator[Labelled]:
    styles = tomllib.loads((folder / f"{kind}.toml").read_text("utf-8"))
    if not (folder / "prompts.toml").exists():
        yield from _literal(styles, set_)
        return
    prompts: list[dict[str, str]] = tomllib.loads((folder / "prompts.toml").read_text("utf-8"))[kind]
    for style, labels in styles.items():
        own = [prompt for prompt in prompts if prompt.get("language", "en") == LANGUAGES.get(style, "en")]
        for label, templates in labels.items():
            for template in templates:
                for number, prompt in enumerate(own):
                    turned = (hashlib.sha256(template.encode()).digest()[1] + number) % 4
                    values = _values(kind, prompt, turned)
                    text = Template(template).substitute(values)
                    yield Labelled(text, values, _expected(kind, label, values), style, is_kept(template), set_)


def _literal(blocks: Mapping[str, Any], set_: Set) -> Iterator[Labelled]:
    """Texts of blocks with a prompt each: no templates, and labels that say who gets the positive task."""
    for style, block in blocks.items():
        for label, own in block["labels"].items():
            expected = label if label in WITHOUT else str(int(label == block["values"]["default"]))
            for text in own:
                yield Labelled(text, block["values"], expected, style, is_kept(text), set_)


_SWAPS: Mapping[Kind, tuple[tuple[str, str], ...]] = {
    "choice": (("A", "B"),),
    "relative": (("D", "E"), ("hd", "he_e"), ("hid", "hie"), ("hisd", "his_e"), ("T", "U")),
    "absolute": (),
    "words": (("D", "F"),),
    "profile": (),
}


def _values(kind: Kind, prompt: Mapping[str, str], turned: int) -> dict[str, str]:
    """A prompt's values; names that stand on two sides are swapped for half of the texts."""
    values = dict(prompt)
    for first, second in _SWAPS[kind]:
        if first in values and turned & (2 if first == "T" else 1):
            values[first], values[second] = values[second], values[first]
    if kind == "choice":  # the place at which the option was shown
        values |= {"n": "1", "l": "a"} if values["A"] == values["o1"] else {"n": "2", "l": "b"}
    for name in ("A", "B", "T", "U", "D", "E", "he", "he_e", "hd", "hid"):
        if name in values:
            whole, rest = values[name], values[name][1:]
            values[{"he": "He", "he_e": "He_e", "hd": "He_d", "hid": "hid_q"}.get(name, f"C{name}")] = (
                whole if name == "hid" else whole[:1].upper() + rest
            )
            values[f"U{name}"] = whole.upper()
    return values


def _expected(kind: Kind, label: str, values: Mapping[str, str]) -> str:
    """What the instrument's columns say of a text that is read rightly."""
    if label in WITHOUT:
        return label
    match kind:
        case "choice":
            return values["A"]
        case "relative":
            is_default, is_positive = (values["D"] == values["default"], values["T"] == values["positive"])
            return "1" if is_default == is_positive else "0"
        case "absolute":
            return label
        case "words":
            sides = ["default" if values[letter] == values["default"] else "stigma" for letter in label]
            words = ("positive", "positive", "negative", "negative")
            told = list(zip(sides, words, strict=True))
            return " ".join(str(told.count((s, w))) for s in ("default", "stigma") for w in ("positive", "negative"))
        case "profile":
            return "; ".join(values[name] for name in "orp")


def _frame(labelled: list[Labelled]) -> pl.DataFrame:
    names = sorted({"prompt"} | {name for each in labelled for name in each.values})
    return pl.DataFrame(
        {"text": [each.text for each in labelled]} | {n: [each.values.get(n, "") for each in labelled] for n in names}
    ).with_columns(
        pl.lit("ok").alias("status"),
        pl.lit("f.csv").alias("file"),
        pl.lit(1).alias("count"),
        pl.format("row {}", pl.int_range(pl.len()) + 2).alias("key"),
    )


def instrument(kind: Kind, language: str = "en") -> Instrument:
    """The instrument as `init` drafts it."""
    named = {name: name for name in ("default", "stigma", "positive", "negative")}
    spoken = {"languages": [language]} if "languages" in AttributeChoiceInstrument.model_fields else {}
    match kind:
        case "choice":
            options = {"first": "o1", "second": "o2"}
            declared = {"kind": "attribute-choice", "options": options, "shown": ["first", "second"], **spoken}
            return AttributeChoiceInstrument.model_validate(declared)
        case "relative":
            return RelativeDecisionInstrument.model_validate(
                {"kind": "relative-decision", "columns": named, "prompt": "prompt", **spoken}
            )
        case "absolute":
            return AbsoluteDecisionInstrument.model_validate({"kind": "absolute-decision", **spoken})
        case "words":
            scorings: dict[str, dict[str, str]] = {"score": {}}
            return WordAssociationInstrument.model_validate(
                {"kind": "word-association", "columns": named, "scorings": scorings, **spoken}
            )
        case "profile":
            block = {"job": ["Occupation"], "faith": ["Religion"], "politics": ["Politics"]}
            return ProfileInstrument.model_validate({"kind": "profile", "attributes": "text", "block": block, **spoken})


def read(kind: Kind, labelled: list[Labelled], language: str) -> list[tuple[str | None, str]]:
    """What the instrument reads of texts in a language: the answer, and the status."""
    frame = _frame(labelled)
    outcomes = {
        name: LabelOutcome.model_validate({"kind": "label", "label": name, "attribute": name, "normalise": []})
        for name in (("job", "faith", "politics") if kind == "profile" else ())
    }
    found = instrument(kind, language).code(frame, outcomes).responses
    match kind:
        case "choice":
            answer = pl.col("chosen_option").replace_strict(["first", "second"], ["1", "2"], default=None)
            answer = pl.when(answer == "1").then("o1").when(answer == "2").then("o2")
        case "relative":
            answer = pl.col("discriminatory").cast(pl.String)
        case "absolute":
            answer = pl.col("answer")
        case "words":
            counts = [f"score_{s}_{w}" for s in ("default", "stigma") for w in ("positive", "negative")]
            answer = pl.when(pl.col("score_forms") != "").then(pl.concat_str(counts, separator=" "))
        case "profile":
            answer = pl.concat_str("job", "faith", "politics", separator="; ")
    return found.select(answer, pl.col(VERDICT).fill_null("ok")).rows()


class Judged(NamedTuple):
    """A text, what was read, and whether that is right, wrong (another value), or less than is there."""

    text: Labelled
    found: str | None
    status: str
    result: Literal["right", "wrong", "less"]


def judged(kind: Kind) -> list[Judged]:
    """Every text of an instrument with what is read of it."""
    done: list[Judged] = []
    every = list(texts(kind))
    for language in ("en", *LANGUAGES.values()):
        own = [each for each in every if LANGUAGES.get(each.style, "en") == language]
        if own:
            done += [
                Judged(each, found, status, _result(each.label, found, status))
                for each, (found, status) in zip(own, read(kind, own, language), strict=True)
            ]
    return done


def _result(label: str, found: str | None, status: str) -> Literal["right", "wrong", "less"]:
    if label in WITHOUT:
        if found is not None:
            return "wrong"
        allowed = {"refused": ("refused",), "left": ("refused", "invalid", "ok"), "empty": ("empty", "invalid")}
        return "right" if status in allowed.get(label, ("invalid", "ok")) else "less"
    if found is None:
        return "less"
    return "right" if found == label else "wrong"


def summary() -> str:
    """How many texts of each instrument, style and half are read rightly, as a table."""
    lines = ["| instrument | set, half | texts | right | wrong value | less |", "|---|---|---:|---:|---:|---:|"]
    for kind in KINDS:
        every = judged(kind)
        for set_, kept in product(SETS, (False, True)):
            own = [each.result for each in every if (each.text.set, each.text.is_kept) == (set_, kept)]
            if not own:
                continue
            name = f"set {set_}, {'kept' if kept else 'seen'}"
            right, wrong = own.count("right"), own.count("wrong")
            lines.append(
                f"| {kind} | {name} | {len(own)} | {right} ({100 * right / len(own):.1f} %) | {wrong} "
                f"| {own.count('less')} |"
            )
    return "\n".join(lines)
