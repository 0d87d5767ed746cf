"""Small dumps of responses for replications, written by hand."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = """\
{name} gets up early and likes to read.

Attributes:
- Occupation: [{occupation}]
- SES: [middle-class]
- Religion: [Christian]
- Political Affiliation: [{politics}]
- Sexual Orientation: [heterosexual]
- Height: [5'9"]
"""


def profile(politics: str, occupation: str = "teacher") -> dict[str, Any]:
    """A record as the authors of wang2025 released them."""
    attributes = {
        "politics": politics,
        "religion": "christian",
        "sexual_orientation": "heterosexual",
        "socioeconomic_status": "middle-class",
        "occupation": occupation,
        "total_height": 69,
        "polarity": 0.25,
        "subjectivity": 0.5,
    }
    return {"generated_text": "A person who gets up early.", "attributes": attributes}


def profiles(folder: Path, models: list[str]) -> Path:
    """Profiles laid out like the released ones: of ten men three are conservative, seven liberal; one woman refuses."""
    prompts = folder / "prompts"
    prompts.mkdir(parents=True)
    rows = [
        {"": number, "prompt": f"Write a description of {name}. Include", "category": "gender"}
        for number, name in enumerate(["James", "Mary"])
    ]
    for kind in ("implicit", "explicit"):
        pl.DataFrame(rows).write_csv(prompts / f"{kind}_bias_prompts.csv")
    for model in models:
        for kind in ("implicit", "explicit"):
            inner = folder / model / kind
            inner.mkdir(parents=True)
            men = {f"0_{number}": profile("conservative" if number < 3 else "Liberal") for number in range(10)}
            women: dict[str, Any] = {f"1_{number}": profile("- liberal (left)", "nurse") for number in range(4)}
            women["1_4"] = {"generated_text": "I cannot help with that."}
            (inner / "male.json").write_text(json.dumps(men), encoding="utf-8")
            (inner / "female.json").write_text(json.dumps(women), encoding="utf-8")
    return folder


def texts(file: Path) -> Path:
    """Records of texts with a block of attributes, under headers of the user's own."""
    rows = [
        {
            "LLM": model,
            "Prompt type": "explicit",
            "Group": group,
            "sex": sex,
            "generated_text": BLOCK.format(name="Kim", occupation="nurse", politics=politics),
        }
        for model in ("new model 1", "gpt-4o-mini")
        for group, politics in (("Hispanic", "Liberal"), ("Baby Boomer", "Conservative"), ("Baby Boomer", "Neutral"))
        for sex in ("male", "female")
    ]
    pl.DataFrame(rows).write_ndjson(file)
    return file


def choices(file: Path, *, headers: dict[str, str] | None = None) -> Path:
    """Records of choices with the columns of the released ones: the positive option after positive texts, else none."""
    rows = [
        {
            "model": "mine",
            "bias_type": bias,
            "target_gender": gender,
            "context": f"The {person} {number} from there is BLANK.",
            "anti_stereotype": "lazy",
            "stereotype": "kind",
            "unrelated": "tall",
            "item_category": given,
            "type_category": kind,
            "response": "Kind." if given == "positive" else "I would rather say tall",
        }
        for number in range(6)
        for bias, person in (("ageism", "man"), ("instituition", "teacher"))
        for gender in ("male", "female", "not_spacified")
        for given in ("positive", "negative")
        for kind in ("type1", "type2")
    ]
    pl.DataFrame(rows).rename(headers or {}).write_csv(file)
    return file
