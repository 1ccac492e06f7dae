"""Where results are: in this process, or in a directory."""

from __future__ import annotations

import json
import os
import pathlib
import shutil
import tempfile
import weakref
from collections.abc import Iterable
from dataclasses import dataclass, replace

from . import _core
from ._frame import Frame
from ._words import NotFoundError

NAMED = ("log", "machine", "scheduler", "allocator")
"""The coordinates that every name of a replay has."""

JOINED, CALLS, FIRST = "joined.json", "calls", "first_replay"
"""The file with the manifests of joined results, the key of their list, and that of the number of a call's first replay."""


@dataclass(frozen=True)
class Replay:
    """A replay and the texts by which it is called: each of its coordinates in full and, where there is one, in short."""

    number: int
    labels: dict[str, list[str]]

    def has(self, coordinate: str, value: str | float | type) -> bool:
        """Returns whether a coordinate has this value, as text or as a number, or is of a class of one's own with the name of this one."""
        texts = self.labels.get(coordinate, [])
        is_own = texts[:1] != [] and texts[0].startswith("guest:")
        if isinstance(value, type):
            return is_own and self.has(coordinate, value.__name__)
        if isinstance(value, str):
            # An algorithm of one's own goes by the name of its class, too.
            return value in texts or (is_own and any(text.partition("(")[0] == value for text in texts))
        # Large seeds are no floats.
        return str(value) in texts or any(_number(text) == value for text in texts)

    def called(self, key: str | float | type) -> list[str]:
        """Returns the coordinates that have this value; a number is an arrival scale."""
        of = self.labels if isinstance(key, (str, type)) else ["arrival_scale"]
        return [name for name in of if self.has(name, key)]

    def name(self, varying: Iterable[str]) -> str:
        """Returns log, machine, scheduler and allocator, and the other coordinates that are `varying`."""
        named = [self.labels[name][-1] for name in NAMED if name in self.labels]
        return " ".join(named + [f"{name}={self.labels[name][-1]}" for name in varying])


def _number(text: str) -> float | None:
    """Returns the number that a text is, if it is one."""
    try:
        return float(text)
    except ValueError:
        return None


def directory(given: str | os.PathLike[str]) -> str:
    """Returns the full path of a directory of results. Fails if its name is that of a table."""
    _core.check_directory(given)
    return os.path.abspath(given)


_PREFIX = "meshreplay-"
"""The beginning of the names of temporary directories."""


class Temporary:
    """A directory that is removed with this object, by the process that has made it."""

    def __init__(self) -> None:
        self.name = tempfile.mkdtemp(prefix=_PREFIX)
        weakref.finalize(self, _remove, self.name, os.getpid())


def _remove(folder: str, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


@dataclass(frozen=True)
class Folder:
    """A directory with results: those of the replays of these numbers, or of all."""

    path: str
    numbers: set[int] | None = None
    kept: Temporary | None = None
    """The directory if it is a temporary one. It may have links to the files of cells of another one."""
    is_joined: bool = False
    """Whether it has results of several runs, which may have different options."""

    def frame(self, name: str) -> Frame | None:
        """Returns a frame; `None` if the directory has none of this name."""
        self.check()
        found = _core.read_frame(self.path, name)
        if found is None:
            return None
        return Frame(found if self.numbers is None else found.of_replays(self.numbers))

    def check(self) -> None:
        """Fails if files were removed that the directory has links to."""
        links = pathlib.Path(self.path, "cells")
        for link in links.iterdir() if self.kept is not None and links.is_dir() else ():
            if not link.exists():
                raise NotFoundError(f"{link.resolve()} is gone; the same call makes it again")

    def part(self, numbers: set[int]) -> Folder:
        """Returns the results of some replays."""
        return replace(self, numbers=numbers)

    def verdict(self) -> list[str]:
        """Returns the closing lines."""
        return [] if self.is_joined else _core.verdict_of(self.path, self.numbers)

    def table(self, columns: list[str]) -> tuple[list[str], list[list[str]], str]:
        """Returns the table: titles, rows, and text."""
        return _core.table_of(self.path, self.numbers, columns)

    def save(self, folder: str, format: str, force: bool) -> None:
        """Copies the results into a directory."""
        _core.copy_results([(self.path, self.numbers, 0)], None, folder, format, force)
        settle(folder)

    @property
    def manifest(self) -> str:
        """The content of run.json, of study.json, or of the file that joined results have."""
        for name in ("run.json", "study.json", JOINED):
            path = pathlib.Path(self.path, name)
            if path.exists():
                return path.read_text(encoding="utf-8")
        raise NotFoundError(f"{self.path} has neither run.json nor study.json")


class Live:
    """Results of this process."""

    is_joined = False

    def __init__(self, run: _core.Run, numbers: set[int] | None = None) -> None:
        self.run, self.numbers = run, numbers
        self.verdict, self.table = run.verdict, run.table

    def save(self, folder: str, format: str, force: bool) -> None:
        """Writes the results into a directory."""
        self.run.save(folder, format, force)
        settle(folder)

    def frame(self, name: str) -> Frame | None:
        """Returns a frame; `None` if nobody asked for it."""
        found = self.run.summary() if name == "summary" else self.run.detail(name)
        return None if found is None else Frame(found)

    def part(self, numbers: set[int]) -> Live | None:
        """Returns the results of some replays; `None` if all of them failed."""
        run = self.run.part(numbers)
        return None if run is None else Live(run, numbers)

    @property
    def manifest(self) -> str:
        """The content of run.json."""
        return self.run.manifest


def settle(folder: str, was: str | None = None) -> None:
    """Leaves out of place.json, from which reports have the command that repeats a run, what is in temporary directories.

    The file has a path from its directory, which was `was` if given.
    """
    path = pathlib.Path(folder, "place.json")
    if not path.exists():
        return
    place = json.loads(path.read_text(encoding="utf-8"))
    logs = {name: file for name, file in place["logs"].items() if not _is_temporary(os.path.dirname(file))}
    is_temporary = _is_temporary(os.path.dirname(os.path.abspath(folder)))
    work = os.path.realpath(os.path.join(was or folder, place["directory"])) if is_temporary else place["directory"]
    if (logs, work) != (place["logs"], place["directory"]):
        path.write_text(json.dumps({**place, "directory": work, "logs": logs}, indent=2) + "\n", encoding="utf-8")


def _is_temporary(folder: str) -> bool:
    return os.path.basename(folder).startswith(_PREFIX)
