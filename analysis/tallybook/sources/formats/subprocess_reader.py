"""The reading of binary files in a process of its own, which a crafted file may end without harm to ours.

The process gets requests, a line each, and answers with the numbers of rows of frames that lie in temporary files, one
more for each further line; and in the end with `null`, or a text that says what was expected of the file.
"""

from __future__ import annotations

import atexit
import json
import os
import re
import shutil
import signal
import sys
import zlib
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, cast
from zipfile import BadZipFile, ZipFile, is_zipfile

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.safe_paths import open_regular
from tallybook.core.untrusted import printable
from tallybook.sources.header_rows import as_one
from tallybook.sources.records import numbered

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from tallybook.sources.content import Content
    from tallybook.sources.header_rows import HeaderRows

MOST_MEMORY = 4 * 2**30
"""The memory that reading a file may take, in bytes or as a multiple of its size (`MOST_TIMES`): one cell in the last
row and column of a spreadsheet takes more."""
MOST_TIMES = 16
MOST_COLUMNS = 2**14
"""The largest number of columns of a sheet."""
MOST_SECONDS = 300
"""The seconds of processor time that reading a file, or its next part, may take."""
FREE, MOST_RATIO = 2**26, 100
"""The number of values that any Parquet file may hold, and the number for each byte of a larger file: a repeated value
takes a few bytes in a file however often it occurs, and sixteen bytes each time in memory."""
MOST_ROWS, MOST_BYTES = 2**20, 2**26
"""The number of rows of a table, and the approximate number of their bytes, that are in memory at once."""
PARQUET = "Parquet file"
"""The kind of file whose rows the other process does not hand over."""
_FEWEST, _PLACES, _SAMPLE = 2**12, 8, 2**9
"""The least number of rows of a Parquet file read at once, and the number and size of samples to measure rows by."""
IDLE: dict[tuple[int, int], list[Popen[bytes]]] = {}
"""Idle processes, by the process that owns them and their memory limit."""


def frames(content: Content, what: str, table: str | None = None, header: HeaderRows = 1) -> Iterator[pl.DataFrame]:
    """Read a table in parts: a sheet of a spreadsheet, or a table of a database.

    There is one frame at least, which may have no rows. Rows of a Parquet file that the other process has read are read
    again here, which costs less than to hand them over.
    """
    with _opened(content, is_copied=what == "DuckDB database") as (file, path, folder):
        if what == PARQUET:
            rows, read, whole = pl.scan_parquet(file), 0, 0
            for height in _answers(content, what, file, path):
                whole = whole or rows.select(pl.len()).collect().item()
                read += height
                content.share = read / max(whole, 1)
                yield rows.slice(read - height, height).collect(engine="streaming")
            return
        parts = _answers(content, what, file, path, folder=folder, table=table, header=header)
        for number, _ in enumerate(parts, start=1):
            frame = pl.read_ipc(folder / str(number))
            (folder / str(number)).unlink(missing_ok=True)
            yield frame


def check(content: Content) -> None:
    """Raise an error for a Parquet file that the other process cannot read as a whole."""
    with _opened(content, is_copied=False) as (file, path, _):
        for _ in _answers(content, PARQUET, file, path):
            pass


def _answers(
    content: Content,
    what: str,
    file: IO[bytes],
    path: Path,
    *,
    folder: Path | None = None,
    table: str | None = None,
    header: HeaderRows = 1,
) -> Iterator[int]:
    """Yield the numbers of rows of a file's parts, which another process reads and, if given a folder, writes there."""
    about = os.fstat(file.fileno())
    memory = max(MOST_MEMORY, MOST_TIMES * about.st_size)
    process, is_over = _process(memory), False
    try:
        requests, answers = cast("IO[bytes]", process.stdin), cast("IO[bytes]", process.stdout)
        same = about.st_dev, about.st_ino
        parts = None if folder is None else str(folder)
        _ask(requests, json.dumps([what, str(path), same, MOST_ROWS, table, header, parts, MOST_SECONDS]))
        while (told := json.loads(answers.readline() or "false")) is not False and isinstance(told, int):
            _ask(requests)  # read the next part while this one is used
            yield told
        is_over = told is None or isinstance(told, str)
    finally:
        if is_over and memory == MOST_MEMORY:
            IDLE.setdefault((os.getpid(), memory), []).append(process)
        else:
            _end(process)
    if isinstance(told, str):
        raise content.refuse(told)
    if folder is not None and isinstance(told, list):
        raise UsageError(f"cannot write temporary files to {folder.parent}: {cast('list[str]', told)[0]}")
    if not is_over:
        bounds = f"{memory // 2**30} GB of memory and {MOST_SECONDS} seconds"
        raise UsageError(f"{printable(content.name, 200)}: expected a whole {what} that can be read with {bounds}")


