"""The logs of `llm`, a command line tool: its database of prompts and responses, of both generations of its tables.

Until version 0.31 each response is a row of `responses`. Since 0.32 it is a row of `turns`, which says where the chain
of messages that the model got ends, and where that with its answer does; `responses` keeps what was there before. Texts
are stored once, in fragments and in messages.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.sources.content import MOST_LINE
from tallybook.sources.formats import chat
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.objects import UnexpectedError, array, cells, is_object, rows, string
from tallybook.sources.formats.sqlite import Sqlite
from tallybook.sources.json_records import at, is_text, parse, parse_object, text_of
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.sources.sqlite_file import Database, Value
    from tallybook.study.format_base import Layout, Role

_RESPONSES = {
    "conversations": {"id", "name", "model"},
    "responses": {"id", "model", "prompt", "system", "prompt_json", "options_json", "response", "response_json"}
    | {"conversation_id", "duration_ms", "datetime_utc"},
}
_TURNS = {
    "threads": {"id", "name", "tip_message_hash"},
    "turns": {"id", "thread_id", "parent_message_hash", "tip_message_hash", "model", "options_json", "datetime_utc"},
    "messages": {"hash", "parent_hash", "role"},
    "parts": {"message_hash", "position", "type", "text", "payload"},
}
"""The tables and columns that distinguish the two generations; later versions add others."""
_ALL = """
select *, (select name from conversations where id = conversation_id) as conversation_name from responses not indexed
"""
_OLDER = """
select *, (select name from conversations where id = conversation_id) as conversation_name from responses not indexed
where id is null or id not in (select id from turns where id is not null)
"""
_LATER = """
select *, (select name from threads where id = thread_id) as conversation_name from turns not indexed
"""
_STOPS = (
    *("finish_reason", "choices.0.finish_reason", "stop_reason", "candidates.0.finishReason"),
    *("incomplete_details.reason", "done_reason"),
)
"""The paths of the stop reason, by provider: `llm` logs raw answers, and merges OpenAI's streams."""
_REFUSALS = ("refusal", "choices.0.message.refusal")
_RENAMED = {"options_json": "options", "thread_id": "conversation_id"}
_TAKEN = (
    *("id", "prompt", "response", "datetime_utc", "prompt_json", "response_json"),
    *("parent_message_hash", "tip_message_hash"),
)
_LISTED = {
    "prompt_fragments": """
        select (select content from fragments where id = fragment_id) from prompt_fragments
        where response_id = ? order by "order"
    """,
    "system_fragments": """
        select (select content from fragments where id = fragment_id) from system_fragments
        where response_id = ? order by "order"
    """,
    "prompt_attachments": 'select attachment_id from prompt_attachments where response_id = ? order by "order"',
}
"""Tables that accompany the responses -> the query for a response's rows."""
_Exchange = tuple[str | None, str | None, dict[str, str | None]]
"""The prompt with its fragments, the answer, and further data: `system`, `reasoning`, `attachments`."""


class LlmLog(Format):
    """Databases of `llm`."""

    name = "llm"
    title = "logs of llm"

    def recognises(self, head: Head) -> Role | None:
        """Recognise a database with the tables of either generation."""
        return "responses" if _has(head.tables, _RESPONSES) or _has(head.tables, _TURNS) else None

    def laid_out(self, content: Content, layout: Layout) -> Format:
        """Return the format of databases if a table is asked for."""
        return self if layout.table is None else Sqlite(layout.table)

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        from tallybook.sources.sqlite_file import opened  # not every Python has the module sqlite3

        with opened(content) as database:
            tables = {name: database.columns(name) for name in database.tables()}
            found = _logged(database, tables, content)
            read = partial(_record, _Messages(database, tables), paths)
            yield from in_parts(rows(content, found, read), content.name)


def _has(tables: dict[str, tuple[str, ...]], wanted: dict[str, set[str]]) -> bool:
    return all(columns <= {*tables.get(name, ())} for name, columns in wanted.items())


