"""`init` on dumps of log-likelihoods: the right columns under their own names, and a study that runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import UsageError
from tallybook.drafting.starting import start
from tests.trusted import computed, read

if TYPE_CHECKING:
    from tallybook.drafting.starting import Started

CROWS = ",model,sent_more,sent_less,bias_type,sent_more_score,sent_less_score\n" + "".join(
    f"{number},{model},The poor one {number}.,The rich one {number}.,{bias},{-30 - number % 3}.5,{-31 - number % 2}\n"
    for number, (model, bias) in enumerate([(m, b) for m in "mn" for b in ("race", "age") for _ in range(20)])
)
STEREO = "".join(
    f'{{"id": "q{number}", "model": "{model}", "logprob_stereo": -{number}.5, "logprob_anti": -2, '
    f'"logprob_unrelated": -9}}\n'
    for model in "mn"
    for number in range(20)
)
NLL = "pair_id,lm,nll_stereotype,nll_antistereotype\n" + "".join(
    f"{number},{model},{20 + number % 7}.5,23\n" for model in "mn" for number in range(20)
)


def _started(folder: Path, name: str, content: str, *told: str, instrument: str | None = None) -> Started:
    (folder / name).parent.mkdir(exist_ok=True, parents=True)
    (folder / name).write_text(content)
    return start([folder / Path(name).parts[0]], folder / "out", told, instrument=instrument)


@pytest.mark.parametrize(
    ("name", "content", "instrument", "first"),
    [
        ("crows.csv", CROWS, {"first": "sent_more_score", "second": "sent_less_score"}, 41 / 80),
        (
            "stereo.jsonl",
            STEREO,
            {"first": "logprob_stereo", "second": "logprob_anti", "unrelated": "logprob_unrelated"},
            0.1,
        ),
        ("nll.csv", NLL, {"difference": "likelihood"}, 9 / 20),
    ],
)
def test_two_columns(tmp_path: Path, name: str, content: str, instrument: dict[str, str], first: float) -> None:
    started = _started(tmp_path, name, content)
    assert started.draft.instrument == {"kind": "likelihood-pair"} | instrument
    assert set(started.draft.factors) <= {"model", "bias_type"}
    assert "text" not in started.draft.columns
    results = computed(tmp_path / "out" / "study.toml")
    assert results.source.by_status == {"ok": len(content.splitlines()) - (0 if name.endswith("jsonl") else 1)}
    shares = results.source.coded["preference"].value_counts(normalize=True)
    found = dict(shares.iter_rows())
    labels = started.draft.outcomes["preference"]["labels"]
    assert found[next(iter(labels))] == pytest.approx(first)


def test_lines_of_differences(tmp_path: Path) -> None:
    content = "".join(f"{number - 3}.25\n" for number in range(9))
    (tmp_path / "lines").mkdir()
    (tmp_path / "lines" / "gpt2.txt").write_text(content)
    started = _started(tmp_path, "lines/bert.txt", content)
    assert started.draft.instrument == {"kind": "likelihood-pair", "difference": "score"}
    assert list(started.draft.factors["model"]["levels"]) == ["bert", "gpt2"]
    coded = read(tmp_path / "out" / "study.toml").coded
    assert coded.filter(model="bert", item="4")["difference"].to_list() == [0.25]


def test_columns_that_the_user_names(tmp_path: Path) -> None:
    content = "id,x,y\n" + "".join(f"{number},{number}.5,{7 - number}.25\n" for number in range(20))
    with pytest.raises(UsageError, match="no two columns of numbers look like log-likelihoods"):
        _started(tmp_path, "a.csv", content, instrument="likelihood-pair")
    started = _started(tmp_path, "a.csv", content, "first=x", "second=y")
    assert started.draft.instrument == {"kind": "likelihood-pair", "first": "x", "second": "y"}


def test_columns_that_the_user_names_win(tmp_path: Path) -> None:
    """Neither an answer beside them nor a word among the numbers hides them; what is no number is named."""
    content = "id,response,x,y\n" + "".join(f"{number},Yes,{number}.5,{7 - number}.25\n" for number in range(20))
    started = _started(tmp_path, "a.csv", content, "first=x", "second=y")
    assert started.draft.instrument == {"kind": "likelihood-pair", "first": "x", "second": "y"}
    with pytest.raises(UsageError, match=r"--set second=y: .*key row 4, column y: found much; expected a number"):
        _started(tmp_path / "b", "a.csv", content.replace(",5.25", ",much"), "first=x", "second=y")


def test_missing_likelihoods(tmp_path: Path) -> None:
    started = _started(tmp_path, "crows.csv", CROWS.replace("-30.5", "NaN", 2).replace("-31.5", "-inf", 1))
    assert started.draft.instrument["first"] == "sent_more_score"
    assert started.draft.source["missing"] == ["-inf", "NaN"]
    assert "-inf, NaN stand for missing numbers in sent_more_score (3 records). See `missing`." in started.draft.doubts
    assert computed(tmp_path / "out" / "study.toml").source.by_status == {"ok": 77, "invalid": 3}


def _absolute(number: int) -> dict[str, Any]:
    pair = (-20.5 - number % 7, -21.25 - number % 4)
    texts = {
        "sent_more": f"The poor one {number}.",
        "sent_less": f"The rich one {number}.",
        "bias_type": "ab"[number % 2],
    }
    return {"doc": texts, "likelihood_diff": abs(pair[0] - pair[1]), "pair": pair}


def test_absolute_differences_beside_lists_of_both(tmp_path: Path) -> None:
    """lm-eval's crows_pairs says how far apart two texts are; which is likelier stands in `resps`."""
    rows: list[dict[str, Any]] = [_absolute(number) | {"doc_id": number, "target": 0} for number in range(40)]
    pairs: list[tuple[float, float]] = [row.pop("pair") for row in rows]
    content = "".join(
        json.dumps(
            row | {"resps": [[[str(x), "False"]], [[str(y), "True"]]], "filtered_resps": [[x, False], [y, True]]}
        )
        + "\n"
        for row, (x, y) in zip(rows, pairs, strict=True)
    )
    started = _started(tmp_path, "gpt2/samples_crows_pairs_english_2025-01-01T00-00-00.01.jsonl", content)
    paths = [started.draft.columns[started.draft.instrument[side]]["path"] for side in ("first", "second")]
    assert paths == ["resps.0.0.0", "resps.1.0.0"]
    coded = read(tmp_path / "out" / "study.toml").coded
    assert coded["preference"].to_list().count("sent_more") == sum(x > y for x, y in pairs)


