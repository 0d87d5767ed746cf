"""A second, slow computation of the numbers of Bai et al. (2025) in plain Python, from the study's description alone.

`cells(folder)` reads the study's folder (`data`, `recovered`, `published`) with the csv module and gives
(table, row, column, statistic) -> value for every number that can be computed, keyed as
`values.csv` is. Counts and scores are exact fractions, tests and fits floats. The description is quoted by section.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from tests.studies import bai2025_plain_pairs as pairs
from tests.studies.bai2025_plain_pairs import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

MODELS = {  # 2
    "GPT-4": "gpt-4",
    "GPT-3.5-Turbo": "gpt-3.5-turbo",
    "Claude3-Opus": "claude3-opus",
    "Claude3-Sonnet": "claude3-sonnet",
    "LLaMA2Chat-70B": "llama2-70b",
    "LLaMA2Chat-13B": "llama2-13b",
    "LLaMA2Chat-7B": "llama2-7b",
    "Alpaca7B": "alpaca-7b",
}
DOMAINS = {
    "race": ("racism", "guilt", "skintone", "weapon", "black", "hispanic", "asian", "arab", "english"),
    "gender": ("career", "science", "power", "sexuality"),
    "religion": ("islam", "judaism", "buddhism"),
    "health": ("disability", "weight", "age", "mentalill", "eating"),
}
STEREOTYPES = tuple(itertools.chain.from_iterable(DOMAINS.values()))
TYPES = ("default_negative", "default_positive", "stigma_negative", "stigma_positive")
ASKED = 4200  # 4: a model
Key = tuple[str, str, str, str]
Value = Fraction | float | int | None
Cells = Iterator[tuple[Key, Value]]


def mean(values: Iterable[Fraction]) -> Fraction:
    known = list(values)
    return sum(known, Fraction(0)) / len(known)


# ---------------------------------------------------------------- distributions


def continued_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, 1000):
        for factor in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / (1 + factor * d or tiny)
            c = 1 + factor / c or tiny
            value *= c * d
        if abs(c * d - 1) < 1e-16:
            break
    return value


def t_p_value(t: float, df: int) -> float:
    """Two-sided: I_x(df/2, 1/2) at x = df/(df + t^2)."""
    x, rest = df / (df + t * t), t * t / (df + t * t)
    a, b = df / 2, 0.5
    front = math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log1p(-rest) + b * math.log(rest))
    if x < (a + 1) / (a + b + 2):
        return front * continued_fraction(a, b, x) / a
    return 1 - front * continued_fraction(b, a, rest) / b


def normal_p_value(z: float) -> float:
    return math.erfc(abs(z) / math.sqrt(2))


# ---------------------------------------------------------------- 4, t tests


def groups(row: dict[str, str]) -> list[tuple[str]]:
    """4: overall, by model, domain, stereotype."""
    names = (
        "overall",
        f"model/{MODELS[row['model']]}",
        f"domain/{row['domain']}",
        f"stereotype/{row['stereotype']}",
    )
    return [(name,) for name in names]


def places(row: dict[str, str]) -> list[tuple[str, str]]:
    """6: 21 + Model Level x 8 models + Category Level."""
    name, model = row["stereotype"], MODELS[row["model"]]
    return [(name, model), (name, "category-level"), ("model-level", model), ("model-level", "category-level")]


def grouped(
    table: list[dict[str, str]], keys: Callable[[dict[str, str]], Iterable[tuple[str, ...]]]
) -> dict[tuple[str, ...], list[dict[str, str]]]:
    found: dict[tuple[str, ...], list[dict[str, str]]] = {}
    for row in table:
        for key in keys(row):
            found.setdefault(key, []).append(row)
    return found


def decision(members: list[dict[str, str]]) -> tuple[int, int]:
    """K ones in N."""
    return sum(int(row["K"]) for row in members), sum(int(row["N"]) for row in members)


def decision_cells(recovered: Path) -> Cells:
    """4: K ones in N, t = (p - .5) sqrt(N-1) / sqrt(p(1-p)); rejection rate: missing/4,200 per model."""
    table = rows(recovered / "decision_cells.csv")
    for (group,), members in grouped(table, groups).items():
        k, n = decision(members)
        p = Fraction(k, n)
        t = float(p - Fraction(1, 2)) * math.sqrt((n - 1) / (p * (1 - p)))
        yield ("notebook-t", group, "decision", "t"), t
        yield ("notebook-t", group, "decision", "p"), t_p_value(t, n - 1)
        yield ("notebook-t", group, "decision", "df"), n - 1
        refused = sum(int(row["refused"]) for row in members)
        if group == "overall":
            yield ("text", group, "decision", "t"), t
            yield ("text", group, "decision", "df"), n - 1
            for place in ("text", "notebook"):
                yield (place, "rejection", "decision", "share"), Fraction(refused, n + refused)
        elif group.startswith("model/"):
            yield ("v2-figure-4", group.removeprefix("model/"), "rejection", "share"), Fraction(refused, ASKED)
    for (row, column), members in grouped(table, places).items():
        k, n = decision(members)
        p = Fraction(k, n) if n else None
        half = 1.96 * math.sqrt(p * (1 - p) / (n - 1)) if p is not None and n > 1 else None
        yield from interval(("pooled-decision", row, column), p, half)


def interval(place: tuple[str, str, str], centre: Fraction | float | None, half: float | None) -> Cells:
    yield (*place, "mean"), centre
    yield (*place, "ci_low"), None if centre is None or half is None else centre - half
    yield (*place, "ci_high"), None if centre is None or half is None else centre + half


def pooled(members: list[dict[str, str]]) -> tuple[int, float, float]:
    """n, mean and standard error of cells taken together; 7: a cell's standard error is width/3.92."""
    sizes = [int(row["n"]) for row in members]
    means = [float(row["mean"]) for row in members]
    errors = [(float(row["boot_hi"]) - float(row["boot_lo"])) / 3.92 for row in members]
    n = sum(sizes)
    centre = math.fsum(size * value for size, value in zip(sizes, means, strict=True)) / n
    squares = math.fsum(
        (size * error) ** 2 + size * (value - centre) ** 2
        for size, value, error in zip(sizes, means, errors, strict=True)
    )
    return n, centre, math.sqrt(squares / (n - 1) / n)


