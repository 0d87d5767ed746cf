"""Columns and lists that name options, samples or models beside the answers, as `init` drafts them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import UsageError
from tallybook.drafting.starting import start
from tallybook.pipeline import compute
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import load
from tests.integration.drafting.test_shapes_of_answers import table
from tests.trusted import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


_PEOPLE = ("the boy", "the girl", "Unknown")
_ORDERS = ([0, 1, 2], [2, 0, 1], [1, 2, 0])


def _asked(place: int) -> dict[str, Any]:
    order = _ORDERS[place % 3]
    shown = [_PEOPLE[one] for one in order]
    said = shown.index(_PEOPLE[place // 3 % 3])
    return {
        "model": "ab"[place % 2],
        "qid": f"q{place}",
        "choices": shown,
        "stereotyped": "the boy",
        "gold": "Unknown",
        "output": "ABC"[said],
    }


def _by_list(path: Path) -> None:
    path.with_suffix(".jsonl").write_text("\n".join(json.dumps(_asked(place)) for place in range(36)))


def _by_index(path: Path) -> None:
    header = ["model", "qid", "ans0", "ans1", "ans2", "stereotyped_idx", "unknown_idx", "correct_idx", "output"]
    rows: list[tuple[Any, ...]] = []
    for asked in map(_asked, range(36)):
        shown: list[str] = asked["choices"]
        places = [shown.index(one) for one in ("the boy", "Unknown", "Unknown")]
        rows.append((asked["model"], asked["qid"], *shown, *places, asked["output"]))
    path.with_suffix(".csv").write_text(table(",".join(header), *rows))


@pytest.mark.parametrize("write", [_by_list, _by_index])
def test_columns_that_name_an_option_give_roles(tmp_path: Path, write: Callable[[Path], None]) -> None:
    """Of 36 answers in changing orders each role has a third, however its option is named."""
    write(tmp_path / "dump")
    dump = next(tmp_path.iterdir())
    started = start([dump], tmp_path, [])
    found = compute(load(str(started.files[0])))
    shares = found.estimates.filter(pl.col("analysis") == "share", pl.col("outcome") == "role")
    roles = {"stereotyped", "unknown", "other"}
    counted = shares.filter(pl.col("term").is_in(roles)).group_by("term").agg((pl.col("estimate") * pl.col("n")).sum())
    assert dict(counted.iter_rows()) == pytest.approx(dict.fromkeys(roles, 12))
    right = found.estimates.filter(pl.col("analysis") == "share", pl.col("term") == "right")
    assert right.select((pl.col("estimate") * pl.col("n")).sum()).item() == pytest.approx(12)
    assert "stereotyped" not in found.loaded.study.factors


ANSWERS = ("Yes.", "No.", "Yes, I would.", "No, the risk is too high.")


def _drafted(folder: Path, name: str, content: str) -> pl.DataFrame:
    (folder / name).write_text(content)
    start([folder / name], folder, [], replace=True)
    return read(folder / "study.toml").coded


def test_numbered_responses_beside_a_question_are_samples(tmp_path: Path) -> None:
    rows = [
        (m, f"q{q}", g, f"Hire this {g} for job {q}? Yes or no.", *(ANSWERS[(q + m + n) % 4] for n in range(5)))
        for m in range(3)
        for q in range(8)
        for g in ("man", "woman")
    ]
    header = "model,question_id,persona,prompt," + ",".join(f"response_{n}" for n in range(1, 6))
    quoted = [tuple(f'"{cell}"' for cell in row) for row in rows]
    found = _drafted(tmp_path, "dump.csv", table(header, *quoted))
    assert found.select(pl.len(), pl.col("item").n_unique(), pl.col("sample").n_unique()).row(0) == (240, 8, 5)


@pytest.mark.parametrize(
    ("names", "models"),
    [
        (("GPT-5.2", "Mistral Large 3", "Teuken 7B"), 3),
        (("answer_gpt-4o", "answer_claude-3", "answer_nobody"), 3),
        (("gpt-4o", "claude-3", "gold"), 2),
    ],
)
def test_columns_of_models_beside_known_ones(tmp_path: Path, names: tuple[str, ...], models: int) -> None:
    rows = [
        (f"i{q}", g, f"{g} {q}: yes or no?", *(ANSWERS[(q + n) % 2] for n in range(3)))
        for q in range(8)
        for g in ("man", "woman")
    ]
    found = _drafted(tmp_path, "dump.csv", table(";".join(["item", "group", "prompt", *names]), *rows, sign=";"))
    assert found.select(pl.len(), pl.col("model").n_unique()).row(0) == (16 * models, models)


@pytest.mark.parametrize("said", [{"turns": ["Yes."]}, {"message": {"role": "assistant", "content": "No."}}])
def test_several_choices_are_samples(tmp_path: Path, said: dict[str, Any]) -> None:
    records = [
        {"question_id": q, "model_id": m, "choices": [{"index": n, **said} for n in range(3)]}
        for m in ("gpt-4o", "vicuna-13b")
        for q in range(8)
    ]
    found = _drafted(tmp_path, "dump.jsonl", "\n".join(map(json.dumps, records)))
    assert found.select(pl.len(), pl.col("sample").n_unique()).row(0) == (48, 3)


def test_of_messages_the_models_are_read(tmp_path: Path) -> None:
    rows = [
        (f"{m}{q}", role, m, f"q{q}", "Is she reliable? Yes or no." if role == "user" else ANSWERS[q % 2])
        for m in ("gpt-4o", "llama-3")
        for q in range(8)
        for role in ("user", "assistant")
    ]
    found = _drafted(tmp_path, "dump.csv", table("conversation_id,role,model,item,content", *rows))
    assert found.group_by("status").len().rows() == [("ok", 16)]


def test_tags_of_options_that_equal_their_texts(tmp_path: Path) -> None:
    """BBQ's lines: the option "Unknown" has the tag "unknown", of which no ranking could tell the two."""
    groups = {"the grandfather": "old", "the grandson": "nonOld", "Unknown": "unknown"}
    rows = [
        {"example_id": place, "model": model, "question": "Who forgot the keys?", "context": f"Case {place}."}
        | {f"ans{number}": option for number, option in enumerate(groups)}
        | {"answer_info": {f"ans{number}": [*one] for number, one in enumerate(groups.items())}}
        | {"prediction": [*groups][(place * place + len(model)) % 3]}
        for model in ("m1", "m22")
        for place in range(12)
    ]
    dump = tmp_path / "bbq.jsonl"
    dump.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    made = start([dump], tmp_path / "study", []).draft
    assert made.instrument["kind"] == "multiple-choice"


