"""Reached lines and branches at less cost: `pytest -p tests.probes`.

Slipcover takes the probes of a line that has run fifty times out again, and looks for its code in all functions of all
modules: a tenth of a second of the processor, hundreds of times a run. A probe costs a tenth of a microsecond.
"""

from __future__ import annotations

from functools import partial

import slipcover

OFTEN = 5_000
"""How often a line must run for its probe to be taken out."""

slipcover.Slipcover = partial(slipcover.Slipcover, d_miss_threshold=OFTEN)
