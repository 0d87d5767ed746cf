"""Independent texts, and that nothing is read wrongly; `tests/docs/test_parsers_page.py` measures how much is read."""

from __future__ import annotations

from tests.unit.instruments import independent_texts, parser_accuracy


def test_independent_texts_are_many_and_different() -> None:
    associations = [text for text, _ in independent_texts.ASSOCIATIONS]
    decisions = [text for text, _ in independent_texts.DECISIONS]
    choices = [text for text, _ in independent_texts.CHOICES]
    assert len(set(choices)) == len(choices) == 60
    assert len(set(associations)) == len(associations) == 60
    assert len(set(decisions)) == len(decisions) == 60
    assert all(len(signs) == 8 for _, signs in independent_texts.ASSOCIATIONS)


def test_what_is_not_decided_is_left_open() -> None:
    """Nothing is decided otherwise than a reader decides it."""
    assert parser_accuracy.independent_decisions().wrong == 0
    assert parser_accuracy.own_decisions().wrong == 0
    assert parser_accuracy.independent_choices().wrong == 0
    assert parser_accuracy.own_choices().wrong == 0
    assert parser_accuracy.own_refusals().wrong == 0
