# ruff: noqa: INP001
"""Write the sources of the website: these pages, and reference pages made from the code.

`python docs/website.py out/website`, then `quarto render out/website`. The settings of study files, commands and the
Python API have pages of their own; examples of shortcodes and of cells are shown, not run.
"""

from __future__ import annotations

import inspect
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tallybook as tb
from tallybook.study.schemas import study_schema

if TYPE_CHECKING:
    from collections.abc import Iterator

DOCS = Path(__file__).parent
KINDS = ("kind", "statistic", "format", "role")
"""The settings that say what a table of the study file is: an analysis of that statistic, a check of that kind."""

Schema = dict[str, Any]


def settings() -> str:
    """Write all settings of a study file: those at its top, then each table that it can hold."""
    whole = study_schema()
    definitions: dict[str, Schema] = whole["$defs"]
    lines = [
        "# All settings",
        "",
        "What a [study file](../study.md) can say, from the schema that editors use: `tallybook schema study`.",
        "",
        *_table(whole, definitions),
    ]
    seen: set[str] = set()
    for name, setting in whole["properties"].items():
        found = [one for one in _used(setting, definitions) if one not in seen]
        if not found:
            continue
        lines += ["", f"## {name} {{#setting-{name}}}", "", setting["description"]]
        for one in found:
            seen.add(one)
            lines += ["", f"### {_title(one, definitions[one])} {{#{_anchor(one)}}}", ""]
            lines += [definitions[one].get("description", ""), "", *_example(definitions[one])]
            lines += _table(definitions[one], definitions)
    return "\n".join(lines) + "\n"


def _used(schema_: Schema, definitions: dict[str, Schema]) -> Iterator[str]:
    """Name the definitions that a setting holds, and those within them, in order and each once."""
    waiting, seen = [schema_], set[str]()
    while waiting:
        for name in _references(waiting.pop(0)):
            if name not in seen:
                seen.add(name)
                yield name
                waiting.append(definitions[name])


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].rpartition("/")[2]
        for each in value.values():
            yield from _references(each)
    elif isinstance(value, list):
        for each in value:
            yield from _references(each)


def _kind(definition: Schema) -> tuple[str, str] | None:
    """Find the setting that names what a definition is, and its only value."""
    for name in KINDS:
        if value := definition.get("properties", {}).get(name, {}).get("const"):
            return name, value
    return None


def _title(name: str, definition: Schema) -> str:
    kind = _kind(definition)
    return f'`{kind[0]} = "{kind[1]}"`' if kind else re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.rpartition("__")[2])


def _anchor(name: str) -> str:
    return name.rpartition("__")[2].lower() if name.count("__") == 0 else name.lower().replace("_", "-")


def _example(definition: Schema) -> list[str]:
    """Quote the first block of the pages that declares one."""
    kind = _kind(definition)
    if kind is None:
        return []
    declared = f'{kind[0]} = "{kind[1]}"'
    for page in sorted(DOCS.glob("*.md")):
        for block in re.findall(r"```toml\n(.*?)```", page.read_text(encoding="utf-8"), flags=re.DOTALL):
            for table in re.split(r"\n\n+(?=\[)", block.strip()):
                if declared in table:
                    return ["```toml", table, "```", "", f"From [{page.stem}](../{page.name}).", ""]
    return []


def _table(definition: Schema, definitions: dict[str, Schema]) -> list[str]:
    properties: dict[str, Schema] = definition.get("properties", {})
    if not properties:
        return []
    required = definition.get("required", [])
    rows = ["| setting | value | default | |", "|---|---|---|---|"]
    for name, setting in properties.items():
        default = "required" if name in required else f"`{_toml(setting['default'])}`" if "default" in setting else ""
        cells = (f"`{name}`", _type(setting, definitions), default, setting.get("description", ""))
        rows.append("| " + " | ".join(re.sub(r"\s+", " ", one).replace("|", "\\|") for one in cells) + " |")
    return [*rows, "", ': {tbl-colwidths="[18,22,14,46]"}']


