"""The base class and registry of instruments; each instrument is a module or package in `tallybook.instruments`."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from inspect import getfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from tallybook.core.registry import Registry
from tallybook.study.base import Code, ColumnType, DataPath, Declaration, Delimiter

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Self

    import polars as pl

    from tallybook.core.errors import Problem
    from tallybook.instruments.simulation.scenario import Scenario
    from tallybook.study.coding import Outcome
    from tallybook.study.draft import Draft

Outputs = dict[str, ColumnType | tuple[Code, ...]]
"""Column -> its type, or its values if these are the same in every study."""

_MAY_BE_ERRORS = ("undecided", "unmatched")
"""Settings that determine whether uncoded responses are reported or are errors."""
_SENTENCE = 4
"""The mean number of words beyond which a column is of prompts."""

_WORD = r"[\p{Han}\p{Hiragana}\p{Katakana}]{1,2}|[^\s\p{Han}\p{Hiragana}\p{Katakana}]+"
"""A word, or two characters of a script without blanks."""


class ListFile(Declaration):
    """A CSV file of the data folder that lists groups, words or other stimuli."""

    file: DataPath
    """The file, relative to the data folder."""
    delimiter: Delimiter = ","
    """The delimiter of its columns."""

    @property
    def header_of(self) -> Mapping[str, str]:
        """Map column of the frame that is read -> header in the file."""
        raise NotImplementedError


class Reading(NamedTuple):
    """Responses with the columns that an instrument has added."""

    responses: pl.DataFrame  # the responses with the columns that the instrument makes, and `reading.VERDICT`
    findings: tuple[Problem, ...] = ()  # problems of the data that the study file declares as known


class Sample(NamedTuple):
    """Records of a dump, from which an instrument judges whether it can read them."""

    responses: pl.DataFrame  # the records with `file`, `key`, `status`, `text` and the columns of the dump
    texts: Sequence[str] = ()  # the columns of texts
    free: Sequence[str] = ()  # text columns other than the response, the prompt and identifiers
    # role of instruments -> its column; includes `text` if the user named the column of texts
    named: Mapping[str, str] = {}
    numbers: Sequence[str] = ()  # the columns of numbers
    is_lines: bool = False  # whether the files are plain text, a record a line
    is_table: bool = False  # whether there is a single file, in which records can be looked up
    languages: Sequence[str] = ()  # the languages of the texts, where they are not English alone
    text: str = ""  # the column of the dump that holds the texts

    @property
    def prompts(self) -> list[str]:
        """The columns of texts that are no factors: prompts, and what identifies them."""
        return [name for name in self.texts if name not in {"text", self.text, *self.free}]

    @property
    def prompt(self) -> str | None:
        """The column of prompts: that of the longest texts, if they are sentences."""
        words = {name: self.responses.get_column(name).str.count_matches(_WORD).mean() for name in self.prompts}
        longest = max(words, key=lambda name: words[name] or 0, default=None)  # pyright: ignore[reportArgumentType,reportCallIssue]  means of counts
        return longest if longest is not None and (words[longest] or 0) > _SENTENCE else None  # pyright: ignore[reportOperatorIssue]  a mean

    @property
    def options(self) -> list[str]:
        """The options that the user named, as columns or as texts."""
        return [name for name in map(str.strip, self.named.get("options", "").split(",")) if name]

    @property
    def spoken(self) -> dict[str, Any]:
        """The instrument's setting `languages`; empty where the texts are in English alone."""
        return {"languages": list(self.languages)} if self.languages else {}


class Proposal(NamedTuple):
    """A proposed instrument, and how much of a sample it can read."""

    kind: str  # the instrument
    share: float  # the share of the sample's texts that it reads; 1 where there is nothing to read
    # order among proposals: the more distinctive a form, the earlier; few distinct answers could be any instrument's
    rank: int = 0
    # adds the instrument's settings and outcomes to a draft; None if columns hold the answers
    draft: Callable[[Draft], None] | None = None
    columns: Collection[str] = ()  # the columns that it reads beside the text
    varies: bool = True  # whether the answers that it reads differ
    is_asked: bool = False  # whether prompts ask for what it reads, so that fewer texts that are read are enough
    said: tuple[str, ...] = ()  # which instruments could not be tried, and why
    settings: Mapping[str, Any] = {}  # settings of the instrument beside those that `draft` adds
    # name that a study allows -> the column of the dump for which instruments were tried under it
    originals: Mapping[str, str] = {}


