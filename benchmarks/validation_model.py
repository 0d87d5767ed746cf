"""The checks of `validation.py` as a model of pandera."""

from __future__ import annotations

import pandera.polars as pa


class Model(pa.DataFrameModel):
    """Responses, one a row."""

    model: str = pa.Field(isin=[f"model-{number}" for number in range(8)])
    item: str = pa.Field(str_matches="^item-[0-9]+$")
    sample: int = pa.Field(ge=0, le=99)
    age: str = pa.Field(isin=["younger", "older", "unstated"])
    text: str = pa.Field(str_length={"min_value": 1, "max_value": 500})
    score: float = pa.Field(ge=0, le=1)
    status: str = pa.Field(isin=["ok", "refused", "truncated"])
    tokens: int = pa.Field(ge=1)

    class Config:
        """No response is there twice."""

        unique = ("model", "item", "sample")
