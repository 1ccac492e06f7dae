"""The results of replays."""

from __future__ import annotations

import functools
import html
import json
import operator
import os
import pathlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from . import _core
from ._frame import Frame, html_table
from ._listing import plots
from ._picture import Picture
from ._source import CALLS, FIRST, NAMED, Folder, Live, Replay, Temporary, directory, settle
from ._words import NotFoundError, did_you_mean, in_keywords, keyworded, values, warn, with_keywords, words

if TYPE_CHECKING:
    import numpy
    import numpy.typing
    from typing_extensions import Unpack

    from ._options import PlotOptions

Key = str | int | float | slice | type | tuple[str | int | float | type, ...]
"""Selects replays: a position, a slice of positions, or values of their coordinates, such as `("16x16", "mc1x1", 0.9)`.

A number with a point is an arrival scale."""

T = TypeVar("T")

Value = str | int | float | type | Sequence[str | int | float | type]
"""A value of a coordinate, or several."""

Notes = list[str] | dict[str, set[int]]
"""Notes; of joined results with the numbers of the replays of their calls."""


class Results:
    """The results of one replay or several.

    `summary` has a row for each replay and seed, `jobs` one for each job. `r.sel(allocator="mc1x1")` selects replays by
    their coordinates, `r["mc1x1", "easy", 0.9]` by values that are of one coordinate each, `r[0]` and `r[2:5]` by position.
    Parts, results of a directory and results that were pickled can do all that results can, but `state` needs the replays.

    >>> import meshreplay as mr
    >>> log = mr.lublin(jobs=100, procs=16, load=0.9)
    >>> r = mr.replay(log, machine="4x4", allocator=["naive", "mc1x1"], scheduler=["fcfs", "easy"], quiet=True)
    >>> len(r), len(r["mc1x1"]), len(r.sel(allocator="mc1x1", scheduler="easy")), len(r[-1]), len(r[1:3])
    (4, 2, 1, 1, 2)
    """

    notes: list[str]
    """The notes of the program, such as how many jobs were left out; empty for results of a directory."""
    errors: dict[int, _core.Error]
    """The errors of the replays that failed, by their numbers in the summary; empty for results of a directory."""

    def __init__(
        self, replays: list[Replay], source: Live | Folder | None, notes: Notes, errors: dict[int, _core.Error]
    ) -> None:
        """Use `replay` or `read_results`."""
        self._replays, self._source, self._notes, self.errors = replays, source, notes, errors
        self._frames: dict[str, Frame | None] = {}
        numbers = {replay.number for replay in replays}
        self.notes = notes if isinstance(notes, list) else [note for note, of in notes.items() if of & numbers] + self._differences()

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
        others = [name for name in (labels[0] if labels else {}) if name not in NAMED]
        return [name for name in others if len({str(each.get(name)) for each in labels}) > 1]

    def sel(self, **coordinates: Value) -> Results:
        """Returns the replays with these values of their coordinates: `r.sel(allocator=["mc1x1", "mm"], scheduler="easy")`.

        Raises:
            KeyError: No replay has a value, or there is no such coordinate.
        """
        selected = self._replays
        for name, value in coordinates.items():
            known = list(dict.fromkeys(each for replay in self._replays for each in replay.labels))
            if name not in known:
                raise KeyError(f"no coordinate '{name}'{did_you_mean(name, known) or '.'} There are {', '.join(known)}")
            for each in values(value):
                if not any(replay.has(name, each) for replay in self._replays):
                    texts = {text for replay in self._replays for text in replay.labels.get(name, [])}
                    raise KeyError(f"no replay has {name}={each!r}{did_you_mean(str(each), texts) or '.'} There are {self._some_names()}")
            selected = [replay for replay in selected if any(replay.has(name, each) for each in values(value))]
        if not selected:
            asked = ", ".join(f"{name}={value!r}" for name, value in coordinates.items())
            raise KeyError(f"no replay has {asked}. There are {self._some_names()}")
        return self._part(selected)

    def __getitem__(self, key: Key) -> Results:
        """Returns the results of the replays at a position or in a slice, or with these values of their coordinates.

        Raises:
            IndexError: There is no such position.
            KeyError: No replay has these values, or several coordinates have one of them; `sel` names the coordinate.
        """
        return self._part(self._selected(key))

    def _part(self, selected: list[Replay]) -> Results:
        if selected == self._replays:
            return self
        numbers = {replay.number for replay in selected}
        errors = {number: error for number, error in self.errors.items() if number in numbers}
        has_failed = self._source is None or numbers.isdisjoint(self.summary["replay"])
        return Results(selected, None if has_failed else self._any().part(numbers), self._notes, errors)

    def _selected(self, key: Key) -> list[Replay]:
        if isinstance(key, slice):
            return self._replays[key]
        if isinstance(key, bool):
            raise KeyError(f"{key!r} is no position and no value of a coordinate; sel names the coordinate")
        if hasattr(key, "__index__"):
            key = operator.index(key)
            if not -len(self) <= key < len(self):
                raise IndexError(f"no replay {key}; there are {len(self)}, from 0")
            return [self._replays[key]]
        parts = key if isinstance(key, tuple) else (key,)
        for part in parts:
            of = list(dict.fromkeys(name for replay in self._replays for name in replay.called(part)))
            if len(of) > 1:
                raise KeyError(f"{part!r} is a value of {' and '.join(of)}; r.sel({of[0]}={part!r}) names the coordinate")
        selected = [replay for replay in self._replays if all(map(replay.called, parts))]
        if not selected:
            known = {text for replay in self._replays for texts in replay.labels.values() for text in texts}
            missing = [part for part in parts if not any(replay.called(part) for replay in self._replays)]
            hint = "".join(did_you_mean(str(part), known) for part in missing[:1] if str(part) not in known)
            asked = " and ".join(map(repr, missing or parts))
            raise KeyError(f"no replay has {asked}{hint or '.'} There are {self._some_names()}")
        return selected

    def _some_names(self) -> str:
        return _some(self.names)

    def _one(self, key: Key) -> Replay:
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
        return self._found("summary", "there is no summary")

    @property
    def jobs(self) -> Frame:
        """Every job of every replay, in the order of the log: the same as in the file `jobs`."""
        return self._found("jobs", "the results do not hold the jobs; mr.sweep(…, jobs=True) keeps those of a study")

    def _found(self, name: str, otherwise: str) -> Frame:
        found = self.frame(name)
        if found is None:
            raise _core.Error(otherwise)
        return found

    def frame(
        self, name: str, *, dates: bool = False, nodes: Literal["intervals", "list"] = "intervals"
    ) -> Frame | None:
        """Returns the frame of this name: `summary`, `jobs`, `fragmentation`, `slices`, `shapes`, `downtimes`, `latency`, `tidy`.

        `None` if the replays have none, as nobody asked for it. Other libraries get the times `submit_s`, `start_s` and
        `end_s` as dates in UTC with `dates=True`, which are missing for logs without a known beginning, and with
        `nodes="list"` the nodes of a job as a list of numbers in place of intervals such as `0-3 7`.
        """
        if name not in _FRAMES:
            raise _core.Error(f"no frame '{name}'{did_you_mean(name, _FRAMES)} (one of: {', '.join(_FRAMES)})")
        if name not in self._frames:
            self._frames[name] = self._whole(name)
        found = self._frames[name]
        if nodes not in ("intervals", "list"):
            raise _core.Error(f"nodes={nodes!r}: expected 'intervals' or 'list'")
        if found is None or not (dates or nodes == "list"):
            return found
        of = {replay.number: self._log_of(replay).get("starts") for replay in self._replays} if dates else {}
        starts = {number: 1_000_000 * start["unix_s"] for number, start in of.items() if start}
        return Frame(found._native.in_forms(starts if dates else None, nodes == "list"))

    def _whole(self, name: str) -> Frame | None:
        """Returns a frame; `None` if no replay has it. Fails if only some of several calls have it."""
        found = self._any().frame(name)
        # Replays without outages have no downtimes.
        if found is None or not self._any().is_joined or name in ("summary", "downtimes"):
            return found
        lacking = {*self.summary["replay"]} - {*found["replay"]}
        names = [replay.name(self._varying()) for replay in self._replays if replay.number in lacking]
        if names and len(found):
            remedy = "mr.sweep(…, jobs=True) keeps that of a study" if name == "jobs" else "ask for it in that call, too"
            raise _core.Error(f"there is no frame '{name}' of {_some(names)}: {remedy}, or select the others")
        return None if names else found

    def _any(self) -> Live | Folder:
        """Returns what has the results. Fails if no replay has any."""
        if self._source is None:
            unfinished = f"{self._some_names()}: the replay was not finished" if self._replays else "these are no replays"
            raise next(iter(self.errors.values()), None) or _core.Error(unfinished)
        return self._source

    def _call(self, replay: Replay) -> dict[str, Any]:
        """Returns the manifest of the call that a replay is of; empty if there is none."""
        calls = [call for call in self._calls if call.get(FIRST, 0) <= replay.number]
        return calls[-1] if calls else {}

    @functools.cached_property
    def _calls(self) -> list[dict[str, Any]]:
        """The manifests of the calls that these are results of; none of a directory without one."""
        try:
            manifest = self.manifest
        except NotFoundError:
            return []
        return list(manifest.get(CALLS, [manifest]))

    def _log_of(self, replay: Replay) -> dict[str, Any]:
        """Returns what the manifest has on the log of a replay."""
        logs = self._call(replay).get("logs", [])
        return next((log for log in logs if log["name"] == replay.labels["log"][0]), {})

    @property
    def verdict(self) -> str:
        """The answer in words: which allocator or scheduler is the best, by how much, and how certain that is.

        Empty where nothing is compared.
        """
        return "\n".join(self._verdict)

    @functools.cached_property
    def _verdict(self) -> list[str]:
        # Results have no directory to name in a command.
        rest = r"(\d+ more groups?)(: meshreplay table .*|; keep the results .*)"
        return [with_keywords(re.sub(rest, r"\1; r.sel selects one", line)) for line in self._any().verdict()]

    @property
    def manifest(self) -> dict[str, Any]:
        """What was run, with every default: the content of run.json. A part has that of its run.

        After `concat` it has these of all calls in `calls`, each with the number of its first replay.
        """
        manifest: dict[str, Any] = json.loads(self._any().manifest)
        return manifest

    def head(self, replays: int = 10) -> Results:
        """Returns the results of the first replays."""
        return self[:replays]

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles the files of these replays, the notes and the errors; `state` needs the replays themselves."""
        root = pathlib.Path(self._path())
        files = {os.fspath(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
        source = self._any()
        return _unpickled, (os.fspath(root), files, source.numbers, source.is_joined, self._replays, self._notes, self.errors)

    def __copy__(self) -> Results:
        """Returns the same results, which never change."""
        return self

    def __deepcopy__(self, memo: object) -> Results:
        """Returns the same results, which never change."""
        return self

    def table(self, *columns: str) -> str:
        """Returns the summary as text, with these columns in place of its own choice.

        Of replays of this process it is the table that the command prints, otherwise that of a report.
        """
        with in_keywords():
            return self._any().table(list(columns))[2]

    def state(self, at: float) -> States:
        """Returns the machines at a time in seconds of the replay, with all starts and ends of that instant."""
        source = self._any()
        if not isinstance(source, Live):
            raise _core.Error("a state needs the replay itself; replay the log again")
        return States(self, source.run, at)

    def paired(self, column: str = "wait_s", **coordinate: tuple[str | float, str | float]) -> Frame:
        """Returns the differences of a number between two replays, job by job: `r.paired("wait_s", allocator=("snug", "mm"))`.

        A row is a job of two replays of one call that differ in this coordinate alone: their numbers, `seed` and `job`, the
        values `first` and `second`, and `difference`, second minus first.
        """
        if len(coordinate) != 1:
            raise _core.Error("paired compares two values of one coordinate, such as allocator=('snug', 'mm')")
        ((name, values),) = coordinate.items()
        if isinstance(values, str) or len(values) != 2 or values[0] == values[1]:
            raise _core.Error(f"{name}={values!r}: expected two values")
        kinds = {type(value) for value in self.jobs[column]}
        if not kinds <= {int, float, bool, type(None)}:
            raise _core.Error(f"column '{column}' has no numbers")
        sides = [self.sel(**{name: value})._replays for value in values]
        pairs = []
        for first in sides[0]:
            others = {key: texts for key, texts in first.labels.items() if key != name}
            same = [each for each in sides[1] if {key: texts for key, texts in each.labels.items() if key != name} == others]
            pairs += [(first.number, each.number) for each in same if self._call(each).get(FIRST) == self._call(first).get(FIRST)]
        if not pairs:
            of_call = " of one call" if self._any().is_joined else ""
            raise _core.Error(f"no two replays{of_call} differ in {name} alone")
        by_replay: dict[int, dict[tuple[int, int], Any]] = {}
        for replay, seed, job, value in zip(*(self.jobs[each] for each in ("replay", "seed", "job", column))):
            of_jobs = by_replay.setdefault(replay, {})
            if (seed, job) in of_jobs:
                raise _core.Error(f"job {job} is twice in replay {replay}, so that jobs cannot be paired")
            of_jobs[seed, job] = value
        rows = ["first_replay,second_replay,seed,job,first,second,difference"]
        for one, other in pairs:
            for (seed, job), value in by_replay.get(one, {}).items():
                second = by_replay.get(other, {}).get((seed, job))
                if value is not None and second is not None:
                    rows.append(f"{one},{other},{seed},{job},{value!r},{second!r},{second - value!r}")
        if len(rows) == 1:
            raise _core.Error(f"no job has a number '{column}' in both of two replays; those that were not finished have none")
        return Frame(_core.frame_of_csv("\n".join(rows) + "\n"))

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
        return Picture(self._drawn(_core.plot, kind, options))

    @keyworded("drawing")
    def plot_data(self, kind: str, **options: Unpack[PlotOptions]) -> Frame:
        """Returns the numbers that `plot` draws with the same options, for a picture of one's own.

        A row is a point of a curve, a bar, a mark of a box, or a rectangle, in `panel` and of `series`. `x` and `y` are
        values of the axes, times in seconds of the replay; bars have their position as `x` and their name in `group`.
        `low` and `high` are the ends of confidence intervals, also where a picture cuts these at 0. Rectangles reach to
        `x_end` and `y_end` and show `value`. Columns without values are left out. Titles of the axes and units are in
        `meanings` and `units`.

        >>> import meshreplay as mr
        >>> r = mr.replay(mr.lublin(jobs=90, procs=16), (4, 4), ["naive", "mc1x1"], quiet=True)
        >>> bars = r.plot_data("ratio", relative_to="naive")
        >>> bars["series"], bars["y"][0], bars.meanings["y"]
        (['naive', 'mc1x1'], 1.0, 'pairwise sum relative to naive')

        Args:
            kind: What is drawn.
            {options}
        """
        return Frame(self._drawn(_core.plot_data, kind, options))

    def _drawn(self, draw: Callable[[str, str, list[str]], T], kind: str, options: Mapping[str, Any]) -> T:
        """Returns what a function makes of a kind of picture."""
        for difference in self._differences():
            if kind == "ratio":
                raise _core.Error(f"ratio: {difference}; select those of one call, or with the same options")
            warn(f"{kind}: {difference}")
        if self._any().is_joined:
            known = plots()
            needs = dict(zip(known["name"], known["needs"])).get(kind, "")
            try:
                self.frame("jobs" if needs.startswith(("jobs", "causes")) else "fragmentation" if "fragmentation" in needs else "summary")
            except _core.Error as error:
                warn(f"{kind}: {error}")
        with in_keywords():
            return draw(self._path(), kind, words("drawing", options))

    def _differences(self) -> list[str]:
        """Returns a note on the options that change means and in which the calls of these replays differ, if there are any."""
        if self._source is None or not self._source.is_joined:
            return []
        calls = [self._call(replay) for replay in self._replays]
        given = [call.get("options", call) for call in calls]
        unlike = [name for name in _CHANGING if len({repr(each.get(name)) for each in given}) > 1]
        return [f"the results differ in {', '.join(unlike)}: their means are of different jobs or circumstances"] if unlike else []

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
        if self._any().is_joined:
            raise _core.Error("a report is of one run; make one for each, before mr.concat")
        title = title or ("meshreplay" if isinstance(self._source, Live) else None)
        with in_keywords():
            return _core.report(self._path(), self._files.kept is not None, os.path.abspath(path), title, window, show or [], force)

    def save(
        self,
        folder: str | os.PathLike[str],
        *,
        format: Literal["parquet", "arrow", "csv", "json", "jsonl"] = "parquet",
        force: bool = False,
    ) -> None:
        """Writes the files of `meshreplay replay -o`, those of replays of this process with the same bytes.

        Args:
            folder: The directory, which is made if needed.
            format: `parquet`, `arrow`, `csv`, `json` or `jsonl`.
            force: Whether results of another run, or other replays of this one, are replaced.
        """
        if self._any().is_joined:
            raise _core.Error("a directory is of one run; save the results of each call before mr.concat")
        with in_keywords():
            self._any().save(directory(folder), format, force)

    def _path(self) -> str:
        """Returns a directory of these results alone; a temporary one, unless they are all of a directory."""
        return self._files.path

    @functools.cached_property
    def _files(self) -> Folder:
        source = self._any()
        if isinstance(source, Folder):
            source.check()
            if source.numbers is None:
                return source
        kept = Temporary()
        path = os.path.join(kept.name, "results")
        source.save(path, "parquet", False)
        return Folder(path, None, kept)

    def __repr__(self) -> str:
        if self._source is None:
            return f"<meshreplay.Results: failed: {self._some_names()}>"
        return self.table() + ("\n" + "\n".join(self._verdict) + "\n" if self._verdict else "")

    def _repr_html_(self) -> str:
        if self._source is None:
            return f"<p>{html.escape(repr(self))}</p>"
        titles, rows, _ = self._source.table([])
        lines = "".join(f"<p>{html.escape(line)}</p>" for line in self._verdict)
        return html_table(titles, [list(row) for row in rows]) + lines


def _some(names: list[str], most: int = 8) -> str:
    """Returns the first names of a list, and how many more there are."""
    unlike = list(dict.fromkeys(names))
    return "; ".join(unlike[:most]) + (f" and {len(unlike) - most} more" if len(unlike) > most else "")


_CHANGING = ("trim_percent", "period", "shake", "outages", "on_outage", "node_map")
"""The options that change means."""

_FRAMES = ("summary", "jobs", "tidy", "shapes", "fragmentation", "slices", "downtimes", "latency")
"""The frames that results may have."""


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

        extents, nodes, _, _ = self._state(key)
        # Nodes are numbered along x first, which is the order of Fortran.
        return numpy.frombuffer(nodes, dtype=numpy.int64).reshape(extents, order="F")

    def running(self, key: Key) -> list[RunningJob]:
        """Returns the running jobs, in the order of their starts."""
        return [RunningJob(*job) for job in self._state(key)[2]]

    def waiting(self, key: Key) -> int:
        """Returns the number of jobs that wait."""
        return self._state(key)[3]

    def __repr__(self) -> str:
        return f"<meshreplay.States of {len(self._results)} replays at {self.at:,} s>"


def of_run(run: _core.Run, notes: list[str], errors: dict[int, _core.Error]) -> Results:
    """Returns the results of replays of this process."""
    replays = [Replay(number, dict(labels)) for number, labels in enumerate(run.replays())]
    return Results(replays, Live(run) if run.has_results else None, notes, errors)


def read_results(folder: str | os.PathLike[str]) -> Results:
    """Returns the results in a directory of `replay -o`, `sweep -o` or `Results.save`.

    Raises:
        FileNotFoundError: There is no such directory.
        Error: It holds no results.
    """
    path = os.path.abspath(folder)
    if not os.path.isdir(path):
        raise NotFoundError(f"{path} does not exist")
    found = of_folder(Folder(path), [], {})
    missing = sum(len(call.get("cells", [])) for call in found._calls) - len(found)
    if missing > 0:
        found.notes.append(f"{missing} of {missing + len(found)} replays are not in the directory: not finished, failed, or of a part that was not saved")
    return found


def of_folder(found: Folder, notes: list[str], errors: dict[int, _core.Error]) -> Results:
    """Returns the results in a directory."""
    summary = found.frame("summary")
    if summary is None:
        raise _core.Error(f"{found.path} holds no results; expected a directory of `replay -o` or `sweep -o`")
    coordinates = _core.coordinates()
    columns = {
        name: (summary[name], summary[resolved if resolved in summary else name])
        for name, resolved, _ in coordinates
        if name in summary
    }
    replays: dict[int, Replay] = {}
    for row, number in enumerate(summary["replay"]):
        # Summaries have no columns for a period and partitions that nobody gave; replays have these coordinates all the same.
        labels = {name: default for name, _, default in coordinates}
        for name, (shown, resolved) in columns.items():
            # Whole numbers of a column of floats have no point in names.
            label, spec = (str(column[row]).removesuffix(".0") if isinstance(column[row], float) else str(column[row]) for column in (shown, resolved))
            labels[name] = list(dict.fromkeys([*_core.labels(name, spec), label]))
        replays.setdefault(number, Replay(number, labels))
    results = Results([replays[number] for number in sorted(replays)], found, notes, errors)
    results._frames["summary"] = summary
    return results


def _unpickled(
    root: str,
    files: dict[str, bytes],
    numbers: set[int] | None,
    is_joined: bool,
    replays: list[Replay],
    notes: Notes,
    errors: dict[int, _core.Error],
) -> Results:
    """Returns results from their files, which were in the directory `root`."""
    kept = Temporary()
    folder = os.path.join(kept.name, "results")
    for name, content in files.items():
        path = pathlib.Path(folder, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    settle(folder, root)
    return Results(replays, Folder(folder, numbers, kept, is_joined), notes, errors)
