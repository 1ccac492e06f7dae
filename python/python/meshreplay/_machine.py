"""A machine as allocators see it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    import numpy
    import numpy.typing

    Bools = numpy.typing.NDArray[numpy.bool_]
    Nodes = numpy.typing.NDArray[numpy.int64]


class Machine:
    """A machine as an allocator sees it.

    Nodes have numbers and coordinates: node `x + width * (y + length * z)` is `free[x, y, z]`. Arrays of the machine's
    shape therefore have the order of Fortran: `free.ravel("F")[n]` is node n.
    """

    __slots__ = ("__weakref__", "_all", "free", "shape", "text", "torus")

    def __init__(self, text: str) -> None:
        """Every node of the machine, such as `16x16`, is free."""
        import numpy

        text, shape, torus = _core.machine(text)
        self.text = text
        """The machine in one word, such as `16x16` or `torus:8x8x4`."""
        self.shape = tuple(shape)
        """The number of nodes along each dimension."""
        self.torus = tuple(torus)
        """Whether each dimension wraps around."""
        self._all = numpy.ones(math.prod(shape), dtype=numpy.bool_)
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

        rows = numpy.asarray(coordinates)
        if rows.dtype.kind not in "iu" and rows.size:
            raise TypeError(f"coordinates of type {rows.dtype}, expected integers")
        rows = rows.astype(numpy.int64, copy=False)
        if rows.ndim != 2 or rows.shape[1] != len(self.shape):
            raise ValueError(f"coordinates of shape {rows.shape}, expected a row of {len(self.shape)} for each node")
        if ((rows < 0) | (rows >= numpy.array(self.shape))).any():
            raise ValueError(f"coordinates outside the machine of shape {self.shape}")
        return _numbers(rows.T, self.shape)

    def coordinates(self, nodes: numpy.typing.ArrayLike) -> Nodes:
        """Returns the coordinates of nodes that are given by their numbers, a row for each node."""
        import numpy

        return _coordinates(numpy.asarray(nodes, dtype=numpy.int64), self.shape)

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
        return _coordinates(fits.ravel(order="F").nonzero()[0], fits.shape)

    def box(self, base: Sequence[int], sides: Sequence[int]) -> Nodes:
        """Returns the numbers of the nodes of a submesh, row by row; it may wrap around."""
        import numpy

        along = (first + numpy.arange(side) for first, side in zip(base, sides, strict=True))
        return _numbers(numpy.meshgrid(*along, indexing="ij"), self.shape).ravel(order="F")

    def order(self, name: str) -> Nodes:
        """Returns all nodes in an order such as `hilbert` (`mr.orders()` lists them)."""
        import numpy

        return numpy.frombuffer(_core.order(name, self.text), dtype=numpy.uint32).astype(numpy.int64)

    def __repr__(self) -> str:
        return f"<meshreplay.Machine {self.text}, {self.free_count} of {self.free.size} nodes free>"


def _numbers(coordinates: Iterable[Any], shape: tuple[int, ...]) -> Nodes:
    """Returns the numbers of nodes from an array for each dimension, whose positions wrap around."""
    import numpy

    numbers: Nodes = numpy.ravel_multi_index(tuple(coordinates), shape, mode="wrap", order="F").astype(numpy.int64)
    return numbers


def _coordinates(nodes: Nodes, shape: tuple[int, ...]) -> Nodes:
    """Returns the coordinates of nodes. Fails for numbers outside of the machine."""
    import numpy

    return numpy.stack(numpy.unravel_index(nodes, shape, order="F"), axis=-1)


def pairwise_sum(nodes: numpy.typing.ArrayLike, machine: Machine | str) -> int:
    """Returns the sum of the L1 distances, in hops, over all pairs of nodes, given by their numbers."""
    import numpy

    machine = Machine(machine) if isinstance(machine, str) else machine
    given = numpy.asarray(nodes)
    if given.size and (given.dtype.kind not in "iu" or given.min() < 0 or given.max() >= machine.free.size):
        raise ValueError(f"nodes {nodes!r}: expected integers from 0 to {machine.free.size - 1}")
    at = machine.coordinates(given.astype(numpy.int64))
    total = 0
    for d, extent in enumerate(machine.shape):
        counts = numpy.bincount(at[:, d], minlength=extent)
        steps = numpy.arange(extent)
        total += int(counts @ machine.hops(d, steps[:, None], steps[None, :]) @ counts)
    return total // 2
