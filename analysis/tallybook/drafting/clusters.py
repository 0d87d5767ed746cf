"""The clusters of a drafted study, guessed from the units that its responses share, and its checks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.drafting.columns import FILE, KEY
from tallybook.drafting.header_words import NAMES
from tallybook.study.draft import Evidence
from tallybook.study.names import free_name, header_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tallybook.drafting.columns import Column
    from tallybook.drafting.roles import Roles
    from tallybook.drafting.survey import Survey
    from tallybook.study.draft import Draft, Settings

FEWEST = 5
"""The least number of values of a cluster column: fewer clusters leave too few degrees of freedom."""
_USELESS = 3
"""The number of clusters within a level up to which another unit is better, if there is one."""
_UNEVEN = 2
"""The ratio of largest to smallest cluster above which sizes cost degrees of freedom (docs/coverage.md)."""
_WORDS = (
    {*NAMES["item"], *NAMES["prompt"]}
    | {"template", "name", "scenario", "vignette", "story", "stimulus", "statement", "topic", "paraphrase", "variant"}
    | {"ad", "advert", "advertisement", "posting", "vacancy", "listing"}
    | {"stellenanzeige", "anzeige", "annonce", "anuncio"}
    | {"vorlage", "vorname", "szenario", "aussage", "modele_de_phrase", "prenom", "nom", "scenario", "enonce"}
    | {"plantilla", "nombre", "escenario", "enunciado", "modello_di_frase", "nome", "scenario", "affermazione"}
) - {"id", "nr", "no", "number", "idx", "index", "uid", "context"}
"""Words in the names of columns that are varied to repeat a question, not to compare answers to it."""
_COMPARED = re.compile(
    r"(^|_)(race|ethnicity|ethnic|gender|sex|sexuality|orientation|religion|faith|belief|nationality|country|origin|age"
    r"|disability|identity|group|groups|dialect|accent|language|lang|pronouns?|demographic|party|ideology|class|personas?"
    r"|roles?|rollen?)(_|$)"
)
"""Words in the names of columns whose values are compared, rather than used to repeat a question."""
_FIXED = re.compile(
    r"(^|_)(traits?|dimensions?|facets?|constructs?|subscales?|aspects?|attributes?|criteri(on|a|um|o)"
    r"|eigenschaft|merkmal|aspekt|rasgo|aspecto|tratto|traco|aspetto|critere|caracteristi(ca|que)|特质|维度)(_|$)"
)
"""Words in the names of columns of the items of a scale, which are the same in every study."""
_MOST_FIXED = 12
"""The most items of a scale."""
_MANY = 5
"""The number of items per combination of factor levels from which items count as the repeated units."""
_NUMBER = re.compile(r"_(id|nr|no|number|index|idx)$")
_PERSONS = re.compile(
    r"(^|_)(respondents?|participants?|subjects?|persons?|personas?|agents?|characters?|candidates?|applicants?|individuals?"
    r"|speakers?|users?|patients?|profiles?|names?|befragter?|teilnehmer|probanden?|participante|encuestado|partecipante)"
    r"(_(id|nr|no|number|code))?$"
)
"""The names of columns of persons who answer, or are asked about, several times."""
_RECORD = re.compile(r"(^|_)(id|key|code|uuid|uid)$")
RUN = "(?:rep|repetition|run|sample|trial|iter|iteration|try|attempt|seed|epoch|v|r|s|t)"
_OF_RUN = rf"(?:{RUN}[-_=:]?|(?:[ikn]|idx|no|nr)[=:])"
END_OF_RUN = rf"[-_/:#. |;,&]+{_OF_RUN}?\d{{1,3}}$"
ITEM_OF, _NUMBER_OF = rf"(?s)^(.+?){END_OF_RUN}", r"(\d{1,3})$"
"""Regular expressions for the item, and for the repetition's number, in an item name that ends in such a number."""
_NAMED_RUN = re.compile(rf"[-_/:#. |;,&]{_OF_RUN}\d{{1,3}}$")
_MOST_NAMES, _MOST_TIMES, _FEW = 200_000, 50, 2
_STEM = r"(?s)^(.*)(?:\\n|\s)[ \t]*[(\[]?[Aa][)\].:]\s"
"""The part of a prompt before its last list of lettered options; line breaks may be escaped as in JSON."""
_ENOUGH = 10
"""The number of prompts from which they are clusters without the user's word."""
_TEXT, _HALF, _LONGEST = 20, 0.5, 30
DOMAIN = re.compile(r"(^|_)(category|domain|bias_type|subset|task|topic|dimension|dataset|subject|axis)$")
"""The names of columns that give the part of a test to which an item belongs."""


