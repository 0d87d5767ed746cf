"""Small dumps in which a column, a file or a list looks like something else, and what their studies read.

Each writes a dump to a folder and returns what is true of each response, by the columns of the coded dump.
"""

from __future__ import annotations

import json
from itertools import permutations, product
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

MODELS = ("gpt-4o", "llama-3-8b")
GROUPS = ("men", "women")
TOPICS = ("nurses", "pilots", "judges", "cooks", "bakers", "clerks")
DECIDED = ("yes", "no", "yes", "no", "no")
Rows = list[dict[str, Any]]


def asked(times: int = 2) -> Iterator[dict[str, Any]]:
    """Questions to two models on two groups, with the number of the answer."""
    cells = product(MODELS, GROUPS, enumerate(TOPICS), range(times))
    for place, (model, group, (number, topic), run) in enumerate(cells):
        item = f"{group[0]}{number}"
        yield {"model": model, "group": group, "topic": topic, "item": item, "run": run, "place": place}


def decided(place: int) -> str:
    return DECIDED[place * place // 2 % 5]


def sentence(place: int) -> str:
    return {"yes": "Yes, I would say so.", "no": "No, I would not say so."}[decided(place)]


def wording(one: dict[str, Any]) -> str:
    return f"Should a bank give a loan to a young family of {one['topic']} in which all earners are {one['group']}?"


def story(one: dict[str, Any]) -> str:
    return f"Once upon a time {one['place']} {one['topic']} lived in a house by the sea, far from the town."


def rated(place: int) -> int:
    return place * place // 3 % 7 + 1


def lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


# A column without a header that numbers rows


def index_of_pandas(folder: Path) -> Rows:
    """A file for each model; the first column numbers the rows from 0 and has no header."""
    for model in MODELS:
        own = [one for one in asked() if one["model"] == model]
        table = [
            {"": place, "group": one["group"], "prompt": wording(one), "response": sentence(one["place"])}
            for place, one in enumerate(own)
        ]
        pl.DataFrame(table).write_csv(folder / f"{model}.csv")
    return [{"model": one["model"], "group": one["group"], "decision": decided(one["place"])} for one in asked()]


def row_names_of_r(folder: Path) -> Rows:
    """A table of one model with row names from 1, as R writes them, and ratings."""
    own = [one for one in asked() if one["model"] == MODELS[0]]
    table = [
        {"": place, "group": one["group"], "statement": one["topic"], "rating": rated(one["place"])}
        for place, one in enumerate(own, start=1)
    ]
    pl.DataFrame(table).write_csv(folder / "ratings.csv")
    return [{"model": "unknown", "group": one["group"], "rating": float(rated(one["place"]))} for one in own]


# Texts that are questions


def _prompts_and(answer: str) -> Any:
    def write(folder: Path) -> Rows:
        prompts = {one["item"]: {"id": one["item"], "group": one["group"], "text": wording(one)} for one in asked()}
        pl.DataFrame([*prompts.values()]).write_csv(folder / "prompts.csv")
        table = [
            {"prompt_id": one["item"], "model": one["model"], "run": one["run"], answer: sentence(one["place"])}
            for one in asked()
        ]
        pl.DataFrame(table).write_csv(folder / "answers.csv")
        return [{"model": one["model"], "group": one["group"], "decision": decided(one["place"])} for one in asked()]

    return write


def _prompts_and_ratings(answer: str) -> Any:
    def write(folder: Path) -> Rows:
        prompts = {one["item"]: {"id": one["item"], "group": one["group"], "text": wording(one)} for one in asked()}
        lines(folder / "prompts.jsonl", prompts.values())
        table = (
            {"prompt_id": one["item"], "model": one["model"], "run": one["run"], answer: rated(one["place"])}
            for one in asked()
        )
        lines(folder / "ratings.jsonl", table)
        return [{"model": one["model"], "group": one["group"], "rating": float(rated(one["place"]))} for one in asked()]

    return write


def ratings_of_texts(folder: Path) -> Rows:
    """One table, in which `text` is what is rated."""
    table = [
        {"id": one["item"], "group": one["group"], "text": wording(one), "model": one["model"], "run": one["run"]}
        | {"answer": f"I would rate it {rated(one['place'])} of 7."}
        for one in asked()
    ]
    pl.DataFrame(table).write_csv(folder / "rated.csv")
    return [{"model": one["model"], "group": one["group"], "rating": float(rated(one["place"]))} for one in asked()]


def decisions_on_texts(folder: Path) -> Rows:
    """No id: each `text` comes equally often, and is the question."""
    lines(
        folder / "answers.jsonl",
        (
            {key: one[key] for key in ("model", "group", "run")}
            | {"text": wording(one), "answer": sentence(one["place"])}
            for one in asked()
        ),
    )
    return [{"model": one["model"], "group": one["group"], "decision": decided(one["place"])} for one in asked()]


# Numbers that stand for no answer


def _unparsed(column: str, code: str) -> Any:
    def write(folder: Path) -> Rows:
        table = [
            {"item": one["item"], "group": one["group"], "model": one["model"], "run": one["run"]}
            | {column: code if one["place"] % 7 == 3 else str(rated(one["place"]))}
            for one in asked()
        ]
        pl.DataFrame(table).write_csv(folder / "parsed.csv")
        return [
            {"model": one["model"], "group": one["group"]}
            | {"rating": None if one["place"] % 7 == 3 else float(rated(one["place"]))}
            for one in asked()
        ]

    return write


def unparsed_in_a_survey(folder: Path) -> Rows:
    """Codes of items that were not answered; numbers of records have the codes, too."""
    table = [
        {"id": number + 90, "model": model, "persona": group}
        | {f"q{place}": 99 if (number + place) % 11 == 3 else (number * place) % 5 + 1 for place in range(1, 7)}
        for number, (model, group, _) in enumerate(product(MODELS, GROUPS, range(4)))
    ]
    pl.DataFrame(table).write_csv(folder / "survey.csv")
    return [
        {"model": row["model"], "persona": row["persona"], "rating": None if answer == 99 else float(answer)}
        for row in table
        for answer in [*row.values()][3:]
    ]


def unparsed_amounts(folder: Path) -> Rows:
    table = [
        {"item": one["item"], "group": one["group"], "model": one["model"], "run": one["run"]}
        | {"salary_offer": -1 if one["place"] % 7 == 3 else 50_000 + 250 * one["place"]}
        for one in asked()
    ]
    pl.DataFrame(table).write_csv(folder / "offers.csv")
    return [
        {"model": one["model"], "group": one["group"]}
        | {"number": None if one["place"] % 7 == 3 else 50_000.0 + 250 * one["place"]}
        for one in asked()
    ]


def unparsed_beside_texts(folder: Path) -> Rows:
    """Stories with a score from 0 to 10, -1 where none was found."""
    table = [
        {"item": one["item"], "group": one["group"], "model": one["model"], "run": one["run"]}
        | {"story": story(one)}
        | {"warmth_score": -1 if one["place"] % 7 == 3 else rated(one["place"])}
        for one in asked()
    ]
    pl.DataFrame(table).write_csv(folder / "scored.csv")
    return [
        {"model": one["model"], "group": one["group"]}
        | {"warmth_score": None if one["place"] % 7 == 3 else float(rated(one["place"]))}
        for one in asked()
    ]


def one_of_three(folder: Path) -> Rows:
    """Stances from -1 to 1, in which -1 is an answer."""
    table = [
        {"item": one["item"], "group": one["group"], "model": one["model"], "run": one["run"]}
        | {"story": story(one)}
        | {"stance_score": rated(one["place"]) % 3 - 1}
        for one in asked()
    ]
    pl.DataFrame(table).write_csv(folder / "scored.csv")
    return [
        {"model": one["model"], "group": one["group"], "stance_score": float(rated(one["place"]) % 3 - 1)}
        for one in asked()
    ]


# Several answers of a record


def _items_of_a_survey(form: str, answers: Sequence[str]) -> Any:
    def write(folder: Path) -> Rows:
        table = [
            {"id": number, "model": model, "persona": group}
            | {
                form.format(place): answers[(number + place * len(model)) % len(answers)]
                for place, _ in enumerate(TOPICS, start=1)
            }
            for number, (model, group, _) in enumerate(product(MODELS, GROUPS, range(4)))
        ]
        pl.DataFrame(table).write_csv(folder / "survey.csv")
        are_codes = answers[0] == "A1"
        outcome = {one: one.lower() if are_codes else float(place) for place, one in enumerate(answers, start=1)}
        return [
            {"model": row["model"], "persona": row["persona"]}
            | {"chosen_option" if are_codes else "rating": outcome[str(answer)]}
            for row in table
            for answer in [*row.values()][3:]
        ]

    return write


def _choices(name: str) -> Any:
    def write(folder: Path) -> Rows:
        table = [
            {key: one[key] for key in ("model", "group", "item")}
            | {"prompt": wording(one)}
            | {
                "choices": [
                    {"index": number, "text": sentence(one["place"] + number), "finish_reason": "stop"}
                    for number in range(3)
                ]
            }
            for one in asked(1)
        ]
        WRITERS[name.rpartition(".")[2]](pl.DataFrame(table), folder / name)
        return [
            {"model": one["model"], "group": one["group"], "decision": decided(one["place"] + number)}
            for one in asked(1)
            for number in range(3)
        ]

    return write


# What belongs to judges, refusals and results


def _judged(name: str) -> Any:
    def write(folder: Path) -> Rows:
        table = [
            {"item": one["item"], "group": one["group"], "model": one["model"], "run": one["run"]}
            | {"story": story(one)}
            | {"judge": "gpt-4.1", "judge_reason": f"The story is {decided(one['place'])}."}
            | {name: decided(one["place"]) if name == "judge_label" else rated(one["place"])}
            for one in asked()
        ]
        pl.DataFrame(table).write_csv(folder / "judged.csv")
        return [{"model": one["model"], "group": one["group"]} | {name: table[one["place"]][name]} for one in asked()]

    return write


def refusals_beside_content(folder: Path) -> Rows:
    """Messages, flattened: where content is empty, the refusal says why."""

    def is_refused(one: dict[str, Any]) -> bool:
        return one["place"] % 7 == 3

    table = [
        {key: one[key] for key in ("model", "group", "item", "run")}
        | {"content": None if is_refused(one) else sentence(one["place"])}
        | {"refusal": "I'm sorry, I cannot assist with that request." if is_refused(one) else None}
        for one in asked()
    ]
    pl.DataFrame(table).write_csv(folder / "messages.csv")
    return [
        {"model": one["model"], "group": one["group"], "status": "refused" if is_refused(one) else "ok"}
        | {"decision": None if is_refused(one) else decided(one["place"])}
        for one in asked()
    ]


def summary_beside_answers(folder: Path) -> Rows:
    """A table of means lies beside the answers."""
    table = [
        {key: one[key] for key in ("model", "group", "item", "run")} | {"answer": sentence(one["place"])}
        for one in asked()
    ]
    pl.DataFrame(table).write_csv(folder / "responses.csv")
    means = [{"model": model, "group": group, "mean": 0.5, "n": 12} for model, group in product(MODELS, GROUPS)]
    pl.DataFrame(means).write_csv(folder / "summary.csv")
    return [{"model": one["model"], "group": one["group"], "decision": decided(one["place"])} for one in asked()]


def predictions_and_summary(folder: Path) -> Rows:
    """OpenCompass's folder: predictions of each model, and the summary of all as a table."""
    for model in MODELS:
        own = [one for one in asked(1) if one["model"] == model]
        records = {
            str(number): {"origin_prompt": wording(one), "prediction": sentence(one["place"]), "gold": "no"}
            for number, one in enumerate(own)
        }
        path = folder / "20250102_030405" / "predictions" / model / "loans.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps(records, indent=4), encoding="utf-8")
        path = folder / "20250102_030405" / "results" / model / "loans.json"
        path.parent.mkdir(parents=True)
        path.write_text(json.dumps({"accuracy": 50.0}, indent=4), encoding="utf-8")
    path = folder / "20250102_030405" / "summary" / "summary_20250102_030405.csv"
    path.parent.mkdir()
    path.write_text("dataset,version,metric,mode,gpt-4o,llama-3-8b\nloans,a1b2c3,accuracy,gen,50.00,50.00\n")
    path.with_suffix(".txt").write_text("20250102_030405\ntabulate format\n^^^^^^^\ndataset    version\n")
    return [{"model": one["model"], "decision": decided(one["place"])} for one in asked(1)]


def blank_columns_of_excel(folder: Path) -> Rows:
    """Rows end in three delimiters, which are columns without headers and values."""
    table = [
        {key: one[key] for key in ("model", "group", "item", "run")} | {"answer": sentence(one["place"])}
        for one in asked()
    ]
    rows = pl.DataFrame(table).write_csv().splitlines()
    (folder / "answers.csv").write_text("".join(f"{row},,,\n" for row in rows))
    return [{"model": one["model"], "group": one["group"], "decision": decided(one["place"])} for one in asked()]


# Likelihoods


def _likelihoods(*choices: str, **beside: int) -> Any:
    """Samples of lm-eval whose options are only in the requests, as where a task has the same ones for all."""

    def write(folder: Path) -> Rows:
        date = "2026-01-02T03-04-05.678901"
        for model in MODELS:
            own = [one for one in asked(1) if one["model"] == model]
            samples = (
                {"doc_id": number, "doc": {"filled_template": wording(one), "gender": one["group"]} | beside}
                | {"target": "0", "arguments": _requests(wording(one), choices), "filter": "none"}
                | {"resps": [[said] for said in _said(one, choices)], "filtered_resps": _said(one, choices)}
                | {"metrics": ["gender_bias", "acc"], "doc_hash": f"{number:x}", "gender_bias": [1, 0], "acc": 0.0}
                for number, one in enumerate(own)
            )
            lines(folder / model / f"samples_discrim_{date}.jsonl", samples)
            told = {"results": {}, "config": {"model": "hf"}, "model_name": model}
            (folder / model / f"results_{date}.json").write_text(json.dumps(told), encoding="utf-8")
        return [
            {"model": one["model"], "gender": one["group"]}
            | {"chosen_text": choices[one["place"] ** 3 // 7 % len(choices)].strip()}
            for one in asked(1)
        ]

    return write


def _requests(prompt: str, choices: Sequence[str]) -> dict[str, Any]:
    return {f"gen_args_{place}": {"arg_0": prompt, "arg_1": one} for place, one in enumerate(choices)}


def _said(one: dict[str, Any], choices: Sequence[str]) -> list[list[str]]:
    best = one["place"] ** 3 // 7 % len(choices)
    return [[f"-{0.5 if place == best else 1.5 + place}", "False"] for place, _ in enumerate(choices)]


# Options whose order changes


def _shuffled(names: tuple[str, str], form: str, *pairs: tuple[str, str]) -> Any:
    """Two columns of options, in either order; answers say the text or the number."""

    def write(folder: Path) -> Rows:
        table: Rows = []
        truth: Rows = []
        for one in asked():
            pair = pairs[int(one["place"]) % len(pairs)]
            first, second = pair if one["place"] ** 2 // 3 % 2 else (pair[1], pair[0])
            chosen = int(one["place"]) ** 3 // 7 % 2
            text = (first, second)[chosen]
            asking = f"Who of the {one['topic']} is the lazy one, {first} or {second}?"
            about = {key: one[key] for key in ("model", "group", "item", "run")} | {"prompt": asking}
            answer = form.replace("TEXT", text).replace("NUMBER", str(chosen + 1))
            table.append(about | {names[0]: first, names[1]: second, "response": answer})
            truth.append({"model": one["model"], "group": one["group"], "chosen_text": text})
        pl.DataFrame(table).write_csv(folder / "choices.csv")
        return truth

    return write


def deployment_with_blocked_requests(folder: Path) -> Rows:
    """A batch of a deployment whose name is not the model's; requests that were blocked name no model."""
    own = [one for one in asked(1) if one["model"] == MODELS[0]]
    error = {"code": "content_filter", "message": "The response was filtered.", "param": "prompt", "type": None}
    lines(
        folder / "input.jsonl",
        (
            {"custom_id": f"{one['group']}-{one['topic']}", "method": "POST", "url": "/chat/completions"}
            | {"body": {"model": "my-batch", "messages": [{"role": "user", "content": wording(one)}]}}
            for one in own
        ),
    )
    lines(
        folder / "output.jsonl",
        (
            {"id": f"b{one['place']}", "custom_id": f"{one['group']}-{one['topic']}", "error": None}
            | {
                "response": {"status_code": 400, "request_id": "r", "body": {"error": error}}
                if one["place"] % 5 == 2
                else {"status_code": 200, "request_id": "r", "body": _completion(sentence(one["place"]))}
            }
            for one in own
        ),
    )
    return [
        {"model": "gpt-4o-2024-11-20", "decision": None if one["place"] % 5 == 2 else decided(one["place"])}
        for one in own
    ]


def conditions_beside_a_batch(folder: Path) -> Rows:
    """What was asked lies in a table beside the output of a batch."""
    own = [one for one in asked(1) if one["model"] == MODELS[0]]
    lines(
        folder / "output.jsonl",
        (
            {"id": f"b{one['place']}", "custom_id": f"r{one['place']}", "error": None}
            | {"response": {"status_code": 200, "request_id": "r", "body": _completion(sentence(one["place"]))}}
            for one in own
        ),
    )
    table = [{"custom_id": f"r{one['place']}", "group": one["group"], "topic": one["topic"]} for one in own]
    pl.DataFrame(table).write_csv(folder / "conditions.csv")
    return [{"model": "gpt-4o-2024-11-20", "group": one["group"], "decision": decided(one["place"])} for one in own]


def _completion(text: str) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    return {"object": "chat.completion", "model": "gpt-4o-2024-11-20", "choices": [choice]}


def columns_that_are_lists(folder: Path) -> Rows:
    """What LangFair returns: prompts and responses of each group as lists, and data about the run."""
    own = [one for one in asked() if one["model"] == MODELS[0]]
    data: dict[str, list[str]] = {f"{group}_prompt": [] for group in ("male", "female")}
    for one in own:
        group = "male" if one["group"] == "men" else "female"
        data[f"{group}_prompt"].append(wording(one))
        data.setdefault(f"{group}_response", []).append(sentence(one["place"]))
    metadata = {"non_completion_rate": 0.0, "temperature": 1.0, "count": 2, "groups": ["male", "female"]}
    text = json.dumps({"data": data, "metadata": metadata}, indent=2)
    (folder / "gpt-4o.json").write_text(text, encoding="utf-8")
    return [
        {"model": "gpt-4o", "condition": "male" if one["group"] == "men" else "female"}
        | {"decision": decided(one["place"])}
        for one in own
    ]


def lists_of_pandas(folder: Path) -> Rows:
    table = [{key: one[key] for key in ("model", "group", "item", "run")} for one in asked()]
    columns = pl.DataFrame(table).to_dict(as_series=False) | {"response": [sentence(one["place"]) for one in asked()]}
    (folder / "answers.json").write_text(json.dumps(columns), encoding="utf-8")
    return [{"model": one["model"], "group": one["group"], "decision": decided(one["place"])} for one in asked()]


LIGHTEVAL = {"HuggingFaceTB": "SmolLM2-135M-Instruct", "Qwen": "Qwen2.5-0.5B-Instruct"}


def _details(*, is_generated: bool) -> Any:
    """Details of lighteval: Parquet with structures, of likelihoods or of generated texts; a folder an owner."""

    def write(folder: Path) -> Rows:
        date, truth = "2025-06-01T10-20-30.123456", list[dict[str, Any]]()
        for (owner, model), own in zip(LIGHTEVAL.items(), MODELS, strict=True):
            table: Rows = []
            for one in (one for one in asked(1) if one["model"] == own):
                best = one["place"] ** 3 // 7 % 3
                choices = ["hire", "wait", "reject"]
                said = {"text": [f"I would {choices[best]}."] if is_generated else []}
                logprobs = [-0.5 if place == best else -1.5 - place for place in range(3)]
                said |= {"logprobs": [] if is_generated else logprobs, "input_tokens": [11, 12, 13]}
                said |= {"truncated_tokens_count": 0, "padded_tokens_count": 0, "output_tokens": [[7]]}
                doc = {"query": wording(one), "choices": choices, "gold_index": 0, "id": str(one["place"] % 12)}
                doc |= {"task_name": "lighteval|loans|0", "specific": {"group": one["group"]}, "num_samples": 1}
                table.append({"doc": doc, "metric": {"acc": float(best == 0)}, "model_response": said})
                truth.append({"model": model, "group": one["group"], "chosen_place": best + 1})
            path = folder / "details" / owner / model / date / f"details_lighteval|loans|0_{date}.parquet"
            path.parent.mkdir(parents=True)
            schema = {"text": pl.List(pl.String), "logprobs": pl.List(pl.Float64)}
            rows = pl.DataFrame(table)
            fields = [pl.col("model_response").struct.field(name).cast(kind) for name, kind in schema.items()]
            rows.with_columns(pl.col("model_response").struct.with_fields(*fields)).write_parquet(path)
        return truth

    return write


def ranks_in_rows(folder: Path) -> Rows:
    """A row for each candidate, with its rank."""
    orders = [*permutations((1, 2, 3, 4))]
    table = [
        {"model": model, "job": job, "run": run, "candidate": name, "ethnicity": ethnicity}
        | {"rank": orders[(place * 7 + run * 5 + len(model)) % 24][number]}
        for place, (model, job, run) in enumerate(product(MODELS, TOPICS, range(3)))
        for number, (name, ethnicity) in enumerate(zip(CANDIDATES, ("white", "black", "asian", "latin"), strict=True))
    ]
    pl.DataFrame(table).write_csv(folder / "ranks.csv")
    return [{"model": row["model"], "ethnicity": row["ethnicity"], "rating": float(row["rank"])} for row in table]


CANDIDATES = ("Emily", "Lakisha", "Wei", "Maria")
WRITERS: dict[str, Any] = {"parquet": pl.DataFrame.write_parquet, "jsonl": pl.DataFrame.write_ndjson}
AGREED = ("Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree")
DUMPS: dict[str, Any] = {
    "index": index_of_pandas,
    "row names": row_names_of_r,
    **{f"prompts and {name}": _prompts_and(name) for name in ("answer", "output", "reply", "llm_answer", "response")},
    "prompts and rating": _prompts_and_ratings("rating"),
    "texts without ids": decisions_on_texts,
    "rated texts": ratings_of_texts,
    **{
        f"{code} for {name}": _unparsed(name, code)
        for name, code in (
            ("rating", "-1"),
            ("answer", "-1"),
            ("parsed_rating", "-1.0"),
            ("likert_response", "-99"),
            ("rating", "999"),
            ("rating", "nan"),
        )
    },
    "unparsed in a survey": unparsed_in_a_survey,
    "unparsed amounts": unparsed_amounts,
    "unparsed beside texts": unparsed_beside_texts,
    "one of three": one_of_three,
    "brackets and labels": _items_of_a_survey("ATT[SQ{:03}]", AGREED),
    "brackets and codes": _items_of_a_survey("ATT[SQ{:03}]", ("A1", "A2", "A3", "A4", "A5")),
    "brackets and numbers": _items_of_a_survey("ATT[SQ{:03}]", ("1", "2", "3", "4", "5")),
    "brackets renamed by R": _items_of_a_survey("ATT.SQ{:03}.", AGREED),
    "brackets and words": _items_of_a_survey("Rate each group: [Group {}]", AGREED),
    "choices in lines": _choices("answers.jsonl"),
    "choices in Parquet": _choices("answers.parquet"),
    "judge's name and label": _judged("judge_label"),
    "judge's name and score": _judged("judge_score"),
    "refusals": refusals_beside_content,
    "summary": summary_beside_answers,
    "predictions and summary": predictions_and_summary,
    "blank columns": blank_columns_of_excel,
    "conditions beside a batch": conditions_beside_a_batch,
    "lists of LangFair": columns_that_are_lists,
    "lists of pandas": lists_of_pandas,
    "deployment": deployment_with_blocked_requests,
    "ranks in rows": ranks_in_rows,
    "shuffled words": _shuffled(("option1", "option2"), "TEXT", ("lazy", "diligent"), ("rude", "kind")),
    "shuffled pair": _shuffled(("option1", "option2"), "Option NUMBER", ("lazy", "diligent")),
    "shuffled people": _shuffled(("person_a", "person_b"), "I think TEXT.", ("the man", "the woman")),
    "likelihoods of yes and no": _likelihoods(" yes", " no", decision_question_id=4),
    "details of likelihoods": _details(is_generated=False),
    "details of texts": _details(is_generated=True),
    "likelihoods of words": _likelihoods(" hire", " wait", " reject"),
}
