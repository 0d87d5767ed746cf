"""A study's released data downloaded: each file is verified, and in its place whole or not at all."""

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

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.core.output import whole_file
from tallybook.core.safe_paths import open_regular
from tallybook.core.untrusted import printable
from tallybook.published.released.listing import HOST

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.core.progress import Progress
    from tallybook.published.released.listing import Release, ReleasedFile

_TIMEOUT = 30.0
"""Seconds without an answer after which a connection counts as lost."""
_ATTEMPTS = 4
"""The number of attempts where a connection breaks off."""
_SERVER_FAULT = 500
_DIGITS = 12


class Fetched(NamedTuple):
    """The result of fetching."""

    fetched: tuple[str, ...]  # the files that were downloaded
    kept: tuple[str, ...]  # the files that were there already, with the right content


def fetch(released: Release, folder: Path, progress: Progress, host: str = HOST) -> Fetched:
    """Download what a folder lacks of the released files."""
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
    """Download one file, no more than one byte beyond its size."""
    opener = OpenerDirector()  # without what follows redirections, which could lead anywhere
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
            raise DataError([_another(file, f"SHA-256 {found[:_DIGITS]}")])
        else:
            return content
    raise UsageError(f"{url}: {last}; the next run goes on with this file")


def fault(file: ReleasedFile, path: Path) -> Problem | None:
    """Compare a file with the released one: by its size, then by its SHA-256, shown by its first digits."""
    if not path.is_file():
        return Problem(file.file, "", "", "", "this file, which was released")
    if (size := path.stat().st_size) != file.size:
        return _another(file, f"{size:,} bytes")
    with open_regular(path) as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    return None if found == file.sha256 else _another(file, f"SHA-256 {found[:_DIGITS]}")


def _another(file: ReleasedFile, found: str) -> Problem:
    expected = f"the released content ({file.size:,} bytes, SHA-256 {file.sha256[:_DIGITS]}…)"
    return Problem(file.file, "", "", found, expected)
