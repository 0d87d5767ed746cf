"""The user's responses as sources of a replication: laid out like the released ones, or files of records."""

from __future__ import annotations

import os
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.drafting.files import source_settings
from tallybook.drafting.header_words import NAMES
from tallybook.drafting.reuse.columns import Needs
from tallybook.drafting.reuse.files import has_any
from tallybook.drafting.reuse.models import identifiers
from tallybook.drafting.survey import survey
from tallybook.instruments.profile.instrument import ProfileInstrument
from tallybook.sources.folder import Folder
from tallybook.sources.patterns import Pattern
from tallybook.sources.read_result import Inputs
from tallybook.study.names import plain
from tallybook.study.source_base import captured_parts
from tallybook.study.sources import CodedSource, KeyedJsonSource

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tallybook.core.progress import Progress
    from tallybook.drafting.reuse.models import Settings
    from tallybook.drafting.survey import Survey
    from tallybook.study.model import Study
    from tallybook.study.sources import ResponseSource


class Origin(NamedTuple):
    """Where the files of a replication come from and go to."""

    folder: Path  # the folder of the study file
    dump: Sequence[Path]  # the user's files and folders
    released: Path | None  # a folder of the released data, for prompts and lists that the dump lacks

    @property
    def data(self) -> Path:
        """The data folder: the nearest that holds the study file and the dump."""
        return Path(os.path.commonpath([os.path.realpath(path) for path in (self.folder, *self.dump)]))

    @property
    def beside(self) -> str:
        """The folder of the study file, relative to the data folder, as names begin with it."""
        inner = self.name_of(str(self.folder / "x"))
        return inner.removesuffix("x")

    def name_of(self, file: str) -> str:
        """Get the name of a file, relative to the data folder."""
        folder, name = os.path.split(file)
        return PurePath(os.path.relpath(os.path.realpath(folder), self.data), name).as_posix()


class OwnSource(NamedTuple):
    """A source of the user's responses."""

    settings: Settings
    models: dict[str, str]  # the user's models: name in the dump -> identifier
    source: ResponseSource  # the published study's source that it follows
    has_attributes: bool  # whether what the published study codes as attributes comes in columns
    # the columns that outcomes are coded from and the dump holds; None for all of the published source's
    held: tuple[str, ...] | None
    absent: list[str]  # what is missing and can be
    without: tuple[str, ...] = ()  # the parts of the instrument that need what is missing