class Instrument(Declaration):
    """A reader of texts; a subclass is named by the literal type of its `kind`."""

    is_row_by_row: ClassVar[bool] = True
    """Whether it codes each response on its own. Others may learn from all responses of a file what words they know,
    and a file that they read is one part, however large it is."""
    reads_text: ClassVar[bool] = True
    """Whether it reads texts; others read numbers in columns, and are tried first."""
    has_own_columns: ClassVar[bool] = False
    """Whether its output columns and their values are declared by each study."""
    required: ClassVar[tuple[str, ...]] = ()
    """The settings of stimuli, without which there is no instrument; the columns of others can be left out."""
    roles: ClassVar[tuple[str, ...]] = ()
    """The columns that the user of `init` must name, unless they have these names."""
    undetected: ClassVar[str] = "the texts do not look like its answers"
    """The message of `init` if the instrument is asked for and `detect` proposes nothing."""

    outputs: ClassVar[Outputs] = {}
    """The columns that it makes in every study."""

    @property
    def reads(self) -> dict[str, str]:
        """Map setting -> the column of the responses that it names."""
        return {} if (column := getattr(self, "column", None)) is None else {"column": column}

    @property
    def texts(self) -> list[str]:
        """The text columns that the instrument reads; a response in which all are blank is `empty`."""
        named = ("column", "decision.column")
        found = [one for name, one in self.reads.items() if name in named or name.endswith(".text") or one == "text"]
        return found if self.reads_text else []

    @property
    def makes(self) -> dict[str, ColumnType]:
        """The columns that the instrument adds, with their types."""
        return {
            name: told if isinstance(told, str) else "string" if isinstance(told[0], str) else "integer"
            for name, told in self.outputs.items()
        }

    @property
    def vocabulary(self) -> Mapping[str, tuple[Code, ...]]:
        """The columns that the instrument adds whose values are the same in every study, with these values."""
        return {name: told for name, told in self.outputs.items() if not isinstance(told, str)}

    @property
    def limits(self) -> Mapping[str, tuple[float, float | None]]:
        """The numeric columns that the instrument adds, with their smallest and largest possible values."""
        return {}

    @property
    def known_values(self) -> Mapping[str, Collection[str]]:
        """Map setting -> the values that the column it names can have."""
        return {}

    @property
    def method(self) -> str:
        """The sentence on the outcomes for the methods section; empty where their names suffice."""
        return ""

    @property
    def must_occur(self) -> Mapping[str, Collection[str]]:
        """Map setting -> values that must occur in its column, so that a misspelt value is noticed."""
        return {}

    @property
    def list_files(self) -> tuple[ListFile, ...]:
        """The list files of stimuli that the instrument reads."""
        return ()

    @property
    def unmapped_is_error(self) -> bool:
        """Whether a label that no outcome maps is an error."""
        return False

    @property
    def lenient(self) -> Self:
        """A copy of the instrument that reports uncoded responses instead of failing, as they may be coded by hand."""
        strict = [setting for setting in _MAY_BE_ERRORS if getattr(self, setting, None) == "error"]
        return self.model_copy(update=dict.fromkeys(strict, "report")) if strict else self

    def code(
        self,
        responses: pl.DataFrame,
        outcomes: Mapping[str, Outcome],
        lists: Sequence[pl.DataFrame] = (),
    ) -> Reading:
        """Read responses; by default with `read` of the module `coder` in the instrument's package."""
        return self.coder.read(responses, self)

    @property
    def coder(self) -> Any:  # noqa: ANN401  modules of instruments are alike
        """The module that reads responses."""
        return _beside(type(self), "coder")

    def without(self, absent: Collection[str]) -> Self | None:
        """Return the instrument without settings whose columns are absent; None if one of them is required."""
        if any(setting.partition(".")[0] in self.required for setting in absent):
            return None
        return self.model_copy(update={setting: None for setting in absent if "." not in setting})

    @classmethod
    def detect(cls, sample: Sample) -> Iterable[Proposal]:
        """Propose declarations for `init`; by default with `proposals` of the module `detection`, if there is one."""
        return cls._proposed("proposals", sample)

    @classmethod
    def of_numbers(cls, sample: Sample) -> Iterable[Proposal]:
        """Propose declarations for dumps whose answers are in several columns; by default with `in_columns` there."""
        return cls._proposed("in_columns", sample) if cls.reads_text else cls.detect(sample)

    @classmethod
    def _proposed(cls, function: str, sample: Sample) -> Iterable[Proposal]:
        package = cls.__module__.rpartition(".")[0]
        if not package or find_spec(f"{package}.detection") is None:
            return ()
        propose = getattr(_beside(cls, "detection"), function, None)
        return () if propose is None else propose(cls, sample)

    @classmethod
    def answers(cls, records: pl.DataFrame) -> tuple[str, ...]:  # noqa: ARG003  what subclasses look at
        """List the columns of a dump that can only hold this instrument's answers; the likeliest first."""
        return ()

    @classmethod
    def scenario(cls) -> Scenario | None:
        """Return the scenario for simulated responses: `SCENARIO` of the module `simulation`, if there is one."""
        if not _usual_file(cls).is_file():
            return None
        return _beside(cls, "simulation").SCENARIO

    @classmethod
    def usual_declaration(cls) -> str:
        """Return the usual declaration of the instrument and its outcomes, from `simulation.toml` in its package."""
        return _usual_file(cls).read_text(encoding="utf-8")


def _beside(instrument: type[Instrument], module: str) -> Any:  # noqa: ANN401  modules of instruments are alike
    return import_module(f"{instrument.__module__.rpartition('.')[0]}.{module}")


def _usual_file(instrument: type[Instrument]) -> Path:
    return Path(getfile(instrument)).with_name("simulation.toml")


INSTRUMENTS = Registry("tallybook.instruments", Instrument, "kind", "instrument")
"""The available instruments: the built-in ones, and those of the entry point group `tallybook.instruments`."""
