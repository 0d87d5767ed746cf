"""Logs of `llm`: the responses of both generations of its tables, and what else its database says of them."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import DataError
from tallybook.drafting.starting import start
from tallybook.sources.content import Content
from tallybook.sources.formats.registry import detect, detect_format, format_by_name
from tallybook.study.format_base import Layout
from tallybook.study.record_sources import RecordSource
from tests.trusted import read
from tests.unit.sources.inputs import delivery_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

RESPONSES = """
create table conversations (id text primary key, name text, model text);
create table responses (
    id text primary key, model text, prompt text, system text, prompt_json text, options_json text, response text,
    response_json text, conversation_id text references conversations (id), duration_ms integer, datetime_utc text
);
create virtual table responses_fts using fts5 (prompt, response, content=responses);
create table attachments (id text primary key, type text, path text, url text, content blob);
create table _llm_migrations (name text primary key, applied_at text);
insert into _llm_migrations values ('m001_initial', '2025-01-01');
"""
"""What version 0.13 makes."""
LATER = """
alter table responses add column input_tokens integer;
alter table responses add column output_tokens integer;
alter table responses add column token_details text;
alter table responses add column resolved_model text;
create table prompt_attachments (
    response_id text, attachment_id text, "order" integer, primary key (response_id, attachment_id)
);
create table fragments (id integer primary key, hash text, content text, datetime_utc text, source text);
create table prompt_fragments (
    response_id text, fragment_id integer, "order" integer, primary key (response_id, fragment_id, "order")
);
create table system_fragments (
    response_id text, fragment_id integer, "order" integer, primary key (response_id, fragment_id, "order")
);
"""
"""What later versions add, as far as it is read."""
TURNS = """
create table messages (hash text primary key, parent_hash text, role text, provider_metadata text);
create table parts (
    id integer primary key, message_hash text, position integer, type text, tool_name text, text text, payload text
);
create table threads (id text primary key, name text, tip_message_hash text, forked_from text, datetime_utc text);
create table turns (
    id text primary key, thread_id text, parent_message_hash text, tip_message_hash text, model text,
    resolved_model text, options_json text, schema_id text, input_tokens integer, output_tokens integer,
    token_details text, duration_ms integer, datetime_utc text, response_json text
);
"""
"""What version 0.32 adds."""
Inserted = tuple[str, dict[str, Any]]
"""A statement and the values in it."""

INTO_TURNS = """
insert into turns values (:id, :thread, :parent, :tip, 'm', 'm-1', :options, null, 5, 6, null, 7, 'd', :body)
"""
INTO_MESSAGES = "insert into messages (hash, parent_hash, role) values (:hash, :parent, :role)"
INTO_PARTS = """
insert into parts (message_hash, position, type, text, payload) values (:hash, :position, :type, :text, :payload)
"""
INTO_RESPONSES = """
insert into responses (id, model, prompt, system, options_json, response, response_json, conversation_id, datetime_utc)
values (:id, 'gpt-4o', :prompt, :system, :options, :text, :body, 'c1', '2025-05-01T10:00:00')
"""


def log(path: Path, *scripts: str, rows: Sequence[Inserted] = ()) -> Path:
    """A log of some tables and rows."""
    with closing(sqlite3.connect(path)) as database, database:
        database.executescript(f"pragma synchronous = off; {' '.join(scripts)}")
        for statement, values in rows:
            database.execute(statement, values)
    return path


def response(number: int, **changes: Any) -> Inserted:
    given = {"id": f"r{number}", "prompt": "Why?", "system": None, "options": "{}", "text": "So.", "body": None}
    return INTO_RESPONSES, given | changes


def turn(number: int, parent: str | None, tip: str | None, **changes: Any) -> Inserted:
    given = {"id": f"t{number}", "thread": "c2", "parent": parent, "tip": tip, "options": None, "body": None}
    return INTO_TURNS, given | changes


def message(hashed: str, parent: str | None, role: str, *parts: str | tuple[str, Any, Any]) -> list[Inserted]:
    """What puts a message down: its parts are texts, or type, text and payload."""
    rows: list[Inserted] = [(INTO_MESSAGES, {"hash": hashed, "parent": parent, "role": role})]
    for position, part in enumerate(parts):
        kind, text, payload = ("text", part, None) if isinstance(part, str) else part
        written = payload if payload is None or isinstance(payload, str) else json.dumps(payload)
        given = {"hash": hashed, "position": position, "type": kind, "text": text, "payload": written}
        rows.append((INTO_PARTS, given))
    return rows


def records(path: Path, paths: Sequence[str] = (), form: str = "llm") -> tuple[list[dict[str, str]], list[str]]:
    """What is read, without what is missing; and what is wrong."""
    content = Content(path.parent, path.name)
    rows = [
        {"key": key} | {name: text for name, text in zip(part.header, row, strict=True) if text is not None}
        for part in format_by_name(form).read(content, paths)
        for key, row in zip(part.keys, part.cells.rows(), strict=True)
    ]
    return rows, [str(problem) for problem in content.problems]


class TestTelling:
    """A database is told by its tables and their columns."""

    @pytest.mark.parametrize(
        ("scripts", "told"),
        [
            ([RESPONSES], "llm"),
            ([RESPONSES, LATER, TURNS], "llm"),
            ([TURNS], "llm"),
            (["create table responses (id, prompt, response); create table conversations (id, name, model)"], "sqlite"),
            (["create table turns (id); create table messages (hash, parent_hash, role)"], "sqlite"),
        ],
    )
    def test_by_its_tables(self, tmp_path: Path, scripts: list[str], told: str) -> None:
        found = detect(Content(tmp_path, log(tmp_path / "any.bin", *scripts).name))
        assert found is not None
        assert (found.format.name, found.role) == (told, "responses")

    def test_a_table_that_is_named_is_read_as_it_is(self, tmp_path: Path) -> None:
        path = log(tmp_path / "logs.db", RESPONSES, rows=[response(1)])
        chosen = detect_format(Content(tmp_path, path.name), Layout(table="responses")).format
        [part] = chosen.read(Content(tmp_path, path.name))
        assert (chosen.name, part.header[:3]) == ("sqlite", ["id", "model", "prompt"])

    def test_another_database_that_is_called_one(self, tmp_path: Path) -> None:
        path = log(tmp_path / "x.db", "create table answers (a)")
        with pytest.raises(DataError, match=r"x\.db: expected a database of llm, with its tables responses and"):
            records(path)


BODIES: list[tuple[Any, str, tuple[str, str | None]]] = [
    (None, "So.", ("ok", None)),
    (None, " ", ("empty", None)),
    ({"finish_reason": "stop", "content": {"$": "r:r1"}}, "So.", ("ok", "stop")),
    ({"finish_reason": "length"}, "So.", ("truncated", "length")),
    ({"finish_reason": "tool_calls"}, "", ("empty", "tool_calls")),
    ({"choices": [{"finish_reason": "content_filter", "message": {}}]}, "", ("filtered", "content_filter")),
    ({"choices": [{"finish_reason": "stop", "message": {"refusal": "No."}}]}, "", ("refused", "stop")),
    ({"stop_reason": "max_tokens", "content": [{"text": {"$r": []}}]}, "So.", ("truncated", "max_tokens")),
    ({"candidates": [{"finishReason": "SAFETY"}]}, "", ("filtered", "SAFETY")),
    ({"incomplete_details": {"reason": "max_output_tokens"}}, "So", ("truncated", "max_output_tokens")),
    ({"finish_reason": {"$": "x"}}, "So.", ("ok", None)),
    (["a list"], "So.", ("ok", None)),
]
"""What a provider answered, what the log has of it as text, and the status and stop reason."""


class TestResponses:
    """The table `responses`, which versions until 0.31 write."""

    def test_of_an_early_version(self, tmp_path: Path) -> None:
        path = log(tmp_path / "x", RESPONSES, rows=[response(1, system="Be brief.", options='{"temperature": 0.5}')])
        assert records(path) == (
            [
                {
                    "key": "record 1",
                    "response_id": "r1",
                    "model": "gpt-4o",
                    "prompt": "Why?",
                    "system": "Be brief.",
                    "text": "So.",
                    "status": "ok",
                    "created_at": "2025-05-01T10:00:00",
                    "options.temperature": "0.5",
                    "conversation_id": "c1",
                }
            ],
            [],
        )

    def test_of_a_later_version(self, tmp_path: Path) -> None:
        more = """
            insert into conversations values ('c1', 'Of why', 'gpt-4o');
            insert into fragments (id, content) values (1, 'A'), (2, 'B');
            insert into prompt_fragments values ('r1', 2, 0), ('r1', 1, 1), ('r2', 1, 0);
            insert into system_fragments values ('r1', 1, 0);
            insert into prompt_attachments values ('r1', 'f0', 1), ('r1', 'f1', 0);
            update responses set input_tokens = 3, output_tokens = 4, token_details = '{"cached": 2}',
                resolved_model = 'gpt-4o-2024-08-06' where id = 'r1';
        """
        path = log(tmp_path / "x", RESPONSES, LATER, rows=[response(1, system=" S "), response(2, prompt=None)])
        first, second = records(log(path, more))[0]
        assert (first["prompt"], first["system"], second["prompt"]) == ("B\nA\nWhy?", "A\n\nS", "A")
        assert (first["attachments"], first["conversation_name"]) == ("f1, f0", "Of why")
        assert (first["model"], first["resolved_model"]) == ("gpt-4o", "gpt-4o-2024-08-06")
        assert (first["input_tokens"], first["output_tokens"], first["token_details.cached"]) == ("3", "4", "2")

    @pytest.mark.parametrize(("body", "text", "told"), BODIES)
    def test_status(self, tmp_path: Path, body: Any, text: str, told: tuple[str, str | None]) -> None:
        written = None if body is None else json.dumps(body)
        [row], problems = records(log(tmp_path / "x", RESPONSES, rows=[response(1, body=written, text=text)]))
        assert (row["status"], row.get("stop_reason"), problems) == (*told, [])

    def test_what_the_provider_answered_can_be_named(self, tmp_path: Path) -> None:
        path = log(tmp_path / "x", RESPONSES, rows=[response(1, body='{"choices": [{"index": 0}], "id": "i"}')])
        [row], _ = records(path, ["response_json.choices.0.index", "response_json.id"])
        assert (row["response_json.choices.0.index"], row["response_json.id"]) == ("0", "i")
        assert not any(name.startswith("response_json") for name in records(path)[0][0])

    def test_faults_of_single_responses(self, tmp_path: Path) -> None:
        rows = [
            response(1, options="[1]"),
            response(2, body="{"),
            response(3, text=b"\0\xff"),
            response(4),
            response(5, prompt=b"x"),
        ]
        path = log(tmp_path / "x", RESPONSES, rows=[*rows, response(6)])
        found, problems = records(log(path, "update responses set response = cast(x'61ff' as text) where id = 'r6'"))
        assert [row["key"] for row in found] == ["record 4"]
        assert problems == [
            "x: key record 1, column options: found [1]; expected a JSON object",
            "x: key record 2, column response_json: found {; expected JSON",
            "x: key record 3, column response: found 00 ff; expected text or a number, not bytes",
            "x: key record 5, column prompt: found 78; expected text or a number, not bytes",
            "x: key record 6, column response: found a\N{REPLACEMENT CHARACTER}; expected UTF-8 text",
        ]


CHAIN: tuple[Inserted, ...] = (
    *message("s", None, "system", "Be brief."),
    *message("u1", "s", "user", "Why", "?"),
    *message("a1", "u1", "assistant", ("reasoning", "Hm.", None), "So", ".", ("tool_call", None, {"name": "f"})),
    *message("tool", "a1", "tool", ("tool_result", None, {"output": "7"})),
    *message("u2", "tool", "user", ("text", None, {"text_ref": [{"fragment": 1}, {"literal": "\nWhat?"}]})),
    *message("u3", "u2", "user", ("attachment", None, {"attachment": {"id": "f0"}})),
    *message("a2", "u3", "assistant", "It's that."),
    ("insert into fragments (id, content) values (1, 'Fragment')", {}),
    ("insert into threads (id, name) values ('c2', 'Of why')", {}),
)


class TestTurns:
    """The tables since version 0.32."""

    def test_prompts_and_responses(self, tmp_path: Path) -> None:
        options = '{"temperature": 1}'
        rows = [turn(1, "u1", "a1", options=options), turn(2, "u3", "a2", body='{"finish_reason": "length"}')]
        found, problems = records(log(tmp_path / "x", RESPONSES, LATER, TURNS, rows=[*CHAIN, *rows]))
        shared = {"model": "m", "resolved_model": "m-1", "created_at": "d", "conversation_id": "c2"}
        shared |= {"conversation_name": "Of why", "system": "Be brief.", "duration_ms": "7"}
        shared |= {"input_tokens": "5", "output_tokens": "6"}
        first = {"key": "record 1", "response_id": "t1", "prompt": "Why?", "text": "So.", "status": "ok"}
        second = {"key": "record 2", "response_id": "t2", "prompt": "Fragment\nWhat?", "text": "It's that."}
        assert found == [
            shared | first | {"reasoning": "Hm.", "options.temperature": "1"},
            shared | second | {"attachments": "f0", "status": "truncated", "stop_reason": "length"},
        ]
        assert problems == []

    def test_both_generations(self, tmp_path: Path) -> None:
        rows = [response(2), response(1), (response(1)[0], response(1)[1] | {"id": "t1"}), turn(1, "u1", "a1")]
        found, _ = records(log(tmp_path / "x", RESPONSES, LATER, TURNS, rows=[*CHAIN, *rows]))
        keys = [(row["key"], row["response_id"], row.get("reasoning")) for row in found]
        assert keys == [("record 1", "r2", None), ("record 2", "r1", None), ("record 3", "t1", "Hm.")]

    def test_no_messages_before_or_after(self, tmp_path: Path) -> None:
        rows = [turn(1, None, None), turn(2, "u1", "u1"), turn(3, None, "a1")]
        found, problems = records(log(tmp_path / "x", RESPONSES, LATER, TURNS, rows=[*CHAIN, *rows]))
        assert [(row["prompt"], row["text"], row["status"]) for row in found] == [
            ("", "", "empty"),
            ("Why?", "", "empty"),
            ("", "Be brief.Why?So.", "ok"),
        ]
        assert problems == []

    def test_chains_that_are_broken(self, tmp_path: Path) -> None:
        broken = (
            *message("round", "about", "assistant", "a"),
            *message("about", "round", "assistant", "b"),
            *message("lost", "gone", "user", "c"),
            *message("no payload", None, "user", ("text", None, "{")),
            *message("no fragment", None, "user", ("text", None, {"text_ref": [{"fragment": 9}]})),
            *message("no number", None, "user", ("text", None, {"text_ref": [{"fragment": "x"}]})),
            *message("no list", None, "user", ("text", None, {"text_ref": 7})),
        )
        names = ("lost", "no payload", "no fragment", "no number", "no list")
        rows = [turn(1, "round", "a1"), turn(2, "u1", "round"), turn(3, "u1", "s")]
        rows += [turn(number, name, name) for number, name in enumerate(names, start=4)]
        path = log(tmp_path / "x", RESPONSES, LATER, TURNS, rows=[*CHAIN, *broken, *rows, turn(9, "u1", "a1")])
        found, problems = records(path)
        assert [row["response_id"] for row in found] == ["t9"]
        ring, chain = "messages.parent_hash: found round", "expected a chain of messages that has a beginning"
        tip = "expected a message that follows that of parent_message_hash"
        assert problems[:3] == [
            f"x: key record 1, column tip_message_hash: found a1; {tip}",
            f"x: key record 2, column {ring}; {chain}",
            f"x: key record 3, column tip_message_hash: found s; {tip}",
        ]
        assert [one.partition("column ")[2] for one in problems[3:]] == [
            "messages.hash: found gone; expected a message of this hash",
            "parts.payload: found {; expected a JSON object",
            "parts.payload.text_ref: found 9; expected a fragment of this number",
            "parts.payload.text_ref: found x; expected the number of a fragment",
            "parts.payload.text_ref: found 7; expected an array",
        ]

    def test_fragments_that_expand(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tallybook.sources.formats.llm_log.MOST_LINE", 20)
        many = message("many", None, "user", ("text", None, {"text_ref": [{"fragment": 1}] * 3}))
        path = log(tmp_path / "x", RESPONSES, LATER, TURNS, rows=[*CHAIN, *many, turn(1, "many", "many")])
        assert records(path)[1] == ["x: key record 1, column parts.payload.text_ref: expected at most 20 characters"]

    def test_long_conversations(self, tmp_path: Path) -> None:
        chain = message("m0", None, "system", "S")
        for number in range(1, 60):
            role = "user" if number % 2 else "assistant"
            chain += message(f"m{number}", f"m{number - 1}", role, f"text {number}")
        rows = [turn(number, f"m{number}", f"m{number + 1}") for number in range(1, 59, 2)]
        found, _ = records(log(tmp_path / "x", TURNS, rows=[*chain, *rows]))
        assert [(row["system"], row["prompt"], row["text"]) for row in found] == [
            ("S", f"text {number}", f"text {number + 1}") for number in range(1, 59, 2)
        ]


def test_a_study_of_parts_is_that_of_the_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [response(number, options=json.dumps({"seed": number})) for number in range(6)]
    log(tmp_path / "logs.db", RESPONSES, LATER, TURNS, rows=[*CHAIN, *rows, turn(1, "u1", "a1")])
    columns = {name: {"path": name} for name in ("text", "model", "system")}
    columns["options_seed"] = {"path": "options.seed", "type": "integer"}
    declared = {"format": "auto", "files": "*", "columns": columns, "extra": "ignore"}
    source = RecordSource.model_validate(declared)
    whole = delivery_of(tmp_path, source)
    monkeypatch.setattr("tallybook.sources.records.MOST_ROWS", 1)
    parts = delivery_of(tmp_path, source)
    assert (whole.problems, parts.problems) == ([], [])
    assert whole.rows.equals(parts.rows)
    assert whole.rows.get_column("options_seed").to_list() == [*range(6), None]


def test_a_study_is_drafted(tmp_path: Path) -> None:
    """From a log to a study that runs."""
    rows = [
        response(number, prompt=f"Is {name} fit to lead? Answer yes or no.", text=("Yes.", "No.")[number % 3 == 0])
        for number, name in enumerate(f"person {number % 8}" for number in range(32))
    ]
    more = "update responses set model = 'llama' where rowid > 16;"
    log(log(tmp_path / "logs.db", RESPONSES, LATER, TURNS, rows=rows), more)
    before = (tmp_path / "logs.db").read_bytes()
    started = start([tmp_path / "logs.db"], tmp_path / "study", [])
    assert (started.rows, started.draft.source["format"]) == (32, "llm")
    paths = {name: settings["path"] for name, settings in started.draft.columns.items()}
    assert (paths["text"], paths["model"]) == ("text", "model")
    assert read(started.files[0]).coded.height == 32
    assert (tmp_path / "logs.db").read_bytes() == before
