"""The commands: what was typed is handed to a function that does it through an `Agent`, and returns the exit code."""

# No `from __future__ import annotations` here: typer evaluates the annotations of functions that are made inside others.

import os
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO, cast

from ..agent.agent import Agent
from ..agent.spec import Model
from ..providers.weights import WEIGHTS, pull, weights_path
from ..vocabulary.budget import Budget
from ..vocabulary.errors import InternalError, MisuseError
from ..vocabulary.exchange import JsonObject
from ..vocabulary.outcome import Failure, OutputT, Success
from ..vocabulary.scrub import scrubbed, text_of
from ..vocabulary.stop import OutputMode
from .demo import demo_agent, prompt_for
from .growing import settle_in_lines, settle_live
from .history import SAMPLE, read_history
from .loading import load_type
from .notes import as_markdown
from .probing import probed_by, refuse_unwritable
from .showing import document_of, downloading, note, parsed, show_success, waiting, write, write_json, write_line

if TYPE_CHECKING:
    import typer

SUCCESS, FAILED, MISUSE, INTERNAL, UNREADABLE, INTERRUPTED, UNREAD = 0, 1, 2, 70, 74, 130, 141
_LONGEST_MESSAGE = 4000
_COMMITS = 20
_LOCAL = "local:"
_SMALL = "smollm2"


