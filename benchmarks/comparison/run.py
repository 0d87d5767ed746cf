"""Runs what `comparison.toml` says with every tool, in environments of their own, and writes `docs/comparison.md`.

    python benchmarks/comparison/run.py FOLDER

installs the tools below FOLDER (those that are there already are kept), runs every command on the dump, and fails if a
command ends otherwise, lacks what it should show or shows what it should not: then a cell of the table is not true any
longer. The page is written only if all are.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
import tomllib
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "comparison.md"
MARKS = {"yes": "yes", "part": "part", "py": "py", "no": "–"}
WIDTH, MOST_LINES = 116, 9
PICTURES = 0x2400
"""Where Unicode has pictures of control characters."""
HEAD = """\
# Validation in CI: what other tools do with the same dump

<!-- Written by benchmarks/comparison/run.py, which fails if a command does not print what is said here. -->

Six tools and one dump, the one of [validation.md](validation.md), as CSV and JSON lines and in each tool's own words.
All was run: each cell names the commands it follows from, and these stand below with what they printed. To run them
again:

    python benchmarks/comparison/run.py FOLDER      # installs the tools below FOLDER, and writes this page

{versions}.

**yes**: by the command line and declarations in files. **part**: with something missing, or where the thing looked for
is a pattern, formula, list or expression of one's own; the notes say which. **py**: with a Python program around the
library ([great_expectations_checks.py](../benchmarks/comparison/great_expectations_checks.py),
[dataframely_checks.py](../benchmarks/comparison/dataframely_checks.py)). **–**: not found in the tool. Whatever is a
Python library can be made to do anything by a program; what such a program would have to bring itself is not counted.

{table}

