"""All results of OpenAI's `simple-evals` (`EVAL_MODEL_DATE_allresults.json`): a record a conversation."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tallybook.sources.formats import chat
from tallybook.sources.formats.fields import array, cells
from tallybook.sources.json_records import text_of
from tallybook.sources.json_stream import walk
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

_NAMED = re.compile(r"(?P<task>[a-z0-9-]+?)_(?P<model>.+?)(_DEBUG)?(_\d{8}_\d{6})?(_allresults)?\.json")


class SimpleEvals(Format):
    """Files of all results of a run."""

    name = "simple-evals"
    title = "simple-evals results"

    def recognises(self, head: Head) -> Role | None:
        """An object with a score, metrics, pages of HTML and conversations."""
        names = {*head.keys}
        return "responses" if {"score", "metrics", "htmls"} <= names and not head.is_array else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read the conversations of a run: the last message is the answer."""
        yield from in_parts(_rows(content, paths), content.name)


def _rows(content: Content, paths: Sequence[str]) -> Iterator[Row]:
    name = _NAMED.fullmatch(content.bare_name)
    number = 0
    with content.open() as stream:
        try:
            for place, messages in walk(stream, ["", "convos"]):
                if place != "convos[]":
                    continue
                *before, last = array(messages, "convos") or [None]
                said = (chat.recognised([last], "convos") or [chat.Answer(text_of(last))])[0]
                canonical = {
                    "model": name["model"] if name else None,
                    "item": str(number),
                    "prompt": chat.prompt(before),
                    "text": said.words,
                    "status": chat.status(said),
                    "task": name["task"] if name else None,
                }
                number += 1
                yield f"conversation {number}", cells(canonical, {}, (), paths)
        except ValueError as error:
            raise content.refuse(str(error), key=f"after conversation {number}") from None


FORMAT = SimpleEvals()
