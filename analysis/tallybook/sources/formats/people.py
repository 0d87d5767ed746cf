"""Annotations by people, a record for each person who judged a response: exports of Argilla and Label Studio."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats.declared import Objects
from tallybook.sources.formats.objects import array, cells, is_array, is_object, mapping
from tallybook.sources.json_records import text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Row
    from tallybook.study.format_base import Role

    People = Iterator[tuple[str | None, dict[str, str | None]]]
    """The name of each person, and control or question -> what was chosen."""

_VALUES = ("choices", "rating", "number", "text", "taxonomy", "ranker", "labels")
"""The fields in which regions of Label Studio hold the chosen values."""


class Annotated(Objects):
    """Records with the labels of several people."""

    names: frozenset[str]
    """The fields that all records have."""
    shown: tuple[str, ...]
    """The further fields that become columns."""
    word: str
    """The word for a person's labels in record keys."""

    def recognises(self, head: Head) -> Role | None:
        return "responses" if self.names <= {*head.keys} else None

    def people(self, record: dict[str, Any]) -> People:
        """Return the labels that each person gave."""
        raise NotImplementedError

    def beside(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return the fields that become columns."""
        return {name: record.get(name) for name in self.shown}

    def records(self, paths: Sequence[str], about: None, key: str, whole: dict[str, Any]) -> Iterator[Row]:
        item, beside = text_of(whole.get("id")), self.beside(whole)
        for number, (person, labels) in enumerate(self.people(whole)):
            named = {f"label.{name}": label for name, label in labels.items()}
            canonical = {"item": item, "annotator": person, "sample": str(number)} | named
            yield f"{key}, {self.word} {number + 1}", cells(canonical, beside, (), paths)


_PEOPLE, _GIVEN = ".responses.users", ".responses"
"""The ends of the names of columns for people, and for what they answered, in records that are flat."""


class Argilla(Annotated):
    """Records exported as JSON (`records.to_json`), or flat for `datasets`; one without answers has no labels."""

    name = "argilla"
    title = "Argilla records"
    names = frozenset({"id", "fields", "responses", "suggestions"})
    shown = ("fields", "metadata", "suggestions")
    word = "person"

    def recognises(self, head: Head) -> Role | None:
        is_flat = any(name.endswith(_PEOPLE) for name in head.keys or head.columns)
        return "responses" if is_flat else super().recognises(head)

    def beside(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return all fields of a flat record but the answers."""
        asked = [f"{name.removesuffix(_PEOPLE)}{_GIVEN}" for name in record if name.endswith(_PEOPLE)]
        own = {name: value for name, value in record.items() if name != "id" and not name.startswith((*asked, "_"))}
        return own if asked else super().beside(record)

    def people(self, record: dict[str, Any]) -> People:
        """Group the answers to all questions by person."""
        people: dict[str | None, dict[str, str | None]] = {}
        for question, given in mapping(record.get("responses"), "responses").items():
            for one in array(given, f"responses.{question}"):
                answer = mapping(one, f"responses.{question}")
                people.setdefault(text_of(answer.get("user_id")), {})[question] = text_of(answer.get("value"))
        for name, who in record.items():
            if name.endswith(_PEOPLE):
                question = name.removesuffix(_PEOPLE)
                given = array(record.get(f"{question}{_GIVEN}"), f"{question}{_GIVEN}")
                for person, value in zip(array(who, name), given, strict=False):
                    people.setdefault(text_of(person), {})[question] = text_of(value)
        yield from (people or {None: {}}).items()


class LabelStudio(Annotated):
    """Tasks exported as JSON, with one record per task and annotation; JSON_MIN and CSV exports are plain tables."""

    name = "label-studio"
    title = "Label Studio annotations"
    names = frozenset({"id", "data", "annotations"})
    shown = ("data", "meta")
    word = "annotation"

    def recognises(self, head: Head) -> Role | None:
        """Recognise an array of tasks with their data and annotations."""
        return super().recognises(head) if head.is_array else None

    def people(self, record: dict[str, Any]) -> People:
        """Yield the labels of each annotation that was not cancelled."""
        path = "annotations.result"
        for one in array(record.get("annotations"), "annotations"):
            annotation, labels = mapping(one, "annotations"), dict[str, str | None]()
            if annotation.get("was_cancelled"):
                continue
            person = annotation.get("completed_by")
            for part in array(annotation.get("result"), path):
                region = mapping(part, path)
                value = mapping(region.get("value"), f"{path}.value")
                given = next((value[name] for name in _VALUES if name in value), None)
                labels[str(region.get("from_name"))] = text_of(
                    given[0] if is_array(given) and len(given) == 1 else given
                )
            yield text_of(person.get("email", person.get("id")) if is_object(person) else person), labels


ARGILLA, LABEL_STUDIO = Argilla(), LabelStudio()
