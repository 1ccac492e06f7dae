"""Allocators, schedulers and execution models of one's own."""

from __future__ import annotations

import copy
import operator
import traceback
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar, overload

from . import _core
from ._identity import arguments, digest, label
from ._machine import Machine
from ._words import ArgumentError, documented, values

if TYPE_CHECKING:
    import numpy.typing
    from typing_extensions import Self

    from ._machine import Nodes


@documented
class Request(NamedTuple):
    """A job's request for nodes.

    Everything after `sides` is `None` when no job asks: before a replay, when the jobs that can be served at all are
    counted, and in `check`.

    Attributes:
        procs: Number of processors, at least 1 and at most the number of free nodes.
        sides: Sides of the submesh that the job prefers, or `None` if the machine has no such submesh.
        job: Position of the job in the replay, from 0.
        number: Number of the job in its log, as in the column `job` of results.
        user: Number of the user, or `None` if the log does not give one.
        estimate: Run time in seconds as estimated at submission, without predictions.
    """

    procs: int
    sides: tuple[int, ...] | None
    job: int | None = None
    number: int | None = None
    user: int | None = None
    estimate: float | None = None


class _Own:
    """What classes of one's own have in common: the arguments with which an object was made, for its label."""

    def __new__(cls, *given: Any, **named: Any) -> Self:
        """Makes an object, which `__init__` fills."""
        if cls.__init__ is object.__init__ and (given or named):
            raise TypeError(f"{cls.__name__}() takes no arguments")
        own = super().__new__(cls)
        own.__dict__["_arguments"] = arguments(cls, given, named)
        return own

    def begin(self, seed: int) -> None:
        """Is called on a new object or copy before its replay, with the seed of the replay, of its replication or of `check`.

        It may also be called on objects that do not count, such as the one that finds out which jobs can be served at all.
        """


class Allocator(_Own):
    """An allocator of one's own. A subclass has at least `propose`.

    It needs NumPy. The class itself, or an object of it, is given in place of a name:
    `mr.replay(log, "16x16", ["mc1x1", Mine])`. Every replay works with a copy. Its label is the name of the class with
    the arguments of its constructor, such as `Aging(weight=2.0)`; in specs a hash of its code and attributes follows,
    so that a class that was changed is another one. A function `spec`, which returns a dictionary, takes the place of
    the arguments and attributes where these cannot be compared.
    """

    served: ClassVar[str] = "state"
    """When a request is served. `count`: whenever as many nodes are free as it has processors; if it is refused then, the
    replay fails. `submesh`: whenever a free submesh has the job's sides, not turned; placements then have that many nodes.
    `state`: as it likes. Schedulers then ask `propose` what it would choose on a machine as it will be, so that it must
    decide from `machine` alone, and `check` holds it to that."""

    forgets: ClassVar[bool] = True
    """Whether it decides like a new one once all nodes are free again, and whether a proposal that nobody carries out
    changes nothing. `check` holds it to both if so."""

    def propose(self, request: Request, machine: Machine) -> numpy.typing.ArrayLike | None:
        """Returns the nodes of a job in rank order, or `None` if the job must wait.

        They are free nodes, as many as the job has processors, by their numbers or by their coordinates (a row for
        each). Nothing is in use yet: somebody may ask and not carry out what is proposed.
        """
        raise NotImplementedError(f"{type(self).__name__} has no propose(self, request, machine)")

    def taken(self, nodes: Nodes, machine: Machine) -> None:
        """Is called after nodes were taken, by a job or because they are unavailable or down."""

    def released(self, nodes: Nodes, machine: Machine) -> None:
        """Is called after nodes were released."""


@documented
class Job(NamedTuple):
    """A waiting job.

    Attributes:
        job: Position in the replay, from 0.
        procs: Number of processors that it asks for.
        nodes: Number of nodes that it takes.
        submit: Arrival time in seconds.
        estimate: Estimated run time in seconds.
    """

    job: int
    procs: int
    nodes: int
    submit: float
    estimate: float


@documented
class Running(NamedTuple):
    """A running job.

    Attributes:
        job: Position in the replay, from 0.
        nodes: Number of nodes that are free once it has ended.
        start: Start time in seconds.
        end: Estimated end in seconds.
    """

    job: int
    nodes: int
    start: float
    end: float


J = TypeVar("J", bound=Any)


