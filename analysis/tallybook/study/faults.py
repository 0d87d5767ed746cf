"""Validation of a study file that reports all faults at once, each with the setting, its value and what is expected."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from pydantic import ValidationError

from tallybook.core.untrusted import escaped
from tallybook.core.wording import expectation, nearest, one_of, suggestion, value_text, with_article
from tallybook.study.base import IDENTIFIER, FaultsError, SameNameError, UnknownNameError
from tallybook.study.locations import described, dotted, place_of, settings_of, taken_apart, value_at
from tallybook.study.model import Study, schema_of_models
from tallybook.study.names import identifier
from tallybook.study.naming import with_labels

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from tallybook.study.locations import Node, Path, Place


class Fault(NamedTuple):
    """A fault of a study file."""

    path: Path  # the setting at fault, which may be missing from the file
    shown: str  # the setting as messages show it; empty if the whole file is at fault
    message: str  # what is wrong, and what was expected


def checked(content: dict[str, Any]) -> Study | list[Fault]:
    """Validate a study file's content: first each setting by the schema, then the references between settings."""
    # In strict JSON mode arrays validate as tuples, while text does not validate as numbers. No setting is a date.
    filled = json.dumps(with_labels(content), default=lambda date: [[str(date)]])
    try:
        return Study.model_validate_json(filled, strict=True)
    except ValidationError as error:
        return _faults_of_errors(error.errors(include_url=False), content, schema_of_models())


def _faults_of_errors(errors: list[ErrorDetails], content: dict[str, Any], schema: Node) -> list[Fault]:
    faults: list[Fault] = []
    located = [(error, place_of(error["loc"], schema)) for error in errors]
    unknown = [place for error, place in located if error["type"] == "extra_forbidden"]
    # A setting that an unknown one seems to mean is not reported as missing too.
    meant = {(*place.path[:-1], nearest(place.path[-1], settings_of(place.table)) or "") for place in unknown}
    for error, place in located:
        size = len(place.path)
        inside = ((other, at.path) for other, at in located if at.path[:size] == place.path)
        if error["type"].endswith("_type") and any(
            other["type"] == "value_error" or len(path) > size for other, path in inside
        ):
            continue  # the value has another type of the union, and it or a value within it is rejected for its content
        if error["type"] == "missing" and place.path in meant:
            continue
        inner = (other["loc"] for other in errors if len(other["loc"]) > len(error["loc"]))
        if error["type"] == "too_short" and any(loc[: len(error["loc"])] == error["loc"] for loc in inner):
            continue  # the list is too short only because an entry in it is invalid
        if error["type"] == "value_error":
            raised = error.get("ctx", {})["error"]
            several = raised.faults if isinstance(raised, FaultsError) else [raised]
            faults += [_of_check(fault, content, place) for fault in several]
        else:
            faults.append(_of_setting(error, content, place, schema))
    return list(dict.fromkeys(faults))


def _of_setting(error: ErrorDetails, content: dict[str, Any], place: Place, schema: Node) -> Fault:
    """Convert an error of schema validation into a fault."""
    path, kind = place.path, error["type"]
    if place.is_key:
        name: Node = {"type": "string", "pattern": IDENTIFIER}
        text, setting = str(path[-1]), path[-2] if len(path) > 1 else ""
        message = f"{value_text(text)} is not a name; expected {described(name, schema)}"
        if setting == "labels":
            message += f"; the text goes behind one: {{ {identifier(text)} = [{value_text(text)}] }}"
        return Fault(path, dotted(path[:-1]), message)
    hint = ""
    if kind in {"union_tag_invalid", "union_tag_not_found"}:
        mapping = place.node["discriminator"]["mapping"]
        path = (*path, place.node["discriminator"]["propertyName"])
        expected, known, is_missing = one_of(mapping), list(mapping), kind == "union_tag_not_found"
        value = value_at(content, path)
        settings = {name: schema["$defs"][at.rpartition("/")[2]]["properties"] for name, at in mapping.items()}
        having = [name for name, own in settings.items() if isinstance(value, str) and value in own]
        hint = f"; {value_text(value)} is a setting beside {path[-1]} = {value_text(having[0])}" if having else ""
    else:
        expected, is_missing = described(place.node, schema), kind == "missing"
        known = place.node.get("enum", [place.node["const"]] if "const" in place.node else [])
    shown = dotted(path)
    if kind == "extra_forbidden":
        return Fault(path, shown, f"unknown setting{_settings_hint(str(path[-1]), place, schema)}")
    if is_missing:
        return Fault(path, shown, f"this setting is missing; expected {expected}")
    value = value_at(content, path)
    return Fault(path, shown, f"found {value_text(value)}; expected {expected}{hint or suggestion(value, known)}")


def _settings_hint(name: str, place: Place, schema: Node) -> str:
    settings = settings_of(place.table)
    guess = suggestion(name, settings)
    if not guess and len(place.path) > 1 and name in settings_of(schema):
        return f"; {value_text(name)} is a setting of the study itself: put it above the first [table]"
    return f"; {expectation(name, settings)}"


def _of_check(error: ValueError, content: dict[str, Any], place: Place) -> Fault:
    """Convert an error of a check across settings into a fault."""
    told = taken_apart(str(error), content, place.path, settings_of(place.node))
    if not isinstance(error, UnknownNameError):
        text = f"expected {told.text}" if told.text.startswith(("exactly one of", "at least one of")) else told.text
        step = (error.identifier,) if isinstance(error, SameNameError) else ()
        return Fault((*told.path, *step), told.shown, escaped(f"{text} (for {told.context})" if told.context else text))
    path = (*told.path, *_step_to(error.name, value_at(content, told.path)))
    prefix = escaped(told.text.partition(f"no {error.kind} ")[0])
    context = f" of {told.context}" if told.context else ""
    message = f"{prefix}{value_text(error.name)} is not {with_article(escaped(error.kind))}{context}"
    return Fault(path, told.shown, f"{message}; {expectation(error.name, error.declared)}")


def _step_to(name: str, where: object) -> Path:
    """Return the index or key of a name within a list or table, as a path of at most one step."""
    places: list[str | int] = []
    if isinstance(where, list):
        places += [place for place, other in enumerate(cast("list[object]", where)) if other == name]
    elif isinstance(where, dict):
        places += [key for key, value in cast("dict[str, object]", where).items() if name in (key, value)]
    return tuple(places[:1])
