# ruff: noqa: INP001
"""Write the bill of materials of what requirements.lock names (CycloneDX JSON), and the list of licences.

    python docs/components.py out/components

Licences are those that the installed packages state: a package that this system does not need has none.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, metadata
from pathlib import Path
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

ROOT = Path(__file__).parents[1]
_PACKAGE = re.compile(r"([A-Za-z0-9._-]+)==([^ ;\\]+)(?: ; ([^\\]+))?")
_VIA = re.compile(r"    # (?:via |  )([A-Za-z0-9._-]+)")
_UNSTATED = "not stated"


class Package(NamedTuple):
    """A package of the lock: which others need it, and under what conditions of the system."""

    name: str
    version: str
    condition: str
    hashes: list[str]
    needed_by: list[str]

    @property
    def reference(self) -> str:
        """Its address as a package of Python."""
        return f"pkg:pypi/{self.name}@{self.version}"

    @property
    def licence(self) -> str:
        """The licence that it states, by expression, classifier or name."""
        try:
            stated = metadata(self.name)
        except PackageNotFoundError:
            return _UNSTATED
        classified = [one.split(" :: ")[-1] for one in stated.get_all("Classifier") or [] if one.startswith("License")]
        named = (stated.get_all("License") or [""])[0].strip()
        short = named if named and "\n" not in named else ""
        return (stated.get_all("License-Expression") or [short])[0] or ", ".join(classified) or _UNSTATED


def packages(lock: str) -> list[Package]:
    """Read the packages of a lock."""
    found: list[Package] = []
    for line in lock.splitlines():
        if package := _PACKAGE.match(line):
            found.append(Package(package[1], package[2], (package[3] or "").strip(), [], []))
        elif "--hash=sha256:" in line:
            found[-1].hashes.append(line.split("sha256:")[1][:64])
        elif needed := _VIA.match(line):
            found[-1].needed_by.append(needed[1])
    return found


def bill(found: list[Package], name: str, version: str) -> dict[str, Any]:
    """Make the bill of materials: the same of the same lock."""
    own = f"pkg:pypi/{name}@{version}"
    needs: dict[str, set[str]] = {reference: set() for reference in (own, *(one.reference for one in found))}
    for one in found:
        needed_by = [other.reference for other in found if other.name in one.needed_by]
        for reference in [*needed_by, *([own] if name in one.needed_by else [])]:
            needs[reference].add(one.reference)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid5(NAMESPACE_URL, ' '.join(sorted(needs)))}",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "bom-ref": own, "name": name, "version": version, "purl": own}
        },
        "components": [
            {
                "type": "library",
                "bom-ref": one.reference,
                "name": one.name,
                "version": one.version,
                "purl": one.reference,
                "licenses": [] if one.licence == _UNSTATED else [{"license": {"name": one.licence}}],
                "hashes": [{"alg": "SHA-256", "content": content} for content in one.hashes],
            }
            for one in found
        ],
        "dependencies": [{"ref": reference, "dependsOn": sorted(of_it)} for reference, of_it in needs.items()],
    }


def licences(found: list[Package]) -> str:
    """Make the list of licences, as a table in Markdown."""
    rows = [f"| {one.name} | {one.version} | {one.licence.replace('|', '/')} | {one.condition} |" for one in found]
    return "\n".join(["| package | version | licence | only where |", "|---|---|---|---|", *rows, ""])


def main(folder: Path) -> None:
    """Write both files."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    found = packages((ROOT / "requirements.lock").read_text())
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "sbom.cdx.json").write_text(json.dumps(bill(found, project["name"], project["version"]), indent=1) + "\n")
    (folder / "licences.md").write_text(licences(found))
    unstated = [one.name for one in found if one.licence == _UNSTATED]
    sys.stdout.write(f"{folder}: {len(found)} packages, {len(unstated)} without a licence that is stated here\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
