"""The audit against reference cases of the packages scrutiny and statcheck, slow twins, and files of every format."""

from __future__ import annotations

import importlib.util
import itertools
import statistics
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tallybook.core.errors import UsageError
from tallybook.published.audit.means import debit, grim, grimmer
from tallybook.published.audit.numbers import parse
from tallybook.published.audit_files.auditing import audit
from tests.paths import TOP
from tests.released import STUDIES

PIGS_1 = "7.22/32 4.74/25 5.23/29 2.57/24 6.77/27 2.68/28 7.01/29 7.38/26 3.14/27 6.89/31 5.00/25 0.24/28"
PIGS_1_FITS = "TFFFFTFTFFTF"
PIGS_3 = "0.53/0.50 0.44/0.50 0.77/0.42 0.19/0.35 0.34/0.47 0.93/0.25 0.12/0.33"
PIGS_3_FITS = "TTTFTTT"
PIGS_5 = (
    "7.22/5.30/38 4.74/6.55/31 5.23/2.55/35 2.57/2.57/30 6.77/2.18/33 2.68/2.59/34 7.01/6.68/35 7.38/3.65/32 "
    "3.14/5.32/33 6.89/4.18/37 5.00/2.18/31 0.24/6.43/34"
)
PIGS_5_FITS = "FTFTFTFTFTTT"


def printed(text: str):
    number = parse(text)
    assert number is not None
    return number


def cases(text: str) -> list[list[str]]:
    return [case.split("/") for case in text.split()]


def found(frame: pl.DataFrame, **options) -> list[tuple[str, str]]:
    checks = audit(frame, **options).filter(pl.col("severity") != "")
    return list(zip(checks["check"], checks["severity"], strict=True))


def test_grim_as_scrutiny():
    assert "".join("FT"[grim(printed(mean), int(n))] for mean, n in cases(PIGS_1)) == PIGS_1_FITS


def test_grimmer_as_scrutiny():
    fits = [
        grim(printed(mean), int(n)) and grimmer(printed(mean), printed(sd), int(n), divisor=int(n) - 1)
        for mean, sd, n in cases(PIGS_5)
    ]
    assert "".join("FT"[fit] for fit in fits) == PIGS_5_FITS


def test_debit_as_scrutiny():
    fits = "".join("FT"[debit(printed(mean), printed(sd), 1683)] for mean, sd in cases(PIGS_3))
    assert fits == PIGS_3_FITS


@pytest.mark.parametrize(
    ("share", "fits"),
    [("54.0", True), ("67.4", False), ("54.2", False), ("69.8", False), ("68.1", False), ("55.4", False)],
)
def test_percentages_as_scrutiny(share, fits):
    assert found(pl.DataFrame({"%": [share], "n": ["150"]})) == ([] if fits else [("share-of-n", "impossible")])


@pytest.mark.parametrize(
    ("text", "fits"),
    [
        ("t(28) = 2.20, p = .03", False),
        ("t(28) = -2.20, p = .03", False),
        ("Z = -2.42, p = 0.016", True),
        ("F(2, 28) = 2.20, p = .15", False),
        ("F(2, 28) = 2.20, p = .13", True),
        ("r(28) = .22, p = .26", False),
        ("chi2(28) = 22.20, p = .79", False),
        ("z = 2.20, p = .04", False),
        ("Q(28) = 22.20, p = .79", False),
        ("t(28) = 2.20, ns", False),
        ("t(28) = 2.20, p > .05", False),
        ("t(28) = 2.0, p < .05", True),
        ("t(28) = 2, p = .02", True),
        ("t(28) = 2, p = .14", True),
        ("t(28) = 2.2, p = .03", True),
        ("t(28) = 2.2, p = .04", True),
        ("χ²(1, N = 11,455) = 16.78, p <.001", True),
        ("t(28) = 1.20, p = .03", False),
        ("t ( 28 ) = 2.20 , p = .036", True),
    ],
)
def test_reported_tests_as_statcheck(text, fits, tmp_path):
    file = tmp_path / "paper.md"
    file.write_text(f"The effect was clear, {text}.\n", encoding="utf-8")
    checks = audit(file)
    assert checks.height == 1
    assert (checks["severity"][0] == "") == fits


@given(st.lists(st.integers(1, 7), min_size=2, max_size=60), st.integers(0, 3))
def test_no_alarm_on_ratings(values, digits):
    mean, deviation = statistics.fmean(values), statistics.stdev(values)
    frame = pl.DataFrame({"mean": [f"{mean:.{digits}f}"], "sd": [f"{deviation:.{digits}f}"], "n": [str(len(values))]})
    assert found(frame, scale=(1, 7)) == []