def test_lists_that_are_called_likelihoods(tmp_path: Path) -> None:
    rows = [_absolute(number) for number in range(40)]
    content = "".join(
        json.dumps(
            {"id": number, "model": "m", "loglikelihoods": row["pair"], "abs_difference": row["likelihood_diff"]}
        )
        + "\n"
        for number, row in enumerate(rows)
    )
    started = _started(tmp_path, "crows.jsonl", content)
    assert started.draft.instrument["kind"] == "likelihood-pair"
    coded = read(tmp_path / "out" / "study.toml").coded
    assert coded["likelier"].to_list().count("first") == sum(row["pair"][0] > row["pair"][1] for row in rows)


def test_differences_that_are_never_negative(tmp_path: Path) -> None:
    """What is never negative does not say which text is likelier: no preference is made of it."""
    content = "id,model,logprob_diff\n" + "".join(f"{number},m,{number % 7}.25\n" for number in range(40))
    with pytest.raises(UsageError, match="no column looks like an answer"):
        _started(tmp_path, "a.csv", content)
    signed = _started(tmp_path / "b", "a.csv", content.replace(",3.25", ",-3.25"))
    assert signed.draft.instrument == {"kind": "likelihood-pair", "difference": "logprob_diff"}


def test_records_of_a_third_kind_are_passed(tmp_path: Path) -> None:
    """StereoSet has a third text without meaning: pairs are of the two others, which is said."""
    kinds = ("stereotype", "anti-stereotype", "unrelated")
    scores = [[-20 - (number * place + 3 * number) % 7 for place in (1, 2, 3)] for number in range(20)]
    content = "model,context_id,label,sentence,logprob\n" + "".join(
        f"m,c{number},{kind},Text {number} {kind}.,{score}.5\n"
        for number, own in enumerate(scores)
        for kind, score in zip(kinds, own, strict=True)
    )
    started = _started(tmp_path, "a.csv", content)
    assert any("Records of unrelated are not read." in doubt for doubt in started.draft.doubts)
    coded = read(tmp_path / "out" / "study.toml").coded
    apart = [own[0] - own[1] for own in scores]
    found = [coded["likelier"].to_list().count(side) for side in ("first", "second", "tie")]
    assert found == [sum(one > 0 for one in apart), sum(one < 0 for one in apart), apart.count(0)]
