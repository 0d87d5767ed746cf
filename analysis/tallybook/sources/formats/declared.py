"""A tool's records as a list of columns and of the places where they stand: most tools' formats are nothing else."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.objects import (
    UnexpectedError,
    alone,
    cells,
    in_array,
    in_lines,
    is_array,
    is_object,
    names,
    rows,
    strict,
)
from tallybook.sources.formats.table_rows import header, in_csv, in_parquet
from tallybook.sources.json_records import at, opened, text_of
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

    Cells = dict[str, str | None]
    Beside = Callable[[str, dict[str, Any], str | None], Cells]
    """A function that returns columns that do not stand in a record, by its key and its model."""

_NAMES = ("response_id", "model", "item")
"""The columns that hold strings."""


class Objects(Format):
    """Files of objects that are read one by one."""

    within: str | None = None
    """The array that holds the records, in files that are one object."""

    def about(self, content: Content) -> Any:  # noqa: ANN401  each tool's own
        """Return data about all objects of a file, from the file itself or from files beside it."""

    def objects(self, content: Content) -> Iterable[tuple[str, dict[str, Any]]]:
        """Return the objects of a file, each with its key."""
        return records_in(content, self.within)

    def records(self, paths: Sequence[str], about: Any, key: str, whole: dict[str, Any]) -> Iterable[Row]:  # noqa: ANN401
        """Return the rows of an object, one for each answer."""
        raise NotImplementedError

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file object by object; a faulty object does not stop the others from being read."""
        read = partial(self.records, paths, self.about(content))
        yield from in_parts(rows(content, self.objects(content), read), content.name)


class Declared(Objects):
    """Records in JSON or tables whose columns have known paths; `prepare` may change or skip a record first."""

    cores: tuple[frozenset[str], ...] = ()
    """For each version of the tool, the names that all its records have."""
    columns: Mapping[str, tuple[str, ...]]
    """The columns that all formats share -> their possible paths, the surest first; empty if computed otherwise."""
    taken: tuple[str, ...] = ()
    """Paths whose values are given elsewhere in the record, or of no use; unless the format is strict, the paths of its
    columns are added."""
    written: str = ""
    """All names that the tool itself writes in a record, where others are the caller's; empty if they are not known."""
    is_strict: bool = False
    """Whether values at the declared paths must have the declared types, or are errors."""

    def recognises(self, head: Head) -> Role | None:
        """Recognise a file whose first record, or whose columns, have the names that the tool writes."""
        found = {*(head.columns or head.keys or header(head.start))}
        return "responses" if any(core <= found for core in self.cores) else None

    def is_added(self, column: str) -> bool:
        """Return whether a column was added by the tool's caller."""
        given = {*self.columns, "sample", "prompt", "text", "status", "stop_reason", "error"}
        return bool(self.written) and column.partition(".")[0] not in {*self.written.split(), *given}

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Return a record in the form in which its columns are declared; None if it is not a response."""
        if not any(core <= record.keys() for core in self.cores):
            raise UnexpectedError("", names(record), f"a record of {self.title} ({', '.join(sorted(self.cores[0]))})")
        return record

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        """Return the answers in the value at the declared path of the text."""
        found = chat.recognised(opened(given), self.columns["text"][0])
        return [Answer(text_of(given))] if found is None else found

    def prompt(self, record: dict[str, Any], given: object) -> str | None:
        """Return the prompt as text."""
        return asked(given)

    def records(self, paths: Sequence[str], about: Beside | None, key: str, whole: dict[str, Any]) -> Iterator[Row]:
        """Yield the rows of a record, one for each answer."""
        record = self.prepare(whole)
        if record is None:
            return
        found = {column: self._first(record, column) for column in self.columns}
        error = chat.error_text(opened(found.get("error")) or None)
        answers = [Answer(None, error=error, status="error")] if error else self.answers(record, found.get("text"))
        said = {column: text_of(value) for column, value in found.items() if column not in {"text", "prompt", "error"}}
        more = {} if about is None else about(key, record, said.get("model"))
        shared = said | {"prompt": self.prompt(record, found.get("prompt"))} | more
        known = {*self.columns, *more}
        name, many = said.get("response_id"), len(answers) > 1
        for place, answer in enumerate(answers or [Answer(None)]):
            reason = answer.stop_reason or said.get("stop_reason")
            is_counted = many or "sample" in self.columns
            canonical = shared | {
                "response_id": f"{name}#{answer.choice}" if many and name else name,
                "sample": said.get("sample") or (str(answer.choice) if is_counted else None),
                "text": answer.words,
                "status": chat.status(answer._replace(stop_reason=reason)),
                "stop_reason": reason,
                "error": answer.error,
            }
            if place:  # tokens are counted over all answers, and stay with the first
                canonical |= dict.fromkeys(canonical.keys() & {"input_tokens", "output_tokens"})
            shown = {column: value for column, value in canonical.items() if value or column in known}
            yield f"{key}, choice {answer.choice}" if many else key, cells(shown, record, self._taken, paths)

    def _first(self, record: dict[str, Any], column: str) -> Any:  # noqa: ANN401  whatever JSON can say
        """Return the first value at one of a column's paths that is neither null nor empty."""
        for place in self.columns[column]:
            value = record[place] if place in record else (strict if self.is_strict else at)(record, place)
            if value not in (None, ""):
                if self.is_strict and column in _NAMES and not isinstance(value, str):
                    raise UnexpectedError(place, value, "a string")
                return value
        return None

    @property
    def _taken(self) -> tuple[str, ...]:
        places = () if self.is_strict else self.columns.values()
        return (*self.taken, *(place for of_column in places for place in of_column))


def records_in(content: Content, within: str | None = None) -> Iterator[tuple[str, dict[str, Any]]]:
    """Return the objects of a file: JSON lines, an array, perhaps in an object, or the rows of a table."""
    head = Head(content)
    if head.start.startswith(b"PAR1"):
        return in_parquet(content)
    if head.is_array:
        return in_array(content)
    if not head.keys:
        return in_csv(content)
    if within is not None and within.partition(".")[0] in head.keys:
        return in_array(content, within)
    return in_lines(content) if head.line is not None or not head.start.startswith(b"{\n") else alone(content)


def asked(value: object) -> str | None:
    """Return a prompt as text, with messages formatted as in every format."""
    said = opened(value)
    if is_object(said) and is_array(said.get("messages")):
        said = said["messages"]
    if is_array(said) and said and all(chat.is_message(one) for one in said):
        return chat.prompt(said)
    return text_of(value) or None