class Dump:
    """Reads what the user has by the declaration of a published study."""

    def __init__(self, study: Study, declared: Settings, origin: Origin, told: Mapping[str, str]) -> None:
        """Look at nothing yet."""
        self._study, self._declared, self._origin = study, declared, origin
        self._told = dict(told)
        self._taken = list(study.factors["model"].levels)
        self.models: dict[str, str] = {}
        """The user's models that were found: name in the dump -> identifier."""
        self.copied: dict[str, Path] = {}
        """Files to be copied beside the study file: name there -> where they lie."""

    def sources(self, progress: Progress) -> list[OwnSource]:
        """List the sources: those whose files the dump has, or the one that its records fit."""
        published = [
            (source, declared)
            for source, declared in zip(self._study.sources, self._declared["sources"], strict=True)
            if not isinstance(source, CodedSource)
        ]
        if len(self._origin.dump) == 1 and self._origin.dump[0].is_dir():
            laid_out = [(one, files) for one in published if (files := self._files(one[0]))]
            if laid_out:
                return [self._like_released(*one, files, progress) for one, files in laid_out]
        return [self._records(published, progress)]

    def _files(self, source: ResponseSource) -> list[tuple[str, dict[str, str | int]]]:
        """Get the files of the dump that have the form of a source's."""
        inputs = Inputs(Folder(self._origin.dump[0]), self._study)
        patterns = [Pattern.parse(form, is_path=True) for form in source.forms]
        matches = ((name, pattern.match(name)) for name in inputs.candidates(source) for pattern in patterns)
        return [(name, parts) for name, parts in matches if parts is not None]

    def _like_released(
        self,
        source: ResponseSource,
        declared: Settings,
        files: list[tuple[str, dict[str, str | int]]],
        progress: Progress,
    ) -> OwnSource:
        dump = self._origin.dump[0]
        if dump.resolve() == self._origin.folder.resolve():
            raise UsageError(f"--out {self._origin.folder}: the study is written beside the dump, not into it")
        captured = [name for form in source.forms for name, _ in captured_parts(form)]
        named = self._model_column(source, captured)
        files_setting = self._within(declared["files"])
        if isinstance(source, KeyedJsonSource):
            if named is None:
                raise UsageError("no part of the files' names tells the model")
            return self._keyed(source, declared, files, named)
        found = survey([dump / name for name, _ in files], progress)
        needs = self._needs(source, declared, found, captured, own=False)
        settings: Settings = {"edition": "replication", "format": declared["format"], "files": files_setting}
        if named is not None:
            models = self._identified(str(parts[named]) for _, parts in files)
            needs.made["derive"]["model"] = {"from": named, "map": models}
        else:
            models = self._models_of_records(needs, found)
        return self._own(source, declared, settings, needs, models)

    def _keyed(
        self,
        source: KeyedJsonSource,
        declared: Settings,
        files: list[tuple[str, dict[str, str | int]]],
        named: str,
    ) -> OwnSource:
        """Declare files of keyed JSON with the user's models, and with the texts alone if that is all."""
        models = self._identified(str(parts[named]) for _, parts in files)
        settings = declared | {"edition": "replication", "files": self._within(declared["files"])}
        settings["derive"] = {**declared["derive"], "model": {"from": named, "map": models}}
        absent: list[str] = []
        lookups: list[Settings] = []
        for lookup in declared.get("lookups", ()):
            if self._has_file(lookup["file"]):
                lookups.append(lookup | {"file": self._place(lookup["file"])})
            else:
                raise UsageError(self._lacking(lookup["file"], f"it tells {', '.join(lookup['take'])}"))
        settings["lookups"] = lookups
        roots = {rule.when_missing.partition(".")[0] for rule in source.status}
        has_attributes = not roots or any(has_any(self._origin.dump[0] / name, roots) for name, _ in files)
        held = None
        if not has_attributes:
            read = self._block()
            settings["columns"] = {name: one for name, one in declared["columns"].items() if name not in read}
            del settings["status"]
            held = tuple(name for name in ("text",) if name in settings["columns"])
        return OwnSource(settings, models, source, has_attributes, held, absent)

    def _identified(self, names: Iterable[str]) -> dict[str, str]:
        """Identify models, alike in every source."""
        named = list(dict.fromkeys(names))
        unknown = [name for name in named if name not in self.models]
        self.models |= identifiers(unknown, self._taken, self.models.values())
        return {name: self.models[name] for name in named}

    def _block(self) -> list[str]:
        instrument = self._study.instrument
        if not isinstance(instrument, ProfileInstrument) or not instrument.block:
            raise UsageError("the records hold no attributes, and the published study does not say how texts name them")
        return list(instrument.block)

    def _model_column(self, source: ResponseSource, captured: Iterable[str]) -> str | None:
        """Get the part of the files' paths that tells the model, if one does."""
        rule = source.derive.get("model")
        names: tuple[str, ...] = () if rule is None else rule.columns
        return next((name for name in (*names, "model") if name in captured), None)

    def _records(self, published: list[tuple[ResponseSource, Settings]], progress: Progress) -> OwnSource:
        """Declare files of records whose columns are called like the published source's, or as the user says."""
        found = survey(self._origin.dump, progress)
        known = {name for source, _ in published for name in (*source.made, *self._study.factors)}
        if unknown := [name for name in self._told if name not in known]:
            raise UsageError(f"--set {printable(unknown[0])}: no such column; there are {', '.join(sorted(known))}")
        tried: list[tuple[Needs, Settings]] = []
        for source, declared in published:
            if all(
                getattr(source, "constants", {}).get(name, told[1:]) == told[1:]
                for name, told in self._told.items()
                if told.startswith("=")
            ):
                needs = self._needs(source, declared, found, [], own=True)
                tried.append((needs, declared))
        ready = [one for one in tried if not one[0].missing]
        if len(ready) != 1:
            raise UsageError(self._which(tried, ready))
        [(needs, declared)] = ready
        models = self._models_of_records(needs, found)
        names = [self._origin.name_of(file.name) for file in found.files]
        settings = {"edition": "replication"} | source_settings(found, names)
        return self._own(needs.source, declared, settings, needs, models)

    def _needs(
        self, source: ResponseSource, declared: Settings, found: Survey, captured: Sequence[str], *, own: bool
    ) -> Needs:
        told = {name: column for name, column in self._told.items() if name != "model"}
        if absent := [one for one in told.values() if not one.startswith("=") and one not in found.by_name]:
            raise UsageError(f"--set: no column {printable(absent[0])} in the dump")
        # What tells the published model where nothing in the files does, does not tell the user's.
        origin = self._study.factors["model"].derive
        constants = {
            name: value
            for name, value in declared.get("constants", {}).items()
            if origin is None or name not in origin.columns
        }
        needs = Needs(
            self._study,
            source,
            declared | {"constants": constants},
            found.by_name,
            found.partial,
            captured,
            told,
            self._has_file,
            own,
        )
        needs.find()
        return needs

    def _which(self, tried: list[tuple[Needs, Settings]], ready: list[tuple[Needs, Settings]]) -> str:
        """List what is missing; of several sources, of the one that lacks least."""
        if len(ready) > 1:
            constants = [one[1].get("constants", {}) for one in ready]
            name = next((key for key in constants[0] if len({one.get(key) for one in constants}) > 1), "")
            ways = " or ".join(f"--set {name}=={one.get(name)}" for one in constants)
            return f"the dump can be read in several ways: {ways}"
        if not tried:
            return "no source of the published study has the values that --set names"
        needs, declared = min(tried, key=lambda one: len(one[0].missing))
        shown = list(declared.get("constants", {}).items())[:1] if self._study.instruments else []
        where = "".join(f" ({name} {value})" for name, value in shown)
        lines = [f"the dump lacks what {self._study.name}{where} needs; it has {_listed(needs.columns)}"]
        lines += [f"  {name}: {purpose}" for name, purpose in needs.missing.items()]
        first = next(iter(needs.missing))
        lines.append(f"--set {first}=COLUMN names a column of the dump, --set {first}==VALUE one value for all records")
        return "\n".join(lines)

    def _models_of_records(self, needs: Needs, found: Survey) -> dict[str, str]:
        """Get the models that a column names, or the user."""
        told = self._told.get("model")
        if told is not None and told.startswith("="):
            models = self._identified([told[1:]])
            needs.made["constants"]["model"] = models[told[1:]]
            return models
        origin = self._study.factors["model"].derive or needs.source.derive.get("model")
        names = [told] if told else [*(origin.columns if origin else ()), "model"]
        called = {plain(column): column for column in reversed(list(found.by_name))} | {
            one: one for one in found.by_name
        }
        column = next((called[name] for name in (*names, *NAMES["model"]) if name in called), None)
        if column is None:
            ways = "--set model=COLUMN names one, --set model==NAME the model of all records"
            raise UsageError(f"no column {printable(told)}: {ways}" if told else f"no column tells the model: {ways}")
        models = self._identified(found.distinct(column))
        needs.made["columns"] = {"model_name": {"path": column}} | needs.made["columns"]
        needs.made["derive"] = {"model": {"from": "model_name", "map": models}} | needs.made["derive"]
        return models

    def _own(
        self, source: ResponseSource, declared: Settings, settings: Settings, needs: Needs, models: dict[str, str]
    ) -> OwnSource:
        """Make a source of records."""
        if needs.missing:
            raise UsageError(self._which([(needs, declared)], []))
        made = dict(needs.made)
        attributes = needs.attributes
        instrument = self._study.instrument_of(source)
        has_attributes = not isinstance(instrument, ProfileInstrument) or any(
            one in attributes for one in instrument.block
        )
        absent = list(needs.absent)
        if not has_attributes:
            read = self._block()
            made["columns"] = {name: one for name, one in made["columns"].items() if name not in read}
            absent = [one for one in absent if not any(f"'{path}'" in one for path in _paths(declared, read))]
        elif isinstance(instrument, ProfileInstrument) and "status" not in made["columns"]:
            first = next(one for one in instrument.block if one in attributes)
            made["derive"]["status"] = {"from": first, "map": {}, "missing": "refused", "otherwise": "ok"}
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
        return OwnSource(settings, models, source, has_attributes, held, absent, tuple(needs.without))

    def instrument(self, settings: Settings) -> Settings:
        """Point an instrument to its lists in the replication."""
        made = dict(settings)
        for name, one in settings.items():
            if isinstance(one, dict) and isinstance(one.get("file"), str):  # pyright: ignore[reportUnknownMemberType]
                made[name] = one | {"file": self._list(one["file"])}  # pyright: ignore[reportUnknownArgumentType]
            elif isinstance(one, list) and name == "lists":
                made[name] = [inner | {"file": self._list(inner["file"])} for inner in one]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return made

    def _list(self, file: str) -> str:
        if not self._has_file(file):
            raise UsageError(self._lacking(file, "the instrument takes its words from it"))
        return self._place(file)

    def _lacking(self, file: str, purpose: str) -> str:
        return (
            f"no {file}: {purpose}. It is one of the released files (tallybook fetch {self._study.name}): "
            "put it into the dump, or name the folder of the released data with --released"
        )

    def _within(self, files: Any) -> Any:  # noqa: ANN401  one form or several
        """Make forms of paths relative to the study file."""
        if not isinstance(files, str):
            return [self._within(one) for one in files]
        start = PurePosixPath(os.path.relpath(os.path.realpath(self._origin.dump[0]), self._origin.data))
        return (start / files).as_posix()

    def _dump_folder(self) -> Path | None:
        dump = self._origin.dump[0]
        return dump if len(self._origin.dump) == 1 and dump.is_dir() else None

    def _has_file(self, form: str) -> bool:
        folders = [folder for folder in (self._dump_folder(), self._origin.released) if folder is not None]
        return any(Folder(folder).names(form) for folder in folders)

    def _place(self, form: str) -> str:
        """Locate a file of the dump or the released data: there, or copied beside the study file."""
        folder = self._dump_folder()
        if folder is not None and Folder(folder).names(form):
            return self._within(form)
        released = self._origin.released or Path()
        for name in Folder(released).names(form):
            self.copied[f"released/{name}"] = released / name
        return f"{self._origin.beside}released/{form}"


def _paths(declared: Settings, names: Iterable[str]) -> list[str]:
    return [declared["columns"][name]["path"] for name in names if name in declared["columns"]] + list(names)


def _listed(columns: Iterable[str], most: int = 30) -> str:
    names = list(columns)
    return ", ".join(printable(name) for name in names[:most]) + (", ..." if len(names) > most else "")