def _type(setting: Schema, definitions: dict[str, Schema]) -> str:  # noqa: PLR0911  one for each kind of schema
    """Say what a value may be; a table of its own is a link."""
    match setting:
        case {"$ref": str(reference)}:
            name = reference.rpartition("/")[2]
            kind = _kind(definitions[name])
            return f"[{kind[1] if kind else 'table'}](#{_anchor(name)})"
        case {"const": value}:
            return f"`{_toml(value)}`"
        case {"enum": values}:
            return ", ".join(f"`{_toml(one)}`" for one in values)
        case {"anyOf": several} | {"oneOf": several}:
            return " or ".join(dict.fromkeys(_type(one, definitions) for one in several))
        case {"type": "array", "items": dict(item)}:
            return f"list of {_type(item, definitions)}"
        case {"type": "object"}:
            named = [*setting.get("patternProperties", {}).values(), setting.get("additionalProperties")]
            return f"name = {_type(named[0], definitions)}" if isinstance(named[0], dict) else "table"
        case _:
            names = {"string": "text", "boolean": "`true`, `false`", "integer": "whole number"}
            return names.get(setting.get("type", ""), setting.get("type", "any value"))


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} = {_toml(one)}" for name, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def commands() -> str:
    """Write what each command's `--help` says."""
    import typer.main
    from typer.testing import CliRunner

    from tallybook.cli.app import app

    lines = [
        "# All commands and options",
        "",
        "As `tallybook COMMAND --help` prints them; [what they are for](../commands.md).",
    ]
    for name in typer.main.get_command(app).commands:  # pyright: ignore[reportAttributeAccessIssue]  it is a group
        printed = CliRunner().invoke(app, [name, "--help"], prog_name="tallybook", terminal_width=100).output
        text = "\n".join(line.rstrip() for line in printed.strip().splitlines())
        lines += ["", f"## {name}", "", "```text", text, "```"]
    return "\n".join(lines) + "\n"


def python() -> str:
    """Write what `import tallybook as tb` offers: signatures and docstrings, and the analyses as methods."""
    lines = ["# All of the Python API", "", "What `import tallybook as tb` offers. [By example](../python.md)."]
    for name in sorted(tb.__all__):
        lines += ["", f"## tb.{name}", "", *_documented(name, getattr(tb, name))]
    for name, method in inspect.getmembers(tb.Study):
        if not name.startswith("_") and callable(method):
            lines += ["", f"### tb.Study.{name}", "", *_documented(name, method)]
    return "\n".join(lines) + "\n"


def _documented(name: str, thing: object) -> list[str]:
    try:
        signature = str(inspect.signature(thing))
    except (TypeError, ValueError):
        signature = ""
    text = inspect.getdoc(thing) or ""
    shown = re.sub(
        r"<factory>|<object object at .*?>|'", lambda match: "" if match[0] == "'" else "...", name + signature
    )
    return ["```text", shown, "```", "", "```text", text, "```"]


def shown(page: str) -> str:
    """Write a page as Quarto shows it: with its title, without links out of the folder, and nothing that would run."""
    page = re.sub(r"\A# (.*)\n", r'---\ntitle: "\1"\n---\n', page)
    page = re.sub(r"\[([^\]]*)\]\((?:\.\./(?!\w+\.md)|\.\./README|gallery/)[^)]*\)", r"\1", page)
    page = re.sub(r"\{\{<(.*?)>\}\}", r"{{{<\1>}}}", page)
    return page.replace("```{python}", "```python").replace("engine: jupyter", "engine: markdown")


def write(folder: Path) -> None:
    """Write a project of Quarto into a folder."""
    (folder / "reference").mkdir(parents=True, exist_ok=True)
    for name in ("_quarto.yml", "notebook.py"):
        shutil.copy(DOCS / name, folder)
    shutil.copytree(DOCS / "pictures", folder / "pictures", dirs_exist_ok=True)
    for page in (*DOCS.glob("*.md"), *DOCS.glob("*.qmd")):
        (folder / page.name).write_text(shown(page.read_text(encoding="utf-8")), encoding="utf-8")
    for name, made in (("settings", settings), ("commands", commands), ("python", python)):
        (folder / "reference" / f"{name}.md").write_text(shown(made()), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
