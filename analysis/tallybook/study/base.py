"""The base class of all declarations, text types of settings, and checks of names."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections import Counter
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Annotated, Literal, ParamSpec, Self

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, model_validator

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

IDENTIFIER = r"^[A-Za-z][A-Za-z0-9_.-]*$"
BRACED = re.compile(r"\{([A-Za-z][A-Za-z0-9_.-]*)\}")
"""A placeholder: a name in braces."""
TABLE_NUMBER = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
"""The number of a table, which is part of file names and of labels in HTML, LaTeX and typst."""
OF_TABLE_NUMBERS = "letters from A to Z, digits, '.', '_' and '-', a letter or digit first"
Identifier = Annotated[str, StringConstraints(pattern=IDENTIFIER)]
"""A name within the study file: it starts with a letter and contains letters, digits, '_', '.' and '-'."""


def _within_folder(path: str) -> str:
    parts = re.split(r"[/\\\\]", path)
    is_drive = re.match(r"[A-Za-z]:", path) is not None  # HELM names folders "task:model=..."
    if not path or not parts[0] or is_drive or ".." in parts:
        raise ValueError(f"{path!r} leads out of the folder; expected a path within it, without '..'")
    return path


def _within_data(form: str) -> str:
    try:
        _within_folder(re.sub(r"\{[^{}]*\}", "x", form))
    except ValueError:
        raise ValueError(
            f"{form!r} leads out of the data folder; expected a path within it, without '..': `data` names the folder"
        ) from None
    return form


def _file_name(name: str) -> str:
    if not name.strip() or name.startswith(".") or re.search(r"[/\\\\:\x00-\x1f]", name):
        raise ValueError(
            f"{name!r} cannot name a file; expected text without '/', '\\\\' and ':' that does not begin with '.'"
        )
    return name


def _table_number(name: str) -> str:
    if not TABLE_NUMBER.fullmatch(BRACED.sub("1", name)):
        raise ValueError(f"{name!r} cannot be a table's number; expected {OF_TABLE_NUMBERS}")
    return name


FilePath = Annotated[str, AfterValidator(_within_folder)]
"""A path that stays within a known folder."""

DataPath = Annotated[str, AfterValidator(_within_data)]
"""A path within the data folder, or a pattern of paths with `{column}` parts."""

FileName = Annotated[str, AfterValidator(_file_name)]
"""A text that can be a file name."""

TableNumber = Annotated[str, AfterValidator(_table_number)]
"""The number of a table, or of several with `{name}` in it."""

Characters = Annotated[str, StringConstraints(min_length=1)]
"""A non-empty text."""


Faults = list[ValueError]
Arguments = ParamSpec("Arguments")

Delimiter = Literal[",", ";", "\t", "|"]


def each_itself(names: Sequence[str]) -> dict[str, str]:
    """Map each name to itself; raise a ValueError if a name repeats."""
    must_differ(names, "list of names")
    return {name: name for name in names}


def each_alone(names: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Map each name to a tuple of itself alone; raise a ValueError if a name repeats."""
    return {name: (name,) for name in each_itself(names)}


if TYPE_CHECKING:
    Several = tuple[str, ...]
    Names = dict[str, str]
    Meanings = dict[Identifier, tuple[str, ...]]
else:
    Several = Annotated[
        str | tuple[str, ...], AfterValidator(lambda given: (given,) if isinstance(given, str) else given)
    ]
    Names = dict[str, str] | Annotated[tuple[str, ...], AfterValidator(each_itself)]
    Meanings = dict[Identifier, tuple[str, ...]] | Annotated[tuple[Identifier, ...], AfterValidator(each_alone)]
"""Several values, of which one may be written alone; names with what each is called in tables, or categories with the
labels that mean each: in a list each is itself."""

ColumnType = Literal["string", "integer", "number"]
"""The type of a column that is read or made."""

Code = str | int
"""A value of a column that an instrument creates."""


def description(kind: type[BaseModel], setting: str) -> str | None:
    """Return the description of a setting: the string below it in the source, parsed only on demand.

    Pydantic can extract such strings itself, but does so for every class, which took 40% of the time to read a study
    file.
    """
    for one in kind.__mro__:
        if one is not BaseModel and setting in (told := _told_in(one.__module__).get(one.__name__, {})):
            return told[setting]
    return None