def answering(survey: Survey, taken: Collection[str]) -> str | None:
    """Return the column of the persons who answer the items, if their values are repeated."""
    free = [one for one in survey.columns if one.name not in taken and one.kind in {"integer", "text"}]
    likely = [one for one in free if is_person(one) and not one.missing and one.length < _LONGEST]
    if survey.unfold is not None:  # each record was one person's answers, or those to one question
        records = survey.combinations([FILE, KEY])
        likely += [one for one in free if one.distinct == records and _RECORD.search(one.header) and not one.missing]
    return next((one.name for one in likely if FEWEST <= one.distinct <= survey.rows // 2), None)


def is_person(column: Column) -> bool:
    """Return whether a column is named like one of persons, as `participant.code` is."""
    return any(map(_PERSONS.search, (column.header, *column.called)))


class _Design(NamedTuple):
    """The combinations of values that occur in some columns."""

    rows: pl.DataFrame  # one row for each combination, with its number of responses in `times`
    sizes: dict[str, int]  # column -> its number of distinct values

    def with_column(self, name: str, columns: Sequence[str]) -> _Design:
        """Add a column that combines others."""
        rows = self.rows.with_columns(pl.concat_str(columns, separator="/").alias(name))
        return _Design(rows, self.sizes | {name: rows.get_column(name).n_unique()})

    def determines(self, column: str, other: str) -> bool:
        """Return whether each value of a column occurs with only one value of another, which has fewer values."""
        own = self.rows.select(pl.struct(column, other).n_unique()).item()
        return own == self.sizes[column] > self.sizes[other]

    def crosses(self, column: str, other: str) -> bool:
        """Return whether each value of a column occurs with each value of another."""
        return self.rows.select(pl.struct(column, other).n_unique()).item() == self.sizes[column] * self.sizes[other]

    def nested(self, units: Sequence[str], split: str) -> str | None:
        """Return the first unit nested in the levels of a factor, on which comparisons of the levels then rest."""
        fitting = (unit for unit in units if unit not in (split, "item") and self.determines(unit, split))
        least = {unit: FEWEST if self.is_fixed(unit) else 2 for unit in units}
        return next((unit for unit in fitting if self.fewest_within(unit, split) >= least[unit]), None)

    def is_fixed(self, unit: str) -> bool:
        """Return whether a unit is one of the few items of a scale, rather than one of many that could be asked."""
        return self.sizes[unit] <= _MOST_FIXED and bool(_FIXED.search(header_name(unit)))

    def crossing(self, units: Sequence[str], split: str, nested: str) -> str | None:
        """Return a unit crossed with a nested one of which the levels of a factor have too few, if there is one."""
        if self.fewest_within(nested, split) > _USELESS:
            return None
        others = (unit for unit in units if unit not in {"item", split, nested} and self.crosses(unit, nested))
        return next((unit for unit in others if self.fewest_within(unit, split) >= FEWEST), None)

    def fewest_within(self, column: str, split: str) -> int:
        """Return the smallest number of distinct values of a column within one value of another column."""
        if column == split:
            return 1
        return self.rows.group_by(split).agg(pl.col(column).n_unique()).get_column(column).min()  # pyright: ignore[reportReturnType]  a number


def add_clusters(made: Draft, survey: Survey, spare: Sequence[str] = ()) -> None:
    """Declare the clusters of a draft with known identity and factors; `spare` columns may become clusters, too."""
    free = made.names_for(column for column in spare if column not in made.used)
    _choose_clusters(made, survey, free)
    chosen = {made.cluster, made.crossing, *made.clusters.values()}
    for name, column in free.items():
        if name in chosen:
            made.take(column, name)


def _choose_clusters(made: Draft, survey: Survey, spare: Mapping[str, str]) -> None:
    """Choose the clusters among the item, the factors and spare columns (name -> column)."""
    found = {name: made.path(name) for name in ("item", *made.factors) if name != "model"}
    columns = {name: path for name, path in found.items() if path is not None}
    columns |= dict(sorted(spare.items()))
    factors = [name for name in columns if name != "item"]
    if not columns:
        return
    if made.cluster is None and (numbered := _numbered(made, survey)) is not None:
        made.cluster, made.evidence = numbered[0], Evidence(numbered[1])
        return
    design = _design(survey, columns, made)
    units = _units(design, factors)
    numbers = (name for name, one in made.columns.items() if one.get("type") in {"integer", "number"})
    known = {"model", "item", *made.factors, *numbers}
    others = {name: path for name in made.key if name not in known and (path := made.path(name)) is not None}
    person = next((name for name, path in others.items() if not survey.by_name[path].counts_attempts), None)
    if person is not None:
        columns[person] = others[person]
        design, units = _design(survey, columns, made), [person, *units]
    nested = {split: found for split in factors if (found := design.nested(units, split))}
    default = next(iter(nested.values()), None)
    if default is None and made.cluster is None:  # otherwise the names of items show what is repeated
        default = next(iter(units), None)
    responses = design.rows.select(pl.col("times").sum()).item()
    default, design, nested = _asked(made, design, columns, default, nested)
    records = responses if survey.unfold is None else survey.combinations([FILE, KEY])
    is_alone = default is None or design.sizes[default] in {responses, records}
    if is_alone and made.cluster is None and _repeated_beside(made, survey, records, spare.values()):
        return
    if default is None or responses == design.sizes[default]:
        return
    # Items that each response has to itself cannot be clusters.
    alone = "item" if responses == design.sizes.get("item") else None
    made.cluster = default
    made.nested = frozenset(nested)
    others = (one for one in units if one not in ("item", default) and not _is_compared(one))
    crossing = next((one for one in others if design.crosses(one, default)), None)
    made.crossing = None if crossing is not None and design.is_fixed(crossing) else crossing
    times = design.rows.group_by(default).agg(pl.col("times").sum())
    made.evidence = evidence(times, [one for one, unit in nested.items() if unit == default])
    for split in (name for name in factors if name not in spare):
        likely = (one for one in (default, *units, "item") if one in columns and one not in {split, alone})
        chosen = nested.get(split) or next((o for o in likely if design.fewest_within(o, split) >= FEWEST), None)
        if chosen != default:
            made.clusters[split] = chosen
        if split in nested and (within := design.crossing(units, split, nested[split])) is not None:
            made.within[split] = within


def _asked(
    made: Draft, design: _Design, columns: dict[str, str], unit: str | None, nested: dict[str, str]
) -> tuple[str | None, _Design, dict[str, str]]:
    """Derive a cluster in place of a unit that is compared: what is asked about all that are, or else about each."""
    is_unit = unit is None or nested or not _is_compared(unit)
    for names in () if is_unit else ([name for name in columns if not _is_compared(name)], [*columns]):
        cells = design.rows.select(pl.struct(names).n_unique()).item() if len(names) > 1 else 0
        if FEWEST <= cells <= design.rows.get_column("times").sum() // 2 and {*names} <= made.columns.keys():
            name = free_name("question", {*made.columns, *made.factors, *made.derive})
            made.derive[name] = {"combine": "/".join(f"{{{one}}}" for one in names)}
            design, columns[name] = design.with_column(name, names), name
            return name, design, {split: name for split in names if split != "item" and design.nested([name], split)}
    return unit, design, nested


def repetitions_of(survey: Survey, item: str) -> tuple[int, int] | None:
    """Return the numbers of items and repetitions, if item names end in a repetition's number: "Anna-1", "Anna-2"."""
    if survey.by_name[item].distinct > _MOST_NAMES:
        return None
    names = survey.distinct(item)
    numbers: dict[str, set[str]] = {}
    for name in names:
        own, number = re.match(ITEM_OF, name), re.search(_NUMBER_OF, name)
        if own is None or number is None:
            return None
        numbers.setdefault(own[1], set()).add(number[1])
    times = {len(each) for each in numbers.values()}
    is_same = len({frozenset(each) for each in numbers.values()}) == 1 and sum(map(len, numbers.values())) == len(names)
    is_named = all(map(_NAMED_RUN.search, names))
    most = max(times, default=0)
    is_likely = is_named or (most <= len(numbers) and most <= _MOST_TIMES and not all(map(str.isdigit, numbers)))
    return (len(numbers), most) if is_same and is_likely and most > 1 and len(numbers) > _FEW else None


def cluster_by_question(made: Draft, survey: Survey) -> None:
    """Cluster by the question before the options in prompts, if nothing else is repeated: options may be shuffled."""
    options = made.instrument.get("options")
    path = made.columns.get(options, {}).get("path") if isinstance(options, str) else None
    if made.cluster is not None or path is None:
        return
    asked = (
        survey.records.select(pl.col(path).str.extract(_STEM, 1))
        .group_by(path)
        .len("times")
        .collect(engine="streaming")
    )
    if asked.get_column(path).has_nulls() or not FEWEST <= asked.height <= survey.rows // 2:
        return
    made.cluster = free_name("question", {*made.columns, *made.factors, *made.derive})
    made.derive[made.cluster] = {"from": options, "extract": _STEM}
    made.evidence = evidence(asked)
    made.doubts.append(
        "Prompts repeat a question with its options in another order; the question is the cluster. "
        f"See `derive.{made.cluster}`."
    )


def cluster_by_prompt(made: Draft, survey: Survey, roles: Roles) -> None:
    """Cluster by the prompt instead of the item where several items share each, as one question of several people."""
    item, prompt = made.columns.get("item", {}).get("path"), roles.prompt
    is_told = "prompt" in roles.told
    if item is None or prompt is None or item == prompt or not (is_told or survey.by_name[prompt].is_prompt):
        return
    own, items, both = (survey.combinations(names) for names in ([prompt], [item], [prompt, item]))
    is_coarser = both == items >= 2 * own and own >= FEWEST and made.cluster == "item"
    if is_told or is_coarser:
        name = made.take(prompt)
        if is_coarser and (is_told or own >= _ENOUGH):
            made.cluster, made.evidence = name, evidence(survey.times([prompt]))
            for split in made.factors.keys() - {"model", *made.clusters}:
                path = made.path(split) or prompt
                within = survey.records.group_by(path).agg(pl.col(prompt).n_unique()).collect(engine="streaming")
                made.clusters |= {split: "item"} if within.to_series(1).min() < FEWEST else {}  # pyright: ignore[reportOperatorIssue]  a number
        elif is_coarser:
            made.doubts.append(
                f'{printable(prompt)} has {own} values over {items:,} items; cluster = "{name}" is the careful choice.'
            )


def _repeated_beside(made: Draft, survey: Survey, responses: int, spare: Iterable[str]) -> bool:
    """Cluster by an unused column named like a repeated unit, where each record has an item to itself."""
    taken = {*(settings["path"] for settings in made.columns.values()), *spare}
    repeated = [
        column
        for column in survey.columns
        if column.name not in taken
        and column.kind in {"integer", "text"}
        and not column.missing
        and is_unit_name(column.name)
        and FEWEST <= column.distinct <= responses // 2
    ]
    if not repeated:
        return False
    column = min(repeated, key=lambda one: one.distinct)
    made.cluster = made.take(column.name)
    made.evidence = evidence(survey.times([column.name]))
    return True


def _numbered(made: Draft, survey: Survey) -> tuple[str, str] | None:
    """Return the column of the unit that items were made of, such as `question_index`, and the evidence for it."""
    item = made.path("item")
    models = [name for name in made.paths(["model"]) if survey.by_name[name].distinct > 1]
    free = [
        column.name
        for column in survey.columns
        if column.kind in {"integer", "text"}
        and column.name not in {item, *models}
        and not column.missing
        and _NUMBER.search(header_name(column.name))
        and is_unit_name(column.name)
        and column.distinct >= FEWEST
        # Where each number belongs to one of several models, it numbers models, not what they are asked.
        and not (models and survey.combinations([column.name, *models]) == column.distinct)
    ]
    if item is None or not free:
        return None
    best = min(free, key=lambda name: survey.by_name[name].distinct)
    answer = made.columns.get("text", {}).get("path")
    paths = {settings["path"]: name for name, settings in made.columns.items() if name in made.factors}
    domain = next(
        (path for path in paths if DOMAIN.search(header_name(path)) and is_numbered_within(survey, best, path, answer)),
        None,
    )
    by = [best] if domain is None else [domain, best]
    named = [item] if domain is None or "item" not in made.derive else [domain, item]
    units = survey.records.group_by(by).agg(pl.struct(named).n_unique().alias("times")).collect(engine="streaming")
    times = units.get_column("times")
    if (times.mean() or 0) < 2:  # noqa: PLR2004  # pyright: ignore[reportOperatorIssue]  a number
        return None
    low, high = int(times.min() or 0), int(times.max() or 0)  # pyright: ignore[reportArgumentType]  numbers
    each = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    name = made.take(best)
    if domain is not None:
        own, name = name, free_name("question", {*made.columns, *made.factors})
        made.derive[name] = {"combine": f"{{{paths[domain]}}}/{{{own}}}"}
        made.doubts.append(
            f"{printable(best)} starts again in each {printable(domain)}: a cluster is a number within one; if it were "
            f"the same question in each, there would be fewer clusters and wider intervals. See `derive.{name}`."
        )
    return name, f"{units.height:,} values with {each} items each"


def is_numbered_within(survey: Survey, number: str, domain: str, answer: str | None) -> bool:
    """Return whether numbers restart in each value of another column: a number then stands for different texts."""
    texts = [
        c for c in survey.columns if c.kind == "text" and c.name not in {number, domain, answer} and c.length >= _TEXT
    ]
    if not texts:
        return False
    longest = max(texts, key=lambda column: column.length).name
    pairs = survey.records.select(number, domain, longest).unique()
    by = pairs.group_by(number).agg(pl.col(domain).n_unique().alias("domains"))
    crossing = by.select((pl.col("domains") > 1).mean()).collect(engine="streaming").item() or 0.0
    if crossing < _HALF:
        return False
    shared = pairs.group_by(number, longest).agg(pl.col(domain).n_unique().alias("domains"))
    return (shared.select((pl.col("domains") > 1).mean()).collect(engine="streaming").item() or 0.0) < _HALF


def _design(survey: Survey, columns: dict[str, str], made: Draft) -> _Design:
    forms = {name: rule["extract"] for name, rule in made.derive.items() if "extract" in rule}
    named = [
        (pl.col(path).str.extract(forms[name], 1) if name in forms else pl.col(path)).fill_null("").alias(name)
        for name, path in columns.items()
    ]
    model = [pl.col(made.columns["model"]["path"]).alias("model")] if "model" in made.columns else []
    counted = survey.records.select(*named, *model).group_by(pl.all()).len("times").collect(engine="streaming")
    rows = counted.group_by(*columns).agg(pl.col("times").sum()).sort(*columns)
    return _Design(rows, {name: rows.get_column(name).n_unique() for name in columns})


def _units(design: _Design, factors: Sequence[str]) -> list[str]:
    """List the repeated units, the most general first: prompts, or columns of many values that prompts are made of."""
    cells = design.rows.select(pl.struct(factors).n_unique()).item() if factors else 1
    items = design.sizes.get("item", 0)
    called = [name for name in factors if design.sizes[name] >= FEWEST and is_unit_name(name)]
    is_crossed = items >= FEWEST and design.rows.height >= _MANY * cells
    if is_crossed or items >= max(FEWEST, _MANY * cells):  # each item comes in many cells, or factors divide items
        found = [*called, "item"]
    else:
        # A column that divides the values of a column named like a repeated unit is not itself a repeated unit.
        dividing = {name for name in {*factors} - {*called} if any(design.determines(one, name) for one in called)}
        found = [name for name in factors if design.sizes[name] >= FEWEST and name not in dividing]
        found += ["item"] if items >= FEWEST else []
    others = [name for name in found if name == "item" or not _is_compared(name)]
    return sorted(
        found,
        key=lambda name: (
            _is_compared(name) and name != "item",
            design.is_fixed(name),
            name == "item" and len(others) > 1,
            design.sizes[name],
        ),
    )


def _is_compared(name: str) -> bool:
    return bool(_COMPARED.search(header_name(name))) and not is_unit_name(name)


def is_unit_name(name: str) -> bool:
    """Return whether a column is named like what is varied to repeat a question."""
    own = _NUMBER.sub("", header_name(name))
    return own in _WORDS or own.removesuffix("s") in _WORDS or bool({*own.split("_")} & _WORDS)


def evidence(counted: pl.DataFrame, within: Sequence[str] = ()) -> Evidence:
    """Describe a cluster column by how often each of its values occurs, in `times`."""
    times = counted.get_column("times").to_list()
    of = f", each with one {' and one '.join(within)}" if within else ""
    return Evidence(f"{len(times):,} values with ", (min(times), max(times)), of, max(times) > _UNEVEN * min(times))


def add_checks(made: Draft, survey: Survey, roles: Roles) -> None:
    """Declare the checks of a draft whose identity and models are known."""
    if roles.text is not None:
        made.checks["encoding"] = {"kind": "encoding"}
        made.checks["requests"] = {"kind": "failed-request"}
        made.checks["secrets"] = {"kind": "secrets"}
    if (design := _complete(made, survey)) is not None:
        made.checks["design"] = design


def _complete(made: Draft, survey: Survey) -> Settings | None:
    """Return the check that every model answered each prompt equally often, or None if that is not so."""
    prompt = ["item", *(name for name in made.key if name not in {"model", "item", "sample"})]
    if any(f"{name}_given" in made.columns for name in ("model", *prompt)):  # some records lack it
        return None
    models = made.factors["model"]["levels"]
    model = made.paths(["model"]) or ([] if "model" in made.source.get("constants", {}) else [FILE])
    if model == [FILE] and len(models) != len(survey.files):  # a model has several files, not told apart
        return None
    paths = made.paths(prompt)
    sample = made.paths(["sample"])
    if not model and not paths:
        return None
    cells = survey.times([*model, *paths])
    times = cells.get_column("times").unique()
    is_whole = cells.height == _distinct(cells, model) * _distinct(cells, paths) and len(times) == 1
    values: Settings = {"model": list(models)}
    if sample:
        found = sorted(survey.distinct(sample[0]), key=lambda text: (len(text), text))
        is_whole = is_whole and len(found) == times.item()
        if found == [str(number) for number in range(len(found))]:
            values["sample"] = len(found)
    elif is_whole:
        values["sample"] = times.item()
    cross = ["model", prompt[0] if len(prompt) == 1 else prompt, "sample"]
    return {"kind": "complete", "cross": cross, "values": values} if is_whole else None


def _distinct(cells: pl.DataFrame, columns: Sequence[str]) -> int:
    return cells.select(columns).n_unique() if columns else 1
