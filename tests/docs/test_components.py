"""The bill of materials has every package of the lock once, with what needs it."""

from __future__ import annotations

import runpy
from typing import Any

from tests.paths import TOP

LOCK = (TOP / "requirements.lock").read_text(encoding="utf-8")
MODULE: dict[str, Any] = runpy.run_path(str(TOP / "docs" / "components.py"))


def test_every_package_of_the_lock() -> None:
    made = MODULE["bill"](MODULE["packages"](LOCK), "tallybook", "1")
    known = {one["bom-ref"] for one in made["components"]}
    assert (
        len(known) == len(made["components"]) == sum("==" in line and line[0].isalnum() for line in LOCK.splitlines())
    )
    assert sum(len(one["hashes"]) for one in made["components"]) == LOCK.count("--hash=sha256:")
    needs = {one["ref"].split("@")[0]: set(one["dependsOn"]) for one in made["dependencies"]}
    assert {one.split("@")[0] for one in needs["pkg:pypi/tallybook"]} >= {"pkg:pypi/polars", "pkg:pypi/typer"}
    reached, waiting = set[str](), ["pkg:pypi/tallybook"]
    while waiting:
        new = needs[waiting.pop().split("@")[0]] - reached
        reached |= new
        waiting += new
    assert reached == known


def test_licences_are_stated() -> None:
    text = MODULE["licences"](MODULE["packages"](LOCK))
    assert "| click | " in text
    unstated = [line for line in text.splitlines() if "not stated" in line]
    assert all(line.rstrip(" |").count("'") for line in unstated)  # packages of other systems alone
