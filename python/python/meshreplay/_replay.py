"""Replays of logs."""

from __future__ import annotations

import numbers
import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._kept import kept_in
from ._log import Log, read_log
from ._own import Allocator, Execution, Scheduler, cause, forget, named
from ._progress import Progress
from ._results import Results, of_run
from ._source import directory
from ._study import run_sweep
from ._words import ArgumentError, NotFoundError, keyworded, values, warn, with_keywords, words

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ReplayOptions

    class CompareOptions(ReplayOptions, total=False):
        """The keywords of a comparison."""

        allocator: Allocators
        scheduler: Schedulers
        network: Networks | None
        seed: int
        out: str | os.PathLike[str] | None
        quiet: bool
        progress: bool | None

Names = str | Sequence[str]
"""A name, or several."""

Machines = str | int | tuple[int, ...] | Sequence[str | int | tuple[int, ...]]
"""A machine, such as `16x16` or `(16, 16)`, or a list of several."""

Allocators = str | Allocator | type[Allocator] | Sequence[str | Allocator | type[Allocator]]
"""Names of allocators, classes or objects, one or several."""

Schedulers = str | Scheduler | type[Scheduler] | Sequence[str | Scheduler | type[Scheduler]]
"""Names of schedulers, classes or objects, one or several."""

Networks = str | Execution | type[Execution] | Sequence[str | Execution | type[Execution]]
"""Names of networks, classes or objects, one or several."""


@keyworded("replay")
def replay(
    log: Log | str | os.PathLike[str] | Iterable[Log | str | os.PathLike[str]],
    machine: Machines,
    allocator: Allocators,
    scheduler: Schedulers = "easy",
    *,
    network: Networks | None = None,
    seed: int = 1,
    out: str | os.PathLike[str] | None = None,
    quiet: bool = False,
    progress: bool | None = None,
    **options: Unpack[ReplayOptions],
) -> Results:
    """Replays every combination of logs, machines, schedulers and allocators, with the results of `meshreplay replay`.

    Args:
        log: A log, several, or their files.
        machine: Machines such as `16x16`, `torus:8x8x4` or `auto`; a tuple such as `(16, 16)` is a mesh, and a list several
            machines.
        allocator: Allocators such as `hilbert+bf` or `mc1x1` (`mr.allocators()`); `all` is every one. Your own are
            classes or objects (`mr.Allocator`).
        scheduler: Schedulers such as `easy` or `fcfs` (`mr.schedulers()`), or your own (`mr.Scheduler`).
        network: What decides how long jobs run: `recorded` (the default), `wormhole:…` (`mr.networks()`), or your own
            (`mr.Execution`).
        seed: The seed of everything random.
        out: A directory that keeps every finished replay, as that of a study. The same call goes on from there after an
            interruption, and replays only what is new after a change. By default results are in memory.
        quiet: Whether nothing is shown: notes are in `Results.notes` and failed replays in `Results.errors` alone.
            Otherwise both are warnings of the category `Note`, too, and progress is shown.
        progress: Whether progress is shown on standard error. By default it is on a terminal and in a notebook.
        {options}

    Returns:
        The results. Replays that failed are in `Results.errors`, while others have results.

    Raises:
        Error: A name, a value or a log is wrong, or every replay failed. Its cause is the exception of your own code, if one
            failed. Errors are also of the kinds FileNotFoundError and TypeError where these say what is wrong.
        KeyboardInterrupt: Ctrl-C stops the replays within a second. The attribute `results` has those that were finished; a
            SystemExit of your own code has it, too.
    """
    is_several = isinstance(log, Iterable) and not isinstance(log, (Log, str)) and not hasattr(log, "__arrow_c_stream__")
    opened = [_opened(each) for each in log] if is_several else [_opened(log)]  # type: ignore[union-attr]
    keywords: dict[str, Any] = dict(options)
    keywords["allocator"], allocators = named(allocator, Allocator)
    keywords["scheduler"], schedulers = named(scheduler, Scheduler)
    keywords["network"], networks = named(network, Execution) if network is not None else (None, [])
    machines = [_machine(each) for each in (machine if isinstance(machine, list) else values(_machine(machine)))]
    given = words("replay", {"machine": machines, "seed": seed, **keywords})
    # Results hold the jobs as those of a directory do. Some options need that.
    given.append("--output=memory")
    own = [allocators, schedulers, networks]
    folder = None if out is None else directory(out)

    def start(shown: Progress) -> _core.Run:
        return _core.replay([each._words() for each in opened], [each.name for each in opened], given, own, shown, folder)

    return _run(opened, start, folder, quiet, progress)


def sweep(
    study: str | os.PathLike[str],
    out: str | os.PathLike[str],
    *,
    allocator: Allocators | None = None,
    scheduler: Schedulers | None = None,
    network: Networks | None = None,
    threads: int | None = None,
    jobs: bool = False,
    quiet: bool = False,
    progress: bool | None = None,
) -> Results:
    """Runs the study of a TOML file, as `meshreplay sweep` does, and returns its results.

    Every finished cell is kept in `out`. After an interruption, the same call goes on from there.

    Args:
        study: The file.
        out: The directory of the results.
        allocator: Allocators beside those of the file, such as classes of your own; one that is in it is taken once. With these, with schedulers or with
            networks the study runs in this process and its cells are kept as those of `replay`; otherwise it runs in one
            of its own, and `meshreplay sweep` goes on with the directory, too.
        scheduler: Schedulers beside those of the file.
        network: Networks beside those of the file.
        threads: The number of replays that run at once; by default the number of cores.
        jobs: Whether the jobs of every cell are kept; those of cells in this process always are.
        quiet: Whether neither notes nor progress are shown.
        progress: Whether progress is shown on standard error, as by `replay`.
    """
    file = os.path.abspath(study)
    if not os.path.exists(file):
        raise NotFoundError(f"{os.fspath(study)} does not exist")
    given = [(allocator, Allocator), (scheduler, Scheduler), (network, Execution)]
    more = [named(() if each is None else each, base) for each, base in given]
    folder = directory(out)
    if not any(texts for texts, _ in more):
        return run_sweep(os.fspath(study), os.fspath(out), threads, jobs, quiet)

    further = words("replay", {"threads": threads})

    def start(shown: Progress) -> _core.Run:
        return _core.sweep(file, [texts for texts, _ in more], [own for _, own in more], further, shown, folder)

    return _run([], start, folder, quiet, progress)


