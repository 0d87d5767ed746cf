"""Which of a dump's columns a published study's responses need, and what is missing."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.study.check_outcomes import is_never_asked
from tallybook.study.coding import ScoreOutcome
from tallybook.study.names import plain
from tallybook.study.record_sources import RecordSource

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tallybook.drafting.reuse.models import Settings
    from tallybook.drafting.survey import Column
    from tallybook.study.model import Study
    from tallybook.study.sources import ResponseSource

LACKING = "has no values without it"
"""What is said of an outcome whose column the dump lacks."""
_LEVELS_SHOWN = 12


@dataclass
class Needs:
    """Finds what a source of responses needs in a dump."""

    study: Study  # the published study
    source: ResponseSource  # one of its sources, which says how the dump is read
    declared: Settings  # the source's settings
    columns: Mapping[str, Column]  # what the dump holds
    partial: frozenset[str]  # the columns that some of its files lack
    captured: Sequence[str]  # the columns that the paths of its files give
    # what the user says: column here -> column of the dump, or `=VALUE` for one value everywhere
    told: Mapping[str, str]
    has_file: Callable[[str], bool]  # tells whether a file that columns are looked up in is there
    # whether the files are the user's own, rather than laid out like the released ones: they need not have one
    # response to a prompt
    own: bool = True
    made: Settings = field(default_factory=dict[str, Any])  # the settings of the replication's source
    missing: dict[str, str] = field(default_factory=dict[str, str])  # what is missing, and what it is for
    absent: list[str] = field(default_factory=list[str])  # what is missing and can be
    without: list[str] = field(default_factory=list[str])  # the parts of the instrument that need what is missing

    def __post_init__(self) -> None:
        """Begin with nothing."""
        self.made |= {"columns": {}, "constants": {}, "lookups": [], "derive": {}}
        self._lacked: set[str] = set()
        self._paths: dict[str, str] = {name: one["path"] for name, one in self.declared["columns"].items()}

    def find(self) -> None:
        """Find every column that the instrument, the factors and the outcomes need."""
        study, reads = self.study, self.study.instrument_of(self.source).reads
        text = next((column for setting, column in reads.items() if setting in {"kind", "attributes"}), "text")
        if "text" in self.declared["columns"] or text == "text":
            self._need("text", "the response")
        for setting, column in reads.items():
            part, _, inner = setting.partition(".")
            if inner == "column" and not self._found(column):  # codes beside the texts, which are read by rules then
                self.without.append(part)
                self.absent.append(f"column {self._paths.get(column, column)!r}: texts are read by rules without it")
            else:
                self._need(column, f"{setting} of the instrument")
        for name, factor in study.factors.items():
            if name != "model":
                self._factor(name, factor.label, list(factor.levels))
        self._identity()
        instrument = study.instrument_of(self.source)
        for name, outcome in study.outcomes.items():
            is_read = outcome.attribute in instrument.makes
            is_scored = isinstance(outcome, ScoreOutcome) and outcome.scorer != "attribute"
            if not is_read and not is_scored and not is_never_asked(outcome, self.source):
                self._wish(outcome.attribute, name)
        columns = self.made["columns"]
        required = [name for name in getattr(self.source, "require", ()) if name in columns]
        self.made["require"] = [name for name in required if not columns[name].get("optional")]

    @property
    def attributes(self) -> list[str]:
        """The columns that outcomes are coded from and the dump has."""
        wanted = dict.fromkeys(outcome.attribute for outcome in self.study.outcomes.values())
        return [name for name in wanted if name not in self._lacked and self._found(name)]

    def _factor(self, name: str, label: str, levels: list[str]) -> None:
        derive = self.study.factors[name].derive
        if derive is not None and all(self._found(column) for column in derive.columns):
            return
        if not self._found(name):
            if derive is not None and any(column in self.missing for column in derive.columns):
                return  # it follows from what is missing already
            shown = ", ".join(levels[:_LEVELS_SHOWN]) + (", ..." if len(levels) > _LEVELS_SHOWN else "")
            self.missing[name] = f"factor {label!r}, with the levels {shown}"
            return
        if (column := self.made["columns"].get(name)) is not None and name not in self.made["derive"]:
            self._as_levels(name, self.columns[column["path"]], levels)

    def _as_levels(self, name: str, column: Column, levels: list[str]) -> None:
        """Map values that are written otherwise than the levels, or as tables call them."""
        labels = self.study.factors[name].levels
        known = {_bare(label): level for level, label in labels.items()} | {_bare(level): level for level in levels}
        if strange := [value for value in column.values if _bare(value) not in known]:
            raise UsageError(
                f"column {printable(column.name)}: {printable(strange[0])} is not a level of factor {name}; "
                f"expected one of {', '.join(levels)}"
            )
        if any(value not in levels for value in column.values):
            given = f"{name}_given"
            self.made["columns"][given] = self.made["columns"].pop(name)
            self.made["derive"][name] = {
                "from": given,
                "map": {value: known[_bare(value)] for value in sorted(column.values)},
            }

    def _identity(self) -> None:
        """Add what identifies responses: the item, and which of several answers to it."""
        if not (self.source.items if isinstance(self.source, RecordSource) else None) or not self._listed():
            context = getattr(self.study.instrument_of(self.source), "context", None)
            if not self._found("item"):
                if context is not None and context in self.made["columns"]:
                    self.made["derive"]["item"] = {"from": context, "extract": "(?s)(.+)"}
                else:
                    self.made["constants"]["item"] = "all"
        for name in self.study.key:
            if name not in {"model", "item", "sample"} and name not in self.study.factors:
                self._need(name, "tells responses apart")
        constant = getattr(self.source, "constants", {}).get("sample")
        if "sample" in self.told or (constant is None and self._found("sample")):
            self._need("sample", "which of several answers to an item")
        elif constant is not None and not self.own:
            self.made["constants"]["sample"] = constant
        else:
            self.made["samples_by"] = [name for name in self.study.key if name != "sample" and self._is_here(name)]

    def _is_here(self, name: str) -> bool:
        """Tell whether the source itself has a column."""
        return name in {"model", "item"} or any(name in self.made[part] for part in ("columns", "constants", "derive"))

    def _listed(self) -> bool:
        """Take the list of the items over, if it and what it is compared with are there."""
        items = self.declared["items"]
        if not self.has_file(items["file"]) or not all(self._found(column) for column in items["on"]):
            self.absent.append(f"{items['file']}, the list of the items: which of them were asked is not checked")
            return False
        self.made["items"] = items
        return True

    def _need(self, name: str, purpose: str) -> None:
        if not self._found(name):
            self.missing.setdefault(name, purpose)

    def _wish(self, name: str, outcome: str) -> None:
        """Add a column that an outcome is coded from, if it is there."""
        if not self._found(name):
            self._lacked.add(name)
            declared = self.declared["columns"].get(name, {})
            self.made["columns"][name] = {"path": name} | declared | {"optional": True}
            if name not in self.source.made or self.source.made[name] == "string":
                self.made["columns"][name].pop("type", None)
            self.absent.append(f"column {self._paths.get(name, name)!r}: outcome {outcome} {LACKING}")

    def _found(self, name: str) -> bool:
        """Find a column, and declare it and what it is made of."""
        return name not in self.missing and (
            self._known(name)
            or self._given(name)
            or self._unfolded(name)
            or self._derived(name)
            or self._looked_up(name)
            or self._optional(name)
        )

    def _known(self, name: str) -> bool:
        """Tell whether a column was found before."""
        made = self.made
        return (
            name in self.captured
            or any(name in made[part] for part in ("columns", "constants", "derive"))
            or any(name in lookup["take"] for lookup in made["lookups"])
        )

    def _given(self, name: str) -> bool:
        """Take a column of the dump, or one value for all."""
        if (told := self.told.get(name)) is not None and told.startswith("="):
            self.made["constants"][name] = told[1:]
        elif (path := self._path(name)) is not None:
            self._take(name, path)
        elif name in self.declared.get("constants", {}):
            self.made["constants"][name] = self.declared["constants"][name]
        else:
            return False
        return True

    def _optional(self, name: str) -> bool:
        """Tell whether files may lack a column, and declare it then."""
        declared = self.declared["columns"].get(name, {})
        if declared.get("optional"):
            self._lacked.add(name)
            self.made["columns"][name] = declared
        return declared.get("optional", False)

    def _unfolded(self, name: str) -> bool:
        """Take columns over that differ in one thing, if the dump has them all."""
        unfold = self.source.unfold if isinstance(self.source, RecordSource) else None
        if unfold is None or name not in {unfold.into, *unfold.columns}:
            return False
        starts = [form.partition("{")[0] for form in unfold.columns.values()]
        if all(any(column.startswith(start) for column in self.columns) for start in starts):
            self.made["unfold"] = self.declared["unfold"]
        return "unfold" in self.made

    def _take(self, name: str, path: str) -> None:
        declared = self.declared["columns"].get(name, {})
        settings = {setting: one for setting, one in declared.items() if setting not in {"path", "optional"}}
        if name == "sample":
            settings["type"] = "integer"
        if path in self.partial:
            settings["optional"] = True
        self.made["columns"][name] = {"path": path, **settings}

    def _path(self, name: str) -> str | None:
        """Get the column of the dump that is meant: as the user says, as in the released files, or of the same name."""
        if (told := self.told.get(name)) is not None:
            return told
        path = self._paths.get(name)
        if path is not None and path in self.columns:
            return path
        of_others = {other for column, other in self._paths.items() if column != name}
        for wanted in (name, *([] if path is None else [path.rpartition(".")[2]])):
            called = [column for column in self.columns if column == wanted or plain(column) == plain(wanted)]
            if wanted and len(called) == 1 and called[0] not in of_others:
                return called[0]
        return None

    def _derived(self, name: str) -> bool:
        rule = self.source.derive.get(name)
        if rule is None or not all(self._found(column) for column in rule.columns):
            return False
        self.made["derive"][name] = self.declared["derive"][name]
        return True

    def _looked_up(self, name: str) -> bool:
        """Take a lookup over whose file is there and is the user's; the study's own is about the published prompts."""
        for lookup, declared in zip(self.source.lookups, self.declared.get("lookups", ()), strict=True):
            if name not in lookup.take or lookup.own or not self.has_file(lookup.file):
                continue
            needed = [*([lookup.row] if lookup.row else []), *lookup.on]
            needed += re.findall(
                r"\{(\w+)\}", " ".join([lookup.file, *(lookup.take.values() if lookup.is_json else ())])
            )
            if all(self._found(column) for column in needed):
                self.made["lookups"].append(declared)
                return True
        return False


def _bare(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
