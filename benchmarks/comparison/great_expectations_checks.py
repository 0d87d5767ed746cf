"""Great Expectations, which has no command: checks of flat files, or of a table in a database.

`python great_expectations_checks.py FILE...` prints each result as JSON, writes Data Docs, and ends with 1 if the data
are invalid; `python great_expectations_checks.py sqlite:///FILE.db` does it for the table `dump`.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import great_expectations as gx
import great_expectations.expectations as gxe
import pandas as pd

KEY = ["model", "prompt", "age", "try"]


def frame(paths: list[str]) -> pd.DataFrame:
    """The files together, with the key in one column and the decision in another."""
    read = [pd.read_json(path, lines=True) if path.endswith(".jsonl") else pd.read_csv(path) for path in paths]
    data = pd.concat(read, ignore_index=True)
    cell = data[KEY].astype(str).agg(" ".join, axis=1)
    return data.assign(cell=cell, decision=data["answer"].str.extract("^(Yes|No)", expand=False).str.lower())


def expectations(*, of_frame: bool) -> list[gxe.Expectation]:
    """What the library has expectations for."""
    prompts = pd.read_csv("prompts.csv").itertuples(index=False, name=None)
    design = pd.read_csv("design.csv").astype(str).agg(" ".join, axis=1)
    counts = pd.read_csv("reference.csv").groupby("decision")["count"].sum()
    reference = {"values": list(counts.index), "weights": list(counts / counts.sum())}
    common = [
        gxe.ExpectColumnValuesToBeInSet(column="age", value_set=["older", "younger"]),
        gxe.ExpectCompoundColumnsToBeUnique(column_list=KEY),
        gxe.ExpectColumnPairValuesToBeInSet(column_A="prompt", column_B="age", value_pairs_set=list(prompts)),
    ]
    texts = [
        gxe.ExpectColumnValuesToMatchRegex(column="try", regex="^[0-2]$"),
        gxe.ExpectColumnValuesToNotMatchRegex(column="answer", regex="â€", severity="warning"),
        gxe.ExpectColumnValuesToNotMatchRegex(column="answer", regex="sk-[A-Za-z0-9]{16}", severity="warning"),
        gxe.ExpectColumnDistinctValuesToContainSet(column="cell", value_set=list(design)),
        gxe.ExpectColumnKLDivergenceToBeLessThan(column="decision", partition_object=reference, threshold=0.1),
    ]
    return [*common, *texts] if of_frame else common


def main(targets: list[str]) -> int:
    """Validate, tell and document."""
    context = gx.get_context(mode="file", project_root_dir="gx_project")
    parameters: dict[str, Any] = {}
    if targets[0].startswith("sqlite:"):
        table = context.data_sources.add_or_update_sqlite("database", connection_string=targets[0])
        batch = table.add_table_asset("dump", table_name="dump").add_batch_definition_whole_table("all")
    else:
        parameters = {"dataframe": frame(targets)}
        source = context.data_sources.add_or_update_pandas("files")
        batch = source.add_dataframe_asset("dump").add_batch_definition_whole_dataframe("all")
    suite = context.suites.add_or_update(
        gx.ExpectationSuite("dump", expectations=expectations(of_frame=bool(parameters)))
    )
    definition = gx.ValidationDefinition(name="dump", data=batch, suite=suite)
    result = context.validation_definitions.add_or_update(definition).run(
        batch_parameters=parameters, result_format="COMPLETE"
    )
    for one in result.results:
        told = one.to_json_dict()
        found = told["result"]
        what = {
            name: found[name] for name in ("unexpected_index_list", "observed_value") if found.get(name) is not None
        }
        config = told["expectation_config"]
        print(json.dumps({"type": config["type"], "severity": config["severity"], "success": told["success"], **what}))
    context.build_data_docs()
    return 0 if result.success else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
