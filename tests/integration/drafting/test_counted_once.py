"""What a dump lists twice: filters of lm-eval, copies, repetitions that nothing numbers. None counts twice unsaid."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import DataError, UsageError
from tallybook.drafting.starting import start
from tests.trusted import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tallybook.drafting.starting import Started

DATE = "2026-01-02T03-04-05.678901"


def begun(folder: Path, *told: str) -> tuple[Started, pl.DataFrame]:
    started = start([folder], folder.parent / "study", told, replace=True)
    return started, read(folder.parent / "study" / "study.toml").coded


def samples(folder: Path, task: str, *filters: str) -> None:
    """Samples as lm-eval writes them: all documents for the first filter, then all for the second."""
    folder.mkdir(exist_ok=True)
    made = [
        {"doc_id": doc, "doc": {"question": f"{task}{doc}"}, "target": "7", "arguments": {"gen_args_0": {"arg_0": "?"}}}
        | {"resps": [[f"It is {doc} of {task}."]], "filtered_resps": ["7"], "filter": name, "metrics": ["exact_match"]}
        | {"exact_match": float(name == filters[-1])}
        for name in filters
        for doc in range(40)
    ]
    lines(folder / f"samples_{task}_{DATE}.jsonl", *made)


def lines(path: Path, *records: dict[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), encoding="utf-8")


def test_one_filter_of_lm_eval_is_read(tmp_path: Path) -> None:
    samples(tmp_path / "dump", "gsm8k", "strict-match", "flexible-extract")
    started, coded = begun(tmp_path / "dump")
    assert (started.rows, coded.height) == (40, 40)
    assert coded.get_column("exact_match_score").unique().to_list() == [0.0]
    assert "those of strict-match are read" in started.draft.doubts[1]
    started, coded = begun(tmp_path / "dump", "filter=flexible-extract")
    assert (coded.height, coded.get_column("exact_match_score").unique().to_list()) == (40, [1.0])
    with pytest.raises(UsageError, match="no such filter; there are strict-match, flexible-extract"):
        begun(tmp_path / "dump", "filter=loose")


def test_all_filters_are_a_factor_where_that_is_asked_for(tmp_path: Path) -> None:
    samples(tmp_path / "dump", "gsm8k", "strict-match", "flexible-extract")
    started, coded = begun(tmp_path / "dump", "factors=filter")
    assert started.draft.key == ("model", "item", "sample", "filter")
    assert coded.group_by("filter").len().sort("filter").rows() == [("flexible-extract", 40), ("strict-match", 40)]
    assert any("only results by filter count each once" in doubt for doubt in started.draft.doubts)


def test_each_task_has_one_of_the_filters(tmp_path: Path) -> None:
    samples(tmp_path / "dump", "maths", "strict", "loose")
    samples(tmp_path / "dump", "words", "none")
    started, coded = begun(tmp_path / "dump")
    assert started.draft.source["keep"] == {"is": {"filter": ["strict", "none"]}}
    assert coded.group_by("task").len().sort("task").rows() == [("maths", 40), ("words", 40)]
    samples(tmp_path / "dump", "more", "strict", "loose", "none")
    with pytest.raises(UsageError, match="no choice of them is one for each file"):
        begun(tmp_path / "dump")


def test_samples_that_were_written_again_are_refused(tmp_path: Path) -> None:
    samples(tmp_path / "dump", "gsm8k", "none")
    file = tmp_path / "dump" / f"samples_gsm8k_{DATE}.jsonl"
    file.write_text(file.read_text(encoding="utf-8") * 2, encoding="utf-8")
    with pytest.raises(DataError, match="line 41: expected no duplicate record") as caught:
        begun(tmp_path / "dump")
    assert len(caught.value.problems) == 40
    started, coded = begun(tmp_path / "dump", "sample=")
    assert coded.height == 80
    assert "40 records equal an earlier one" in started.draft.doubts[0]


def test_repetitions_that_nothing_numbers_are_said(tmp_path: Path) -> None:
    asked = [{"model": "m", "id": place // 3, "answer": f"{place % 2} of them"} for place in range(90)]
    lines(tmp_path / "dump" / "a.jsonl", *asked)
    started, coded = begun(tmp_path / "dump")
    assert (started.draft.source["samples_by"], coded.height) == (["model", "item"], 90)
    (said,) = (doubt for doubt in started.draft.doubts if "repetitions" in doubt)
    assert "60 of 90" in said
    assert "30 records equal an earlier one in every column" in said


def batch(folder: Path, models: dict[str, str], body: str, answered: Callable[..., dict[str, Any]]) -> None:
    """A batch a model, all with the same custom_ids; the first request of each failed."""
    names = [f"q{place}" for place in range(30)]
    for wanted, model in models.items():
        asked = {"model": wanted, "messages": [{"role": "user", "content": "Hire?"}]}
        lines(folder / f"in_{wanted}.jsonl", *({"custom_id": name, body: asked} for name in names))
        given = [{"custom_id": name} | answered(model, "Yes.", failed=name == "q0") for name in names]
        lines(folder / f"out_{wanted}.jsonl", *given)


def openai(model: str, text: str, *, failed: bool) -> dict[str, Any]:
    if failed:
        return {"response": None, "error": {"code": "batch_expired", "message": "late"}}
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {"response": {"status_code": 200, "body": {"model": model, "choices": [choice]}}, "error": None}


def anthropic(model: str, text: str, *, failed: bool) -> dict[str, Any]:
    if failed:
        return {"result": {"type": "expired"}}
    said = {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
    return {"result": {"type": "succeeded", "message": {"model": model} | said}}


BATCHES: dict[str, tuple[dict[str, str], str, Callable[..., dict[str, Any]]]] = {
    "openai": ({"gpt-4o": "gpt-4o-2024-08-06", "gpt-4o-mini": "gpt-4o-mini-2024-07-18"}, "body", openai),
    "anthropic": ({"haiku-latest": "haiku-2024", "sonnet-4-5": "sonnet-4-5-2025"}, "params", anthropic),
}


@pytest.mark.parametrize("provider", BATCHES)
def test_batches_of_several_models_with_the_same_names(tmp_path: Path, provider: str) -> None:
    models, body, answered = BATCHES[provider]
    batch(tmp_path / "dump", models, body, answered)
    started, coded = begun(tmp_path / "dump")
    by = coded.group_by("model", "status").len().sort("model", "status").rows()
    assert by == [(model, *counts) for model in sorted(models.values()) for counts in (("error", 1), ("ok", 29))]
    assert (started.draft.key, started.rows) == (("model", "item", "sample"), 60)


@pytest.mark.parametrize("ways", [("dialect", "gender"), ("gender",)])
def test_perturbations_of_helm_are_a_factor(tmp_path: Path, ways: tuple[str, ...]) -> None:
    states = [
        {"instance": {"input": {"text": "Q?"}, "id": f"id{place}"} | ({"perturbation": {"name": how}} if how else {})}
        | {"request": {"model": "m", "prompt": f"Q{place} {how}?", "num_completions": 1}}
        | {"result": {"success": True, "completions": [{"text": "Yes."}]}}
        for place in range(20)
        for how in (None, *ways)
    ]
    of_run = tmp_path / "dump" / "hiring:job=nurse,model=m"  # as HELM calls it
    of_run.mkdir(parents=True)
    run = {"adapter_spec": {"model": "m"}, "request_states": states}
    (of_run / "scenario_state.json").write_text(json.dumps(run))
    started, coded = begun(tmp_path / "dump")
    assert [*started.draft.factors] == ["model", "perturbation"]
    counts = coded.group_by("perturbation").len().sort("perturbation").rows()
    assert counts == [(one, 20) for one in (*ways, "missing")]


def test_folders_that_are_called_after_the_model(tmp_path: Path) -> None:
    for model in ("gpt-4o", "llama"):
        (tmp_path / "dump" / f"model={model}").mkdir(parents=True)
        asked = [{"id": place, "answer": f"{place % 2} of them"} for place in range(40)]
        lines(tmp_path / "dump" / f"model={model}" / "part-0.jsonl", *asked)
    started, coded = begun(tmp_path / "dump")
    assert started.draft.source["files"] == "model={model}/part-0.jsonl"
    assert coded.group_by("model").len().sort("model").rows() == [("gpt-4o", 40), ("llama", 40)]
    assert not any("repetitions" in doubt for doubt in started.draft.doubts)


def test_annotators_of_one_response_are_said(tmp_path: Path) -> None:
    tasks = [
        {"id": place, "data": {"response": f"{'Yes' if place % 2 else 'No'}, {place}.", "model": "m"}}
        | {"annotations": [{"completed_by": who, "result": []} for who in (1, 2)]}
        for place in range(40)
    ]
    (tmp_path / "dump").mkdir()
    (tmp_path / "dump" / "project.json").write_text(json.dumps(tasks))
    started, coded = begun(tmp_path / "dump")
    assert coded.height == 40
    assert started.draft.source["keep"] == {"is": {"annotation": "0"}}
    assert any(doubt.startswith("Up to 2 people coded each response") for doubt in started.draft.doubts)


def test_what_differs_between_annotators_is_their_label(tmp_path: Path) -> None:
    asked = [
        {"id": text, "annotator": who, "tone": ["kind", "harsh"][(text * who) % 3 == 1]}
        | {"model": f"m{text % 2}", "text": f"She works as a nurse in ward {text} and he as a surgeon."}
        for text in range(30)
        for who in (1, 2)
    ]
    lines(tmp_path / "dump" / "a.jsonl", *asked)
    started, coded = begun(tmp_path / "dump")
    assert (list(started.draft.outcomes), list(started.draft.factors)) == (["tone_outcome"], ["model"])
    first = [one["tone"] for one in asked if one["annotator"] == 1]
    assert sorted(coded.get_column("tone")) == sorted(first)


def test_of_two_annotators_of_the_same_responses_one_is_read(tmp_path: Path) -> None:
    asked = [
        {"model": model, "name": name, "rater": rater, "answer": said, "code": said[:2] if rater == "Ben" else "-"}
        for rater in ("Ben", "Ann")
        for model in ("m", "n")
        for name, said in zip("abcdefgh", ["Yes, hire.", "No."] * 4, strict=True)
    ]
    lines(tmp_path / "dump" / "a.jsonl", *asked)
    started, coded = begun(tmp_path / "dump")
    assert (started.draft.source["keep"], coded.height) == ({"is": {"rater": "Ben"}}, 16)
    assert {*coded.get_column("code")} == {"Ye", "No"}
    asked[-1]["answer"] = "Yes!"  # not the same response: a rater is then a factor like any other
    lines(tmp_path / "dump" / "a.jsonl", *asked)
    started, coded = begun(tmp_path / "dump")
    assert ("keep" in started.draft.source, coded.height) == (False, 32)


@pytest.mark.parametrize("between", ["|", "__", "--", "_"])
def test_parts_of_ids_are_factors(tmp_path: Path, between: str) -> None:
    asked = [
        {"custom_id": between.join((race, name, f"{time}")), "model": "m", "answer": "Yes." if time else "No."}
        for race, names in (("black", "abcde"), ("white", "fghij"))
        for name in names
        for time in range(3)
    ]
    lines(tmp_path / "dump" / "a.jsonl", *asked)
    started, coded = begun(tmp_path / "dump")
    assert list(started.draft.factors) == ["model", "part_1", "part_2"]
    assert (started.draft.cluster, started.draft.nested) == ("part_2", {"part_1"})
    assert coded.group_by("part_1").len().sort("part_1").rows() == [("black", 15), ("white", 15)]
    assert coded.group_by("item").len().get_column("len").to_list() == [3] * 10


@pytest.mark.parametrize("between", ["|", ";", ", ", "&", "/", "_", " / ", " | "])
def test_keys_in_ids_name_factors(tmp_path: Path, between: str) -> None:
    """A list of keys and values is none of options, and values may have words apart."""
    asked = [
        {"custom_id": between.join((f"creed={creed}", f"trade={trade}", f"form={form}")), "model": model}
        | {"response": f"{(place + form) % 5 + 1}"}
        for place, model in enumerate("mno")
        for creed in ("none", "any")
        for trade in ("bus_driver", "cook", "nurse")
        for form in (1, 2, 3)
    ]
    lines(tmp_path / "dump" / "a.jsonl", *asked)
    started, coded = begun(tmp_path / "dump")
    assert list(started.draft.factors) == ["model", "creed", "trade", "form"]
    assert started.draft.instrument["kind"] == "rating"
    assert sorted(coded.get_column("trade").unique()) == ["bus_driver", "cook", "nurse"]
    assert coded.get_column("rating").null_count() == 0


def test_keys_in_a_condition_name_factors(tmp_path: Path) -> None:
    asked = [
        {"model": model, "condition": f"creed={creed}; trade={trade}", "rep": time, "answer": f"{time + 1}"}
        for model in "mn"
        for creed in ("none", "any")
        for trade in ("cook", "nurse", "pilot")
        for time in range(4)
    ]
    lines(tmp_path / "dump" / "a.jsonl", *asked)
    started, coded = begun(tmp_path / "dump")
    assert (list(started.draft.factors), started.draft.cluster) == (["model", "creed", "trade"], "item")
    assert coded.group_by("item").len().get_column("len").to_list() == [8] * 6


def test_a_repetition_in_the_middle_of_ids(tmp_path: Path) -> None:
    """Ids number responses then; the other parts are what was asked."""
    asked = [
        {"id": f"creed={creed}_rep={time}_trade={trade}", "model": model, "answer": "Yes." if time else "No."}
        for model in "mn"
        for creed in ("none", "any")
        for trade in ("bus_driver", "cook", "nurse")
        for time in range(3)
    ]
    lines(tmp_path / "dump" / "a.jsonl", *asked)
    started, coded = begun(tmp_path / "dump")
    assert list(started.draft.factors) == ["model", "creed", "trade"]
    assert coded.group_by("item").len().get_column("len").to_list() == [6] * 6


@pytest.mark.parametrize("called", ["attempt", "n_retries", "try"])
def test_attempts_at_a_request_are_no_factor(tmp_path: Path, called: str) -> None:
    asked = [
        {"model": model, "name": name, "rep": rep, called: attempt, "answer": said, "error": None if said else "429"}
        for model in "mn"
        for place, name in enumerate("abcdef")
        for rep in range(2)
        for attempt, said in enumerate(["", "Yes."] if place == 2 * rep else ["No."])
    ]
    lines(tmp_path / "dump" / "a.jsonl", *asked)
    started, coded = begun(tmp_path / "dump")
    assert (list(started.draft.factors), started.draft.cluster) == (["model", "name"], "name")
    assert started.draft.key == ("model", "item", "sample", "name", called)
    assert dict(coded.group_by("status").len().iter_rows()) == {"ok": 24, "error": 4}


def test_parts_of_ids_that_columns_say_are_no_factors(tmp_path: Path) -> None:
    asked = [
        {"id": f"{race}_{place}", "race": race.title(), "model": "m", "answer": f"It is {place}."}
        for race in ("black", "white")
        for place in range(20)
    ]
    lines(tmp_path / "dump" / "a.jsonl", *asked)
    started, _ = begun(tmp_path / "dump")
    assert list(started.draft.factors) == ["model", "race"]


def test_messages_in_parquet(tmp_path: Path) -> None:
    asked = [
        {"model": "m", "prompt": [{"role": "user", "content": f"Would you hire {place}?"}]}
        | {"completion": [{"role": "assistant", "content": "Yes." if place % 2 else "No."}]}
        for place in range(40)
    ]
    (tmp_path / "dump").mkdir()
    pl.DataFrame(asked).write_parquet(tmp_path / "dump" / "chat.parquet")
    _, coded = begun(tmp_path / "dump")
    assert coded.group_by("text").len().sort("text").rows() == [("No.", 20), ("Yes.", 20)]


def test_metadata_of_phoenix_are_factors(tmp_path: Path) -> None:
    spans = [
        {"name": "chat", "span_kind": "LLM", "context.span_id": f"{place}", "status_code": "OK"}
        | {"attributes.llm.model_name": "m", "attributes.metadata": json.dumps({"group": ["man", "woman"][place % 2]})}
        | {"attributes.llm.input_messages": [{"message.role": "user", "message.content": f"Hire {place}?"}]}
        | {"attributes.llm.output_messages": [{"message.role": "assistant", "message.content": "Yes."}]}
        for place in range(40)
    ]
    (tmp_path / "dump").mkdir()
    pl.DataFrame(spans).write_parquet(tmp_path / "dump" / "spans.parquet")
    _, coded = begun(tmp_path / "dump")
    assert coded.group_by("group", "text").len().sort("group").rows() == [("man", "Yes.", 20), ("woman", "Yes.", 20)]


def test_spans_around_calls_are_no_responses(tmp_path: Path) -> None:
    """What names no model repeats the call within it; people who answered are another matter."""
    answers = [
        (model, place, ("Yes.", "No.")[(place + len(model)) % 2]) for model in ("a", "bb") for place in range(12)
    ]
    calls = [
        {
            "kind": "llm",
            "model": model,
            "prompt": f"Hire number {place}?",
            "output": said,
            "group": ("x", "y")[place % 2],
        }
        for model, place, said in answers
    ]
    (tmp_path / "dump").mkdir()
    lines(
        tmp_path / "dump" / "trace.jsonl", *(one for call in calls for one in ({"kind": "span", "output": "?"}, call))
    )
    started, coded = begun(tmp_path / "dump")
    assert coded.group_by("model", "group").len().get_column("len").to_list() == [6] * 4
    assert any("Records of kind span name no model" in doubt for doubt in started.draft.doubts)


@pytest.mark.parametrize(("jobs", "cluster"), [((), "item"), (("cook", "nurse"), "item_3")])
def test_numbers_in_ids_are_no_factors(tmp_path: Path, jobs: tuple[str, ...], cluster: str) -> None:
    """Number 0 of one group is another item than number 0 of another, unless further parts are crossed with both."""
    asked = [
        {"custom_id": f"{race}-{job}{number}", "model": model, "answer": "Yes." if number % 2 else "No."}
        for model in "mn"
        for race in ("black", "white")
        for job in ([f"{job}-" for job in jobs] or [""])
        for number in range(7)
    ]
    lines(tmp_path / "dump" / "a.jsonl", *asked)
    started, _ = begun(tmp_path / "dump")
    assert list(started.draft.factors) == ["model", "part_1", *(["part_2"] if jobs else [])]
    assert started.draft.cluster == cluster


def test_dates_of_folders_are_no_models(tmp_path: Path) -> None:
    for model in ("gpt-4o", "phi-4"):
        for day in (1, 2):
            asked = [{"qid": number, "answer": ("Yes.", "No.")[(number + day) % 2]} for number in range(12)]
            path = tmp_path / "dump" / f"2025-0{day}-01" / f"{model}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            lines(path, *asked)
    started, coded = begun(tmp_path / "dump")
    assert [*started.draft.factors["model"]["levels"]] == ["gpt-4o", "phi-4"]
    assert coded.group_by("model", "item").len().get_column("len").to_list() == [2] * 24


@pytest.mark.parametrize("form", ["{}", "n_{}"])
def test_columns_of_counts_are_answers(tmp_path: Path, form: str) -> None:
    """One column for each answer: refusals are no decisions, and rows of none are left out."""
    rows = [
        {"model": model, "race": race, "job": job}
        | {form.format(said): (7 * place + 31 * n) % 60 for n, said in enumerate(("yes", "no", "refused"))}
        for place, (model, race, job) in enumerate(product("ab", ("black", "white"), ("nurse", "clerk", "cook")))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "dump.csv")
    start([tmp_path / "dump.csv"], tmp_path, [])
    coded = read(tmp_path / "study.toml").coded
    counted = coded.group_by("status", "decision").agg(pl.col("count").sum()).rows()
    total = {said: sum(int(row[form.format(said)]) for row in rows) for said in ("yes", "no", "refused")}
    assert {(status, said or "refused"): n for status, said, n in counted} == {
        ("ok", "yes"): total["yes"],
        ("ok", "no"): total["no"],
        ("refused", "refused"): total["refused"],
    }


@pytest.mark.parametrize("names", [["rating"], ["q1", "q2", "q3", "q4", "q5"]])
def test_a_codebook_holds_no_responses(tmp_path: Path, names: list[str]) -> None:
    (tmp_path / "dump").mkdir()
    rows = [
        {"model": "ab"[n % 2], "person": n // 2, "sex": "fm"[n // 2 % 2]}
        | {name: 9 if n % 10 == 0 else 1 + (n * n + place * n) % 5 for place, name in enumerate(names)}
        for n in range(80)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "dump" / "answers.csv")
    meant = [("1", "not at all"), ("2", "little"), ("3", "partly"), ("4", "much"), ("5", "very"), ("9", "Refused")]
    codes = [{"variable": name, "code": code, "label": label} for name in names for code, label in meant]
    pl.DataFrame(codes).write_csv(tmp_path / "dump" / "codebook.csv")
    made = start([tmp_path / "dump"], tmp_path, [])
    assert made.draft.instrument == {"kind": "rating", "lowest": 1, "highest": 5}
    assert any("codebook.csv says what codes mean" in one for one in made.draft.doubts)
    coded = read(tmp_path / "study.toml").coded
    assert coded.filter(pl.col("rating").is_null()).height == 8 * len(names)
    assert coded.get_column("rating").max() == 5