def association_cells(recovered: Path) -> Cells:
    """The tests and margins that the recovered means and intervals give; 7: within 2%."""
    table = rows(recovered / "implicit_cells.csv")
    for (group,), members in grouped(table, groups).items():
        n, centre, error = pooled(members)
        yield ("notebook-t", group, "word-association", "t"), centre / error
        yield ("notebook-t", group, "word-association", "p"), t_p_value(centre / error, n - 1)
        yield ("notebook-t", group, "word-association", "df"), n - 1
        if group == "overall":
            yield ("text", group, "word-association", "t"), centre / error
            yield ("text", group, "word-association", "df"), n - 1
    for (row, column), members in grouped(table, places).items():
        _, centre, error = pooled(members)
        yield from interval(("pooled-word-association", row, column), centre, 1.96 * error)


# ---------------------------------------------------------------- 4, logit and correlations


class Fit(NamedTuple):
    """A logit of y on a constant and x; the second of each pair is the slope's."""

    n: int
    coefficients: tuple[float, float]
    errors: tuple[float, float]
    log_likelihood: float
    null: float


def logit(y: Sequence[int], x: Sequence[float]) -> Fit:
    """Maximum likelihood by Newton's method; the standard errors are those of the inverse of the information."""

    def fitted() -> tuple[list[float], float, float, float]:
        """The probabilities, and the information: constant, both, slope."""
        p = [1 / (1 + math.exp(-constant - slope * value)) for value in x]
        weights = [q * (1 - q) for q in p]
        h01 = math.fsum(weight * value for weight, value in zip(weights, x, strict=True))
        return p, math.fsum(weights), h01, math.fsum(w * v * v for w, v in zip(weights, x, strict=True))

    constant = slope = 0.0
    for _ in range(12):  # more than enough: the number of right digits doubles every time
        p, h00, h01, h11 = fitted()
        rest = [outcome - q for outcome, q in zip(y, p, strict=True)]
        g0, g1 = math.fsum(rest), math.fsum(r * v for r, v in zip(rest, x, strict=True))
        determinant = h00 * h11 - h01 * h01
        constant += (h11 * g0 - h01 * g1) / determinant
        slope += (h00 * g1 - h01 * g0) / determinant
    p, h00, h01, h11 = fitted()
    determinant = h00 * h11 - h01 * h01
    share = sum(y) / len(y)
    return Fit(
        len(y),
        (constant, slope),
        (math.sqrt(h11 / determinant), math.sqrt(h00 / determinant)),
        math.fsum(math.log(a if b else 1 - a) for a, b in zip(p, y, strict=True)),
        len(y) * (share * math.log(share) + (1 - share) * math.log(1 - share)),
    )


