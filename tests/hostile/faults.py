"""Stop commands at file operations: what stood there or what is new is there whole, and the next run is fine.

`python -m tests.hostile.faults [COMMAND...] [KIND...] [1/3]` does so at every operation that Python makes (or at a
third of them), and prints a table; polars writes files on its own, and meets full disks by the limit of a file's size
(`short`) alone.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from typing import cast

from tallybook.cli.app import main as tallybook
from tallybook.report import manifest
from tallybook.study.loading import load
from tests.integration.validation.small import CLEAN

LARGE = ("great_tables", "matplotlib", "numpy", "pandas", "pandera", "plotnine", "scipy", "statsmodels", "tallybook")
"""How modules begin that take long to import."""

COMMANDS = {
    "run": ["run", "study", "--numbers-only", "--out", "out", "--quiet"],
    "tables": ["run", "study", "--out", "out", "--quiet"],
    "report": ["report", "study", "--engine", "embedded", "--to", "html", "--out", "out", "--quiet"],
    "reproduce": ["reproduce", "study", "--engine", "embedded", "--to", "html", "--out", "out", "--quiet"],
    "validate": ["validate", "study", "-o", "out.json", "--failures", "failures.csv", "--quiet"],
    "bundle": ["bundle", "study", "-o", "out.csv", "--quiet"],
    "tally": ["tally", "study/alpha.csv", "study/beta.csv", "-o", "all.parquet", "--study", "study", "--quiet"],
    "merge": ["merge", "all.parquet", "--study", "study", "--out", "out", "--quiet"],
}
"""Command -> how it is called."""
FIRST = {"merge": "tally"}
"""Command -> what writes its inputs."""
ERRORS = {"full": errno.ENOSPC, "read-only": errno.EROFS, "broken": errno.EIO}
KINDS = ("kill", *ERRORS, "short", "changed", "clock")
"""What happens at an operation; `clock` sets it back by a day."""
_TABLE = """
[published]
file = "printed.csv"
[analyses.share]
statistic = "proportion"
outcomes = ["politics"]
by = ["model"]
[[tables]]
id = "1"
title = "{title}"
outcomes = ["politics"]
rows = ["model"]
columns = ["measure"]
[[tables.measures]]
id = "share"
label = "Left (%)"
parts = [{{ statistic = "percent", analysis = "share", term = "left", style = "number", scale = 100 }}]
"""
_CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "os.truncate", "os.link", "os.symlink"}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_KILLED = -signal.SIGKILL


def study(folder: Path, title: str = "Left, by model") -> None:
    """Write a study with a table and its printed numbers, and somebody's own files beside it."""
    text = CLEAN["study.toml"].replace("[[sources]]", 'key = ["model", "age", "item", "sample"]\n[[sources]]', 1)
    text += _TABLE.format(title=title)
    printed = "table,row,column,statistic,printed\n1,alpha,share,percent,66.67\n"
    (folder / "study" / "published").mkdir(parents=True, exist_ok=True)
    for name, content in (CLEAN | {"study.toml": text, "published/printed.csv": printed}).items():
        (folder / "study" / name).write_text(content)
    (folder / "mine.txt").write_text("mine")
    (folder / ".out-abcdefgh").write_text("mine")


def call(folder: Path, command: str, operation: int = 0, kind: str = "") -> tuple[int, int, str]:
    """Run a command that meets a fault at an operation: its exit code, how many operations there were, what it said."""
    told = folder.parent / f"{folder.name}.told"
    child = os.fork()
    if not child:
        os._exit(_in_child(folder, told, command, operation, kind))
    _, status = os.waitpid(child, 0)
    held = told.read_text(encoding="utf-8") if told.exists() else '["", 0, []]'
    said, number, imported = cast("tuple[str, int, list[str]]", json.loads(held))
    told.unlink(missing_ok=True)
    for name in imported:  # what is imported before a process forks is not imported anew for each fault
        with suppress(ImportError):
            import_module(name)
    return os.waitstatus_to_exitcode(status), number, said


