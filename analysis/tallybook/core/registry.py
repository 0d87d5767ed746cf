"""Registries: the classes of one kind, found by their names in a package of ours and in those that others install."""

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
    """Import the modules of a package one by one, by name."""
    for one in iter_modules(import_module(package).__path__):
        yield import_module(f"{package}.{one.name}")


def installed(group: str) -> dict[str, Any]:
    """Load what the entry points of a group name, by name."""
    return {point.name: point.load() for point in sorted(entry_points(group=group), key=lambda point: point.name)}


class Registry(Generic[Kind]):
    """The classes of one kind: a new one is a new module of the package, or an entry point of another package."""

    def __init__(self, package: str, base: type[Kind], tag: str, noun: str, group: str = "") -> None:
        self.package, self.base = package, base
        self.tag = tag  # the attribute whose literal type is a class's name in study files, for instance `statistic`
        self.noun = noun  # what one is called in messages
        self.group = group or package  # of entry points

    @cached_property
    def classes(self) -> dict[str, type[Kind]]:
        """Name -> class, by name; ours come before those of others, which cannot replace them."""
        found = {name: kind for name, module in sorted(self._modules.items()) if (kind := self._in(module).get(name))}
        for name, kind in installed(self.group).items():
            if name not in found and issubclass(kind, self.base):
                found[name] = kind
        return found

    def find(self, name: str) -> type[Kind] | None:
        """Get a class by its name if there is one: of ours only the module is imported that has it."""
        if "classes" not in self.__dict__ and name in self._modules:
            kind = self._in(self._modules[name]).get(name)
            if kind is not None:
                return kind
        return self.classes.get(name)

    def _in(self, module: str) -> dict[str, type[Kind]]:
        """Name -> class, of those that a module defines."""
        own = vars(import_module(module)).values()
        return {
            self.name_of(one): one
            for one in own
            if isinstance(one, type) and issubclass(one, self.base) and one.__module__ == module
        }

    @cached_property
    def _modules(self) -> dict[str, str]:
        """Name -> the module whose source has it for a tag: nothing is imported to look."""
        tag = re.compile(rf'^    {self.tag}: Literal\["([^"]+)"\]', re.MULTILINE)
        found: dict[str, str] = {}
        for folder in map(Path, import_module(self.package).__path__):
            for file in folder.rglob("*.py"):
                module = ".".join((self.package, *file.relative_to(folder).with_suffix("").parts))
                found |= dict.fromkeys(tag.findall(file.read_text(encoding="utf-8")), module)
        return found

    def name_of(self, kind: type[Kind]) -> str:
        """Get the name of a class in study files; empty if it is only a base of others."""
        field = getattr(kind, "model_fields", {}).get(self.tag)
        return next(iter(get_args(field.annotation)), "") if field else ""

    def __getitem__(self, name: str) -> type[Kind]:
        """Get a class by its name; a `UsageError` tells the names there are."""
        if name not in self.classes:
            raise UsageError(f"no {self.noun} {printable(name)}; {expectation(name, list(self.classes))}")
        return self.classes[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.classes)
