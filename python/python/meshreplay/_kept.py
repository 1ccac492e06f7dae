"""Results of several calls: joined, or kept in one directory."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from . import _core
from ._results import Results, of_folder
from ._source import CALLS, FIRST, JOINED, Folder, Replay, Temporary
from ._words import warn


def concat(results: Iterable[Results]) -> Results:
    """Returns the results of several calls as one run, with new numbers of replays.

    Columns that some of them lack are null there. Calls may have different options, so that `verdict` compares nothing, and there is neither
    a report nor a directory of them; a note names options that change means. Replays of different calls that would have equal
    names are an error, as are logs of one name that are not the same, and replays that are there twice.

    >>> import meshreplay as mr
    >>> log = mr.lublin(jobs=50, procs=16)
    >>> several = [mr.replay(log, (4, 4), each, quiet=True) for each in ("naive", "mc1x1")]
    >>> mr.concat(several).summary["allocator"]
    ['naive', 'mc1x1']
    """
    sources: list[tuple[str, set[int] | None, int]] = []
    runs: list[tuple[int, list[str]]] = []
    replays: list[Replay] = []
    notes: dict[str, set[int]] = {}
    errors: dict[int, _core.Error] = {}
    calls: list[dict[str, Any]] = []
    first = 0
    # The list keeps the directories of the results until they are copied.
    parts = list(results)
    for part in parts:
        if not isinstance(part, Results):
            raise TypeError(f"{part!r} are no results; expected those of mr.replay, mr.sweep or mr.read_results")
    _refuse_equal_names(parts)
    for each in parts:
        if each._source is not None:
            sources.append((each._path(), None, first))
            runs.append((first, each.summary["run"]))
            calls += [{**call, FIRST: first + call.get(FIRST, 0)} for call in each._calls or [{}]]
        replays += [replace(replay, number=first + replay.number) for replay in each._replays]
        errors |= {first + number: error for number, error in each.errors.items()}
        of_notes = each._notes if isinstance(each._notes, dict) else dict.fromkeys(each._notes, {replay.number for replay in each._replays})
        for note, of in of_notes.items():
            notes.setdefault(note, set()).update(first + number for number in of)
        first = max((replay.number for replay in replays), default=-1) + 1
    if not sources:
        raise _core.Error("there are no results")
    kept = Temporary()
    path = os.path.join(kept.name, "results")
    run = "r" + hashlib.sha256(repr(runs).encode()).hexdigest()[:16]
    _core.copy_results(sources, run, path, "parquet", False)
    pathlib.Path(path, JOINED).write_text(json.dumps({CALLS: calls}), encoding="utf-8")
    joined = Results(replays, Folder(path, None, kept, True), notes, errors)
    for note in joined._differences():
        warn(note)
    return joined


_RECORDS = {"version", "name", "description", "jobs", "logs", "cells", "replays", "clock_ns", "timed", FIRST}
"""What a manifest has beside the options of its replays."""


def _refuse_equal_names(parts: list[Results]) -> None:
    """Fails if a log or a replay has the name of another one, or if a replay is there twice.

    Tables and pictures would take them for one log, or for repetitions of one replay.
    """
    remedy = "give the logs different names with name="
    logs: dict[str, Any] = {}
    known: dict[tuple[Any, ...], tuple[int, Results, Replay]] = {}
    for position, part in enumerate(parts):
        if part._source is None:
            continue
        by_number = {replay.number: replay for replay in part._replays}
        for replay in by_number.values():
            name, content = replay.labels["log"][0], part._log_of(replay).get("sha256")
            if logs.setdefault(name, content) != content:
                raise _core.Error(f"'{name}' is the name of several logs, so that tables would take them for one; {remedy}")
        for number, seed in zip(part.summary["replay"], part.summary["seed"]):
            replay = by_number[number]
            called = (seed, *(texts[-1] for key, texts in replay.labels.items() if key != "seed"))
            first, other, earlier = known.setdefault(called, (position, part, replay))
            if first == position:
                continue
            found = [key for key, texts in replay.labels.items() if texts[0] != earlier.labels[key][0] and key != "seed"]
            one, two = other._call(earlier), part._call(replay)
            found += [key for key in one if key in two and key not in _RECORDS and one[key] != two[key]]
            name = replay.name(part._varying())
            if not found:
                raise _core.Error(f"'{name}' with seed {seed} is in several results, and tables would count it twice; leave it out of all but one")
            what = f"which differ in {', '.join(dict.fromkeys(found))}, so that tables would take them for one"
            raise _core.Error(f"'{name}' is the name of replays of several results, {what}; {remedy}, or classes of your own a function spec")


def kept_in(folder: str, run: _core.Run, notes: list[str], errors: dict[int, _core.Error]) -> Results | None:
    """Returns the results of replays that a directory keeps; `None` if it has none."""
    found = _snapshot(folder)
    if found is None or found.frame("summary") is None:
        return None
    held = of_folder(found, notes, errors)
    replays = [Replay(number, dict(labels)) for number, labels in enumerate(run.replays())]
    return Results(replays, held._source, notes, errors)


def _snapshot(folder: str) -> Folder | None:
    """Returns the study that a directory holds now, which later calls with it do not change; `None` without results.

    Frames of the study are written anew under their names, so that links keep the present ones. Files of cells have a name
    for each content.
    """
    there = pathlib.Path(folder)
    # A call may be interrupted before it has written anything.
    if not (there / "study.json").exists() or not (there / "cells").is_dir():
        return None
    kept = Temporary()
    here = pathlib.Path(kept.name)
    (here / "cells").mkdir()
    for name in ("study.json", "summary.parquet", "tidy.parquet"):
        if (there / name).exists():
            _link(os.link, there / name, here / name)
    keys = {cell["key"] for cell in json.loads((here / "study.json").read_text(encoding="utf-8"))["cells"]}
    files = [path for path in (there / "cells").iterdir() if path.suffix == ".parquet" and path.name.partition(".")[0] in keys]
    for path in files:
        _link(os.symlink, path, here / "cells" / path.name)
    return Folder(kept.name, None, kept) if files else None


def _link(link: Callable[[pathlib.Path, pathlib.Path], None], file: pathlib.Path, at: pathlib.Path) -> None:
    """Makes a link to a file, or a copy of it where the system has no such links."""
    try:
        link(file, at)
    except OSError:
        shutil.copyfile(file, at)
