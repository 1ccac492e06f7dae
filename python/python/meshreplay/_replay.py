"""Replays of logs."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from . import _core
from ._log import Log, read_log
from ._progress import Progress
from ._results import Results, of_run
from ._words import words

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ReplayOptions

Names = str | Sequence[str]
"""A name, or several."""


class Note(UserWarning):
    """A note of the program on a log or a replay, such as how many jobs were left out."""


def replay(
    log: Log | str | os.PathLike[str] | Iterable[Log | str | os.PathLike[str]],
    machine: Names,
    allocator: Names,
    scheduler: Names = "easy",
    *,
    seed: int = 1,
    quiet: bool = False,
    progress: bool | None = None,
    **options: Unpack[ReplayOptions],
) -> Results:
    """Replays every combination of logs, machines, schedulers and allocators, with the results of `meshreplay replay`.

    Args:
        log: A log, several, or their files.
        machine: Machines such as `16x16`, `torus:8x8x4` or `auto`.
        allocator: Allocators such as `hilbert+bf` or `mc1x1` (`mr.allocators()`); `all` is every one.
        scheduler: Schedulers such as `easy` or `fcfs` (`mr.schedulers()`).
        seed: The seed of everything random.
        quiet: Whether the notes of the program are kept in `Results.notes` alone, and no progress is shown. Otherwise
            notes are warnings of the category `Note`, too.
        progress: Whether progress is shown on standard error. By default it is on a terminal and in a notebook.
        **options: Every other option of the command by its own name, such as `arrival_scale`, `contention`,
            `placements` or `trim`; `help(meshreplay._options)` explains them. `timed=False` makes results the same on
            every run.

    Returns:
        The results. Replays that failed are in `Results.errors`, while others have results.

    Raises:
        Error: A name, a value or a log is wrong, or every replay failed.
        KeyboardInterrupt: Ctrl-C stops the replays within a second.
    """
    logs = [log] if isinstance(log, (Log, str, os.PathLike)) else list(log)
    opened = [each if isinstance(each, Log) else read_log(each) for each in logs]
    given = words(
        "replay", {"machine": machine, "allocator": allocator, "scheduler": scheduler, "seed": seed, **options}
    )
    # Results are kept in memory, where they hold the jobs as those of a directory do. Some options need that.
    given.append("--output=memory")
    shown = Progress(False if quiet else progress)
    try:
        run = _core.replay([each._words() for each in opened], [each._name for each in opened], given, shown)
    finally:
        shown.finish()
    if not quiet:
        for note in run.notes:
            warnings.warn(note, Note, stacklevel=2)
    failed = [f"{label}: {message}" for _, label, message in run.errors]
    if not run.has_results:
        raise _core.Error("\n".join(failed) or "there is nothing to replay")
    if failed:
        count = f"{len(failed)} of {len(run.replays())} replays failed"
        warnings.warn(f"{count}, the first: {failed[0]}; Results.errors has the messages", Note, stacklevel=2)
    return of_run(run)
