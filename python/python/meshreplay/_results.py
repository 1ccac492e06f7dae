"""The results of replays."""

from __future__ import annotations

import html
import json
import os
import pathlib
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from . import _core
from ._frame import Frame, html_table
from ._picture import Picture
from ._words import did_you_mean, in_keywords, keyworded, words

if TYPE_CHECKING:
    import numpy
    import numpy.typing
    from typing_extensions import Unpack

    from ._options import PlotOptions

Key = str | int | float | slice | tuple[str | int | float, ...]
"""Selects replays: a position, a slice of positions, or values of their coordinates, such as `("16x16", "mc1x1", 0.9)`.

A number with a point is an arrival scale."""


_NAMED = ("log", "machine", "scheduler", "allocator")
"""The coordinates that every name of a replay has."""


@dataclass(frozen=True)
class _Replay:
    """A replay and the texts by which it is called: each of its coordinates in full and, where there is one, in short."""

    number: int
    labels: dict[str, list[str]]

    def is_called(self, key: str | float) -> bool:
        """Returns whether a coordinate has this value; a number is an arrival scale."""
        if isinstance(key, str):
            return any(key in texts for texts in self.labels.values())
        return any(float(text) == key for text in self.labels.get("arrival_scale", []))

    def name(self, varying: Iterable[str]) -> str:
        """Returns log, machine, scheduler and allocator, and the other coordinates that are `varying`."""
        named = [self.labels[name][-1] for name in _NAMED if name in self.labels]
        return " ".join(named + [f"{name}={self.labels[name][-1]}" for name in varying])


class _Folder:
    """Results in a directory."""

    def __init__(self, path: str, kept: object = None) -> None:
        self.path = path
        self._kept = kept

    def frame(self, name: str) -> Frame | None:
        found = _core.read_frame(self.path, name)
        return None if found is None else Frame(found)


@dataclass(frozen=True)
class _Kept:
    """What results have besides their files, also after pickling."""

    notes: list[str]
    errors: dict[int, str]
    verdict: str | None
    """The closing lines of results that were pickled; otherwise `None`."""


