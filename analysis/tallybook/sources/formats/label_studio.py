"""Tasks exported from Label Studio as JSON: a record a task and annotation. Its JSON_MIN and CSV are plain tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats.fields import array, cells, is_array, is_object, mapping
from tallybook.sources.formats.objects import in_array, rows
from tallybook.sources.json_records import text_of
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

_VALUES = ("choices", "rating", "number", "text", "taxonomy", "ranker", "labels")


class LabelStudio(Format):
    """Files of tasks."""

    name = "label-studio"
    title = "Label Studio annotations"

    def recognises(self, head: Head) -> Role | None:
        """An array of tasks with their data and annotations."""
        return "responses" if head.is_array and {"id", "data", "annotations"} <= {*head.keys} else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read the annotations of a file task by task; those that were skipped are passed over."""

        def found(key: str, task: dict[str, Any]) -> Iterator[Row]:
            made = [mapping(one, "annotations") for one in array(task.get("annotations"), "annotations")]
            for number, annotation in enumerate(one for one in made if not one.get("was_cancelled")):
                person = annotation.get("completed_by")
                person = person.get("email", person.get("id")) if is_object(person) else person
                canonical = {"item": text_of(task.get("id")), "annotator": text_of(person), "sample": str(number)}
                labels = _labels(array(annotation.get("result"), "annotations.result"))
                record = {"data": task.get("data"), "meta": task.get("meta")}
                yield f"{key}, annotation {number + 1}", cells(canonical | labels, record, (), paths)

        yield from in_parts(rows(content, in_array(content), found), content.name)


def _labels(result: list[Any]) -> dict[str, str | None]:
    """Name of a control -> what was chosen with it."""
    labels: dict[str, str | None] = {}
    for one in result:
        region = mapping(one, "annotations.result")
        value = mapping(region.get("value"), "annotations.result.value")
        given = next((value[name] for name in _VALUES if name in value), None)
        only = given[0] if is_array(given) and len(given) == 1 else given
        labels[f"label.{region.get('from_name')}"] = text_of(only)
    return labels


FORMAT = LabelStudio()
