"""What API keys look like: no report shows one whole, whatever it is about."""

from __future__ import annotations

import re

_FORMS = (
    r"\bsk-[A-Za-z0-9_-]{20,}",  # OpenAI, Anthropic and others
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",  # Amazon
    r"\bgh[pousr]_[A-Za-z0-9]{36,}",  # GitHub
    r"\bgithub_pat_[A-Za-z0-9_]{22,}",
    r"\bglpat-[A-Za-z0-9_-]{20,}",  # GitLab
    r"\bAIza[0-9A-Za-z_-]{35}",  # Google
    r"\bxox[abprs]-[A-Za-z0-9-]{10,}",  # Slack
    r"\bhf_[A-Za-z0-9]{30,}",  # Hugging Face
    r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}",  # JSON Web Tokens
    r"-----BEGIN [A-Z ]{0,20}PRIVATE KEY-----",
)
KEYS = "|".join(_FORMS)
"""A regular expression, of Python as of polars."""

_SHOWN = 6


def masked(key: str) -> str:
    """Show the beginning of a key only.

    >>> masked("sk-abcdefghijklmnopqrstuvwxyz")
    'sk-abc… (29 characters)'
    """
    return f"{key[:_SHOWN]}… ({len(key)} characters)"


def without_keys(text: str) -> str:
    """Mask every key in a text.

    >>> without_keys("take sk-abcdefghijklmnopqrstuvwxyz!")
    'take sk-abc… (29 characters)!'
    """
    return re.sub(KEYS, lambda found: masked(found.group()), text)
