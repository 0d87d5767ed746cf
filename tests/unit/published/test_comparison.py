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
from tallybook.study.loading import load
from tallybook.study.model import Study
from tallybook.tables.layout import CELL_SCHEMA

if TYPE_CHECKING:
    from pathlib import Path


def study_with(errata: list[dict[str, Any]], remarks: list[dict[str, Any]] | None = None, **parts: Any) -> Study:
    content = load("wang2025").study.model_dump(by_alias=True, exclude_unset=True)
    return Study.model_validate(content | {"errata": errata, "remarks": remarks or [], "not_reproduced": []} | parts)


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
    "evidence": {"files": ["white.json"], "rows": "all", "rule": "the previous p-value"},
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
    if how is None:
        assert result is None
    else:
        assert result is not None
        assert result.how.startswith(how) if how else not result.how
        assert result.strictness == ("tied-order" if how == "another order" else "last-digit")


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
    assert (found.how if found else None) == how


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
    ("row", "verdict"),
    [
        ({"t": 4.2, "df": 1599}, "match"),
        ({"t": 4.2}, "mismatch"),
        ({"t": 4.4, "df": 1599}, "mismatch"),
        ({}, "mismatch"),
    ],
)
def test_p_is_as_far_off_as_the_t_of_its_row(row: dict[str, float], verdict: str) -> None:
    study = with_tolerances(NEAR | {"of": "t", "statistics": ["p"]})
    others = [("A5", "white", name, name, value, str(value)) for name, value in row.items()]
    key = ("A5", "white", "p", "p")
    found = verdicts(study, cells((*key, 2.8e-05, "2.8e-05"), *others), published((*key, "3.3e-05")))
    note = "its t is within 0.02 of the published one: read from a figure"
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
