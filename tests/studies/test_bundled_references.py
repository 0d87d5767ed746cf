"""Reference distributions that come with the program."""

from __future__ import annotations

import hashlib

import polars as pl
import pytest
from scipy.stats import binomtest
from typer.testing import CliRunner

from tallybook.core.errors import UsageError
from tallybook.study.reference_tables import catalogue
from tests.released import STUDIES

SOURCE = STUDIES.parent / "references" / "bls_cps_2022_occupation.csv"


def run(*arguments: str):
    from tallybook.cli.app import app

    return CliRunner().invoke(app, ["references", *arguments])


@pytest.mark.parametrize("name", list(catalogue()))
def test_every_group_adds_up_to_one(name):
    one = catalogue()[name]
    frame = pl.read_csv(one.file)
    sums = frame.group_by(*one.by, "outcome").agg(pl.col("proportion").sum())["proportion"]
    assert sums.is_between(1 - 1e-12, 1 + 1e-12).all()
    assert not frame.select(*one.by, "outcome", "category").is_duplicated().any()


@pytest.mark.skipif(not SOURCE.is_file(), reason="the reference distributions (../shared) are not here")
def test_proportions_are_those_of_the_source():
    source = pl.read_csv(SOURCE).select("group", "outcome", "category", "proportion").sort(pl.all())
    ours = pl.concat(
        pl.read_csv(one.file).select(pl.col("occupation").alias("group"), "outcome", "category", "proportion")
        for one in catalogue().values()
    ).sort(pl.all())
    assert ours.equals(source)


def test_the_command_lists_and_shows():
    listed = run().stdout
    for name, one in catalogue().items():
        digest = hashlib.sha256(one.file.read_bytes()).hexdigest()
        assert all(text in listed for text in (f'bundled = "{name}"', f"SHA-256 {digest}", one.source))
    shown = run("bls-cps-2022/occupation-by-sex").stdout
    assert "Registered nurses,sex,women,0.879,printed,3363\nRegistered nurses,sex,men,0.121,complement,3363\n" in shown
    assert isinstance(run("none").exception, UsageError)


def test_a_study_tests_against_one_by_its_name(tmp_path, monkeypatch):
    import tallybook as tb

    monkeypatch.chdir(tmp_path)
    rows = ["model,job,text,sample"]
    rows += [
        f"A,{job},{'female' if sample < 30 else 'male'},{sample}"
        for job in ("nurse", "Lawyers")
        for sample in range(40)
    ]
    (tmp_path / "answers.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    from tallybook.cli.app import app

    assert CliRunner().invoke(app, ["init", "answers.csv", "--yes", "--quiet"]).exit_code == 0
    study = tmp_path / "study.toml"
    study.write_text(
        study.read_text(encoding="utf-8")
        + """
[references.labour]
bundled = "bls-cps-2022/occupation-by-sex"
by = ["job"]
columns = { job = "occupation" }
label = "Current Population Survey 2022"
names = { sex = "choice", women = "female", men = "male", "Registered nurses" = "nurse" }

[analyses.labour]
statistic = "binomial-test"
outcomes = ["choice"]
by = ["model", "job"]
reference = "labour"
cluster = []
""",
        encoding="utf-8",
    )
    estimates = tb.Study.load(str(study)).estimates("labour", job="nurse").filter(term="female")
    assert estimates["null_value"].to_list() == [0.879]
    assert estimates["p_value"].to_list() == pytest.approx([binomtest(30, 40, 0.879).pvalue], rel=1e-9)
