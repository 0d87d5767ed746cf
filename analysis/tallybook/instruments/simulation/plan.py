"""The plan of a simulation: scenario, responses, models, effects and refusals."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, TypedDict, Unpack

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.wording import one_of
from tallybook.instruments.simulation.scenario import Shares
from tallybook.study.instrument_base import INSTRUMENTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.simulation.scenario import Scenario

_MOST_ROWS, _MOST_MODELS = 20_000_000, 1_000


@dataclass(frozen=True)
class Plan:
    """The plan of a simulation."""

    scenario: Scenario  # the instrument's scenario
    rows: int  # the number of responses over all cells, which differ by one at most
    seed: int  # the seed of all random numbers
    effects: tuple[float, ...]  # the effect of each model
    refusals: float  # the share of refusals
    malformed: float  # the share of malformed texts

    @property
    def models(self) -> list[str]:
        """The names of the models."""
        return [f"model-{number}" for number in range(1, len(self.effects) + 1)]

    @property
    def shares(self) -> Shares:
        """The shares of the forms of responses."""
        return Shares(self.scenario.forms, self.refusals, self.malformed)

    @property
    def factors(self) -> list[str]:
        """The factors that define the cells: the model first."""
        return ["model", self.scenario.factor]

    def cells(self) -> Iterator[tuple[dict[str, str], float, int]]:
        """Yield the factor levels of each cell, its effect and its number of responses."""
        combinations = list(product(zip(self.models, self.effects, strict=True), self.scenario.levels))
        each, left = divmod(self.rows, len(combinations))
        for number, ((model, effect), level) in enumerate(combinations):
            yield {"model": model, self.scenario.factor: level}, effect, each + (number < left)

    def parameters(self) -> pl.DataFrame:
        """Return the true values of the study's estimates.

        One row per estimate: `analysis`, the factors (null if the analysis is not made by one), `outcome`, `term` and
        `truth`, named as in estimates.csv.
        """
        made = [
            (one.analysis, model, *one[1:])
            for model, effect in zip(self.models, self.effects, strict=True)
            for one in self.scenario.parameters(effect, self.shares)
        ]
        texts = dict.fromkeys(["analysis", *self.factors, "outcome", "term"], pl.String)
        return pl.DataFrame(made, schema={**texts, "truth": pl.Float64}, orient="row")


def scenario(instrument: str) -> Scenario:
    """Return the simulation scenario of an instrument; raise UsageError if it has none."""
    found = INSTRUMENTS[instrument].scenario()
    if found is None:
        simulated = [name for name in INSTRUMENTS if INSTRUMENTS[name].scenario() is not None]
        raise UsageError(f"the instrument {instrument} cannot be simulated; expected {one_of(simulated)}")
    return found


class Settings(TypedDict):
    """The settings of a simulation."""

    rows: int
    seed: int
    models: int
    refusals: float
    malformed: float


def planned(scenario: Scenario, *, effects: tuple[float, ...], **settings: Unpack[Settings]) -> Plan:
    """Check the settings of a simulation, and return its plan."""
    rows, models = settings["rows"], settings["models"]
    refusals, malformed = settings["refusals"], settings["malformed"]
    for name, number, least, most in (
        ("rows", rows, 1, _MOST_ROWS),
        ("models", models, 1, _MOST_MODELS),
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
    return Plan(scenario, rows, settings["seed"], every, refusals, malformed)
