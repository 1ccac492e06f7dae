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


def concat(results: Iterable[Results]) -> Results:
    """Returns the results of several calls as one run, with new numbers of replays.

    Columns that some of them lack are null there, and frames have rows of the calls that asked for them only. Calls may measure different
    things, so that `verdict` compares nothing, and there is neither a report nor a directory of them.

    Tables and pictures would take replays for repetitions of one, or compare them, where they must not. So these are errors: a replay
    that is there twice, two logs of one name, and options that change what is replayed or averaged, such as `trim` and `outages`.

    >>> import meshreplay as mr
    >>> log = mr.lublin(jobs=50, procs=16)
    >>> several = [mr.replay(log, (4, 4), each, quiet=True) for each in ("naive", "mc1x1")]
    >>> mr.concat(several).summary["allocator"]
    ['naive', 'mc1x1']
    """
    sources: list[tuple[str, set[int] | None, int]] = []
    runs: list[tuple[int, list[str]]] = []
    replays: list[Replay] = []
    notes: list[str] = []
    errors: dict[int, _core.Error] = {}
    calls: list[dict[str, Any]] = []
    first = 0
    # The list keeps the directories of the results until they are copied.
    parts = list(results)
    for part in parts:
        if not isinstance(part, Results):
            raise TypeError(f"{part!r} are no results; expected those of mr.replay, mr.sweep or mr.read_results")
    _refuse_unlike(parts)
    for each in parts:
        if each._source is not None:
            sources.append((each._path(), None, first))
            runs.append((first, each.summary["run"]))
            calls += [{**call, FIRST: first + call.get(FIRST, 0)} for call in each._calls or [{}]]
        replays += [replace(replay, number=first + replay.number) for replay in each._replays]
        errors |= {first + number: error for number, error in each.errors.items()}
        notes += [note for note in each.notes if note not in notes]
        first = max((replay.number for replay in replays), default=-1) + 1
    if not sources:
        raise _core.Error("there are no results")
    kept = Temporary()
    path = os.path.join(kept.name, "results")
    run = "r" + hashlib.sha256(repr(runs).encode()).hexdigest()[:16]
    _core.copy_results(sources, run, path, "parquet", False)
    pathlib.Path(path, JOINED).write_text(json.dumps({CALLS: calls}), encoding="utf-8")
    return Results(replays, Folder(path, None, kept, True), notes, errors)


_DECIDING = ("trim_percent", "shake", "period", "outages", "on_outage", "node_map")
"""Entries of a manifest that change what is replayed or averaged, and are no coordinates."""


def _refuse_unlike(parts: list[Results]) -> None:
    """Fails if results cannot stand beside each other, as replays are equal, or as logs or options are not."""
    calls: list[dict[str, Any]] = []
    logs: dict[str, str] = {}
    known: dict[tuple[str, ...], tuple[Replay, set[int]]] = {}
    for part in parts:
        if part._source is None:
            continue
        for call in part._calls:
            calls.append(call)
            found = [key for key in _DECIDING if calls[0].get(key) != call.get(key)]
            if found:
                what = ", ".join(f"{key}={calls[0].get(key)!r} and {call.get(key)!r}" for key in found)
                raise _core.Error(f"the calls have {what}; tables would compare their replays, so replay them with equal options")
            for log in call.get("logs", []):
                if logs.setdefault(log["name"], log["sha256"]) != log["sha256"]:
                    raise _core.Error(f"two logs have the name '{log['name']}'; give them different ones with name=")
        seeds: dict[int, set[int]] = {}
        for number, seed in zip(part.summary["replay"], part.summary["seed"]):
            seeds.setdefault(number, set()).add(seed)
        for replay in part._replays:
            name = tuple(texts[-1] for texts in replay.labels.values())
            earlier, used = known.setdefault(name, (replay, set()))
            called, its = replay.name(part._varying()), seeds.get(replay.number, set())
            found = [key for key, texts in replay.labels.items() if texts[0] != earlier.labels[key][0]]
            if found:
                what = f"which differ in {', '.join(found)}, so that tables would take them for one"
                raise _core.Error(f"'{called}' is the name of two replays, {what}; give classes of your own a function spec")
            if its & used:
                raise _core.Error(f"'{called}' is there twice with seed {min(its & used)}, and would count twice; leave one out")
            used |= its


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
