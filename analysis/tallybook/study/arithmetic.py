"""Arithmetic of columns in study files, such as `log(a / b)`: parsed into a few known operations, never executed."""

from __future__ import annotations

import ast
import operator
import re
import warnings
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.study.base import BRACED, IDENTIFIER

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_CHARACTERS, MOST_NESTED = 500, 40
"""The maximum length and nesting depth of an expression."""
_BINARY: dict[type[ast.operator], Callable[[Any, Any], pl.Expr]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_OF_ONE: dict[str, Callable[[pl.Expr], pl.Expr]] = {
    "abs": pl.Expr.abs,
    "exp": pl.Expr.exp,
    "log": pl.Expr.log,
    "log2": lambda number: number.log(2),
    "log10": pl.Expr.log10,
    "sqrt": pl.Expr.sqrt,
}
_OF_SEVERAL: dict[str, Callable[..., pl.Expr]] = {
    "max": pl.max_horizontal,
    "mean": pl.mean_horizontal,
    "min": pl.min_horizontal,
    "sum": pl.sum_horizontal,
}
_EXPECTED = (
    "columns, numbers, + - * / **, parentheses and the functions "
    f"{', '.join(sorted([*_OF_ONE, *_OF_SEVERAL]))}; put a column whose name has '-' or '.' in braces"
)


class Arithmetic:
    """An expression of columns and numbers.

    >>> expression = Arithmetic("mean(a, {b-2}) - 1")
    >>> expression.columns
    ('a', 'b-2')
    >>> pl.DataFrame({"a": [1.0], "b-2": [4.0]}).select(expression.of(pl.col)).item()
    1.5
    """

    def __init__(self, text: str) -> None:
        """Parse an expression; raise a ValueError that lists the permitted elements if it is invalid."""
        self.text = text
        self._braced = BRACED.findall(text)
        plain = BRACED.sub(lambda found: f"(_{self._braced.index(found[1])})", text)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self._root = ast.parse(plain.strip(), mode="eval").body if len(text) <= MOST_CHARACTERS else None
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            self._root = None
        if self._root is None:
            raise self._refusal(text)
        self.columns = tuple(dict.fromkeys(self._made(self._root, pl.col, 0).meta.root_names()))
        if not self.columns:
            raise ValueError(f"{text!r} names no column")

    def of(self, column: Callable[[str], pl.Expr]) -> pl.Expr:
        """Build the polars expression, with each column name replaced by `column(name)`."""
        return self._made(self._root, column, 0)

    def _made(self, node: ast.AST | None, column: Callable[[str], pl.Expr], depth: int) -> pl.Expr:
        """Build the polars expression of one node of the syntax tree."""

        def inner(part: ast.AST) -> pl.Expr:
            return self._made(part, column, depth + 1)

        if depth > MOST_NESTED:
            raise ValueError(f"{self.text[:40]!r}...: at most {MOST_NESTED} parts within each other")
        match node:
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return pl.lit(float(value))
            case ast.Name(id=name):
                name = self._braced[int(name[1:])] if re.fullmatch(r"_[0-9]+", name) else name
                if re.fullmatch(IDENTIFIER, name):
                    return column(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -inner(operand)
            case ast.BinOp(op=sign, left=left, right=right) if type(sign) in _BINARY:
                return _BINARY[type(sign)](inner(left), inner(right))
            case ast.Call(func=ast.Name(id=name), args=[one], keywords=[]) if name in _OF_ONE:
                return _OF_ONE[name](inner(one))
            case ast.Call(func=ast.Name(id=name), args=[_, *_] as several, keywords=[]) if name in _OF_SEVERAL:
                return _OF_SEVERAL[name](*(inner(one) for one in several))
            case _:
                pass
        raise self._refusal(ast.unparse(node) if node is not None else self.text)

    def _refusal(self, part: str) -> ValueError:
        shown = part if len(part) <= 40 else f"{part[:40]}..."  # noqa: PLR2004  enough to find it
        return ValueError(f"{shown!r} is not arithmetic of columns; expected {_EXPECTED}")
