"""Long work: interruption, resuming, workers."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Callable

import meshreplay as mr
import pytest

from .conftest import columns

PROGRAM = """
import sys, threading, time, os, signal, meshreplay as mr
class Slow(mr.Allocator):
    served = "count"
    def propose(self, request, machine):
        time.sleep(0.01); return machine.free_nodes()[:request.procs]
log = mr.lublin(jobs=4000, procs=64, load=0.7)
threading.Timer(2.0, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    mr.replay(log, "8x8", ["naive", Slow, "mc1x1"], threads=2, quiet=True, timed=False, **{0})
except KeyboardInterrupt as interrupt:
    print(interrupt.results.summary["allocator"], len(interrupt.results), len(interrupt.results["naive"].jobs))
    try:
        interrupt.results["Slow"].jobs
    except mr.Error as error:
        print(error)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
@pytest.mark.parametrize("kept", [False, True])
def test_ctrl_c_leaves_what_is_finished(tmp_path: Path, kept: bool) -> None:
    options = {"out": str(tmp_path / "out")} if kept else {}
    done = subprocess.run([sys.executable, "-c", PROGRAM.replace("{0}", repr(options))], capture_output=True, text=True, check=False)
    unfinished = "lublin 8x8 easy Slow: the replay was not finished"
    assert done.stdout == f"['naive', 'mc1x1'] 3 4000\n{unfinished}\n", done.stderr
    if kept:
        read = mr.read_results(tmp_path / "out")
        assert read.summary["allocator"] == ["naive", "mc1x1"]
        assert read.notes == ["1 of 3 replays are not in the directory: not finished, failed, or of a part that was not saved"]


def test_studies_take_classes_and_go_on(small: Path, tmp_path: Path) -> None:
    study, asked = tmp_path / "study.toml", tmp_path / "asked"
    study.write_text(f'logs = ["{small}"]\nmachines = ["8x8"]\nallocators = ["naive"]\narrival_scales = [1, 0.8]\n')

    class First(mr.Allocator):
        served = "count"

        def __init__(self, step: int = 1) -> None:
            self.step = step

        def spec(self) -> dict[str, Any]:
            return {"step": self.step}

        def propose(self, request: mr.Request, machine: mr.Machine) -> Any:
            with open(str(asked), "a", encoding="utf-8") as file:
                file.write(".")
            return machine.free_nodes()[:: self.step][: request.procs]

    class Last(mr.Scheduler):
        def dispatch(self, view: mr.View) -> list[int]:
            return [job.job for job in view.queue[:1] if job.nodes <= view.free]

    own: dict[str, Any] = {"allocator": [First, First(-1)], "scheduler": Last, "quiet": True}
    found = mr.sweep(study, tmp_path / "out", **own)
    assert len(found) == 2 * 3 * 2 and len(found.sel(allocator="First")) == 8
    assert set(found.summary["allocator"]) == {"naive", "First(step=1)", "First(step=-1)"} and set(found.summary["scheduler"]) == {"easy", "Last"}
    alone = mr.replay(small, "8x8", First(-1), Last, arrival_scale=0.8, timed=False, quiet=True)
    part = found.sel(allocator="First(step=-1)", scheduler="Last", arrival_scale=0.8)
    for column in ("start_s", "pairwise_sum"):
        assert part.jobs[column] == alone.jobs[column]
    count = asked.stat().st_size
    again = mr.sweep(study, tmp_path / "out", **own)
    # Before a replay, an allocator is asked which jobs it can serve at all.
    assert count > 1200 and asked.stat().st_size - count <= 40 and again.summary["wait_s_mean"] == found.summary["wait_s_mean"] and again.summary["run"] == found.summary["run"]
    assert mr.read_results(tmp_path / "out").names == found.names
    assert found.manifest["name"] == "study"
    other = tmp_path / "other.toml"
    other.write_text(study.read_text())
    with pytest.raises(mr.Error, match="holds the study 'study'"):
        mr.sweep(other, tmp_path / "out", **own)
    changed = mr.sweep(study, tmp_path / "changed", allocator=[First(-2)], quiet=True)
    assert changed.summary["run"][0] != found.summary["run"][0]
    wrong: dict[str, dict[str, Any]] = {
        "allocator='nave': .*did you mean 'naive'": {"allocator": "nave"}, "scheduler='eassy': ": {"scheduler": ["fcfs", "eassy"]},
        "network='wormhol': ": {"network": "wormhol"}, r"allocator=\['First.*', 'naive:by=1'\]: 'naive' has no parameter 'by'": {"allocator": [First, "naive:by=1"]},
        r"allocator='best-of:mm\|random': members of 'best-of' ": {"allocator": "best-of:mm|random"},
    }
    for message, given in wrong.items():
        with pytest.raises(mr.Error, match=f"^{message}"):
            mr.sweep(study, tmp_path / "wrong", **given)
    counts: list[Any] = [0, 1.5, 2**70]
    for threads in counts:
        calls: list[Callable[[], Any]] = [
            lambda: mr.sweep(study, tmp_path / "wrong", threads=threads), lambda: mr.sweep(study, tmp_path / "wrong", allocator=First, threads=threads),
            lambda: mr.replay(small, "8x8", First, threads=threads),
        ]
        for call in calls:
            with pytest.raises(mr.Error, match=f"^threads={threads}: expected a whole number of threads from 1 on"):
                call()
    twice = mr.sweep(study, tmp_path / "twice", allocator=["naive", "hilbert+bf", "curve:order=hilbert,select=best-fit"], scheduler=None, quiet=True)
    assert len(twice) == 4 and twice.notes[0].startswith("4 of 8 replays are the same as others")
    named = mr.sweep(study, tmp_path / "named", scheduler="fcfs", network=None, quiet=True).summary
    assert named["scheduler"] == ["easy", "fcfs"] * 2 or named["scheduler"] == ["easy"] * 2 + ["fcfs"] * 2
    assert set(named["allocator"]) == {"naive"} and set(named["network"]) == {"recorded"}
    with pytest.raises(mr.Error, match="study.toml:2: key 'machines'"):
        study.write_text(study.read_text().replace('"8x8"', '"8y8"'))
        mr.sweep(study, tmp_path / "out", **own)


def test_a_directory_keeps_replays_and_goes_on(small: Path, tmp_path: Path) -> None:
    # The class may not use what changes: it would be another one in the second call.
    asked = tmp_path / "asked"
    asked.touch()

    class Counts(mr.Allocator):
        served = "count"

        def spec(self) -> dict[str, Any]:
            return {}

        def propose(self, request: mr.Request, machine: mr.Machine) -> Any:
            with open(str(asked), "a", encoding="utf-8") as file:
                file.write(".")
            return machine.free_nodes()[: request.procs]

    def replayed(allocators: list[Any], **options: Any) -> mr.Results:
        return mr.replay(small, "8x8", allocators, ["easy", "fcfs"], timed=False, quiet=True, **options)

    first = replayed(["naive", Counts], out=tmp_path / "out")
    count = asked.stat().st_size
    assert count >= 300 and len(first) == 4 and first.verdict and "Counts" in str(first)
    second = replayed(["naive", Counts, "mc1x1"], out=tmp_path / "out")
    # Before a replay, an allocator is asked which jobs it can serve at all.
    assert asked.stat().st_size - count <= 20 and len(second) == 6
    plain = replayed(["naive", Counts, "mc1x1"])
    ours, theirs = columns(second.jobs), columns(plain.jobs)
    assert ours.pop("run") != theirs.pop("run") and ours == theirs
    assert mr.read_results(tmp_path / "out").names == second.names


def worker(allocator: str) -> mr.Results:
    log = mr.lublin(jobs=50, procs=16, seed=1)
    return mr.replay(log, "4x4", allocator, timed=False, quiet=True)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks of Unix")
def test_forked_workers_say_what_to_do() -> None:
    here = worker("naive")
    pickle.dumps(here)
    began = time.monotonic()
    with multiprocessing.get_context("fork").Pool(1) as pool, pytest.raises(mr.Error, match="spawn"):
        pool.map_async(worker, ["naive"]).get(60)
    assert time.monotonic() - began < 30
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        (there,) = pool.map_async(worker, ["naive"]).get(120)
    assert columns(there.jobs) == columns(here.jobs) and there.verdict == here.verdict


def test_a_pickled_part_is_small_and_can_do_the_same(results: mr.Results, tmp_path: Path) -> None:
    part = results.sel(scheduler="easy")
    assert len(pickle.dumps(results[0])) < 0.6 * len(pickle.dumps(results))
    results.save(tmp_path / "whole")
    read = mr.read_results(tmp_path / "whole")
    forms = [part, read.sel(scheduler="easy"), pickle.loads(pickle.dumps(part)), pickle.loads(pickle.dumps(read)).sel(scheduler="easy")]
    for number, each in enumerate(forms):
        assert each.names == part.names and len(each) == 2
        assert each.verdict == part.verdict != results.verdict, number
        assert columns(each.jobs) == columns(part.jobs) and columns(each.summary) == columns(part.summary)
        assert "mc1x1" in each.table() and "wait_s_mean" in each.table("wait_s_mean") and "mc1x1" in repr(each)
        assert each.manifest == results.manifest
        assert each.plot("waits").svg.startswith("<svg")
        each.report(tmp_path / f"{number}.html")
        each.save(tmp_path / f"part{number}", format="csv")
        saved = mr.read_results(tmp_path / f"part{number}")
        assert saved.names == part.names and columns(saved.jobs)["wait_s"] == columns(part.jobs)["wait_s"]


def test_an_interrupt_inside_own_code_is_one(small: Path) -> None:
    class Exits(mr.Allocator):
        def propose(self, request: mr.Request, machine: mr.Machine) -> Any:
            sys.exit(3)

    with pytest.raises(SystemExit):
        mr.replay(small, "8x8", ["naive", Exits], quiet=True)


