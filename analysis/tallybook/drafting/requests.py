"""Failed requests in a dump: columns that say which failed, and texts that are messages instead of answers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook.drafting.header_words import NAMES
from tallybook.sources.failed_requests import is_message
from tallybook.study.names import without_accents
from tallybook_schemas.vocabulary import DELIVERED_STATUSES

if TYPE_CHECKING:
    from collections.abc import Collection

    from tallybook.drafting.columns import Column
    from tallybook.drafting.survey import Survey
    from tallybook.study.draft import Draft

_ENDED = {
    "ok": "success succeeded successful okay done complete completed finished passed erfolg erfolgreich fertig succes "
    "reussi termine exito exitoso correcto completado successo riuscito completato sucesso concluido 成功 完成",
    "error": "failed failure fail err errored exception timeout timed_out rate_limited rate_limit rejected aborted "
    "fehler fehlgeschlagen gescheitert abgebrochen erreur echec echoue fallido fallo fracaso errore fallito erro falha "
    "falhou 失败 错误 超时",
    "filtered": "blocked content_filter content_filtered safety moderated",
    "canceled": "cancelled",
    "refused": "refusal declined",
    "truncated": "length max_tokens",
}
_WORDS = dict(zip(DELIVERED_STATUSES, DELIVERED_STATUSES, strict=True)) | {
    word: status for status, words in _ENDED.items() for word in words.split()
}
"""Words for how a request ended -> the status."""
_SUCCEEDED = re.compile(
    r"(^|_)(success|successful|succeeded|ok|valid|complete|completed|erfolg|erfolgreich|exito|succes)$"
)
_FAILED = re.compile(r"(^|_)(errors?|failed|failure|exceptions?|timed_out|timeout|fehler|erreur|erro|errore)$")
_ERRORS = re.compile(
    r"(^|_)(errors?|exceptions?|failure|fehler|fehlermeldung|erreurs?|erro|errores|errore)(_(message|msg|text|type|code|detail|details))?$"
)
"""The names of columns that say whether a request succeeded, whether it failed, and with which error."""
_DECLINED = re.compile(r"(^|_)refusal(_(message|text))?$")
"""The names of columns of models' refusals, which APIs give beside empty contents."""
_YES, _NO = {"true", "yes", "1", "y"}, {"false", "no", "0", "n"}
_NONE = ("none", "null", "nan", "false", "0", "-", "n/a", "no")
"""Values of columns of errors where there was none."""
_MOST_STATUSES = 12
_MOST_WRONG = 0.1
"""The largest share of failed requests that may have an answer."""


def status_of(survey: Survey, text: str | None, taken: Collection[str | None]) -> str | None:
    """Return the column that says which requests failed: where it says so, there is no answer."""
    for column in survey.columns if text else ():
        rule = None if column.name in taken else _rule(column, column.name)
        if rule is None:
            continue
        without = (pl.col(text or "").fill_null("").str.strip_chars() == "") | is_message(pl.col(text or ""))
        failed = _failed(column, rule)
        found = survey.records.select(failed.sum(), (failed & ~without).sum().alias("answered"))
        failures, answered = found.collect(engine="streaming").row(0)
        if failures and answered <= _MOST_WRONG * failures:
            return column.name
    return None


def add_status(made: Draft, survey: Survey, column: str) -> None:
    """Derive the status from a column in whose words requests succeeded or failed."""
    known = survey.by_name[column]
    if {*known.values} <= {*DELIVERED_STATUSES} or (rule := _rule(known, made.take(column))) is None:
        made.take(column, "status")
        return
    made.derive["status"] = rule
    failures = survey.records.select(_failed(known, rule).sum()).collect(engine="streaming").item()
    if failures and "cases" in rule and rule["cases"][0]["value"] == "refused":
        said = f"{printable(column)} holds {counted(failures, 'refusal')}"
        made.doubts.append(f"{said}: without an answer they have the status `refused`. See `derive.status`.")
    elif failures:
        made.doubts.append(
            f"{printable(column)} says that {counted(failures, 'request')} failed: without an answer they have the "
            "status `error` and are in no denominator. See `derive.status`."
        )


def _failed(column: Column, rule: dict[str, Any]) -> pl.Expr:
    """Return whether a column says that a request failed."""
    value = pl.col(column.name).fill_null("")
    if "map" in rule:
        return value.is_in([one for one, status in rule["map"].items() if status == "error"])
    return ~value.str.strip_chars().str.to_lowercase().is_in(["", *_NONE])


def add_failed_texts(made: Draft, survey: Survey, text: str | None) -> None:
    """Give texts that are messages of failed requests the status `error`, if there are any."""
    if text is None or text not in survey.by_name:
        return
    found = survey.records.select(text).filter(is_message(pl.col(text))).collect(engine="streaming").to_series()
    if found.len():
        made.source["failed_texts"] = "error"
        what = (
            "text is the message of a failed request" if found.len() == 1 else "texts are messages of failed requests"
        )
        made.doubts.append(
            f"{found.len():,} {what} ({printable(found[0], 60)}), with the status `error` and in no denominator. See "
            "`failed_texts`."
        )


def _rule(column: Column, source: str) -> dict[str, Any] | None:
    """Return how the status follows from a column's values, if they say how requests ended."""
    values = [*column.values]
    statuses: dict[str, str | None] = {}
    if 0 < len(values) <= _MOST_STATUSES:
        said = {value: without_accents(value.strip().lower()).replace(" ", "_") for value in values}
        if all(re.fullmatch(r"[1-5]\d\d", value) for value in values):
            statuses = {value: "ok" if value.startswith("2") else "error" for value in values}
        elif {*said.values()} <= _YES | _NO and _SUCCEEDED.search(column.header):
            statuses = {value: "ok" if one in _YES else "error" for value, one in said.items()}
        elif {*said.values()} <= _YES | _NO and {*column.called} & {*NAMES["status"]}:
            statuses = {value: "refused" if one in _YES else "ok" for value, one in said.items()}
        elif {*said.values()} <= _YES | _NO and _FAILED.search(column.header):
            statuses = {value: "error" if one in _YES else "ok" for value, one in said.items()}
        else:
            statuses = {value: _WORDS.get(one) for value, one in said.items()}
    if statuses and None not in statuses.values():
        return {"from": source, "map": statuses, **({"missing": "ok"} if column.missing else {})}
    none = [value for value in values if value.strip().lower() in _NONE]
    is_declined = column.kind == "text" and _DECLINED.search(column.header) is not None
    if not (is_declined or _ERRORS.search(column.header)) or not (column.missing or none):
        return None
    case: dict[str, Any] = {
        "value": "refused" if is_declined else "error",
        "contains": {source: r"\S"},
        "lacks": {"text": r"\S"},
    }
    case |= {"is_not": {source: none}} if none else {}
    return {"otherwise": "ok", "cases": [case]}
