"""Output of batches: JSON lines, and the files of requests beside them, which say what was asked."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from contextlib import closing, suppress
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from tallybook.core.errors import DataError, UsageError
from tallybook.sources.formats.declared import Declared
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.objects import UnexpectedError, in_lines, is_object, names, rows, string
from tallybook.sources.json_records import at, opened, text_of
from tallybook.sources.records import in_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.chat import Answer
    from tallybook.sources.formats.declared import Cells
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

_TABLE = (
    "CREATE TABLE request (id TEXT, digest BLOB, model TEXT, prompt TEXT, labels TEXT, file TEXT, key TEXT,"
    " UNIQUE (id, digest))"
)


class Request(NamedTuple):
    """A request of a batch."""

    model: str | None  # the requested model
    prompt: str | None  # the prompt, or the messages as JSON
    labels: str | None = None  # the caller's own labels of the request, as JSON


NO_REQUEST = Request(None, None)


class Batch(Declared):
    """Lines of a batch's output; the prompts are in accompanying files of requests, or in the lines themselves."""

    identity: str = "custom_id"
    """The field that identifies a request."""
    asked: str
    """The field of a request's line that holds the request itself."""
    answered: str
    """The field of a response's line that holds the answer."""
    begins: tuple[str, ...]
    """The names with which that object may begin."""
    line: str
    """The description of a valid line of a response."""
    is_strict = True
    unread: ClassVar[dict[str, tuple[str, ...]]] = {"sample": (), "text": (), "stop_reason": (), "error": ()}
    """The columns that are not read from a fixed path."""

    def role(self, line: dict[str, Any]) -> Role | None:
        """Return the role of a file, by its first line."""
        raise NotImplementedError

    def replies(self, line: dict[str, Any]) -> list[Answer]:
        """Return the answers in a line."""
        raise NotImplementedError

    def request(self, line: dict[str, Any]) -> Request:
        """Return the request in the line of a request."""
        raise NotImplementedError

    def own_request(self, line: dict[str, Any]) -> Request | None:
        """Return the request that the line of a response contains, if any."""

    def recognises(self, head: Head) -> Role | None:
        """Recognise JSON lines with an identifier and a known object; files of requests accompany responses."""
        if head.line is not None:
            return self.role(head.line) if isinstance(head.line.get(self.identity), str) else None
        start = head.start.partition(b"\n")[0]  # the first line was not read to its end
        if self.identity not in head.keys:
            return None
        begins = rf'\s*"({"|".join(self.begins)})"' if self.answered in head.keys else ""
        name = self.answered if begins else self.asked
        is_so = name in head.keys and re.search(rf'"{name}"\s*:\s*\{{{begins}'.encode(), start)
        return ("responses" if begins else "beside") if is_so else None

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        return record

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        if found := self.replies(record):
            return found
        raise UnexpectedError("", names(record), self.line)

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        with closing(sqlite3.connect("")) as database:
            read = partial(self.records, paths, Requests(content, self, database).columns)
            yield from in_parts(rows(content, in_lines(content), read), content.name)


