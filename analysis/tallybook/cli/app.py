"""The entry point of the command line: its commands, error messages and exit codes."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import traceback
from typing import Annotated, NoReturn

import typer

from tallybook.cli import auditing, computing, data, starting, tallying
from tallybook.core import processes
from tallybook.core.errors import EXTRAS, MissingExtraError, TallybookError, UsageError
from tallybook.core.untrusted import printable

app = typer.Typer(
    name="tallybook",
    help="From dumps of model responses to validated data, exact statistics and publication-ready tables.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for command in (
    starting.init,
    data.validate,
    computing.run,
    computing.report,
    computing.numbers,
    auditing.trace,
    data.uncoded,
    computing.check,
    starting.studies,
    computing.reproduce,
    starting.fetch,
    auditing.audit,
    starting.references,
    auditing.checklist,
    data.bundle,
    tallying.tally,
    tallying.merge,
    starting.simulate,
    data.schema,
    starting.doctor,
):
    app.command()(command)


@app.callback(invoke_without_command=True)
def _program(  # pyright: ignore[reportUnusedFunction]  typer calls it
    *, version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False
) -> None:
    if version:
        from importlib.metadata import version as installed

        typer.echo(f"tallybook {installed('tallybook')}")
        raise typer.Exit


_INTERRUPTED = 128 + signal.SIGINT
"""The exit code after Ctrl+C, also used by typer."""


def main() -> None:
    """Run the command line; expected errors end it with a message and an exit code instead of a traceback."""
    # By default polars returns memory after half a second, and columns of 8 MB at once; allocating it anew for each
    # part takes a sixth of the time. From few arenas threads take what others freed: a tenth less memory.
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:10000,oversize_threshold:0,narenas:2")
    # SIGTERM ends the program like an exception, so that temporary files, which may be large, are removed.
    earlier = signal.signal(signal.SIGTERM, _end)
    allowed = processes.ALLOWED.set(True)
    try:
        app(standalone_mode=True)
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        _fail(MissingExtraError(package, EXTRAS[package]))
    except TallybookError as error:
        _fail(error)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt) or (isinstance(error, SystemExit) and error.code == _INTERRUPTED):
            print("tallybook: interrupted; nothing unfinished was written", file=sys.stderr)  # noqa: T201
            sys.exit(_INTERRUPTED)
        if isinstance(error, SystemExit):
            raise
        if isinstance(error, shutil.Error):  # a file that could not be copied: source, destination and reason
            _fail(UsageError(printable(str(error.args[0][0][-1]), 300)))
        if isinstance(error, OSError) and error.strerror:
            named = "" if error.filename is None else f"{printable(str(error.filename), 200)}: "
            _fail(UsageError(f"{named}{error.strerror}"))
        # A fault in the program or a library exits with 2, to differ from 1, the verdict that data are invalid.
        traceback.print_exc()
        sys.exit(2)
    finally:
        processes.ALLOWED.reset(allowed)
        signal.signal(signal.SIGTERM, earlier)


def _end(number: int, _: object) -> NoReturn:
    sys.exit(128 + number)


def _fail(error: TallybookError) -> NoReturn:
    print(f"tallybook: {error}", file=sys.stderr)  # noqa: T201
    sys.exit(error.exit_code)