def _in_child(folder: Path, told: Path, command: str, operation: int, kind: str) -> int:
    """Run a command in a process of its own; the fault comes before the operation is made."""
    os.chdir(folder)
    os.environ["SOURCE_DATE_EPOCH"] = "1"
    number, is_over = 0, False

    def audit(event: str, details: tuple[object, ...]) -> None:
        nonlocal number
        if is_over or not _changes(event, details):
            return
        number += 1
        if number != operation and not (kind == "full" and 0 < operation < number and event == "open"):
            return
        _happens(kind, folder, str(details[0]))

    sys.addaudithook(audit)
    sys.argv = ["tallybook", *COMMANDS[command]]
    said, code = io.StringIO(), 70
    try:
        with redirect_stderr(said), redirect_stdout(said):
            tallybook()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    except BaseException as error:  # noqa: BLE001  whatever it is, a user would see it
        said.write(f"Traceback: {error!r}")
    is_over = True
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    imported = [] if operation else [name for name in sys.modules if name.startswith(LARGE)]
    told.write_text(json.dumps([said.getvalue(), number, imported]), encoding="utf-8")
    return code


def _happens(kind: str, folder: Path, path: str) -> None:
    """Let a fault happen at an operation on a path."""
    if kind == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif kind == "short":
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))
    elif kind == "clock":
        now = time.time
        time.time = lambda: now() - 86400
    elif kind == "changed":
        os.truncate(folder / "study" / "alpha.csv", 300)
    elif kind:
        raise OSError(ERRORS[kind], os.strerror(ERRORS[kind]), path)


def _changes(event: str, details: tuple[object, ...]) -> bool:
    """Whether an operation changes files, other than those that Python keeps of modules."""
    if event != "open":
        return event in _CHANGES and "__pycache__" not in str(details[0])
    path, mode, flags = details[:3]
    if isinstance(path, int):  # a pipe to another process
        return False
    is_written = isinstance(flags, int) and bool(flags & _WRITES)
    is_text = isinstance(mode, str) and any(letter in mode for letter in "wax+")
    return (is_written or is_text) and "__pycache__" not in str(path) and "/dev/" not in str(path)


def state(folder: Path) -> dict[str, bytes]:
    """Every file but what is being written, and is the next run's to remove; without how long things took."""
    files = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    held = {name: path.read_bytes() for name, path in files.items() if ".tallybook" not in name}
    return {name: re.sub(rb'"(seconds|wall_time|wall_seconds|at)": [0-9.]+', b"", held[name]) for name in held}