@contextmanager
def _opened(content: Content, *, is_copied: bool) -> Generator[tuple[IO[bytes], Path, Path]]:
    """Open a file, or a copy, so that nothing is written beside the input; a compressed file is unpacked.

    The path leads to the same file unless somebody replaces it; the folder is for temporary files.
    """
    with TemporaryDirectory(prefix="tallybook-", ignore_cleanup_errors=True) as scratch, ExitStack() as opened:
        folder = Path(scratch)
        file, path = opened.enter_context(content.seekable()), content.path.resolve()
        if is_copied or content.is_packed:
            path = folder / "unpacked"
            with file, path.open("wb") as copy:
                shutil.copyfileobj(file, copy, 2**20)
            file = opened.enter_context(path.open("rb"))
        yield file, path, folder


def _ask(requests: IO[bytes], request: str = "") -> None:
    with suppress(BrokenPipeError):  # the missing answer will show that it has ended
        requests.write(f"{request}\n".encode())
        requests.flush()


def _process(memory: int) -> Popen[bytes]:
    """Return an idle process, or start one."""
    waiting = IDLE.get((os.getpid(), memory), [])
    while waiting:
        process = waiting.pop()
        if process.poll() is None:
            return process
        _end(process)
    # Each thread reserves address space, which counts; and the process must find the same package.
    paths = os.pathsep.join(path for path in sys.path if path)
    environment = {**os.environ, "POLARS_MAX_THREADS": "1", "PYTHONPATH": paths}
    command = [sys.executable, "-m", __name__, str(memory)]
    return Popen(command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, env=environment)  # noqa: S603  our own program


def _end_all() -> None:
    for (owner, _), processes in IDLE.items():
        for process in processes if owner == os.getpid() else ():
            _end(process)


atexit.register(_end_all)


def _end(process: Popen[bytes]) -> None:
    process.kill()
    with suppress(BrokenPipeError), process:
        pass


def main(memory: int) -> None:
    """Answer the requests on standard input."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of libraries must not mix with answers
    with suppress(ImportError):  # Windows has no such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for line in sys.stdin:
        what, place, same, most, table, header, folder, seconds = json.loads(line)
        told = None
        try:
            _allow(seconds)
            with _same(Path(place), same) as file:
                for number, frame in enumerate(_READERS[what](file, most, table, header, Path(place)), start=1):
                    try:
                        if folder is not None:
                            frame.write_ipc(Path(folder, str(number)), compat_level=pl.CompatLevel.newest())
                    except (OSError, pl.exceptions.ComputeError) as error:  # no space left
                        told = [str(error).rpartition(": ")[2]]
                        break
                    answers.write(b"%d\n" % frame.height)
                    answers.flush()
                    _allow(seconds)
                    if not sys.stdin.readline():
                        return
        except ValueError as error:
            told = str(error)
        answers.write(json.dumps(told).encode() + b"\n")
        answers.flush()


def _same(path: Path, same: list[int]) -> IO[bytes]:
    """Open a file that another process has open; raise a `ValueError` if the path leads to another one by now."""
    with suppress(OSError):
        file = open_regular(path)
        about = os.fstat(file.fileno())
        if [about.st_dev, about.st_ino] == same:
            return file
        file.close()
    raise ValueError("a file that nobody replaces while it is read")


def _allow(seconds: float) -> None:
    """Limit the processor time for the next part; the system ends the process beyond it."""
    if sys.platform != "win32":
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _in_parts(table: pl.DataFrame, most: int) -> Iterator[pl.DataFrame]:
    yield from table.iter_slices(most) if table.height else [table]


def _parquet(file: IO[bytes], most: int, *_: object) -> Iterator[pl.DataFrame]:
    """Yield rows in parts, with fewer rows where these are long."""
    try:
        table, size = pl.scan_parquet(file), os.fstat(file.fileno()).st_size
        height: int = table.select(pl.len()).collect().item()
        values = height * len(table.collect_schema())
        if values > FREE and values > MOST_RATIO * size:
            raise ValueError(f"a Parquet file of at most {MOST_RATIO:,} values for each of its bytes")
        samples = [table.slice(height * place // _PLACES, _SAMPLE).collect() for place in range(_PLACES)]
        # The number of rows that fill a part, if all are as long as those in the samples.
        length = max(one.estimated_size() / max(one.height, 1) for one in samples)
        at_once = min(max(int(MOST_BYTES / max(length, 1)), _FEWEST), most)
        if not height:
            yield samples[0].clear()
        yield from table.collect_batches(chunk_size=at_once, maintain_order=True)
    except (pl.exceptions.PolarsError, OSError):
        raise ValueError("a whole Parquet file") from None


def _names(file: IO[bytes], *_: object) -> Iterator[pl.DataFrame]:
    """Yield the names of a Parquet file's columns."""
    with suppress(pl.exceptions.PolarsError):
        yield pl.DataFrame({"name": [*pl.read_parquet_schema(file)]})