@given(st.lists(st.integers(0, 1), min_size=2, max_size=60))
def test_no_alarm_on_zeros_and_ones(values):
    mean, deviation = statistics.fmean(values), statistics.stdev(values)
    frame = pl.DataFrame({"mean": [f"{mean:.2f}"], "sd": [f"{deviation:.2f}"], "n": [str(len(values))]})
    assert found(frame, values="binary") == []


def test_grimmer_says_what_all_samples_say():
    """Every mean and deviation of four ratings from 1 to 5, against every printed pair of numbers."""
    n = 4
    samples = list(itertools.combinations_with_replacement(range(1, 6), n))
    possible = {(f"{statistics.fmean(one):.2f}", f"{statistics.stdev(one):.2f}") for one in samples}
    assert all(grimmer(printed(mean), printed(sd), n, divisor=n - 1, scale=(1, 5)) for mean, sd in possible)
    near = {(mean, str(Decimal(sd) + Decimal(shift) / 100)) for mean, sd in possible for shift in (-1, 1)}
    wrong = [pair for pair in near - possible if Decimal(pair[1]) >= 0]
    refused = sum(not grimmer(printed(mean), printed(sd), n, divisor=n - 1, scale=(1, 5)) for mean, sd in wrong)
    assert refused == len(wrong)


TABLE = [
    ["group", "M (SD)", "N", "t", "df", "p"],
    ["A", "3.45 (1.23)", "20", "2.31", "19", ".032*"],
    ["B", "3.47 (1.10)", "25", "1.20", "24", ".012*"],
]
WRONG = [("grim", "impossible"), ("p-of-t", "impossible")]


def as_markdown() -> str:
    head, *rows = TABLE
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *rows))


def as_latex() -> str:
    head, *rows = TABLE
    lines = [" & ".join(line).replace("*", "$^{*}$") + r" \\" for line in (head, *rows)]
    return "\\begin{tabular}{lrrrrr}\n" + lines[0] + "\n\\midrule\n" + "\n".join(lines[1:]) + "\n\\end{tabular}\n"


def as_html() -> str:
    head, *rows = TABLE
    cells = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
    return (
        f"<table><thead><tr>{''.join(f'<th>{cell}</th>' for cell in head)}</tr></thead><tbody>{cells}</tbody></table>"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.md", as_markdown()),
        ("t.tex", as_latex()),
        ("t.html", as_html()),
        ("t.csv", "\n".join(",".join(line) for line in TABLE)),
        ("t.tsv", "\n".join("\t".join(line) for line in TABLE)),
    ],
)
def test_every_format_gives_the_same(name, text, tmp_path):
    file = tmp_path / name
    file.write_text(text + "\n", encoding="utf-8")
    checks = audit(file)
    wrong = checks.filter(pl.col("severity") == "impossible")
    assert sorted(zip(wrong["check"], wrong["severity"], strict=True)) == WRONG
    assert set(wrong["row"]) == {"B"}


def test_word_gives_the_same(tmp_path):
    import subprocess

    import pypandoc

    file = tmp_path / "t.docx"
    subprocess.run(
        [pypandoc.get_pandoc_path(), "-f", "markdown", "-o", str(file)], input=as_markdown().encode(), check=True
    )
    wrong = audit(file).filter(pl.col("severity") == "impossible")
    assert sorted(zip(wrong["check"], wrong["severity"], strict=True)) == WRONG


SHARE = [("share-of-count", "impossible")]


