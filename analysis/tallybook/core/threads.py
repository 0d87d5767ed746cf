"""Work in a thread beside the program's own."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

T = TypeVar("T")


def ahead(items: Iterator[T]) -> Generator[T]:
    """Yield items, which are not None; the next one is made in a thread meanwhile.

    >>> [*ahead(iter("ab"))]
    ['a', 'b']
    """
    with ThreadPoolExecutor(1) as thread:
        coming = thread.submit(next, items, None)
        while (item := coming.result()) is not None:
            coming = thread.submit(next, items, None)
            yield item


def meanwhile(function: Callable[[], T]) -> Future[T]:
    """Call a function in a thread for whose end the program does not wait.

    >>> meanwhile(lambda: 2 + 2).result()
    4
    """
    made = Future[T]()

    def call() -> None:
        try:
            made.set_result(function())
        except Exception as error:  # noqa: BLE001  whoever asks for the result gets it
            made.set_exception(error)

    Thread(target=call, daemon=True).start()
    return made
