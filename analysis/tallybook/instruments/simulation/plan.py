"""The plan of a simulation: responses, models, effects and refusals."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.instruments.simulation.scenario import Shares

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.scenario import Cell, Scenario

MOST_ROWS = 20_000_000
"""The most responses that are written."""
MOST_MODELS = 1_000
"""Of how many models at most."""


@dataclass(frozen=True)
class Plan:
    """A simulation."""

    scenario: Scenario  # the instrument's scenario
    rows: int  # how many responses, over all cells: each has as many, or one more
    seed: int  # where every random number starts
    effects: tuple[float, ...]  # the effect of each model
    refusals: float  # the share of refusals
    malformed: float  # the share of malformed texts

    @property
    def models(self) -> list[str]:
        """The names of the models."""
        return [f"model-{number}" for number in range(1, len(self.effects) + 1)]

    @property
    def shares(self) -> Shares:
        """Get the shares of the forms of responses."""
        return Shares(self.scenario.forms, self.refusals, self.malformed)

    @property
    def factors(self) -> list[str]:
        """The factors that make the cells: the model first."""
        return ["model", *(factor.name for factor in self.scenario.factors)]

    def cells(self) -> Iterator[tuple[Cell, float, int]]:
        """The cells."""
        levels = [list(factor.levels) for factor in self.scenario.factors]
        combinations = list(product(self.models, *levels))
        each, left = divmod(self.rows, len(combinations))
        effect_of = dict(zip(self.models, self.effects, strict=True))
        for number, combination in enumerate(combinations):
            cell = dict(zip(self.factors, combination, strict=True))
            yield cell, effect_of[cell["model"]], each + (number < left)

    def parameters(self) -> pl.DataFrame:
        """The true values of the study's estimates.

        One row an estimate: `analysis`, the factors (null where the analysis is not made by one), `outcome`, `term` and
        `truth`, named as in estimates.csv.
        """
        made = [
            {"analysis": one.analysis, "model": model, **one.cell, "outcome": one.outcome, "term": one.term,
             "truth": float(one.truth)}
            for model, effect in zip(self.models, self.effects, strict=True)
            for one in self.scenario.parameters(effect, self.shares)
        ]  # fmt: skip
        texts = dict.fromkeys(["analysis", *self.factors, "outcome", "term"], pl.String)
        return pl.DataFrame(made, schema={**texts, "truth": pl.Float64})


def planned(
    scenario: Scenario,
    *,
    rows: int,
    seed: int,
    models: int,
    effects: tuple[float, ...],
    refusals: float,
    malformed: float,
) -> Plan:
    """Check what is to be simulated."""
    for name, number, least, most in (
        ("rows", rows, 1, MOST_ROWS),
        ("models", models, 1, MOST_MODELS),
        ("refusals", refusals, 0, 1),
        ("malformed", malformed, 0, 1),
        *(("effect", effect, -1, 1) for effect in effects),
    ):
        if not least <= number <= most:
            raise UsageError(f"--{name} {number}: a number from {least} to {most:,}")
    if refusals + malformed > 1:
        raise UsageError(f"--refusals {refusals} and --malformed {malformed}: their sum is more than 1")
    if len(effects) not in {1, models}:
        raise UsageError(f"--effect: {len(effects)} numbers for {models} models; one for all, or one for each")
    every = effects * models if len(effects) == 1 else effects
    return Plan(scenario, rows, seed, every, refusals, malformed)
