"""Nothing is in the package that no command, study file or public name reaches, as far as names tell."""

from __future__ import annotations

import ast
from pathlib import Path

import tallybook

PACKAGE = Path(tallybook.__file__).parent
ROOTS = {"main", "pytest_addoption", "pytest_configure", *tallybook.__all__}
"""What others call by name: the command, pytest, the public names."""
DUNDER = {"__all__", "__dir__", "__getattr__", "_HOMES"}
"""What Python asks of the package by itself."""
TAGS = {"kind", "statistic"}
"""The settings whose literal type makes a class one of a registry's."""


def used(node: ast.AST) -> set[str]:
    """The names in a piece of code: alone, after a dot, in quotes."""
    found: set[str] = set()
    for one in ast.walk(node):
        match one:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found.add(name)
            case ast.Constant(value=str(text)) if text.isidentifier():
                found.add(text)
            case _:
                pass
    return found


def is_registered(node: ast.ClassDef) -> bool:
    declared = (one for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name))
    return any(ast.unparse(one.target) in TAGS and "Literal" in ast.unparse(one.annotation) for one in declared)


def unreached(package: Path) -> set[str]:
    """The functions, classes and constants of modules that are reached from no root."""
    uses: dict[str, set[str]] = {}
    ahead = list(ROOTS)
    for path in package.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    uses.setdefault(name, set()).update(used(node) - {name})
                    ahead += [name] if isinstance(node, ast.ClassDef) and is_registered(node) else []
                case (
                    ast.Assign(targets=[ast.Name(id=name)], value=value)
                    | ast.AnnAssign(target=ast.Name(id=name), value=value)
                ):
                    uses.setdefault(name, set()).update(used(node) - {name})
                    ahead += [name] if isinstance(value, ast.Call) else []  # which a registry finds
                case ast.Import() | ast.ImportFrom():
                    pass
                case _:
                    ahead += used(node)
    reached: set[str] = set()
    while ahead:
        if (name := ahead.pop()) not in reached and name in uses:
            reached.add(name)
            ahead += uses[name]
    return uses.keys() - reached


def test_everything_is_reached() -> None:
    assert unreached(PACKAGE) - DUNDER == set(), "nothing reaches these: a command or a setting, or away with them"


def test_what_nothing_reaches_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def main():\n    b()\ndef b(): ...\ndef c():\n    d()\ndef d():\n    c()\nE = 1\n")
    assert unreached(tmp_path) == {"c", "d", "E"}
