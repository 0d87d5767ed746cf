"""Precision and recall of `tallybook audit`: tables made from simulated data, a fault planted in half of them."""

from __future__ import annotations

import random
import sys
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy import stats

import tallybook as tb

if TYPE_CHECKING:
    from collections.abc import Callable

Rows = list[dict[str, str]]
EXACT = {
    "grim", "grimmer", "debit", "share-of-n", "share-of-count", "p-of-t", "p-of-z", "p-of-r", "p-of-f", "p-of-chi2",
    "p-of-wald", "statistic-of-error", "odds-ratio", "interval-order", "range", "scale",
}  # fmt: skip
"""Checks in which a finding on a table without a fault is impossible."""


def p_text(p: float) -> str:
    """Print a p value as papers do."""
    return "<.001" if p < 0.001 else f"{p:.3f}"  # noqa: PLR2004


def ratings(draw: np.random.Generator) -> Rows:
    """Groups of ratings on a scale of 1 to 7."""
    rows: Rows = []
    for group in "ABCDE":
        values = draw.integers(1, 8, int(draw.integers(8, 80)))
        rows.append(
            {"group": group, "n": str(len(values)), "mean": f"{values.mean():.2f}", "sd": f"{values.std(ddof=1):.2f}"}
        )
    return rows


def shares(draw: np.random.Generator) -> Rows:
    """Counts and shares of a category."""
    rows: Rows = []
    for group in "ABCDE":
        n = int(draw.integers(20, 400))
        count = int(draw.binomial(n, draw.uniform(0.05, 0.95)))
        rows.append({"group": group, "count": str(count), "n": str(n), "%": f"{100 * count / n:.1f}"})
    return rows


def binary(draw: np.random.Generator) -> Rows:
    """Means and deviations of zeros and ones."""
    rows: Rows = []
    for group in "ABCDE":
        values = draw.binomial(1, draw.uniform(0.1, 0.9), int(draw.integers(20, 300)))
        rows.append(
            {"group": group, "n": str(len(values)), "mean": f"{values.mean():.2f}", "sd": f"{values.std(ddof=1):.2f}"}
        )
    return rows


def t_tests(draw: np.random.Generator) -> Rows:
    """Welch's t tests."""
    rows: Rows = []
    for item in "ABCDE":
        one, other = (draw.normal(shift, 1, int(draw.integers(10, 60))) for shift in (0, draw.uniform(0, 1)))
        found = stats.ttest_ind(one, other, equal_var=False)
        rows.append({"item": item, "t": f"{found.statistic:.2f}", "df": f"{found.df:.1f}", "p": p_text(found.pvalue)})
    return rows


def variances(draw: np.random.Generator) -> Rows:
    """Analyses of variance."""
    rows: Rows = []
    for item in "ABCDE":
        groups = [draw.normal(draw.uniform(0, 0.7), 1, 20) for _ in range(3)]
        f, p = stats.f_oneway(*groups)
        rows.append({"item": item, "F": f"{f:.2f}", "df1": "2", "df2": "57", "p": p_text(float(p))})
    return rows


def tables(draw: np.random.Generator) -> Rows:
    """Chi-squared tests."""
    rows: Rows = []
    for item in "ABCDE":
        found = stats.chi2_contingency(draw.integers(5, 60, (2, 3)), correction=False)
        rows.append({"item": item, "χ²": f"{found.statistic:.2f}", "df": str(found.dof), "p": p_text(found.pvalue)})
    return rows


def correlations(draw: np.random.Generator) -> Rows:
    """Correlations."""
    rows: Rows = []
    for item in "ABCDE":
        n = int(draw.integers(10, 90))
        one = draw.normal(size=n)
        r, p = stats.pearsonr(one, draw.uniform(0, 1) * one + draw.normal(size=n))
        rows.append({"item": item, "r": f"{r:.2f}", "n": str(n), "p": p_text(float(p))})
    return rows


def regression(draw: np.random.Generator) -> Rows:
    """Logistic regressions with Wald intervals."""
    rows: Rows = []
    for term in "ABCDE":
        b, error = draw.normal(0, 1), draw.uniform(0.05, 0.6)
        z = b / error
        low, high = np.exp(b - 1.959964 * error), np.exp(b + 1.959964 * error)
        rows.append(
            {"term": term, "b": f"{b:.3f}", "SE": f"{error:.3f}", "z": f"{z:.2f}",
             "p": p_text(2 * stats.norm.sf(abs(z))), "OR [95% CI]": f"{np.exp(b):.2f} [{low:.2f}, {high:.2f}]"}
        )  # fmt: skip
    return rows


KINDS: dict[str, Callable[[np.random.Generator], Rows]] = {
    kind.__name__: kind for kind in (ratings, shares, binary, t_tests, variances, tables, correlations, regression)
}
FAULTY = {
    "ratings": ("mean", "sd"), "shares": ("count", "%"), "binary": ("mean", "sd"), "t_tests": ("t", "p"),
    "variances": ("F", "p"), "tables": ("χ²", "p"), "correlations": ("r", "p"), "regression": ("b", "z", "OR [95% CI]"),
}  # fmt: skip


def planted(text: str, choose: random.Random) -> str:
    """Change one digit of a printed number, as a slip of the pen does."""
    places = [place for place, character in enumerate(text) if character.isdigit()]
    first = text.find("[")
    places = [place for place in places if first < 0 or place < first]
    place = choose.choice(places[-2:])
    other = choose.choice([digit for digit in "0123456789" if digit != text[place]])
    return text[:place] + other + text[place + 1 :]


def measured(count: int, seed: int = 1) -> tuple[Counter[str], Counter[str], Counter[str], list[str]]:
    """Audit `count` tables: how many faults there were and were found by kind, and false alarms by check."""
    draw, choose = np.random.default_rng(seed), random.Random(seed)  # noqa: S311  a simulation
    made: Counter[str] = Counter()
    found: Counter[str] = Counter()
    alarms: Counter[str] = Counter()
    examples: list[str] = []
    for number in range(count):
        kind = list(KINDS)[number // 2 % len(KINDS)]
        rows = KINDS[kind](draw)
        column = choose.choice(FAULTY[kind])
        if number % 2:
            place = choose.randrange(len(rows))
            rows[place][column] = planted(rows[place][column], choose)
        values = "binary" if kind == "binary" else None
        findings = tb.audit(pl.DataFrame(rows), values=values).filter(pl.col("severity") != "")
        if number % 2:
            made[f"{kind}: {column}"] += 1
            found[f"{kind}: {column}"] += findings.height > 0
        else:
            alarms.update(findings.get_column("check").to_list())
            examples += [str(row) for row in findings.head(1).iter_rows()]
    return made, found, alarms, examples


def main() -> None:
    """Print recall by kind of fault, and false alarms by check."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    made, found, alarms, examples = measured(count)
    print(f"{count} tables, a changed digit in half of them\n\n| Table: number | Faults | Found |\n|---|---:|---:|")
    for kind in made:
        print(f"| {kind} | {made[kind]} | {100 * found[kind] / made[kind]:.0f}% |")
    exact = {check: number for check, number in alarms.items() if check in EXACT}
    print(
        f"\nFalse alarms in {count // 2} tables without a fault: {sum(exact.values())} in exact checks, others: "
        f"{dict(alarms - Counter(exact)) or 'none'}"
    )
    for example in examples[:5]:
        print(example)


if __name__ == "__main__":
    main()