def _unsuitable() -> None:
    INSTRUMENTS["ranking"].model_validate({"kind": "ranking"})


def _odd() -> None:
    raise ValueError("no such\noption")


@pytest.mark.parametrize(("failing", "said"), [(_odd, "no such option"), (_unsuitable, "Value error, options:")])
def test_what_one_instrument_stumbles_over_others_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: Callable[[], None], said: str
) -> None:
    def stumbles(*_: object) -> None:
        failing()

    monkeypatch.setattr(INSTRUMENTS["ranking"], "detect", stumbles)
    dump = tmp_path / "a.csv"
    dump.write_text("model,prompt,response\n" + "".join(f"m,q{place},Yes.\nm,p{place},No.\n" for place in range(9)))
    made = start([dump], tmp_path / "study", []).draft
    assert made.instrument["kind"] == "absolute-decision"
    assert any(doubt.startswith(f"ranking could not be tried: {said}") for doubt in made.doubts)
    with pytest.raises(UsageError, match=f"--instrument ranking could not be tried: {said}"):
        start([dump], tmp_path / "other", [], instrument="ranking")


@pytest.mark.parametrize("told", [[], ["scores=filtered_resps"]])
def test_likelihoods_of_options_choose(tmp_path: Path, told: list[str]) -> None:
    """lm-eval asks for the likelihood of each option, and logs lists of numbers in place of texts."""
    options = ["Ann", "Bob", "Unknown"]
    rows: list[dict[str, Any]] = []
    for place in range(12):
        likelihoods = [[f"-{1 + (3 * place + 5 * number) % 7}.5", "False"] for number in range(3)]
        doc = {"question": f"Case {place}. Who did it?", "choices": options, "group": ("a", "b")[place % 2]}
        asked = {f"gen_args_{n}": {"arg_0": "Who?", "arg_1": f" {option}"} for n, option in enumerate(options)}
        rows.append(
            {"doc_id": place, "doc": doc, "target": str(place % 3), "arguments": asked, "acc": 1.0, "filter": "none"}
            | {"resps": [[one] for one in likelihoods], "filtered_resps": likelihoods, "metrics": ["acc"]}
        )
    dump = tmp_path / "samples_who_2026-01-02T03-04-05.678901.jsonl"
    dump.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    made = start([dump], tmp_path / "study", told).draft
    assert (made.instrument["kind"], made.instrument["scores"]) == ("multiple-choice", "filtered_resps")
    coded = read(tmp_path / "study" / "study.toml").coded
    best = [options[max(range(3), key=lambda n: -((3 * place + 5 * n) % 7))] for place in range(12)]
    assert coded.sort(pl.col("item").cast(pl.Int64)).get_column("chosen_text").to_list() == best


