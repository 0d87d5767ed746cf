"""One file over the network: resumed where it was left off, verified, and put in its place whole or not at all."""

from __future__ import annotations

import hashlib
import http.client
import re
from typing import TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.parse import urljoin, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.core.safe_paths import open_regular
from tallybook.core.untrusted import printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import IO

    from tallybook.published.released.listing import ReleasedFile

_BLOCK = 2**16
_TIMEOUT = 30.0
"""Seconds without an answer after which a connection counts as lost."""
_ATTEMPTS = 4
"""How often a connection that breaks off is made again."""
_PARTIAL, _SERVER_FAULT = 206, 500
_RANGE = re.compile(r"bytes ([0-9]+)-")


class _Interrupted(Exception):  # noqa: N818  no error yet: it is tried again
    """The connection broke off."""


class _SameOrigin(HTTPRedirectHandler):
    """Follows redirections only within the scheme and host that were asked."""

    def http_error_302(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: http.client.HTTPMessage
    ) -> http.client.HTTPResponse | None:
        """Refuse a redirection to elsewhere."""
        asked, leads = urlsplit(req.full_url), urlsplit(urljoin(req.full_url, headers.get("Location", "")))
        if (asked.scheme, asked.netloc) != (leads.scheme, leads.netloc):
            fp.close()
            where = printable(leads.geturl(), limit=200)
            raise UsageError(f"{req.full_url}: redirected to {where}, which is not followed")
        return super().http_error_302(req, fp, code, msg, headers)

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302


def download(url: str, target: Path, file: ReleasedFile, advance: Callable[[int], None]) -> None:
    """Download a file; what has come so far is kept as `NAME.part` and resumed."""
    part = target.with_name(f"{target.name}.part")
    kept = part.stat().st_size if part.is_file() else 0
    advance(min(kept, file.size))
    last = ""
    for _ in range(_ATTEMPTS):
        try:
            _more(url, part, file, advance)
        except _Interrupted as interrupted:
            last = str(interrupted)
            continue
        if (found := sha256_of(part)) != file.sha256:
            part.unlink()
            raise DataError(
                [Problem(file.file, "", "", f"SHA-256 {found}", f"SHA-256 {file.sha256}, as it was released")]
            )
        part.replace(target)
        return
    raise UsageError(f"{url}: {last}; what has come is kept, and the next run takes it up")


def another(file: ReleasedFile, found: str) -> Problem:
    """Describe a file that is not the released one."""
    return Problem(file.file, "", "", f"SHA-256 {found}", f"SHA-256 {file.sha256}, as it was released")


def sha256_of(path: Path) -> str:
    """Get the SHA-256 of a file."""
    with open_regular(path) as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _more(url: str, part: Path, file: ReleasedFile, advance: Callable[[int], None]) -> None:
    """Ask for what is missing of a file, and append it."""
    start = part.stat().st_size if part.is_file() else 0
    if start > file.size:
        part.unlink()
        start = 0
    if start == file.size and part.is_file():
        return
    with _requested(url, start) as answer:
        if start and not _continues(answer, start):
            start = 0  # the server sends all of it again
        with part.open("ab" if start else "wb") as output:
            _receive(answer, output, file.size - start, advance)


def _requested(url: str, start: int) -> http.client.HTTPResponse:
    """Ask a server for a file from a byte on."""
    opener = build_opener(_SameOrigin)
    opener.addheaders = [("User-Agent", "tallybook"), *([("Range", f"bytes={start}-")] if start else [])]
    try:
        return opener.open(url, timeout=_TIMEOUT)
    except HTTPError as error:
        error.close()
        if error.code >= _SERVER_FAULT:
            raise _Interrupted(f"the server says {error.code} {printable(error.reason)}") from None
        raise UsageError(f"{url}: the server says {error.code} {printable(error.reason)}") from None
    except URLError as error:
        reason = printable(str(error.reason))
        raise UsageError(f"{urlsplit(url).netloc} cannot be reached ({reason}): {_OFFLINE}") from None
    except (OSError, http.client.HTTPException) as error:
        raise _Interrupted(f"the connection broke off ({printable(str(error) or type(error).__name__)})") from None


_OFFLINE = "without a connection, --from DIR takes the files from a copy"


def _continues(answer: http.client.HTTPResponse, start: int) -> bool:
    """Tell whether an answer begins where it was asked to."""
    told = _RANGE.match(answer.headers.get("Content-Range", ""))
    return answer.status == _PARTIAL and told is not None and int(told[1]) == start


def _receive(answer: http.client.HTTPResponse, output: IO[bytes], missing: int, advance: Callable[[int], None]) -> None:
    """Write what comes; never more than is missing, and one byte that gives away a file that is longer."""
    while missing >= 0:
        try:
            block = answer.read(min(_BLOCK, missing + 1))
        except (OSError, http.client.HTTPException) as error:
            raise _Interrupted(f"the connection broke off ({printable(str(error) or type(error).__name__)})") from None
        if not block:
            break
        output.write(block)
        missing -= len(block)
        advance(len(block))
    if missing > 0:
        raise _Interrupted("the connection broke off")
