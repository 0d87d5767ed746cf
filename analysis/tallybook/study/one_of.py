"""Validation of tables by the class of a registry that a tag names; only the named classes are imported."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Union, cast

from pydantic import BaseModel, Field, TypeAdapter
from pydantic_core import SchemaValidator, core_schema

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import CoreSchema

    from tallybook.core.registry import Registry


class OneOf:
    """Annotation of a table that is validated by the class of a registry that its tag names.

    `made` derives the declaration from a registered class.
    """

    def __init__(
        self, registry: Registry[Any], made: Callable[[type[Any]], type[BaseModel]] = lambda kind: kind
    ) -> None:
        self._registry, self._made = registry, cache(made)
        self._validators = dict[str, SchemaValidator]()

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Validate with the class that the table's tag names."""
        return core_schema.with_info_plain_validator_function(self._validated)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """Return the JSON Schema of the union of all registered classes."""
        return handler(self._every().core_schema)

    def _every(self) -> Any:  # noqa: ANN401  a union made of values has no type
        kinds: Any = Union[tuple(map(self._made, self._registry.classes.values()))]  # noqa: UP007
        adapter: Any = TypeAdapter
        return adapter(Annotated[kinds, Field(discriminator=self._registry.tag)])

    def _validated(self, table: Any, info: core_schema.ValidationInfo) -> Any:  # noqa: ANN401
        if isinstance(table, BaseModel) and isinstance(table, self._registry.base):
            return table
        name: object = cast("dict[str, object]", table).get(self._registry.tag) if isinstance(table, dict) else None
        chosen = self._validator(name) if isinstance(name, str) else None
        # For an unknown kind, pydantic's error lists the known ones.
        chosen = chosen or cast("SchemaValidator", self._every().validator)
        # A study file is read as JSON, in which arrays may be tuples.
        return (
            chosen.validate_json(json.dumps(table), strict=True)
            if info.mode == "json"
            else chosen.validate_python(table)
        )

    def _validator(self, name: str) -> SchemaValidator | None:
        kind = self._registry.find(name)
        if kind is not None and name not in self._validators:
            declared = self._made(kind)
            declared.model_rebuild()
            choices = {name: declared.__pydantic_core_schema__}
            self._validators[name] = SchemaValidator(core_schema.tagged_union_schema(choices, self._registry.tag))
        return self._validators.get(name)