@cache
def _told_in(module: str) -> dict[str, dict[str, str | None]]:
    """Map class -> setting -> the string below it, for a module whose source is available."""
    try:
        tree = ast.parse(inspect.getsource(sys.modules[module]))
    except (KeyError, OSError, TypeError):
        return {}
    return {node.name: _settings(node.body) for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}


def _settings(body: list[ast.stmt]) -> dict[str, str | None]:
    """Map each annotated setting to the string below it, or to None."""
    told: dict[str, str | None] = {}
    for node, after in zip(body, [*body[1:], None], strict=True):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            match after:
                case ast.Expr(value=ast.Constant(value=str(text))):
                    told[node.target.id] = inspect.cleandoc(text)
                case _:
                    told[node.target.id] = None
    return told


class Declaration(BaseModel):
    """A part of the study file: read-only, and an unknown setting is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, defer_build=True)

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Describe the table by its docs, whose first sentence is its title, and each setting by the text below it."""
        made = handler(schema)
        table = handler.resolve_ref_schema(made)
        about = " ".join(table.get("description", "").split())
        table |= {"title": about.partition(". ")[0].removesuffix("."), "description": about}
        for name, field in cls.model_fields.items():
            setting = table["properties"][field.alias or name]
            setting.pop("title", None)
            # The setting that names a table's kind has no description; it gets that of the class.
            setting["description"] = " ".join((description(cls, name) or setting.get("description", about)).split())
        return made

    @model_validator(mode="after")
    def _checked(self) -> Self:
        raise_all(faults_of(self._check_itself))
        return self

    def _check_itself(self) -> None:
        """Raise a ValueError for settings that contradict each other."""


class UnknownNameError(ValueError):
    """A name that one part of the study file uses and no other part declares."""

    def __init__(self, name: str, declared: list[str], place: str, kind: str) -> None:
        self.name, self.declared, self.place, self.kind = name, declared, place, kind
        super().__init__(f"{place}: no {kind} {name!r}; declared: {', '.join(declared) or 'none'}")

    @property
    def marks(self) -> tuple[str, str]:
        """The place and the name, which together identify the fault."""
        return self.place, self.name


class SameNameError(ValueError):
    """A thing that tables and figures would call like another."""

    def __init__(self, identifier: str, other: str, name: str, place: str) -> None:
        self.identifier = identifier
        super().__init__(f"{place}: {other!r} and {identifier!r} are both called {name!r}; expected names that differ")


class FaultsError(ValueError):
    """Several faults of one part of the study file."""

    def __init__(self, faults: list[ValueError]) -> None:
        self.faults = faults
        super().__init__("\n".join(str(fault) for fault in faults))


_noted: ContextVar[list[ValueError] | None] = ContextVar("_noted", default=None)


def faults_of(check: Callable[Arguments, object], *arguments: Arguments.args, **named: Arguments.kwargs) -> Faults:
    """Run a check and list its faults; a LookupError that follows from a noted unknown name is ignored."""
    faults: Faults = []
    token = _noted.set(faults)
    try:
        check(*arguments, **named)
    except FaultsError as several:
        faults += several.faults
    except ValueError as fault:
        faults.append(fault)
    except LookupError:
        if not faults:
            raise
    finally:
        _noted.reset(token)
    return faults


def raise_all(faults: Faults) -> None:
    """Raise the faults, as one error, if there are any."""
    if faults:
        raise faults[0] if len(faults) == 1 else FaultsError(faults)


def require_declared(names: Iterable[str], known: Iterable[str], place: str, kind: str) -> None:
    """Raise (or note, within `faults_of`) an error for each name that is used but not declared."""
    declared, noted = list(known), _noted.get()
    for name in names:
        if name not in declared:
            fault = UnknownNameError(name, declared, place, kind)
            if noted is None:
                raise fault
            # A name that occurs twice in a setting, or that two checks reject, is one fault.
            if not any(isinstance(other, UnknownNameError) and other.marks == fault.marks for other in noted):
                noted.append(fault)


def names_must_differ(names: Mapping[str, str], place: str) -> None:
    """Raise a SameNameError if two things have the same name in tables and figures."""
    first: dict[str, str] = {}
    for identifier, name in names.items():
        if name in first:
            raise SameNameError(identifier, first[name], name, place)
        first[name] = identifier


def must_differ(names: Iterable[str], place: str) -> None:
    """Raise a ValueError if a name occurs more than once."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise ValueError(f"{place}: {repeated[0]!r} is there more than once")