def _run(
    opened: list[Log], start: Callable[[Progress], _core.Run], out: str | None, quiet: bool, progress: bool | None
) -> Results:
    """Returns the results of replays, with messages in terms of Python. `start` runs them."""

    def message(text: str) -> str:
        for each in opened:
            text = each._named(text)
        text = re.sub(r"guest:(.*?)#[0-9a-f]{12}", r"\1", text).replace("rename the file of one", "give one another name=")
        return with_keywords(text)

    def failure(text: str) -> _core.Error:
        error = (NotFoundError if ": no such file" in text else _core.Error)(message(text))
        error.__cause__ = cause(text)
        return error

    def results(run: _core.Run, is_quiet: bool) -> Results | None:
        notes, errors = [message(note) for note in run.notes], {number: failure(text) for number, _, text in run.errors}
        for error in errors.values():
            if isinstance(error.__cause__, (KeyboardInterrupt, SystemExit)):
                error.__cause__.results = finished(run, notes, errors)  # type: ignore[union-attr]
                raise error.__cause__
        for note in () if is_quiet else notes:
            warn(note)
        failed = [f"{label}: {errors[number]}" for number, label, _ in run.errors]
        if failed and not is_quiet:
            count = f"{len(failed)} of {len(run.replays())} replays failed"
            warn(f"{count}, the first: {failed[0]}; Results.errors has the messages")
        return finished(run, notes, errors)

    def finished(run: _core.Run, notes: list[str], errors: dict[int, _core.Error]) -> Results | None:
        if out is not None:
            return kept_in(out, run, notes, errors)
        return of_run(run, notes, errors) if run.has_results else None

    shown = Progress(False if quiet else progress)
    try:
        run = start(shown)
    except _core.Error as error:
        of = cause(str(error))
        if isinstance(of, (KeyboardInterrupt, SystemExit)):
            raise of
        raise failure(str(error)) from of
    except KeyboardInterrupt as interrupt:
        left = getattr(interrupt, "run", None)
        interrupt.results = None if left is None else results(left, True)  # type: ignore[attr-defined]
        raise
    finally:
        shown.finish()
    try:
        found = results(run, quiet)
        if found is None:
            errors = [(label, failure(text)) for _, label, text in run.errors]
            why = "\n".join(f"{label}: {error}" for label, error in errors) or "there is nothing to replay"
            raise _core.Error(why) from (errors[0][1].__cause__ if errors else None)
    finally:
        for _, _, text in run.errors:
            forget(text)
    return found


def _machine(given: Any) -> Any:
    """Returns a tuple of the numbers of nodes along each dimension as a name, and anything else as it is."""
    is_shape = isinstance(given, tuple) and given and all(isinstance(each, numbers.Integral) for each in given)
    return "x".join(map(str, given)) if is_shape else given


def _opened(log: object) -> Log:
    """Returns a log, or that of a file."""
    if isinstance(log, Log):
        return log
    if hasattr(log, "__arrow_c_stream__"):
        raise ArgumentError(f"a {type(log).__name__} is no log; mr.Log.from_frame(frame) makes one of it")
    if not isinstance(log, (str, os.PathLike)):
        raise ArgumentError(f"{log!r} is no log; expected a mr.Log or the path of a file")
    return read_log(log)


@keyworded("replay")
def compare(
    own: Allocator | Scheduler | Execution | type[Allocator] | type[Scheduler] | type[Execution],
    log: Log | str | os.PathLike[str] | Iterable[Log | str | os.PathLike[str]],
    machine: Machines = "auto",
    against: Names | None = None,
    **options: Unpack[CompareOptions],
) -> Results:
    """Replays an allocator, a scheduler or an execution model of your own beside others.

    The text of the results, `print(mr.compare(Mine, log))`, is the table with the closing lines.

    Args:
        own: A class or an object.
        log: A log, several, or their files.
        machine: Machines; `auto` is as large as that of the log.
        against: What it is compared with. By default an allocator is with `random`, `hilbert+bf`, `mc1x1` and `mm`, a
            scheduler with `fcfs` and `easy`, and an execution model with `recorded`.
        {options}

    Returns:
        The results.

    Raises:
        Error: As `replay`; also if your own fails.
    """
    for base, name, others in _COMPARED:
        if isinstance(own, base) or (isinstance(own, type) and issubclass(own, base)):
            rivals = list(others) if against is None else values(against)
            given: dict[str, Any] = {"allocator": "hilbert+bf", **options, name: [own, *rivals]}
            return replay(log, machine, **given)
    raise ArgumentError(f"{own!r} is no class of yours; expected one derived from mr.Allocator, mr.Scheduler or mr.Execution")


_COMPARED: list[tuple[type, str, tuple[str, ...]]] = [
    (Allocator, "allocator", ("random", "hilbert+bf", "mc1x1", "mm")),
    (Scheduler, "scheduler", ("fcfs", "easy")),
    (Execution, "network", ("recorded",)),
]
"""What classes of one's own are derived from, their keyword, and what they are compared with."""
