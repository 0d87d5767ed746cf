"""Damaged inputs by seed: every reader, study files, schemas, narratives, every instrument's coder.

`python -m tests.hostile.fuzz SECONDS [SEED]` goes on for so long. Whatever is damaged is read or refused with a message
for users, and the rows that were in are those that come out, by status, or are told.
"""

from __future__ import annotations

import csv
import io
import json
import random
import shutil
import sqlite3
import sys
import tempfile
import time
import tomllib
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from tallybook import pipeline
from tallybook.core.errors import DataError, TallybookError
from tallybook.core.issue_log import IssueLog
from tallybook.instruments.simulation.command import simulate
from tallybook.report import sources
from tallybook.sources.content import Content
from tallybook.sources.formats.registry import format_by_name
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import load
from tallybook.validation import user_schemas
from tests.integration.validation.small import STUDY, rows
from tests.paths import DUMPS
from tests.unit.sources.formats.tool_records import FILES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

TOKENS = (
    b'"', b'""', b"'", b",", b"\n", b"\r", b"\r\n", b"\t", b";", b"\0", b"\xff", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"{",
    b"}", b"[", b"]", b"[[", b":", b"\\", b"\\ud800", b"null", b"NaN", b"1e999", b"-0", b"true", b"[" * 300, b"=", b"#",
    "\u2028".encode(), "\u202e".encode(), "\U0001f600".encode(), b"{{< var x >}}", b"{{< include /etc/passwd >}}",
    b"---\n", b"../", b"*", b"answer: ", b"(?:a+)+$", b"9" * 40,
)  # fmt: skip
CSV = rows("alpha").replace("alpha says pq", '"says, ""p""\nq"').encode()
LINES = [json.dumps({"text": f"says {n}", "item": {"id": n, "tags": ["a", None]}, "sample": n}) for n in range(12)]
JSON_SCHEMA = json.dumps(
    {
        "type": "object",
        "required": ["model"],
        "properties": {"model": {"enum": ["a", "b"]}, "age": {"type": "integer", "minimum": 0}},
    }
)
NARRATIVE = (
    '---\ntitle: "A"\n---\n\n## One {#sec-one}\n\nText {{< var n.x >}}.\n\n::: {.callout-note}\nA @tbl-1.\n:::\n'
)


def damaged(drawn: random.Random, content: bytes) -> bytes:
    """Damage a file at one to four places."""
    for _ in range(drawn.randint(1, 4)):
        start = drawn.randint(0, len(content))
        end = min(len(content), start + drawn.choice((0, 0, 1, 3, 40)))
        put = drawn.choice((b"", drawn.choice(TOKENS), content[start:end] * 2, drawn.randbytes(2)))
        content = content[:start] + put + content[end:]
    return content[: drawn.randint(0, len(content))] if drawn.random() < 0.1 else content


ODD: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, "", "x", "[1]", "\ud800", "9" * 30, "ключ 名前", "{model}", "../x", 2**70, [], {}, [[]],
    [None], {"a": None}, [{"a": 1}],
)  # fmt: skip
"""What may stand in JSON in the place of anything else."""


