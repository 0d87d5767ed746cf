"""The user's responses as sources of a replication: laid out like the released ones, or files of records."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.drafting.files import source_settings
from tallybook.drafting.header_words import NAMES
from tallybook.drafting.reuse.needs import Needs
from tallybook.drafting.survey import survey
from tallybook.instruments.profile.instrument import ProfileInstrument
from tallybook.sources.folder import Folder
from tallybook.sources.patterns import Pattern
from tallybook.sources.read_result import Inputs
from tallybook.study.names import plain
from tallybook.study.source_base import captured_parts
from tallybook.study.sources import CodedSource, KeyedJsonSource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tallybook.core.progress import Progress
    from tallybook.drafting.survey import Survey
    from tallybook.study.draft import Settings
    from tallybook.study.model import Study
    from tallybook.study.sources import ResponseSource

_MOST_LISTED = 30


class OwnSource(NamedTuple):
    """A source of the user's responses."""

    settings: Settings
    models: dict[str, str]  # the user's models: name in the dump -> identifier
    # the columns of outcomes that the dump has; None for all of the published source's
    held: tuple[str, ...] | None = None
    has_attributes: bool = True  # whether the attributes of outcomes are in columns
    absent: Sequence[str] = ()  # messages about optional data that are missing
    without: Sequence[str] = ()  # the parts of the instrument that lack their data


