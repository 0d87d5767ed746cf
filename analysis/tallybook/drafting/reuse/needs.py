"""The columns that a published study needs of a dump, and those that are missing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.study.coding import ScoreOutcome
from tallybook.study.names import plain
from tallybook.study.record_sources import RecordSource

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tallybook.drafting.survey import Survey
    from tallybook.study.draft import Settings
    from tallybook.study.model import Study
    from tallybook.study.sources import ResponseSource

LACKING = "has no values without it"
"""The end of the message about an outcome whose column the dump lacks."""
_LEVELS_SHOWN = 12


@dataclass
class Needs:
    """Find the columns that a source of responses needs in a dump, and build the settings that declare them."""

    study: Study  # the published study
    source: ResponseSource  # the one of its sources by which the dump is read
    declared: Settings  # the source's settings
    found: Survey  # the survey of the dump
    captured: Sequence[str]  # the columns that are captured from paths of files
    # the user's choices: column of the study -> column of the dump, or `=VALUE` for a constant
    told: Mapping[str, str]
    has_file: Callable[[str], bool]  # returns whether a lookup file exists
    own: bool  # whether the files are the user's own: they need not have one response to a prompt
    made: Settings = field(default_factory=dict[str, Any])  # the settings of the replication's source
    missing: dict[str, str] = field(default_factory=dict[str, str])  # required columns that are missing -> purpose
    absent: list[str] = field(default_factory=list[str])  # messages about optional data that are missing
    without: list[str] = field(default_factory=list[str])  # the parts of the instrument that lack their data

    def __post_init__(self) -> None:
        """Find every column that the instrument, the factors, the identity and the outcomes need."""
        self.made |= {"columns": {}, "constants": {}, "lookups": [], "derive": {}}
        self._lacked: set[str] = set()
        self._paths: dict[str, str] = {name: one["path"] for name, one in self.declared["columns"].items()}
        instrument = self.study.instrument_of(self.source)
        text = next((column for name, column in instrument.reads.items() if name in {"kind", "attributes"}), "text")
        if "text" in {*self._paths, text}:
            self._need("text", "the response")
        for setting, column in instrument.reads.items():
            part, _, inner = setting.partition(".")
            if inner == "column" and not self._has(column):  # without these codes, rules read the texts
                self.without.append(part)
                self.absent.append(f"column {self._paths.get(column, column)!r}: texts are read by rules without it")
            else:
                self._need(column, f"{setting} of the instrument")
        for name in self.study.factors:
            if name != "model":
                self._factor(name)
        self._identity()
        for name, outcome in self.study.outcomes.items():
            is_scored = isinstance(outcome, ScoreOutcome) and outcome.scorer != "attribute"
            is_read = outcome.attribute in instrument.makes
            if not is_read and not is_scored and not self.source.is_never_asked(outcome):
                self._declare_optional(outcome.attribute, name)
        columns = self.made["columns"]
        required = [name for name in getattr(self.source, "require", ()) if name in columns]
        self.made["require"] = [name for name in required if not columns[name].get("optional")]

    @property
    def attributes(self) -> list[str]:
        """The columns of outcomes that the dump has."""
        wanted = dict.fromkeys(outcome.attribute for outcome in self.study.outcomes.values())
        return [name for name in wanted if name not in self._lacked and self._has(name)]

    def _need(self, name: str, purpose: str) -> None:
        if not self._has(name):
            self.missing.setdefault(name, purpose)

    def _declare_optional(self, name: str, outcome: str) -> None:
        """Declare the column of an outcome as optional if the dump lacks it."""
        if self._has(name):
            return
        self._lacked.add(name)
        column = {"path": name} | self.declared["columns"].get(name, {}) | {"optional": True}
        if self.source.made.get(name, "string") == "string":
            column.pop("type", None)
        self.made["columns"][name] = column
        self.absent.append(f"column {self._paths.get(name, name)!r}: outcome {outcome} {LACKING}")

    def _factor(self, name: str) -> None:
        """Find the column of a factor; map values that are labels, or differ from levels in case or punctuation."""
        factor = self.study.factors[name]
        needed = () if factor.derive is None else factor.derive.columns
        if factor.derive is not None and all(map(self._has, needed)):
            return
        levels = list(factor.levels)
        if not self._has(name):
            if not any(column in self.missing for column in needed):  # otherwise it follows from a missing column
                shown = ", ".join(levels[:_LEVELS_SHOWN]) + (", ..." if len(levels) > _LEVELS_SHOWN else "")
                self.missing[name] = f"factor {factor.label!r}, with the levels {shown}"
            return
        if name not in self.made["columns"] or name in self.made["derive"]:
            return
        column = self.found.by_name[self.made["columns"][name]["path"]]
        known = {_bare(label): level for level, label in factor.levels.items()} | {_bare(one): one for one in levels}
        if strange := [value for value in column.values if _bare(value) not in known]:
            raise UsageError(
                f"column {printable(column.name)}: {printable(strange[0])} is not a level of factor {name}; "
                f"expected one of {', '.join(levels)}"
            )
        if any(value not in levels for value in column.values):
            self.made["columns"][f"{name}_given"] = self.made["columns"].pop(name)
            named = {value: known[_bare(value)] for value in sorted(column.values)}
            self.made["derive"][name] = {"from": f"{name}_given", "map": named}

    def _identity(self) -> None:
        """Find the columns that identify responses: the item, the repetition, and others in the study's key."""
        made, has_list = self.made, False
        if isinstance(self.source, RecordSource) and self.source.items:
            items = self.declared["items"]
            has_list = self.has_file(items["file"]) and all(map(self._has, items["on"]))
            if has_list:
                made["items"] = items
            else:
                self.absent.append(f"{items['file']}, the list of the items: which of them were asked is not checked")
        if not has_list and not self._has("item"):
            context = getattr(self.study.instrument_of(self.source), "context", None)
            if context in made["columns"]:
                made["derive"]["item"] = {"from": context, "extract": "(?s)(.+)"}
            else:
                made["constants"]["item"] = "all"
        for name in self.study.key:
            if name not in {"model", "item", "sample", *self.study.factors}:
                self._need(name, "tells responses apart")
        constant = getattr(self.source, "constants", {}).get("sample")
        if "sample" in self.told or (constant is None and self._has("sample")):
            self._need("sample", "which of several answers to an item")
        elif constant is not None and not self.own:
            made["constants"]["sample"] = constant
        else:
            here = {"model", "item", *made["columns"], *made["constants"], *made["derive"]} - {"sample"}
            made["samples_by"] = [name for name in self.study.key if name in here]

    def _has(self, name: str) -> bool:
        """Return whether a column can be obtained, and declare it: as the user set it, from the dump, or by a rule."""
        made, declared, source = self.made, self.declared, self.source
        if name in self.missing:
            return False
        known = {*self.captured, *made["columns"], *made["constants"], *made["derive"]}
        if name in known or any(name in lookup["take"] for lookup in made["lookups"]):
            return True
        column = declared["columns"].get(name, {})
        rule = source.derive.get(name)
        unfold = source.unfold if isinstance(source, RecordSource) else None
        if self.told.get(name, "").startswith("="):
            made["constants"][name] = self.told[name][1:]
        elif (path := self._path(name)) is not None:
            settings = {setting: one for setting, one in column.items() if setting not in {"path", "optional"}}
            settings |= {"type": "integer"} if name == "sample" else {}
            settings |= {"optional": True} if path in self.found.partial else {}
            made["columns"][name] = {"path": path, **settings}
        elif name in declared.get("constants", {}):
            made["constants"][name] = declared["constants"][name]
        elif unfold is not None and name in {unfold.into, *unfold.columns} and self._has_starts(unfold.columns):
            made["unfold"] = declared["unfold"]
        elif rule is not None and all(map(self._has, rule.columns)):
            made["derive"][name] = declared["derive"][name]
        elif (lookup := self._lookup(name)) is not None:
            made["lookups"].append(lookup)
        elif column.get("optional"):
            self._lacked.add(name)
            made["columns"][name] = column
        else:
            return False
        return True

    def _path(self, name: str) -> str | None:
        """Return the dump's column for a name: the user's choice, the released path, or a column of a similar name."""
        if (told := self.told.get(name)) is not None:
            return told
        path = self._paths.get(name)
        if path in self.found.by_name:
            return path
        of_others = {other for column, other in self._paths.items() if column != name}
        for wanted in (name, *([] if path is None else [path.rpartition(".")[2]])):
            called = [column for column in self.found.by_name if plain(column) == plain(wanted)]
            if wanted and len(called) == 1 and called[0] not in of_others:
                return called[0]
        return None

    def _has_starts(self, forms: Mapping[str, str]) -> bool:
        """Return whether the dump has columns that start like each of some patterns."""
        starts = [form.partition("{")[0] for form in forms.values()]
        return all(any(column.startswith(start) for column in self.found.by_name) for start in starts)

    def _lookup(self, name: str) -> Settings | None:
        """Find a lookup whose file exists; skip the study's own files, which cover only the published prompts."""
        for lookup, declared in zip(self.source.lookups, self.declared.get("lookups", ()), strict=True):
            if name in lookup.take and not lookup.own and self.has_file(lookup.file):
                forms = " ".join([lookup.file, *(lookup.take.values() if lookup.is_json else ())])
                needed = [*([lookup.row] if lookup.row else []), *lookup.on, *re.findall(r"\{(\w+)\}", forms)]
                if all(map(self._has, needed)):
                    return declared
        return None


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