class Jobs(Sequence[J]):
    """Waiting or running jobs, which are read when they are asked for: a call costs nothing for the others.

    It is a sequence, and has a column of all jobs as an array: `view.queue["procs"]`. It shows the jobs during the call
    that it was made for.
    """

    __slots__ = ("_kind", "_rows")

    def __init__(self, rows: _core.JobRows, kind: type[J]) -> None:
        """Use `View`."""
        self._rows = rows
        self._kind: Any = kind

    def __len__(self) -> int:
        return len(self._rows)

    @overload
    def __getitem__(self, key: int) -> J: ...
    @overload
    def __getitem__(self, key: slice) -> list[J]: ...
    @overload
    def __getitem__(self, key: str) -> numpy.typing.NDArray[Any]: ...
    def __getitem__(self, key: int | slice | str) -> J | list[J] | numpy.typing.NDArray[Any]:
        """Returns a job, the jobs of a slice, or a column such as `procs` as an array."""
        if isinstance(key, str):
            import numpy

            if key not in self._kind._fields:
                raise KeyError(f"no column '{key}'; there are {', '.join(self._kind._fields)}")
            is_whole = key in ("job", "procs", "nodes")
            content = self._rows.column(self._kind._fields.index(key))
            return numpy.frombuffer(content, dtype=numpy.int64 if is_whole else numpy.float64)
        if isinstance(key, slice):
            first, last, step = key.indices(len(self))
            return self._from(first, max(last - first, 0))[::step] if step > 0 else self._from(0, len(self))[key]
        place = operator.index(key)
        place += len(self) if place < 0 else 0
        found = self._from(place, 1) if place >= 0 else []
        if found:
            return found[0]
        raise IndexError(f"no job {key}; there are {len(self)}")

    def __iter__(self) -> Iterator[J]:
        """Goes through the jobs. Most schedulers look at the first few."""
        place, count = 0, 4
        while rows := self._from(place, count):
            yield from rows
            place, count = place + count, min(4 * count, 1024)

    def _from(self, place: int, count: int) -> list[J]:
        return [self._kind(*row) for row in self._rows.rows(place, count)]

    def head(self, jobs: int = 10) -> list[J]:
        """Returns the first jobs."""
        return self._from(0, jobs)


@documented
class View(NamedTuple):
    """The state of a machine and its queue, as a scheduler sees it.

    Attributes:
        now: Current time in seconds.
        free: Number of free nodes.
        queue: Waiting jobs in order of arrival.
        running: Running jobs in order of their estimated ends.
        refused: Jobs that the allocator has refused at this instant, by their `job`.
    """

    now: float
    free: int
    queue: Jobs[Job]
    running: Jobs[Running]
    refused: list[int]


class Scheduler(_Own):
    """A scheduler of one's own. A subclass has `dispatch`; it is given as allocators are."""

    def dispatch(self, view: View) -> Sequence[int]:
        """Returns the jobs that start now, in this order, by their `job`; an empty list if none does.

        If the allocator refuses one, those after it do not start, and the function is called again, with the job among
        `view.refused`.
        """
        raise NotImplementedError(f"{type(self).__name__} has no dispatch(self, view)")


@documented
class Started(NamedTuple):
    """A job that starts.

    Attributes:
        job: Position in the replay, from 0.
        procs: Number of processors that it asks for.
        now: Current time in seconds.
        recorded: Run time in the log, in seconds.
        estimate: Estimated run time in seconds.
        machine: The machine, with every node shown as free.
    """

    job: int
    procs: int
    now: float
    recorded: float
    estimate: float
    machine: Machine


class Execution(_Own):
    """An execution model of one's own. A subclass has `run_time`; it is given in place of the name of a network."""

    def run_time(self, job: Started, nodes: Nodes) -> float:
        """Returns how long a job runs, in seconds, on nodes in rank order."""
        raise NotImplementedError(f"{type(self).__name__} has no run_time(self, job, nodes)")

    def ended(self, job: int) -> None:
        """Is called after a job has ended."""


def fresh(given: Any) -> Any:
    """Returns a new object of a class, or a copy of an object, for a replay. Its `begin` is called next."""
    return given() if isinstance(given, type) else copy.deepcopy(given)


def named(given: Any, base: type) -> tuple[list[Any], list[tuple[str, object]]]:
    """Returns the names of algorithms, with `guest:NAME` for each class and object of one's own, and these by name.

    `base` is the class from which they are derived. A name is a label, a number sign, and a hash.
    """
    several = values(given)
    labels: dict[int, tuple[str, str]] = {}
    for position, each in enumerate(several):
        if isinstance(each, base) or (isinstance(each, type) and issubclass(each, base)):
            labels[position] = identity(each, base)
        elif not isinstance(each, str):
            kind = base.__name__
            raise ArgumentError(f"{each!r} is no {kind.lower()}; expected a name, or a class derived from mr.{kind} or an object of it")
    own: dict[str, object] = {}
    for position, (text, hashed) in labels.items():
        # Objects that differ in more than their labels show the hash there, too.
        is_shared = any(text == other and hashed != of for other, of in labels.values())
        name = f"{text}@{hashed}#{hashed}" if is_shared else f"{text}#{hashed}"
        own.setdefault(name, several[position])
        several[position] = f"guest:{name}"
    return several, list(own.items())


def identity(given: Any, base: type) -> tuple[str, str]:
    """Returns the label and the hash of a class or an object."""
    try:
        own = given() if isinstance(given, type) else given
        return label(own), digest(own)
    except Exception as error:
        name = given.__name__ if isinstance(given, type) else type(given).__name__
        raise _core.Error(f"{base.__name__.lower()} '{name}' cannot be made: {explained(error)}") from error


_raised: dict[str, BaseException] = {}
"""The errors of algorithms of one's own by their tracebacks, until a message with the traceback takes one as its cause."""


