"""A second, slow reading of Kamruzzaman et al. (2024) in plain Python, written from the study's description alone.

It reads the released files with the csv module and computes every cell of every table and figure anew: counts, taus and
likelihoods as exact fractions, p-values as floats. `cells(folder)` gives (table, row, column, statistic) -> value, and
`text` prints a value as the paper would. What the description says is quoted by section.
"""

from __future__ import annotations

import csv
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILES = {"gpt-3.5": "gpt_3.5", "gpt-4": "gpt_4", "palm-2": "palm", "llama-2": "llama", "mistral": "mistral"}
MODELS5 = tuple(FILES)  # 4: GPT-3.5, GPT-4, PaLM-2, Llama-2, Mistral
MODELS4 = MODELS5[1:]

# 2: the codes of the columns; 4: the order of rows.
DIRECTIONS = {"type1": "sai", "type2": "asa"}
BIAS_TYPES = {
    "ageism": "ageism",
    "beauty": "beauty",
    "beauty_profession": "beauty_profession",
    "instituition": "institution",
    "nationality": "nationality",
}
PRONOUNS = {"male": "masculine", "female": "feminine", "not_spacified": "nonbinary"}
LEVELS = ("first-year", "second-year", "teacher")
TERMS = ("positive", "negative", "neutral")
GIVEN = ("positive", "negative")
REASONS = {  # 3.6
    "c1": "numeric-selection",
    "c2": "non-option-span",
    "c3": "no-response",
    "c4": "stereotype-awareness",
    "c5": "out-of-context",
}
EDUCATION = {"first-year": -1, "second-year": 0, "teacher": 1}  # 3.2, T5
GENDER = {"masculine": -1, "nonbinary": 0, "feminine": 1}  # 3.2, T6

Key = tuple[str, str, str, str]
Value = Fraction | float | int | str | None


@dataclass(frozen=True)
class Response:
    """One row of a valid file, coded as 3.1 says."""

    direction: str
    bias_type: str
    pronoun: str
    level: str | None
    given: str
    context: str
    positive_option: str
    negative_option: str
    term: str | None  # None: no option of its row
    x: int
    st: int
    y: int


Pair = Callable[[Response], tuple[int, int]]


def read(path: Path) -> list[dict[str, str]]:
    """Rows as strings; quoted fields may hold commas and line breaks."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def level_of(row: dict[str, str]) -> str | None:
    """2: every institution context contains exactly one of the three."""
    if row["bias_type"] != "instituition":
        return None
    [level] = [level for level in LEVELS if level in row["context"]]
    return level


def code(row: dict[str, str]) -> Response:
    """3.1: an off-option response gets y = st = 0, as a neutral one, but has no term."""
    response, stereotype, anti_stereotype = row["response"], row["stereotype"], row["anti_stereotype"]
    x = {"positive": 1, "negative": -1}[row["item_category"]]
    st = 1 if response == stereotype else -1 if response == anti_stereotype else 0
    y = st * x
    term = {1: "positive", -1: "negative", 0: "neutral" if response == row["unrelated"] else None}[y]
    return Response(
        direction=DIRECTIONS[row["type_category"]],
        bias_type=BIAS_TYPES[row["bias_type"]],
        pronoun=PRONOUNS[row["target_gender"]],
        level=level_of(row),
        given=row["item_category"],
        context=row["context"],
        positive_option=stereotype if x == 1 else anti_stereotype,
        negative_option=anti_stereotype if x == 1 else stereotype,
        term=term,
        x=x,
        st=st,
        y=y,
    )


@cache
def responses(folder: Path, model: str) -> tuple[Response, ...]:
    """All rows of a valid file: repeated and off-option rows are kept (3.2)."""
    return tuple(code(row) for row in read(folder / "outputs" / f"{FILES[model]}_valid.csv"))


def subset(folder: Path, model: str, **levels: str) -> list[Response]:
    return [
        response
        for response in responses(folder, model)
        if all(getattr(response, factor) == level for factor, level in levels.items())
    ]


# ---------------------------------------------------------------- 3.2 test


@dataclass(frozen=True)
class Tau:
    """Stuart's tau-c; tau and p are None where a variable is constant."""

    n: int
    s: int
    tau: Fraction | None
    p: float | None

    def decision(self, *, short: bool) -> str | None:
        if self.p is None:
            return None
        if short:
            return "R" if self.p < 0.05 else "RF"
        return "Reject" if self.p < 0.05 else "Reject Fail"


