"""Download of a study's released data: each file is verified before it is put in its place."""

from __future__ import annotations

import hashlib
import http.client
import os
from typing import TYPE_CHECKING, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import (
    HTTPDefaultErrorHandler,
    HTTPErrorProcessor,
    HTTPHandler,
    HTTPSHandler,
    OpenerDirector,
    ProxyHandler,
)

from tallybook.core.errors import DataError, UsageError
from tallybook.core.output import whole_file
from tallybook.core.untrusted import printable
from tallybook.published.released.listing import DIGITS, HOST, another, fault

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.core.progress import Progress
    from tallybook.published.released.listing import Release, ReleasedFile

_TIMEOUT = 30.0
"""Seconds without a response after which a connection counts as lost."""
_ATTEMPTS = 4
"""The maximum number of attempts if a connection breaks."""
_SERVER_FAULT = 500


class Fetched(NamedTuple):
    """The result of fetching."""

    fetched: tuple[str, ...]  # the files that were downloaded
    kept: tuple[str, ...]  # the files that existed with the right content


def fetch(released: Release, folder: Path, progress: Progress, host: str = HOST) -> Fetched:
    """Download the released files that a folder lacks, or has with other content."""
    advance = progress.stage(f"Fetching {released.study} (bytes)", released.size)
    done = Fetched((), ())
    for file in released.files:
        target = folder / file.file
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.parent.resolve().is_relative_to(folder.resolve()):
                raise UsageError(f"{target.parent} is a link that leads out of {folder}")
            if fault(file, target) is None:
                done = done._replace(kept=(*done.kept, file.file))
            else:
                with whole_file(target) as part:
                    part.write_bytes(_content(released.url(file, host), file))
                done = done._replace(fetched=(*done.fetched, file.file))
        except OSError as error:
            raise UsageError(f"{target}: {error.strerror or os.strerror(error.errno or 0)}") from None
        advance(file.size)
    return done


def _content(url: str, file: ReleasedFile) -> bytes:
    """Download one file, reading at most one byte beyond its size, and verify its SHA-256."""
    opener = OpenerDirector()  # without a handler for redirections, which could lead anywhere
    for handler in (ProxyHandler, HTTPHandler, HTTPSHandler, HTTPDefaultErrorHandler, HTTPErrorProcessor):
        opener.add_handler(handler())
    last = ""
    for _ in range(_ATTEMPTS):
        try:
            with opener.open(url, timeout=_TIMEOUT) as answer:
                content: bytes = answer.read(file.size + 1)
        except HTTPError as error:
            error.close()
            last = f"the server says {error.code} {printable(error.reason)}"
            if error.code < _SERVER_FAULT:
                raise UsageError(f"{url}: {last}") from None
            continue
        except URLError as error:
            raise UsageError(f"{urlsplit(url).netloc} cannot be reached ({printable(str(error.reason))})") from None
        except (OSError, http.client.HTTPException) as error:
            last = f"the connection broke off ({printable(str(error) or type(error).__name__)})"
            continue
        if len(content) < file.size:
            last = "the connection broke off"
        elif (found := hashlib.sha256(content).hexdigest()) != file.sha256:
            raise DataError([another(file, f"SHA-256 {found[:DIGITS]}")])
        else:
            return content
    raise UsageError(f"{url}: {last}; the next run goes on with this file")