class Requests:
    """The requests in the files beside a file of responses, by identifiers such as `custom_id`.

    They are kept in a temporary database on disk, not in memory: the requests in a folder may be many
    times as large as the responses that are read.
    """

    def __init__(self, content: Content, form: Batch, database: sqlite3.Connection) -> None:
        """Read the files of requests beside a file; their problems are added to those of the file."""
        self._content = content
        self._form = form
        self._database = database
        self._database.execute(_TABLE)
        self._answered: dict[str, str] = {}
        roles = [(one, _role(one, form)) for one in content.siblings()]
        self.files = [one for one, role in roles if role == "beside"]
        self._responses = [content, *(one for one, role in roles if role == "responses")]
        for one in self.files:
            content.consulted.append(one.name)
            try:
                for _ in rows(one, in_lines(one), partial(self._insert, one)):
                    pass
            except DataError as error:  # the file cannot be read on: earlier requests are kept
                one.problems += error.problems
            content.problems += one.problems

    def columns(self, key: str, line: dict[str, Any], model: str | None) -> Cells:
        """Return the columns from a line's request, and the model for which the response counts."""
        name, own = line.get(self._form.identity), self._form.own_request(line)
        asked = self.find(key, name, model) if name else NO_REQUEST
        beside = {"model": model or self.answered((own and own.model) or asked.model)}
        if own or self.files:
            beside["prompt"] = (own or asked).prompt
        if self.files:
            beside[f"{self._form.asked}.model"] = asked.model
            labels = opened(asked.labels)
            beside |= {f"metadata.{name}": text_of(one) for name, one in (labels if is_object(labels) else {}).items()}
        return beside

    def find(self, key: str, name: str, model: str | None) -> Request:
        """Find the request for a response.

        `model`: The model that answered; None if none did. Of several requests of the same name, those for this model
        are chosen, or else those for `model` if `model-2026-01-01` answered; of these, the ones in the file with the
        most similar name: `in_gpt.jsonl` for `errors_gpt.jsonl`.

        The result is empty if there is no request, or if several differ, which is a problem of the file.
        """
        asked = "SELECT model, prompt, labels, file, key FROM request WHERE id = ? ORDER BY rowid"
        found: list[tuple[str | None, str | None, str | None, str, str]] = self._database.execute(
            asked, (name,)
        ).fetchall()
        alike = [0 if model is None else _likeness(model, one[0]) for one in found]
        found = [one for one, likeness in zip(found, alike, strict=True) if likeness == max(alike)]
        shared = [_words_shared(self._content.bare_name, one[3]) for one in found]
        found = [one for one, share in zip(found, shared, strict=True) if share == max(shared)]
        if len(found) > 1:
            places = " and ".join(f"{file}, {line}" for *_, file, line in found[:3])
            expected = f"one request of this name; {places} differ"
            self._content.problems.append(self._content.fault(key, self._form.identity, name, expected))
        return Request(*found[0][:3]) if len(found) == 1 else NO_REQUEST

    def answered(self, asked: str | None) -> str | None:
        """Return the model of the first response to a request for a model; failed requests count for it, too."""
        if asked is not None and asked not in self._answered:
            every = self._database.execute("SELECT DISTINCT model FROM request")
            known: list[str] = [one for (one,) in every if one]
            path = self._form.columns["model"][0]
            models = (at(line, path) for file in self._responses for line in _objects(file))
            told: dict[str, None] = {}
            for one in (model for model in models if isinstance(model, str)):
                told[one] = None
                if _likeness(one, asked) and max([asked, *known], key=partial(_likeness, one)) == asked:
                    self._answered[asked] = one
                    return one
            # A deployment has a name of its own, and is the only model that answered if no other was asked.
            is_only = len(told) == 1 and known == [asked]
            self._answered[asked] = next(iter(told)) if is_only else asked
        return self._answered.get(asked or "")

    def _insert(self, beside: Content, key: str, line: dict[str, Any]) -> Sequence[Row]:
        identity, asked = self._form.identity, self._form.asked
        name, body = string(line.get(identity), identity), line.get(asked)
        if name is None or not is_object(body):
            column, expected = (identity, "a string") if name is None else (asked, "an object")
            raise UnexpectedError(column, line.get(column), expected)
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).digest()
        values = (name, digest, *self._form.request(line), beside.name, key)
        self._database.execute("INSERT OR IGNORE INTO request VALUES (?, ?, ?, ?, ?, ?, ?)", values)
        return ()


def _role(beside: Content, form: Batch) -> Role | None:
    try:
        head = Head(beside)
        return form.recognises(head) if form.identity in head.keys else None
    except (DataError, UsageError):
        return None  # the role is unknown; the file's own reader reports why


def _objects(file: Content) -> Iterator[dict[str, Any]]:
    """Yield the objects in a file's lines, as far as it can be read; its own reader reports its problems."""
    with suppress(DataError):
        for _, line in in_lines(file.again()):
            yield line


def _likeness(model: str, asked: str | None) -> int:
    """Return how well a model that answered matches a requested one: by the length of the name that both share.

    >>> [_likeness("gpt-4o-mini-2024", asked) for asked in ("gpt-4o-mini-2024", "gpt-4o-mini", "gpt-4o", "gpt-4")]
    [17, 11, 6, 0]
    """
    begin = (asked or "").removesuffix("-latest")
    is_this = begin and (model == asked or model.startswith(f"{begin}-"))
    return (len(begin) + (model == asked)) if is_this else 0


def _words_shared(name: str, other: str) -> float:
    """Return the share of the words in two files' names that occur in both."""
    words, others = ({*re.findall(r"[^\W_]+", PurePath(one).name.lower())} - {"jsonl", "json"} for one in (name, other))
    return len(words & others) / max(1, len(words | others))