@pytest.mark.parametrize(
    ("frame", "expected"),
    [
        ({"b": ["0.200"], "OR": ["1.30"]}, [("odds-ratio", "impossible")]),
        ({"b": ["0.200"], "SE": ["0.10"], "z": ["3.00"]}, [("statistic-of-error", "impossible")]),
        ({"b": ["-0.200"], "SE": ["0.10"], "t": ["2.00"]}, []),
        ({"OR": ["0.64"], "95% CI for OR": ["0.66-0.81"]}, [("interval-order", "impossible")]),
        ({"mean": ["0.5"], "ci_low": ["0.7"], "ci_high": ["0.9"]}, [("interval-order", "impossible")]),
        ({"mean": ["0.5"], "95% CI": ["[0.7, 0.4]"]}, [("interval-order", "impossible")]),
        ({"b": ["0.50"], "SE": ["0.10"], "95% CI": ["0.40 to 0.60"]}, [("interval-width", "unlikely")]),
        ({"count": ["12"], "n": ["50"], "%": ["25.0"]}, [("share-of-count", "impossible")]),
        ({"group": ["A"], "rate (%)": ["12/50 (24%)"]}, []),
        ({"group": ["A"], "n (%)": ["12 (24.0%)"], "total n": ["50"]}, []),
        ({"t": ["2.5"], "df": ["40"], "n": ["30"]}, [("df-of-n", "unlikely")]),
        ({"group": ["women", "men"], "t": ["2.10", ""], "df": ["78", ""], "n": ["40", "40"]}, []),
        ({"x": ["a"], "Hired n (%)": ["17 (43.6%)"], "Not n (%)": ["23 (56.4%)"], "Total": ["39"]}, SHARE),
        ({"answer": ["yes"], "Women (n = 39)": ["23 (56.4%)"], "Men (N=50)": ["25 (50.0%)"]}, SHARE),
        ({"group": ["women (n = 39)"], "yes": ["23 (56.4%)"]}, SHARE),
        ({"case": ["p = 0.1, n = 50"], "%": ["95.3"]}, []),
        ({"n": ["617"], "agreement": ["96.2%"]}, [("share-of-n", "unlikely")]),
        ({"answer": ["yes"], "Women (n = 50)": ["95.3%"]}, [("share-of-n", "impossible")]),
        ({"n": ["25"], "Rating, M (SD)": ["3.43 (1.01)"]}, [("grim", "impossible")]),
        ({"n": ["25"], "Time (s)": ["3.43"], "Toxicity M (SD)": ["0.347 (0.11)"]}, []),
        ({"group": ["a"], "Cohen’s d [95% CI]": ["0.47 [0.53, 0.91]"]}, [("interval-order", "impossible")]),
        ({"t": ["2.00"], "df": ["38"], "d": ["1.50"]}, [("effect-of-t", "unlikely")]),
        ({"t": ["2.00"], "df": ["38"], "d": ["0.63"]}, []),
        ({"t": ["1.70"], "df": ["100"], "p": [".046"]}, [("p-of-t", "unlikely")]),
        ({"p": ["1.2"]}, [("range", "impossible")]),
        ({"r": ["-1.20"], "n": ["20"]}, [("range", "impossible")]),
        ({"b": ["0.5*"], "p": [".20"]}, [("stars", "impossible")]),
        ({"b": ["0.5*"], "p": [".0004"]}, [("stars", "unlikely")]),
        ({"group": ["A", "B", "Total"], "n": ["50", "60", "111"]}, [("total", "unlikely")]),
        ({"group": ["A", "B", "C", "D", "Total"], "n": ["50", "60", "10", "100", "110"]}, []),
        (
            {"g": list("ABCD"), "yes %": ["10", "20", "30", "40"], "no %": ["90", "80", "70", "50"]},
            [("sum-of-shares", "unlikely")],
        ),
        (
            {"": list("xyz"), "x": ["1", ".2", ".3"], "y": [".2", "1", ".45"], "z": [".3", ".54", "1"]},
            [("symmetry", "unlikely")],
        ),
        ({"group": ["A", "A"], "mean": ["1.5", "1.7"]}, [("printed-twice", "unlikely")]),
        ({"group": ["gpt", "men", "llama", "men"], "mean": ["", "1.5", "", "1.7"], "n": ["", "2", "", "10"]}, []),
    ],
)
def test_each_check(frame, expected):
    assert found(pl.DataFrame(frame)) == expected


REGRESSION = r"""
\begin{table}\caption{Logistic regressions. %s in parentheses. $^{*}p<.05$, $^{**}p<.01$.}
\begin{tabular}{lcc}
 & (1) & (2) \\
 & GPT-4 & Llama \\ \midrule
Black & $-0.52^{**}$ & 0.20$^{**}$ \\
 & (0.12) & (0.15) \\
Observations & 1,500 & 1,498 \\
\end{tabular}\end{table}
"""


@pytest.mark.parametrize(
    ("said", "checks", "wrong"),
    [("Standard errors", 2, ["0.20**, se"]), ("p values", 2, ["-0.52**, p", "0.20**, p"]), ("Something", 0, [])],
)
def test_numbers_below_others_are_what_the_caption_says(said, checks, wrong, tmp_path):
    file = tmp_path / "t.tex"
    file.write_text(REGRESSION % said, encoding="utf-8")
    found = audit(file)
    assert found.height == checks
    assert len(found.filter(pl.col("severity") != "")) == len(wrong)
    for text, place in zip(wrong, found.filter(pl.col("severity") != "")["printed"], strict=True):
        assert text in place