What the others do better, and Tallybook does not: GX, pointblank and dataframely set bad rows apart, GX writes a whole
site of its results and pointblank a page; pointblank, frictionless and
GX are told a database by its address, though only SQLite was tried here, whose files Tallybook reads. All of them are
made for any data; much of what is asked here (the design, prompts, drift of coded answers) is about responses of
models. JUnit can be had of a Python library by calling it in a test of pytest ([d9](#d9)).

"""


class Ran(NamedTuple):
    """What a command printed, and how it ended."""

    code: int
    output: str


def environment(tool: dict[str, Any], folder: Path) -> Path:
    """The programs of a tool, installed if they are not there."""
    if not tool["install"]:
        return Path(sys.executable).parent
    target = folder / "environments" / tool["name"]
    if not (target / "installed").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", target], check=True)
        subprocess.run([target / "bin" / "python", "-m", "pip", "install", "-qqq", *tool["install"]], check=True)
        (target / "installed").touch()
    return target / "bin"


@cache
def package(tool: str, programs: Path) -> str:
    """The folder of a tool's Python package."""
    code = f"import importlib.util; print(importlib.util.find_spec({tool!r}).submodule_search_locations[0])"
    return subprocess.run([programs / "python", "-c", code], capture_output=True, text=True, check=True).stdout.strip()


def execute(command: str, programs: Path, folder: Path) -> Ran:
    """Run a command in the folder of the dump, on a terminal of 120 columns that knows no colours."""
    settings = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "COLUMNS": "120",
        "TERM": "dumb",
        "GX_ANALYTICS_ENABLED": "false",
    }
    ran = subprocess.run(
        ["bash", "-c", command],
        cwd=folder, env=os.environ | settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    return Ran(ran.returncode, ran.stdout.decode(errors="replace").replace("\r", "\n"))


def untrue(run: dict[str, Any], ran: Ran) -> list[str]:
    """What a command does otherwise than it is said to."""
    wrong = [f"ends with {ran.code}"] if ran.code != run["exit"] else []
    wrong += [f"does not show {text!r}" for text in run["shows"] if text not in ran.output]
    wrong += [f"shows {text!r}" for text in run.get("hides", []) if text in ran.output]
    return wrong + ([] if run["shows"] or not ran.output else ["prints something"])


def excerpt(run: dict[str, Any], ran: Ran, folder: Path) -> list[str]:
    """The lines that show what matters, and where others are left out."""
    wanted = [part for text in run["shows"] for part in text.split("\n") if part]
    output = ran.output.rstrip("\n").replace(f"{folder}/", "").replace(str(folder.parent), "FOLDER")
    lines = output.split("\n") if output else []
    if run.get("whole"):
        return [part for line in lines for part in textwrap.wrap(line, WIDTH)]
    kept = [place for place, line in enumerate(lines) if any(text in line for text in wanted)]
    once = [place for place in kept if lines.index(lines[place]) == place][:MOST_LINES]
    told: list[str] = []
    for before, place in zip([-1, *once], once, strict=False):
        told += ["..."] if place > before + 1 else []
        told.append(seen(lines[place].rstrip(), wanted))
    return told + (["..."] if once and once[-1] < len(lines) - 1 else [])


def seen(line: str, wanted: list[str]) -> str:
    """As much of a line as fits, with what is wanted of it; its control characters are pictures."""
    end = max(line.find(text) + len(text) for text in wanted if text in line)
    line = "".join(sign if ord(sign) >= ord(" ") else chr(PICTURES + ord(sign)) for sign in line)
    line = line if end < WIDTH else f"…{line[end - WIDTH + 2 :]}"
    return line if len(line) <= WIDTH else line[: WIDTH - 1] + "…"


def table(content: dict[str, Any]) -> str:
    """The table, with links to the commands that each cell follows from."""
    tools = content["tools"]
    lines = [f"| | {' | '.join(tool['title'] for tool in tools)} |", "|---" * (1 + len(tools)) + "|"]
    for want in content["wants"]:
        cells: list[str] = []
        for tool in tools:
            mark, *runs = want["cells"][tool["name"]].split()
            links = " ".join(f"[{run}](#{run})" for run in runs)
            cells.append(f"{MARKS[mark]} {links}")
        lines.append(f"| {want['title']} | {' | '.join(cells)} |")
    return "\n".join(lines)


def page(content: dict[str, Any], told: dict[str, list[str]]) -> str:
    """The page."""
    names = [f"{tool['title']} {tool['version']}" for tool in content["tools"] if tool["install"]]
    parts = [HEAD.format(versions=", ".join(names), table=table(content))]
    for tool in content["tools"]:
        parts.append(f"## {tool['title']}\n")
        if tool["install"]:
            parts.append(f"    pip install {' '.join(repr(one) for one in tool['install'])}\n")
        for run in content["runs"]:
            if run["tool"] == tool["name"]:
                printed = "" if run["shows"] else "Nothing is printed. "
                about = f"{run['about']} " if "about" in run else ""
                parts.append(f"### {run['id']}\n\n{about}{printed}Exit code {run['exit']}.\n")
                parts.append("\n".join(["```console", f"$ {run['command']}", *told[run["id"]], "```\n"]))
    return "\n".join(parts)


def main(folder: Path) -> int:
    """Run everything; write the page if all is true."""
    content = tomllib.loads((HERE / "comparison.toml").read_text(encoding="utf-8"))
    work = folder.resolve() / "dump"
    shutil.rmtree(work, ignore_errors=True)
    subprocess.run([sys.executable, HERE / "dump.py", work], check=True)
    tools = {tool["name"]: environment(tool, folder.resolve()) for tool in content["tools"]}
    told: dict[str, list[str]] = {}
    failed = 0
    for run in content["runs"]:
        programs = tools[run["tool"]]
        ran = execute(run["command"].replace("PACKAGE", package(run["tool"], programs)), programs, work)
        for fault in (wrong := untrue(run, ran)):
            print(f"{run['id']}: {fault}", flush=True)
        failed += bool(wrong)
        told[run["id"]] = excerpt(run, ran, work)
    print(f"{len(content['runs'])} commands, {failed} otherwise than said")
    if not failed:
        PAGE.write_text(page(content, told), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
