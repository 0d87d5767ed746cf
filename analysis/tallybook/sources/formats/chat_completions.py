"""Chat completions as servers give them (vLLM, OpenAI, LiteLLM, llama.cpp, TGI), one a line or in an array.

Scripts often put what was asked beside: as `request`, `messages` or `prompt`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats.declared import Declared
from tallybook.sources.formats.fields import is_array

if TYPE_CHECKING:
    from tallybook.sources.formats.chat import Answer
    from tallybook.sources.formats.format import Head
    from tallybook.study.format_base import Role


class ChatCompletions(Declared):
    """Files of completions or chat completions."""

    name = "chat-completions"
    title = "chat completions (vLLM, OpenAI)"
    cores = (frozenset({"object", "model", "choices"}), frozenset({"id", "model", "choices", "usage"}))
    columns = {  # noqa: RUF012  it is declared once and never changed
        "response_id": ("id",),
        "model": ("model",),
        "prompt": ("request.messages", "request.prompt", "messages", "prompt"),
        "text": ("choices",),
        "created_at": ("created",),
        "input_tokens": ("usage.prompt_tokens",),
        "output_tokens": ("usage.completion_tokens",),
    }
    taken = ("object", "usage")

    def recognises(self, head: Head) -> Role | None:
        """Objects that are named or shaped like completions; embeddings are excluded."""
        line = head.line
        is_other = line is not None and not is_array(line.get("choices"))
        return None if is_other or {"custom_id", "call_type"} & {*head.keys} else super().recognises(head)

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        """Get an answer for each choice."""
        return super().answers(record, {"choices": given})


FORMAT = ChatCompletions()
