"""Responses of Ollama's `/api/generate` and `/api/chat`, as scripts write them: one a line or in an array."""

from __future__ import annotations

from tallybook.sources.formats.declared import Declared


class Ollama(Declared):
    """Files of Ollama's responses."""

    name = "ollama"
    title = "Ollama responses"
    cores = (
        frozenset({"model", "created_at", "done", "response"}),
        frozenset({"model", "created_at", "done", "message"}),
    )
    columns = {  # noqa: RUF012  it is declared once and never changed
        "model": ("model",),
        "prompt": ("messages", "request.messages", "prompt", "request.prompt"),
        "text": ("message", "response"),
        "stop_reason": ("done_reason",),
        "error": ("error",),
        "created_at": ("created_at",),
        "input_tokens": ("prompt_eval_count",),
        "output_tokens": ("eval_count",),
    }
    taken = ("done", "context")


FORMAT = Ollama()
