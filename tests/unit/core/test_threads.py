"""Work in threads: order, errors, and what is read when nobody wants more."""

from __future__ import annotations

from threading import current_thread
from typing import TYPE_CHECKING

import pytest

from tallybook.core.threads import ahead, meanwhile

if TYPE_CHECKING:
    from collections.abc import Iterator


def test_errors_come_where_the_item_would() -> None:
    def items() -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    made = ahead(items())
    assert next(made) == 1
    with pytest.raises(ValueError, match="broken"):
        next(made)


def test_one_item_is_made_ahead_in_another_thread() -> None:
    made: list[str] = []

    def items() -> Iterator[int]:
        for number in range(9):
            made.append(current_thread().name)
            yield number

    reading = ahead(items())
    next(reading)
    reading.close()
    assert len(made) == 2
    assert current_thread().name not in made


def test_an_error_is_for_whoever_asks() -> None:
    failing = meanwhile(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        failing.result()
