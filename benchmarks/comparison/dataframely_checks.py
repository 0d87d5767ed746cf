"""Dataframely, which has no command: checks of a flat CSV or JSON lines file.

`python dataframely_checks.py FILE...` writes good and bad rows apart, prints what failed, and ends with 1 if any did.
"""

import json
import sys

import dataframely as dy
import polars as pl


class Prompts(dy.Schema):
    """The list of prompts."""

    prompt = dy.String(primary_key=True)
    age = dy.String(primary_key=True)


class Responses(dy.Schema):
    """The dump."""

    model = dy.Enum(["atlas", "vega"], primary_key=True)
    prompt = dy.String(primary_key=True)
    age = dy.String(primary_key=True)
    try_ = dy.Integer(alias="try", primary_key=True, min=0, max=2)
    answer = dy.String(regex=r"^[^\x00-\x1f]*$")

    @dy.rule()
    def level(cls) -> pl.Expr:
        """Ages are of two levels."""
        return pl.col("age").is_in(["older", "younger"])

    @dy.rule()
    def secret(cls) -> pl.Expr:
        """Answers hold no keys."""
        return ~pl.col("answer").str.contains("sk-[A-Za-z0-9]{16}")

    @dy.rule()
    def mojibake(cls) -> pl.Expr:
        """Answers were not damaged."""
        return ~pl.col("answer").str.contains("â€", literal=True)


class Study(dy.Collection):
    """The dump and its prompts."""

    prompts: dy.LazyFrame[Prompts]
    responses: dy.LazyFrame[Responses]

    @dy.filter()
    def listed(self) -> pl.LazyFrame:
        """Every response is to a prompt of the list."""
        return dy.require_relationship_one_to_at_least_one(self.prompts, self.responses, on=["prompt", "age"])


class Design(dy.Schema):
    """Every combination."""

    model = dy.Enum(["atlas", "vega"], primary_key=True)
    prompt = dy.String(primary_key=True)
    age = dy.String(primary_key=True)
    try_ = dy.Integer(alias="try", primary_key=True)


class Complete(dy.Collection):
    """The dump and its design."""

    design: dy.LazyFrame[Design]
    responses: dy.LazyFrame[Responses]

    @dy.filter()
    def answered(self) -> pl.LazyFrame:
        """Every combination has just one response."""
        return dy.require_relationship_one_to_one(self.design, self.responses, on=["model", "prompt", "age", "try"])


def frame(paths: list[str]) -> pl.DataFrame:
    """The files together."""
    return pl.concat(
        [pl.read_ndjson(path) if path.endswith(".jsonl") else pl.read_csv(path, infer_schema=False) for path in paths]
    )


def main(paths: list[str]) -> int:
    """Filter the responses by themselves, then together with the prompts."""
    data = frame(paths)
    good, bad = Responses.filter(data, cast=True)
    print("rules:", json.dumps(bad.counts()))
    good.write_csv("good.csv")
    bad.details().write_csv("bad.csv")
    print(bad.details())
    prompts = pl.read_csv("prompts.csv").rename({"id": "prompt"})
    together = Study.filter({"prompts": prompts, "responses": data}, cast=True)
    print("foreign key:", json.dumps(together.failure["responses"].counts()))
    complete = Complete.filter({"design": pl.read_csv("design.csv"), "responses": data}, cast=True)
    print("design:", json.dumps(complete.failure["design"].counts()))
    return 1 if len(bad) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
