"""Algorithms of one's own are told apart by their code and their attributes."""

from __future__ import annotations

import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import meshreplay as mr
import pytest
from meshreplay._identity import digest, label

numpy = pytest.importorskip("numpy")


class Aging(mr.Allocator):
    served = "count"

    def __init__(self, weight: int) -> None:
        self.weight = weight

    def propose(self, request: mr.Request, machine: mr.Machine) -> Any:
        nodes = machine.free_nodes()
        return nodes[numpy.argsort((nodes * self.weight) % 64, kind="stable")][: request.procs]


def service(factor: float) -> type[mr.Execution]:
    class Slow(mr.Execution):
        def run_time(self, job: mr.Started, nodes: Any) -> float:
            return job.recorded * factor

    return Slow


def replayed(small: Path, allocator: Any = "naive", **options: Any) -> mr.Results:
    return mr.replay(small, "8x8", allocator, timed=False, quiet=True, **options)


def test_settings_in_different_calls_have_different_runs_and_never_replace_each_other(small: Path, tmp_path: Path) -> None:
    found = [replayed(small, Aging(weight)) for weight in (1, 7, 13)]
    assert len({each.summary["run"][0] for each in found}) == 3
    assert [each.summary["allocator"][0] for each in found] == [f"Aging(weight={weight})" for weight in (1, 7, 13)]
    assert found[0].summary["allocator_spec"][0].startswith("guest:Aging(weight=1)#")
    joined = {(run, replay, seed) for each in found for run, replay, seed in zip(*(each.jobs[key] for key in ("run", "replay", "seed")))}
    assert len(joined) == 3
    found[0].save(tmp_path / "out")
    with pytest.raises(mr.Error, match="holds other results"):
        found[2].save(tmp_path / "out")
    again = replayed(small, Aging(7))
    assert replayed(small, Aging(1)).summary["run"] == found[0].summary["run"]
    assert again.summary["run"] == found[1].summary["run"] and again.jobs["start_s"] == found[1].jobs["start_s"]


def test_closures_classes_and_functions_are_identified_by_their_code(small: Path) -> None:
    one, other = (replayed(small, network=service(factor)) for factor in (1.0, 2.0))
    assert one.summary["run"] != other.summary["run"]
    assert digest(service(2.0)()) == digest(service(2.0)())
    program = """
import meshreplay as mr
def helper(free, k): return free[:k]{0}
class Mine(mr.Allocator):
    served = "count"
    def propose(self, request, machine): return helper(machine.free_nodes(), request.procs)
"""
    digests = []
    for change in ("", "  # a comment", "[::-1]"):
        names: dict[str, Any] = {"__name__": "__main__"}
        exec(program.format(change), names)
        digests.append(digest(names["Mine"]()))
    assert digests[0] == digests[1] != digests[2]


def test_what_cannot_be_compared_is_unique() -> None:
    class Locked(Aging):
        def __init__(self) -> None:
            super().__init__(1)
            self.lock = threading.Lock()

    assert digest(Locked()) != digest(Locked())

    class Named(Locked):
        def spec(self) -> dict[str, Any]:
            return {"weight": self.weight}

    assert digest(Named()) == digest(Named()) and label(Named()) == "Named(weight=1)"

    class Random(Aging):
        def __init__(self, seed: int | None = None) -> None:
            super().__init__(1)
            self.random = numpy.random.default_rng(seed)

    assert digest(Random()) != digest(Random()) and digest(Random(3)) == digest(Random(3)) != digest(Random(4))


def test_attributes_count_even_where_the_label_does_not_show_them(small: Path) -> None:
    long = [numpy.arange(100), numpy.arange(100) + 1]

    class Table(Aging):
        def __init__(self, table: Any) -> None:
            super().__init__(1)
            self.table = table

    found = replayed(small, [Table(long[0]), Table(long[1]), Table(long[0].copy())])
    labels = found.summary["allocator"]
    assert len(labels) == len(set(labels)) == 2 and all(each.startswith("Table()@") for each in labels)
    changed = Aging(3)
    changed.weight = 4
    assert digest(changed) != digest(Aging(3))


def test_the_hash_is_the_same_in_every_process() -> None:
    program = """
import meshreplay as mr
from meshreplay._identity import digest
class Mine(mr.Allocator):
    def __init__(self): self.names = {"a", "b", "c"}; self.table = {"x": (1, 2.5, None)}
    def propose(self, request, machine): return sorted(self.names)
print(digest(Mine()))
"""
    printed = {subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout for _ in range(3)}
    assert len(printed) == 1


def test_arguments_of_classes_without_a_constructor_are_refused() -> None:
    class Plain(mr.Scheduler):
        def dispatch(self, view: mr.View) -> list[int]:
            return []

    with pytest.raises(TypeError):
        Plain(3)


def executed(body: str, **names: Any) -> Any:
    """Returns an object of the class `Own` in a text, whose function `rule` has this code."""
    source = """
import collections, meshreplay as mr
{}
class Own(mr.Allocator):
    def propose(self, request, machine):
        return rule(machine.free_nodes())[: request.procs]
"""
    exec(source.format(body), names)
    return names["Own"]()


def test_classes_without_a_module_are_identified_by_their_code() -> None:
    same, other = "def rule(nodes): return nodes", "def rule(nodes): return nodes[::-1]"
    assert digest(executed(same)) == digest(executed(same)) != digest(executed(other))
    assert digest(executed(same, __name__="made")) != digest(executed(other, __name__="made"))


