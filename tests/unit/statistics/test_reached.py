"""Every statistic is reached: from an analysis, a command or the public API."""

from __future__ import annotations

import ast
from pathlib import Path

import tallybook

PACKAGE = Path(tallybook.__file__).parent
STATISTICS = PACKAGE / "statistics"

Name = tuple[str, str]


def module_of(path: Path) -> str:
    return ".".join(("tallybook", *path.relative_to(PACKAGE).with_suffix("").parts))


def imports(tree: ast.Module) -> dict[str, Name]:
    """What a module imports from the statistics: its own name for it -> module and name."""
    return {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("tallybook.statistics")
        for alias in node.names
    }


def definitions(tree: ast.Module) -> dict[str, ast.stmt]:
    """The functions, classes and constants of a module."""
    found: dict[str, ast.stmt] = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found[node.name] = node
        elif isinstance(node, ast.Assign):
            found |= {target.id: node for target in node.targets if isinstance(target, ast.Name)}
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = node
    return found


def closure(start: set[Name], trees: dict[str, ast.Module]) -> set[Name]:
    """Everything that these names use, directly or not."""
    known = {module: (definitions(tree), imports(tree)) for module, tree in trees.items()}
    reached: set[Name] = set()
    ahead = [name for name in start if name[0] in known]
    while ahead:
        module, name = ahead.pop()
        own, imported = known.get(module, ({}, {}))
        if (module, name) in reached or name not in own:
            continue
        reached.add((module, name))
        for node in ast.walk(own[name]):
            if isinstance(node, ast.Name):
                ahead += [(module, node.id)] if node.id in own else [imported[node.id]] if node.id in imported else []
    return reached


def test_every_statistic_is_reached():
    trees = {module_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in STATISTICS.rglob("*.py")}
    others = [path for path in PACKAGE.rglob("*.py") if STATISTICS not in path.parents]
    asked = {name for path in others for name in imports(ast.parse(path.read_text(encoding="utf-8"))).values()}
    public = {
        (module, name)
        for module, tree in trees.items()
        for name, node in definitions(tree).items()
        if isinstance(node, ast.FunctionDef) and not name.startswith("_")
    }
    reached = closure(asked, trees)
    assert not public - reached, "nothing reaches these: an analysis, or away with them"