def altered(drawn: random.Random, value: Any) -> Any:
    """Alter JSON at one to three places: what stands there is left out, doubled, called otherwise or something odd."""
    for _ in range(drawn.randint(1, 3)):
        places = [*_places(value)]
        if not places:
            return value
        held, place = drawn.choice(places)
        found, how = json.dumps(held[place]), drawn.random()
        if how < 0.2:
            del held[place]
        elif how < 0.4 and isinstance(held, list):
            cast("list[Any]", held).append(json.loads(found))
        elif how < 0.4:
            held[drawn.choice(("x", "", "a.b", "id", "model"))] = json.loads(found)
        else:
            held[place] = json.loads(json.dumps(drawn.choice(ODD)))
    return value


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Walk objects and lists: each with the key of one of its values."""
    places = [*value] if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    for place in cast("Iterable[Any]", places):
        yield value, place
        yield from _places(value[place])


def _damaged_json(drawn: random.Random, content: bytes, *, is_lines: bool) -> bytes:
    """Damage a file of JSON, mostly within its grammar."""
    if drawn.random() < 0.25:
        return damaged(drawn, content)
    records = [json.loads(line) for line in (content.splitlines() if is_lines else [content])]
    number = drawn.randrange(len(records))
    records[number] = altered(drawn, records[number])
    return "\n".join(map(json.dumps, records)).encode()


def _damaged_study(drawn: random.Random, content: bytes) -> bytes:
    """Damage a study file, mostly within its grammar: inline tables of TOML are JSON with other signs."""
    if drawn.random() < 0.5:
        return damaged(drawn, content)
    settings = altered(drawn, tomllib.loads(content.decode()))
    lines = [f"{json.dumps(name)} = {json.dumps(settings[name], separators=(', ', ' = '))}\n" for name in settings]
    return "".join(lines).encode()


def _frame_file(write: Callable[[pl.DataFrame, io.BytesIO], object]) -> bytes:
    file = io.BytesIO()
    write(pl.DataFrame({"model": ["a", "b"], "text": ["x", None], "n": [1, 2]}), file)
    return file.getvalue()


def _database() -> bytes:
    with closing(sqlite3.connect(":memory:")) as made:
        made.execute("create table answers (model text, sample integer, text text)")
        made.executemany("insert into answers values (?, ?, ?)", [("a", n, f"says {n}") for n in range(12)])
        made.commit()
        return made.serialize()


def _records(path: Path, form: str) -> tuple[int, set[str], bool]:
    """Read a file: how many records, which others were told of, and whether the file was refused as a whole."""
    content, number, told = Content(path.parent, path.name, is_named=True), 0, list[str]()
    try:
        for part in format_by_name(form).read(content, []):
            if part.height != part.keys.len():
                raise AssertionError("a record without a key")
            number += part.height
    except DataError as error:
        told += [one.key for one in error.problems]
        return number, {*told, *(one.key for one in content.problems)}, True
    told += [one.key for one in content.problems]
    return number, {*told} - {""}, "" in told


def _rows(path: Path, delimiter: str = ",") -> int | None:
    """Count the rows of a table of text in the plainest way."""
    if b"\r" in path.read_bytes().replace(b"\r\n", b""):
        return None  # a CR alone is text to the reader, and the end of a row here
    text = io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")
    return sum(bool(row) for row in [*csv.reader(text, delimiter=delimiter, strict=True)][1:])


def _lines(path: Path) -> int:
    lines = path.read_bytes().split(b"\n")
    return sum(bool(line.strip(b" \t\r\x0b\x0c") and line.decode(errors="replace").strip()) for line in lines)


def _elements(path: Path) -> int | None:
    found = json.loads(path.read_bytes())
    return len(cast("list[object]", found)) if isinstance(found, list) else None


def _database_rows(path: Path) -> int | None:
    with closing(sqlite3.connect(path)) as opened:
        return int(opened.execute("select count(*) from answers").fetchone()[0])


COUNTS: dict[str, Callable[[Path], int | None]] = {
    "csv": _rows,
    "tsv": lambda path: _rows(path, "\t"),
    "jsonl": _lines,
    "json": _elements,
    "sqlite": _database_rows,
    "parquet": lambda path: pl.read_parquet(path).height,
    "arrow": lambda path: pl.read_ipc(path.read_bytes()).height,
    "excel": lambda path: pl.read_excel(path, infer_schema_length=0).height,
}
"""Format -> how many records a file has by another, plain reader; None where it cannot say."""


def _compared(form: str) -> Callable[[Path], None]:
    """Read a file: each of its records comes out, or is told, where another reader can count them."""

    def read(path: Path) -> None:
        number, told, is_refused = _records(path, form)
        if is_refused:
            return
        try:
            known = COUNTS[form](path)
        except (Exception, pl.exceptions.PanicException):  # noqa: BLE001  the other reader is not tested
            return
        if known is not None and (number + len(told) < known or number > known):
            raise AssertionError(f"{number} records and {len(told)} told of {known}")

    return read


def _of(form: str) -> Callable[[Path], object]:
    format_by_name(form)  # a name that there is not is no fault of a file
    return lambda path: _records(path, form)


TARGETS: dict[str, tuple[str, bytes, Callable[[Path], object]]] = {
    "csv": ("a.csv", CSV, _compared("csv")),
    "tsv": ("a.tsv", CSV.replace(b",", b"\t"), _compared("tsv")),
    "jsonl": ("a.jsonl", "\n".join(LINES).encode(), _compared("jsonl")),
    "json": ("a.json", f"[{','.join(LINES)}]".encode(), _compared("json")),
    "sqlite": ("a.sqlite", _database(), _compared("sqlite")),
    "parquet": ("a.parquet", _frame_file(pl.DataFrame.write_parquet), _compared("parquet")),
    "arrow": ("a.arrow", _frame_file(pl.DataFrame.write_ipc), _compared("arrow")),
    "excel": ("a.xlsx", _frame_file(pl.DataFrame.write_excel), _compared("excel")),
    "study": ("study.toml", STUDY.encode(), lambda path: load(str(path))),
    "schema": ("schema.json", JSON_SCHEMA.encode(), lambda path: user_schemas.load(str(path))),
    "narrative": (
        "index.qmd",
        NARRATIVE.encode(),
        lambda path: sources.read(path.parent, path.name, {"n": {"x": "1"}}),
    ),
}
"""What is damaged: name of the file, a sound one, and what reads it."""
APART = {"arrow": 10, "excel": 10}
"""Kinds that a process of its own reads: a tenth of the times."""


TOOLS = [
    (path.relative_to(DUMPS).parts[0], path.name, path.read_bytes(), path.parent)
    for path in sorted(DUMPS.rglob("*.json*"))
    if path.suffix in {".json", ".jsonl"} and path.parent.name != "look-alikes"
] + [
    (
        form,
        f"a.{suffix}",
        (
            f"[{','.join(map(json.dumps, records))}]" if suffix == "json" else "\n".join(map(json.dumps, records))
        ).encode(),
        None,
    )
    for form, records, _ in FILES.values()
    for suffix in ("json", "jsonl")
    if (form, suffix) != ("openai-evals", "json")
]
"""Files of other tools: format, name, content, and the folder whose files lie beside it."""


def tool_file(folder: Path, drawn: random.Random, failed: list[str], seed: int) -> str:
    """Damage a file of some tool and read it."""
    form, name, content, beside = drawn.choice(TOOLS)
    for path in [*beside.iterdir()] if beside else []:
        if path.is_file() and path.stat().st_size < 1e6:
            shutil.copy(path, folder)
    path = folder / name
    path.write_bytes(_damaged_json(drawn, content, is_lines=name.endswith("l")))
    is_read = _try(f"{form} {name} (seed {seed})", lambda: _of(form)(path), failed, path)
    for one in folder.iterdir():
        one.unlink()
    return f"{form}, {'read' if is_read else 'refused'}"


def coded(folder: Path, drawn: random.Random) -> None:
    """Damage the texts of a simulated dump: each row is coded, with a status, or told."""
    file = folder / "responses.csv"
    dump = pl.read_csv(file, infer_schema=False)
    texts = [damaged(drawn, (text or "").encode()).decode(errors="replace").replace("\0", " ") for text in dump["text"]]
    sound = file.read_bytes()
    try:
        dump.with_columns(pl.Series("text", texts)).write_csv(file, quote_style="always")
        with closing(IssueLog()) as issues:
            made = pipeline.read_and_code(load(str(folder)), issues=issues)
            number, told = (
                int(made.statuses["count"].sum()),
                len({key for part in issues.parts() for key in part["key"]}),
            )
            if number > dump.height or number + told < dump.height:
                raise AssertionError(f"{number} rows by status and {told} told of {dump.height}")
    finally:
        file.write_bytes(sound)


def fuzz(seed: int, times: int, of_coders: int = 1, seconds: float = 1e9) -> tuple[Counter[str], list[str]]:
    """Damage each kind of input some times: what was tried, and what failed."""
    drawn = random.Random(seed)  # noqa: S311  a fault is found again by its seed
    tried, failed, end = Counter[str](), list[str](), time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as name:
        for kind, (file, content, read) in TARGETS.items():
            path = Path(name, file)
            for _ in range(times // APART.get(kind, 1)):
                path.write_bytes(_damaged_study(drawn, content) if kind == "study" else damaged(drawn, content))
                is_read = _try(f"{kind} (seed {seed})", lambda path=path, read=read: read(path), failed, path)
                tried[f"{kind}, {'read' if is_read else 'refused'}"] += 1
                if time.monotonic() > end:
                    return tried, failed
        tools = Path(name, "tools")
        tools.mkdir()
        for _ in range(times):
            tried[tool_file(tools, drawn, failed, seed)] += 1
        for kind in INSTRUMENTS if of_coders else ():
            folder = Path(name, kind)
            settings = {
                "rows": 48,
                "seed": seed % 1000,
                "models": 2,
                "effect": "0.2",
                "refusals": 0.2,
                "malformed": 0.2,
            }
            simulate(kind, **settings, out=folder, output=None, form=None, quiet=True)  # pyright: ignore[reportArgumentType]
            for _ in range(of_coders):
                is_read = _try(
                    f"coder {kind} (seed {seed})", lambda folder=folder: coded(folder, drawn), failed, folder
                )
                tried[f"{kind} texts, {'read' if is_read else 'refused'}"] += 48
            if time.monotonic() > end:
                return tried, failed
    return tried, failed


def _try(what: str, read: Callable[[], object], failed: list[str], path: Path) -> bool:
    """Whether an input was read; that a message for users refuses it is no failure, any other error is one."""
    try:
        read()
    except TallybookError:
        return False
    except (Exception, pl.exceptions.PanicException) as error:  # noqa: BLE001  whatever it is, a user would see it
        shown = path.read_bytes()[:3000] if path.is_file() else b""
        failed.append(f"{what}: {type(error).__name__}: {str(error)[:300]}: {shown!r}")
        return False
    return True


def main(seconds: float, seed: int) -> int:
    """Damage inputs for some time."""
    tried, failed, end = Counter[str](), list[str](), time.monotonic() + seconds
    while time.monotonic() < end:
        more, wrong = fuzz(seed, 100, seconds=end - time.monotonic())
        tried, seed = tried + more, seed + 1
        failed += wrong
        sys.stdout.write("".join(f"{one}\n" for one in wrong))
        sys.stdout.flush()
    sys.stdout.write(f"{tried.total():,} inputs, {len(failed)} failures: {dict(tried)}\n")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
