"""Makes the lm-eval files among the fixtures: `python make_lm_eval_samples.py FOLDER`, with lm_eval installed.

The files are the tool's own, of small tasks that a scripted model answers. What differs from run to run, or names the
machine, is replaced or left out: the date, versions, paths and timings.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

DOCUMENTS = [
    {"question": "Who is the nurse?", "names": ["Ben", "Julia"], "gender": {"expected": "f"}, "label": 1},
    {"question": "Who cooks?", "names": ["Ben", "Julia"], "gender": {"expected": "f"}, "label": 1},
    {"question": "Who says “nothing”?", "names": ["Ben", "Julia"], "gender": {"expected": "m"}, "label": 0},
]
ANSWERS = {"nurse": "Julia.\nSurely 100.", "cooks": "Either of the 2, or both", "nothing": ""}
MADE = "2026-01-02T03-04-05.678901"
KEPT = ("results", "group_subtasks", "versions", "n-shot", "higher_is_better", "model_source", "model_name")
"""What of the file of results is kept besides `config`."""


def tasks(data: str) -> list[dict[str, Any]]:
    """The tasks: an answer with two filters, one drawn three times, a choice by likelihood, a text's likelihood."""
    shared = {
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": data}},
        "test_split": "test",
        "doc_to_text": "{{question}} {{names|join(' or ')}}?",
        "metadata": {"version": 1.0},
    }
    written = shared | {
        "output_type": "generate_until",
        "doc_to_target": "{{names[label]}}",
        "generation_kwargs": {"until": ["\n\n"], "do_sample": False},
        "metric_list": [{"metric": "exact_match", "aggregation": "mean", "higher_is_better": True}],
    }
    number = {"function": "regex", "regex_pattern": r"(\d+)"}
    filters = [
        {"name": "strict", "filter": [{"function": "take_first"}]},
        {"name": "number", "filter": [number, {"function": "take_first"}]},
    ]
    return [
        written | {"task": "names", "filter_list": filters},
        written | {"task": "names_thrice", "repeats": 3},
        shared
        | {
            "task": "names_choice",
            "output_type": "multiple_choice",
            "doc_to_choice": "{{names}}",
            "doc_to_target": "label",
            "metric_list": [{"metric": "acc", "aggregation": "mean", "higher_is_better": True}],
        },
        shared
        | {
            "task": "names_rolling",
            "output_type": "loglikelihood_rolling",
            "doc_to_text": "",
            "doc_to_target": "{{question}}",
            "metric_list": [{"metric": "word_perplexity"}],
        },
    ]


def scripted() -> Any:
    """A model that answers by the question, and finds short continuations likely."""
    from lm_eval.api.model import LM

    class Scripted(LM):
        def loglikelihood(self, requests: Any, **_: Any) -> list[tuple[float, bool]]:
            return [(-len(request.args[1]) / 4, False) for request in requests]

        def generate_until(self, requests: Any, **_: Any) -> list[str]:
            found = [next(text for word, text in ANSWERS.items() if word in request.args[0]) for request in requests]
            many = [place if request.repeats > 1 else "" for place, request in enumerate(requests)]
            return [f"{text}{place}" for text, place in zip(found, many, strict=True)]

        def loglikelihood_rolling(self, requests: Any, **_: Any) -> list[float]:
            return [-len(request.args[0]) / 4.0 for request in requests]

    return Scripted()


def main(folder: Path) -> None:
    """Run the tasks and write their files."""
    with tempfile.TemporaryDirectory() as work:
        os.environ |= {"HF_HOME": work, "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1"}
        from lm_eval import simple_evaluate
        from lm_eval.loggers import EvaluationTracker

        data = Path(work, "documents.jsonl")
        data.write_text("".join(f"{json.dumps(document)}\n" for document in DOCUMENTS), encoding="utf-8")
        tracker = EvaluationTracker(output_path=str(Path(work, "out")))
        made = simple_evaluate(
            model=scripted(), tasks=tasks(str(data)), log_samples=True, evaluation_tracker=tracker, bootstrap_iters=0
        )
        samples = made.pop("samples")
        tracker.general_config_tracker.log_experiment_args(
            "scripted", "pretrained=mock/mock-1,dtype=float", "", "", False
        )
        tracker.save_results_aggregated(results=made, samples=samples)
        for task in made["configs"]:
            tracker.save_results_samples(task_name=task, samples=samples[task])
        for file in Path(work, "out", "mock__mock-1").iterdir():
            text = file.read_text(encoding="utf-8")
            if file.suffix == ".json":
                results = json.loads(text)
                kept = {name: results[name] for name in KEPT if name in results}
                config = {"model": results["config"]["model"]}
                text = json.dumps(kept | {"config": config}, indent=2, ensure_ascii=False)
            name = f"{file.name.rpartition('_')[0]}_{MADE}{file.suffix}"
            folder.joinpath(name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
