"""Whether frames pass a schema, told by one query: pandera needs many, and is asked for its report where one fails."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pandera.polars as pa
import polars as pl
from pandera.api.function_dispatch import Dispatcher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PLAIN: tuple[Any, ...] = (
    pl.String, pl.Boolean, pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32, pl.UInt64, pl.Float32,
    pl.Float64,
)  # fmt: skip
"""Types that a column has or has not: of others pandera knows more than their names."""

_BUILT_IN: Mapping[str, Callable[[pl.Expr, dict[str, Any]], pl.Expr]] = {
    "equal_to": lambda column, of: column == of["value"],
    "not_equal_to": lambda column, of: column != of["value"],
    "greater_than": lambda column, of: column > of["min_value"],
    "greater_than_or_equal_to": lambda column, of: column >= of["min_value"],
    "less_than": lambda column, of: column < of["max_value"],
    "less_than_or_equal_to": lambda column, of: column <= of["max_value"],
    "in_range": lambda column, of: _at_least(column, of) & _at_most(column, of),
    "isin": lambda column, of: column.is_in(of["allowed_values"]),
    "notin": lambda column, of: ~column.is_in(of["forbidden_values"]),
    "str_matches": lambda column, of: column.str.contains(f"^{_pattern(of).removeprefix('^')}"),
    "str_contains": lambda column, of: column.str.contains(_pattern(of)),
    "str_startswith": lambda column, of: column.str.starts_with(of["string"]),
    "str_endswith": lambda column, of: column.str.ends_with(of["string"]),
    "str_length": lambda column, of: _length(column.str.len_chars(), of),
}
"""Pandera's own checks that look at each value by itself, as expressions: their settings are the check's statistics."""


def is_built_in(check: pa.Check) -> bool:
    """Tell whether `Vetting` can run a check by itself: one of pandera's own, with its own settings only.

    >>> is_built_in(pa.Check.ge(1)), is_built_in(pa.Check(lambda data: True, name="isin"))
    (True, False)
    """
    if check.name not in _BUILT_IN:
        return False
    try:
        made = cast("pa.Check", getattr(pa.Check, check.name)(**_settings(check), error=check.error))
    except (TypeError, ValueError):
        return False
    own, others = vars(check), vars(made)
    function = own["_check_fn"]  # copied with its schema, so that it need not be equal to any other
    is_own = isinstance(function, Dispatcher) and function.__name__ == check.name
    return is_own and all(own.get(name) == others[name] for name in others if name not in {"_check_fn", "strategy"})


class Vetting:
    """Tells whether frames surely pass a schema.

    >>> vetting = Vetting(pa.DataFrameSchema({"sample": pa.Column(int, pa.Check.ge(0))}))
    >>> [vetting.passes(pl.DataFrame({"sample": samples})) for samples in ([0, 1], [0, -1], [0, None], ["0", "1"])]
    [True, False, False, False]
    """

    def __init__(self, schema: pa.DataFrameSchema) -> None:
        """Take in a schema."""
        self._schema = schema
        self._is_known = not (_sets_more(schema) or any(_column_sets_more(one) for one in schema.columns.values()))
        self._passing: dict[str, list[pl.Expr]] = {}
        self._others: list[tuple[pa.Check, tuple[str, ...]]] = [(check, ()) for check in _checks(schema)]
        for name, declared in schema.columns.items():
            column = pl.col(name)
            built_in = [check for check in _checks(declared) if is_built_in(check)]
            self._passing[name] = [_BUILT_IN[str(one.name)](column, _settings(one)).all() for one in built_in]
            self._others += [(check, (name,)) for check in _checks(declared) if check not in built_in]

    def passes(self, data: pl.DataFrame) -> bool:
        """Hold a frame against the schema."""
        if not self._is_known:
            return False
        kinds = dict(data.schema)  # which polars makes anew whenever it is asked for
        columns = self._schema.columns
        if any(one.required and name not in kinds for name, one in columns.items()):
            return False
        present = [name for name in columns if name in kinds]
        for name in present:
            kind = _kind(columns[name])
            if (kind is not None and kind != kinds[name]) or (
                not columns[name].nullable and data.get_column(name).null_count()
            ):
                return False
        numbers = [name for name in present if not columns[name].nullable and kinds[name].is_float()]
        try:
            expressions = [one for name in present for one in self._passing[name]]
            expressions += [pl.col(name).is_not_nan().all() for name in numbers]  # which pandera takes for no value
            told = data.select(one.alias(str(place)) for place, one in enumerate(expressions))
            return all(told.row(0) if expressions else ()) and self._others_pass(data)
        except Exception:  # noqa: BLE001  a user's check may raise anything; pandera tells it as a failure
            return False

    def _others_pass(self, data: pl.DataFrame) -> bool:
        """Ask pandera about the checks that only it knows."""
        wanted = [(check, column) for check, column in self._others if not column or column[0] in data.columns]
        return all(check(data.lazy(), *column).check_passed.collect().item() for check, column in wanted)


def _checks(declared: pa.DataFrameSchema | pa.Column) -> list[pa.Check]:
    return cast("list[pa.Check]", declared.checks or [])


def _settings(check: pa.Check) -> dict[str, Any]:
    return cast("dict[str, Any]", check.statistics or {})


def _kind(column: pa.Column) -> Any:  # noqa: ANN401  polars' types have no common one
    return None if column.dtype is None else cast("Any", column.dtype).type


def _sets_more(schema: pa.DataFrameSchema) -> bool:
    """Tell whether a schema asks for more than its columns and checks do."""
    settings = cast("Any", schema)
    others = (
        settings.dtype, settings.coerce, settings.parsers, settings.strict, settings.ordered, settings.unique,
        settings.add_missing_columns, settings.drop_invalid_rows,
    )  # fmt: skip
    return any(others) or any(check.raise_warning for check in _checks(schema))


def _column_sets_more(column: pa.Column) -> bool:
    """Tell whether a column asks for more than its type, its checks and values."""
    settings = cast("Any", column)
    others = (settings.regex, settings.unique, settings.parsers, settings.drop_invalid_rows)
    kind = _kind(column)
    is_plain = kind is None or kind in _PLAIN
    return any(others) or not is_plain or settings.default is not None or any(c.raise_warning for c in _checks(column))


def _at_least(column: pl.Expr, of: dict[str, Any]) -> pl.Expr:
    return column >= of["min_value"] if of["include_min"] else column > of["min_value"]


def _at_most(column: pl.Expr, of: dict[str, Any]) -> pl.Expr:
    return column <= of["max_value"] if of["include_max"] else column < of["max_value"]


def _pattern(of: dict[str, Any]) -> str:
    pattern: Any = of["pattern"]
    return str(getattr(pattern, "pattern", pattern))


def _length(length: pl.Expr, of: dict[str, Any]) -> pl.Expr:
    if of["exact_value"] is not None:
        return length == of["exact_value"]
    if of["min_value"] is None:
        return length <= of["max_value"]
    return length >= of["min_value"] if of["max_value"] is None else length.is_between(of["min_value"], of["max_value"])