def ties(counts: Counter[int]) -> tuple[int, int, int]:
    """A, B and C of one variable."""
    a = sum(t * (t - 1) * (2 * t + 5) for t in counts.values())
    b = sum(t * (t - 1) for t in counts.values())
    c = sum(t * (t - 1) * (t - 2) for t in counts.values())
    return a, b, c


def tau_c(pairs: Iterable[tuple[int, int]]) -> Tau:
    """S, tau and p in whole numbers up to the one root and the one erfc."""
    table = Counter(pairs)
    n = sum(table.values())
    x_counts: Counter[int] = Counter()
    y_counts: Counter[int] = Counter()
    for (x, y), count in table.items():
        x_counts[x] += count
        y_counts[y] += count
    s = 0
    for (x1, y1), first in table.items():
        for (x2, y2), second in table.items():
            if x1 < x2 and y1 < y2:
                s += first * second  # concordant
            if x1 < x2 and y1 > y2:
                s -= first * second  # discordant
    m = min(len(x_counts), len(y_counts))
    if m < 2:
        return Tau(n, s, None, None)
    tau = Fraction(2 * m * s, n**2 * (m - 1))
    ax, bx, cx = ties(x_counts)
    ay, by, cy = ties(y_counts)
    variance = Fraction(n * (n - 1) * (2 * n + 5) - ax - ay, 18) + Fraction(bx * by, 2 * n * (n - 1))
    if n > 2:
        variance += Fraction(cx * cy, 9 * n * (n - 1) * (n - 2))
    return Tau(n, s, tau, math.erfc(math.sqrt(Fraction(s**2) / (2 * variance))))


def x_with_y(response: Response) -> tuple[int, int]:
    return response.x, response.y


def x_with_st(response: Response) -> tuple[int, int]:
    return response.x, response.st


def education_with_y(response: Response) -> tuple[int, int]:
    assert response.level is not None
    return EDUCATION[response.level], response.y


def gender_with_y(response: Response) -> tuple[int, int]:
    return GENDER[response.pronoun], response.y


def without_telling_names(members: list[Response]) -> list[Response]:
    """3.7: no "university" of the positive institutions, no "community college" of the negative ones, ignoring case."""
    kept: list[Response] = []
    for response in members:
        if response.direction == "sai":
            named = "university" if response.x == 1 else "community college"
            telling = named in response.context.lower()
        else:
            telling = (
                "university" in response.positive_option.lower()
                or "community college" in response.negative_option.lower()
            )
        if not telling:
            kept.append(response)
    return kept


LONG_DECISIONS = {"1", "5", "6", "7"}  # 4: Reject / Reject Fail; the others R / RF
Cells = Iterator[tuple[Key, Value]]


def tau_cells(table: str, row: str, prefix: str, members: list[Response], pair: Pair = x_with_y) -> Cells:
    found = tau_c(pair(response) for response in members)
    yield (table, row, f"{prefix}tau", "tau"), found.tau
    yield (table, row, f"{prefix}p", "p"), found.p
    yield (table, row, f"{prefix}H0", "decision"), found.decision(short=table not in LONG_DECISIONS)


def taus(folder: Path) -> Cells:
    """Tables 1-7, 31 and 35."""
    directions, bias_types, pronouns = DIRECTIONS.values(), BIAS_TYPES.values(), PRONOUNS.values()
    for model, direction in itertools.product(MODELS5, directions):
        everything = subset(folder, model, direction=direction)
        institutions = subset(folder, model, direction=direction, bias_type="institution")
        seven, own = (model == "gpt-3.5"), f"{model}/"  # 3.2, T7: "these six for GPT-3.5"
        for number, members, pair in (
            ("1", everything, x_with_y),
            ("5", institutions, education_with_y),
            ("6", everything, gender_with_y),
        ):
            row = f"table_{number}/{direction}" if seven else f"{model}/{direction}"
            yield from tau_cells("7" if seven else number, row, "", members, pair)
        for number, factor, levels in (
            ("2", "bias_type", bias_types),
            ("3", "level", LEVELS),
            ("4", "pronoun", pronouns),
        ):
            for level in levels:
                members = subset(folder, model, **{"direction": direction, factor: level})
                row = f"{direction}/{level}"
                if seven:
                    yield from tau_cells("7", f"table_{number}/{row}", "", members)
                else:
                    yield from tau_cells(number, row, own, members)
        if not seven:
            yield from tau_cells("31", f"{direction}/institution", own, without_telling_names(institutions))
            for bias_type in bias_types:
                members = subset(folder, model, direction=direction, bias_type=bias_type)
                yield from tau_cells("35", f"{direction}/{bias_type}", own, members, x_with_st)


