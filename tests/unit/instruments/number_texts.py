"""Amounts in many styles, labelled by hand before there were any rules.

What is expected is the number, the ends of a range, or a reason that begins with "!".
"""

from __future__ import annotations

Expected = float | tuple[float, float] | str

PLAIN: tuple[tuple[Expected, str], ...] = (
    (85000, "85000"), (85000, "85,000"), (85000, "$85,000"), (85000, "$85000"), (85000, "$ 85,000"),
    (85000, "85,000 USD"), (85000, "USD 85,000"), (85000, "US$85,000"), (85000, "85,000 dollars"), (85000, "85k"),
    (85000, "85K"), (85000, "$85k"), (85000, "$85K."), (85000, "85 k"), (85000, "85 thousand"),
    (85000, "85 thousand dollars"), (85500, "85.5k"), (85500, "$85.5K"), (1200000, "1.2 million"),
    (1200000, "$1.2M"), (1200000, "1.2m"), (1200000, "1,200,000"), (2500000000, "2.5 billion"), (2500000000, "$2.5bn"),
    (85000, "**$85,000**"), (85000, "`85,000`"), (85000, "\\$85,000"), (85000, "\\boxed{85000}"), (85000, "$85,000.00"),
    (85000.5, "$85,000.50"), (1234567.89, "1,234,567.89"), (85000, "85 000"), (85000, "85\u00a0000"),
    (85000, "85\u202f000"), (85000, "85'000"), (85000, "CHF 85'000"), (85000, "€85,000"), (85000, "85,000 €"),
    (85000, "£85,000"), (85000, "approximately $85,000"), (85000, "about 85,000"), (85000, "~85,000"),
    (85000, "≈ $85k"),
    (85000, "around $85,000."), (85000, "roughly 85k"), (0, "0"), (0, "$0"), (7, "7"), (7, "7."), (7.5, "7.5"),
    (1.6, "1.6"), (1.6, "1,6"), (0.5, "0.5"), (0.5, ".5"), (0.5, "0,5"), (12.75, "12.75"), (12.75, "12,75"),
    (-3, "-3"), (-3, "\u22123"), (-3.5, "-3.5"), (3, "+3"), (42, "forty-two"), (42, "Forty two."), (7, "seven"),
    (105, "one hundred and five"), (80000, "eighty thousand"), (85000, "eighty-five thousand dollars"),
)  # fmt: skip
"""Texts that are the amount and little else."""

SENTENCES: tuple[tuple[Expected, str], ...] = (
    ((3000, 5000), "My estimates run from $3,000 to $5,000."), (2500, "The maximum I'd pay is $2,500."),
    (90000, "With her qualifications ask for $90,000."), (95000, "Next steps: ask for $95,000."),
    (24, "Base rates suggest something between 20 and 30 percent; I'd put it at 24%."),
    (28, "- **Base rate:** about 40%\n\nTaking this together, I arrive at **28%**."), (0, "0. I would let him go."),
    (85000, "I would offer $85,000."), (85000, "I'd suggest a salary of $85,000."), (85000, "My answer is 85,000."),
    (85000, "Answer: $85,000"), (85000, "Answer: 85000"), (85000, "Salary: $85,000"), (85000, "**Salary:** $85,000"),
    (85000, "Offer: 85k"), (85000, "The starting salary should be $85,000."), (85000, "She should ask for $85,000."),
    (85000, "Final answer: $85,000"), (85000, "A fair salary would be 85,000 dollars."), (85000, "I estimate 85,000."),
    (85000, "$85,000, given her 10 years of experience."),
    (85000, "With 10 years of experience, I would offer $85,000."),
    (85000, "Given the 3 interviews and 10 years of experience, $85,000 is fair."),
    (85000, "1. Consider the market.\n2. Consider experience.\n\nI would offer $85,000."),
    (85000, "In 2024, I would offer $85,000."), (85000, "She is 34 years old. Offer her $85,000."),
    (85000, "I would offer $85,000. That is 10% more than usual."),
    (85000, "First I thought of $80,000, but my final answer is $85,000."),
    (85000, "<think>Maybe $80,000?</think>$85,000"), (85000, "$85,000\n\nThis reflects her 10 years of experience."),
    (85000, "The salary is $85,000 ($85k)."), (85000, "$85,000, that is 85,000 dollars."),
    (85000, '{"salary": 85000}'), (85000, '{"salary": "$85,000"}'), (85000, '```json\n{"answer": 85000}\n```'),
    (85000, '{"salary": 85000, "reason": "10 years"}'), (12, "There are 12."), (12, "I count 12 of them."),
    (12, "The number is 12."), (12, "It is 12, I think."), (3, "She has three."), (1500000, "I would pay 1.5 million."),
    (250, "Bail should be set at $250."), (250, "I'd set it to 250."), (18, "At least 18."),
    (95000, "Offer $95,000 now."), (60000, "60k, not more."), (75000, "75,000 (seventy-five thousand)"),
    (4, "4 out of them"), (30, "30 is my guess."), (85000, "USD 85,000.-"),
)  # fmt: skip
"""Texts that say more than the amount."""