class Results:
    """The results of one replay or several.

    `summary` has a row for each replay and seed, `jobs` one for each job. `r["mc1x1"]` selects an allocator,
    `r["16x16", "easy", 0.9]` a machine, a scheduler and an arrival scale, `r[0]` and `r[2:5]` replays by position.

    >>> import meshreplay as mr
    >>> log = mr.lublin(jobs=100, procs=16, load=0.9)
    >>> r = mr.replay(log, machine="4x4", allocator=["naive", "mc1x1"], scheduler=["fcfs", "easy"], quiet=True)
    >>> len(r), len(r["mc1x1"]), len(r["mc1x1", "easy"]), len(r[-1]), len(r[1:3])
    (4, 2, 1, 1, 2)
    """

    def __init__(
        self,
        replays: list[_Replay],
        run: _core.Run | None = None,
        folder: _Folder | None = None,
        whole: Results | None = None,
        kept: _Kept | None = None,
    ) -> None:
        """Use `replay` or `read_results`."""
        self._replays = replays
        self._run = run
        self._folder = folder
        self._whole = whole
        self._frames: dict[str, Frame | None] = {}
        self._kept: _Kept = whole._kept if whole is not None else kept or _Kept([], {}, None)

    # What was replayed.

    def __len__(self) -> int:
        """Returns the number of replays, also of those that failed."""
        return len(self._replays)

    def __iter__(self) -> Iterator[Results]:
        """Goes through the replays, each as results of its own."""
        return (self[position] for position in range(len(self)))

    @property
    def names(self) -> list[str]:
        """The names of the replays: log, machine, scheduler and allocator, and what else differs, such as the scale."""
        return [replay.name(self._varying()) for replay in self._replays]

    def _varying(self) -> list[str]:
        """Returns the other coordinates in which the replays differ."""
        labels = [replay.labels for replay in self._replays]
        others = [name for name in (labels[0] if labels else {}) if name not in _NAMED]
        return [name for name in others if len({str(each.get(name)) for each in labels}) > 1]

    def __getitem__(self, key: Key) -> Results:
        """Returns the results of the replays at a position or in a slice, or with these values of their coordinates.

        Raises:
            IndexError: There is no such position.
            KeyError: No replay has these values.
        """
        return Results(self._selected(key), self._run, self._folder, self._whole or self)

    def _selected(self, key: Key) -> list[_Replay]:
        if isinstance(key, slice):
            return self._replays[key]
        if isinstance(key, int):
            if not -len(self) <= key < len(self):
                raise IndexError(f"no replay {key}; there are {len(self)}, from 0")
            return [self._replays[key]]
        parts = key if isinstance(key, tuple) else (key,)
        selected = [replay for replay in self._replays if all(map(replay.is_called, parts))]
        if not selected:
            known = {text for replay in self._replays for texts in replay.labels.values() for text in texts}
            missing = [part for part in parts if not any(replay.is_called(part) for replay in self._replays)]
            hint = "".join(did_you_mean(str(part), known) for part in missing[:1])
            asked = " and ".join(map(repr, missing or parts))
            raise KeyError(f"no replay has {asked}{hint or '.'} There are {self._some_names()}")
        return selected

    def _some_names(self, most: int = 8) -> str:
        names = list(dict.fromkeys(self.names))
        return "; ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")

    def _one(self, key: Key) -> _Replay:
        selected = self._selected(key)
        if len(selected) > 1:
            varying = self._varying()
            names = "; ".join(f"{self._replays.index(replay)}: {replay.name(varying)}" for replay in selected)
            raise KeyError(f"{key!r} selects {len(selected)} replays; give more values, or a position ({names})")
        return selected[0]

    # What came out.

    @property
    def summary(self) -> Frame:
        """The numbers of every replay and seed: the same as in the file `summary`."""
        found = self.frame("summary")
        if found is None:
            raise _core.Error("there is no summary")
        return found

    @property
    def jobs(self) -> Frame:
        """Every job of every replay, in the order of the log: the same as in the file `jobs`."""
        found = self.frame("jobs")
        if found is None:
            raise _core.Error("the results do not hold the jobs; `meshreplay sweep --jobs` keeps those of a study")
        return found

    def frame(self, name: str) -> Frame | None:
        """Returns the frame of this name: `summary`, `jobs`, `fragmentation`, `shapes`, `slices`, `downtimes` or `tidy`.

        `None` if the replays have none, as nobody asked for it.
        """
        if name not in self._frames:
            self._frames[name] = self._load(name)
        return self._frames[name]

    def _load(self, name: str) -> Frame | None:
        if self._whole is not None:
            frame = self._whole.frame(name)
            if frame is None:
                return None
            return Frame(frame._native.of_replays([replay.number for replay in self._replays]))
        if self._run is not None:
            found = self._run.summary() if name == "summary" else self._run.detail(name)
            return None if found is None else Frame(found)
        return None if self._folder is None else self._folder.frame(name)

    @property
    def notes(self) -> list[str]:
        """The notes of the program, such as how many jobs were left out."""
        return self._kept.notes

    @property
    def errors(self) -> dict[int, str]:
        """The messages of the replays that failed, by their numbers in the summary."""
        return self._kept.errors

    @property
    def verdict(self) -> str:
        """The answer in words: which allocator or scheduler is the best, by how much, and how certain that is.

        Empty where nothing is compared.
        """
        if self._kept.verdict is not None and self._whole is None:
            return self._kept.verdict
        return "\n".join(self._live("the closing line").verdict())

    @property
    def manifest(self) -> dict[str, Any]:
        """What was run, with every default: the content of run.json."""
        if self._run is None and self._whole is None:
            with open(os.path.join(self._path(), "run.json"), encoding="utf-8") as file:
                content = file.read()
        else:
            content = self._live("run.json").manifest
        manifest: dict[str, Any] = json.loads(content)
        return manifest

    def head(self, replays: int = 10) -> Results:
        """Returns the results of the first replays."""
        return self[:replays]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the result files, the notes and the closing lines; `state` and `table` need the replays themselves."""
        whole = self._whole or self
        files = {}
        for path in sorted(pathlib.Path(whole._path()).rglob("*")):
            if path.is_file():
                files[os.fspath(path.relative_to(whole._path()))] = path.read_bytes()
        kept = self._kept if whole._run is None else replace(self._kept, verdict=whole.verdict)
        return _unpickled, (files, kept, None if whole is self else [replay.number for replay in self._replays])

    def __copy__(self) -> Results:
        """Returns the same results, which never change."""
        return self

    def __deepcopy__(self, memo: object) -> Results:
        """Returns the same results, which never change."""
        return self

    def table(self, *columns: str) -> str:
        """Returns the summary as the text that the command prints, with these columns in place of its own choice."""
        return self._live("the table").text(list(columns))

    def _live(self, what: str) -> _core.Run:
        """Returns the replays themselves. Fails for results from a directory, and for a part of the replays."""
        if self._run is None:
            raise _core.Error(f"{what} is there only for replays of this process; this was read from {self._path()}")
        if self._whole is not None:
            raise _core.Error(f"{what} is of all replays together; take the results without [...]")
        return self._run

    def state(self, at: float) -> States:
        """Returns the machines at a time in seconds of the replay, with all starts and ends of that instant."""
        if self._run is None:
            raise _core.Error("a state needs the replay itself; replay the log again")
        return States(self, self._run, at)

    # What is made of it.

    @keyworded("drawing")
    def plot(
        self,
        kind: str,
        **options: Unpack[PlotOptions],
    ) -> Picture:
        """Returns a picture of `mr.plots()`, such as `frontier`.

        Args:
            kind: What is drawn.
            {options}
        """
        with in_keywords():
            return Picture(_core.plot(self._path(), kind, words("drawing", options)))

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        title: str | None = None,
        window: tuple[float, float] | None = None,
        show: list[str] | None = None,
        force: bool = False,
    ) -> list[str]:
        """Writes one HTML file with tables, pictures and, of replays with `placements=True`, the machine over time.

        Args:
            path: The file.
            title: The title of the page.
            window: The time for which the machine is shown, from and to, in seconds of the replay.
            show: The allocators whose machines are shown side by side.
            force: Whether a file that is no report is overwritten.

        Returns:
            Notes on what is missing.
        """
        title = title or ("meshreplay" if self._run is not None else None)
        return _core.report(self._path(), os.path.abspath(path), title, window, show or [], force)

    def save(self, folder: str | os.PathLike[str], *, format: str = "parquet", force: bool = False) -> None:
        """Writes the files of `meshreplay replay -o`, with the same bytes.

        Args:
            folder: The directory, which is made if needed.
            format: `parquet`, `arrow`, `csv`, `json` or `jsonl`.
            force: Whether results of another run are replaced.
        """
        self._live("what is saved").save(os.path.abspath(folder), format, force)

    def _path(self) -> str:
        """Returns the directory of the results. Those of replays of this process are written to a temporary one."""
        if self._whole is not None:
            raise _core.Error("pictures and reports are of all replays together; take the results without [...]")
        if self._folder is None:
            kept = tempfile.TemporaryDirectory(prefix="meshreplay-")
            self.save(os.path.join(kept.name, "results"))
            self._folder = _Folder(os.path.join(kept.name, "results"), kept)
        return self._folder.path

    def __repr__(self) -> str:
        if self._run is None or self._whole is not None:
            return f"<meshreplay.Results: {len(self)} {'replay' if len(self) == 1 else 'replays'}: {self._some_names()}>"
        lines = self._run.verdict()
        return self._run.text() + ("\n" + "\n".join(lines) + "\n" if lines else "")

    def _repr_html_(self) -> str:
        if self._run is None or self._whole is not None:
            return self.summary._repr_html_()
        titles, rows = self._run.table()
        lines = "".join(f"<p>{html.escape(line)}</p>" for line in self._run.verdict())
        return html_table(titles, [list(row) for row in rows]) + lines


@dataclass(frozen=True)
class RunningJob:
    """A job that runs at one moment."""

    job: int
    """The number of the job in the log."""
    start_s: float
    """The start, in seconds of the replay."""
    procs: int
    """The processors that it asked for."""
    nodes: list[int]
    """Its nodes in rank order."""


class States:
    """The machines of several replays at one moment: `states["mc1x1"]` is an array of one."""

    def __init__(self, results: Results, run: _core.Run, at: float) -> None:
        """Use `Results.state`."""
        self._results = results
        self._run = run
        self.at = float(at)
        self._known: dict[int, _core.State] = {}

    def _state(self, key: Key) -> _core.State:
        number = self._results._one(key).number
        if number not in self._known:
            self._known[number] = self._run.state(number, self.at)
        return self._known[number]

    def __getitem__(self, key: Key) -> numpy.typing.NDArray[numpy.int64]:
        """Returns what each node holds, in the shape of the machine: `array[x, y]` is the node at x, y. On a
        tree of switches `array[i, j]` is node i of leaf j, and `array[i, j, k]` that of leaf j in group k.

        It is the number of a job; −1 on a free node, −2 on one that no job can have, and −3 on one that is down.
        """
        import numpy

        state = self._state(key)
        # Nodes are numbered along x first, which is the order of Fortran.
        return numpy.frombuffer(state.bytes(), dtype=numpy.int64).reshape(state.extents, order="F")

    def running(self, key: Key) -> list[RunningJob]:
        """Returns the running jobs, in the order of their starts."""
        return [RunningJob(*job) for job in self._state(key).running]

    def waiting(self, key: Key) -> int:
        """Returns the number of jobs that wait."""
        return self._state(key).waiting

    def __repr__(self) -> str:
        return f"<meshreplay.States of {len(self._results)} replays at {self.at:,} s>"


def of_run(run: _core.Run, notes: list[str], errors: dict[int, str]) -> Results:
    """Returns the results of replays of this process."""
    replays = [_Replay(number, dict(labels)) for number, labels in enumerate(run.replays())]
    return Results(replays, run, kept=_Kept(notes, errors, None))


def read_results(folder: str | os.PathLike[str]) -> Results:
    """Returns the results in a directory of `replay -o`, `sweep -o` or `Results.save`."""
    found = _Folder(os.path.abspath(folder))
    summary = found.frame("summary")
    if summary is None:
        raise _core.Error(f"{found.path} holds no results; expected a directory of `replay -o` or `sweep -o`")
    columns = {
        name: (summary[name], summary[resolved if resolved in summary.columns else name])
        for name, resolved in _core.coordinates()
        if name in summary.columns
    }
    replays: dict[int, _Replay] = {}
    for row, number in enumerate(summary["replay"]):
        labels: dict[str, list[str]] = {}
        for name, (shown, resolved) in columns.items():
            texts = _core.labels(name, str(resolved[row]))
            labels[name] = list(dict.fromkeys([*texts, str(shown[row])]))
        replays.setdefault(number, _Replay(number, labels))
    results = Results([replays[number] for number in sorted(replays)], folder=found)
    results._frames["summary"] = summary
    return results


def _unpickled(files: dict[str, bytes], kept: _Kept, numbers: list[int] | None) -> Results:
    """Returns results from their files."""
    folder = tempfile.TemporaryDirectory(prefix="meshreplay-")
    for name, content in files.items():
        path = pathlib.Path(folder.name, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    results = read_results(folder.name)
    assert results._folder is not None
    results._folder._kept = folder
    results._kept = kept
    if numbers is None:
        return results
    part = [replay for replay in results._replays if replay.number in numbers]
    return Results(part, None, results._folder, results)
