"""Validations made by hand, and the texts that attack whoever shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.validation.model import Check, Failure, Failures, Report, counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.validation.model import FailOn

CHECKS = (
    Check("files", "Files have the declared forms and can be read."),
    Check("levels", "Factors have declared levels only."),
    Check("design", "Every combination of the design occurs exactly once."),
    Check("secrets", "Texts hold no API keys and no e-mail addresses.", "warning"),
)

HOSTILE = (
    "\n::error file=x.py,line=1::forged",
    "::stop-commands::x",
    "x ##[error]forged",
    "##vso[task.complete result=Succeeded;]",
    "##teamcity[buildStop]",
    "\r\n::set-output name=a::b",
    "a%0A::warning::x",
    "\x1b[31mred\x1b[0m \x1b]8;;https://x.example\x07link",
    "\x9b31m \u202egnp.exe \u2028::error::x",
    "]]></failure><testcase name='forged'/>",
    "<script>alert(1)</script>&amp;<!--",
    "![x](https://x.example/a.png) [y](javascript:z) https://x.example www.x.example @everyone",
    "| a | b |\n|---|---|\n`code` **bold** <b>",
    "{0} {{1}} [link](1) \\[",
    "=HYPERLINK(1)",
    '@SUM(A1)","x"',
    "\ud7ff\ufffe\uffff\x00",
    "sk-abcdefghijklmnopqrstuvwxyz0123456789",
)


def report(failures: Sequence[Failure], fail_on: FailOn = "error") -> Report:
    """A validation with some failures."""
    found = Failures()
    found.add(failures)
    checks = counted(CHECKS, found)
    details = {"edition": "data", "files": 2, "responses": {"ok": 7, "refused": 2}}
    summary = "2 files, 9 responses (7 ok, 2 refused)"
    return Report("small", checks, found, ["a.csv", "b.jsonl"], 9, fail_on, details, summary, ["note: nothing else"])


def example(fail_on: FailOn = "error") -> Report:
    """A validation with failures of every kind."""
    level, key = "one of old, young", "no API key"
    failures = [
        Failure("levels", "error", "a.csv", 4, "row 4", "age", "yung", level),
        Failure("levels", "error", "a.csv", 19, "row 9, line 19", "age", "yung", level),
        Failure("levels", "error", "sub dir/b.jsonl", 2, "line 2", "age", "\x1b[31m::error::x", level),
        *(Failure("levels", "error", "a.csv", n, f"row {n}", "age", f"{n}", level) for n in range(30, 40)),
        Failure("design", "error", "", None, "", "model, item", "", "a response with model a, item 3"),
        Failure("secrets", "warning", "a.csv", 5, "row 5", "text", "sk-abc… (24 characters)", key),
        Failure("secrets", "info", "", None, "", "text", "", "column text, which these data do not hold"),
    ]
    return report(failures, fail_on)