def faults_of(
    command: str, most: int | None = None, kinds: tuple[str, ...] = KINDS, share: tuple[int, int] = (1, 1)
) -> tuple[int, Counter[str], list[str]]:
    """Stop a command at each operation, or at so many of them: operations, faults tried by kind, and what failed.

    It begins where nothing was, and over what it made of another study.
    """
    with tempfile.TemporaryDirectory() as name:
        bare, over, again = (Path(name, one) for one in ("bare", "over", "again"))
        for folder, titles in ((bare, ["New"]), (over, ["Old", "New"])):
            folder.mkdir()
            for title in titles:
                study(folder, title)
                for one in [FIRST.get(command), command if title == "Old" else None]:
                    if one and (ended := call(folder, one))[0]:
                        raise RuntimeError(f"{one}: exit code {ended[0]}: {ended[2]}")
        load(str(bare / "study"))
        manifest.code()  # both keep what they found for the processes that are forked
        places, after = list[tuple[Path, int]](), dict[str, bytes]()
        for folder in (bare, over):
            shutil.copytree(folder, again)
            code, operations, said = call(again, command)
            if code or not operations or (after and state(again) != after):
                raise RuntimeError(f"{command}: exit code {code}, {operations} operations: {said}")
            after = state(again)
            shutil.rmtree(again)
            places += [(folder, number) for number in range(operations, 0, -1)]
        tried, failed, fine = Counter[str](), list[str](), set[frozenset[tuple[str, bytes]]]()
        step = 1 if most is None else -(-len(places) // most)
        for folder, number in places[share[0] - 1 :: share[1]][::step]:
            for kind in kinds:
                shutil.copytree(folder, again)
                found = _wrong(again, (command, number, kind), state(bare), after, fine)
                failed += [f"{command}: {kind} at operation {number} ({folder.name}): {one}" for one in found]
                tried[kind] += 1
                shutil.rmtree(again)
        return len(places), tried, failed


def _wrong(
    folder: Path,
    fault: tuple[str, int, str],
    before: dict[str, bytes],
    after: dict[str, bytes],
    fine: set[frozenset[tuple[str, bytes]]],
) -> list[str]:
    """What is wrong after a fault, and after the run behind it, which is not made where one of the same files was."""
    command, number, kind = fault
    old = state(folder)
    code, _, said = call(folder, command, number, kind)
    wrong = (
        [f"a traceback: {said[-400:]}"] if "Traceback" in said or (code not in {0, 1, 2} and code != _KILLED) else []
    )
    if kind == "changed":
        (folder / "study" / "alpha.csv").write_bytes(before["study/alpha.csv"])
    found = state(folder)
    changed = {name for name in found.keys() | old.keys() if found.get(name) != old.get(name)}
    if others := changed - (after.keys() - before.keys()):
        wrong.append(f"changed {sorted(others)}")
    in_folder = {name: content for name, content in found.items() if name.startswith("out/")}
    whole = [{name: one for name, one in held.items() if name.startswith("out/")} for held in (old, after)]
    if "without computing again" in said and _are_numbers(in_folder, after):  # the renderer's own process failed
        whole.append(in_folder)
        changed -= {"out/manifest.json"}
    if kind != "changed" and in_folder not in whole:
        wrong.append("a folder that is neither old nor new")
    if kind != "changed" and any(found[name] != after[name] for name in changed & found.keys()):
        wrong.append("a file that is neither old nor new")
    left = sorted(path.name for path in folder.rglob(".*.tallybook"))
    begun = frozenset(found.items())
    if not left and begun in fine:
        return wrong
    code, _, said = call(folder, command)
    if not left and not wrong:
        fine.add(begun)
    if code or state(folder) != after:
        wrong.append(f"the next run: exit code {code}: {said[-400:]}")
    if left := sorted(path.name for path in folder.rglob(".*.tallybook")):
        wrong.append(f"left over {left}")
    return wrong


def _are_numbers(in_folder: dict[str, bytes], after: dict[str, bytes]) -> bool:
    """Whether a folder holds all that is new but the rendered report, and its manifest lists just that."""
    new = {name: one for name, one in after.items() if re.match("out/(?!report/(?!source/))", name)}
    differing = {name for name in new.keys() | in_folder.keys() if new.get(name) != in_folder.get(name)}
    listed = {f"out/{name}" for name in json.loads(in_folder.get("out/manifest.json", b"{}")).get("files", [])}
    return differing <= {"out/manifest.json"} and listed == in_folder.keys() - {"out/manifest.json"}


def main() -> int:
    """Stop commands at every operation."""
    wrong, chosen = list[str](), sys.argv[1:]
    share = next((one for one in chosen if "/" in one), "1/1").split("/")
    sys.stdout.write("| command | fault | operations | failures |\n|---|---|--:|--:|\n")
    for command in [one for one in COMMANDS if one in chosen] or COMMANDS:
        for kind in [one for one in KINDS if one in chosen] or KINDS:
            _, tried, failed = faults_of(command, kinds=(kind,), share=(int(share[0]), int(share[1])))
            row = f"| `{command}` | {kind} | {tried.total()} | {len(failed)} |"
            sys.stdout.write("\n".join([row, *failed, ""]))
            sys.stdout.flush()
            wrong += failed
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