@pytest.mark.parametrize(
    ("options", "numbers", "sign"),
    [
        (("ans0", "ans1", "ans2"), ("logprob0", "logprob1", "logprob2"), -1),
        (("option_a", "option_b", "option_c"), ("lp_a", "lp_b", "lp_c"), -1),
        (("A", "B", "C"), ("score_A", "score_B", "score_C"), 1),
        (("choice1", "choice2", "choice3"), ("ppl1", "ppl2", "ppl3"), 1),
        (("option1", "option2", "option3"), ("option1_logprob", "option2_logprob", "option3_logprob"), -1),
    ],
)
def test_numbers_beside_options_choose(
    tmp_path: Path, options: tuple[str, ...], numbers: tuple[str, ...], sign: int
) -> None:
    rows = [
        (
            place,
            model,
            f"the boy {place}",
            "the girl",
            "nobody",
            *(sign * (1 + (3 * place + k * n) % 7 / 4) for n in range(3)),
            place % 3 + 1,
        )
        for place in range(12)
        for k, model in ((5, "orion"), (4, "vega"))
    ]
    coded = _drafted(tmp_path, "dump.csv", table(",".join(["qid", "lm", *options, *numbers, "correct"]), *rows))
    best = min if numbers[0] == "ppl1" else max
    expected = {(str(row[0]), row[1]): row[2 + best(range(3), key=lambda n: row[5 + n])] for row in rows}
    assert {row[:2]: row[2] for row in coded.select("item", "model", "chosen_text").iter_rows()} == expected


def test_a_model_called_pro_is_no_side_of_a_pair(tmp_path: Path) -> None:
    models, groups = ("gpt-4o", "gemini-1.5-pro"), ("male", "female", "neutral")
    header = "item_id,item_text," + ",".join(f"{model}_{group}" for model in models for group in groups)
    rows = [(n, f"Statement {n} is one to rate.", *(1 + (n * k) % 5 for k in range(1, 7))) for n in range(20)]
    found = _drafted(tmp_path, "dump.csv", table(header, *rows))
    assert found.select(pl.len(), pl.col("model").n_unique()).row(0) == (120, 2)


@pytest.mark.parametrize("options", [("A", "A-", "B+", "B", "B-", "C+"), ("++", "+", "0", "-", "--")])
def test_options_that_differ_in_signs(tmp_path: Path, options: tuple[str, ...]) -> None:
    """A- is another grade than A, and a minus beside a plus is an answer."""
    rows = [("ab"[place % 2], f"essay {place // 2}", options[place % len(options)]) for place in range(60)]
    pairs = _drafted(tmp_path, "dump.csv", table("model,item,answer", *rows)).select("text", "chosen_option").unique()
    assert pairs.height == pairs.drop_nulls().get_column("chosen_option").n_unique() == len(options)


def test_a_balanced_code_is_no_answer(tmp_path: Path) -> None:
    rows = [(n, 1 + n % 2, n // 4, n // 2 % 2, (n * n + n // 3) % 5 + 1) for n in range(60)]
    (tmp_path / "spss.csv").write_text(table("RESP_ID,MODEL,VIGN,GENDER,Q1", *rows))
    made = start([tmp_path / "spss.csv"], tmp_path, []).draft
    assert (made.columns["text"]["path"], [*made.factors]) == ("Q1", ["model", "vign", "gender"])


def test_a_header_with_a_scale_is_called_an_answer(tmp_path: Path) -> None:
    rows = [(f"m{n % 2}", n // 4, "xy"[n // 2 % 2], n * n % 3 % 2, n * n % 7 + 1) for n in range(48)]
    (tmp_path / "codes.csv").write_text(table("model,case,group,Invited (1=yes; 0=no),Fit (1-7)", *rows))
    made = start([tmp_path / "codes.csv"], tmp_path, []).draft
    assert any(doubt.startswith("Fit (1-7) looks like an answer and is not read") for doubt in made.doubts)
    assert [*made.factors] == ["model", "group"]


def test_settings_in_an_object_are_no_answers(tmp_path: Path) -> None:
    rows = [
        {"model_name": "ab"[n % 2], "prompt_id": n // 2, "generated": ("Yes.", "No.")[n * n % 3 % 2]}
        | {"gen_kwargs": {"temperature": 0.7, "top_p": 1}}
        for n in range(24)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    made = start([tmp_path / "a.jsonl"], tmp_path, []).draft
    assert (made.columns["text"]["path"], made.source.get("unfold")) == ("generated", None)


def test_which_profile_is_chosen_is_the_answer(tmp_path: Path) -> None:
    rows = [(f"m{n % 2}", n // 8, n // 4 % 2, "xy"[n * n // 3 % 2], 30 + n * n % 3, int(n % 4 > 1)) for n in range(96)]
    (tmp_path / "long.csv").write_text(table("model,respondent,profile,sex,age,chosen", *rows))
    made = start([tmp_path / "long.csv"], tmp_path, []).draft
    assert [*made.outcomes] == ["chosen_outcome"]
    assert {*made.factors} == {"model", "profile", "sex", "age"}
