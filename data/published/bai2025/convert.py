"""Bring the transcribed tables, figures and outputs of Bai et al. (2024, 2025) into one list of printed numbers.

The transcription has one file a table or kind of result (`v1_table1_bbq.csv`, `notebook_ttests.csv` ...). The list
names every number as `tables.csv` of a run does: table, row, column, statistic. The README says what the names mean.

A second folder adds t tests, shares and rejections of the other models and stereotypes.

    python data/published/bai2025/convert.py FOLDER_OF_THE_TRANSCRIPTION [FOLDER_OF_THE_OTHERS]
"""

from __future__ import annotations

import csv
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

MODELS = {
    "GPT-4": "gpt-4",
    "GPT-3.5": "gpt-3.5-turbo",
    "GPT-3.5-Turbo": "gpt-3.5-turbo",
    "Alpaca-7b": "alpaca-7b",
    "Alpaca-7B": "alpaca-7b",
    "Alpaca7B": "alpaca-7b",
    "LLaMA2Chat-7B": "llama2-7b",
    "LLaMA2Chat-13B": "llama2-13b",
    "LLaMA2Chat-70B": "llama2-70b",
}
STEREOTYPES = {"Arab/Muslim": "arab", "English Learner": "english", "Mental Illness": "mentalill"}
TASKS = {"iat": "word-association", "profile": "profile", "decision": "decision"}
MEASURES = {"implicit": "word-association", "decision": "decision"}
INTERVAL = {"mean": "mean", "ci_lo": "ci_low", "ci_hi": "ci_high"}
SUMMARY = {
    "n_obs": "n",
    "df_resid": "df_residual",
    "df_model": "df_model",
    "aic": "aic",
    "bic": "bic",
    "pseudo_r2": "pseudo_r2",
    "log_likelihood": "log_likelihood",
    "ll_null": "ll_null",
    "llr_p": "llr_p",
}
TERMS = {
    "Intercept": "intercept",
    "intercept": "intercept",
    "LLM IAT Bias": "word-association",
    "iat_bias": "word-association",
    "Embedding Bias": "embedding",
    "embedding_z": "embedding",
}
COEFFICIENT = {
    "coef": ("coef", "coef"),
    "std_err": ("std_err", "std_err"),
    "z": ("z", "z"),
    "p": ("p", "p"),
    "ci_lo": ("interval", "ci_low"),
    "ci_hi": ("interval", "ci_high"),
}
FITS = {"stored iat_bias": "notebook-logit-score", "embedding z": "notebook-logit-embedding"}
PREDICTORS = {
    "v1-7": "published",
    "v1-8": "embedding",
    "notebook-logit-score": "stored",
    "notebook-logit-embedding": "embedding",
}
SCORES = {"decision": "decided", "word-association": "stored", "embedding": "embedding"}
LEVELS = {"prompt": "v1-figure-5", "category": "v1-figure-6"}
SCALARS = {
    'BBQ: share choosing "not enough info"': ("bbq", "not-enough-info", "mean"),
    "word association, overall one-sample t (df 33599)": ("overall", "word-association", "t"),
    "decision, overall one-sample t (df 26528)": ("overall", "decision", "t"),
    "decision rejection rate": ("rejection", "decision", "share"),
    "word association rejection rate": ("rejection", "word-association", "share"),
    "logit: decision on word association, b": ("logit", "word-association", "coef"),
    "logit: decision on word association, CI low": ("logit", "word-association", "ci_low"),
    "logit: decision on word association, CI high": ("logit", "word-association", "ci_high"),
    'exp(b), called "chance" in the text': ("logit", "word-association", "odds_ratio"),
    "r word association and embedding, prompt level": ("prompt-level", "word-association/embedding", "r"),
    "r word association and embedding, category level": ("category-level", "word-association/embedding", "r"),
    "absolute M, default group to negative": ("default_negative", "all", "mean"),
    "absolute M, default group to positive": ("default_positive", "all", "mean"),
    "absolute M, stigmatised group to negative": ("stigma_negative", "all", "mean"),
    "absolute M, stigmatised group to positive": ("stigma_positive", "all", "mean"),
    "absolute default_negative": ("default_negative", "all", "mean"),
    "absolute default_positive": ("default_positive", "all", "mean"),
    "absolute stigma_negative": ("stigma_negative", "all", "mean"),
    "absolute stigma_positive": ("stigma_positive", "all", "mean"),
    "absolute: women to science": ("science", "stigma_positive", "share"),
    "absolute: women to humanities": ("science", "stigma_negative", "share"),
    "embedding statistic, row 0": ("row-0", "embedding", "statistic"),
    "embedding z, row 0": ("row-0", "embedding", "z"),
    "embedding z, row 1": ("row-1", "embedding", "z"),
    "embedding z, row 2": ("row-2", "embedding", "z"),
}
DEGREES_OF_FREEDOM = re.compile(r"\(df (\d+)\)")
Printed = tuple[str, str, str, str, str]


