"""Registries of classes that are found by name in a package of Tallybook and in the entry points of other packages."""

from __future__ import annotations

import re
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any, Generic, TypeVar, get_args

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.core.wording import expectation

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

Kind = TypeVar("Kind")


def modules(package: str) -> Iterator[ModuleType]:
    """Import the modules of a package and yield them, ordered by name."""
    for one in iter_modules(import_module(package).__path__):
        yield import_module(f"{package}.{one.name}")


def installed(group: str) -> dict[str, Any]:
    """Load the objects of an entry-point group, ordered by name."""
    return {point.name: point.load() for point in sorted(entry_points(group=group), key=lambda point: point.name)}


class Registry(Generic[Kind]):
    """The classes of one kind, found in the modules of a package and in the entry points of other packages."""

    def __init__(self, package: str, base: type[Kind], tag: str, noun: str, group: str = "") -> None:
        self.package, self.base = package, base
        self.tag = tag  # the attribute whose literal type is a class's name in study files, for instance `statistic`
        self.noun = noun  # the noun for one class in messages
        self.group = group or package  # of entry points

    @cached_property
    def classes(self) -> dict[str, type[Kind]]:
        """The classes by name; those of Tallybook come first, and other packages cannot replace them."""
        found = {name: kind for name, module in sorted(self._modules.items()) if (kind := self._in(module).get(name))}
        for name, kind in installed(self.group).items():
            if name not in found and issubclass(kind, self.base):
                found[name] = kind
        return found

    def find(self, name: str) -> type[Kind] | None:
        """Return a class by its name, or None; of Tallybook's modules only the one that defines it is imported."""
        if "classes" not in self.__dict__ and name in self._modules:
            kind = self._in(self._modules[name]).get(name)
            if kind is not None:
                return kind
        return self.classes.get(name)

    def _in(self, module: str) -> dict[str, type[Kind]]:
        """Return the classes that a module defines, by name."""
        own = vars(import_module(module)).values()
        return {
            self.name_of(one): one
            for one in own
            if isinstance(one, type) and issubclass(one, self.base) and one.__module__ == module
        }

    @cached_property
    def _modules(self) -> dict[str, str]:
        """The module that defines each name, found in the source text without importing anything."""
        tag = re.compile(rf'^    {self.tag}: Literal\["([^"]+)"\]', re.MULTILINE)
        found: dict[str, str] = {}
        for folder in map(Path, import_module(self.package).__path__):
            for file in folder.rglob("*.py"):
                module = ".".join((self.package, *file.relative_to(folder).with_suffix("").parts))
                found |= dict.fromkeys(tag.findall(file.read_text(encoding="utf-8")), module)
        return found

    def name_of(self, kind: type[Kind]) -> str:
        """Return the name of a class in study files; empty for an abstract base."""
        field = getattr(kind, "model_fields", {}).get(self.tag)
        return next(iter(get_args(field.annotation)), "") if field else ""

    def __getitem__(self, name: str) -> type[Kind]:
        """Return a class by its name, or raise a `UsageError` that lists the known names."""
        if name not in self.classes:
            raise UsageError(f"no {self.noun} {printable(name)}; {expectation(name, list(self.classes))}")
        return self.classes[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.classes)