def _logged(
    database: Database, tables: dict[str, tuple[str, ...]], content: Content
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the rows of both tables; of a response in both, the row of `turns`."""
    has_turns = _has(tables, _TURNS)
    if not has_turns and not _has(tables, _RESPONSES):
        raise content.refuse("a database of llm, with its tables responses and conversations, or turns and messages")
    of_responses = [_OLDER if has_turns else _ALL] if _has(tables, _RESPONSES) else []
    for statement in (*of_responses, *([_LATER] if has_turns else [])):
        found = database.query(statement)
        header = [column for column, *_ in found.description]
        for row in found:
            database.records += 1
            yield f"record {database.records}", dict(zip(header, row, strict=True))


def _record(messages: _Messages, paths: Sequence[str], key: str, row: dict[str, Any]) -> Iterator[Row]:
    for column, value in row.items():
        if isinstance(value, bytes):
            raise UnexpectedError(column, value[:16].hex(" "), "text or a number, not bytes")
        if isinstance(value, str) and not is_text(value):
            raise UnexpectedError(column, value.encode(errors="surrogateescape").decode(errors="replace"), "UTF-8 text")
    is_turn = "tip_message_hash" in row
    prompt, text, beside = messages.of_turn(row) if is_turn else messages.of_response(row)
    record = {_RENAMED.get(column, column): value for column, value in row.items()} | beside
    for column in ("options", "token_details"):
        if found := _parsed(record.pop(column, None), column, parse_object):
            record[column] = found
    record["response_json"] = body = _parsed(record.get("response_json"), "response_json", parse)
    stop_reason, refusal = (_first(body, places) for places in (_STOPS, _REFUSALS))
    answer = Answer(text, refusal, stop_reason)
    canonical = {
        "response_id": text_of(row["id"]),
        "model": text_of(row["model"]),
        "prompt": prompt,
        "text": answer.words,
        "status": chat.status(answer),
        "stop_reason": stop_reason,
        "created_at": text_of(row["datetime_utc"]),
        "input_tokens": text_of(row.get("input_tokens")),
        "output_tokens": text_of(row.get("output_tokens")),
    }
    yield key, cells(canonical, record, _TAKEN, paths)


def _parsed(value: object, column: str, read: Callable[[str], Any]) -> Any:  # noqa: ANN401  whatever JSON can say
    """Parse the JSON in a column; None if it is null."""
    text = string(value, column)
    try:
        return read(text) if text else None
    except ValueError:
        raise UnexpectedError(column, text, "a JSON object" if read is parse_object else "JSON") from None


def _first(body: object, places: Sequence[str]) -> str | None:
    """Return the first text at one of several paths; references of `llm` are ignored."""
    found = [at(body, place) for place in places] if is_object(body) else []
    return next((value for value in found if isinstance(value, str)), None)


class _Part(NamedTuple):
    """A part of a message: its type, its text and further data."""

    kind: str | None
    text: str
    payload: dict[str, Any]


class _Messages:
    """The prompts and answers of a log."""

    def __init__(self, database: Database, tables: Mapping[str, Sequence[str]]) -> None:
        self._database = database
        self._tables = tables

    def of_response(self, row: dict[str, Any]) -> _Exchange:
        """Read a row of `responses`, whose fragments precede the prompt and the system prompt."""
        prompt, system = (string(row[column], column) for column in ("prompt", "system"))
        before, above, attached = (self._of_response(table, row["id"]) for table in _LISTED)
        if before:
            prompt = "\n".join([*before, *([prompt] if prompt else [])])
        if above:
            system = "\n\n".join(bit.strip() for bit in (*above, system or "") if bit.strip())
        beside = {"system": system, "attachments": ", ".join(attached) or None}
        return prompt, string(row["response"], "response"), beside

    def of_turn(self, row: dict[str, Any]) -> _Exchange:
        """Read a row of `turns`: the user's messages since the model's last answer, and the model's new messages."""
        last, tip = (string(row[column], column) for column in ("parent_message_hash", "tip_message_hash"))
        asked: list[_Part] = []
        for hashed, role in self._back(last):
            if role not in {"user", "tool"}:
                break
            asked = [*(self._parts(hashed) if role == "user" else ()), *asked]
        answered: list[_Part] = []
        for hashed, _ in self._back(tip):
            if hashed == last:
                break
            answered = [*self._parts(hashed), *answered]
        else:
            if tip is not None and last is not None:
                raise UnexpectedError("tip_message_hash", tip, "a message that follows that of parent_message_hash")
        attached = [text_of(at(part.payload, "attachment.id")) for part in asked if part.kind == "attachment"]
        *_, (first, role) = [("", None), *self._back(last)]  # the system prompt is the first message
        beside = {
            "system": (_joined(self._parts(first), "text") or None) if role == "system" else None,
            "reasoning": _joined(answered, "reasoning") or None,
            "attachments": ", ".join(filter(None, attached)) or None,
        }
        return _joined(asked, "text"), _joined(answered, "text"), beside

    def _back(self, tip: str | None) -> Iterator[tuple[str, str | None]]:
        """Yield the messages of a chain with their roles, from the last one back to the first."""
        seen: set[str] = set()
        while tip is not None:
            if tip in seen:
                raise UnexpectedError("messages.parent_hash", tip, "a chain of messages that has a beginning")
            seen.add(tip)
            found = self._database.query("select parent_hash, role from messages where hash = ?", [tip]).fetchone()
            if found is None:
                raise UnexpectedError("messages.hash", tip, "a message of this hash")
            yield tip, string(found[1], "messages.role")
            tip = string(found[0], "messages.parent_hash")

    def _parts(self, hashed: str) -> Iterator[_Part]:
        statement = "select type, text, payload from parts where message_hash = ? order by position"
        for kind, text, payload in self._database.query(statement, [hashed]):
            held: dict[str, Any] = _parsed(payload, "parts.payload", parse_object) or {}
            said = string(text, "parts.text")
            if said is None and "text_ref" in held:
                said = self._put_together(held)
            elif said is None:
                said = string(held.get("text"), "parts.payload.text")
            yield _Part(string(kind, "parts.type"), said or "", held)

    def _put_together(self, held: dict[str, Any]) -> str:
        """Join a text that refers to fragments."""
        texts: list[str] = []
        size = 0
        for piece in array(held["text_ref"], "parts.payload.text_ref"):
            literal, fragment = (at(piece, name) for name in ("literal", "fragment"))
            text = literal if fragment is None else self._fragment(fragment)
            texts.append(string(text, "parts.payload.text_ref") or "")
            size += len(texts[-1])
            if size > MOST_LINE:
                raise UnexpectedError("parts.payload.text_ref", "", f"at most {MOST_LINE:,} characters")
        return "".join(texts)

    def _fragment(self, number: object) -> Value:
        if not isinstance(number, int):
            raise UnexpectedError("parts.payload.text_ref", number, "the number of a fragment")
        found = self._database.query("select content from fragments where id = ?", [number]).fetchone()
        if found is None:
            raise UnexpectedError("parts.payload.text_ref", number, "a fragment of this number")
        return found[0]

    def _of_response(self, table: str, response: Value) -> list[str]:
        """Return the values of a response's rows in a table, in order."""
        found = self._database.query(_LISTED[table], [response]) if table in self._tables else ()
        return [string(value, table) or "" for (value,) in found]


def _joined(parts: Iterable[_Part], kind: str) -> str:
    return "".join(part.text for part in parts if part.kind == kind)


FORMAT = LlmLog()
