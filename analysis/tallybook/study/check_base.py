"""The base class and registry of checks of data; each module of `validation.checks` defines one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.core.registry import Registry
from tallybook.study.base import Declaration, Identifier, Several, require_declared
from tallybook.study.sources import CodedSource
from tallybook_schemas.vocabulary import RESPONSE_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Iterable

    import polars as pl

    from tallybook.study.model import Study
    from tallybook.validation.checks.context import Context
    from tallybook.validation.model import Failure

Severity = Literal["error", "warning", "info"]
"""The severity of a failure. Errors make data invalid; warnings do with `--fail-on warning`; infos are only listed."""


class DataCheck(Declaration):
    """A check of data beyond types and levels; a subclass is named by the literal type of its `kind`."""

    severity: Severity = "error"
    """The severity of a failure."""
    where: dict[Identifier, Several] = {}
    """Column -> the value (or values) of the responses that are checked; all responses otherwise."""

    holds: ClassVar[str]
    """A sentence that is true of data that pass."""

    @property
    def files(self) -> tuple[str, ...]:
        """The files that the check reads besides the responses; by default the one that the setting `file` names."""
        file: str | None = getattr(self, "file", None)
        return () if file is None else (file,)

    def named(self, study: Study) -> dict[str, Iterable[str]]:
        """Map each setting that names columns to these columns; by default `columns`, `by` and `on`."""
        return {setting: getattr(self, setting) for setting in ("columns", "by", "on") if hasattr(self, setting)}

    def failures_in(self, context: Context) -> Iterable[Failure | pl.DataFrame]:
        """Find the responses that fail the check, as failures or frames of them."""
        raise NotImplementedError

    def check(self, study: Study, place: str) -> None:
        """Raise a ValueError for a column that no source, factor, instrument or outcome provides."""
        made = [name for source in study.sources if not isinstance(source, CodedSource) for name in source.made]
        makes = [name for instrument in study.all_instruments for name in instrument.makes]
        known = dict.fromkeys([*RESPONSE_COLUMNS, *study.factors, *study.outcomes, *made, *makes])
        require_declared(self.where, known, f"{place}.where", "column")
        for setting, names in self.named(study).items():
            require_declared(names, known, f"{place}.{setting}", "column")

    def columns_read(self, study: Study) -> list[str]:
        """List the columns of the responses that the check needs."""
        named = (name for names in self.named(study).values() for name in names)
        return list(dict.fromkeys([*self.where, *named]))


CHECKS = Registry("tallybook.validation.checks", DataCheck, "kind", "check", group="tallybook.checks")
"""The available checks: the built-in ones, and those of the entry point group `tallybook.checks`."""
