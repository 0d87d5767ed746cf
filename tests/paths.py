"""The folders of the repository that tests read."""

from pathlib import Path

TOP = Path(__file__).resolve().parents[1]
DOCS = TOP / "docs"
ORACLE = TOP / "tests" / "oracle"
"""The R scripts, and what they print."""
DUMPS = TOP / "tests" / "unit" / "sources" / "formats" / "fixtures"
"""Small dumps in the layouts of tools."""
