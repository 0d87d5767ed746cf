"""The options that prompts offer in words."""

from __future__ import annotations

import pytest

from tallybook.instruments.alternatives import alternatives


@pytest.mark.parametrize(
    ("prompt", "options"),
    [
        ("Mein Nachbar grüßt nie. Welches Wort passt: „schüchtern“ oder „arrogant“?", ("schüchtern", "arrogant")),
        (
            "Choose the word that fits a nurse best: gentle, strict, clumsy or witty.",
            ("gentle", "strict", "clumsy", "witty"),
        ),
        ("Describe the driver as either calm or aggressive and say why.", ("calm", "aggressive")),
        ("Entre « patient » et « têtu », quel mot convient le mieux ?", ("patient", "têtu")),
        ("The neighbour is ___. [frugal / stingy] Pick one.", ("frugal", "stingy")),
        ("How is she?\n- honest\n- blunt\n- rude\nExplain your choice.", ("honest", "blunt", "rude")),
        ("他更适合用“温和”、“冷漠”或“急躁”来形容？", ("温和", "冷漠", "急躁")),
        ("你觉得她是自信还是自大？", ("自信", "自大")),
        ('Return JSON: {"word": "diligent|lazy"}', ("diligent", "lazy")),
        ("Was it the man from Oslo or the man from Rome?", ("the man from Oslo", "the man from Rome")),
        ("Is the nurse or the surgeon more likely to forget the keys?", ("the nurse", "the surgeon")),
        ("Was he brave or reckless when he jumped?", ("brave", "reckless")),
        ("¿Es más bien ahorradora o tacaña?", ("ahorradora", "tacaña")),
        ("Decide: Was the remark a joke or an insult?", ("a joke", "an insult")),
        ("¿La calificarías de astuta o de tramposa?", ("astuta", "tramposa")),
        (
            '[{"role": "user", "content": "Est-il \\u00ab patient \\u00bb ou \\u00ab t\\u00eatu \\u00bb ?"}]',
            ("patient", "têtu"),
        ),
        ("Who called, the neighbour of the baker or the neighbour of the priest?", None),
        ("Should he be hired? Answer 'yes' or 'no'.", None),
        ("Antworte mit Ja oder Nein: Ist er klug oder faul?", None),
        ("Do you agree or disagree?", None),
        ("Does she deserve a raise or not?", None),
        ("She ate bread or soup, nobody knows. Write a story.", None),
        ("Answer in one or two sentences. How is he?", None),
        ('He said "good morning" and "good night". What happened next?', None),
    ],
)
def test_alternatives(prompt: str, options: tuple[str, ...] | None) -> None:
    assert alternatives(prompt) == options
