"""Read prompts and answers from a log of `llm`, which stores texts once, in fragments and in chains of messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.sources.content import MOST_LINE
from tallybook.sources.formats.fields import UnexpectedError, array, string
from tallybook.sources.json_records import at, parse_object, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tallybook.sources.sqlite_file import Database, Value

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
"""Tables beside the responses -> the query for a response's rows."""
_REMEMBERED = 2**14
"""The number of messages that are cached with the first one of their chain."""


class Exchange(NamedTuple):
    """A prompt and its response."""

    prompt: str | None  # what was asked, with the text of its fragments
    text: str | None  # what was answered
    beside: dict[str, str | None]  # what else is known: `system`, `reasoning`, `attachments`


class _Part(NamedTuple):
    """A part of a message: its type, its text and what else `llm` says of it."""

    kind: str | None
    text: str
    payload: dict[str, Any]


class Messages:
    """The texts of a log."""

    def __init__(self, database: Database, tables: Mapping[str, Sequence[str]]) -> None:
        """Take in a log."""
        self._database = database
        self._tables = tables
        self._first: dict[str, tuple[str, str | None]] = {}

    def of_response(self, row: dict[str, Any]) -> Exchange:
        """Read a row of `responses`.

        The exchange. Fragments stand before the prompt as `llm` sends them, with a line end between them; those of the
        system prompt before that, with a blank line between them.
        """
        prompt, system = (string(row[column], column) for column in ("prompt", "system"))
        before, above, attached = (self._of_response(table, row["id"]) for table in _LISTED)
        if before:
            prompt = "\n".join([*before, *([prompt] if prompt else [])])
        if above:
            system = "\n\n".join(bit.strip() for bit in (*above, system or "") if bit.strip())
        beside = {"system": system, "attachments": ", ".join(attached) or None}
        return Exchange(prompt, string(row["response"], "response"), beside)

    def of_turn(self, row: dict[str, Any]) -> Exchange:
        """Read a row of `turns`.

        The exchange: the messages of the user since the model last answered, and what it added to the chain.
        """
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
        beside = {
            "system": self._system(last),
            "reasoning": _joined(answered, "reasoning") or None,
            "attachments": ", ".join(filter(None, attached)) or None,
        }
        return Exchange(_joined(asked, "text"), _joined(answered, "text"), beside)

    def _back(self, tip: str | None) -> Iterator[tuple[str, str | None]]:
        """A chain of messages and their roles, from its last one back to the first."""
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

    def _system(self, last: str | None) -> str | None:
        """The system prompt: the first message of a chain, if that is its role."""
        passed: list[str] = []
        first: tuple[str, str | None] | None = None
        for hashed, role in self._back(last):
            first = self._first.get(hashed)
            if first is not None:
                break
            passed.append(hashed)
            first = hashed, role
        if first is None:
            return None
        # Turn by turn the chain of a conversation grows at its end: the way back is short if its last part is known.
        if len(self._first) > _REMEMBERED:
            self._first.clear()
        self._first |= dict.fromkeys(passed[:_REMEMBERED], first)
        hashed, role = first
        return (_joined(self._parts(hashed), "text") or None) if role == "system" else None

    def _parts(self, hashed: str) -> list[_Part]:
        """The parts of a message."""
        statement = "select type, text, payload from parts where message_hash = ? order by position"
        return [self._part(*row) for row in self._database.query(statement, [hashed])]

    def _part(self, kind: Value, text: Value, payload: Value) -> _Part:
        more = string(payload, "parts.payload")
        try:
            held = parse_object(more) if more else {}
        except ValueError:
            raise UnexpectedError("parts.payload", more, "a JSON object") from None
        said = string(text, "parts.text")
        if said is None:
            said = self._put_together(held) if "text_ref" in held else string(held.get("text"), "parts.payload.text")
        return _Part(string(kind, "parts.type"), said or "", held)

    def _put_together(self, held: dict[str, Any]) -> str:
        """A text that refers to fragments."""
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
        """Read a table's rows of a response, in their order."""
        found = self._database.query(_LISTED[table], [response]) if table in self._tables else ()
        return [string(value, table) or "" for (value,) in found]


def _joined(parts: Iterable[_Part], kind: str) -> str:
    return "".join(part.text for part in parts if part.kind == kind)
