"""The simulated responses of the gallery (docs/gallery): `python -m tests.docs.gallery` writes them."""

from __future__ import annotations

import math
from itertools import product
from random import Random

from tests.paths import DOCS

FOLDER = DOCS / "gallery"

STEREOTYPES = {
    "work": ("slow", "expensive", "rigid", "technology"),
    "family": ("lonely", "wise", "caring", "stubborn"),
    "health": ("frail", "forgetful", "tired", "ill"),
}
BIASES = {"atlas": 0.1, "orion": 0.35, "vega": 0.6}
AGES = {"younger": 0.0, "middle": 0.3, "older": 0.7, "oldest": 1.0}
LAYERS = range(0, 17, 2)
SAMPLES = 12
COLUMNS = "model,domain,stereotype,group,layer,status,decision,association,embedding,rating,box,weat,count"
BOXES = ("very_low", "low", "neither", "high", "very_high")


def responses() -> list[str]:
    """Responses of models that are biased the more, the later their name: association, rating and decision go together.

    Returns:
        The lines of a CSV file of coded responses.
    """
    random = Random(2024)  # noqa: S311  nothing is secret here
    lines = [COLUMNS]
    strengths = {name: random.uniform(-0.4, 1) for names in STEREOTYPES.values() for name in names}
    for (model, bias), (domain, names), (group, age), _ in product(
        BIASES.items(), STEREOTYPES.items(), AGES.items(), range(SAMPLES)
    ):
        for name in names:
            strength = bias * strengths[name]
            association = round(max(-1.0, min(1.0, random.gauss(strength, 0.4))) * 5) / 5
            embedding = round(random.gauss(0.5 * association + strength, 0.5), 1)
            rating = max(-2, min(2, round(random.gauss(2 * association, 0.8))))
            chance = 1 / (1 + math.exp(-(0.6 - 2.2 * age * (strength + 0.6 * bias) - 0.9 * association)))
            fate = random.random()
            status = "refused" if fate < 0.04 * (1 + 2 * age) else "invalid" if fate > 0.98 else "ok"
            decision = "" if status != "ok" else "yes" if random.random() < chance else "no"
            scores = f"{association},{embedding},{rating},{BOXES[rating + 2]}" if status == "ok" else ",,,"
            lines.append(f"{model},{domain},{name},{group},none,{status},{decision},{scores},,1")
    for (domain, names), layer, _ in product(STEREOTYPES.items(), LAYERS, range(SAMPLES)):
        middle = 1.2 * math.sin(math.pi * (layer + 1) / 18) * (0.4 + 0.3 * list(STEREOTYPES).index(domain))
        lines.append(f"vega,{domain},{names[0]},oldest,{layer},ok,,,,,,{random.gauss(middle, 0.5):.2f},1")
    return lines


if __name__ == "__main__":
    (FOLDER / "coded_responses.csv").write_text("\n".join(responses()) + "\n", encoding="utf-8", newline="")
