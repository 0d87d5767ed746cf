"""The reading of a binary file in a process of its own, which a crafted file may end without harm to ours."""

from __future__ import annotations

import atexit
import json
import os
import re
import subprocess
import sys
import zlib
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from tempfile import TemporaryDirectory
from threading import Lock
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile, ZipFile, is_zipfile

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable

if TYPE_CHECKING:
    from tallybook.sources.content import Content

MOST_MEMORY = 4 * 2**30
"""The memory that reading a file may take, in bytes or as a multiple of its size (`MOST_TIMES`): one cell in the last
row and column of a spreadsheet takes more."""
MOST_TIMES = 16
MOST_COLUMNS = 2**14
"""The columns that a sheet has."""
MOST_SECONDS = 300
"""The seconds that reading a file may take."""


def read(content: Content, what: str, table: str | None = None, header: int = 1) -> pl.DataFrame:
    """Read a table: of a spreadsheet a sheet, of a database one of its tables."""
    with TemporaryDirectory(prefix="tallybook-") as folder:
        packed, made = Path(folder, "packed"), Path(folder, "table")
        with content.seekable() as stream:
            packed.write_bytes(stream.read())
        memory = max(MOST_MEMORY, MOST_TIMES * packed.stat().st_size)
        command = [sys.executable, "-m", __name__, what, str(memory), str(packed), str(made), str(header)]
        command += [] if table is None else [table]
        try:
            ended = subprocess.run(  # noqa: S603  our own program
                command, capture_output=True, timeout=MOST_SECONDS, check=False, env=_environment()
            )
        except subprocess.TimeoutExpired:
            ended = None
        if ended is None or ended.returncode:
            bounds = f"{memory // 2**30} GB of memory and {MOST_SECONDS} seconds"
            name = printable(content.name, 200)
            raise UsageError(f"{name}: expected a whole {what} that can be read with {bounds}")
        if ended.stdout:
            raise content.refuse(json.loads(ended.stdout))
        return pl.read_ipc(made.read_bytes())


@cache
def decoder() -> tuple[Popen[bytes], Lock]:
    """Start the process that decodes Parquet files: it is told their places, a line each."""
    command = [sys.executable, "-m", __name__, "Parquet files", str(MOST_MEMORY)]
    started = Popen(  # noqa: S603  our own program
        command, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, bufsize=0, env=_environment()
    )
    atexit.register(_end, started)
    return started, Lock()


def _end(process: Popen[bytes]) -> None:
    with process:
        process.kill()


def can_be_decoded(path: Path) -> bool:
    """Tell whether a Parquet file can be decoded: a damaged one may end the process that does."""
    process, lock = decoder()
    told = b""
    with lock, suppress(BrokenPipeError):
        if process.stdin is not None and process.stdout is not None:
            process.stdin.write(json.dumps(str(path.resolve())).encode() + b"\n")
            told = process.stdout.readline()
    if not told:
        _end(process)
        decoder.cache_clear()
    return told == b"whole\n"


def _decode() -> None:
    """Decode the files whose places come in, and say of each whether it is whole."""
    for place in sys.stdin:
        try:
            for _ in pl.scan_parquet(json.loads(place), glob=False).collect_batches():
                pass
            said = "whole"
        except (pl.exceptions.PanicException, pl.exceptions.PolarsError, OSError):
            said = "damaged"
        sys.stdout.write(f"{said}\n")
        sys.stdout.flush()


def _environment() -> dict[str, str]:
    # A thread reserves address space, which counts; and the child must find the same package.
    return {**os.environ, "POLARS_MAX_THREADS": "1", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}


def _bounded(memory: int) -> None:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _arrow(packed: Path) -> pl.DataFrame:
    held = packed.read_bytes()
    return pl.read_ipc(held) if held.startswith(b"ARROW1") else pl.read_ipc_stream(held)


