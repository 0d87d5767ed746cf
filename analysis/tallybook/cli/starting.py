"""Commands for getting started: studies from dumps, published studies and their data, simulations, the installation."""

from __future__ import annotations

import json
import os
import shlex
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tallybook.cli.options import JsonOption, QuietOption
from tallybook.cli.output import ask, say
from tallybook.core.errors import UsageError
from tallybook.core.progress import progress
from tallybook.core.untrusted import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.cli.output import Summary
    from tallybook.drafting.reuse.replicating import Replication
    from tallybook.drafting.starting import Started


def _instruments() -> list[str]:
    from tallybook.study.instrument_base import INSTRUMENTS

    return list(INSTRUMENTS)


def init(
    dump: Annotated[
        list[Path],
        typer.Argument(
            metavar="DUMP", help="Files and folders of responses, in any format that is read; - is standard input."
        ),
    ],
    *,
    out: Annotated[Path, typer.Option("--out", help="Where the study is written.")] = Path(),
    name: Annotated[str | None, typer.Option("--name", help="The study's name; by default the dump's.")] = None,
    instrument: Annotated[
        str | None,
        typer.Option(
            "--instrument",
            help="How texts are read: an instrument, as `tallybook schema` lists them. By default each is tried.",
            autocompletion=_instruments,
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="ROLE=COLUMN",
            help="Which column is what: text, prompt, model, item, sample, status, factors, labels or scores; of "
            "likelihood-pair also first and second, of ranking and attribute-choice options, of embedding-association "
            "sets, of word-association and relative-decision the groups, default and stigma, and the words or tasks, "
            "positive and negative. May be repeated. `factors=gender,race` names several, `model=` none. Also "
            "how it is read: `sheet=NAME`, `table=NAME`, `delimiter=;`, `encoding=windows-1252`, `filter=NAME` (of "
            "lm-eval's).",
        ),
    ] = None,
    published: Annotated[
        str | None,
        typer.Option("--from", metavar="NAME", help="Replicate this published study; see `tallybook studies`."),
    ] = None,
    released: Annotated[
        Path | None,
        typer.Option("--released", help="With --from: its released data, for prompts and lists that the dump lacks."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the files of an earlier start.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Ask no questions.")] = False,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Look at a dump and write a study.

    Says what the dump holds, and writes study.toml (with comments, to be changed), a schema of the data, the sources of
    a report and a snippet for continuous integration. `tallybook run` and `tallybook report` work at once.
    On a terminal it asks what it cannot know.

    With --from, the study is a published one's, for new responses: laid out like the released ones, or records whose
    columns are called like theirs (or told: --set COLUMN=COLUMN, --set COLUMN==VALUE). The published responses are
    copied beside it, and tables and figures show both.

    Example: tallybook init answers.csv --set factors=gender,race

    Example: tallybook init my_responses/ --from wang2025 --out replication
    """
    from tallybook.cli.output import with_standard_input

    dump = with_standard_input(dump, out, replace=force)
    if published is not None:
        from tallybook.drafting.reuse.replicating import replicate

        if instrument is not None:
            raise UsageError("--instrument: the published study says how texts are read")
        with progress(quiet=quiet) as shown:
            made = replicate(
                published, dump, out, settings or [], name=name, released=released, replace=force, progress=shown
            )
        say(_of_replication(published, made), as_json=as_json, quiet=quiet)
        return
    if released is not None:
        raise UsageError("--released needs --from")
    from tallybook.drafting.starting import start

    if instrument is not None and instrument not in _instruments():
        known = ", ".join(_instruments())
        raise UsageError(f"--instrument {printable(instrument)}: no such instrument; there are {known}")

    asked = None if yes or not (sys.stdin.isatty() and sys.stdout.isatty()) else ask
    started = start(
        dump,
        out,
        settings or [],
        name=name,
        instrument=instrument,
        ask=asked,
        replace=force,
        watched=partial(progress, quiet=quiet),
    )
    say(_of_draft(started), as_json=as_json, quiet=quiet)


def _of_draft(started: Started) -> Summary:
    draft = started.draft
    lines = [started.found]
    if draft.cluster is not None:
        lines.append(f"cluster: {printable(draft.cluster)}: {printable(str(draft.evidence), 200)}")
    found = {"records": started.rows, "instrument": draft.instrument["kind"]}
    return _written([*lines, ""], started.files, draft.doubts, "run", found)


def _of_replication(published: str, made: Replication) -> Summary:
    lines = [f"a replication of {published} with {', '.join(map(printable, made.models))}"]
    lines += [f"left out: {printable(line, limit=200)}" for line in made.left_out]
    to_check = [printable(line, limit=200) for line in made.to_check]
    found = {"models": made.models, "left_out": made.left_out}
    return _written(lines, made.files, to_check, "report", found)


def _written(
    lines: list[str], files: Sequence[Path], to_check: list[str], command: str, found: dict[str, Any]
) -> Summary:
    """Summarise a study that was written: settings to check, and the next command; `files` begins with the study."""
    lines += [f"to check: {line}" for line in to_check]
    lines += [f"written: {', '.join(map(str, files))}", _next(command, files[0])]
    summary = {"study": str(files[0]), "files": [*map(str, files)], **found, "to_check": to_check}
    return summary | {"warnings": [], "text": "\n".join(lines)}


def _next(command: str, study: Path) -> str:
    """Return the next command for a study that was written."""
    from tallybook.study.loading import load

    loaded = load(str(study))
    data = ["--data", os.path.relpath(loaded.declared_data)] if loaded.reads_elsewhere else []
    return f"next: {shlex.join(['tallybook', command, str(study), *data])}"


def studies(*, as_json: JsonOption = False) -> None:
    """List the published studies.

    Says of each what it is, which models answered, what is bundled, and how to get the data that its authors released.

    Example: tallybook studies --json
    """
    from tallybook.published.released.listing import catalogue, catalogue_text

    entries = catalogue()
    typer.echo(json.dumps(entries, indent=2, ensure_ascii=False) if as_json else catalogue_text(entries))


def references(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A distribution, such as bls-cps-2022/occupation-by-sex.")
    ] = None,
) -> None:
    """List the bundled reference distributions, or show one.

    A study tests against one by its name: bundled = "NAME" under [references.ID].

    Example: tallybook references bls-cps-2022/occupation-by-sex
    """
    from tallybook.cli.commands.references import listing, rows

    typer.echo(listing() if name is None else rows(name), nl=False)


def fetch(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A published study, such as wang2025.")],
    *,
    out: Annotated[Path | None, typer.Option("--out", help="The folder for the files. By default data/NAME.")] = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Download a published study's released data.

    From the authors' repository at the commit behind the paper; the SHA-256 of every file is checked, and no
    half file is left. Existing files stay. Exits with 1 if a file differs from the released one, 2 if it cannot be
    downloaded.

    Example: tallybook fetch wang2025 --out released/
    """
    from tallybook.core.wording import counted
    from tallybook.published.released import fetching
    from tallybook.published.released.listing import release

    released = release(name)
    folder = out or Path("data") / name
    with progress(quiet=quiet) as shown:
        done = fetching.fetch(released, folder, shown)
    files = f"{counted(len(released.files), 'file')}, {released.size:,} bytes"
    summary = {
        "study": name,
        "out": str(folder),
        "files": len(released.files),
        "bytes": released.size,
        "fetched": list(done.fetched),
        "kept": len(done.kept),
        "warnings": [],
        "text": f"{name}: {files}: {len(done.fetched)} fetched, {len(done.kept)} there already\n"
        f"next: tallybook reproduce {name} --data {folder}",
    }
    say(summary, as_json=as_json, quiet=quiet)


def simulate(
    instrument: Annotated[
        str,
        typer.Argument(
            metavar="INSTRUMENT",
            help="An instrument, such as attribute-choice; `tallybook schema` lists them.",
            autocompletion=_instruments,
        ),
    ],
    *,
    rows: Annotated[int, typer.Option("--rows", "-n", help="How many responses, over all models and groups.")] = 10_000,
    seed: Annotated[
        int, typer.Option("--seed", help="The seed of all random numbers; equal seeds give equal files.")
    ] = 0,
    models: Annotated[int, typer.Option("--models", help="How many models.")] = 3,
    effect: Annotated[
        str,
        typer.Option(
            "--effect",
            metavar="E",
            help="How much more often answers follow the stereotype than not, -1 to 1; or one number for each model: "
            "0,0.1,0.2.",
        ),
    ] = "0.2",
    refusals: Annotated[float, typer.Option("--refusals", metavar="SHARE", help="The share of refusals.")] = 0.05,
    malformed: Annotated[
        float, typer.Option("--malformed", metavar="SHARE", help="The share of broken, empty and off-topic texts.")
    ] = 0.03,
    out: Annotated[
        Path | None,
        typer.Option("--out", help="The folder to write or replace. By default simulated/INSTRUMENT."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="A file for the responses alone, in place of the folder.")
    ] = None,
    form: Annotated[
        str | None, typer.Option("--format", help="csv, jsonl or parquet; by default as the file's suffix says.")
    ] = None,
    quiet: QuietOption = False,
    as_json: JsonOption = False,
) -> None:
    """Write simulated responses with known truth.

    No model is called. The folder holds the responses, in the many forms in which models write them; the truth of each
    (status, outcome, form); parameters.csv, the values that estimates should come close to; and a study.toml that
    validate, run and report take at once.

    Example: tallybook simulate word-association --rows 2000 --seed 1 --effect 0.1 --out demo
    """
    from tallybook.instruments.simulation.command import simulate as write

    summary = write(
        instrument,
        rows=rows,
        seed=seed,
        models=models,
        effect=effect,
        refusals=refusals,
        malformed=malformed,
        out=out,
        output=output,
        form=form,
        quiet=quiet,
    )
    say(summary, as_json=as_json, quiet=quiet)


def doctor(*, as_json: JsonOption = False) -> None:
    """Check the installation: versions, extras, engines.

    Versions, what each extra lacks, and the engines that render reports.

    Example: tallybook doctor
    """
    from tallybook.cli.commands import doctor as command

    say(command.doctor(), as_json=as_json)
