"""Released data over the network: verified, and refused where they are not what they should be."""

from __future__ import annotations

import hashlib
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from tallybook.cli.app import app
from tallybook.core.errors import DataError, UsageError
from tallybook.core.progress import Progress
from tallybook.core.resources import STUDIES, published_studies
from tallybook.published.released import fetching, listing
from tallybook.published.released.listing import (
    LIST,
    Release,
    ReleasedFile,
    catalogue,
    catalogue_text,
    is_plain,
    read_list,
    release,
)
from tests.released import needs_released, released_data

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTENT = bytes(range(256)) * 2000
SMALL = b"a,b\n1,2\n"


class Repository:
    """What the server holds, and how it behaves."""

    def __init__(self) -> None:
        self.files = {"/owner/name/c0ffee/some%20data/large.bin": CONTENT, "/owner/name/c0ffee/small.csv": SMALL}
        self.redirects: dict[str, str] = {}
        self.cut: list[int] = []
        self.failures = 0
        self.asked: list[str] = []


@contextmanager
def serving(repository: Repository) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            repository.asked.append(self.path)
            if repository.failures:
                repository.failures -= 1
                self.send_error(503)
            elif self.path in repository.redirects:
                self.send_response(302)
                self.send_header("Location", repository.redirects[self.path])
                self.end_headers()
            elif self.path not in repository.files:
                self.send_error(404)
            else:
                self._send(repository.files[self.path])

        def _send(self, content: bytes) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content[: repository.cut.pop(0)] if repository.cut else content)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name that it has
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def listed(file: str, path: str, content: bytes) -> ReleasedFile:
    return ReleasedFile(file, path, len(content), hashlib.sha256(content).hexdigest())


RELEASE = Release(
    "made-up",
    "owner/name",
    "c0ffee",
    "",
    (listed("inner/large.bin", "some data/large.bin", CONTENT), listed("small.csv", "small.csv", SMALL)),
)


def test_what_is_fetched_is_verified_and_kept(tmp_path: Path) -> None:
    repository = Repository()
    with serving(repository) as host:
        first = fetching.fetch(RELEASE, tmp_path, Progress(), host)
        again = fetching.fetch(RELEASE, tmp_path, Progress(), host)
    assert first == (("inner/large.bin", "small.csv"), ())
    assert again == ((), ("inner/large.bin", "small.csv"))
    assert (tmp_path / "inner" / "large.bin").read_bytes() == CONTENT
    assert len(repository.asked) == 2
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["inner", "large.bin", "small.csv"]


def test_a_connection_that_breaks_off_is_made_again(tmp_path: Path) -> None:
    repository = Repository()
    repository.cut, repository.failures = [1000, 5000], 1
    with serving(repository) as host:
        fetching.fetch(RELEASE, tmp_path, Progress(), host)
        assert (tmp_path / "inner" / "large.bin").read_bytes() == CONTENT
        (tmp_path / "inner" / "large.bin").unlink()
        repository.cut = [10, 10, 10, 10]
        with pytest.raises(UsageError, match="broke off"):
            fetching.fetch(RELEASE, tmp_path, Progress(), host)
    assert not list((tmp_path / "inner").iterdir())


def test_redirections_are_not_followed(tmp_path: Path) -> None:
    repository, other = Repository(), Repository()
    with serving(repository) as host, serving(other) as elsewhere:
        for address in (f"{elsewhere}/owner/name/c0ffee/small.csv", "file:///etc/hostname", "/moved.csv"):
            repository.redirects = {"/owner/name/c0ffee/small.csv": address}
            with pytest.raises(UsageError, match="the server says 302"):
                fetching.fetch(RELEASE, tmp_path, Progress(), host)
    assert not other.asked
    assert not (tmp_path / "small.csv").exists()


@pytest.mark.parametrize("served", [CONTENT[:-1] + b"!", CONTENT + b"!"], ids=["changed", "longer"])
def test_another_content_is_refused_and_not_kept(tmp_path: Path, served: bytes) -> None:
    repository = Repository()
    repository.files["/owner/name/c0ffee/some%20data/large.bin"] = served
    with serving(repository) as host, pytest.raises(DataError, match=r"inner/large\.bin: found .*SHA-256"):
        fetching.fetch(RELEASE, tmp_path, Progress(), host)
    assert not list((tmp_path / "inner").iterdir())


