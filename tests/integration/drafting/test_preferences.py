"""Which of two models is preferred: the preference is the answer, and the models are factors."""

from __future__ import annotations

import json
from collections import Counter
from itertools import permutations
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.drafting.starting import start
from tests.trusted import dumped, read

if TYPE_CHECKING:
    from pathlib import Path

MODELS = ("gpt-4", "vicuna-13b", "claude-v1")


@pytest.mark.parametrize(
    ("models", "beside", "column", "values"),
    [
        (("model_a", "model_b"), "conversation_{}", "winner", ("model_a", "model_b", "tie", "tie (bothbad)")),
        (("generator_1", "generator_2"), "output_{}", "preference", (1.0, 2.0)),
        (("model_left", "model_right"), "response_{}", "preferred", ("left", "right")),
        (("model_1", "model_2"), "answer_{}", "verdict", ("[[1]]", "[[2]]", "[[C]]")),
        (("model_a", "model_b"), "output_{}", "better", None),  # the model's own name
    ],
)
def test_a_preference(
    tmp_path: Path, models: tuple[str, str], beside: str, column: str, values: tuple[Any, ...] | None
) -> None:
    rows: list[dict[str, Any]] = []
    for number in range(48):
        pair = [*permutations(MODELS, 2)][number % 6]
        said = [{"role": "user", "content": f"Ask {number}"}, {"role": "assistant", "content": f"Says {number}"}]
        texts = {
            beside.format(name.rpartition("_")[2]): said if beside[0] == "c" else f"A text of {name}, number {number}."
            for name in models
        }
        preferred = (values or pair)[number // 6 % len(values or pair)]
        rows.append({"question_id": f"q{number}", **dict(zip(models, pair, strict=True)), column: preferred, **texts})
    made = start([dumped(tmp_path, rows)], tmp_path / "study", [])
    coded = read(made.files[0]).coded
    outcome = f"{column}_outcome" if column in coded.columns else column
    assert Counter(coded[column].cast(str).to_list()) == Counter(str(row[column]) for row in rows)
    assert outcome in made.draft.outcomes
    assert [*made.draft.factors] == ["model", *models]
    assert any(
        f"{column} is read as the preference between {models[0]} and {models[1]}" in one for one in made.draft.doubts
    )


def test_answers_by_model_in_a_cell(tmp_path: Path) -> None:
    """Objects of answers by model are unfolded by their keys, also where a key has a slash."""
    answers = [
        {"openai/gpt-4o": ("Yes.", "No.")[number % 2], "meta-llama/Llama-3-8b": ("Yes.", "No.")[number % 3 > 1]}
        for number in range(24)
    ]
    lines = [f'q{number},{"ab"[number % 2]},"{json.dumps(one)}"' for number, one in enumerate(answers)]
    cells = (
        line.replace('"{"', '"{""').replace('": "', '"": ""').replace('", "', '"", ""').replace('"}"', '""}"')
        for line in lines
    )
    (tmp_path / "dump.csv").write_text("id,group,responses\n" + "\n".join(cells) + "\n")
    made = start([tmp_path / "dump.csv"], tmp_path / "study", [])
    coded = read(made.files[0]).coded
    truth = Counter((model, text) for one in answers for model, text in one.items())
    assert Counter(coded.select("model", "text").iter_rows()) == truth
