"""The ten checks of `validation.py` as each library writes them: one side in one process.

    python validation_sides.py SIDE FILE

It prints the seconds that reading and checking the file took, without the imports, and fails if the file does.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars as pl

HERE = Path(__file__).parent
MODELS = [f"model-{number}" for number in range(8)]
AGES = ["younger", "older", "unstated"]
STATUSES = ["ok", "refused", "truncated"]
KEY = ["model", "item", "sample"]


def _types() -> dict[str, Any]:
    import polars as pl

    texts = dict.fromkeys(["model", "item", "age", "text", "status"], pl.String)
    types = texts | {"sample": pl.Int64, "score": pl.Float64, "tokens": pl.Int64}
    return {name: types[name] for name in ("model", "item", "sample", "age", "text", "score", "status", "tokens")}


def _read(file: str) -> pl.DataFrame:
    """The file as a frame, read as fast as polars can."""
    import polars as pl

    if file.endswith(".parquet"):
        return pl.read_parquet(file)
    return pl.read_csv(file, schema=_types()) if file.endswith(".csv") else pl.read_ndjson(file, schema=_types())


def polars() -> Callable[[str], bool]:
    """One select, by hand."""
    import polars as pl

    c, types = pl.col, _types()

    def check(file: str) -> bool:
        scan = {".parquet": pl.scan_parquet, ".csv": pl.scan_csv, ".jsonl": pl.scan_ndjson}[Path(file).suffix]
        rows = scan(file) if file.endswith(".parquet") else scan(file, schema=types)
        told = rows.select(
            pl.all().null_count() == 0,
            is_model=c("model").is_in(MODELS).all(),
            is_item=c("item").str.contains("^item-[0-9]+$").all(),
            is_sample=c("sample").is_between(0, 99).all(),
            is_age=c("age").is_in(AGES).all(),
            is_short=c("text").str.len_chars().is_between(1, 500).all(),
            is_score=c("score").is_between(0, 1).all(),
            is_status=c("status").is_in(STATUSES).all(),
            is_count=(c("tokens") >= 1).all(),
            is_unique=pl.struct(KEY).n_unique() == pl.len(),
        )
        return rows.collect_schema() == types and all(told.collect().row(0))

    return check


def pandera() -> Callable[[str], bool]:
    """A model, every failure gathered (`lazy=True`)."""
    sys.path.insert(0, str(HERE))
    from validation_model import Model

    def check(file: str) -> bool:
        Model.validate(_read(file), lazy=True)
        return True

    return check


def dataframely() -> Callable[[str], bool]:
    """A schema."""
    import dataframely as dy

    class Schema(dy.Schema):
        model = dy.String(primary_key=True, check=lambda column: column.is_in(MODELS))
        item = dy.String(primary_key=True, regex="^item-[0-9]+$")
        sample = dy.Int64(primary_key=True, min=0, max=99)
        age = dy.String(nullable=False, check=lambda column: column.is_in(AGES))
        text = dy.String(nullable=False, min_length=1, max_length=500)
        score = dy.Float64(nullable=False, min=0, max=1)
        status = dy.String(nullable=False, check=lambda column: column.is_in(STATUSES))
        tokens = dy.Int64(nullable=False, min=1)

    def check(file: str) -> bool:
        Schema.validate(_read(file))
        return True

    return check


def pointblank() -> Callable[[str], bool]:
    """A plan of steps, interrogated."""
    import pointblank as pb
    import polars as pl

    names = {pl.String: "String", pl.Int64: "Int64", pl.Float64: "Float64"}
    schema = pb.Schema(columns=[(name, names[kind]) for name, kind in _types().items()])

    def check(file: str) -> bool:
        plan = (
            pb.Validate(_read(file))
            .col_schema_match(schema)
            .col_vals_not_null(columns=list(_types()))
            .col_vals_in_set(columns="model", set=MODELS)
            .col_vals_regex(columns="item", pattern="^item-[0-9]+$")
            .col_vals_between(columns="sample", left=0, right=99)
            .col_vals_in_set(columns="age", set=AGES)
            .col_vals_expr(expr=pl.col("text").str.len_chars().is_between(1, 500))
            .col_vals_between(columns="score", left=0, right=1)
            .col_vals_in_set(columns="status", set=STATUSES)
            .col_vals_ge(columns="tokens", value=1)
            .rows_distinct(columns_subset=KEY)
        )
        return bool(plan.interrogate().all_passed())

    return check


def _tallybook(schema: str) -> Callable[[str], bool]:
    from tallybook.core.progress import Progress
    from tallybook.validation.schema_files import validate_files

    def check(file: str) -> bool:
        return validate_files([Path(file)], schema, "error", Progress()).is_valid

    return check


SIDES: dict[str, Callable[[], Callable[[str], bool]]] = {
    "polars": polars,
    "pandera": pandera,
    "dataframely": dataframely,
    "pointblank": pointblank,
    "tallybook": lambda: _tallybook(str(HERE / "validation_schema.json")),
    "tallybook-model": lambda: _tallybook(f"{HERE / 'validation_model.py'}:Model"),
}


if __name__ == "__main__":
    check = SIDES[sys.argv[1]]()
    start = time.perf_counter()
    if not check(sys.argv[2]):
        sys.exit("the file is not valid")
    print(time.perf_counter() - start)