# ---------------------------------------------------------------- 3.3 to 3.5 likelihoods


def percent(members: list[Response], term: str) -> Fraction | None:
    """3.3: off-option rows leave numerator and denominator; None without any option."""
    options = [response for response in members if response.term is not None]
    if not options:
        return None
    return Fraction(100 * sum(response.term == term for response in options), len(options))


def given(members: list[Response], polarity: str, term: str) -> Fraction | None:
    """3.3: AB, where A is the given polarity and B the response's."""
    return percent([response for response in members if response.given == polarity], term)


def six(table: str, row: str, members: list[Response]) -> Cells:
    """4: L6 = PPL, PNL, PNuL, NPL, NNL, NNuL."""
    for polarity, term in itertools.product(GIVEN, TERMS):
        yield (table, row, f"{polarity}/{term}", "percent"), given(members, polarity, term)


def likelihoods(folder: Path) -> Cells:
    """Tables 8 to 29."""
    bias_types, pronouns = BIAS_TYPES.values(), PRONOUNS.values()
    for place, model in enumerate(MODELS5):
        for direction in DIRECTIONS.values():
            for bias_type in bias_types:
                row, members = (
                    f"{direction}/{bias_type}",
                    subset(folder, model, direction=direction, bias_type=bias_type),
                )
                for term in TERMS:
                    yield ("8", row, f"{model}/{term}", "percent"), percent(members, term)
                yield from six(str(10 + 3 * place), row, members)
                for pronoun in pronouns:
                    table = 11 + 3 * place + (direction == "asa")
                    members = subset(folder, model, direction=direction, bias_type=bias_type, pronoun=pronoun)
                    yield from six(str(table), f"{bias_type}/{pronoun}", members)
            for pronoun in pronouns:
                members = subset(folder, model, direction=direction, pronoun=pronoun)
                yield from six("9", f"{model}/{direction}/{pronoun}", members)
            for level in LEVELS:
                members = subset(folder, model, direction=direction, level=level)
                yield from six(str(25 + place), f"{direction}/{level}", members)


def difference(first: Fraction | None, second: Fraction | None) -> Fraction | None:
    return None if first is None or second is None else first - second


def mean(values: list[Fraction | None]) -> Fraction | None:
    known = [value for value in values if value is not None]
    return sum(known, Fraction(0)) / len(known) if known else None


def figures(folder: Path) -> Cells:
    """3.4: deltas (Figures 3 and 6); 3.5: mean base rates (Figures 4 and 5)."""
    directions, bias_types = DIRECTIONS.values(), BIAS_TYPES.values()
    for figure, models in (("3", ("gpt-4", "mistral")), ("6", ("llama-2", "palm-2", "gpt-3.5"))):
        for model, direction, bias_type, term in itertools.product(models, directions, bias_types, TERMS):
            members = subset(folder, model, direction=direction, bias_type=bias_type)
            delta = difference(given(members, "positive", term), given(members, "negative", term))
            yield (f"figure {figure}", f"{direction}/{bias_type}", f"{model}/{term}", "delta"), delta
    for direction, level, term in itertools.product(directions, LEVELS, TERMS):
        rates = [percent(subset(folder, model, direction=direction, level=level), term) for model in MODELS5]
        yield ("figure 4", f"{direction}/{level}", term, "percent"), mean(rates)
    for direction, pronoun, term in itertools.product(directions, PRONOUNS.values(), TERMS):
        rates = [
            percent(subset(folder, model, direction=direction, bias_type=bias_type, pronoun=pronoun), term)
            for model, bias_type in itertools.product(MODELS5, bias_types)
        ]
        yield ("figure 5", f"{direction}/{pronoun}", term, "percent"), mean(rates)


