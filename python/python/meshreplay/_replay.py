"""Replays of logs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _core
from ._log import Log, read_log
from ._own import Allocator, Execution, Scheduler, named
from ._progress import Progress
from ._results import Results, of_run
from ._words import keyworded, with_keywords, words

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ReplayOptions

Names = str | Sequence[str]
"""A name, or several."""

Allocators = str | Allocator | type[Allocator] | Sequence[str | Allocator | type[Allocator]]
"""Names of allocators, classes or objects, one or several."""

Schedulers = str | Scheduler | type[Scheduler] | Sequence[str | Scheduler | type[Scheduler]]
"""Names of schedulers, classes or objects, one or several."""

Networks = str | Execution | type[Execution] | Sequence[str | Execution | type[Execution]]
"""Names of networks, classes or objects, one or several."""


class Note(UserWarning):
    """A note of the program on a log or a replay, such as how many jobs were left out."""


@keyworded("replay")
def replay(
    log: Log | str | os.PathLike[str] | Iterable[Log | str | os.PathLike[str]],
    machine: Names,
    allocator: Allocators,
    scheduler: Schedulers = "easy",
    *,
    network: Networks | None = None,
    seed: int = 1,
    quiet: bool = False,
    progress: bool | None = None,
    **options: Unpack[ReplayOptions],
) -> Results:
    """Replays every combination of logs, machines, schedulers and allocators, with the results of `meshreplay replay`.

    Args:
        log: A log, several, or their files.
        machine: Machines such as `16x16`, `torus:8x8x4` or `auto`.
        allocator: Allocators such as `hilbert+bf` or `mc1x1` (`mr.allocators()`); `all` is every one. Your own are
            classes or objects (`mr.Allocator`).
        scheduler: Schedulers such as `easy` or `fcfs` (`mr.schedulers()`), or your own (`mr.Scheduler`).
        network: What decides how long jobs run: `recorded` (the default), `wormhole:…` (`mr.networks()`), or your own
            (`mr.Execution`).
        seed: The seed of everything random.
        quiet: Whether nothing is shown: notes are in `Results.notes` and failed replays in `Results.errors` alone.
            Otherwise both are warnings of the category `Note`, too, and progress is shown.
        progress: Whether progress is shown on standard error. By default it is on a terminal and in a notebook.
        {options}

    Returns:
        The results. Replays that failed are in `Results.errors`, while others have results.

    Raises:
        Error: A name, a value or a log is wrong, or every replay failed.
        KeyboardInterrupt: Ctrl-C stops the replays within a second.
    """
    is_several = isinstance(log, Iterable) and not isinstance(log, (Log, str)) and not hasattr(log, "__arrow_c_stream__")
    opened = [_opened(each) for each in log] if is_several else [_opened(log)]  # type: ignore[union-attr]

    def message(text: str) -> str:
        for each in opened:
            text = each._named(text)
        return with_keywords(text)

    keywords: dict[str, Any] = dict(options)
    keywords["allocator"], allocators = named(allocator, Allocator)
    keywords["scheduler"], schedulers = named(scheduler, Scheduler)
    keywords["network"], networks = named(network, Execution)
    given = words("replay", {"machine": machine, "seed": seed, **keywords})
    # Results are kept in memory, where they hold the jobs as those of a directory do. Some options need that.
    given.append("--output=memory")
    shown = Progress(False if quiet else progress)
    try:
        own = [allocators, schedulers, networks]
        run = _core.replay([each._words() for each in opened], [each._name for each in opened], given, own, shown)
    except _core.Error as error:
        raise _core.Error(message(str(error))) from None
    finally:
        shown.finish()
    notes = [message(note) for note in run.notes]
    errors = {number: message(text) for number, _, text in run.errors}
    if not quiet:
        for note in notes:
            warnings.warn(note, Note, stacklevel=2)
    failed = [f"{label}: {errors[number]}" for number, label, _ in run.errors]
    if not run.has_results:
        raise _core.Error("\n".join(failed) or "there is nothing to replay")
    if failed and not quiet:
        count = f"{len(failed)} of {len(run.replays())} replays failed"
        warnings.warn(f"{count}, the first: {failed[0]}; Results.errors has the messages", Note, stacklevel=2)
    return of_run(run, notes, errors)


def _opened(log: object) -> Log:
    """Returns a log, or that of a file."""
    if isinstance(log, Log):
        return log
    if hasattr(log, "__arrow_c_stream__"):
        raise TypeError(f"a {type(log).__name__} is no log; mr.Log.from_frame(frame) makes one of it")
    if not isinstance(log, (str, os.PathLike)):
        raise TypeError(f"{log!r} is no log; expected a mr.Log or the path of a file")
    return read_log(log)


@keyworded("replay")
def compare(
    own: Allocator | type[Allocator],
    log: Log | str | os.PathLike[str] | Iterable[Log | str | os.PathLike[str]],
    machine: Names = "auto",
    against: Names = ("random", "hilbert+bf", "mc1x1", "mm"),
    scheduler: Schedulers = "easy",
    quiet: bool = False,
    progress: bool | None = None,
    **options: Unpack[ReplayOptions],
) -> Results:
    """Replays an allocator of your own beside others, and prints the table and the closing lines of the command.

    Args:
        own: A class or an object.
        log: A log, several, or their files.
        machine: Machines; `auto` is as large as that of the log.
        against: The allocators with which it is compared.
        scheduler: Schedulers.
        {options}

    Returns:
        The results.

    Raises:
        Error: As `replay`; also if the allocator of your own fails.
    """
    others = [against] if isinstance(against, str) else list(against)
    results = replay(log, machine, [own, *others], scheduler, quiet=quiet, progress=progress, **options)
    # The text of results ends with the closing lines.
    print(results)
    return results
