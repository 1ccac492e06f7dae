"""Logs: files of any format, frames, and workload models."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Protocol

from . import _core
from ._frame import Frame
from ._listing import models
from ._source import Temporary
from ._words import NotFoundError, did_you_mean, in_keywords, text, warn, words


class ArrowStream(Protocol):
    """A frame of any library with the Arrow PyCapsule interface: Polars, pandas, pyarrow, DuckDB and others."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any: ...


class Log:
    """A log of jobs that can be replayed. `read_log`, `Log.from_frame` and the workload models make one."""

    __slots__ = ("_argument", "_kept", "_name", "_options", "format")

    format: str
    """The format of the log, or the name of its workload model."""

    def __init__(
        self,
        argument: str,
        *,
        name: str | None = None,
        kept: object = None,
        whole: bool = False,
        _words: list[str] | None = None,
        **options: Any,
    ) -> None:
        """Use `read_log`, `Log.from_frame` or a workload model.

        Reads the first record, or every one if `whole`.
        """
        if argument == "-":
            raise _core.Error("standard input is no log of a package; save it, or make a frame of it")
        self._argument = argument
        self._options = words("reading", options) if _words is None else _words
        self._kept = kept
        try:
            with in_keywords():
                known, self.format = _core.open_log(self._words(), whole)
        except _core.Error as error:
            is_file = not os.path.exists(argument) and argument.partition(":")[0] not in models()["name"]
            raise NotFoundError(str(error)) if is_file else error from None
        self._name = name or known

    @property
    def name(self) -> str:
        """The name of the log in results."""
        return self._name

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickles a log that was made here with its content, and a file by its path."""
        content = None
        if self._kept is not None:
            with open(self._argument, "rb") as file:
                content = file.read()
        return _unpickled, (os.path.basename(self._argument) if content else self._argument, content, self._name, self._options)

    def _named(self, message: str) -> str:
        """Returns a message with the name of the log in place of its temporary file."""
        if self._kept is None:
            return message
        return message.replace(self._argument, self.name).replace(f"{os.path.basename(self._argument)}:", f"{self.name}:")

    def _words(self) -> list[str]:
        """Returns the arguments of the command that name and read the log."""
        return [*self._options, "--", self._argument]

    @classmethod
    def from_frame(
        cls,
        frame: ArrowStream,
        *,
        name: str = "frame",
        columns: Mapping[str, str] | None = None,
        time_zone: str | None = None,
    ) -> Log:
        """Returns the jobs of a frame as a log, one row for each job.

        The columns are found by their names, as those of a table (`mr.formats()`): such as `submit`, `start`, `end` or
        `run`, `procs`, `req_time`, `user`. `columns` names them where they are called differently, such as
        `{"submit": "Submit", "procs": "NNodes"}`. Dates and times without a zone are of `time_zone` (by
        default that of this machine); numbers are seconds.
        Every row is checked now. The frame is written to a temporary file, which lives as long as the log.

        >>> import meshreplay as mr
        >>> frame = mr.lublin(jobs=20, procs=16).records()  # or any frame of Polars, pandas, pyarrow or DuckDB
        >>> mr.Log.from_frame(frame, name="mine")
        <meshreplay.Log mine: table>

        Raises:
            Error: A column is missing, or a row is wrong.
            TypeError: The frame has no Arrow stream.
        """
        if not hasattr(frame, "__arrow_c_stream__"):
            raise TypeError(f"{type(frame).__name__} has no Arrow stream; expected a frame of Polars, pandas, pyarrow or DuckDB")
        meaning = frame.meanings.get("submit_s", "") if isinstance(frame, Frame) else ""
        if begin := re.search(r"\(.* UTC\)", meaning):
            warn(f"{name}: the records hold times from the beginning of the log {begin[0]}, so that the new log has no dates")
        folder = Temporary()
        path = os.path.join(folder.name, f"{_file_name(name)}.csv")
        _core.write_table(frame, path)
        options: dict[str, Any] = {"columns": columns, "time_zone": time_zone}
        if columns is None:
            options["input_format"] = "table"
        try:
            return cls(path, name=name, kept=folder, whole=True, **options)
        except _core.Error as error:
            raise _core.Error(_of_frame(str(error), path)) from None

    def records(self) -> Frame:
        """Returns the records of the log as a frame that `Log.from_frame` takes back, with times in seconds.

        Columns have the names and types of those of jobs in results. A column that no record fills is left out, and what a
        record does not say is missing. A workload model has no records, as its jobs depend on the machine and the seed.

        Submit times count from the beginning of the log, which `meanings["submit_s"]` gives, so that a log of these records has
        no dates. A column `submit` of dates without a zone in place of `submit_s` gives it dates, with `time_zone="UTC"`.
        """
        return Frame(_core.records(self._words()))

    def __repr__(self) -> str:
        return f"<meshreplay.Log {self.name}: {self.format}>"


def _unpickled(argument: str, content: bytes | None, name: str, options: list[str]) -> Log:
    """Returns a log that was pickled."""
    folder = Temporary() if content is not None else None
    if content is not None and folder is not None:
        argument = os.path.join(folder.name, argument)
        with open(argument, "wb") as file:
            file.write(content)
    return Log(argument, name=name, kept=folder, _words=options)


def _of_frame(message: str, path: str) -> str:
    """Returns a message on the temporary file `path` as one on the frame in it: rows count from 0."""

    def place(match: re.Match[str]) -> str:
        return f"row {int(match[1]) - 2}: " if int(match[1]) > 1 else "the frame: "

    def known(match: re.Match[str]) -> str:
        fields = (f'"{key}": "{value}"' for key, value in re.findall(r"([\w-]+)=([^,' ]+)", match[1]))
        return f"name them: columns={{{', '.join(fields)}}}"

    message = re.sub(re.escape(path) + r":(\d+): ", place, message).replace(f"{path}: ", "the frame: ")
    message = re.sub(r"say what they hold by name or number: columns='([^']*)'", known, message)
    return re.sub(r"; lenient=True .*|; --lenient .*", "", message).replace("(run=COLUMN instead", '("run" instead').replace(
        "submit=none", '"submit": "none"'
    )


def _file_name(name: str) -> str:
    """Returns a name as the name of a file."""
    return "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in name) or "frame"


def read_log(
    path: str | os.PathLike[str],
    *,
    name: str | None = None,
    format: str | None = None,
    columns: Mapping[str, str] | str | None = None,
    unit: str | None = None,
    cluster: str | None = None,
    time_zone: str | None = None,
    lenient: bool = False,
) -> Log:
    """Returns the log in a file, plain or compressed with gzip.

    Args:
        path: The file.
        name: The name of the log in results; by default that of the file.
        format: Its format, such as `swf`, `sacct` or `table` (`mr.formats()`). By default its name or its first line
            tells it.
        columns: The columns of a table, such as `{"submit": "Submit", "start": "Start", "procs": "NNodes"}`.
        unit: What the sizes of jobs count, where the format counts several things: `nodes`, `cpus` or `gpus`.
        cluster: The cluster whose jobs are read, where a dump of sacct or a table has several. `each` takes clusters
            for partitions, and a replay has one row for each of them.
        time_zone: The zone of dates that tell none, such as `Europe/Berlin`; by default that of this machine, which a
            note names.
        lenient: Whether malformed lines are skipped and counted, in place of being an error.

    Raises:
        Error: The file cannot be opened, or its first job cannot be read. Later lines are read when it is replayed.
    """
    return Log(
        os.fspath(path),
        name=name,
        input_format=format,
        columns=columns,
        unit=unit,
        cluster=cluster,
        time_zone=time_zone,
        lenient=lenient,
    )


def lublin(
    *,
    jobs: int,
    procs: int,
    load: float | None = None,
    seed: int = 1,
    types: str = "batch+interactive",
    published_sizes: bool = False,
    name: str = "lublin",
) -> Log:
    """Returns a log of the model of Lublin and Feitelson (2003), the same as `meshreplay trace generate` makes.

    Args:
        jobs: The number of jobs.
        procs: The processors of the machine.
        load: The share of what the machine can do that the jobs ask for while they arrive; arrivals are stretched to it.
        seed: The seed of the random numbers.
        types: `batch+interactive`, or `typeless` for one stream of jobs.
        published_sizes: Whether sizes have the published range, up to 128 processors, instead of that of the machine.
        name: The name of the log in results.
    """
    if types not in ("batch+interactive", "typeless"):
        raise _core.Error(f"types={types!r}: expected batch+interactive or typeless")
    folder = Temporary()
    path = os.path.join(folder.name, "lublin.swf")
    _core.generate(path, jobs, procs, load, seed, types == "typeless", published_sizes)
    return Log(path, name=name, kept=folder)


def model(name: str, **parameters: Any) -> Log:
    """Returns the log of a workload model of `mr.models()`, whose jobs are drawn anew from each seed of a replay.

    >>> import meshreplay as mr
    >>> mr.model("synthetic", ratio=1.5, jobs=100).format
    'synthetic'
    """
    names = models()["name"]
    if name not in names:
        raise _core.Error(f"unknown model '{name}'{did_you_mean(name, names)} (one of: {', '.join(names)})")
    given = [f"{key.replace('_', '-')}={text(value)}" for key, value in parameters.items() if value is not None]
    return Log(f"{name}:{','.join(given)}" if given else name)
