"""Laws of algorithms of one's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from . import _core
from ._own import Allocator, Execution, ExecutionGuest, explained, identity
from ._words import ArgumentError


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
    *own: type[Allocator] | Allocator | type[Execution] | Execution | str,
    machine: str | Sequence[str] = (),
    seed: int = 1,
    events: int = 300,
) -> Laws:
    """Holds allocators to the laws that every allocator keeps, as the command `meshreplay check` does.

    Execution models are held to two laws: run times are numbers of at least 0, and the same jobs on the same nodes run
    equally long.

    Args:
        *own: Classes or objects, or names of built-in allocators.
        machine: Machines; by default sixteen small ones.
        seed: The seed of the random histories.
        events: The number of events of each history.

    Returns:
        What was found. `print(mr.check(Mine))` shows it; it is true if every law is kept.

    Raises:
        Error: An allocator serves none of the machines, or cannot be made.
        TypeError: Something else than an allocator or an execution model is given.
    """
    machines = [machine] if isinstance(machine, str) else list(machine)
    subjects: list[tuple[str, object | None]] = []
    text, broken = "", []
    for each in own:
        kind = each if isinstance(each, type) else type(each)
        if issubclass(kind, Execution):
            name = identity(each, Execution)[0]
            found = [(name, *fault) for fault in _faults(each, machines or ["8x8", "torus:4x4x2"], seed, events)]
            text += f"{name}: {'broken' if found else 'every run time is a number, and the same again'}\n"
            broken += found
        elif issubclass(kind, (str, Allocator)):
            subjects.append((each, None) if isinstance(each, str) else (identity(each, Allocator)[0], each))
        else:
            raise ArgumentError(f"{each!r} is no allocator and no execution model")
    if subjects or not own:
        table, of_allocators = _core.check(subjects, machines, seed, events)
        text, broken = table + text, of_allocators + broken
    return Laws(text, broken)


def _faults(given: Any, machines: list[str], seed: int, events: int) -> list[tuple[str, str]]:
    """Returns the first law that an execution model breaks on random jobs, with the job."""
    import numpy

    for text in machines:
        random, guests = numpy.random.default_rng(seed), [ExecutionGuest(given, text) for _ in range(2)]
        for each in guests:
            each.own.begin(seed)
        for job in range(events):
            procs = int(random.integers(1, guests[0].machine.free.size + 1))
            nodes = random.permutation(guests[0].machine.free.size)[:procs].astype(numpy.uint32).tobytes()
            recorded = float(random.integers(1, 100_000))
            what = f"job {job} of {procs} processors and {recorded:g} s on {text}"
            try:
                times = [each.run_time(job, procs, 60.0 * job, recorded, 2 * recorded, nodes) for each in guests]
                for each in guests:
                    each.ended(job)
            except Exception as error:
                return [("times", f"{what}: {explained(error)}")]
            if not 0 <= times[0] <= 9e12:
                return [("times", f"{what} runs {times[0]} s")]
            if times[0] != times[1]:
                return [("repeats", f"{what} runs {times[0]} s, and {times[1]} s with another object")]
    return []