def _too_wide(packed: Path) -> str:
    """Say what is expected of a workbook with more cells in a row than a sheet has columns: to read it takes hours."""
    try:
        is_wide = is_zipfile(packed) and _is_wide(packed)
    except (BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError):
        return "a whole spreadsheet"
    return f"a spreadsheet of at most {MOST_COLUMNS:,} columns" if is_wide else ""


def _is_wide(packed: Path) -> bool:
    with ZipFile(packed) as book:
        for name in book.namelist():
            if not name.startswith("xl/worksheets/"):
                continue
            with book.open(name) as sheet:
                cells, rest = 0, b""
                while block := sheet.read(2**20):
                    text = rest + block
                    cut = text.rfind(b"<", max(0, len(text) - 3))  # a tag that is cut in two begins the next block
                    text, rest = (text, b"") if cut < 0 else (text[:cut], text[cut:])
                    counts = [len(re.findall(rb"<c[ >/]", row)) for row in text.split(b"<row")]
                    counts[0] += cells
                    if max(counts) > MOST_COLUMNS:
                        return True
                    cells = counts[-1]
    return False


def _sheet(packed: Path, wanted: str | None, header: int) -> pl.DataFrame | str:
    """The cells, or what is expected of the file."""
    import fastexcel

    def cells(name: str) -> pl.DataFrame:
        return book.load_sheet(name, header_row=header - 1, dtypes="string").to_polars()

    try:
        book = fastexcel.read_excel(packed.read_bytes())
        names = book.sheet_names
        if wanted is not None and wanted not in {"*", *names}:
            return f"a sheet {wanted!r}; there are {', '.join(names)}"
        if wanted not in {None, "*"}:
            return cells(str(wanted))
        filled = {name: table for name in names if (table := cells(name)).height}
        if wanted is None:
            if len(filled) > 1:
                return f"the sheet to be named with 'sheet'; there are {', '.join(filled)}"
            return cells(next(iter(filled), names[0]))
        headers = [tuple(table.columns) for table in filled.values()]
        usual = max(headers, key=headers.count, default=())
        alike = [
            table.with_columns(sheet=pl.lit(name)) for name, table in filled.items() if tuple(table.columns) == usual
        ]
        return pl.concat(alike) if alike else "a sheet that holds anything"
    except fastexcel.FastExcelError as error:
        return f"a spreadsheet ({str(error).partition(chr(10))[0]})"


def _database(packed: Path, wanted: str | None) -> pl.DataFrame | str:
    """The rows of a table of a DuckDB database, or what is expected of the file."""
    duckdb: Any = import_module("duckdb")  # an extra

    try:
        with duckdb.connect(str(packed), read_only=True, config={"enable_external_access": "false"}) as database:
            found = database.execute("select table_name from information_schema.tables order by 1").fetchall()
            names = [str(name) for (name,) in found]
            if wanted not in names and (wanted is not None or len(names) != 1):
                return f"the table to be named with 'table' (init: --set table=NAME); there are {', '.join(names)}"
            quoted = (wanted or names[0]).replace('"', '""')
            rows = database.execute(f'select * from "{quoted}"')  # noqa: S608  a name of a table that is there
            header = [str(column[0]) for column in rows.description]
            return pl.DataFrame(rows.fetchall(), schema=header, orient="row", infer_schema_length=None)
    except duckdb.Error as error:
        return f"a DuckDB database ({str(error).partition(chr(10))[0]})"


def main(what: str, memory: str, *places: str) -> None:
    """Read a table into an Arrow file, or print what is expected instead, as JSON."""
    _bounded(int(memory))
    if what == "Parquet files":
        _decode()
        return
    packed, table, header, *named = places
    wanted = named[0] if named else None
    if what == "spreadsheet":
        found = _too_wide(Path(packed)) or _sheet(Path(packed), wanted, int(header))
    else:
        found = _database(Path(packed), wanted) if what == "DuckDB database" else _arrow(Path(packed))
    if isinstance(found, str):
        sys.stdout.write(json.dumps(found))
    else:
        found.write_ipc(table)


if __name__ == "__main__":
    main(*sys.argv[1:])
