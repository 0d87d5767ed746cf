"""From a dump that nobody has described to a study that runs: what is found, written and asked."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from tallybook import compute, load
from tallybook.cli.output import ask
from tallybook.core.errors import UsageError
from tallybook.drafting.roles import Roles
from tallybook.drafting.starting import start
from tallybook.report.assembly import write_project
from tallybook.report.manifest import provenance
from tests.integration.drafting.odd_dumps import CHOICES, CODED, PROFILES, WRITERS, YES_NO, shares_of, write
from tests.trusted import computed, estimated, read
from tests.unit.statistics.frames import few

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path
    from random import Random


class TestEveryFormat:
    """No flags but the path."""

    @pytest.mark.parametrize("name", WRITERS)
    def test_a_study_that_runs(self, tmp_path: Path, name: str) -> None:
        started = start([write(tmp_path, YES_NO, name)], tmp_path, [])
        assert started.rows == YES_NO.height
        assert started.draft.doubts == []
        shares = shares_of(tmp_path)
        assert (shares["gpt x", "yes"], shares["gpt x", "no"], shares["llama", "refusal"]) == (0.5, 0.5, 0.5)
        assert shares_of(tmp_path, "share_by_grp")["gpt x", "female", "no"] == 1.0

    def test_what_is_written(self, tmp_path: Path) -> None:
        started = start([write(tmp_path, YES_NO)], tmp_path / "new", [])
        names = ["study.toml", "responses.schema.json", "report/index.qmd", "ci.yml"]
        assert [file.relative_to(tmp_path / "new").as_posix() for file in started.files] == names
        text = started.files[0].read_text(encoding="utf-8")
        assert 'data = ".."  # relative to the folder of this file' in text
        assert 'files = "odd.csv"  # relative to the folder of the data' in text
        fields = json.loads(started.files[1].read_text(encoding="utf-8"))["fields"]
        assert fields[0] == {
            "name": "LLM",
            "type": "string",
            "constraints": {"required": True, "enum": ["gpt x", "llama"]},
        }
        assert f'targets: "{started.files[0].as_posix()}"\n' in started.files[3].read_text(encoding="utf-8")

    def test_what_is_told(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)
        write(tmp_path, YES_NO)
        found = start([tmp_path.relative_to(tmp_path) / "odd.csv"], tmp_path, []).found
        assert found.splitlines() == [
            "odd.csv: CSV, 16 records",
            "",
            "role    column       distinct  examples",
            "text    answer text         4  Certainly yes, I cannot ans…",
            "model   LLM                 2  gpt x, llama",
            "item    Question #          2  1, 2",
            "sample  Run                 2  1, 2",
            "factor  Grp                 2  female, male",
            "",
            "instrument: absolute-decision, which reads 100% of 16 sampled texts",
        ]

    def test_words_that_come_equally_often_are_a_factor_whatever_they_are_called(self, tmp_path: Path) -> None:
        table = YES_NO.rename({"Grp": "version"}).with_columns(created=pl.Series(["x1", "x2"] * (YES_NO.height // 2)))
        start([write(tmp_path, table)], tmp_path, [])
        factors = load(str(tmp_path / "study.toml")).study.factors
        assert "version" in factors
        assert "created" not in factors

    def test_labels_are_declared_once(self, tmp_path: Path) -> None:
        table = YES_NO.with_columns(pl.col("Grp").replace("male", "a {b}"))
        start([write(tmp_path, table)], tmp_path, [])
        changes = [
            'factors.grp.label="Social group"',
            "factors.grp.levels.female=Women",
            "outcomes.decision.label=Hired",
        ]
        loaded = load(str(tmp_path / "study.toml"), [*changes, 'factors.model.label="LLM {x}"'])
        assert [(table.title, table.stub) for table in loaded.study.tables] == [
            ("Hired by LLM (x).", "LLM (x)"),
            ("Hired: difference in shares, gpt x − llama, in percentage points.", "Hired"),
            ("Hired by LLM (x) and social group.", "Social group"),
            ("Hired: difference in shares, a (b) − women, in percentage points.", "LLM (x)"),
        ]
        assert [figure.title for figure in loaded.study.figures] == [
            "Hired by LLM (x).",
            "Hired by social group and LLM (x).",
            "Hired (yes): difference in shares, a (b) − women, by LLM (x).",
        ]
        assert compute(loaded).tables.tables[2].stub == "Social group"
        with pytest.raises(UsageError, match=r"'factors\.group' is not a name to be filled in"):
            load(str(tmp_path / "study.toml"), ["tables.1.title=By {factors.group}"])

    def test_the_report_counts_tables_as_the_study_does_and_has_no_empty_parts(self, tmp_path: Path) -> None:
        table = pl.DataFrame({"model": "m", "id": [1, 2], "response": ["The sea is wide.", "A cat sat there."]})
        started = start([write(tmp_path, table)], tmp_path, [])
        results = computed(started.files[0])
        write_project(results, tmp_path / "source", {"versions": {}, **provenance(results)}, tmp_path, {})
        assert (tmp_path / "source" / "_generated" / "figures.qmd").read_text() == ""
        narrative = (tmp_path / "source" / "index.qmd").read_text()
        assert narrative.index("_generated/tables.qmd") < narrative.index("_generated/data.qmd")

    def test_the_narrative_is_the_users_own(self, tmp_path: Path) -> None:
        started = start([write(tmp_path, YES_NO)], tmp_path, [])
        assert load(str(started.files[0])).narrative == started.files[2].parent


class TestInstruments:
    """The instrument is the one that reads most of the texts."""

    def test_answers_that_repeat_are_options(self, tmp_path: Path) -> None:
        started = start([write(tmp_path, CHOICES)], tmp_path, [])
        assert started.draft.instrument["kind"] == "attribute-choice"
        shares = shares_of(tmp_path, "share_by_race")
        assert (shares["m", "white", "kind"], shares["m", "white", "rude"], shares["m", "black", "refusal"]) == (
            0.6,
            0.2,
            0.2,
        )

    def test_the_language_of_the_answers(self, tmp_path: Path) -> None:
        answers = ("Ja, ich würde sie einstellen.", "Nein, das ist nicht der richtige Weg für die Firma.")
        rows = [{"model": "m", "item": n, "text": answers[n % 2]} for n in range(20)]
        started = start([write(tmp_path, pl.DataFrame(rows))], tmp_path, [])
        assert started.draft.instrument == {"kind": "absolute-decision", "languages": ["de"]}

    def test_columns_that_hold_the_options(self, tmp_path: Path) -> None:
        table = CHOICES.with_columns(
            good=pl.col("prompt").replace({"Ann is ...": "kind", "Keisha is ...": "friendly"}),
            bad=pl.col("prompt").replace({"Ann is ...": "rude", "Keisha is ...": "vain"}),
            response=pl.when(pl.int_range(pl.len()) % 5 == 1).then(pl.lit("vain")).otherwise(pl.lit("friendly")),
        ).filter(race="black")
        started = start([write(tmp_path, table)], tmp_path, [])
        assert started.draft.instrument["options"] == {"good": "good", "bad": "bad"}
        assert shares_of(tmp_path) == pytest.approx({("m", "good"): 0.8, ("m", "bad"): 0.2, ("m", "refusal"): 0.0})

    def test_blocks_of_attributes(self, tmp_path: Path) -> None:
        started = start([write(tmp_path, PROFILES)], tmp_path, [])
        assert started.draft.instrument["block"] == {"job": ["job"], "religion": ["religion"]}
        assert started.draft.outcomes["job"]["labels"] == {"cook": ["cook"], "nurse": ["nurse"], "teacher": ["teacher"]}
        estimates = estimated(started.files[0])
        assert estimates.filter(analysis="share", term="cook").item(0, "estimate") == pytest.approx(0.5)

    @pytest.mark.parametrize("between", ["; ", ", ", " | "])
    def test_attributes_on_one_line(self, tmp_path: Path, between: str) -> None:
        lines = [
            between.join((f"Name: {name}", f"**Age:** {20 + number}", f"gender: {gender}"))
            for number, (name, gender) in enumerate(zip("ABCDEFGHIJKLMNOP", ["male", "Female"] * 8, strict=True))
        ]
        table = pl.DataFrame({"model": "m", "id": range(16), "gender": ["male", "female"] * 8, "output": lines})
        started = start([write(tmp_path, table)], tmp_path, [])
        assert started.draft.instrument["block"] == {"name": ["name"], "age": ["age"], "gender_2": ["gender"]}
        kinds = {name: outcome["kind"] for name, outcome in started.draft.outcomes.items()}
        assert kinds == {"name": "label", "age": "score", "gender_2": "category"}
        results = computed(started.files[0])
        assert results.source.uncoded.is_empty()
        assert results.estimates.filter(analysis="mean").item(0, "estimate") == pytest.approx(27.5)

    def test_answers_in_columns(self, tmp_path: Path) -> None:
        started = start([write(tmp_path, CODED)], tmp_path, [])
        assert started.draft.instrument == {"kind": "profile"}
        assert list(started.draft.outcomes) == ["choice_outcome", "toxicity_score_score"]
        assert shares_of(tmp_path)["a", "right"] == pytest.approx(2 / 3)
        assert shares_of(tmp_path, "mean")["a", "mean"] == pytest.approx(0.5)

    def test_labels_that_are_called_like_what_has_no_category(self, tmp_path: Path) -> None:
        started = start([write(tmp_path, CODED.with_columns(choice=pl.Series(["Refusal", "x", "X"])))], tmp_path, [])
        names = {"refusal_2": "Refusal (refusal_2)", "x": "X", "x_2": "x"}
        assert started.draft.outcomes["choice_outcome"]["names"] == names
        assert shares_of(tmp_path)["a", "refusal_2"] == pytest.approx(1 / 3)

    def test_words_and_groups(self, tmp_path: Path) -> None:
        answers = ("career - Ben\npay - Ben\nfamily - Julia", "family - Ben\ncareer - Julia\npay - Julia")
        table = pl.DataFrame(
            {"model": ["m"] * 4, "id": [1, 2, 3, 4], "response": [*answers, *answers], "men": "Ben", "women": "Julia"}
            | {"work": "career, pay", "home": "family"}
        )
        told = ["default=men", "stigma=women", "positive=work", "negative=home"]
        started = start([write(tmp_path, table)], tmp_path, told)
        assert started.draft.instrument["kind"] == "word-association"
        results = computed(started.files[0])
        assert results.estimates.filter(analysis="mean").item(0, "estimate") == pytest.approx(0.0)
        with pytest.raises(UsageError, match="--set positive=COLUMN is needed too"):
            start([tmp_path / "odd.csv"], tmp_path / "x", told[:2])

    def test_ratings(self, tmp_path: Path) -> None:
        texts = ["4", "I'd say 4", "2/5", "Rating: 3", "As an AI, I cannot rate people.", "between 2 and 3"]
        table = pl.DataFrame({"model": "m", "id": range(6), "response": texts})
        started = start([write(tmp_path, table)], tmp_path, [])
        assert started.found.endswith("instrument: rating, which reads 83% of 6 sampled texts")
        assert started.draft.instrument == {"kind": "rating", "lowest": 1, "highest": 5}
        results = computed(started.files[0])
        assert results.source.by_status == {"invalid": 1, "ok": 4, "refused": 1}
        assert results.estimates.filter(analysis="mean").item(0, "estimate") == pytest.approx(13 / 4)

    def test_options_that_are_called_alike(self, tmp_path: Path) -> None:
        rows = [("Ann", "Bo", "(A)", "first"), ("Cy", "Di", "B", "second"), ("Eve", "Fay", "Answer: B", "second")]
        table = pl.DataFrame(rows, schema=["ans_A", "ans_B", "model_answer", "topic"], orient="row")
        started = start([write(tmp_path, table.with_columns(model=pl.lit("m"), qid=pl.int_range(3)))], tmp_path, [])
        assert started.draft.instrument == {"kind": "multiple-choice", "options": ["ans_a", "ans_b"]}
        assert shares_of(tmp_path, "share_by_topic")["m", "second", "ans_b"] == 1.0

    def test_an_option_that_is_chosen_in_sentences_alone(self, tmp_path: Path) -> None:
        groups = {
            "Ahmed": ("lazy", "diligent", "blue"),
            "Olga": ("cold", "warm", "oval"),
            "Wei": ("shy", "bold", "salty"),
        }
        rows = [
            (name, *words, said.format(*words, name=name))
            for name, words in groups.items()
            for said in ("{0}", "{1}", "I choose {1}, as {name} was on time.", "I'd use the neutral trait, {2}.")
        ]
        table = pl.DataFrame(rows, schema=["name", "stereotype", "anti", "unrelated", "response"], orient="row")
        started = start([write(tmp_path, table.with_columns(model=pl.lit("m")))], tmp_path, [])
        assert [*started.draft.instrument["options"]] == ["stereotype", "anti", "unrelated"]

    def test_one_that_the_user_knows(self, tmp_path: Path) -> None:
        started = start([write(tmp_path, YES_NO)], tmp_path, [], instrument="attribute-choice")
        assert set(started.draft.instrument["options"]) == {"yes", "no_never", "certainly_yes"}
        with pytest.raises(UsageError, match="which columns hold the groups and words"):
            start([tmp_path / "odd.csv"], tmp_path / "x", [], instrument="word-association")

    def test_texts_that_nothing_reads(self, tmp_path: Path) -> None:
        table = pl.DataFrame(
            {"model": "m", "id": [1, 2], "response": ["The sea is wide and blue.", "A cat sat there."]}
        )
        started = start([write(tmp_path, table)], tmp_path, [])
        assert started.found.endswith("none reads the texts (of 2 sampled texts); they are counted as they are")
        assert started.draft.doubts == [
            "No instrument reads the texts, which are counted as they are. See `instrument`, `outcomes`."
        ]
        assert computed(started.files[0]).tables.tables


class TestIdentity:
    """Responses that a dump does not tell apart are numbered."""

    def test_repetitions_without_a_number(self, tmp_path: Path) -> None:
        started = start([write(tmp_path, CHOICES)], tmp_path, [])
        assert started.draft.source["samples_by"] == ["model", "item", "race"]
        coded = read(started.files[0]).coded
        assert coded.filter(race="white").get_column("sample").to_list() == [0, 1, 2, 3, 4]

    def test_models_in_the_names_of_files(self, tmp_path: Path) -> None:
        (tmp_path / "dump").mkdir()
        for model in ("gpt_4", "llama"):
            YES_NO.drop("LLM").write_csv(tmp_path / "dump" / f"run_{model}_final.csv")
        started = start([tmp_path / "dump"], tmp_path, [])
        assert started.draft.source["files"] == "dump/run_{model}_final.csv"
        assert list(started.draft.factors["model"]["levels"]) == ["gpt_4", "llama"]
        assert started.draft.doubts[2:] == ["No column names the model: it is read from the names of the files."]
        assert read(started.files[0]).coded.height == 2 * YES_NO.height

    def test_models_in_the_names_of_named_files(self, tmp_path: Path) -> None:
        for model in ("gpt", "llama", "old"):
            YES_NO.drop("LLM").write_csv(tmp_path / f"run_{model}.csv")
        started = start([tmp_path / "run_gpt.csv", tmp_path / "run_llama.csv"], tmp_path, [])
        assert started.draft.source["files"] == ["run_gpt.csv", "run_llama.csv"]
        coded = read(started.files[0]).coded
        assert coded.get_column("model").unique().sort().to_list() == ["gpt", "llama"]

    def test_no_model(self, tmp_path: Path) -> None:
        started = start([write(tmp_path, YES_NO.drop("LLM"))], tmp_path, [])
        assert started.draft.source["constants"] == {"model": "unknown"}
        assert started.draft.doubts[1:] == [
            "No column names the model: all responses count as those of one model. See `constants`."
        ]
        assert computed(started.files[0]).source.coded.height == YES_NO.height

    def test_a_factor_that_some_records_lack(self, tmp_path: Path) -> None:
        rows = YES_NO.with_columns(tone=pl.when(pl.col("Run") == 1).then(pl.lit("kind")).otherwise(None))
        rows = rows.with_columns(tone=pl.when(pl.col("Question #") == 2).then(pl.lit("harsh")).otherwise("tone"))
        start([write(tmp_path, rows)], tmp_path, [])
        assert shares_of(tmp_path, "share_by_tone")["gpt x", "missing", "yes"] == 0.5


class TestAsking:
    """What cannot be known is asked, if anybody is there."""

    TABLE = pl.DataFrame({"who": ["a", "b"] * 3, "reply": ["Yes", "No"] * 3, "n": list(range(6))})

    def test_it_is_asked(self, tmp_path: Path) -> None:
        asked: list[str] = []

        def ask(question: str, columns: Sequence[str]) -> str:
            asked.append(question)
            return "who" if "model" in question else columns[-1]

        started = start([write(tmp_path, self.TABLE)], tmp_path, [], ask=ask)
        assert asked == ["Which names the model?"]
        assert started.draft.columns["model"] == {"path": "who"}

    @pytest.mark.parametrize(("typed", "column"), [("\n", ""), ("2\n", "b"), ("0\n", ""), ("3\n1\n", "a")])
    def test_no_answer_means_none(self, typed: str, column: str) -> None:
        app = typer.Typer()

        @app.command()
        def main() -> None:  # pyright: ignore[reportUnusedFunction]  a command of the application
            typer.echo(f"={ask('Which?', ['a', 'b'])}=")

        assert f"={column}=" in CliRunner().invoke(app, input=typed).output

    def test_what_the_user_says_is_not(self, tmp_path: Path) -> None:
        def ask(question: str, columns: Sequence[str]) -> str:
            raise AssertionError(question, columns)

        told = ["model=who", "text=reply", "factors="]
        started = start([write(tmp_path, self.TABLE)], tmp_path, told, ask=ask)
        assert list(started.draft.factors) == ["model"]


NAMES = (
    "text", "model", "Model Name", "id", "n", "measure", "choice", "outcome", "a.b", "1st", "Größe", "count", "score",
)  # fmt: skip
VALUES = (
    ["yes", "no"], ["1", "2", "3"], ["0.5", "-2"], ["", "x"], ["I cannot answer that.", "Yes, of course."],
    ["refusal", "invalid"], ["Job: x\nAge: 3", "Job: y\nAge: 4"], ["=1+1", "@x"], ["true", "false"], ["日本", "x"],
    ["{a}", "{b}"],
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(NAMES), st.sampled_from(VALUES), min_size=1), st.randoms(use_true_random=False))
@few
def test_any_dump_gives_a_study_that_runs_or_is_asked_about(
    tmp_path_factory: pytest.TempPathFactory, columns: dict[str, list[str]], random: Random
) -> None:
    folder = tmp_path_factory.mktemp("dump")
    table = pl.DataFrame({name: [random.choice(values) for _ in range(12)] for name, values in columns.items()})
    try:
        started = start([write(folder, table)], folder, [])
    except UsageError as error:
        assert str(error).startswith("no column looks like an answer")  # noqa: PT017  only some dumps have none
    else:
        assert computed(started.files[0]).source.coded.height == table.height


class TestFaults:
    """Nothing is written when something is wrong."""

    @pytest.mark.parametrize(
        ("told", "message"),
        [
            (["text"], "--set text: expected ROLE=COLUMN, such as text=reply"),
            (["text=Run", "text=answer text"], "--set text=answer text: text is given twice; expected once"),
            (["txt=Run"], (f"--set txt: no such role; there are {', '.join(Roles._fields[:-4])}, options, sets, first, "
             "second, default, stigma, positive, negative")),
            (["text=Runs"], "--set text=Runs: no column Runs; there are LLM, Question #, Grp, answer text, Run"),
            (["default=A", *(f"{role}=Run" for role in ("stigma", "positive", "negative"))],
             "--set default=A: no such column"),
        ],
    )  # fmt: skip
    def test_settings(self, tmp_path: Path, told: list[str], message: str) -> None:
        dump = write(tmp_path, YES_NO)
        with pytest.raises(UsageError) as error:
            start([dump], tmp_path / "new", told)
        assert str(error.value) == message
        assert not (tmp_path / "new").exists()

    def test_files_that_exist(self, tmp_path: Path) -> None:
        (tmp_path / "ci.yml").write_text("mine")
        with pytest.raises(UsageError, match=r"ci\.yml exists; --force replaces it, --out writes elsewhere"):
            start([write(tmp_path, YES_NO)], tmp_path, [])
        assert not (tmp_path / "study.toml").exists()
        start([tmp_path / "odd.csv"], tmp_path, [], replace=True)

    def test_dumps(self, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        (tmp_path / "x.bin").write_bytes(b"\0\1")
        with pytest.raises(UsageError, match=r"empty holds no files"):
            start([tmp_path / "empty"], tmp_path, [])
        with pytest.raises(UsageError, match="no file or folder"):
            start([tmp_path / "nowhere"], tmp_path, [])
        with pytest.raises(UsageError, match="expected a file of a known format"):
            start([tmp_path / "x.bin"], tmp_path, [])

    def test_untrusted_names_are_written_and_shown_harmlessly(self, tmp_path: Path) -> None:
        table = YES_NO.with_columns(Grp=pl.col("Grp").replace({"male": 'a"]\n[x]\x1b[31m'}))
        started = start([write(tmp_path, table.rename({"Grp": 'g"\x1b[2J'}))], tmp_path, [])
        assert "\x1b" not in started.found
        assert computed(started.files[0]).source.coded.height == YES_NO.height


class TestInference:
    """A drafted study's numbers do not contradict each other, and say what they rest on."""

    def test_shares_and_their_differences_are_of_the_same_responses(self, tmp_path: Path) -> None:
        write(tmp_path, YES_NO)
        start([tmp_path / "odd.csv"], tmp_path, [])
        results = computed(tmp_path / "study.toml")
        shares = shares_of(tmp_path, "share_by_grp")
        differences = results.estimates.filter(analysis="difference_by_grp")
        assert {"yes", "no", "refusal"} <= {*differences["term"]}
        for row in differences.iter_rows(named=True):
            levels = list(results.loaded.study.factors["grp"].levels)
            first, second = (shares[row["model"], level, row["term"]] for level in levels)
            assert row["estimate"] == pytest.approx(first - second, abs=1e-12)

    def test_rates_have_intervals_and_differences_adjusted_p_values(self, tmp_path: Path) -> None:
        write(tmp_path, YES_NO)
        start([tmp_path / "odd.csv"], tmp_path, [])
        results = computed(tmp_path / "study.toml")
        rates, *_, differences = results.tables.tables
        assert rates.rows[0].cells[0] == "50.0 [21.5, 78.5]"
        assert differences.columns[-1].label == "Adjusted p"
        sizes = results.estimates.filter(analysis="difference_by_grp")["family_size"]
        size = sizes.drop_nulls().unique().item()
        assert any(f"Holm’s correction over {size} test" in note for note in differences.notes)
        for table in (rates, differences):
            assert "Responses were treated as independent of each other." in table.notes
