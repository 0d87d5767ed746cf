"""The study file's JSON Schema as editors need it: made from the models, titles and descriptions from their docs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from tallybook.study.model import Study

if TYPE_CHECKING:
    from collections.abc import Iterator

Node = dict[str, Any]


def study_schema() -> Node:
    """The JSON Schema (draft 2020-12) of a study file.

    The schema. Beside what the models give, it refuses names that are no names, and nothing in it is of use to programs
    only.
    """
    schema = Study.model_json_schema(by_alias=True)
    for table in _tables(schema):
        _describe(table)
        for name, setting in table["properties"].items():
            table["properties"][name] = _setting(setting, table)
    return cast("Node", _clean(schema))


def _tables(schema: Node) -> Iterator[Node]:
    yield schema
    yield from (table for table in schema["$defs"].values() if "properties" in table)


def _describe(table: Node) -> None:
    """The first sentence of a table's docs is its title."""
    text = _one_line(table.get("description", ""))
    table["title"] = text.partition(". ")[0].removesuffix(".")
    table["description"] = text


def _setting(setting: Node, table: Node) -> Node:
    setting.pop("title", None)
    # What says of which kind a table is has no description of its own.
    text = _one_line(setting.get("description", table["description"]))
    return {"description": text, **{key: value for key, value in setting.items() if key != "description"}}


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _clean(node: object, *, names: bool = False) -> object:
    """A part of the schema without what JSON Schema does not know, or what says nothing."""
    if isinstance(node, list):
        return [_clean(item) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    part = cast("Node", node)
    if names:
        return {key: _clean(value) for key, value in part.items()}
    if "anyOf" in part:  # TOML has no null: a setting that has no value is left out
        part = part | {"anyOf": [option for option in part["anyOf"] if option != {"type": "null"}]}
        if len(part["anyOf"]) == 1:
            only = part.pop("anyOf")[0]
            part = part | only
    if "patternProperties" in part:
        part = part | {"additionalProperties": False}
    kept = {key: value for key, value in part.items() if key != "discriminator" and (key, value) != ("default", None)}
    return {
        key: value
        if key in {"default", "const", "enum", "required"}
        else _clean(value, names=key in {"properties", "patternProperties", "$defs"})
        for key, value in kept.items()
    }