def exit_code(work: Callable[[], int]) -> int:
    """Do it; what goes wrong is told in a line on stderr, never in a traceback.

    Example:
        >>> exit_code(lambda: SUCCESS)
        0
    """
    try:
        return work()
    except MisuseError as error:
        note(scrubbed(f"settled: {error}", limit=_LONGEST_MESSAGE))
        return MISUSE
    except InternalError as error:
        note(scrubbed(f"settled: {error}\nThis is a fault of settled itself: please report it, with this message."))
        return INTERNAL
    except KeyboardInterrupt:
        note("settled: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        return UNREAD  # who reads has seen enough, as `head` has: nothing to complain of
    except OSError as error:
        note(f"settled: {text_of(error)}")
        return UNREADABLE


def run_type(
    form: object,
    prompt: str,
    *,
    model: Model | None = None,
    mode: OutputMode = "auto",
    instructions: str = "",
    budget: Budget = Budget.model_construct(),
    as_json: bool = False,
    streams: bool = False,
) -> int:
    """Ask for a type and show how the run ended; with ``streams``, what the model writes is shown while it does.

    Raises:
        MisuseError: for a type that pydantic cannot describe, or no model.
    """
    agent = _agent_for(form).with_(model=model, mode=mode, instructions=instructions, budget=budget)
    outcome, reasons = _asked(agent, prompt, as_json=as_json, streams=streams)
    if as_json:
        (write_line if streams else write_json)(document_of(outcome, agent.output_type))
    elif isinstance(outcome, Success):
        show_success(outcome, reasons)
    return _told(outcome, as_json=as_json)


def explain_type(form: object, *, model: Model | None = None, as_json: bool = False) -> int:
    """Show how a type would be asked for.

    Raises:
        MisuseError: for a type that pydantic cannot describe, or a model that there is not.
    """
    explained = _agent_for(form).explain(model=model)
    if as_json:
        write_json(cast("JsonObject", parsed(explained.to_json())))
    else:
        write(str(explained))
    return SUCCESS


def run_demo(
    *, model: Model, mode: OutputMode = "auto", repo: Path | None = None, output: Path | None = None, as_json: bool = False
) -> int:
    """Make release notes of a git history, and show them.

    Without ``repo`` it is the history of the current folder, else the log in the package, which a note tells.

    Raises:
        MisuseError: when the model, its weights, the history or the file for the notes cannot be had.
    """
    refuse_unwritable(output, "--output")
    history = read_history(repo or Path(), limit=_COMMITS, sample=repo is None)
    if history.source == SAMPLE:
        note(f"settled: no git history was found in the current folder, so this is about {SAMPLE}; --repo names another")
    if isinstance(model, str):
        _fetch(model)
    agent = demo_agent(history, model=model, mode=mode)
    outcome, reasons = _asked(agent, prompt_for(history))
    more = {"history": history.source}
    if isinstance(outcome, Success):
        if output is not None:
            _save(output, as_markdown(outcome.output))
            more["written"] = str(output)
        if as_json:
            write_json({**document_of(outcome, agent.output_type), **more})
        else:
            show_success(outcome, reasons, more)
    elif as_json:
        write_json(document_of(outcome, agent.output_type))
    return _told(outcome, as_json=as_json)


def pull_weights(name: str) -> int:
    """Fetch the weights of a model, unless they are there.

    Raises:
        MisuseError: for a name that there is not, or when they cannot be fetched.
    """
    with downloading() as progress:
        path = pull(name, progress=progress)
    write(str(path))
    return SUCCESS


def show_path(name: str) -> int:
    """Show where the weights of a model are, or would be.

    Raises:
        MisuseError: for a name that there is not.
    """
    path = weights_path(name)
    write(str(path))
    if not path.is_file():
        note(f"settled: nothing is there yet; settled local pull --name {name} fetches it")
    return SUCCESS


def _agent_for(form: object) -> Agent[object]:
    try:
        return Agent(cast("type[object]", form))
    except MisuseError:
        raise
    except Exception as raised:  # the hooks by which a type of the user's describes itself to pydantic
        raise MisuseError(f"the type cannot be described: {text_of(raised, named=True)}") from raised


def _asked(
    agent: Agent[OutputT], prompt: str, *, as_json: bool = False, streams: bool = False
) -> tuple[Success[OutputT] | Failure[None], tuple[str, ...]]:
    explained = agent.explain(prompt)
    what = f"asking {explained.model or 'the model'}"
    if streams and as_json:
        return settle_in_lines(agent, prompt, is_text=explained.mode == "text"), explained.reasons
    if streams:
        return settle_live(agent, prompt, what), explained.reasons
    with waiting(what):
        outcome = agent.settle(prompt)
    return outcome, explained.reasons


def _told(outcome: Success[object] | Failure[object], *, as_json: bool) -> int:
    """The exit code; a failure is told to people, unless a machine has its report already."""
    if isinstance(outcome, Success):
        return SUCCESS
    if not as_json:
        note(outcome.report.render())
        if outcome.report.retry_at is not None:
            note(f"  come back at {outcome.report.retry_at.isoformat(sep=' ', timespec='seconds')}")
    return FAILED


def _fetch(model: str) -> None:
    """The weights of a built-in model that runs here, unless they are there."""
    name = model.removeprefix(_LOCAL)
    if name != model and name in WEIGHTS:
        with downloading() as progress:
            pull(name, progress=progress)


def _save(output: Path, text: str) -> None:
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise MisuseError(f"--output {output}: {error.strerror or error}") from error


def _prompt(given: str) -> str:
    """The prompt, or what stdin holds for ``-``."""
    if given == "-":
        stdin = cast("TextIO | None", sys.stdin)  # None when it is closed
        if stdin is None:
            raise MisuseError("the prompt cannot be read from stdin: it is closed")
        try:
            given = stdin.read()
        except UnicodeDecodeError as error:
            raise MisuseError(f"the prompt on stdin is not {error.encoding} text") from error
    if not given.strip():
        raise MisuseError("the prompt is empty")
    return given


def _model(given: str | None) -> str:
    chosen = (given or "").strip() or os.environ.get("SETTLED_MODEL")
    if not chosen:
        raise MisuseError("no model: give --model, such as openai:gpt-5-mini or local:smollm2, or set SETTLED_MODEL")
    return chosen


def _version() -> str:
    try:
        return version("settled")
    except PackageNotFoundError:
        return "(not installed: run from its source)"


# How it is typed.


def build() -> "typer.Typer":
    """The command line."""
    import typer

    app = typer.Typer(
        name="settled",
        help="Typed answers from language models: a value of your type, or a typed reason why not.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
    )

    def show_version(wanted: bool) -> None:
        if wanted:
            write(f"settled {_version()}")
            raise typer.Exit

    @app.callback()
    def settled(
        _: Annotated[
            bool, typer.Option("--version", callback=show_version, is_eager=True, help="Show the version and exit.")
        ] = False,
    ) -> None:
        pass

    for add in (_add_demo, _add_run, _add_explain, _add_probe, _add_local):
        add(app)
    return app


def _exit(work: Callable[[], int]) -> None:
    import typer

    raise typer.Exit(exit_code(work))


def _add_demo(app: "typer.Typer") -> None:
    import typer

    @app.command()
    def demo(
        model: Annotated[str, typer.Option(help="Who is asked.")] = f"{_LOCAL}{_SMALL}",
        mode: Annotated[OutputMode, typer.Option(help="How the output is asked for.")] = "auto",
        repo: Annotated[
            Path | None,
            typer.Option(exists=True, file_okay=False, help="The git repository whose history is read; else the current folder."),
        ] = None,
        output: Annotated[Path | None, typer.Option(help="A file to write the notes to, as Markdown.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
    ) -> None:
        """Make typed release notes of a git history. The default model runs on this machine; its weights are fetched once."""
        _exit(lambda: run_demo(model=_model(model), mode=mode, repo=repo, output=output, as_json=as_json))


def _add_run(app: "typer.Typer") -> None:
    import typer

    @app.command()
    def run(
        form: Annotated[str, typer.Argument(metavar="MODULE:TYPE", help="The type to answer in, such as shop.models:Item.")],
        prompt: Annotated[str, typer.Argument(metavar="PROMPT", help="What is asked; - reads it from stdin.")],
        model: Annotated[str | None, typer.Option(help="Who is asked, such as openai:gpt-5-mini; else SETTLED_MODEL.")] = None,
        mode: Annotated[OutputMode, typer.Option(help="How the output is asked for.")] = "auto",
        instructions: Annotated[str, typer.Option(help="What the model is told first.")] = "",
        as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout, also for a failed run.")] = False,
        streams: Annotated[bool, typer.Option("--stream", help="Show what the model writes while it does.")] = False,
        max_steps: Annotated[int | None, typer.Option(min=1, help="Replies asked of the model at most.")] = None,
        timeout: Annotated[float | None, typer.Option(min=0.0, help="Seconds for the whole run.")] = None,
    ) -> None:
        """Ask a model for a value of a type of yours."""

        def work() -> int:
            bounds = Budget(max_duration=timeout)
            return run_type(
                load_type(form),
                _prompt(prompt),
                model=_model(model),
                mode=mode,
                instructions=instructions,
                budget=bounds if max_steps is None else bounds.changed(max_steps=max_steps),
                as_json=as_json,
                streams=streams,
            )

        _exit(work)


def _add_explain(app: "typer.Typer") -> None:
    import typer

    @app.command()
    def explain(
        form: Annotated[str, typer.Argument(metavar="MODULE:TYPE", help="The type to answer in, such as shop.models:Item.")],
        model: Annotated[str | None, typer.Option(help="Who would be asked; absent, an unknown endpoint is assumed.")] = None,
        as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
    ) -> None:
        """Show how a type would be asked for, and why so: the mode, what is known of the model, and the exact request."""
        _exit(lambda: explain_type(load_type(form), model=None if model is None else _model(model), as_json=as_json))


def _add_probe(app: "typer.Typer") -> None:
    import typer

    @app.command()
    def probe(
        place: Annotated[
            str,
            typer.Argument(metavar="BASE_URL", help="Where the server is, up to and with /v1; or a model, such as ollama:qwen3."),
        ],
        model: Annotated[str | None, typer.Option(help="The model's name on the server, with BASE_URL.")] = None,
        key_env: Annotated[str | None, typer.Option(help="The environment variable that holds the key for BASE_URL.")] = None,
        out: Annotated[Path | None, typer.Option(help="A file to write what was found to, for capabilities=.")] = None,
        timeout: Annotated[float, typer.Option(help="Seconds for one request.")] = 45.0,
        as_json: Annotated[bool, typer.Option("--json", help="One JSON document on stdout.")] = False,
    ) -> None:
        """Ask an endpoint about a dozen small questions, and show what its model can do."""

        def work() -> int:
            done = probed_by(place, model=model, key_env=key_env, out=out, timeout=timeout, as_json=as_json)
            return SUCCESS if done else FAILED

        _exit(work)


def _add_local(app: "typer.Typer") -> None:
    import typer

    local = typer.Typer(no_args_is_help=True)
    app.add_typer(local, name="local", help="The model that runs on this machine.")

    @local.command("pull")
    def fetch(name: Annotated[str, typer.Option(help="Which model.")] = _SMALL) -> None:
        """Fetch the weights, unless they are there, and show where they are."""
        _exit(lambda: pull_weights(name))

    @local.command("path")
    def place(name: Annotated[str, typer.Option(help="Which model.")] = _SMALL) -> None:
        """Show where the weights are, or would be."""
        _exit(lambda: show_path(name))