def logit_cells(table: str, term: str, fit: Fit) -> Cells:
    """4: report coef, se, z, p, CI, LL, LL-null, McFadden R2, LR p, AIC, BIC, df."""
    for name, value in {
        "n": fit.n,
        "df_residual": fit.n - 2,
        "df_model": 1,
        "pseudo_r2": 1 - fit.log_likelihood / fit.null,
        "log_likelihood": fit.log_likelihood,
        "ll_null": fit.null,
        "llr_p": math.erfc(math.sqrt(fit.log_likelihood - fit.null)),
        "aic": 4 - 2 * fit.log_likelihood,
        "bic": 2 * math.log(fit.n) - 2 * fit.log_likelihood,
    }.items():
        yield (table, "model", name, name), value
    for row, value, error in zip(("intercept", term), fit.coefficients, fit.errors, strict=True):
        yield (table, row, "coef", "coef"), value
        yield (table, row, "std_err", "std_err"), error
        yield (table, row, "z", "z"), value / error
        yield (table, row, "p", "p"), normal_p_value(value / error)
        yield (table, row, "interval", "ci_low"), value - 1.959963984540054 * error
        yield (table, row, "interval", "ci_high"), value + 1.959963984540054 * error


def pearson(x: Sequence[float], y: Sequence[float]) -> float:
    mx, my = math.fsum(x) / len(x), math.fsum(y) / len(y)
    xy = math.fsum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return xy / math.sqrt(math.fsum((a - mx) ** 2 for a in x) * math.fsum((b - my) ** 2 for b in y))


def chained_cells(folder: Path) -> Cells:
    """Table 7 with D of `iat`, the notebook's fit with the stored score, Table 8 and its notebook with embedding z."""
    released = rows(folder / "data" / "result_chained.csv")
    scored = pairs.chained(folder / "data", "as-published")
    y = [int(float(row["decision_bias"])) for row in released]
    d = [float(one.reading.score or 0) for one in scored]
    z = [float(row["embedding_z"]) for row in rows(folder / "recovered" / "embedding_z.csv")]
    fit = logit(y, d)
    yield from logit_cells("v1-7", "word-association", fit)
    yield ("text", "logit", "word-association", "coef"), fit.coefficients[1]
    yield ("text", "logit", "word-association", "ci_low"), fit.coefficients[1] - 1.959963984540054 * fit.errors[1]
    yield ("text", "logit", "word-association", "ci_high"), fit.coefficients[1] + 1.959963984540054 * fit.errors[1]
    yield ("text", "logit", "word-association", "odds_ratio"), math.exp(fit.coefficients[1])
    stored = [float(row["iat_bias"]) for row in released]
    yield from logit_cells("notebook-logit-score", "word-association", logit(y, stored))
    for table in ("v1-8", "notebook-logit-embedding"):
        yield from logit_cells(table, "embedding", logit(y, z))
    names = [one.stereotype for one in scored]
    for domain, members in DOMAINS.items():  # 4: the same fit per domain
        for column, values in (("word-association", d), ("embedding", z)):
            chosen = [place for place, name in enumerate(names) if name in members]
            fit = logit([y[place] for place in chosen], [values[place] for place in chosen])
            for (_, row, _, statistic), value in logit_cells("", column, fit):
                yield ("v1-figure-4", domain, f"{column}/{row}", statistic), value
    yield from correlation_cells("", {"decision": y, "word-association": stored, "embedding": z}, names)
    yield from correlation_cells("-corrected", {"decision": y, "word-association": d, "embedding": z}, names)
    for place in range(3):
        yield ("notebook", f"row-{place}", "embedding", "z"), z[place]


