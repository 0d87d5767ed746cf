"""The comparison: what matches, what an erratum covers, and what it must not cover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import DataError, UsageError
from tallybook.published.comparison import Regenerated, agreement, compare, counts, not_compared, read_published
from tallybook.study.loading import load
from tallybook.study.model import Study
from tallybook.tables.layout import CELL_SCHEMA

if TYPE_CHECKING:
    from pathlib import Path


def study_with(errata: list[dict[str, Any]], remarks: list[dict[str, Any]] | None = None, **parts: Any) -> Study:
    content = load("wang2025").study.model_dump(by_alias=True, exclude_unset=True)
    return Study.model_validate(content | {"errata": errata, "remarks": remarks or []} | parts)


def cells(*rows: tuple[Any, ...]) -> pl.DataFrame:
    complete = [(*row, *((), "")[len(row) - 6 :]) for row in rows]
    return pl.DataFrame(complete, schema=CELL_SCHEMA, orient="row")


def published(*rows: tuple[str, str, str, str, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["table", "row", "column", "statistic", "printed"], orient="row")


STARS = ("A5", "white", "liberal", "stars")
ERRATUM = {
    "id": "kept",
    "title": "a kept p-value",
    "explanation": "The last loop's p-value was kept.",
    "cells": [{"tables": ["A5"], "rows": ["white"], "printed": "***", "regenerated": ""}],
}


def verdicts(study: Study, regenerated: pl.DataFrame, printed: pl.DataFrame) -> list[tuple[str, str]]:
    compared = compare(study, regenerated, printed)
    return list(compared.select("verdict", "note").iter_rows())


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
    assert result == how if not how else result is not None and result.startswith(how)


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
    assert agreement(printed, Regenerated(4.7099e-235, "4.7e-235"), rounding) == how


# --- another rounding than the study's --------------------------------------------------------------------------------

SHARE = ("A5", "white", "liberal", "percent")
OTHER_SHARE = ("A5", "black", "liberal", "percent")


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


# --- tolerances -------------------------------------------------------------------------------------------------------

NEAR = {"tables": ["A5"], "relative": 0.02, "reason": "read from a figure"}
FULL = {"tables": ["A5"], "relative": 1e-9, "significant": 13, "reason": "the last digits depend on the machine"}
IN_NOTE = "within 0.02 of the published number: read from a figure"


def with_tolerances(*tolerances: dict[str, Any], remarks: Any = (), **published: Any) -> Study:
    declared = {"file": "values.csv", "tolerances": list(tolerances)} | published
    return study_with([], list(remarks), published=declared)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(10.2, "match"), (9.8, "match"), (10.2001, "mismatch"), (9.79, "mismatch"), (-10.0, "mismatch")],
)
def test_a_tolerance_is_a_share_of_the_published_number(value: float, verdict: str) -> None:
    found = verdicts(with_tolerances(NEAR), cells((*SHARE, value, f"{value:.3f}")), published((*SHARE, "10.00")))
    assert found == [(verdict, IN_NOTE if verdict == "match" else "")]


def test_a_number_that_agrees_anyway_needs_no_tolerance() -> None:
    printed = published((*SHARE, "10.0"))
    assert verdicts(with_tolerances(NEAR), cells((*SHARE, 10.04, "10.04")), printed) == [
        ("match", "at the published precision")
    ]


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "match"),
        ({"rows": ["black"]}, "mismatch"),
        ({"columns": ["conservative"]}, "mismatch"),
        ({"statistics": ["percent"]}, "match"),
        ({"statistics": ["stars"]}, "mismatch"),
    ],
)
def test_a_tolerance_is_for_the_numbers_that_it_selects(changes: dict[str, Any], verdict: str) -> None:
    others = (("A5", "black", "conservative", "stars", "*"), ("A5", "black", "conservative", "percent", "1"))
    regenerated = cells((*SHARE, 10.1, "10.1"), (*others[0][:4], None, "*"), (*others[1][:4], 1.0, "1"))
    found = verdicts(with_tolerances(NEAR | changes), regenerated, published((*SHARE, "10.0"), *others))
    assert [verdict for verdict, _ in found] == [verdict, "match", "match"]


@pytest.mark.parametrize(
    ("printed", "value", "verdict"),
    [
        ("36.24740975506726", 36.24740975506728, "match"),
        ("36.24740975506726", 36.2474097551, "match"),
        ("36.24740975506726", 36.2474099, "mismatch"),
        ("7.742145278030203e-281", 7.74214527809863e-281, "match"),
        ("1.3811164278935356e-307", 1.3811164278935e-307, "match"),
        ("0.00011255432010055761", 0.00011255432010053459, "match"),
        ("36.2474097550", 36.2474097551, "mismatch"),  # twelve digits are a number that somebody rounded
        ("0.0000000000011", 1.2e-12, "mismatch"),  # two digits
    ],
)
def test_numbers_printed_in_full(printed: str, value: float, verdict: str) -> None:
    found = verdicts(with_tolerances(FULL), cells((*SHARE, value, repr(value))), published((*SHARE, printed)))
    note = "within 1e-09 of the published number: the last digits depend on the machine"
    assert found == [(verdict, note if verdict == "match" else "")]


@pytest.mark.parametrize(
    ("printed", "value", "verdict"),
    [
        ("2.7547e-240", 1.3407e-239, "match"),  # ln p -551.62 and -550.04
        ("2.7547e-240", 1.3407e-234, "mismatch"),  # -538.52
        ("0.5", 0.3, "mismatch"),
        ("2.7547e-240", 0.0, "mismatch"),
        ("-1e-9", 1e-9, "mismatch"),
    ],
)
def test_logarithms(printed: str, value: float, verdict: str) -> None:
    study = with_tolerances(NEAR | {"of": "logarithm"})
    found = verdicts(study, cells((*SHARE, value, repr(value))), published((*SHARE, printed)))
    note = "its logarithm is within 0.02 of the published logarithm: read from a figure"
    assert found == [(verdict, note if verdict == "match" else "")]


@pytest.mark.parametrize(("printed", "value"), [("***", 10.0), ("–", 10.0), ("", 10.0), ("10.0", None), ("0.0", 0.1)])
def test_no_tolerance_helps_what_is_no_number(printed: str, value: float | None) -> None:
    found = verdicts(with_tolerances(NEAR), cells((*SHARE, value, "x")), published((*SHARE, printed)))
    assert found == [("mismatch", "")]


def test_the_first_tolerance_that_a_number_is_within_is_named() -> None:
    study = with_tolerances(FULL, NEAR, NEAR | {"reason": "another"})
    found = verdicts(study, cells((*SHARE, 10.1, "10.1")), published((*SHARE, "10.000000000000000")))
    assert found == [("match", IN_NOTE)]


def test_another_rounding_comes_before_a_tolerance() -> None:
    regenerated, printed = cells((*SHARE, 6.789, "6.789")), published((*SHARE, "6.7"))
    assert verdicts(with_tolerances(NEAR), regenerated, printed) == [("match", IN_NOTE)]
    allowed = [{"tables": ["A5"], "rounding": "truncate"}]
    found = verdicts(with_tolerances(NEAR, rerounded=allowed), regenerated, printed)
    assert found == [("match", "agrees only if cut off")]


def test_an_erratum_comes_before_a_tolerance() -> None:
    erratum = ERRATUM | {"cells": [{"tables": ["A5"], "printed": "6.8", "regenerated": "6.7"}]}
    study = study_with([erratum], published={"file": "values.csv", "tolerances": [NEAR]})
    assert verdicts(study, cells((*SHARE, 6.7, "6.7")), published((*SHARE, "6.8"))) == [
        ("erratum", "kept: a kept p-value")
    ]


def test_remarks_stand_behind_a_tolerance() -> None:
    remark = {"id": "note", "title": "read this", "explanation": "e", "cells": [{"tables": ["A5"]}]}
    study = with_tolerances(NEAR, remarks=[remark])
    found = verdicts(study, cells((*SHARE, 10.1, "10.1")), published((*SHARE, "10.0")))
    assert found == [("match", f"{IN_NOTE}; note: read this")]


def test_a_stale_tolerance_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"published.tolerances\[2\] applies to no published number"):
        verdicts(with_tolerances(NEAR, NEAR | {"rows": ["x"]}), cells(), published((*SHARE, "10.0")))


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
    assert counts(pl.DataFrame({"verdict": ["match", "match"]})) == {"match": 2, "erratum": 0, "mismatch": 0}


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