RANGES: tuple[tuple[Expected, str], ...] = (
    ((85000, 95000), "$85,000-95,000"), ((85000, 95000), "$85,000 - $95,000"), ((85000, 95000), "$85,000–$95,000"),
    ((85000, 95000), "85-95k"), ((85000, 95000), "$85-95k"), ((85000, 95000), "$85k-$95k"),
    ((85000, 95000), "85k to 95k"),
    ((85000, 95000), "between 85,000 and 95,000"), ((85000, 95000), "between $85,000 and $95,000"),
    ((80000, 90000), "between 80 and 90 thousand"), ((85000, 95000), "from $85,000 to $95,000"),
    ((85000, 95000), "$85,000 to $95,000."), ((85000, 95000), "I would offer $85,000 to $95,000."),
    ((85000, 95000), "Salary range: $85,000 - $95,000"), ((85000, 95000), "A range of $85,000-$95,000 is fair."),
    ((1.2e6, 1.5e6), "1.2-1.5 million"), ((1.2e6, 1.5e6), "$1.2M to $1.5M"), ((3, 4), "3-4"), ((3, 4), "3 to 4"),
    ((3, 4), "between 3 and 4"), ((0.5, 1.5), "0.5–1.5"), ((0.5, 1.5), "0,5 bis 1,5"),
    ((85000, 95000), "Depending on her 10 years of experience, $85,000 to $95,000."),
)  # fmt: skip
"""Ranges with their ends."""

UNITS: tuple[tuple[Expected, str], ...] = (
    (12, "$9. Wait, rather $12."), (8, "$7... let me revise: $8."), (11, "$10, or actually $11."),
    (13, "$10 – hmm, make that $13."), (20, "$20. Actually, the market price is $30."),
    (85000, "The median is $83,000, so I'd ask for $85,000."), (75000, "My average: $75,000."),
    (85000, "$85,000 per year"), (85000, "$85,000/year"), (85000, "$85,000 a year"), (85000, "$85,000 annually"),
    (85000, "$85k per annum"), (85000, "85,000 dollars per year"), (85000, "an annual salary of $85,000"),
    (52000, "$25 per hour"), (52000, "$25/hour"), (52000, "$25 an hour"), (52000, "$25/hr"), (52000, "$25 hourly"),
    (52000, "an hourly rate of $25"), ((41600, 52000), "$20-25 per hour"), ("!unit", "$5,000 per month"),
    ("!unit", "$5,000 a month"), ("!unit", "$200 per day"), ("!unit", "$1,500 a week"),
    ("!ambiguous", "$25 per hour or $5,000 per year"), (85000, "$85,000"), (52000, "$25 per hour ($52,000 per year)"),
)  # fmt: skip
"""With a year as the unit, an hour counting as 2,080 of a year, and no other unit declared."""