def correlation_cells(suffix: str, columns: dict[str, Sequence[float]], names: list[str]) -> Cells:
    """4: Pearson among decision, association, embedding: 617 rows (prompt level) and 21 dataset means."""
    averages = {
        column: [
            math.fsum(value for value, own in zip(values, names, strict=True) if own == name) / names.count(name)
            for name in STEREOTYPES
        ]
        for column, values in columns.items()
    }
    for level, figure, chosen in (("prompt-level", "5", columns), ("category-level", "6", averages)):
        for first, second in itertools.combinations(columns, 2):
            r = pearson(chosen[first], chosen[second])
            yield (f"v1-figure-{figure}{suffix}", first, second, "r"), r
            if first == "word-association":
                yield (f"text{suffix}", level, "word-association/embedding", "r"), r


# ---------------------------------------------------------------- 4, absolute decisions


def absolute_cells(data: Path) -> Cells:
    """4: (yes+1e-4)/(yes+no+2e-4) per dataset and type; absolute bias: stigma_negative + default_positive - 1."""
    answers: dict[tuple[str, str], list[str]] = {}
    for row in rows(data / "result_absolute.csv"):
        answers.setdefault((row["type"], pairs.stereotype(row["dataset"])), []).append(row["decision"])
    little = Fraction(1, 10_000)
    ratio = {
        place: (given.count("Yes") + little) / (given.count("Yes") + given.count("No") + 2 * little)
        for place, given in answers.items()
    }
    for (kind, name), value in ratio.items():
        yield ("v1-figure-7", kind, name, "share"), value
    for name in STEREOTYPES:
        bias = ratio["stigma_negative", name] + ratio["default_positive", name] - 1
        yield ("v1-figure-8", name, "absolute-bias", "score"), bias
    for kind in TYPES:
        for place in ("text", "notebook"):
            yield (place, kind, "all", "mean"), mean(ratio[kind, name] for name in STEREOTYPES)
    for kind in ("stigma_positive", "stigma_negative"):
        yield ("text", kind, "science", "share"), ratio[kind, "science"]


# ---------------------------------------------------------------- other collections, and the printed proportions


def other_cells(folder: Path) -> Cells:
    """v2 Figure 10, the scores at temperature 0, LLaMA-3's correlations by layer; no values are printed for them."""
    for table, read in (("v2-figure-10", pairs.gpt4o), ("temperature-0", pairs.temperature0)):
        for scoring in pairs.SCORINGS:
            scored = read(folder / "data", scoring)
            for name in (*STEREOTYPES, "all"):
                found = [one.reading.score for one in scored if name in {"all", one.stereotype}]
                known = [float(score) for score in found if score is not None]
                centre = math.fsum(known) / len(known)
                yield (table, name, scoring, "n"), len(known)
                yield (table, name, scoring, "mean"), centre
                variance = math.fsum((score - centre) ** 2 for score in known) / (len(known) - 1)
                yield (table, name, scoring, "std_error"), math.sqrt(variance / len(known))
    scored = [one for one in pairs.llama3(folder / "data") if one.reading.score is not None]
    score = [float(one.reading.score or 0) for one in scored]
    for column, name in (("effect", "emb_bias.json"), ("nullified", "emb_bias_nullified.json")):
        effects = json.loads((folder / "data" / "additional" / name).read_text(encoding="utf-8"))
        for layer in range(33):
            values = [effects[one.stereotype][one.group][str(layer)] for one in scored]
            yield ("llama-3-layers", str(layer), column, "r"), pearson(values, score)
    yield ("llama-3-layers", "all", "responses", "n"), len(scored)


def bbq(published: Path) -> Cells:
    """scalars: unweighted mean of the 11 proportions in v1 Table 1."""
    shares = [Fraction(row["prop_cant_answer"]) for row in rows(published / "v1_table1_bbq.csv")]
    yield ("text", "bbq", "not-enough-info", "mean"), mean(shares)


def cells(folder: Path) -> dict[Key, Value]:
    """(table, row, column, statistic) -> value of everything; None is a number that does not exist."""
    found: dict[Key, Value] = {}
    for part in (
        decision_cells(folder / "recovered"),
        association_cells(folder / "recovered"),
        chained_cells(folder),
        absolute_cells(folder / "data"),
        other_cells(folder),
        bbq(folder / "published"),
    ):
        for key, value in part:
            assert key not in found, key
            found[key] = value
    return found
