"""A tool's records as a list of columns and of the places where they stand: most tools' formats are nothing else."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import anthropic_batch, chat, gemini_batch, openai_batch
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.fields import UnexpectedError, cells, is_array, is_object, names
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.objects import in_array, in_lines, rows
from tallybook.sources.formats.table_rows import header, in_csv, in_parquet, opened
from tallybook.sources.json_records import at, text_of
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

STATUS = {**openai_batch.STATUS, **anthropic_batch.STATUS, **gemini_batch.STATUS, "done": "ok", "unload": "ok"}
"""Stop reason -> status, whatever provider answered. One that is not here gives `ok`; `ok` without text becomes
`empty`."""


class Declared(Format):
    """Files of records, JSON or tables, whose columns stand at known places.

    A subclass says where; `prepare` may change a record before, or pass it over.
    """

    cores: tuple[frozenset[str], ...]
    """The names that all records of one of the tool's versions have."""
    columns: Mapping[str, tuple[str, ...]]
    """Column that all formats share -> the paths where it may stand, the surest first."""
    taken: tuple[str, ...] = ()
    """Names that are also given elsewhere in the record, or are of no use."""
    within: str | None = None
    """The array that holds the records, in files that are one object."""

    def recognises(self, head: Head) -> Role | None:
        """A file in whose first record, or among whose columns, are the names that the tool writes."""
        found = {*(head.columns or head.keys or header(head.start))}
        return "responses" if any(core <= found for core in self.cores) else None

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Get a record as its columns are declared; None if it is not a response."""
        return record

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read the responses of a file one by one."""
        found = rows(content, records_in(content, self.within), partial(self._records, paths))
        yield from in_parts(found, content.name)

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        """Get the answers in what stands where the text is declared to."""
        del record
        said = opened(given)
        found = chat.recognised(said, "answer")
        return [Answer(text_of(given))] if found is None else found or [Answer(None)]

    def _records(self, paths: Sequence[str], key: str, whole: dict[str, Any]) -> Iterator[Row]:
        record = self.prepare(whole)
        if record is None:
            return
        if not any(core <= record.keys() | whole.keys() for core in self.cores):
            raise UnexpectedError("", names(whole), f"a record of {self.title} ({', '.join(sorted(self.cores[0]))})")
        found = {column: _first(record, places) for column, places in self.columns.items()}
        error = chat.error_text(opened(found.get("error")) or None)
        answers = [Answer(None)] if error else self.answers(record, found.get("text"))
        beside = {column: text_of(value) for column, value in found.items() if column not in _MADE}
        for place, answer in enumerate(answers):
            many = len(answers) > 1
            name = text_of(found.get("response_id"))
            reason = answer.stop_reason or text_of(found.get("stop_reason"))
            tokens = dict.fromkeys(beside.keys() & {"input_tokens", "output_tokens"}) if place else {}
            canonical = {
                "response_id": f"{name}#{answer.choice}" if many and name else name,
                "sample": beside.get("sample") or (str(answer.choice) if many else None),
                "prompt": asked(found.get("prompt")),
                **beside,
                "text": answer.words,
                "status": "error" if error else chat.status(answer._replace(stop_reason=reason), STATUS),
                "stop_reason": reason,
                "error": error or answer.error,
                **tokens,
            }
            shown = {column: value for column, value in canonical.items() if column in self.columns or value}
            yield f"{key}, choice {answer.choice}" if many else key, cells(shown, record, self._taken, paths)

    @property
    def _taken(self) -> tuple[str, ...]:
        return (*self.taken, *(place for places in self.columns.values() for place in places))


_MADE = {"text", "prompt", "error", "response_id", "stop_reason"}
"""The columns that more is made of than the text of what stands there."""


def records_in(content: Content, within: str | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read the objects of a file: JSON lines, an array, perhaps in an object, or the rows of a table."""
    head = Head(content)
    if head.start.startswith(b"PAR1"):
        return in_parquet(content)
    if head.is_array:
        return in_array(content)
    if not head.keys:
        return in_csv(content)
    return in_array(content, within) if within is not None and within in head.keys else in_lines(content)


def _first(record: dict[str, Any], places: Sequence[str]) -> Any:  # noqa: ANN401  whatever JSON can say
    """Get the first value at one of several paths; an empty text does not count."""
    found = (record[place] if place in record else at(record, place) for place in places)
    return next((value for value in found if value not in (None, "")), None)


def asked(value: object) -> str | None:
    """Get what was asked as text: messages as every format gives them."""
    said = opened(value)
    if is_object(said) and is_array(said.get("messages")):
        said = said["messages"]
    if is_array(said) and said and all(chat.is_message(one) for one in said):
        return chat.prompt(said)
    return text_of(value) or None
