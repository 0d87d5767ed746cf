"""Work in several processes, where the command line allows it: a program that imports this package keeps to its own."""

from __future__ import annotations

import atexit
import os
import signal
from contextvars import ContextVar
from functools import cache
from threading import Thread
from typing import TYPE_CHECKING, TypeVar

from tallybook.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from concurrent.futures import ProcessPoolExecutor

T = TypeVar("T")
R = TypeVar("R")

ALLOWED: ContextVar[bool] = ContextVar("ALLOWED", default=False)
"""Whether the program may start processes: each of them imports the program's main module."""
_MOST = 16
"""The largest number of processes."""


def number() -> int:
    """Return the number of processes that work at once: that of the threads of polars."""
    if not ALLOWED.get():
        return 1
    import polars as pl

    return min(pl.thread_pool_size(), _MOST)


def mapped(function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yield what a function returns for each item, in order, from several processes if there may be any.

    >>> [*mapped(len, ["a", "bc"])]
    [1, 2]
    """
    if number() == 1:
        yield from map(function, items)
        return
    from concurrent.futures.process import BrokenProcessPool

    pool = _pool()
    try:
        yield from pool.map(function, items)
    except BaseException as error:
        pool.shutdown(wait=False, cancel_futures=True)
        _pool.cache_clear()
        if isinstance(error, BrokenProcessPool):
            told = f"one of {number()} processes ended, perhaps for lack of memory: POLARS_MAX_THREADS=1 keeps to one"
            raise UsageError(told) from None
        raise


@cache
def _pool() -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    return ProcessPoolExecutor(number(), mp_context=get_context("spawn"), initializer=_begin)


atexit.register(_pool.cache_clear)  # at the very end, what its clean-up needs may be gone


def _begin() -> None:
    """Leave Ctrl+C to the program that started this process, and end with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    if (parent := parent_process()) is not None:
        parent.join()
        os._exit(1)
