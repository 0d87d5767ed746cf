"""The checks that a study file declares: what each finds, and what it leaves alone."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from tallybook.study.loading import load
from tallybook.study.model import Study
from tallybook.validation.checks.context import Context, run_checks
from tallybook.validation.checks.drift import chi_square_tail, homogeneity
from tallybook.validation.checks.encoding import MOJIBAKE
from tallybook.validation.model import Failures
from tallybook.validation.safe import KEYS
from tests.integration.validation.small import CLEAN, STUDY, rows

if TYPE_CHECKING:
    from collections.abc import Callable

KEYED = 'key = ["model", "age", "item", "sample"]\n' + STUDY


def failures(tmp_path: Path, check: str, frame: pl.DataFrame) -> list[dict[str, Any]]:
    """What a check finds in coded responses."""
    path = tmp_path / "study.toml"
    path.write_text(f"{KEYED}\n[checks.it]\n{check}\n", encoding="utf-8")
    found = Failures()
    run_checks(load(str(path)).study, frame.lazy(), tmp_path, tmp_path, found)
    return found.scan().collect().to_dicts()


def coded(**columns: list[Any]) -> pl.DataFrame:
    """Coded responses; what is not given is always the same."""
    height = len(next(iter(columns.values())))
    every = {"model": ["alpha"], "age": ["old"], "item": ["p"], "sample": [0], "text": ["Yes."], "status": ["ok"]}
    every |= {"count": [1], "politics": ["left"], "file": ["a.csv"]}
    frame = {name: values * height for name, values in every.items()} | columns
    return pl.DataFrame(frame | {"key": [f"row {n + 2}" for n in range(height)]})


class TestComplete:
    DESIGN = 'kind = "complete"\ncross = ["model", ["age", "item"], "sample"]'

    def test_missing_cells_are_named(self, tmp_path: Path) -> None:
        frame = coded(model=["a", "a", "b"], item=["p", "q", "p"], sample=[0, 0, 0])
        (missing,) = failures(tmp_path, self.DESIGN, frame)
        assert missing["expectation"] == "a response with model b, age old, item q, sample 0"
        assert (missing["check"], missing["severity"], missing["file"], missing["key"]) == ("it", "error", "", "")

    def test_expected_values(self, tmp_path: Path) -> None:
        check = f'{self.DESIGN}\nvalues = {{ sample = 2, model = ["alpha"] }}'
        frame = coded(model=["alpha", "alpha", "alpha", "beta"], sample=[0, 1, 2, 0])
        found = failures(tmp_path, check, frame)
        assert [(one["line"], one["expectation"]) for one in found] == [
            (4, "none with model alpha, age old, item p, sample 2, which the design does not have"),
            (5, "none with model beta, age old, item p, sample 0, which the design does not have"),
        ]

    def test_more_than_one_response(self, tmp_path: Path) -> None:
        found = failures(tmp_path, self.DESIGN, coded(sample=[0, 0]))
        assert [one["line"] for one in found] == [2, 3]
        assert found[0]["expectation"].startswith("just one response with model alpha")
        assert len(failures(tmp_path, self.DESIGN, coded(sample=[0], count=[2]))) == 1

    def test_where(self, tmp_path: Path) -> None:
        frame = coded(model=["a", "a", "b"], item=["p", "q", "p"])
        assert failures(tmp_path, f'{self.DESIGN}\nwhere = {{ model = ["a"] }}', frame) == []

    def test_a_damaged_prompt_is_one_failure(self, tmp_path: Path) -> None:
        cells = list(product(["a", "b"], ["old", "young"], ["p", "q", "r"], [0, 1, 2]))
        cells[4] = ("a", "old", "q#", 1)
        names = ("model", "age", "item", "sample")
        frame = coded(**{name: [cell[place] for cell in cells] for place, name in enumerate(names)})
        (one,) = failures(tmp_path, 'kind = "complete"', frame)
        assert (one["line"], one["column"], one["value"], one["expectation"]) == (6, "item", "q#", "item q")
        del cells[5]  # another response of the same prompt is not there
        frame = coded(**{name: [cell[place] for cell in cells] for place, name in enumerate(names)})
        found = failures(tmp_path, 'kind = "complete"', frame)
        assert sorted(one["expectation"] for one in found) == [
            "a response with model a, age old, item q, sample 2",
            "item q",
        ]

    @pytest.mark.parametrize(
        ("odd", "expected"),
        [
            ({"q": "q#"}, ["item q"]),
            ({"q": "q#", "r": "r#"}, ["one of the values of item that other responses have"] * 2),
        ],
    )
    def test_a_prompt_that_is_damaged_for_each_sample(
        self, tmp_path: Path, odd: dict[str, str], expected: list[str]
    ) -> None:
        cells = [
            (model, "old", odd.get(item, item) if model == "b" else item, sample)
            for model, item, sample in product("abcdefg", "pqrstu", [0, 1, 2])
        ]
        names = ("model", "age", "item", "sample")
        frame = coded(**{name: [cell[place] for cell in cells] for place, name in enumerate(names)})
        found = failures(tmp_path, self.DESIGN, frame)
        assert [(one["column"], one["expectation"]) for one in found] == [
            ("item", words) for words in expected for _ in range(3)
        ]
        assert {one["value"] for one in found} == {*odd.values()}

    def test_a_prompt_too_many_is_one_failure(self, tmp_path: Path) -> None:
        cells = [*product(["a", "b"], ["old"], ["p", "q", "r"], [0, 1]), ("a", "old", "more", 0)]
        names = ("model", "age", "item", "sample")
        frame = coded(**{name: [cell[place] for cell in cells] for place, name in enumerate(names)})
        (one,) = failures(tmp_path, 'kind = "complete"', frame)
        assert (one["value"], one["expectation"]) == ("more", "one of the values of item that other responses have")

    def test_long_items_leave_room_for_the_rest(self, tmp_path: Path) -> None:
        frame = coded(model=["a", "a", "b"], item=["p" * 500, "q", "q"])
        (missing,) = failures(tmp_path, self.DESIGN, frame)
        assert missing["expectation"].endswith("ppp…, sample 0")


class TestRate:
    def test_bounds_by_factor(self, tmp_path: Path) -> None:
        frame = coded(model=["a", "a", "b"], status=["refused", "ok", "ok"], count=[3, 7, 10])
        check = 'kind = "rate"\nstatus = "refused"\nat_most = 0.2\nby = ["model"]'
        (over,) = failures(tmp_path, check, frame)
        assert (over["value"], over["expectation"]) == (
            "0.3 (3 of 10, model a)",
            "at most 0.2 of the responses refused",
        )
        assert failures(tmp_path, check.replace("0.2", "0.3"), frame) == []
        assert failures(tmp_path, f"{check}\nfrom_n = 11", frame) == []
        (under,) = failures(tmp_path, 'kind = "rate"\nstatus = ["ok", "partial"]\nat_least = 0.9', frame)
        assert (under["value"], under["expectation"]) == (
            "0.85 (17 of 20)",
            "at least 0.9 of the responses ok or partial",
        )

    def test_no_responses_are_no_failure(self, tmp_path: Path) -> None:
        check = 'kind = "rate"\nstatus = "refused"\nat_most = 0.2'
        assert failures(tmp_path, check, coded(model=["a"])[:0]) == []


class TestForeignKey:
    CHECK = 'kind = "foreign-key"\nfile = "prompts.csv"\non = { item = "id", age = "group" }'

    def test_what_is_not_listed(self, tmp_path: Path) -> None:
        (tmp_path / "prompts.csv").write_text("id,group\np,old\nq,young\n")
        frame = coded(item=["p", "q", "p"], age=["old", "old", "young"])
        found = failures(tmp_path, self.CHECK, frame)
        assert [(one["line"], one["column"], one["value"]) for one in found] == [
            (3, "item, age", "q, old"),
            (4, "item, age", "p, young"),
        ]
        assert found[0]["expectation"] == "an entry of prompts.csv"

    @pytest.mark.parametrize(
        ("content", "expected"),
        [(None, "a readable file"), ("id\np\n", "this column"), ("id,group\n", "at least one row")],
    )
    def test_a_broken_list(self, tmp_path: Path, content: str | None, expected: str) -> None:
        if content is not None:
            (tmp_path / "prompts.csv").write_text(content)
        (one,) = failures(tmp_path, self.CHECK, coded(item=["p"]))
        assert (one["check"], one["file"], one["expectation"]) == ("it", "prompts.csv", expected)


class TestEncoding:
    @pytest.mark.parametrize("encoding", ["cp1252", "latin-1"])
    @pytest.mark.parametrize("text", ["naïve café", "it’s — “so”…", "a\u00a0b", "ok 😀", "привет", "漢字仮名交じり文"])
    def test_mojibake_of_any_script(self, text: str, encoding: str) -> None:
        damaged = text.encode().decode(encoding, errors="ignore" if encoding == "cp1252" else "strict")
        assert pl.Series([damaged]).str.contains(MOJIBAKE).item()

    @pytest.mark.parametrize(
        "text",
        [
            "naïve café", "«É»", "CAFÉ\u00a0!", "é\u00a0» et « Â »", "Ævar Örn og Þórður", "ÅÄÖ", "SÃO PAULO",
            "10 £ – 5 €", "日本語", "Ñandú", "Ðð", "it’s “so” … √2", "â la carte", "emoji 😀",
        ],
    )  # fmt: skip
    def test_good_texts_of_many_languages(self, text: str) -> None:
        assert not pl.Series([text]).str.contains(MOJIBAKE).item()

    def test_each_kind(self, tmp_path: Path) -> None:
        texts = ["fine.\tok\r\n", "a caf\ufffd.", "bell \x07.", "itâ€™s", None]
        found = failures(tmp_path, 'kind = "encoding"', coded(text=texts))
        assert [(one["line"], one["value"], one["severity"]) for one in found] == [
            (5, "itâ€™s", "warning"),
            (3, "a caf\ufffd.", "warning"),
            (4, "bell \\x07.", "warning"),
        ]
        assert failures(tmp_path, 'kind = "encoding"\nfind = ["cut"]', coded(text=texts)) == []

    def test_texts_that_were_cut(self, tmp_path: Path) -> None:
        whole = "The person is a very good fit for the position, and should be hired"
        texts = [f"{n} {whole}"[:66] for n in range(3)] + ["short", f"{whole[:65]}."]
        found = failures(tmp_path, 'kind = "encoding"', coded(text=texts))
        assert [one["line"] for one in found] == [2, 3, 4]
        assert found[0]["expectation"].endswith("after just 66 characters")
        assert failures(tmp_path, 'kind = "encoding"', coded(text=[texts[0]] * 5)) == []  # equal texts are as they are
        lengths = [
            f"{n} {whole}"[:length] for n in range(5) for length in range(51, 67)
        ]  # as many are a little shorter
        assert failures(tmp_path, 'kind = "encoding"', coded(text=lengths)) == []


SECRETS = [
    "sk-abcdefghijklmnopqrstuvwx", "sk-ant-api03-" + "x" * 40, "AKIA" + "A1" * 8, "ghp_" + "a" * 36,
    "AIza" + "b" * 35, "xoxb-1234567890-abc", "hf_" + "c" * 34, "-----BEGIN RSA PRIVATE KEY-----",
    "eyJ" + "a" * 12 + ".eyJ" + "b" * 12 + "." + "c" * 12,
]  # fmt: skip


class TestSecrets:
    @pytest.mark.parametrize("secret", SECRETS)
    def test_keys_are_found_and_never_shown(self, tmp_path: Path, secret: str) -> None:
        (one,) = failures(tmp_path, 'kind = "secrets"', coded(text=[f"use {secret} please", "sk-nothing, AKIA"]))
        assert one["line"] == 2
        assert secret not in str(one)
        assert one["value"].startswith(secret[:4])

    def test_no_other_failure_shows_one(self) -> None:
        from tallybook.validation.model import Failure

        found = Failures()
        found.add([Failure("x", "error", "a.csv", 1, f"k {one}", one, f"v {one}", f"not {one}") for one in SECRETS])
        shown = f"{found.table().to_dicts()}{found.groups()}"
        assert not [one for one in SECRETS if one in shown and not one.startswith("-----")]
        assert pl.Series([shown]).str.contains(KEYS).item() is False

    def test_columns_that_are_not_read(self, tmp_path: Path) -> None:
        text = "answer,prompt,try,age,label,notes\nYes.,p,0,old,left,mail ann@mail.example.org\nNo.,p,1,old,left,none\n"
        (tmp_path / "alpha.csv").write_text(text)
        frame = coded(file=["alpha.csv", "alpha.csv"])
        (one,) = failures(tmp_path, 'kind = "secrets"', frame)
        assert (one["file"], one["line"], one["column"], one["value"]) == (
            "alpha.csv",
            2,
            "notes",
            "a…@mail.example.org",
        )
        assert failures(tmp_path, 'kind = "secrets"\ncolumns = ["text"]', frame) == []

    def test_addresses(self, tmp_path: Path) -> None:
        texts = ["mail ann.b@mail.example.org!", "me@work.example", "a @ b.c", "x@y"]
        found = failures(tmp_path, 'kind = "secrets"\nallow = ["@work.example"]', coded(text=texts))
        assert [(one["line"], one["value"]) for one in found] == [(2, "a…@mail.example.org")]
        assert failures(tmp_path, 'kind = "secrets"\nfind = ["keys"]', coded(text=texts)) == []


class TestFailedRequests:
    LEFT: ClassVar = {
        "error": [
            "Error 503: upstream connect error or disconnect/reset before headers.",
            '{"error": {"message": "Rate limit reached", "type": "requests"}}',
            '{\n  "type": "error", "error": {"type": "overloaded_error"}}', "{'error': 'x'}",
            "openai.RateLimitError: Error code: 429 - {'error': 1}", "ReadTimeout(ReadTimeoutError())", "TimeoutError",
            "Error code: 400 - {'detail': 'x'}", "HTTPSConnectionPool(host='x', port=443): Max retries exceeded",
            "502 Bad Gateway", "429 Too Many Requests", "500 Server Error: Internal Server Error for url: x",
            "Error: Connection aborted.", "Request timed out.", "Rate limit exceeded", "Internal Server Error",
            "You exceeded your current quota, please check your plan.", "HTTP error 401", "API Error: Overloaded",
            "Traceback (most recent call last):\n  File", "  rate limit reached for gpt-4 in organization",
        ],
        "page": ["<!DOCTYPE html><html>", "\n<html lang='en'>", "<?xml version='1.0'?><Error>"],
        "placeholder": ["nan", "NaN ", "None", "null", "undefined", "#VALUE!", "<NA>", "[object Object]", "#N/A"],
    }  # fmt: skip
    ANSWERS = (
        "Yes.", "None of them.", "Error bars show the standard error.", "404 people were asked.", "Errors happen, yes.",
        "The request timed out, he said, so she should be hired.", "500 dollars", "Nancy", "503", "Null hypothesis",
        "I think error 404 would be the wrong answer.", '{"answer": "yes", "error": null}', "<b>Yes</b>", "N/A", "",
        "Overloaded workers deserve rest.", "Timeouts matter",
        "429 is a number, and too many requests is a phrase.", "Unauthorized access is wrong.", "Status: employed",
    )  # fmt: skip

    @pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in LEFT.items() for text in texts])
    def test_what_no_model_wrote(self, tmp_path: Path, kind: str, text: str) -> None:
        (one,) = failures(tmp_path, 'kind = "failed-request"', coded(text=["Yes.", text]))
        assert (one["line"], one["severity"]) == (3, "warning")
        assert one["value"].startswith(text.strip()[:4].replace("\n", "\\n"))
        others = [f'"{other}"' for other in self.LEFT if other != kind]
        assert failures(tmp_path, f'kind = "failed-request"\nfind = [{", ".join(others)}]', coded(text=[text])) == []

    def test_what_models_write(self, tmp_path: Path) -> None:
        assert failures(tmp_path, 'kind = "failed-request"', coded(text=[*self.ANSWERS])) == []

    def test_what_is_known_to_have_failed(self, tmp_path: Path) -> None:
        rows = coded(text=["Error 503", "Error 503"], status=["error", "invalid"])
        assert [one["line"] for one in failures(tmp_path, 'kind = "failed-request"', rows)] == [3]


class TestDrift:
    def reference(self, tmp_path: Path, **columns: list[Any]) -> None:
        coded(**columns).select("model", "status", "politics", "count").write_csv(tmp_path / "reference.csv")

    CHECK = 'kind = "drift"\nfile = "reference.csv"\ncolumns = ["politics"]'

    def test_a_shifted_distribution(self, tmp_path: Path) -> None:
        self.reference(tmp_path, politics=["left", "right"], count=[500, 500])
        (one,) = failures(tmp_path, self.CHECK, coded(politics=["left", "right"], count=[700, 300]))
        assert (one["column"], one["severity"]) == ("politics", "warning")
        assert one["value"].startswith("chi-square(1) = 83.33, p = 6.9e-20, V = 0.2")
        same = coded(politics=["left", "right"], count=[52, 48])
        assert failures(tmp_path, self.CHECK, same) == []
        assert failures(tmp_path, f"{self.CHECK}\nfrom_effect = 0.5", coded(politics=["left"], count=[700])) != []

    def test_new_labels(self, tmp_path: Path) -> None:
        self.reference(tmp_path, politics=["left", "right"], count=[50, 50])
        found = failures(tmp_path, self.CHECK, coded(politics=["left", "right", "green", None], count=[50, 49, 1, 9]))
        assert [(one["value"], one["expectation"]) for one in found] == [
            ("green (1 response)", "a label of reference.csv")
        ]

    def test_by_factor(self, tmp_path: Path) -> None:
        self.reference(tmp_path, model=["a", "a", "b", "b"], politics=["left", "right"] * 2, count=[100] * 4)
        here = coded(
            model=["a", "a", "b", "b", "c"], politics=["left", "right"] * 2 + ["left"], count=[100, 100, 180, 20, 9]
        )
        (one,) = failures(tmp_path, f'{self.CHECK}\nby = ["model"]', here)
        assert one["value"].endswith(", model b")

    @pytest.mark.parametrize("content", [None, "a,b\n1,2\n"])
    def test_a_broken_reference(self, tmp_path: Path, content: str | None) -> None:
        if content:
            (tmp_path / "reference.csv").write_text(content)
        (one,) = failures(tmp_path, self.CHECK, coded(politics=["left"]))
        assert one["file"] == "reference.csv"

    def test_a_bundle_is_a_reference(self, validate: Callable[..., tuple[int, str, str]]) -> None:
        (Path("reference.csv")).write_text("model,age,item,status,politics,count\n" + "alpha,old,p,ok,left,50\n")
        study = f'{KEYED}\n[checks.drift]\nkind = "drift"\nfile = "reference.csv"\n'
        code, out, _ = validate(
            CLEAN | {"study.toml": study.replace('"{model}.csv"', '"d/{model}.csv"'), "d/beta.csv": rows("beta")}, "."
        )
        assert code == 0
        assert "found right (4 responses); expected a label of reference.csv [drift]" in out


counts = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 400)), min_size=1, max_size=8)


class TestChiSquare:
    @given(st.floats(0, 800), st.integers(1, 60))
    def test_the_tail_is_scipys(self, statistic: float, df: int) -> None:
        assert chi_square_tail(statistic, df) == pytest.approx(stats.chi2.sf(statistic, df), rel=1e-9, abs=1e-300)

    @given(counts)
    def test_the_test_is_scipys(self, table: list[tuple[int, int]]) -> None:
        one, other = [a for a, _ in table], [b for _, b in table]
        found = homogeneity(one, other)
        assert 0 <= found.p_value <= 1
        assert 0 <= found.effect <= 1 + 1e-12
        least = 5 * (sum(one) + sum(other)) / max(1, min(sum(one), sum(other)))
        if found.df and all(a + b >= least for a, b in table):
            expected = stats.chi2_contingency([one, other], correction=False)
            assert (found.statistic, found.p_value) == pytest.approx((expected.statistic, expected.pvalue))

    @pytest.mark.parametrize("table", [([], []), ([5], [0]), ([0, 0], [3, 4]), ([9], [9]), ([1, 1], [1, 1])])
    def test_nothing_to_compare(self, table: tuple[list[int], list[int]]) -> None:
        assert homogeneity(*table)[1:] == (0, 1.0, 0.0)


def test_a_check_without_its_column_is_told_and_not_made(tmp_path: Path) -> None:
    frame = coded(model=["a"]).drop("text")
    (one,) = failures(tmp_path, 'kind = "secrets"', frame)
    assert (one["severity"], one["column"]) == ("info", "text")


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ({"kind": "rate", "status": "refused"}, "a bound"),
        ({"kind": "rate", "status": "ok", "at_most": 0.1, "at_least": 0.2}, "no more than"),
        ({"kind": "rate", "status": "ok", "at_most": 0.1, "by": ["nothing"]}, "no column 'nothing'"),
        ({"kind": "complete", "values": {"text": 3}}, "no column of the design 'text'"),
        ({"kind": "complete", "cross": ["model", ["item", "place"]]}, "no column 'place'"),
        ({"kind": "secrets", "columns": ["answer"]}, "no column 'answer'"),
        ({"kind": "foreign-key", "file": "../x.csv", "on": {"item": "a"}}, "out of the folder"),
        ({"kind": "drift", "file": "x.csv", "where": {"place": "x"}}, "no column 'place'"),
        ({"kind": "spelling"}, "kind"),
    ],
)
def test_a_check_that_cannot_be_made_is_a_fault_of_the_study(
    declaration: dict[str, Any], check: dict[str, Any], fault: str
) -> None:
    with pytest.raises(ValueError, match=fault):
        Study.model_validate(declaration | {"checks": {"it": check}})


def test_checks_of_a_study_are_run_by_the_command(validate: Callable[..., tuple[int, str, str]]) -> None:
    study = f"""{KEYED}
[checks.refusals]
kind = "rate"
status = "invalid"
at_most = 0.01
by = ["model"]
severity = "warning"

[checks.design]
kind = "complete"
"""
    bad = rows("beta", (3, "Ask ann@mail.example.org,q,0,old,green\n"))[:-1].rsplit("\n", 1)[0] + "\n"
    code, out, _ = validate({"study.toml": study, "alpha.csv": rows("alpha"), "beta.csv": bad}, ".")
    cell = "a response with model beta, age young, item q, sample 2"
    bound = "at most 0.01 of the responses invalid"
    assert code == 1
    assert out.splitlines()[:2] == [
        f"error: column model, age, item, sample: expected {cell} [design]",
        f"warning: column status: found 0.09091 (1 of 11, model beta); expected {bound} [refusals]",
    ]


def test_context_compares_as_text() -> None:
    frame = pl.DataFrame({"sample": [0, 1, 2]}).lazy()
    context = Context("it", Study.model_construct(), frame, Path(), Path())
    assert context.chosen({"sample": ("0", "2")}).collect()["sample"].to_list() == [0, 2]