def _arrow(file: IO[bytes], most: int, *_: object) -> Iterator[pl.DataFrame]:
    held = file.read()
    return _in_parts(pl.read_ipc(held) if held.startswith(b"ARROW1") else pl.read_ipc_stream(held), most)


def _is_wide(file: IO[bytes]) -> bool:
    """Return whether a workbook has a row with more cells than a sheet has columns, which takes hours to read."""
    with ZipFile(file) as book:
        for name in book.namelist():
            if not name.startswith("xl/worksheets/"):
                continue
            with book.open(name) as sheet:
                cells, rest = 0, b""
                while block := sheet.read(2**20):
                    text = rest + block
                    cut = text.rfind(b"<", max(0, len(text) - 3))  # a tag cut in two is kept for the next block
                    text, rest = (text, b"") if cut < 0 else (text[:cut], text[cut:])
                    counts = [len(re.findall(rb"<c[ >/]", row)) for row in text.split(b"<row")]
                    counts[0] += cells
                    if max(counts) > MOST_COLUMNS:
                        return True
                    cells = counts[-1]
    return False


def _sheets(file: IO[bytes], _: int, wanted: str | None, header: int | list[int], __: Path) -> Iterator[pl.DataFrame]:
    """Yield one sheet, or each of the sheets that share their headers, with its name."""
    import fastexcel

    try:
        if is_zipfile(file) and _is_wide(file):
            raise ValueError(f"a spreadsheet of at most {MOST_COLUMNS:,} columns")
        file.seek(0)
        book = fastexcel.read_excel(file.read())
        names = book.sheet_names
        if wanted is not None and wanted not in {"*", *names}:
            raise ValueError(f"a sheet {wanted!r}; there are {', '.join(names)}")
        read = [wanted] if wanted not in {None, "*"} else names
        tables = {name: _sheet(book, name, header) for name in read if name}
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        raise ValueError("a whole spreadsheet") from None
    except fastexcel.FastExcelError as error:
        raise ValueError(f"a spreadsheet ({str(error).partition(chr(10))[0]})") from None
    filled = {name: table for name, table in tables.items() if table.height}
    if wanted == "*":
        if not filled:
            raise ValueError("a sheet that holds anything")
        headers = [tuple(table.columns) for table in filled.values()]
        alike = [name for name in filled if tuple(filled[name].columns) == max(headers, key=headers.count)]
        yield from (filled[name].with_columns(sheet=pl.lit(name)) for name in alike)
    elif len(filled) > 1:
        raise ValueError(f"the sheet to be named with 'sheet'; there are {', '.join(filled)}")
    else:
        yield next(iter((filled or tables).values()))


def _sheet(book: Any, name: str, header: int | list[int]) -> pl.DataFrame:  # noqa: ANN401  a workbook of fastexcel
    """Read a sheet with its headers in one row or several."""
    first, last = (header, header) if isinstance(header, int) else header
    table: pl.DataFrame = book.load_sheet(name, header_row=last - 1, dtypes="string").to_polars()
    if first == last:
        return table
    top = book.load_sheet(
        name, header_row=None, skip_rows=first - 1, n_rows=last - first + 1, dtypes="string"
    ).to_polars()
    return table.rename(dict(zip(table.columns, numbered(as_one(*top.rows())), strict=True)))


def _database(_: IO[bytes], most: int, wanted: str | None, __: int, path: Path) -> Iterator[pl.DataFrame]:
    """Yield a table of a DuckDB database, in parts."""
    duckdb: Any = import_module("duckdb")  # an extra

    try:
        with duckdb.connect(str(path), read_only=True, config={"enable_external_access": "false"}) as database:
            found = database.execute("select table_name from information_schema.tables order by 1").fetchall()
            names = [str(name) for (name,) in found]
            if wanted not in names and (wanted is not None or len(names) != 1):
                told = ", ".join(names)
                raise ValueError(f"the table to be named with 'table' (init: --set table=NAME); there are {told}")
            quoted = (wanted or names[0]).replace('"', '""')
            rows = database.execute(f'select * from "{quoted}"')  # noqa: S608  a name of a table that is there
            header = [str(column[0]) for column in rows.description]
            table = pl.DataFrame(rows.fetchall(), schema=header, orient="row", infer_schema_length=None)
            yield from _in_parts(table, most)
    except duckdb.Error as error:
        raise ValueError(f"a DuckDB database ({str(error).partition(chr(10))[0]})") from None


_READERS = {
    PARQUET: _parquet,
    "Parquet file's header": _names,
    "Arrow file": _arrow,
    "spreadsheet": _sheets,
    "DuckDB database": _database,
}


if __name__ == "__main__":
    main(int(sys.argv[1]))