# ---------------------------------------------------------------- 3.6 invalid responses, and the text


def invalid(folder: Path) -> Cells:
    """Table 30: blank codes count nowhere."""
    for model, name in FILES.items():
        tally = Counter(row["category"] for row in read(folder / "outputs" / f"{name}_invalid.csv"))
        for category, reason in REASONS.items():
            yield ("30", model, reason, "count"), tally[category]
        yield ("30", model, "total", "count"), sum(tally[category] for category in REASONS)


def in_the_text(folder: Path) -> Cells:
    """The paper, 5.1: items in dataset.csv. Appendix C.2: a difference of two cells of Table 13 as printed."""
    items = Counter(
        (DIRECTIONS[row["type_category"]], BIAS_TYPES[row["bias_type"]]) for row in read(folder / "dataset.csv")
    )
    yield ("text", "all", "items", "n"), items.total()
    groups = {bias_type: [bias_type] for bias_type in BIAS_TYPES.values()}
    groups["beauty+beauty_profession"] = ["beauty", "beauty_profession"]
    for group, members in groups.items():
        yield ("text", group, "items", "n"), sum(n for (_, bias_type), n in items.items() if bias_type in members)
        for direction in DIRECTIONS.values():
            n = sum(items[direction, bias_type] for bias_type in members)
            yield ("text", f"{direction}/{group}", "items", "n"), n
    members = subset(folder, "gpt-4", direction="asa", bias_type="beauty_profession")
    shown = [Fraction(fixed(given(members, polarity, "negative") or 0, 2)) for polarity in ("negative", "positive")]
    yield ("text", "asa/beauty_profession", "gpt-4/NNL-PNL", "difference"), shown[0] - shown[1]


@cache
def cells(folder: Path) -> dict[Key, Value]:
    """(table, row, column, statistic) -> value of everything; None is a number that does not exist."""
    found: dict[Key, Value] = {}
    for part in (taus, likelihoods, figures, invalid, in_the_text):
        for key, value in part(folder):
            assert key not in found
            found[key] = value
    return found


# ---------------------------------------------------------------- 3.8 display


def whole(number: Fraction, rule: str) -> int:
    """A number without its fraction: cut towards zero, or rounded with an exact tie going to the even digit."""
    return {"truncate": math.trunc, "half-even": round}[rule](number)


def fixed(number: Fraction | float, digits: int, rule: str = "truncate") -> str:
    scaled = whole(Fraction(number) * 10**digits, rule)
    sign, digit_string = "-" if scaled < 0 else "", f"{abs(scaled):0{digits + 1}}"
    return f"{sign}{digit_string[:-digits]}.{digit_string[-digits:]}" if digits else f"{sign}{digit_string}"


def scientific(number: Fraction | float, digits: int, rule: str = "truncate") -> str:
    """A positive number with one digit before the point and `digits` after it; 0 is a p below the smallest float."""
    if number == 0:
        return "0"
    exact, exponent = Fraction(number), 0
    while exact * 10**-exponent < 1:
        exponent -= 1
    mantissa = whole(exact * 10 ** (digits - exponent), rule)
    if mantissa == 10 ** (digits + 1):  # rounded up to ten
        mantissa, exponent = 10**digits, exponent + 1
    return f"{fixed(Fraction(mantissa, 10**digits), digits)}e{exponent:+03}"


def text(table: str, statistic: str, value: Value, rule: str = "truncate") -> str:
    """A value as the table prints it."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if statistic in {"n", "count"}:
        return str(value)
    if statistic == "p":
        if value >= Fraction(1, 10_000):
            return fixed(value, 3 if table == "35" else 4, rule)
        return scientific(value, 2 if table == "1" else 1, rule)
    return fixed(value, 3 if statistic == "tau" else 1 if table == "8" else 2, rule)


def as_precise_as(printed: str, value: Value, rule: str = "truncate") -> str:
    """A value in the notation of a printed cell, with as many decimals: "compare at each cell's own precision"."""
    if value is None or isinstance(value, str):
        return text("", "", value)
    mantissa, _, exponent = printed.partition("e")
    digits = len(mantissa.partition(".")[2])
    return scientific(value, digits, rule) if exponent else fixed(value, digits, rule)