@dataclass
class OwnSources:
    """Build a replication's sources from the user's files by the declaration of a published study."""

    _study: Study  # the published study
    _declared: Settings  # its settings
    _told: Mapping[str, str]  # the user's choices: column of the study -> column of the dump, or `=VALUE`
    _folder: Path  # the folder of the new study file
    _dump: Sequence[Path]
    _released: Path | None  # the folder of the released data
    models: dict[str, str] = field(default_factory=dict[str, str])  # the user's models: name in the dump -> identifier
    copied: dict[str, Path] = field(default_factory=dict[str, Path])  # files to copy: name there -> path

    @property
    def data(self) -> Path:
        """The data folder: the nearest one that contains the study file and the dump."""
        return Path(os.path.commonpath([os.path.realpath(path) for path in (self._folder, *self._dump)]))

    @property
    def _whole(self) -> Path | None:
        """The dump, if it is a folder."""
        return self._dump[0] if len(self._dump) == 1 and self._dump[0].is_dir() else None

    def sources(self, progress: Progress) -> list[OwnSource]:
        """Return the sources: all whose files the dump has, or else the one that the dump's records match."""
        published = [
            (source, declared)
            for source, declared in zip(self._study.sources, self._declared["sources"], strict=True)
            if not isinstance(source, CodedSource)
        ]
        if self._whole is not None:
            laid_out = [(*one, files) for one in published if (files := self._files(self._whole, one[0]))]
            if laid_out:
                if self._whole.resolve() == self._folder.resolve():
                    raise UsageError(f"--out {self._folder}: the study is written beside the dump, not into it")
                return [self._like_released(self._whole, *one, progress) for one in laid_out]
        return [self._records(published, progress)]

    def _files(self, dump: Path, source: ResponseSource) -> dict[str, dict[str, str | int]]:
        """Return the dump's files that match a source's patterns, with the captured parts of their names."""
        patterns = [Pattern.parse(form, is_path=True) for form in source.forms]
        names = Inputs(Folder(dump), self._study).candidates(source)
        return {name: parts for name in names for one in patterns if (parts := one.match(name)) is not None}

    def _like_released(
        self,
        dump: Path,
        source: ResponseSource,
        declared: Settings,
        files: dict[str, dict[str, str | int]],
        progress: Progress,
    ) -> OwnSource:
        """Declare a source whose files are laid out like the released ones."""
        captured = [name for form in source.forms for name, _ in captured_parts(form)]
        rule = source.derive.get("model")
        named = next((name for name in (*(rule.columns if rule else ()), "model") if name in captured), None)
        settings: Settings = {"edition": "replication", "format": declared["format"]}
        settings["files"] = self._within(dump, declared["files"])
        of_names = {} if named is None else self._identified(str(parts[named]) for parts in files.values())
        if isinstance(source, KeyedJsonSource):
            if named is None:
                raise UsageError("no part of the files' names tells the model")
            lookups = [
                one | {"file": self._place(one["file"], f"it tells {', '.join(one['take'])}")}
                for one in declared.get("lookups", ())
            ]
            derive = declared["derive"] | {"model": {"from": named, "map": of_names}}
            return OwnSource(declared | settings | {"lookups": lookups, "derive": derive}, of_names)
        found = survey([dump / name for name in files], progress)
        needs = self._needs(source, declared, found, captured, own=False)
        self._check(needs)
        if named is not None:
            needs.made["derive"]["model"] = {"from": named, "map": of_names}
        return self._own(settings, needs, of_names or self._models_of_records(needs))

    def _records(self, published: list[tuple[ResponseSource, Settings]], progress: Progress) -> OwnSource:
        """Declare a source of records whose columns are named as in the published source, or as the user set them."""
        found = survey(self._dump, progress)
        known = {name for source, _ in published for name in (*source.made, *self._study.factors)}
        if unknown := [name for name in self._told if name not in known]:
            raise UsageError(f"--set {printable(unknown[0])}: no such column; there are {', '.join(sorted(known))}")
        constants = {name: told[1:] for name, told in self._told.items() if told.startswith("=")}
        tried: list[Needs] = []
        for source, declared in published:
            own = getattr(source, "constants", {})
            if all(own.get(name, value) == value for name, value in constants.items()):
                tried.append(self._needs(source, declared, found, [], own=True))
        if not tried:
            raise UsageError("no source of the published study has the values that --set names")
        ready = [one for one in tried if not one.missing]
        if len(ready) > 1:
            every = [one.declared["constants"] for one in ready]
            name = next((key for key in every[0] if len({one.get(key) for one in every}) > 1), "")
            ways = " or ".join(f"--set {name}=={one.get(name)}" for one in every)
            raise UsageError(f"the dump can be read in several ways: {ways}")
        needs = min(tried, key=lambda one: len(one.missing))
        self._check(needs)
        names = [self._name(file.name) for file in found.files]
        settings = {"edition": "replication"} | source_settings(found, names)
        return self._own(settings, needs, self._models_of_records(needs))

    def _needs(
        self, source: ResponseSource, declared: Settings, found: Survey, captured: Sequence[str], *, own: bool
    ) -> Needs:
        told = {name: column for name, column in self._told.items() if name != "model"}
        if absent := [one for one in told.values() if not one.startswith("=") and one not in found.by_name]:
            raise UsageError(f"--set: no column {printable(absent[0])} in the dump")
        # Columns that determine the published model without a file saying so do not determine the user's model.
        origin = self._study.factors["model"].derive
        of_models = () if origin is None else origin.columns
        constants = {name: one for name, one in declared.get("constants", {}).items() if name not in of_models}
        declared = declared | {"constants": constants}
        return Needs(self._study, source, declared, found, captured, told, self._has_file, own)

    def _identified(self, names: Iterable[str]) -> dict[str, str]:
        """Assign identifiers to models, the same ones in every source."""
        named = list(dict.fromkeys(names))
        unknown = [name for name in named if name not in self.models]
        self.models |= identifiers(unknown, self._study.factors["model"].levels, self.models.values())
        return {name: self.models[name] for name in named}

    def _models_of_records(self, needs: Needs) -> dict[str, str]:
        """Return the models in a column, or the model that the user set for all records."""
        told = self._told.get("model")
        if told is not None and told.startswith("="):
            models = self._identified([told[1:]])
            needs.made["constants"]["model"] = models[told[1:]]
            return models
        origin = self._study.factors["model"].derive or needs.source.derive.get("model")
        names = [told] if told else [*(origin.columns if origin else ()), "model"]
        held = needs.found.by_name
        called = {plain(column): column for column in reversed(list(held))} | {one: one for one in held}
        column = next((called[name] for name in (*names, *NAMES["model"]) if name in called), None)
        if column is None:
            ways = "--set model=COLUMN names one, --set model==NAME the model of all records"
            raise UsageError(f"no column {printable(told)}: {ways}" if told else f"no column tells the model: {ways}")
        models = self._identified(needs.found.distinct(column))
        needs.made["columns"] = {"model_name": {"path": column}} | needs.made["columns"]
        needs.made["derive"] = {"model": {"from": "model_name", "map": models}} | needs.made["derive"]
        return models

    def _check(self, needs: Needs) -> None:
        """Raise a `UsageError` that says what the dump lacks, if it lacks anything."""
        if not needs.missing:
            return
        shown = list(needs.declared["constants"].items())[:1] if self._study.instruments else []
        where = "".join(f" ({name} {value})" for name, value in shown)
        held = [*map(printable, needs.found.by_name)]
        listed = ", ".join(held[:_MOST_LISTED]) + (", ..." if len(held) > _MOST_LISTED else "")
        first = next(iter(needs.missing))
        lines = [
            f"the dump lacks what {self._study.name}{where} needs; it has {listed}",
            *(f"  {name}: {purpose}" for name, purpose in needs.missing.items()),
            f"--set {first}=COLUMN names a column of the dump, --set {first}==VALUE one value for all records",
        ]
        raise UsageError("\n".join(lines))

    def _own(self, settings: Settings, needs: Needs, models: dict[str, str]) -> OwnSource:
        """Build a source of records."""
        declared = needs.declared
        made, absent = dict(needs.made), list(needs.absent)
        attributes = needs.attributes
        instrument = self._study.instrument_of(needs.source)
        has_attributes = True
        if isinstance(instrument, ProfileInstrument):
            read = list(instrument.block)
            given = [one for one in read if one in attributes]
            has_attributes = bool(given)
            if given and "status" not in made["columns"]:
                made["derive"]["status"] = {"from": given[0], "map": {}, "missing": "refused", "otherwise": "ok"}
            if not given:
                if not read:
                    raise UsageError(
                        "the records hold no attributes, and the published study does not say how texts name them"
                    )
                made["columns"] = {name: one for name, one in made["columns"].items() if name not in read}
                paths = [declared["columns"].get(name, {}).get("path", name) for name in read]
                absent = [one for one in absent if not any(f"'{path}'" in one for path in (*paths, *read))]
        if "instrument" in declared:
            settings["instrument"] = declared["instrument"]
        settings["extra"] = "ignore"
        if "duplicates" in declared and "samples_by" not in made:
            settings["duplicates"] = declared["duplicates"]
        parts = ("require", "samples_by", "constants", "columns", "unfold", "derive")
        settings |= {name: made[name] for name in parts if made.get(name)}
        if made["lookups"]:
            settings["lookups"] = [one | {"file": self._place(one["file"])} for one in made["lookups"]]
        if "items" in made:
            settings["items"] = made["items"] | {"file": self._place(made["items"]["file"])}
        held = (*attributes, *(instrument.makes if has_attributes else ()))
        return OwnSource(settings, models, held, has_attributes, absent, needs.without)

    def instrument(self, settings: Settings) -> Settings:
        """Set the paths of an instrument's lists to those in the replication."""
        purpose = "the instrument takes its words from it"

        def placed(one: Any) -> Any:  # noqa: ANN401  a setting
            return one | {"file": self._place(one["file"], purpose)}

        made = dict(settings)
        for name, one in settings.items():
            if isinstance(one, dict) and isinstance(cast("Settings", one).get("file"), str):
                made[name] = placed(one)
            elif isinstance(one, list) and name == "lists":
                made[name] = [placed(inner) for inner in cast("list[Settings]", one)]
        return made

    def _name(self, file: str) -> str:
        folder, name = os.path.split(file)
        return PurePath(os.path.relpath(os.path.realpath(folder), self.data), name).as_posix()

    def _within(self, dump: Path, files: Any) -> Any:  # noqa: ANN401  one form or several
        if not isinstance(files, str):
            return [self._within(dump, one) for one in files]
        return (PurePosixPath(os.path.relpath(os.path.realpath(dump), self.data)) / files).as_posix()

    def _has_file(self, form: str) -> bool:
        return any(Folder(folder).names(form) for folder in (self._whole, self._released) if folder is not None)

    def _place(self, form: str, purpose: str = "") -> str:
        """Return the path of a file in the dump, or of a released file, which is to be copied beside the study file."""
        if not self._has_file(form):
            raise UsageError(
                f"no {form}: {purpose}. It is one of the released files (tallybook fetch {self._study.name}): "
                "put it into the dump, or name the folder of the released data with --released"
            )
        if self._whole is not None and Folder(self._whole).names(form):
            return self._within(self._whole, form)
        released = self._released or Path()
        for name in Folder(released).names(form):
            self.copied[f"released/{name}"] = released / name
        return f"{self._name(str(self._folder / 'x')).removesuffix('x')}released/{form}"


def identifiers(names: Iterable[str], taken: Collection[str], own: Iterable[str] = ()) -> dict[str, str]:
    """Map models to identifiers of letters, digits, dots, underscores and hyphens; a published one gets `-new`.

    >>> identifiers(["meta/llama-4 70B", "gpt-4", "meta/llama 4-70B"], ["gpt-4"])
    {'meta/llama-4 70B': 'meta-llama-4-70B', 'gpt-4': 'gpt-4-new', 'meta/llama 4-70B': 'meta-llama-4-70B-2'}
    """
    made: dict[str, str] = {}
    published = {one.casefold() for one in taken}
    used = published | {one.casefold() for one in own}
    for name in names:
        called = "-".join(re.findall(r"[A-Za-z0-9._]+", name)).strip(".") or "model"
        called = called if called[0].isalpha() else f"model-{called}"
        tries = [called, *([f"{called}-new"] if called.casefold() in published else [])]
        tries += [f"{called}-{number}" for number in range(2, len(used) + 4)]
        made[name] = next(one for one in tries if one.casefold() not in used)
        used.add(made[name].casefold())
    return made
