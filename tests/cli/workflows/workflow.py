"""The shell steps of a composite action, run as GitHub's runner does."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

EXPRESSION = re.compile(r"\$\{\{ *([a-z]+)\.([a-z.-]+) *\}\}")


class Ended(NamedTuple):
    """How an action ended.

    Attributes:
        code: The exit code of its last step that ran.
        log: What the steps wrote to standard output and standard error.
        outputs: The action's outputs.
        summary: The job's summary.
    """

    code: int
    log: str
    outputs: dict[str, str]
    summary: str

    @property
    def commands(self) -> list[str]:
        """The lines that the runner acts upon."""
        return [line for line in self.log.splitlines() if re.match(r"\s*::", line) or "##[" in line]


class Runner:
    """Runs an action in a workspace.

    Only what this project's action uses is there: the context `inputs`, and outputs of steps.
    """

    def __init__(
        self, action: dict[str, Any], path: Path, workspace: Path, temporary: Path, environment: dict[str, str]
    ):
        self._action = action
        self._path = path
        self._workspace = workspace
        self._temporary = temporary
        self._environment = environment

    def run(self, given: dict[str, str], used: dict[str, dict[str, str]], *, skip: int = 0) -> Ended:
        """Run the steps, until one fails.

        Args:
            given: Inputs of the workflow.
            used: Outputs of the actions that the action uses, by the step's id.
            skip: How many shell steps have been run in this job already.

        Returns:
            How it ended.
        """
        declared = self._action["inputs"]
        assert set(given) <= set(declared)
        inputs = {name: given.get(name, str(one["default"])) for name, one in declared.items()}
        outputs = dict(used)
        code, log = 0, ""
        summary = self._temporary / "summary.md"
        summary.write_text("")
        for step in [step for step in self._action["runs"]["steps"] if "run" in step][skip:]:
            code, said, outputs[step.get("id", "")] = self._step(step, inputs, outputs, summary)
            log += said
            if code:
                break
        told = {name: self._resolved(one["value"], inputs, outputs) for name, one in self._action["outputs"].items()}
        return Ended(code, log, told, summary.read_text(encoding="utf-8"))

    def _step(
        self, step: dict[str, Any], inputs: dict[str, str], outputs: dict[str, dict[str, str]], summary: Path
    ) -> tuple[int, str, dict[str, str]]:
        assert step["shell"] == "bash"
        script, output = self._temporary / "step.sh", self._temporary / "output"
        script.write_text(step["run"], encoding="utf-8")
        output.write_text("")
        variables = {
            "GITHUB_ACTIONS": "true",
            "GITHUB_ACTION_PATH": str(self._path),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_WORKSPACE": str(self._workspace),
            "RUNNER_TEMP": str(self._temporary),
        }
        for name, value in step.get("env", {}).items():
            variables[name] = self._resolved(value, inputs, outputs)
        ended = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)],
            cwd=self._workspace / self._resolved(step.get("working-directory", "."), inputs, outputs),
            env=self._environment | variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        lines = output.read_text(encoding="utf-8").split(os.linesep)[:-1]
        return ended.returncode, ended.stdout, dict(line.split("=", 1) for line in lines)

    def _resolved(self, text: str, inputs: dict[str, str], outputs: dict[str, dict[str, str]]) -> str:
        def value(found: re.Match[str]) -> str:
            context, name = found.groups()
            if context == "inputs":
                return inputs[name]
            assert context == "steps"
            step, kind, output = name.split(".")
            assert kind == "outputs"
            return outputs.get(step, {}).get(output, "")

        resolved = EXPRESSION.sub(value, text)
        assert "${{" not in EXPRESSION.sub("", text), text
        return resolved
