"""Allocators, schedulers and execution models of one's own."""

from __future__ import annotations

import copy
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeVar

from . import _core

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    Bools = numpy.typing.NDArray[numpy.bool_]
    Nodes = numpy.typing.NDArray[numpy.int64]


class Request(NamedTuple):
    """What a job asks for."""

    procs: int
    """The number of processors, at least 1 and at most as many as nodes are free."""
    sides: tuple[int, ...] | None
    """The sides of the submesh that the job prefers; `None` if the machine has no such submesh."""
    job: int | None = None
    """The job's position in the replay, from 0; `None` if the question is only what could be served, before a replay and in
    `check`. Then nothing of what follows is known either."""
    number: int | None = None
    """The number of the job in its log, as in the column `job` of results."""
    user: int | None = None
    """The number of its user; `None` if the log does not tell it."""
    estimate: float | None = None
    """Its run time in seconds as it was estimated when it was submitted. Predictions are not in it."""


class Machine:
    """A machine as an allocator sees it.

    Nodes have numbers and coordinates: node `x + width * (y + length * z)` is `free[x, y, z]`. Arrays of the machine's
    shape therefore have the order of Fortran: `free.ravel("F")[n]` is node n.
    """

    __slots__ = ("__weakref__", "_all", "free", "shape", "text", "torus")

    def __init__(self, text: str, shape: tuple[int, ...], torus: tuple[bool, ...]) -> None:
        """Every node is free."""
        import numpy

        self.text = text
        """The machine in one word, such as `16x16` or `torus:8x8x4`."""
        self.shape = shape
        """The number of nodes along each dimension."""
        self.torus = torus
        """Whether each dimension wraps around."""
        count = 1
        for extent in shape:
            count *= extent
        self._all = numpy.ones(count, dtype=numpy.bool_)
        view = self._all.reshape(shape, order="F")
        view.flags.writeable = False
        self.free: Bools = view
        """Which nodes are free, as an array of the machine's shape: a view that cannot be written to, and that is always
        up to date. It is the same memory at every call, so keep a copy if you keep it."""

    @property
    def free_count(self) -> int:
        """The number of free nodes."""
        return int(self._all.sum())

    def free_nodes(self) -> Nodes:
        """Returns the numbers of the free nodes, ascending."""
        nodes: Nodes = self._all.nonzero()[0]
        return nodes

    def numbers(self, coordinates: numpy.typing.ArrayLike) -> Nodes:
        """Returns the numbers of nodes that are given by their coordinates, a row for each node."""
        import numpy

        rows = numpy.asarray(coordinates, dtype=numpy.int64)
        if rows.ndim != 2 or rows.shape[1] != len(self.shape):
            raise ValueError(f"coordinates of shape {rows.shape}, expected a row of {len(self.shape)} for each node")
        if ((rows < 0) | (rows >= numpy.array(self.shape))).any():
            raise ValueError(f"coordinates outside the machine of shape {self.shape}")
        strides = numpy.cumprod((1, *self.shape[:-1]))
        numbers: Nodes = rows @ strides
        return numbers

    def coordinates(self, nodes: numpy.typing.ArrayLike) -> Nodes:
        """Returns the coordinates of nodes that are given by their numbers, a row for each node."""
        import numpy

        left = numpy.asarray(nodes, dtype=numpy.int64)
        columns = []
        for extent in self.shape:
            columns.append(left % extent)
            left = left // extent
        rows: Nodes = numpy.stack(columns, axis=-1)
        return rows

    def hops(self, dimension: int, a: numpy.typing.ArrayLike, b: numpy.typing.ArrayLike) -> Nodes:
        """Returns the hops between positions of one dimension, the shorter way round if it wraps around."""
        import numpy

        straight: Nodes = numpy.abs(numpy.asarray(a, dtype=numpy.int64) - numpy.asarray(b, dtype=numpy.int64))
        if not self.torus[dimension]:
            return straight
        shorter: Nodes = numpy.minimum(straight, self.shape[dimension] - straight)
        return shorter

    def shells(self, centre: Sequence[int], sides: Sequence[int] | None = None) -> Nodes:
        """Returns for every node the shell in which it is, in the machine's shape.

        Shell 0 is the submesh of `sides` whose smallest coordinates are `centre` (by default the node itself), shell i
        are the nodes at L∞ distance i from it. The submesh must lie inside the machine without wrapping around.
        """
        import numpy

        shell = numpy.zeros(self.shape, dtype=numpy.int64)
        for d, extent in enumerate(self.shape):
            first = centre[d]
            last = first + (sides[d] if sides is not None else 1) - 1
            at = numpy.arange(extent)
            away = numpy.minimum(self.hops(d, at, first), self.hops(d, at, last))
            away[first : last + 1] = 0
            along = [1] * len(self.shape)
            along[d] = extent
            shell = numpy.maximum(shell, away.reshape(along))
        return shell

    def free_boxes(self, sides: Sequence[int]) -> Nodes:
        """Returns the coordinates of the bases of all free submeshes with these sides: a row for each, x fastest.

        Submeshes wrap around where the machine does; of those that go all the way round there is one.
        """
        import numpy

        fits = self.free.copy()
        for d, (extent, side) in enumerate(zip(self.shape, sides, strict=True)):
            if not 1 <= side <= extent:
                return numpy.zeros((0, len(self.shape)), dtype=numpy.int64)
            wraps = self.torus[d] and side < extent
            parts = [fits, fits.take(range(side - 1), axis=d)] if wraps else [fits]
            long = numpy.concatenate(parts, axis=d).astype(numpy.int64)
            zero = numpy.zeros_like(long.take([0], axis=d))
            sums = numpy.concatenate([zero, long.cumsum(axis=d)], axis=d)
            count = sums.shape[d] - side
            fits = sums.take(range(side, side + count), axis=d) - sums.take(range(count), axis=d) == side
        found = fits.ravel(order="F").nonzero()[0]
        columns = []
        for extent in fits.shape:
            columns.append(found % extent)
            found = found // extent
        return numpy.stack(columns, axis=-1)

    def box(self, base: Sequence[int], sides: Sequence[int]) -> Nodes:
        """Returns the numbers of the nodes of a submesh, row by row; it may wrap around."""
        import numpy

        nodes = numpy.zeros(1, dtype=numpy.int64)
        stride = 1
        for first, side, extent in zip(base, sides, self.shape, strict=True):
            along = (first + numpy.arange(side)) % extent * stride
            nodes = (along[:, None] + nodes[None, :]).ravel() if stride > 1 else along
            stride *= extent
        return nodes

    def order(self, name: str) -> Nodes:
        """Returns all nodes in an order such as `hilbert` (`mr.orders()` lists them)."""
        import numpy

        return numpy.frombuffer(_core.order(name, self.text), dtype=numpy.uint32).astype(numpy.int64)

    def __repr__(self) -> str:
        return f"<meshreplay.Machine {self.text}, {self.free_count} of {self.free.size} nodes free>"