def rows(path: Path) -> list[dict[str, str]]:
    """The rows of one transcribed file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def key(name: str) -> str:
    """What a row or column is called: a model, a stereotype, or its own name in lower case with hyphens."""
    return MODELS.get(name) or STEREOTYPES.get(name) or name.lower().replace(" ", "-")


def tests_and_questions(folder: Path) -> Iterator[Printed]:
    """Tables 1 to 4 of version 1: what the usual tests of bias find."""
    for row in rows(folder / "v1_table1_bbq.csv"):
        yield "v1-1", "gpt-4", key(row["dimension"]), "share", row["prop_cant_answer"]
    for row in rows(folder / "v1_table2_70decisions.csv"):
        for wording in ("explicit", "implicit"):
            yield "v1-2", f"{key(row['domain'])}/{key(row['attribute'])}", wording, "share", row[f"yes_{wording}"]
    for row in rows(folder / "v1_table3_bold.csv"):
        for statistic in ("mean", "spread"):
            yield "v1-3", key(row["group"]), key(row["measure"]), statistic, row[statistic]
    for row in rows(folder / "v1_table4_moderation.csv"):
        for measure, source, statistic in (("score", "score", "score"), ("flagged", "flag", "share")):
            for prefix, task in TASKS.items():
                yield "v1-4", key(row["category"]), f"{measure}/{task}", statistic, row[f"{prefix}_{source}"]


def means(folder: Path) -> Iterator[Printed]:
    """Tables of means with intervals: 5 and 6 of version 1, 6 to 13 of version 2."""
    for table, name in (("v1-5", "v1_table5_iat.csv"), ("v1-6", "v1_table6_decision.csv")):
        for row in rows(folder / name):
            for source, statistic in INTERVAL.items():
                yield table, key(row["category"]), key(row["model"]), statistic, row[source]
    marks = [row for row in rows(folder / "v2_tables_cell_marks.csv") if row["mark"] != "unavailable"]
    for row in rows(folder / "v2_tables_levels.csv"):
        table = row["table"].replace("Table ", "v2-")
        place = {
            "category": (key(row["row_or_column"]), "category-level"),
            "model": ("model-level", key(row["row_or_column"])),
            "overall": ("model-level", "category-level"),
        }[row["level"]]
        for source, statistic in INTERVAL.items():
            yield table, *place, statistic, row[source]
    for row in marks:
        yield f"v2-{row['v2_table']}", key(row["row"]), key(row["column"]), "mean", row["mark"]


def logits(folder: Path) -> Iterator[Printed]:
    """Regression summaries: Tables 7 and 8 of version 1, and two fits of the authors' notebook."""
    summaries = [
        (table, row)
        for table, name in (("v1-7", "v1_table7_logit.csv"), ("v1-8", "v1_table8_logit.csv"))
        for row in rows(folder / name)
    ]
    summaries += [(FITS[row["fit"]], row) for row in rows(folder / "notebook_logits.csv")]
    for table, row in summaries:
        if row["term"] != "model":
            _, statistic = COEFFICIENT[row["stat"]]
            term = "Intercept" if TERMS[row["term"]] == "intercept" else PREDICTORS[table]
            yield table, term, statistic, statistic, row["value"]
        elif row["stat"] in SUMMARY:  # the others are words: method, converged ...
            name = SUMMARY[row["stat"]]
            yield f"{table}-fit", "decision", name, name, row["value"]


def tests_of_means(folder: Path) -> Iterator[Printed]:
    """One-sample t tests, as the authors' notebook prints them."""
    for row in rows(folder / "notebook_ttests.csv"):
        measure = MEASURES[row["test"]]
        table = f"notebook-t-{'decision' if measure == 'decision' else 'association'}"
        own = "decided" if measure == "decision" else "published"
        place = f"overall/{own}" if row["level"] == "overall" else f"{row['level']}/{key(row['group'])}"
        for statistic in ("t", "p", "df"):
            if row[statistic]:
                yield table, place, statistic, statistic, row[statistic]


def correlations(folder: Path) -> Iterator[Printed]:
    """Figures 5 and 6 of version 1."""
    for row in rows(folder / "correlation_matrices.csv"):
        yield LEVELS[row["level"]], SCORES[key(row["x"])], SCORES[key(row["y"])], "r", row["r_printed"]


def figures(folder: Path) -> Iterator[Printed]:
    """Shares printed in a figure, and rejections read from bars."""
    for row in rows(folder / "absolute_heatmap.csv"):
        yield "v1-figure-7", row["dataset"], row["type"], "share", row["yes_ratio_printed"]
    for row in rows(folder / "figure4_rejection.csv"):
        yield "v2-figure-4", key(row["model"]), "rejection", "share", row["rejection_rate"]


def scalars(folder: Path) -> Iterator[Printed]:
    """Numbers in running text, of the papers and of the notebook."""
    for row in rows(folder / "scalars.csv"):
        table = "notebook" if row["source"] == "notebook" else "text"
        yield table, *SCALARS[row["quantity"]], row["value"]
        if found := DEGREES_OF_FREEDOM.search(row["quantity"]):
            place, column, _ = SCALARS[row["quantity"]]
            yield table, place, column, "df", found[1]


def convert(folder: Path, *others: Path) -> list[Printed]:
    """All printed numbers."""
    parts = (tests_and_questions, means, logits, tests_of_means, correlations, figures, scalars)
    found = [printed for part in parts for printed in part(folder)]
    return found + [printed for other in others for part in (tests_of_means, figures) for printed in part(other)]


if __name__ == "__main__":
    with (Path(__file__).parent / "values.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["table", "row", "column", "statistic", "printed"])
        writer.writerows(convert(*map(Path, sys.argv[1:])))
