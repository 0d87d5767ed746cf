"""What settings are for: the texts below them in the source, read only when a schema is made of them.

Pydantic can take them up itself, but does so for every class that is defined: 40% of the time that a study file took.
"""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache

from pydantic import BaseModel


def description(kind: type[BaseModel], setting: str) -> str | None:
    """Get what a setting is for: by the class that declares it last."""
    for one in kind.__mro__:
        if one is not BaseModel and setting in (told := _told_in(one.__module__).get(one.__qualname__, {})):
            return told[setting]
    return None


@cache
def _told_in(module: str) -> dict[str, dict[str, str | None]]:
    """Map class -> setting -> the text below it, for a module whose source is there."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError):
        return {}
    found: dict[str, dict[str, str | None]] = {}

    def look(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.ClassDef):
                found[prefix + node.name] = _settings(node.body)
                look(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.FunctionDef):
                look(node.body, f"{prefix}{node.name}.<locals>.")

    look(tree.body, "")
    return found


def _settings(body: list[ast.stmt]) -> dict[str, str | None]:
    """Map each setting to the text below it, or None."""
    told: dict[str, str | None] = {}
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            match after:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    told[node.target.id] = inspect.cleandoc(text)
                case _:
                    told[node.target.id] = None
    return told
