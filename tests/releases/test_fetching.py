"""Released data over the network: resumed, verified, and refused where they are not what they should be."""

from __future__ import annotations

import hashlib
import json
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
from tallybook.published.released import fetching
from tallybook.published.released.catalogue import catalogue, catalogue_text
from tallybook.published.released.listing import LIST, Release, ReleasedFile, is_plain, read_list, release
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
        self.ranges = True
        self.asked: list[tuple[str, str | None]] = []


@contextmanager
def serving(repository: Repository) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            repository.asked.append((self.path, wanted))
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
                self._send(repository.files[self.path], wanted)

        def _send(self, content: bytes, wanted: str | None) -> None:
            start = int(wanted.removeprefix("bytes=").rstrip("-")) if wanted and repository.ranges else 0
            self.send_response(206 if start else 200)
            if start:
                self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            self.wfile.write(content[start : start + repository.cut.pop(0)] if repository.cut else content[start:])

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
    fetching.check(RELEASE, tmp_path, Progress())


def test_a_connection_that_breaks_off_is_taken_up_where_it_ended(tmp_path: Path) -> None:
    repository = Repository()
    repository.cut = [1000, 5000]
    with serving(repository) as host:
        fetching.fetch(RELEASE, tmp_path, Progress(), host)
    assert [wanted for _, wanted in repository.asked] == [None, "bytes=1000-", "bytes=6000-", None]
    assert (tmp_path / "inner" / "large.bin").read_bytes() == CONTENT


def test_a_later_run_takes_up_what_an_earlier_one_left(tmp_path: Path) -> None:
    repository = Repository()
    repository.cut = [10, 10, 10, 10]
    with serving(repository) as host:
        with pytest.raises(UsageError, match="broke off; what has come is kept"):
            fetching.fetch(RELEASE, tmp_path, Progress(), host)
        assert not (tmp_path / "inner" / "large.bin").exists()
        assert (tmp_path / "inner" / "large.bin.part").read_bytes() == CONTENT[:40]
        fetching.fetch(RELEASE, tmp_path, Progress(), host)
    assert ("/owner/name/c0ffee/some%20data/large.bin", "bytes=40-") in repository.asked
    fetching.check(RELEASE, tmp_path, Progress())


def test_a_server_that_cannot_continue_sends_all_again(tmp_path: Path) -> None:
    repository = Repository()
    repository.cut, repository.ranges, repository.failures = [1000], False, 1
    with serving(repository) as host:
        fetching.fetch(RELEASE, tmp_path, Progress(), host)
    assert (tmp_path / "inner" / "large.bin").read_bytes() == CONTENT


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


def test_redirections_are_followed_at_home_only(tmp_path: Path) -> None:
    repository = Repository()
    repository.redirects = {"/owner/name/c0ffee/small.csv": "/moved.csv"}
    repository.files["/moved.csv"] = SMALL
    other = Repository()
    with serving(repository) as host, serving(other) as elsewhere:
        fetching.fetch(RELEASE, tmp_path, Progress(), host)
        (tmp_path / "small.csv").unlink()
        for address in (f"{elsewhere}/owner/name/c0ffee/small.csv", "file:///etc/hostname", "https://example.org/a"):
            repository.redirects = {"/owner/name/c0ffee/small.csv": address}
            with pytest.raises(UsageError, match=r"redirected to .*not followed"):
                fetching.fetch(RELEASE, tmp_path, Progress(), host)
    assert not other.asked
    assert not (tmp_path / "small.csv").exists()


def test_without_a_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(Repository()) as host:
        pass  # nobody listens there any more
    with pytest.raises(UsageError, match=r"127\.0\.0\.1:\d+ cannot be reached .*--from DIR"):
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


def test_a_copy_of_the_files_or_of_the_repository_will_do(tmp_path: Path) -> None:
    for name, inner in (("files", "inner/large.bin"), ("clone", "some data/large.bin")):
        source = tmp_path / name
        (source / inner).parent.mkdir(parents=True)
        (source / inner).write_bytes(CONTENT)
        (source / "small.csv").write_bytes(SMALL)
        done = fetching.copy(RELEASE, source, tmp_path / f"{name}-data", Progress())
        assert done.fetched == ("inner/large.bin", "small.csv")
        fetching.check(RELEASE, tmp_path / f"{name}-data", Progress())
    (source / "small.csv").write_bytes(b"a,b\n1,3\n")
    with pytest.raises(DataError, match=r"^small\.csv"):
        fetching.copy(RELEASE, source, tmp_path / "refused", Progress())
    assert not (tmp_path / "refused").exists()


def test_checking_names_every_file(tmp_path: Path) -> None:
    (tmp_path / "small.csv").write_bytes(b"a,b\n1,3\n")
    with pytest.raises(DataError, match=r"inner/large\.bin: expected this file\nsmall\.csv: found SHA-256"):
        fetching.check(RELEASE, tmp_path, Progress())
    with pytest.raises(UsageError, match="no folder"):
        fetching.check(RELEASE, tmp_path / "absent", Progress())


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
    fetching.check(release(study), data, Progress())
    here = {path.relative_to(data).as_posix() for path in data.rglob("*") if path.is_file()}
    assert {file.file for file in release(study).files} == here


def test_an_unknown_study_is_named() -> None:
    with pytest.raises(UsageError, match=f"the published studies are {', '.join(published_studies())}"):
        release("wang2026")
    result = CliRunner().invoke(app, ["fetch", "wang2025", "--check", "--from", "."])
    assert isinstance(result.exception, UsageError)


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


@pytest.mark.released
@needs_released("kamruzzaman2024")
def test_the_command_copies_and_checks(tmp_path: Path) -> None:
    data, out = str(released_data("kamruzzaman2024")), str(tmp_path / "data")
    copied = CliRunner().invoke(app, ["fetch", "kamruzzaman2024", "--from", data, "--out", out])
    assert copied.exit_code == 0
    assert "22 files, 11,094,155 bytes: 22 copied, 0 there already" in copied.stdout
    checked = CliRunner().invoke(app, ["fetch", "kamruzzaman2024", "--check", "--out", out, "--json"])
    assert json.loads(checked.stdout)["kept"] == 22
    (tmp_path / "data" / "dataset.csv").write_bytes(b"")
    wrong = CliRunner().invoke(app, ["fetch", "kamruzzaman2024", "--check", "--out", out])
    assert isinstance(wrong.exception, DataError)
    assert wrong.exception.exit_code == 1
    again = CliRunner().invoke(app, ["fetch", "kamruzzaman2024", "--from", data, "--out", out])
    assert "1 copied, 21 there already" in again.stdout
