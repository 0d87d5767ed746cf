"""Forms of paths and keys."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import UsageError
from tallybook.sources.patterns import Pattern


@pytest.mark.parametrize(
    ("form", "text", "parts"),
    [
        ("{prompt:int}_{sample:int}", "12_4", {"prompt": 12, "sample": 4}),
        ("{prompt:int}_{sample:int}", "007_0", {"prompt": 7, "sample": 0}),
        ("{model}/{group}.json", "gpt 4/male.json", {"model": "gpt 4", "group": "male"}),
        ("{model}/{group}.json", "a/b.json.json", {"model": "a", "group": "b.json"}),
        ("run-{model}(1).json", "run-x(1).json", {"model": "x"}),
        ("plain.json", "plain.json", {}),
    ],
)
def test_parts_of_a_text(form: str, text: str, parts: dict[str, str | int]) -> None:
    assert Pattern.parse(form).match(text) == parts


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("{prompt:int}_{sample:int}", "12-4"),
        ("{prompt:int}_{sample:int}", "12_4_1"),
        ("{prompt:int}_{sample:int}", "12_"),
        ("{prompt:int}_{sample:int}", " 12_4"),
        ("{prompt:int}_{sample:int}", "12_4\n"),
        ("{prompt:int}_{sample:int}", "-1_4"),
        ("{prompt:int}_{sample:int}", "1.0_4"),
        ("{prompt:int}_{sample:int}", "١_٢"),
        ("{prompt:int}_{sample:int}", f"{10**18}_0"),
        ("{prompt:int}_{sample:int}", "9" * 5000 + "_0"),
        ("{model}/{group}.json", "a/b/c.json"),
        ("{model}/{group}.json", "a/bxjson"),
        ("{model}/{group}.json", "/b.json"),
    ],
)
def test_texts_of_another_form(form: str, text: str) -> None:
    assert Pattern.parse(form).match(text) is None


@pytest.mark.parametrize(
    "form", ["{a}_{a}", "{a", "a}", "{}", "{a:float}", "{1a}", "{a b}", "{{a}}", "{a:int}{a}", "{größe}"]
)
def test_what_is_no_form(form: str) -> None:
    with pytest.raises(UsageError, match="is not a pattern of paths or keys: each part once") as error:
        Pattern.parse(form)
    assert repr(form) in str(error.value)
    assert error.value.exit_code == 2


def test_names_and_whole_numbers() -> None:
    pattern = Pattern.parse("{model}/{wave:int}/{group}.json")
    assert pattern.names == ("model", "wave", "group")
    assert pattern.integers == {"wave"}


@given(prompt=st.integers(0, 10**18 - 1), sample=st.integers(0, 10**18 - 1))
def test_whole_numbers_come_back(prompt: int, sample: int) -> None:
    assert Pattern.parse("{prompt:int}_{sample:int}").match(f"{prompt}_{sample}") == {
        "prompt": prompt,
        "sample": sample,
    }


@given(st.text(alphabet=st.characters(exclude_characters="/{}", exclude_categories=["Cs"]), min_size=1))
def test_any_name_without_slash_is_captured(name: str) -> None:
    assert Pattern.parse("x/{name}.json").match(f"x/{name}.json") == {"name": name}
