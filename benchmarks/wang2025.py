"""How long a whole study takes, beside what a notebook would do, and how quickly the command line answers.

    python benchmarks/wang2025.py [RELEASED_DATA]

The released responses are needed for the comparison with the notebook; without them only the bundle is timed.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from side_by_side import compare, seconds

HERE = Path(__file__).parent
TALLYBOOK = str(Path(sys.executable).parent / "tallybook")
RELEASED = Path(sys.argv[1]) if len(sys.argv) > 1 else HERE.parents[1] / "shared" / "studies" / "wang2025" / "data"
REFERENCES = HERE.parent / "data" / "raw" / "wang2025" / "reference_distributions.csv"


def main() -> None:
    """Print the ratios."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        run = [TALLYBOOK, "run", "wang2025", "--numbers-only", "--quiet", "--out", str(out)]
        help_ratio = compare([TALLYBOOK, "--help"], [sys.executable, "-c", "import polars"])
        print(f"tallybook --help / import polars: {help_ratio}")
        print(f"run from the bundle to tables.csv: {min(seconds(run) for _ in range(5)):.2f} s")
        if not RELEASED.is_dir():
            print(f"the released responses are not at {RELEASED}: no comparison with the notebook")
            return
        notebook = [sys.executable, str(HERE / "wang2025_pandas.py"), str(RELEASED), str(REFERENCES)]
        ratio = compare([*run, "--data", str(RELEASED)], [*notebook, str(Path(folder) / "notebook.csv")])
        print(f"run from the raw JSON to tables.csv / pandas and scipy loop: {ratio}")


if __name__ == "__main__":
    main()