def cause(message: str) -> BaseException | None:
    """Returns the error whose traceback a message ends with."""
    found = next((text for text in [*_raised] if message.endswith(text)), None)
    return None if found is None else _raised[found]


def forget(message: str) -> None:
    """Forgets the errors whose tracebacks a message has, when their call ends."""
    for text in [*_raised]:
        if text in message:
            _raised.pop(text, None)


def explained(error: BaseException) -> str:
    """Returns the traceback of an error, from the caller's function on that this file has called.

    Remembers the error for `cause`.
    """
    called = trace = error.__traceback__
    while called is not None and called.tb_frame.f_code.co_filename != __file__:
        called = called.tb_next
    shown = called
    while shown is not None and shown.tb_frame.f_code.co_filename == __file__:
        shown = shown.tb_next
    text = "".join(traceback.format_exception(type(error), error, trace if called is None else shown)).rstrip()
    while len(_raised) >= 100:
        _raised.pop(next(iter(_raised)))
    _raised[text] = error
    return text


class AllocatorGuest:
    """An allocator for one replay, called by the native part with bytes."""

    def __init__(self, given: Any, text: str) -> None:
        """Makes the allocator and its machine."""
        import numpy

        # What every call needs, looked up once.
        self.numpy, self.array, self.read = numpy, numpy.ndarray, numpy.frombuffer
        self.node, self.number = numpy.dtype(numpy.uint32), numpy.dtype(numpy.int64)
        self.own: Allocator = fresh(given)
        self.machine = Machine(text)
        self.is_told = [
            getattr(type(self.own), each) is not getattr(Allocator, each) for each in ("taken", "released")
        ]
        self.served = type(self.own).served
        if self.served not in ("state", "count", "submesh"):
            raise ValueError(f"served = {self.served!r}, expected 'state', 'count' or 'submesh'")

    def propose(
        self,
        procs: int,
        sides: tuple[int, ...] | None,
        freed: bytes,
        taken: bytes,
        facts: tuple[int, int, int | None, float] | None,
    ) -> bytes | None:
        """Returns the nodes as 8 bytes each.

        `freed` and `taken` are the nodes that have changed, 4 bytes each, and `facts` what is known of the job.
        """
        free = self.machine._all
        if freed:
            free[self.read(freed, self.node)] = True
        if taken:
            free[self.read(taken, self.node)] = False
        request = Request(procs, sides, *facts) if facts else Request(procs, sides)
        found = self.own.propose(request, self.machine)
        if found is None:
            return None
        nodes = found if type(found) is self.array else self.numpy.asarray(found)
        if nodes.dtype is self.number and nodes.ndim == 1:
            plain: bytes = nodes.tobytes()
            return plain
        if nodes.ndim == 2 and nodes.dtype.kind in "iu":
            nodes = self.machine.numbers(nodes)
        if nodes.ndim != 1 or (nodes.dtype.kind not in "iu" and nodes.size):
            raise TypeError(
                f"propose returned an array of shape {nodes.shape} and type {nodes.dtype}, expected the numbers of "
                "nodes, or a row of coordinates for each node"
            )
        found_bytes: bytes = nodes.astype(self.number).tobytes()
        return found_bytes

    def told(self, is_release: bool, nodes: bytes) -> None:
        """Calls `taken` or `released`."""
        at = self.read(nodes, self.node).astype(self.number)
        self.machine._all[at] = is_release
        (self.own.released if is_release else self.own.taken)(at, self.machine)


class SchedulerGuest:
    """A scheduler for one replay."""

    def __init__(self, given: Any, _text: str) -> None:
        """Makes the scheduler."""
        self.own: Scheduler = fresh(given)

    def dispatch(
        self,
        now: float,
        free: int,
        queue: _core.JobRows,
        running: _core.JobRows,
        refused: list[int],
    ) -> list[int]:
        """Returns the jobs that start."""
        found = self.own.dispatch(View(now, free, Jobs(queue, Job), Jobs(running, Running), refused))
        if isinstance(found, str) or not isinstance(found, Iterable):
            raise TypeError(f"dispatch returned {found!r}, expected a list of jobs by their `job`")
        return [operator.index(job) for job in found]


class ExecutionGuest:
    """An execution model for one replay."""

    def __init__(self, given: Any, text: str) -> None:
        """Makes the model."""
        import numpy

        self.numpy = numpy
        self.own: Execution = fresh(given)
        self.machine = Machine(text)

    def run_time(self, job: int, procs: int, now: float, recorded: float, estimate: float, nodes: bytes) -> float:
        """Returns the run time in seconds."""
        at = self.numpy.frombuffer(nodes, dtype=self.numpy.uint32).astype(self.numpy.int64)
        found = self.own.run_time(Started(job, procs, now, recorded, estimate, self.machine), at)
        if isinstance(found, (str, bytes)):
            raise TypeError(f"run_time returned {found!r}, expected a number of seconds")
        return float(found)

    def ended(self, job: int) -> None:
        """Tells that a job has ended."""
        self.own.ended(job)