def test_an_earlier_file_stays_until_the_right_one_is_there(tmp_path: Path) -> None:
    (tmp_path / "small.csv").write_bytes(b"mine")
    repository = Repository()
    del repository.files["/owner/name/c0ffee/small.csv"]
    with serving(repository) as host, pytest.raises(UsageError, match=r"small\.csv: the server says 404"):
        fetching.fetch(RELEASE, tmp_path, Progress(), host)
    assert (tmp_path / "small.csv").read_bytes() == b"mine"


def test_without_a_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Repository()) as host:
        pass  # nobody listens there any more
    with pytest.raises(UsageError, match=r"127\.0\.0\.1:\d+ cannot be reached"):
        fetching.fetch(RELEASE, tmp_path, Progress(), host)
    monkeypatch.setattr("tallybook.published.released.fetching.fetch.__defaults__", (host,))
    result = CliRunner().invoke(app, ["fetch", "wang2025", "--out", str(tmp_path / "data")])
    assert isinstance(result.exception, UsageError)
    assert result.exception.exit_code == 2


def test_a_link_out_of_the_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "inner").symlink_to(tmp_path / "outside")
    with serving(Repository()) as host, pytest.raises(UsageError, match="leads out of"):
        fetching.fetch(RELEASE, tmp_path / "data", Progress(), host)
    assert not list((tmp_path / "outside").iterdir())


@pytest.mark.parametrize(
    "name", ["../a", "/a", "a/../../b", "a/..", "C:/a", "a\\..\\b", "a\nb", "a//b", ".", "a/ ..", ""]
)
def test_no_name_leads_out_of_the_folder(tmp_path: Path, name: str) -> None:
    assert not is_plain(name)
    for file, path in ((name, "a"), ("a", name)):
        (tmp_path / LIST).write_text(f'file,repository_path,bytes,sha256\n"{file}","{path}",1,{"0" * 64}\n', newline="")
        with pytest.raises(UsageError, match="is not a path within a folder"):
            read_list(tmp_path / LIST)


def test_lists_must_be_whole(tmp_path: Path) -> None:
    good = f"a.csv,a.csv,1,{'0' * 64}\n"
    for rows in (good.replace("0" * 64, "0" * 63), good + good.replace("a.csv", "A.csv"), good.replace(",1,", ",-1,")):
        (tmp_path / LIST).write_text(f"file,repository_path,bytes,sha256\n{rows}")
        with pytest.raises(UsageError):
            read_list(tmp_path / LIST)


@pytest.mark.parametrize("study", published_studies())
def test_every_published_study_says_what_was_released(study: str) -> None:
    assert (STUDIES / study / LIST).is_file()
    released = release(study)
    assert released.commit
    assert all(released.url(file).startswith("https://") for file in released.files)
    assert all(released.commit in released.url(file) for file in released.files)


@pytest.mark.released
@pytest.mark.parametrize("study", [pytest.param(study, marks=needs_released(study)) for study in published_studies()])
def test_the_lists_are_those_of_the_released_files(study: str) -> None:
    data = released_data(study)
    assert not [one for file in release(study).files if (one := listing.fault(file, data / file.file)) is not None]
    here = {path.relative_to(data).as_posix() for path in data.rglob("*") if path.is_file()}
    assert {file.file for file in release(study).files} == here


def test_an_unknown_study_is_named() -> None:
    with pytest.raises(UsageError, match=f"the published studies are {', '.join(published_studies())}"):
        release("wang2026")


def test_the_catalogue() -> None:
    entries = {entry["name"]: entry for entry in catalogue()}
    assert list(entries) == published_studies()
    wang = entries["wang2025"]
    assert wang["instruments"] == ["profile"]
    assert wang["bundled"]["responses"] == 8400
    assert wang["released"]["files"] == 181
    text = catalogue_text(list(entries.values()))
    assert "Wang, Brignac, Mao and Fang (2025)" in text
    assert "tallybook fetch kamruzzaman2024" in text
    assert CliRunner().invoke(app, ["studies"]).stdout == f"{text}\n"
