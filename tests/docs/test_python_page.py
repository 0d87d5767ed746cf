"""The page on Python and the notebook: each example runs, and prints what stands below it."""

from __future__ import annotations

import ast
import inspect
import re
import shutil
from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

import tallybook as tb
from tallybook.study.analysis_base import ANALYSES
from tests.paths import TOP

if TYPE_CHECKING:
    from pathlib import Path

PAGE = TOP / "docs" / "python.md"
EXAMPLES = re.findall(r"(?s)```python\n(.*?)```\n```text\n(.*?)```", PAGE.read_text(encoding="utf-8"))
ANSWERS = TOP / "data" / "raw" / "example" / "answers.csv"


@pytest.fixture(scope="module")
def study() -> tb.Study:
    return tb.init(ANSWERS)


def test_the_page_prints_what_it_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(ANSWERS, tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for code, shown in EXAMPLES:
        with redirect_stdout(StringIO()) as printed, pl.Config(tbl_width_chars=120):
            exec(code, names)  # noqa: S102  the page is ours
        assert printed.getvalue() == shown


def test_the_notebook_shows_its_cells(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a notebook does: the last expression of a cell is shown."""
    shutil.copy(ANSWERS, tmp_path)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    shown: list[Any] = []
    cells = (TOP / "docs" / "notebook.py").read_text(encoding="utf-8").split("# %%\n")
    for cell in cells[1:]:
        *before, last = ast.parse(cell).body
        assert isinstance(last, ast.Expr)
        exec(compile(ast.Module(before, []), "cell", "exec"), names)  # noqa: S102  the notebook is ours
        shown.append(eval(compile(ast.Expression(last.value), "cell", "eval"), names))  # noqa: S307
    assert all(hasattr(one, "_repr_html_") or hasattr(one, "_repr_mimebundle_") for one in shown)
    assert "Vega (7B)" in shown[2]._repr_html_()


def test_every_analysis_is_a_method_with_the_settings_of_study_files() -> None:
    for statistic, kind in ANALYSES.classes.items():
        method = getattr(tb.Study, statistic.replace("-", "_"))
        own = set(inspect.signature(method).parameters) - {"self"}
        assert own - {"between"} == (set(kind.model_fields) - {"statistic"}) - {"between"}
        assert all(f"    {name}: " in method.__doc__ for name in own)


def test_a_method_gives_what_the_study_file_gives(study: tb.Study) -> None:
    own = study.difference("decision", between="applicant", family={"method": "holm"})
    declared = study.estimates("difference_by_applicant")
    assert own.frame.drop("analysis").equals(declared.drop("analysis"))
    assert len(own) == declared.height
    assert own.notes[1] == "Standard errors are clustered by vacancy: only clusters were treated as independent."


def test_the_cluster_of_an_analysis_may_be_no_factor(study: tb.Study) -> None:
    found = study.difference(
        "decision", between="vacancy", levels=["nurse", "driver"], cluster="item", by=[], denominator="coded"
    )
    assert found.frame.get_column("df").unique().to_list() == [3]  # of four prompts


def test_a_frame_is_read_as_its_file_is(study: tb.Study) -> None:
    lazy = tb.init(pl.scan_csv(ANSWERS))
    own = lazy.proportion("decision").frame
    assert own.equals(study.proportion("decision").frame)


def test_an_analysis_of_an_analysis(study: tb.Study) -> None:
    mean = study.mean(study.proportion("decision", by=["model", "vacancy"]), by="model")
    of = study.proportion("decision", by=["model", "vacancy"]).frame.group_by("model", "term").agg(pl.mean("estimate"))
    both = mean.frame.join(of, on=["model", "term"], suffix="_twin")
    assert both.height == mean.frame.height > 0
    assert both.get_column("estimate").to_list() == pytest.approx(both.get_column("estimate_twin").to_list(), rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "settings", "message"),
    [
        (["decison"], {"between": "applicant"}, "difference: outcomes: 'decison' is not an outcome"),
        (["decision"], {"between": "age"}, "difference: between: 'age' is not a factor"),
        (["decision"], {"factor": "age"}, "difference: factor: 'age' is not a factor"),
        (["decision"], {"factor": "age", "between": "age"}, "difference: between and factor are one argument"),
        (["decision"], {"facter": "applicant"}, "difference: facter: unknown setting"),
        (["decision"], {"between": pl.Series([1])}, "difference: between: found a list"),
        (["decision"], {"between": "applicant", "cluster": "nam"}, "difference: cluster: 'nam' is not a column"),
        (["decision", "applicant"], {}, "difference: one argument without a name"),
    ],
)
def test_errors_name_the_argument(
    study: tb.Study, arguments: list[Any], settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(tb.UsageError, match=f"^{message}"):
        study.difference(*arguments, **settings)


@pytest.mark.parametrize("values", [[True, False] * 4, [0, 1] * 4, ["Yes", "no"] * 4])
def test_a_column_of_yes_and_no_is_the_answer_where_nothing_else_is(values: list[Any]) -> None:
    frame = pl.DataFrame({"race": ["a", "a", "b", "b"] * 2, "name": list("klmn") * 2, "hired": values})
    assert "hired_outcome" in tb.init(frame).declaration.outcomes