@pytest.mark.parametrize(
    "bodies",
    [
        ("def rule(nodes): return nodes", "def rule(*nodes): return nodes"),
        ("def rule(nodes): return nodes\nrule.step = 1", "def rule(nodes): return nodes\nrule.step = 2"),
        ("rule = collections.defaultdict(lambda: 1)", "rule = collections.defaultdict(lambda: 2)"),
        ("class Rule(dict):\n    def __missing__(self, key): return 1\nrule = Rule()", "class Rule(dict):\n    def __missing__(self, key): return 2\nrule = Rule()"),
        ("rule = [1]", "class Ruled(list): pass\nrule = Ruled([1])"),
        ("import array; rule = array.array('d', [1])", "import array; rule = array.array('d', [2])"),
        ("import re; rule = re.compile('a')", "import re; rule = re.compile('b')"),
        ("import numpy; rule = numpy.maximum", "import numpy; rule = numpy.minimum"),
        ("rule = collections.namedtuple('A', 'x')(1)", "rule = collections.namedtuple('A', 'x')(2)"),
    ],
)
def test_all_that_code_uses_counts(bodies: tuple[str, str]) -> None:
    one, other = ([digest(executed(body, __name__="made")) for _ in range(2)] for body in bodies)
    assert one[0] == one[1] != other[0] == other[1]


def test_slots_count() -> None:
    class Slotted(mr.Allocator):
        __slots__ = ("step",)

        def __init__(self) -> None:
            self.step = 1

    changed = Slotted()
    changed.step = 2
    assert digest(Slotted()) == digest(Slotted()) != digest(changed)


def test_modules_count_with_what_they_import(tmp_path: Path) -> None:
    program = """
import sys; sys.path.insert(0, {!r}); sys.dont_write_bytecode = True
import outer_of_test, meshreplay as mr
from meshreplay._identity import digest
class Own(mr.Allocator):
    def propose(self, request, machine): return outer_of_test.rule(machine.free_nodes())[: request.procs]
print(digest(Own()))
"""
    (tmp_path / "package_of_test").mkdir()
    (tmp_path / "package_of_test/__init__.py").write_text("")
    (tmp_path / "package_of_test/inner.py").write_text("def rule(nodes): from .last import rule; return rule(nodes)\n")
    outer = ["import inner_of_test\ndef rule(nodes): return inner_of_test.rule(nodes)\n", "def rule(nodes): import inner_of_test as inner; return inner.rule(nodes)\n"]
    outer += ["def rule(nodes): from package_of_test import inner; return inner.rule(nodes)\n"]
    for imports in outer:
        (tmp_path / "outer_of_test.py").write_text(imports)
        printed = []
        for text in ("nodes", "nodes", "nodes[::-1]"):
            for inner in ("inner_of_test.py", "package_of_test/last.py"):
                (tmp_path / inner).write_text(f"import outer_of_test\ndef rule(nodes): return {text}\n")
            line = program.format(str(tmp_path))
            printed.append(subprocess.run([sys.executable, "-c", line], capture_output=True, text=True, check=True).stdout)
        assert printed[0] == printed[1] != printed[2], imports


def test_long_chains_of_modules_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    for number in range(600):
        (tmp_path / f"link_{number}_of_test.py").write_text(f"def rule(nodes): from link_{number + 1}_of_test import rule; return rule(nodes)\n")
    digests = []
    for text in ("nodes", "nodes", "nodes[::-1]"):
        (tmp_path / "link_600_of_test.py").write_text(f"def rule(nodes): return {text}\n")
        digests.append(digest(executed("def rule(nodes):\n    import link_0_of_test\n    return link_0_of_test.rule(nodes)")))
    assert digests[0] == digests[1] != digests[2]


def test_packages_count_with_the_modules_in_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "outer_package").mkdir()
    (tmp_path / "outer_package/inner.py").write_text("order = 1\n")
    (tmp_path / "older.py").write_text("print 'Python 2'\n")
    body = "def rule(nodes):\n    import outer_package.inner\n    import older\n    return outer_package.order(nodes)"
    digests = []
    for text in ("nodes", "nodes[::-1]"):
        (tmp_path / "outer_package/__init__.py").write_text(f"def order(nodes): return {text}\n")
        digests.append(digest(executed(body)))
    assert digests[0] != digests[1]


def test_modules_that_functions_import_count_before_and_after_they_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    body = "def rule(nodes):\n    import rule_of_test\n    return rule_of_test.rule(nodes)"
    digests = []
    for text in ("nodes", "nodes[::-1]"):
        (tmp_path / "rule_of_test.py").write_text(f"def rule(nodes): return {text}\n")
        digests.append(digest(executed(body)))
        assert "rule_of_test" not in sys.modules
    executed(body).propose.__globals__["rule"]([1])
    assert "rule_of_test" in sys.modules and digest(executed(body)) == digests[1] != digests[0]
    monkeypatch.delitem(sys.modules, "rule_of_test")


def test_packages_without_a_file_count_before_and_after_they_are_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    inner = tmp_path / "outer_space/inner_space"
    inner.mkdir(parents=True)
    (inner / "rules.py").write_text("from .order import rule\n")
    body = "def rule(nodes):\n    from outer_space.inner_space.rules import rule\n    return rule(nodes)"
    digests = []
    for text in ("nodes", "nodes[::-1]"):
        (inner / "order.py").write_text(f"def rule(nodes): return {text}\n")
        digests.append(digest(executed(body)))
        assert "outer_space" not in sys.modules
    assert executed(body).propose.__globals__["rule"]([1, 2]) == [2, 1]
    assert "outer_space" in sys.modules and digest(executed(body)) == digests[1] != digests[0]
    for name in [name for name in sys.modules if name.startswith("outer_space")]:
        monkeypatch.delitem(sys.modules, name)
