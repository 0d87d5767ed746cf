"""The logs of `llm`, a command line tool: its database of prompts and responses, of both generations of its tables.

Until version 0.31 each response is a row of `responses`. Since 0.32 it is a row of `turns`, which says where the chain
of messages that the model got ends, and where that with its answer does; `responses` keeps what was there before.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.fields import UnexpectedError, cells, is_object, string
from tallybook.sources.formats.objects import rows
from tallybook.sources.json_records import at, parse, parse_object, text_of
from tallybook.sources.records import in_parts
from tallybook.sources.unicode_text import is_text
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.formats.llm_messages import Messages
    from tallybook.sources.records import Records, Row
    from tallybook.sources.sqlite_file import Database
    from tallybook.study.format_base import Role

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
"""Tables and their columns that distinguish the two generations; later versions add others."""
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
"""Paths of the stop reason by provider: `llm` logs raw answers, and OpenAI's streams put together."""
_REFUSALS = ("refusal", "choices.0.message.refusal")
_RENAMED = {"options_json": "options", "thread_id": "conversation_id"}
_TAKEN = (
    *("id", "prompt", "response", "datetime_utc", "prompt_json", "response_json"),
    *("parent_message_hash", "tip_message_hash"),
)


class LlmLog(Format):
    """Databases of `llm`."""

    name = "llm"
    title = "logs of llm"

    def recognises(self, head: Head) -> Role | None:
        """A database with the tables of either generation."""
        return "responses" if _has(head.tables, _RESPONSES) or _has(head.tables, _TURNS) else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read the responses one by one, those of the older tables first."""
        from tallybook.sources.formats.llm_messages import Messages
        from tallybook.sources.sqlite_file import opened  # not every Python has the module sqlite3

        with opened(content) as database:
            tables = {name: database.columns(name) for name in database.named().tables}
            found = _logged(database, tables, content)
            read = partial(_record, Messages(database, tables), paths)
            yield from in_parts(rows(content, found, read), content.name)


def _has(tables: dict[str, tuple[str, ...]], wanted: dict[str, set[str]]) -> bool:
    return all(columns <= {*tables.get(name, ())} for name, columns in wanted.items())


def _logged(
    database: Database, tables: dict[str, tuple[str, ...]], content: Content
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of both tables; one that is in both is that of `turns`."""
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


def _record(messages: Messages, paths: Sequence[str], key: str, row: dict[str, Any]) -> Iterator[Row]:
    for column, value in row.items():
        if isinstance(value, bytes):
            raise UnexpectedError(column, value[:16].hex(" "), "text or a number, not bytes")
        if isinstance(value, str) and not is_text(value):
            raise UnexpectedError(column, value.encode(errors="surrogateescape").decode(errors="replace"), "UTF-8 text")
    is_turn = "tip_message_hash" in row
    exchange = messages.of_turn(row) if is_turn else messages.of_response(row)
    record = {_RENAMED.get(column, column): value for column, value in row.items()} | exchange.beside
    for column in ("options", "token_details"):
        if opened := _opened(record.pop(column, None), column):
            record[column] = opened
    record["response_json"] = body = _body(record.get("response_json"))
    stop_reason, refusal = (_first(body, places) for places in (_STOPS, _REFUSALS))
    answer = Answer(exchange.text, refusal, stop_reason)
    canonical = {
        "response_id": text_of(row["id"]),
        "model": text_of(row["model"]),
        "prompt": exchange.prompt,
        "text": answer.words,
        "status": chat.status(answer),
        "stop_reason": stop_reason,
        "created_at": text_of(row["datetime_utc"]),
        "input_tokens": text_of(row.get("input_tokens")),
        "output_tokens": text_of(row.get("output_tokens")),
    }
    yield key, cells(canonical, record, _TAKEN, paths)


def _opened(value: object, column: str) -> dict[str, Any]:
    """The object that a column holds as JSON; none where it is null."""
    text = string(value, column)
    if not text:
        return {}
    try:
        return parse_object(text)
    except ValueError:
        raise UnexpectedError(column, text, "a JSON object") from None


def _body(value: object) -> object:
    """Get the provider's answer; null where it is not logged."""
    text = string(value, "response_json")
    if not text:
        return None
    try:
        return parse(text)
    except ValueError:
        raise UnexpectedError("response_json", text, "JSON") from None


def _first(body: object, places: Sequence[str]) -> str | None:
    """Get the first text at one of several paths; `llm`'s references do not count."""
    found = [at(body, place) for place in places] if is_object(body) else []
    return next((value for value in found if isinstance(value, str)), None)


FORMAT = LlmLog()
