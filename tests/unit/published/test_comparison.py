"""The comparison: what matches, what an erratum covers, and what it must not cover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import DataError, UsageError
from tallybook.published.comparison import (
    Regenerated,
    agreement,
    compare,
    counts,
    counts_by_strictness,
    counts_not_compared,
    not_compared,
    outside_tables,
    read_published,
)
from tests.unit.published.comparisons import (
    ERRATUM,
    NEAR,
    OTHER_SHARE,
    SHARE,
    STARS,
    cells,
    published,
    study_with,
    verdicts,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.model import Study


def test_an_erratum_covers_exactly_its_two_values() -> None:
    study = study_with([ERRATUM])
    assert verdicts(study, cells((*STARS, None, "")), published((*STARS, "***"))) == [
        ("erratum", "kept: a kept p-value")
    ]


@pytest.mark.parametrize(
    ("regenerated", "printed"), [("*", "***"), ("", "**")], ids=["other value now", "other value printed"]
)
def test_an_erratum_excuses_nothing_else(regenerated: str, printed: str) -> None:
    study = study_with([ERRATUM])
    covered = (("A5", "white", "neutral", "stars", None, ""), ("A5", "white", "neutral", "stars", "***"))
    found = verdicts(study, cells((*STARS, None, regenerated), covered[0]), published((*STARS, printed), covered[1]))
    assert [verdict for verdict, _ in found] == ["mismatch", "erratum"]
    assert found[0][1] == ("kept expects ''" if printed == "***" else "")


def test_a_stale_erratum_is_an_error() -> None:
    with pytest.raises(UsageError, match="apply to no published number: kept"):
        compare(study_with([ERRATUM]), cells((*STARS, None, "")), published((*STARS, "")))


def test_a_stale_remark_is_an_error() -> None:
    remark = {"id": "note", "title": "t", "explanation": "e", "cells": [{"tables": ["A99"]}]}
    with pytest.raises(UsageError, match="note"):
        compare(study_with([], [remark]), cells((*STARS, None, "")), published((*STARS, "")))


def test_a_remark_is_noted_on_a_match() -> None:
    remark = {"id": "note", "title": "read this", "explanation": "e", "cells": [{"tables": ["A5"]}]}
    found = verdicts(study_with([], [remark]), cells((*STARS, None, "")), published((*STARS, "")))
    assert found == [("match", "note: read this")]


def test_a_number_that_is_not_regenerated_is_a_mismatch() -> None:
    found = compare(study_with([]), cells(), published((*STARS, "")))
    assert found.row(0, named=True)["verdict"] == "mismatch"
    assert found.row(0, named=True)["regenerated"] is None
    assert found.row(0, named=True)["note"] == "no such number is regenerated"


@pytest.mark.parametrize(
    ("printed", "found", "how"),
    [
        ("5.60", Regenerated(5.6, "5.60"), ""),
        ("5.6", Regenerated(5.6, "5.60"), "at the published precision"),
        ("5.61", Regenerated(5.6, "5.60"), None),
        (".41", Regenerated(0.407, "0.407"), "at the published precision"),
        ("-0.02", Regenerated(-0.0249, "-0.025"), "at the published precision"),
        ("0.02", Regenerated(-0.02, "-0.02"), None),
        ("0.00", Regenerated(None, "–"), None),
        ("–", Regenerated(None, "–"), ""),
        ("", Regenerated(0.2, "*"), None),
        ("***", Regenerated(0.0001, "**"), None),
        ("self-employed (2.0%)", Regenerated(2.0, "selfemployed (2.0%)", ignore="-"), "apart from '-'"),
        ("nurse (2.0%)", Regenerated(2.0, "judge (2.0%)"), None),
        ("nurse (2.0%)", Regenerated(2.0, "judge (2.0%)", ("judge (2.0%)", "nurse (2.0%)")), "another order"),
        ("nurse (4.0%)", Regenerated(2.0, "judge (2.0%)", ("judge (2.0%)", "nurse (2.0%)")), None),
        # Scientific notation: the digits of the mantissa are the precision.
        ("4.7e-235", Regenerated(4.7007e-235, "4.7e-235"), ""),
        ("4.70e-235", Regenerated(4.7007e-235, "4.7e-235"), "at the published precision"),
        ("4.71e-235", Regenerated(4.7007e-235, "4.7e-235"), None),
        ("5e-235", Regenerated(4.7007e-235, "4.7e-235"), "at the published precision"),
        ("4.7E-235", Regenerated(4.7007e-235, "4.7e-235"), "at the published precision"),
        ("4.7e-0235", Regenerated(4.7007e-235, "4.7e-235"), "at the published precision"),
        ("4.7e-23", Regenerated(4.7007e-235, "4.7e-235"), None),
        ("-4.7e-235", Regenerated(4.7007e-235, "4.7e-235"), None),
        ("4.7e-05", Regenerated(4.7007e-5, "0.0000"), "at the published precision"),
        ("1.0e-04", Regenerated(9.96e-5, "9.96e-05"), "at the published precision"),
        ("1e-04", Regenerated(9.96e-5, "9.96e-05"), "at the published precision"),
        ("9.9e-05", Regenerated(9.96e-5, "9.96e-05"), None),
        ("0.0000", Regenerated(4.7007e-5, "4.7e-05"), "at the published precision"),
        ("1.5e+3", Regenerated(1499.0, "1499"), "at the published precision"),
        ("0.0e+00", Regenerated(0.0, "0.0000"), "at the published precision"),
        ("4.7e-235", Regenerated(None, "–"), None),
        ("4.7e-235x", Regenerated(4.7007e-235, "4.7e-235"), None),
        ("e-235", Regenerated(4.7007e-235, "4.7e-235"), None),
    ],
)
def test_agreement(printed: str, found: Regenerated, how: str | None) -> None:
    result = agreement(printed, found, "half-even")
    if how is None:
        assert result is None
    else:
        assert result is not None
        strictness, said = result
        assert said.startswith(how) if how else not said
        assert strictness == ("tied-order" if how == "another order" else "last-digit")


@pytest.mark.parametrize(
    ("rounding", "printed", "how"),
    [
        ("truncate", "4.70e-235", "at the published precision"),
        ("truncate", "4.71e-235", None),
        ("half-even", "4.71e-235", "at the published precision"),
        ("half-up", "4.71e-235", "at the published precision"),
        ("half-up", "4.70e-235", None),
    ],
)
def test_a_mantissa_is_rounded_as_the_study_says(rounding: Any, printed: str, how: str | None) -> None:
    found = agreement(printed, Regenerated(4.7099e-235, "4.7e-235"), rounding)
    assert (found[1] if found else None) == how


# --- another rounding than the study's --------------------------------------------------------------------------------


def with_rounding(rounding: str, *rerounded: dict[str, Any], remarks: Any = (), errata: Any = ()) -> Study:
    published = {"file": "values.csv", "rerounded": list(rerounded)}
    return study_with(list(errata), list(remarks), style={"rounding": rounding}, published=published)


@pytest.mark.parametrize(
    ("rounding", "value", "printed", "note"),
    [
        ("truncate", 6.789, "6.8", "agrees only if rounded"),
        ("truncate", 6.25, "6.3", "agrees only if rounded half up"),
        ("half-even", 6.25, "6.3", "agrees only if rounded half up"),
        ("half-even", 6.789, "6.7", "agrees only if cut off"),
        ("half-up", 6.25, "6.2", "agrees only if rounded"),
        ("half-up", 6.789, "6.7", "agrees only if cut off"),
        ("half-even", 6.789, "6.9", ""),
        ("truncate", 4.7099e-235, "4.71e-235", "agrees only if rounded"),
        ("half-even", 4.7099e-235, "4.70e-235", "agrees only if cut off"),
    ],
)
def test_a_number_of_another_rounding_is_a_mismatch_that_says_so(
    rounding: str, value: float, printed: str, note: str
) -> None:
    regenerated = cells((*SHARE, value, "6.x"))
    assert verdicts(with_rounding(rounding), regenerated, published((*SHARE, printed))) == [("mismatch", note)]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"tables": ["A5"], "rounding": "half-even"}, ["match", "match"]),
        ({"tables": ["A5"], "rows": ["white"], "rounding": "half-even"}, ["match", "mismatch"]),
        ({"tables": ["A5"], "columns": ["liberal"], "rounding": "half-even"}, ["match", "match"]),
        ({"tables": ["A5"], "statistics": ["stars"], "rounding": "half-even"}, ["mismatch", "mismatch"]),
        ({"tables": ["A6"], "rounding": "half-even"}, ["mismatch", "mismatch"]),
        ({"tables": ["A5"], "rounding": "truncate"}, ["mismatch", "mismatch"]),
    ],
)
def test_another_rounding_is_allowed_only_where_declared(rule: dict[str, Any], expected: list[str]) -> None:
    regenerated = cells((*SHARE, 6.789, "6.7"), (*OTHER_SHARE, 6.789, "6.7"))
    printed = published((*SHARE, "6.8"), (*OTHER_SHARE, "6.8"))
    found = verdicts(with_rounding("truncate", rule), regenerated, printed)
    assert found == [(verdict, "agrees only if rounded") for verdict in expected]


def test_a_number_that_agrees_as_the_study_rounds_needs_no_other_rounding() -> None:
    rule = {"tables": ["A5"], "rounding": "half-even"}
    found = verdicts(with_rounding("truncate", rule), cells((*SHARE, 6.789, "6.7")), published((*SHARE, "6.78")))
    assert found == [("match", "at the published precision")]


def test_an_allowed_rounding_excuses_no_other_number() -> None:
    rule = {"tables": ["A5"], "rounding": "half-even"}
    study = with_rounding("truncate", rule)
    for printed in ("6.9", "6.6", "6.80", "–"):
        found = verdicts(study, cells((*SHARE, 6.789, "6.7")), published((*SHARE, printed)))
        assert found == [("mismatch", "")]


def test_remarks_stand_behind_how_a_number_agrees() -> None:
    remark = {"id": "note", "title": "read this", "explanation": "e", "cells": [{"tables": ["A5"]}]}
    rule = {"tables": ["A5"], "rounding": "half-even"}
    regenerated, printed = cells((*SHARE, 6.789, "6.7")), published((*SHARE, "6.8"))
    note = "agrees only if rounded; note: read this"
    assert verdicts(with_rounding("truncate", rule, remarks=[remark]), regenerated, printed) == [("match", note)]
    assert verdicts(with_rounding("truncate", remarks=[remark]), regenerated, printed) == [("mismatch", note)]


def test_an_erratum_comes_before_another_rounding() -> None:
    erratum = ERRATUM | {"cells": [{"tables": ["A5"], "printed": "6.8", "regenerated": "6.7"}]}
    rule = {"tables": ["A5"], "rounding": "half-even"}
    study = with_rounding("truncate", rule, errata=[erratum])
    found = verdicts(study, cells((*SHARE, 6.789, "6.7")), published((*SHARE, "6.8")))
    assert found == [("erratum", "kept: a kept p-value")]


def test_a_study_without_published_values_allows_no_other_rounding() -> None:
    study = study_with([], published=None, style={"rounding": "truncate"})
    found = verdicts(study, cells((*SHARE, 6.789, "6.7")), published((*SHARE, "6.8")))
    assert found == [("mismatch", "agrees only if rounded")]


# --- numbers that nothing released can give ---------------------------------------------------------------------------

LEFT_OUT = {"tables": ["A5"], "statistics": ["stars"], "reason": "needs vectors"}
PRINTED = {
    "axes": {"x": [{"entries": {"x": "X"}}]},
    "tables": [{"id": "P", "title": "", "rows": ["x"], "columns": ["x"], "cell": "{n}", "repeats": ["Q"]}],
}


def test_what_cannot_be_compared_is_left_out_and_listed() -> None:
    study = study_with([], published={"file": "values.csv", "not_compared": [LEFT_OUT]}, printed=PRINTED)
    printed = published(
        ("P", "x", "x", "n", "5"), (*SHARE, "6.8"), (*STARS, "*"), ("Q", "x", "x", "n", "5"), (*OTHER_SHARE, "1")
    )
    compared = compare(study, cells((*SHARE, 6.8, "6.8"), (*STARS, 0.1, "")), printed)
    assert compared.select("table", "row", "statistic", "verdict").rows() == [
        ("A5", "white", "percent", "match"),
        ("A5", "black", "percent", "mismatch"),
    ]
    printed_only = "no data were released: the table is printed as published"
    assert not_compared(study, printed).rows() == [
        ("P", "x", "x", "n", "5", printed_only),
        (*STARS, "*", "needs vectors"),
        ("Q", "x", "x", "n", "5", printed_only),
    ]


def test_everything_is_compared_unless_declared() -> None:
    left_out = not_compared(study_with([], published=None), published((*SHARE, "6.8")))
    assert left_out.height == 0
    assert left_out.columns == ["table", "row", "column", "statistic", "published", "reason"]


def test_a_number_to_leave_out_must_exist() -> None:
    declared = {"file": "values.csv", "not_compared": [LEFT_OUT, LEFT_OUT | {"rows": ["x"]}]}
    with pytest.raises(UsageError, match=r"published.not_compared\[2\] applies to no published number"):
        compare(study_with([], published=declared), cells(), published((*STARS, "*")))


def test_an_erratum_of_a_number_that_is_left_out_is_stale() -> None:
    study = study_with([ERRATUM], published={"file": "values.csv", "not_compared": [LEFT_OUT]})
    with pytest.raises(UsageError, match="apply to no published number: kept"):
        compare(study, cells((*STARS, None, "")), published((*STARS, "***")))


def test_an_erratum_of_a_contradiction_in_print_needs_no_regenerated_number() -> None:
    erratum = ERRATUM | {"cells": [], "violations": [{"tables": ["A5"], "printed": "1 [2, 3]"}]}
    assert verdicts(study_with([erratum]), cells((*SHARE, 1.0, "1")), published((*SHARE, "1"))) == [("match", "")]


def test_counts_name_every_verdict() -> None:
    assert counts(pl.DataFrame({"verdict": ["match", "match"]})) == {
        "match": 2, "erratum": 0, "not-reproduced": 0, "mismatch": 0,
    }  # fmt: skip
    strict = pl.DataFrame({"strictness": ["last-digit", "", "tolerance", "last-digit"]})
    assert counts_by_strictness(strict) == {"last-digit": 2, "tied-order": 0, "either-rounding": 0, "tolerance": 1}


def test_what_no_rule_gives_is_not_an_erratum() -> None:
    unknown = {name: ERRATUM[name] for name in ("id", "title", "explanation", "cells")}
    study = study_with([], not_reproduced=[unknown])
    found = compare(study, cells((*STARS, None, "")), published((*STARS, "***")))
    assert found.select("verdict", "strictness", "note").rows() == [("not-reproduced", "", "kept: a kept p-value")]
    other = compare(study, cells((*STARS, None, "*")), published((*STARS, "***")))
    assert other.select("verdict", "note").rows() == [("mismatch", "kept expects ''")]
    with pytest.raises(UsageError, match="apply to no published number: kept"):
        compare(study, cells((*STARS, None, "")), published((*STARS, "")))


def test_an_erratum_names_its_evidence() -> None:
    with pytest.raises(ValueError, match="'evidence' with 'cells': the files, the rows and the rule"):
        study_with([{name: value for name, value in ERRATUM.items() if name != "evidence"}])


def test_how_strict_a_match_is() -> None:
    rule = {"tables": ["A5"], "rounding": "half-even"}
    near = NEAR | {"rows": ["black"]}
    declared = {"file": "values.csv", "rerounded": [rule], "tolerances": [near]}
    study = study_with([], style={"rounding": "truncate"}, published=declared)
    keys = [SHARE, OTHER_SHARE, ("A5", "asian", "liberal", "percent")]
    found = compare(
        study,
        cells((*keys[0], 6.78, "6.7"), (*keys[1], 6.93, "6.9"), (*keys[2], 6.8, "6.8")),
        published(*((table, row, column, name, "6.8") for table, row, column, name in keys)),
    )
    assert found["strictness"].to_list() == ["either-rounding", "tolerance", "last-digit"]


def test_what_is_not_compared_is_counted_by_reason() -> None:
    unlisted = [{"numbers": 12, "reason": "not at hand"}, {"numbers": 3, "reason": "needs vectors"}]
    declared = {"file": "values.csv", "not_compared": [LEFT_OUT], "unlisted": unlisted}
    study = study_with([], published=declared, printed=PRINTED)
    left_out = not_compared(study, published((*SHARE, "6.8"), (*STARS, "")))
    assert counts_not_compared(study, published((*SHARE, "6.8"), (*STARS, ""))) == {
        "needs vectors": left_out.height + 3, "not at hand": 12,
    }  # fmt: skip


def test_published_values_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text("table,row,column,statistic,printed\n1,a,b,c,\n1,a,b,c,2\n")
    with pytest.raises(DataError, match="no two rows with the same table, row, column, statistic"):
        read_published(path)
    path.write_text("table,row,column,printed\n1,a,b,c\n")
    with pytest.raises(DataError, match="column statistic: expected this column"):
        read_published(path)
    with pytest.raises(DataError, match="a readable CSV file of published values"):
        read_published(tmp_path / "absent.csv")
    path.write_text("table,row,column,statistic,printed\n1,a,,c,\n")
    assert read_published(path).row(0) == ("1", "a", "", "c", "")


# --- numbers that stand in no table -----------------------------------------------------------------------------------

AT = {"table": "text", "row": "r", "column": "c", "statistic": "s"}


def test_a_number_of_the_narrative_is_compared(tmp_path: Path) -> None:
    part = {
        "statistic": "s",
        "analysis": "pooled_share",
        "term": "liberal",
        "style": "number",
        "digits": 1,
        "scale": 100,
    }
    where = {"prompt_type": "implicit", "dimension": "gender", "group": "male"}
    number = {"part": part, "outcome": "politics", "where": where, "printed": [AT]}
    study = study_with([], numbers={"share": number})
    row = {
        "analysis": "pooled_share",
        "outcome": "politics",
        "term": "liberal",
        "estimate": 0.25,
        "status": "ok",
    } | where
    found = outside_tables(study, pl.DataFrame([row]), published(("text", "r", "c", "s", "25")), tmp_path)
    assert found.select("table", "row", "column", "statistic", "value", "text").rows() == [
        ("text", "r", "c", "s", 25.0, "25.0")
    ]
    with pytest.raises(UsageError, match="no published number to compare with: text, r, c, s"):
        outside_tables(study, pl.DataFrame([row]), published((*SHARE, "25")), tmp_path)


@pytest.mark.parametrize(
    ("content", "row"), [("z\n0.5\n1.25\n", 2), ("y\n1\n", 0), ("z\nx\n", 0), (None, 0)],
    ids=["no such row", "no such column", "no number", "no file"],
)  # fmt: skip
def test_a_recovered_value_is_compared(tmp_path: Path, content: str | None, row: int) -> None:
    def cells_of(row: int) -> pl.DataFrame:
        recovered = {"file": "z.csv", "row": row, "column": "z", "printed": AT}
        study = study_with([], published={"file": "values.csv", "recovered": [recovered]})
        return outside_tables(
            study, pl.DataFrame({"analysis": []}), published(("text", "r", "c", "s", "1.2")), tmp_path
        )

    (tmp_path / "z.csv").write_text("z\n0.5\n1.25\n", encoding="utf-8")
    assert cells_of(1)["value"].to_list() == [1.25]
    (tmp_path / "z.csv").unlink() if content is None else (tmp_path / "z.csv").write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=rf"z\.csv.*a number in row {row} \(from 0\)"):
        cells_of(row)
