"""Wheels of what is installed here: pip installs from them what it would from an index, without one."""

from __future__ import annotations

import base64
import hashlib
import tomllib
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_STORED, ZipFile

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if TYPE_CHECKING:
    from collections.abc import Iterable

_OF_INSTALLING = {"INSTALLER", "REQUESTED", "RECORD", "direct_url.json"}


def build(project: Path, folder: Path, *further: str) -> None:
    """Write wheels of all that a project needs to be built and installed.

    Args:
        project: The folder of its pyproject.toml.
        folder: Where wheels are written.
        further: Requirements beside those of the project.
    """
    declared = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8"))
    needed = [*declared["build-system"]["requires"], *declared["project"]["dependencies"], *further]
    for found in _closure(needed):
        _wheel(found, folder)


def _closure(requirements: Iterable[str]) -> list[Distribution]:
    """What is installed of some requirements, and of theirs."""
    open_ones = [Requirement(text) for text in requirements]
    known: dict[str, Distribution] = {}
    seen = set[str]()
    while open_ones:
        one = open_ones.pop()
        if str(one) in seen or (one.marker is not None and not one.marker.evaluate({"extra": ""})):
            continue
        seen.add(str(one))
        found = known.setdefault(canonicalize_name(one.name), distribution(one.name))
        for inner in map(Requirement, found.requires or ()):
            extras = ("", *one.extras)
            if inner.marker is None or any(inner.marker.evaluate({"extra": extra}) for extra in extras):
                inner.marker = None
                open_ones.append(inner)
    return list(known.values())


def _wheel(found: Distribution, folder: Path) -> None:
    """Write a wheel of a distribution. What pip made as it installed it (commands, bytecode) pip makes again."""
    metadata = found.read_text("WHEEL")
    assert metadata is not None, f"{found.name} was not installed from a wheel"
    tags = [line.removeprefix("Tag: ").split("-") for line in metadata.splitlines() if line.startswith("Tag: ")]
    tag = "-".join(".".join(dict.fromkeys(parts)) for parts in zip(*tags, strict=True))
    name = canonicalize_name(found.name).replace("-", "_")
    record: list[str] = []
    with ZipFile(folder / f"{name}-{found.version}-{tag}.whl", "w", ZIP_STORED) as archive:
        for file in found.files or ():
            is_info = file.parent.name.endswith(".dist-info")
            if file.parts[0] == ".." or file.suffix == ".pyc" or (is_info and file.name in _OF_INSTALLING):
                continue
            content = Path(str(file.locate())).read_bytes()
            digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
            record.append(f"{file.as_posix()},sha256={digest},{len(content)}\n")
            archive.writestr(file.as_posix(), content)
        info = next(file.parent for file in found.files or () if file.name == "METADATA")
        archive.writestr(f"{info.as_posix()}/RECORD", "".join([*record, f"{info.as_posix()}/RECORD,,\n"]))
