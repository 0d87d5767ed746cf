"""Records exported from Argilla as JSON (`records.to_json`): a record for each person who answered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats.declared import records_in
from tallybook.sources.formats.fields import array, cells, mapping
from tallybook.sources.formats.objects import rows
from tallybook.sources.json_records import text_of
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

_NAMES = {"id", "fields", "responses", "suggestions"}


class Argilla(Format):
    """Files of records."""

    name = "argilla"
    title = "Argilla records"

    def recognises(self, head: Head) -> Role | None:
        """Records with fields, suggestions and responses."""
        return "responses" if {*head.keys} >= _NAMES else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read the answers of a file person by person; a record without answers has no labels."""

        def found(key: str, record: dict[str, Any]) -> Iterator[Row]:
            people: dict[str | None, dict[str, str | None]] = {}
            for question, given in mapping(record.get("responses"), "responses").items():
                for one in array(given, f"responses.{question}"):
                    answer = mapping(one, f"responses.{question}")
                    labels = people.setdefault(text_of(answer.get("user_id")), {})
                    labels[f"label.{question}"] = text_of(answer.get("value"))
            item = text_of(record.get("id"))
            for number, (person, labels) in enumerate((people or {None: {}}).items()):
                canonical = {"item": item, "annotator": person, "sample": str(number)} | labels
                beside = {name: record.get(name) for name in ("fields", "metadata", "suggestions")}
                yield f"{key}, person {number + 1}", cells(canonical, beside, (), paths)

        yield from in_parts(rows(content, records_in(content), found), content.name)


FORMAT = Argilla()
