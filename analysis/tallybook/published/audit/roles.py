"""The roles of columns of printed tables: the statistic that a header names."""

from __future__ import annotations

import re
import unicodedata

from tallybook.core.errors import UsageError

ROLES = {
    "n": "number of responses",
    "n1": "size of the first group",
    "n2": "size of the second group",
    "count": "number of responses of a category",
    "percent": "share in percent",
    "proportion": "share between 0 and 1",
    "mean": "mean",
    "sd": "standard deviation",
    "se": "standard error",
    "estimate": "coefficient, difference or slope",
    "odds_ratio": "odds ratio",
    "ci_low": "lower limit",
    "ci_high": "upper limit",
    "t": "t statistic",
    "f": "F statistic",
    "chi2": "chi-squared statistic",
    "z": "z statistic",
    "r": "correlation",
    "df": "degrees of freedom",
    "df2": "degrees of freedom of the denominator",
    "p": "p value",
    "d": "Cohen's d or Hedges' g",
    "name": "the role of a row's number, given in a column",
    "value": "the numbers of such a table",
    "label": "a label",
    "ignore": "not checked",
}
"""Role -> the content of a column of that role."""

CI = ("ci_low", "ci_high")

_OF_CI = r"(?:\d\d ?%? ?)?(?:ci|confidence interval)? ?"
_HEADERS = {
    "n": "n|nobs|no|number|obs|observations|sample ?size|responses|trials|total n|n total|denominator",
    "n1": "n ?1|n ?a",
    "n2": "n ?2|n ?b",
    "count": "count|counts|k|freq|frequency|successes|hits|events|numerator",
    "percent": r"%|percent|percentage|pct|percents|(?:share|rate|proportion|accuracy|refusals?) ?(?:in )?%",
    "proportion": "proportion|prop|share|rate|fraction",
    "mean": "m|mean|means|average|avg|mean (?:score|rating|value)|average (?:score|rating)",
    "sd": "sd|s\\.? ?d|std|stdev|stddev|std ?dev(?:iation)?|standard ?dev(?:iation)?|sigma|σ",
    "se": "se|s\\.? ?e|sem|stderr|std ?err(?:or)?|standard ?err(?:or)?",
    "estimate": r"b|β|beta|coef|coefficients?|coeff|estimate|est|(?:mean )?diff(?:erence)?|slope|log ?odds|logit|δ|Δ",
    "odds_ratio": r"or|odds ?ratio|exp ?b|exp ?β|exp ?coef|exp ?estimate|exp ?beta",
    "ci": r"(?:\d\d ?%? ?)?(?:ci|confidence interval|conf int|interval|cis)(?: (?:for|of) .{1,20})?",
    "ci_low": rf"{_OF_CI}(?:low|lower|ll|lo|lower (?:limit|bound|ci)|lcl|2 ?5 ?%)|\[? ?0 025",
    "ci_high": rf"{_OF_CI}(?:high|upper|ul|hi|upper (?:limit|bound|ci)|ucl|97 ?5 ?%)|0 975 ?\]?",
    "t": r"t|t ?(?:value|stat|statistic|ratio|test)",
    "f": r"f|f ?(?:value|stat|statistic|ratio|test)",
    "chi2": r"(?:χ|x|chi|wald χ)[ ^-]?2|χ²|chi ?sq(?:uare[ds]?)?|chi ?squared? (?:value|statistic)",
    "z": r"z|z ?(?:value|score|stat|statistic)|p ?> ?z",
    "r": r"r|pearson(?:'?s)?(?: r)?|correlation|corr",
    "df": r"df|d f|ddof|degrees? of freedom|df ?1|dfn",
    "df2": r"df ?2|dfd|df ?(?:error|residual|denominator)",
    "p": r"p|p ?val(?:ue)?|p ?values?|sig|significance|pr ?>? ?\|?[tz]\|?|p ?>? ?\|[tz]\|",
    "d": r"d|cohen'?s? ?d|hedges'?s? ?g|g|effect size d",
    "name": "quantity|statistic|measure|metric|stat",
    "value": "printed|value|text",
}
_SIMPLE = str.maketrans("−’", "-'")
_PATTERNS = {role: re.compile(pattern) for role, pattern in _HEADERS.items()}
SIZE = re.compile(r"[(\[]\s*[nN]\s*=\s*(?P<n>\d[\d,]*)\s*[)\]]|[,;]?\s*\bN\s*=\s*(?P<last>\d[\d,]*)\W?$")
"""A number of responses within a header or a label: `Women (n = 40)`."""
BESIDE = {"sd": ("mean", "sd"), "se": ("estimate", "se"), "ci": ("estimate", *CI), "percent": ("count", "percent")}
"""The role of the number in parentheses -> the roles of both, if a header names only the quantity measured."""
_PARTS = re.compile(r"^(?P<first>[^(\[]+?)\s*[(\[](?P<second>[^)\]]+)[)\]]$")


def of_header(header: str) -> tuple[str, ...]:
    """Return the roles that a header implies: one, several for cells such as `3.4 (1.2)`, or none."""
    header = SIZE.sub("", header).strip()
    return _statistics(header) or _of_a_topic(header)


def _statistics(header: str) -> tuple[str, ...]:
    own = _role(header)
    if own:
        return CI if own == "ci" else (own,)
    parts = _PARTS.match(header) or re.match(r"^(?P<first>[^±,]+?)\s*(?:±|,)\s*(?P<second>[^±,]+)$", header)
    if parts is None:
        return ()
    first, second = _role(parts["first"]), _role(parts["second"])
    if not first:
        return ()
    if not second:
        return (first,) if first not in {"name", "value"} else ()
    return (first, *(CI if second == "ci" else (second,)))


def _of_a_topic(header: str) -> tuple[str, ...]:
    """Return the roles of a header that also names the quantity: `Rating, M (SD)`, `Hired n (%)`, `Model 1 (SE)`."""
    parts = _PARTS.match(header)
    if parts is None:
        return ()
    words, inner = re.split(r"[\s,:]+", parts["first"]), f"({parts['second']})"
    named = (_statistics(f"{' '.join(words[-count:])} {inner}") for count in (2, 1) if count < len(words))
    roles = next((roles for roles in named if len(roles) > 1), ())
    if roles:
        return ("count", *roles[1:]) if roles[0] == "n" else roles
    return BESIDE.get(_role(parts["second"]), ())


def _role(header: str) -> str:
    text = unicodedata.normalize("NFKC", header).strip().casefold().translate(_SIMPLE)
    text = re.sub(r"[\s_.*()\\$-]+", " ", text.replace("%", " % ").replace("²", "2")).strip()
    text = re.sub(r"\s+%", " %", text).removesuffix(" =")
    return next((role for role, pattern in _PATTERNS.items() if pattern.fullmatch(text)), "")


def declared(settings: list[str]) -> dict[str, str]:
    """Parse `role=column` settings to a mapping from column to role."""
    roles: dict[str, str] = {}
    for setting in settings:
        role, _, column = setting.partition("=")
        if role not in ROLES or not column:
            raise UsageError(f"--set {setting}: expected ROLE=COLUMN, where ROLE is one of {', '.join(ROLES)}")
        roles[column] = role
    return roles
