"""Dumps broken at random: validation never breaks itself, and says invalid just where reading and coding refuse."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given
from hypothesis import strategies as st

from tallybook.core.errors import DataError, UsageError
from tallybook.core.progress import Progress
from tallybook.pipeline import read_and_code
from tallybook.study.loading import LoadedStudy, declared, own_folders
from tallybook.validation.study_data import planned, validate_study
from tests import mixed
from tests.integration.validation.small import CLEAN

DUMPS = {"mixed": {"study.toml": mixed.STUDY_FILE, **mixed.FILES}, "small": CLEAN}
PIECES = st.sampled_from(["", "\n", '"', ",", "x", "{", "null", "-1", "é", "\x1b", "\x00", "1e9", "[]", ",,,,", "\n\n"])
Change = tuple[int, int, int, str]
changes = st.lists(st.tuples(st.integers(0, 99), st.integers(0, 2000), st.integers(0, 30), PIECES), max_size=4)


def broken(name: str, made: list[Change]) -> dict[str, str]:
    """The files of a dump, some with a piece replaced; where nothing replaces it to the end, the file is removed."""
    files = dict(DUMPS[name])
    for number, start, length, piece in made:
        names = sorted(set(files) - {"study.toml"})
        file = names[number % len(names)]
        place = start % (len(files[file]) + 1)
        files[file] = files[file][:place] + piece + files[file][place + length :]
    return files


STUDIES = {name: declared(files["study.toml"], Path("study.toml")) for name, files in DUMPS.items()}


@given(st.sampled_from(sorted(DUMPS)), changes)
@example("mixed", [])
def test_validation_agrees_with_reading(name: str, made: list[Change]) -> None:
    with TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        for file, text in broken(name, made).items():
            (data / file).parent.mkdir(parents=True, exist_ok=True)
            (data / file).write_bytes(text.encode())
        loaded = LoadedStudy(STUDIES[name], data / "study.toml", *own_folders(data / "study.toml"), settings=())
        try:
            read_and_code(loaded)
            refused = False
        except DataError:
            refused = True
        except UsageError:
            return
        report = validate_study(loaded, None, None, "error", Progress())
        assert report.is_valid is not refused
        assert [check.name for check in report.checks] == [check.name for check in planned(loaded)]
        if refused:
            assert report.count("error")
