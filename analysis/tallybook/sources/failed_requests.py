"""The texts that stand where a model's answer should, because its request failed: messages, pages, placeholders."""

from __future__ import annotations

import polars as pl

_STATUS = r"(?:400|401|402|403|404|408|409|413|422|429|499|50[0-4]|52[0-9]|529)"
"""The HTTP statuses of failed requests to APIs of models."""
_REASONS = (
    r"bad (?:gateway|request)|connection (?:aborted|error|refused|reset|timed out)|context[_ ]length[_ ]exceeded"
    r"|(?:gateway|read|request) time-?d? ?-?out|insufficient[_ ]quota|internal server error"
    r"|(?:incorrect|invalid) api key|max retries exceeded|(?:overloaded|rate[_ ]limit(?:ed|[_ ]error)?)"
    r"|rate limit (?:exceeded|reached)|service (?:temporarily )?unavailable"
    r"|the (?:engine|model|server) is (?:currently )?overloaded|this model'?s maximum context length|too many requests"
    r"|unauthorized|upstream connect error|you exceeded your current quota"
)
_ERRORS = (
    r'\{\s*"error"\s*:',
    r'\{\s*"(?:object|type)"\s*:\s*"error"',
    r"\{\s*'error'\s*:",
    r"traceback \(most recent call last\)",
    r"(?-i:(?:[A-Za-z_]\w*\.)*[A-Z]\w*(?:Error|Exception|Timeout))(?:\(|: |$)",
    r"https?connectionpool\(",
    rf"{_STATUS}(?: (?:client|server) error)?[ :,–-]+(?:{_REASONS})",
    rf"(?:api |http )?(?:error|status)(?: code)?[ :#]*{_STATUS}\b",
    rf"(?:api |http )?error[ :]+(?:{_REASONS})",
    rf"(?:{_REASONS})\W*$",
    r"upstream connect error|you exceeded your current quota|rate limit (?:exceeded|reached) for",
)
_PLACEHOLDERS = r"nan|none|null|undefined|<na>|\[object object\]|#(?:error!|n/a|name\?|null!|ref!|value!)"
PATTERNS = {
    "error": (rf"(?i)^\s*(?:{'|'.join(_ERRORS)})", "an answer, not the message of a failed request"),
    "page": (r"(?i)^\s*<(?:!doctype html|html|head|\?xml)\b", "an answer, not a page of the web"),
    "placeholder": (rf"(?i)^\s*(?:{_PLACEHOLDERS})\s*$", "an answer, not a placeholder for one"),
}
"""Kind -> the pattern that its texts begin with, and the expectation."""


def is_message(text: pl.Expr) -> pl.Expr:
    """Return whether texts are messages of failed requests or pages of the web; placeholders may be answers."""
    patterns = (PATTERNS[kind][0] for kind in ("error", "page"))
    return pl.any_horizontal(text.str.contains(pattern) for pattern in patterns).fill_null(value=False)
