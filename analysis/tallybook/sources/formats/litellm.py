"""LiteLLM's standard logging payload of each call, one a line or in an array."""

from __future__ import annotations

from tallybook.sources.formats.declared import Declared


class LiteLLM(Declared):
    """Files of LiteLLM's standard logging payloads."""

    name = "litellm"
    title = "LiteLLM logs"
    cores = (frozenset({"id", "call_type", "model", "messages", "response", "status"}),)
    columns = {  # noqa: RUF012  it is declared once and never changed
        "response_id": ("id",),
        "model": ("model",),
        "prompt": ("messages",),
        "text": ("response",),
        "error": ("error_str", "error_information.error_message"),
        "created_at": ("endTime", "startTime"),
        "input_tokens": ("prompt_tokens",),
        "output_tokens": ("completion_tokens",),
    }
    taken = ("status", "model_map_information", "hidden_params")


FORMAT = LiteLLM()