def pairwise_sum(nodes: numpy.typing.ArrayLike, machine: Machine) -> int:
    """Returns the sum of the L1 distances, in hops, over all pairs of nodes."""
    import numpy

    at = machine.coordinates(numpy.asarray(nodes, dtype=numpy.int64))
    total = 0
    for d, extent in enumerate(machine.shape):
        counts = numpy.bincount(at[:, d], minlength=extent)
        steps = numpy.arange(extent)
        total += int(counts @ machine.hops(d, steps[:, None], steps[None, :]) @ counts)
    return total // 2


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


class Job(NamedTuple):
    """A waiting job."""

    job: int
    """Its position in the replay, from 0."""
    procs: int
    """The number of processors that it asks for."""
    nodes: int
    """The number of nodes that it takes."""
    submit: float
    """The time of its arrival, in seconds."""
    estimate: float
    """Its estimated run time, in seconds."""


class Running(NamedTuple):
    """A running job."""

    job: int
    """Its position in the replay, from 0."""
    nodes: int
    """The number of nodes that are free once it has ended."""
    start: float
    """The time of its start, in seconds."""
    end: float
    """Its estimated end, in seconds."""


class View(NamedTuple):
    """What a scheduler sees."""

    now: float
    """The time, in seconds."""
    free: int
    """The number of free nodes."""
    queue: list[Job]
    """The waiting jobs, in the order of their arrival."""
    running: list[Running]
    """The running jobs, in the order of their estimated ends."""
    refused: list[int]
    """The jobs that the allocator has refused at this instant."""


class Scheduler:
    """A scheduler of one's own. A subclass has `dispatch`; it is given as allocators are."""

    def dispatch(self, view: View) -> Sequence[int]:
        """Returns the jobs that start now, in this order, by their `job`; an empty list if none does.

        If the allocator refuses one, those after it do not start, and the function is called again, with the job among
        `view.refused`.
        """
        raise NotImplementedError


class Started(NamedTuple):
    """A job that starts."""

    job: int
    """Its position in the replay, from 0."""
    procs: int
    """The number of processors that it asks for."""
    now: float
    """The time, in seconds."""
    recorded: float
    """Its run time in the log, in seconds."""
    estimate: float
    """Its estimated run time, in seconds."""
    machine: Machine
    """The machine; all its nodes look free."""


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


def name(given: object) -> str:
    """Returns the name of the class."""
    return given.__name__ if isinstance(given, type) else type(given).__name__


def named(given: Any, base: type) -> tuple[Any, list[tuple[str, object]]]:
    """Returns the names of algorithms, in which classes and objects are `guest:NAME`, and these with their names.

    `base` is the class from which they are derived.
    """
    several = list(given) if isinstance(given, (list, tuple)) else [given]
    names: list[Any] = []
    own: dict[str, object] = {}
    for each in several:
        if isinstance(each, base) or (isinstance(each, type) and issubclass(each, base)):
            label = name(each)
            if own.setdefault(label, each) is not each:
                raise _core.Error(f"two of the {base.__name__.lower()}s have the name {label}; expected different names")
            each = f"guest:{label}"
        names.append(each)
    return (names if isinstance(given, (list, tuple)) else names[0]), list(own.items())


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
        (each, None) if isinstance(each, str) else (name(each), each) for each in allocators
    ]
    machines = [machine] if isinstance(machine, str) else list(machine)
    return Laws(*_core.check(named, machines, seed, events))

