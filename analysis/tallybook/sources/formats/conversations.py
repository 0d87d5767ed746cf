"""Conversations that people exported from programs to chat with models: an answer each time that a model spoke."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.sources.formats import chat
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.declared import Objects
from tallybook.sources.formats.objects import array, cells, is_array, is_object, mapping, string
from tallybook.sources.json_records import at, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Row
    from tallybook.study.format_base import Role


class Turn(NamedTuple):
    """A message of a conversation."""

    name: str  # its id
    before: str | None  # the id of the message before it; None for the first
    role: str
    answer: Answer
    model: str | None = None
    created_at: object = None


class Conversations(Objects):
    """Conversations that may branch: answers of several models, and answers that were asked for again."""

    names: frozenset[str]
    """The fields that all conversations have."""
    shown: tuple[str, ...] = ()
    """The fields that become columns."""

    def recognises(self, head: Head) -> Role | None:
        return "responses" if self.names <= {*head.keys} else None

    def turns(self, conversation: dict[str, Any]) -> Iterator[Turn]:
        """Yield all messages of a conversation."""
        raise NotImplementedError

    def named(self, conversation: dict[str, Any]) -> object:
        """Return the name of a conversation."""
        return conversation.get("id") or conversation.get("conversation_id") or conversation.get("uuid")

    def records(self, paths: Sequence[str], about: None, key: str, whole: dict[str, Any]) -> Iterator[Row]:
        """Yield a record for each message of a model, with the messages that led to it as prompt."""
        turns = {turn.name: turn for turn in self.turns(whole)}
        times = Counter[tuple[str | None, str | None]]()
        beside = {name: at(whole, name) for name in self.shown}
        for number, turn in enumerate(turns.values(), start=1):
            if turn.role != "assistant":
                continue
            earlier = _before(turn, turns)
            said = [{"role": one.role, "content": one.answer.words} for one in earlier]
            place = turn.before, turn.model
            canonical = {
                "response_id": turn.name,
                "model": turn.model,
                "item": text_of(self.named(whole)),
                "turn": str(1 + sum(one.role == "assistant" for one in earlier)),
                "sample": str(times[place]),
                "prompt": chat.prompt(said) if said else None,
                "text": turn.answer.words,
                "status": chat.status(turn.answer),
                "stop_reason": turn.answer.stop_reason,
                "error": turn.answer.error,
                "created_at": _time(turn.created_at),
            }
            times[place] += 1
            yield f"{key}, message {number}", cells(canonical, beside, (), paths)


def _before(turn: Turn, turns: dict[str, Turn]) -> list[Turn]:
    """Return the messages that led to a message, in their order; a circle ends where it closes."""
    path: list[Turn] = []
    seen = {turn.name}
    while turn.before in turns and turn.before not in seen:
        turn = turns[turn.before]
        seen.add(turn.name)
        path.append(turn)
    return [one for one in path[::-1] if one.answer.words and one.role in {"system", "user", "assistant"}]


def _time(given: object) -> str | None:
    """Return a time in ISO 8601; programs count seconds since 1970."""
    if not isinstance(given, int | float) or isinstance(given, bool):
        return text_of(given)
    try:
        return datetime.fromtimestamp(given, UTC).isoformat(timespec="seconds")
    except (ValueError, OverflowError, OSError):
        return text_of(given)


class OpenWebUI(Conversations):
    """Chats exported from Open WebUI, in which several models may answer side by side."""

    name = "open-webui"
    title = "Open WebUI chats"
    names = frozenset({"id", "user_id", "title", "chat"})
    shown = ("title", "meta.tags")

    def turns(self, conversation: dict[str, Any]) -> Iterator[Turn]:
        path = "chat.history.messages"
        for name, given in mapping(at(conversation, path), path).items():
            found = mapping(given, f"{path}.{name}")
            error = mapping(found["error"], "error") if is_object(found.get("error")) else {}
            failed = chat.error_text(error.get("content") or error or found.get("error") or None)
            answer = Answer(None, error=failed, status="error")
            if not failed:
                answer = Answer(*chat.content_text(found.get("content"), f"{path}.{name}.content"))
            model, before = found.get("model") or found.get("modelName"), found.get("parentId")
            yield Turn(name, text_of(before), str(found.get("role")), answer, text_of(model), found.get("timestamp"))


_STOPPED = {"max_tokens": "length", "interrupted": "cancelled"}
_SAID = {"text", "multimodal_text"}
"""The types of content that are said; others are thoughts, code that was run, and its output."""


class ChatGPT(Conversations):
    """`conversations.json` of the data that ChatGPT exports."""

    name = "chatgpt"
    title = "ChatGPT conversations"
    names = frozenset({"title", "create_time", "mapping"})
    shown = ("title",)

    def turns(self, conversation: dict[str, Any]) -> Iterator[Turn]:
        for name, given in mapping(conversation.get("mapping"), "mapping").items():
            path = f"mapping.{name}"
            node = mapping(given, path)
            found = mapping(node.get("message"), f"{path}.message")
            content = mapping(found.get("content"), f"{path}.message.content")
            is_said = content.get("content_type") in _SAID and found.get("recipient", "all") == "all"
            parts = array(content.get("parts"), f"{path}.message.content.parts") if is_said else []
            text = "\n".join(part for part in parts if isinstance(part, str))
            stopped = string(at(found, "metadata.finish_details.type"), "metadata.finish_details.type")
            answer = Answer(text, stop_reason=_STOPPED.get(stopped or "", stopped))
            role = str(at(found, "author.role")) if text else "none"  # the root, thoughts and calls of tools lead on
            model = at(found, "metadata.model_slug") or conversation.get("default_model_slug")
            yield Turn(name, text_of(node.get("parent")), role, answer, text_of(model), found.get("create_time"))


class ClaudeConversations(Conversations):
    """`conversations.json` of the data that Claude exports, which does not say which model answered."""

    name = "claude"
    title = "Claude conversations"
    names = frozenset({"uuid", "name", "chat_messages"})
    shown = ("name",)

    def turns(self, conversation: dict[str, Any]) -> Iterator[Turn]:
        last = None
        for place, given in enumerate(array(conversation.get("chat_messages"), "chat_messages")):
            path = f"chat_messages.{place}"
            found = mapping(given, path)
            text = chat.content_text(found.get("content") or found.get("text"), f"{path}.content")[0]
            name, role = text_of(found.get("uuid")) or path, str(found.get("sender")).replace("human", "user")
            before = text_of(found.get("parent_message_uuid")) or last
            model = text_of(found.get("model") or conversation.get("model"))
            yield Turn(name, before, role, Answer(text), model, found.get("created_at"))
            last = name


_ENDED = {"maxPredictedTokensReached": "length", "contextLengthReached": "length", "userStopped": "cancelled"}


class LMStudio(Conversations):
    """A conversation that LM Studio keeps in a file: messages in versions, answers in steps."""

    name = "lm-studio"
    title = "LM Studio conversations"
    names = frozenset({"name", "createdAt", "messages"})
    shown = ("name",)

    def recognises(self, head: Head) -> Role | None:
        """Recognise a conversation whose messages have versions."""
        return super().recognises(head) if b'"versions"' in head.start else None

    def named(self, conversation: dict[str, Any]) -> object:
        return conversation.get("createdAt")

    def turns(self, conversation: dict[str, Any]) -> Iterator[Turn]:
        last = None
        if system := string(conversation.get("systemPrompt"), "systemPrompt"):
            last = "systemPrompt"
            yield Turn(last, None, "system", Answer(system))
        for place, given in enumerate(array(conversation.get("messages"), "messages")):
            message = mapping(given, f"messages.{place}")
            chosen, before = message.get("currentlySelected", 0), last
            for number, one in enumerate(array(message.get("versions"), f"messages.{place}.versions")):
                name = f"messages.{place}.versions.{number}"
                version = mapping(one, name)
                answer, model = _said(version, name)
                model = model or text_of(at(version, "senderInfo.senderName"))
                role = str(version.get("role"))
                yield Turn(name, before, role, answer, model if role == "assistant" else None)
                last = name if number == chosen else last


def _said(version: dict[str, Any], path: str) -> tuple[Answer, str | None]:
    """Return what a version of a message says, and the model that said it; reasoning has a style of its own."""
    if not is_array(version.get("steps")):
        return Answer(*chat.content_text(version.get("content"), f"{path}.content")), None
    texts: list[str] = []
    model = reason = None
    for place, given in enumerate(version["steps"]):
        step = mapping(given, f"{path}.steps.{place}")
        if step.get("type") != "contentBlock" or at(step, "style.type") == "thinking":
            continue
        texts.append(chat.content_text(step.get("content"), f"{path}.steps.{place}.content")[0] or "")
        about = mapping(step.get("genInfo"), f"{path}.steps.{place}.genInfo")
        model = text_of(about.get("indexedModelIdentifier") or about.get("identifier")) or model
        reason = text_of(at(about, "stats.stopReason")) or reason
    return Answer("".join(texts), stop_reason=_ENDED.get(reason or "", reason)), model


OPEN_WEBUI, CHATGPT, CLAUDE, LM_STUDIO = OpenWebUI(), ChatGPT(), ClaudeConversations(), LMStudio()
