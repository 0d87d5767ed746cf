"""Read prompts and models from the request files beside a file of responses that does not repeat them."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
from contextlib import suppress
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from tallybook.core.errors import DataError, UsageError
from tallybook.sources.formats.fields import UnexpectedError, is_object, string
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.objects import in_lines
from tallybook.sources.json_records import MOST_DEPTH, at
from tallybook.sources.unicode_text import HALF

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from tallybook.sources.content import Content
    from tallybook.study.format_base import Role

_TABLE = (
    "CREATE TABLE request (id TEXT, digest BLOB, model TEXT, prompt TEXT, file TEXT, key TEXT, UNIQUE (id, digest))"
)


class Request(NamedTuple):
    """A request of a batch."""

    model: str | None  # the model that was asked for
    prompt: str | None  # the text, or the messages as JSON


class Requests:
    """The requests in the files beside a file of responses, by their own names, such as `custom_id`.

    They are kept in a temporary database that grows into a file, not in memory: the requests of a folder may be many
    times as large as the responses that are read.

    Attributes:
        files: The files that hold requests.
    """

    def __init__(
        self,
        content: Content,
        recognises: Callable[[Head], str | None],
        body: str,
        read: Callable[[dict[str, Any]], Request],
        identity: str = "custom_id",
    ) -> None:
        """Read the files of requests beside a file.

        `content`: The file of responses; what is wrong with requests is added to its problems, the names of their files
        to what was consulted.
        """
        self._content = content
        self._body = body
        self._identity = identity
        self._read = read
        self._database = sqlite3.connect("")
        self._database.execute(_TABLE)
        self._answered: dict[str, str] = {}
        beside = [(one, _role(one, recognises)) for one in content.siblings()]
        self.files = [one for one, role in beside if role == "beside"]
        self._responses = [content, *(one for one, role in beside if role == "responses")]
        for beside in self.files:
            self._add(beside)

    def find(self, key: str, name: str, model: str | None) -> Request:
        """Find what was asked.

        `model`: The model that answered; None if none did. Where requests of several models have the same name, those
        that ask for it are meant, or else those that ask for `model` where `model-2026-01-01` answered, or else those
        in the file whose name is the likest: `in_gpt.jsonl` of `errors_gpt.jsonl`.

        The request. It is empty if there is none, or if there are different ones, which is a problem of the file.
        """
        asked = "SELECT model, prompt, file, key FROM request WHERE id = ? ORDER BY rowid"
        found: list[tuple[str | None, str | None, str, str]] = self._database.execute(asked, (name,)).fetchall()
        if len(found) > 1 and model is not None:
            likeness = [_likeness(model, one[0]) for one in found]
            found = [one for one, alike in zip(found, likeness, strict=True) if alike == max(likeness)]
        if len(found) > 1:
            named = [_words_shared(self._content.bare_name, one[2]) for one in found]
            found = [one for one, shared in zip(found, named, strict=True) if shared == max(named)]
        if len(found) > 1:
            places = " and ".join(f"{file}, {line}" for _, _, file, line in found[:3])
            fault = self._content.fault(key, self._identity, name, f"one request of this name; {places} differ")
            self._content.problems.append(fault)
            return Request(None, None)
        return Request(*found[0][:2]) if found else Request(None, None)

    def answered(self, asked: str | None, path: str) -> str | None:
        """The model that answers where one is asked for, so that a failed request counts as that model's.

        The model of the first response, in the file or those beside it, to a request for it; or else as asked.
        """
        if asked is not None and asked not in self._answered:
            known: list[str] = [one for (one,) in self._database.execute("SELECT DISTINCT model FROM request") if one]
            models = (at(line, path) for file in self._responses for line in _objects(file))
            told = (one for one in models if isinstance(one, str) and _likeness(one, asked))
            found = next((one for one in told if max(known, key=partial(_likeness, one)) == asked), asked)
            self._answered[asked] = found
        return self._answered.get(asked or "")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._database.close()

    def _add(self, beside: Content) -> None:
        self._content.consulted.append(beside.name)
        try:
            for key, line in in_lines(beside):
                try:
                    self._insert(beside, key, line)
                except UnexpectedError as fault:
                    beside.problems.append(beside.fault(key, fault.column, fault.value, fault.expected))
                except UnicodeEncodeError:
                    beside.problems.append(beside.fault(key, "", "", HALF))
                except RecursionError:
                    beside.problems.append(beside.fault(key, "", "", f"JSON that nests at most {MOST_DEPTH} deep"))
        except DataError as error:  # the file cannot be read on: what was asked before that is known
            beside.problems += error.problems
        self._content.problems += beside.problems

    def _insert(self, beside: Content, key: str, line: dict[str, Any]) -> None:
        name = string(line.get(self._identity), self._identity)
        body = line.get(self._body)
        if name is None or not is_object(body):
            column, expected = (self._identity, "a string") if name is None else (self._body, "an object")
            raise UnexpectedError(column, line.get(column), expected)
        request = self._read(line)
        digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).digest()
        values = (name, digest, request.model, request.prompt, beside.name, key)
        self._database.execute("INSERT OR IGNORE INTO request VALUES (?, ?, ?, ?, ?, ?)", values)


def _objects(file: Content) -> Iterator[dict[str, Any]]:
    """The objects in the lines of a file, as far as it can be read: whoever reads it says what is wrong with it."""
    with suppress(DataError):
        for _, line in in_lines(file.again()):
            yield line


def _likeness(model: str, asked: str | None) -> int:
    """Compare the model that answered with the one asked for: a name with a date behind it is the longest's.

    >>> [_likeness("gpt-4o-mini-2024", asked) for asked in ("gpt-4o-mini-2024", "gpt-4o-mini", "gpt-4o", "gpt-4")]
    [17, 11, 6, 0]
    """
    begin = (asked or "").removesuffix("-latest")
    is_this = begin and (model == asked or model.startswith(f"{begin}-"))
    return (len(begin) + (model == asked)) if is_this else 0


def _words_shared(name: str, other: str) -> float:
    """The share of the words in two files' names that both have."""
    words, others = ({*re.findall(r"[^\W_]+", PurePath(one).name.lower())} - {"jsonl", "json"} for one in (name, other))
    return len(words & others) / max(1, len(words | others))


def role_by_beginning(head: Head, answer: str, started: re.Pattern[bytes], body: str) -> Role | None:
    """Get the role of a batch's file whose first line is longer than what was read of it."""
    start = head.start.partition(b"\n")[0]
    if "custom_id" not in head.keys:
        return None
    if answer in head.keys:
        return "responses" if started.search(start) else None
    is_asked = body in head.keys and re.search(rf'"{body}"\s*:\s*\{{'.encode(), start)
    return "beside" if is_asked else None


def _role(beside: Content, recognises: Callable[[Head], str | None]) -> str | None:
    try:
        return recognises(Head(beside))
    except (DataError, UsageError):
        return None  # it cannot be told what it is; whoever reads it will say so