def test_a_note_below_says_it_too(tmp_path):
    file = tmp_path / "t.md"
    file.write_text(
        "| x | b |\n|---|---|\n| A | 0.30** (0.20) |\n\nNote. Standard errors in parentheses.\n", encoding="utf-8"
    )
    assert audit(file)["severity"].to_list() == ["unlikely"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(OR = 1.92, 95% CI [1.08, 3.41], b = 0.65, SE = 0.29)", ["", ""]),
        ("so d = 0.47, 95% CI [0.53, 0.91].", ["impossible"]),
        ("The OR = 1.92 (95% CI 1.08 to 1.41)", ["impossible"]),
        ("b = 0.65, SE = 0.29, z = 3.23", ["impossible"]),
        ("temperature = 0.7, top p = 0.9, n = 40, k = 3", []),
    ],
)
def test_reported_estimates(text, expected, tmp_path):
    file = tmp_path / "paper.md"
    file.write_text(text + "\n", encoding="utf-8")
    assert audit(file)["severity"].to_list() == expected


def test_one_number_a_row():
    frame = pl.DataFrame({"group": ["A"] * 3, "quantity": ["mean", "ci_lo", "ci_hi"], "printed": ["0.5", "0.7", "0.9"]})
    assert found(frame) == [("interval-order", "impossible")]


def test_cut_off_numbers_are_a_matter_of_rounding():
    counts = [1, 2, 4, 5, 7, 8, 10, 11, 13, 14]
    frame = pl.DataFrame({"n": ["15"] * 10, "%": [str(int(1000 * k / 15) / 10) for k in counts]})
    kinds = {severity for _, severity in found(frame)}
    assert kinds == {"rounding"}
    assert found(frame, truncated=True) == []


def test_simulated_tables_raise_no_alarm():
    spec = importlib.util.spec_from_file_location("benchmark_audit", TOP / "benchmarks" / "audit.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made, hit, alarms, _ = module.measured(160)
    assert not {check: count for check, count in alarms.items() if check in module.EXACT}
    assert sum(hit.values()) > sum(made.values()) / 2


def run(*arguments: str):
    from tallybook.cli.app import app

    return CliRunner().invoke(app, ["audit", *arguments])


def test_the_command(tmp_path):
    file = tmp_path / "pigs.csv"
    file.write_text("x,n\n" + "\n".join(",".join(case) for case in cases(PIGS_1)) + "\n", encoding="utf-8")
    told = run(str(file))
    assert told.exit_code == 0
    assert "--set mean=" in told.stdout
    told = run(str(file), "--set", "mean=x", "-o", str(tmp_path / "all.csv"))
    assert told.exit_code == 1
    assert "12 checks: 8 impossible" in told.stdout
    assert "line 3" in told.stdout
    assert pl.read_csv(tmp_path / "all.csv").height == 12
    assert run(str(file), "--set", "mean=x", "--values", "continuous").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [("none.csv",), ("a.pdf",), ("t.csv", "--set", "mean=none"), ("t.csv", "--scale", "7"), ("t.csv", "--values", "x")],
)
def test_what_the_command_cannot_do(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("mean,n\n1.5,10\n", encoding="utf-8")
    told = run(*arguments)
    assert isinstance(told.exception, UsageError)


def test_the_example_of_the_docs(tmp_path, monkeypatch):
    blocks = [""]
    for line in (TOP / "docs" / "audit.md").read_text(encoding="utf-8").partition("## An example")[2].splitlines():
        if line.startswith("    "):
            blocks[-1] += line[4:] + "\n"
        elif line or not blocks[-1]:
            blocks.append("")
        else:
            blocks[-1] += "\n"
    table, told = [block.strip("\n") for block in blocks if block.strip()][:2]
    monkeypatch.chdir(tmp_path)
    Path("ratings.csv").write_text(table + "\n", encoding="utf-8")
    assert run("ratings.csv").stdout.strip("\n") == told


def published() -> list[Path]:
    return sorted(path for folder in ("published", "published_more") for path in STUDIES.glob(f"*/{folder}/*.csv"))


@pytest.mark.skipif(not STUDIES.is_dir(), reason="the studies' printed tables are not here")
def test_printed_tables_of_the_studies():
    checks = audit(published())
    wrong = checks.filter(pl.col("severity") == "impossible")
    assert wrong.height == 8
    assert set(wrong["check"]) == {"interval-order"}
    unlikely = checks.filter(pl.col("severity") == "unlikely")
    assert set(unlikely["check"]) == {"interval-centre"}
    # One more whose limits are in order, and not around the mean as all others are.
    assert unlikely.join(wrong, on=("file", "place"), how="anti").height == 1
