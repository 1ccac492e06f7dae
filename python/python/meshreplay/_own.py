"""Allocators, schedulers and execution models of one's own."""

from __future__ import annotations

import copy
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from . import _core
from ._machine import Machine
from ._words import documented

if TYPE_CHECKING:
    import numpy.typing

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


class Allocator:
    """An allocator of one's own. A subclass has at least `propose`.

    It needs NumPy. The class itself, or an object of it, is given in place of a name:
    `mr.replay(log, "16x16", ["mc1x1", Mine])`. Its label is the name of the class. Every replay works with a copy.
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
        raise NotImplementedError

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
    queue: list[Job]
    running: list[Running]
    refused: list[int]


class Scheduler:
    """A scheduler of one's own. A subclass has `dispatch`; it is given as allocators are."""

    def dispatch(self, view: View) -> Sequence[int]:
        """Returns the jobs that start now, in this order, by their `job`; an empty list if none does.

        If the allocator refuses one, those after it do not start, and the function is called again, with the job among
        `view.refused`.
        """
        raise NotImplementedError


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


class Execution:
    """An execution model of one's own. A subclass has `run_time`; it is given in place of the name of a network."""

    def run_time(self, job: Started, nodes: Nodes) -> float:
        """Returns how long a job runs, in seconds, on nodes in rank order."""
        raise NotImplementedError

    def ended(self, job: int) -> None:
        """Is called after a job has ended."""


T = TypeVar("T")


def fresh(given: T | type[T]) -> T:
    """Returns a new object of a class, or a copy of an object."""
    return given() if isinstance(given, type) else copy.deepcopy(given)


def class_name(given: object) -> str:
    """Returns the name of a class, or of an object's class."""
    return given.__name__ if isinstance(given, type) else type(given).__name__


def named(given: Any, base: type) -> tuple[Any, list[tuple[str, object]]]:
    """Returns the names of algorithms, with `guest:NAME` for each class and object of one's own, and these by name.

    `base` is the class from which they are derived.
    """
    several = list(given) if isinstance(given, (list, tuple)) else [given]
    own: list[object] = []
    for each in several:
        is_own = isinstance(each, base) or (isinstance(each, type) and issubclass(each, base))
        if is_own and not any(each is other for other in own):
            own.append(each)
    labels = _labels(own, base)
    names = [next((f"guest:{label}" for label, other in labels if other is each), each) for each in several]
    return (names if isinstance(given, (list, tuple)) else names[0]), labels


def _labels(own: list[object], base: type) -> list[tuple[str, object]]:
    """Returns each algorithm with its label: the name of its class.

    Objects of one class have the attributes in which they differ, too, such as `Aging(weight=2.0)`.
    """
    labels: list[tuple[str, object]] = []
    for each in own:
        label = class_name(each)
        same = [other for other in own if class_name(other) == label]
        if len(same) > 1:
            values = [vars(fresh(other)) for other in same]
            mine = values[[other is each for other in same].index(True)]
            differ = [
                key
                for key, value in mine.items()
                if not key.startswith("_") and len({repr(other.get(key)) for other in values}) > 1 and len(repr(value)) <= 40
            ]
            label += f"({', '.join(f'{key}={mine[key]!r}' for key in differ)})" if differ else ""
        labels.append((label, each))
    twice = {label for label, _ in labels if [other for other, _ in labels].count(label) > 1}
    for label in sorted(twice):
        raise _core.Error(
            f"two {base.__name__.lower()}s have the label {label}; give their classes different names, or their objects "
            "attributes that differ"
        )
    return labels


def explained(error: BaseException) -> str:
    """Returns the traceback of an error, from the caller's function on that this file has called."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename != __file__:
        trace = trace.tb_next
    begin = trace.tb_next if trace is not None else None
    return "".join(traceback.format_exception(type(error), error, begin or error.__traceback__)).rstrip()


class AllocatorGuest:
    """An allocator for one replay, called by the native part with bytes."""

    def __init__(self, given: Any, text: str, shape: Sequence[int], torus: Sequence[bool]) -> None:
        """Makes the allocator and its machine."""
        import numpy

        # What every call needs, looked up once.
        self.numpy, self.array, self.read = numpy, numpy.ndarray, numpy.frombuffer
        self.node, self.number = numpy.dtype(numpy.uint32), numpy.dtype(numpy.int64)
        self.own: Allocator = fresh(given)
        self.machine = Machine(text, tuple(shape), tuple(torus))
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
        if nodes.ndim == 2:
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

    def __init__(self, given: Any) -> None:
        """Makes the scheduler."""
        self.own: Scheduler = fresh(given)

    def dispatch(
        self,
        now: float,
        free: int,
        queue: list[tuple[int, int, int, float, float]],
        running: list[tuple[int, int, float, float]],
        refused: list[int],
    ) -> list[int]:
        """Returns the jobs that start."""
        view = View(now, free, [Job(*each) for each in queue], [Running(*each) for each in running], refused)
        return [int(job) for job in self.own.dispatch(view)]


class ExecutionGuest:
    """An execution model for one replay."""

    def __init__(self, given: Any, text: str, shape: Sequence[int], torus: Sequence[bool]) -> None:
        """Makes the model."""
        import numpy

        self.numpy = numpy
        self.own: Execution = fresh(given)
        self.machine = Machine(text, tuple(shape), tuple(torus))

    def run_time(self, job: int, procs: int, now: float, recorded: float, estimate: float, nodes: bytes) -> float:
        """Returns the run time in seconds."""
        at = self.numpy.frombuffer(nodes, dtype=self.numpy.uint32).astype(self.numpy.int64)
        return float(self.own.run_time(Started(job, procs, now, recorded, estimate, self.machine), at))

    def ended(self, job: int) -> None:
        """Tells that a job has ended."""
        self.own.ended(job)


class Laws:
    """What `check` has found. It prints as a table, with a counterexample for each law that is broken."""

    def __init__(self, text: str, broken: list[tuple[str, str, str]]) -> None:
        """Use `check`."""
        self._text = text
        self.counterexamples = [text for _, _, text in broken]
        """The smallest history that was found for each law that is broken, with the machine drawn as a mesh."""
        self.broken = [law for _, law, _ in broken]
        """The names of the laws that are broken."""

    def __bool__(self) -> bool:
        """Returns whether every law is kept."""
        return not self.broken

    def __str__(self) -> str:
        return "\n".join([self._text, *self.counterexamples]).rstrip()

    __repr__ = __str__


def check(
    *allocators: type[Allocator] | Allocator | str,
    machine: str | Sequence[str] = (),
    seed: int = 1,
    events: int = 300,
) -> Laws:
    """Holds allocators to the laws that every allocator keeps, as the command `meshreplay check` does.

    Args:
        *allocators: Classes or objects, or names of built-in allocators.
        machine: Machines; by default fourteen small ones.
        seed: The seed of the random histories.
        events: The number of events of each history.

    Returns:
        What was found. `print(mr.check(Mine))` shows it; it is true if every law is kept.

    Raises:
        Error: An allocator serves none of the machines, or cannot be made.
    """
    named: list[tuple[str, object | None]] = [
        (each, None) if isinstance(each, str) else (class_name(each), each) for each in allocators
    ]
    machines = [machine] if isinstance(machine, str) else list(machine)
    return Laws(*_core.check(named, machines, seed, events))

