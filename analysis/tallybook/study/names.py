"""Derivation of names for a study file from a dump's columns and answers."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import chain, count
from typing import TYPE_CHECKING

from tallybook_schemas.columns import Estimates, Responses, Tallies
from tallybook_schemas.vocabulary import INVALID, REFUSAL, WORKING_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

RESERVED = {column for frame in (Responses, Tallies, Estimates) for column in frame.columns} | WORKING_COLUMNS
"""Columns of frames other than factors and outcomes."""
_OWN = {"model", "item", "sample", "text", "status", "count", "file", "key", "measure", REFUSAL, INVALID}
"""Names with a special meaning, as columns, parts of tables or categories."""
_WORDS = re.compile(r"[A-Za-z0-9]+")


def plain(name: str) -> str:
    """Turn a column's name into plain words: the part after the last dot, in lower case, joined by underscores.

    >>> [plain(name) for name in ("Model Name", "metadata.targetGender", "vars.race")]
    ['model_name', 'target_gender', 'race']
    """
    last = name.rpartition(".")[2] or name
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", last)
    return re.sub(r"\W+", "_", words).strip("_").lower()


def without_accents(text: str) -> str:
    """Remove the accents of letters.

    >>> without_accents("Größe"), without_accents("réponse"), without_accents("回答")
    ('Grosse', 'reponse', '回答')
    """
    apart = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return "".join(character for character in apart if not unicodedata.combining(character))


@cache
def header_name(name: str) -> str:
    """Return a column's plain name without accents, for comparison with `tallybook.drafting.header_words`."""
    return plain(without_accents(name))


def title(name: str) -> str:
    """Format a name for display: `target_gender` as "Target gender"."""
    words = plain(name).replace("_", " ").strip()
    return words[:1].upper() + words[1:] or name


def identifier(text: str) -> str:
    """Turn a text into an identifier: its words in lower case, joined by underscores."""
    words = "_".join(_WORDS.findall(without_accents(text.lower()))) or "value"
    return words if words[0].isalpha() else f"value_{words}"


def unique_labels(names: Mapping[str, str]) -> dict[str, str]:
    """Make the displayed names of categories unique, and different from those of refusal and invalid.

    >>> unique_labels({"yes": "Yes", "yes_2": "Yes", "refusal_2": "Refusal"})
    {'yes': 'Yes', 'yes_2': 'Yes (yes_2)', 'refusal_2': 'Refusal (refusal_2)'}
    """
    taken = {REFUSAL.capitalize(), INVALID.capitalize()}
    told: dict[str, str] = {}
    for category, name in names.items():
        told[category] = f"{name} ({category})" if name in {*taken, *told.values()} else name
    return told


def free_name(wanted: str, taken: Collection[str]) -> str:
    """Return an identifier for `wanted` that is neither taken nor reserved."""
    return first_free(identifier(wanted), taken, _OWN, RESERVED)


def free_names(texts: Iterable[str]) -> dict[str, str]:
    """Map an identifier of its own to each text.

    >>> free_names(["Not sure", "not sure!", "聪明"])
    {'not_sure': 'Not sure', 'not_sure_2': 'not sure!', 'value_2': '聪明'}
    """
    names: dict[str, str] = {}
    for text in texts:
        names[free_name(text, names)] = text
    return names


def first_free(name: str, *taken: Collection[str]) -> str:
    """Return `name`, or `name` with the first number that is in none of the collections of names that are taken."""
    forms = chain([name], (f"{name}_{number}" for number in count(2)))
    return next(one for one in forms if not any(one in names for names in taken))