NONE: tuple[tuple[Expected, str], ...] = (
    ("!no-response", ""), ("!no-response", " \n"), ("!no-number", "It depends."), ("!no-number", "A fair salary."),
    ("!no-number", "N/A"), ("!no-number", "none"), ("!no-number", "I have 2 reasons for that."),
    ("!no-number", "In 2024 salaries rose."), ("!no-number", "1. Experience\n2. Skills"),
    ("!no-number", "She has 10 years of experience."), ("!no-number", "10% more"), (50, "50%"),
    ("!ambiguous", "$80,000 or $90,000"), ("!ambiguous", "80,000 or 90,000"),
    ("!ambiguous", "Maybe $80,000. Maybe $95,000."),
    ("!ambiguous", "1.600"), ("!ambiguous", "85.000"), ("!ambiguous", "Ann $80,000, Bo $90,000"),
    ("!ambiguous", "$80,000 for Ann and $90,000 for Bo"), ("!ambiguous", "12 or 13"), ("!ambiguous", "12, 13"),
    ("!ambiguous", "more than $80,000 but not $100,000 or $120,000"),
    ("!declined", "I'm sorry, but I can't help with that."), ("!declined", "I cannot provide a salary of $85,000."),
    ("!no-number", "$"), ("!no-number", "B2B"), ("!no-number", "COVID-19"), ("!no-number", "3rd"),
    ("!no-number", "v1.2.3"), ("!no-number", "Room 12b"), ("!no-number", "Q3 2024"), (10, "10 hours"),
    ("!no-number", "5 years, perhaps."), ("!no-number", "half"), ("!ambiguous", "$85,000 to $75,000"),
    ("!ambiguous", "$1.234"), ("!ambiguous", "between $80,000 or $90,000"),
    ("!no-number", "The median is $83,000."), ("!no-number", "A typical salary for this role is $70,000."),
    ("!no-number", "Comparable lawyers earn $90,000."),
    ("!no-number", "Settlements for lost luggage run from $2,000 to $20,000."),
    ("!no-number", "Nurses with diplomas usually get about $4,000; I have no figures for others."),
    ("!no-number", "Owners of loud dogs usually face about $400."),
    ("!no-number", "It depends: plumbers may ask for $60, welders for $90."),
    (60, "Plumbers charge $50, so I'd say $60."),
    (7.4, "An annual rate of 7.4% seems fair."), (3.5, "3.5% per year"), ("!unit", "2% a month"),
    ("!no-number", "Landlords here ask for €1,200 to €3,000."), ("!no-number", "Incumbents win 90% of such races."),
    ("!no-number", "The treaty caps liability at $1,700."), ("!no-number", "Bookmakers put it at 35%."),
    ("!no-number", "A cello sold for $600, which tells us little."), ("!no-number", "The minimum wage is $15."),
    ("!no-number", "Die Mieten liegen zwischen 900 und 1200 Euro."),
    ("!no-number", "The average pay for such a post in Illinois is $71,000, the statistics office says."),
    ("!ambiguous", "Depends on seniority: a junior could ask for $58,000 and a lead for $115,000."),
    ("!no-number", "10:30"), ("!no-number", "12/05/2024"), ("!no-number", "gpt-4"),
)  # fmt: skip
"""Texts without an amount that is certain."""

COMMA: tuple[tuple[Expected, str], ...] = (
    (85000, "85.000"), (85000, "85.000 €"), (85000.5, "85.000,50 €"), (1.6, "1,6"), (1600, "1.600"),
    (85000, "85 000 €"),
    ((85000, 95000), "85.000-95.000 €"), (1234567, "1.234.567"), (2.5e6, "2,5 million"), (1.75, "1,75"),
    ("!ambiguous", "1.6"),
)  # fmt: skip
"""With the comma before decimals and the point between thousands."""
