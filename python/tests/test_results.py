"""Results: parts of them, states, pictures, notes and errors."""

from __future__ import annotations

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any, Callable

import meshreplay as mr
import pytest

from .conftest import ROOT, columns


def test_parts_are_selected_by_values_positions_and_slices(results: mr.Results) -> None:
    assert (len(results), len(results["mc1x1"]), len(results["fcfs"])) == (4, 2, 2)
    one = results["mc1x1", "fcfs"]
    assert one.summary["replay"] == [3] and set(one.jobs["replay"]) == {3} and one.names == results[3].names
    assert len(results["8x8"]) == 4 and len(results[results.summary["allocator"][0]]) >= 1
    assert [len(results[-1]), len(results[1:3]), len(results.head(2)), len(results["mc1x1"][0])] == [1, 2, 2, 1]
    assert results["mc1x1"][-1].names == results[-1].names
    with pytest.raises(KeyError, match="no replay has 'mc1x', did you mean 'mc1x1'"):
        results["mc1x"]
    with pytest.raises(IndexError, match="no replay 4; there are 4"):
        results[4]
    assert [part.summary["replay"][0] for part in results] == [0, 1, 2, 3]


def test_classes_select_and_titles_name_columns(small: Path) -> None:
    class Mine(mr.Allocator):
        def __init__(self, step: int) -> None:
            self.step = step

        def propose(self, request: mr.Request, machine: mr.Machine) -> Any:
            return machine.free_nodes()[:: self.step][: request.procs]

    found = mr.replay(small, "8x8", ["naive", Mine(1), Mine(-1)], ["fcfs", "easy"], timed=False, quiet=True)
    assert len(found[Mine]) == len(found.sel(allocator=Mine)) == 4 and len(found[Mine, "easy"]) == 2
    with pytest.raises(KeyError, match="no replay has"):
        found[type("naive", (mr.Allocator,), {})]
    assert found.table("wait") == found.table("wait_s_mean")
    with pytest.raises(mr.Error, match="unknown column 'user'"):
        found.table("user")
    with pytest.raises(mr.Error, match="expected two values"):
        found.paired(scheduler=("fcfs", "fcfs"))
    with pytest.raises(NotImplementedError, match="Allocator has no propose"):
        mr.Allocator().propose(None, None)  # type: ignore[arg-type]


def test_closing_lines_name_no_directories(small: Path, tmp_path: Path) -> None:
    found = mr.replay(small, "8x8", ["naive", "mc1x1"], arrival_scale=[1, 0.9, 0.8, 0.7, 0.6], timed=False, quiet=True)
    found.save(tmp_path / "kept")
    for each in (found, mr.read_results(tmp_path / "kept")):
        assert "2 more groups; r.sel selects one" in each.verdict and "meshreplay" not in each.verdict


def test_coordinates_select_and_values_of_several_are_refused(results: mr.Results) -> None:
    assert len(results.sel(allocator="mc1x1")) == 2 and len(results.sel(allocator=["mc1x1", "hilbert+bf"], scheduler="fcfs")) == 2
    assert results.sel(allocator="mc1x1", scheduler="easy").names == results["mc1x1", "easy"].names
    with pytest.raises(KeyError, match="did you mean 'mc1x1'"):
        results.sel(allocator="mc1x")
    with pytest.raises(KeyError, match="no coordinate 'alocator', did you mean 'allocator'"):
        results.sel(alocator="mc1x1")
    found = mr.replay(ROOT / "traces/may.sacct.gz", "auto", ["naive", "recorded"], ["recorded", "easy"], timed=False, quiet=True)
    with pytest.raises(KeyError, match=r"'recorded' is a value of .*scheduler.*; r\.sel\("):
        found["recorded"]
    waits = {key: found.sel(scheduler=key[0], allocator=key[1]).summary["wait_s_mean"][0] for key in [("recorded", "naive"), ("easy", "naive")]}
    jobs = found.sel(scheduler="recorded", allocator="naive").jobs["wait_s"]
    assert sum(jobs) / len(jobs) == pytest.approx(waits["recorded", "naive"]) != waits["easy", "naive"]
    with pytest.raises(KeyError, match="arrival_scale and seed"):
        results["1"]


def test_several_results_are_joined(results: mr.Results, small: Path) -> None:
    other = mr.replay(small, "8x8", "naive", ["easy", "fcfs"], timed=False, seed=2, quiet=True)
    both = mr.concat([results, other])
    assert len(both) == 6 and both.summary["replay"] == list(range(6)) and len(both.jobs) == 900
    assert both.jobs["wait_s"] == results.jobs["wait_s"] + other.jobs["wait_s"]
    assert len(set(both.summary["run"])) == 1 and both.summary["run"][0] not in (results.summary["run"][0], other.summary["run"][0])
    assert both.sel(allocator="naive", scheduler="fcfs").summary["seed"] == [2] and "naive" in both.table()
    assert both.plot("waits").svg.startswith("<svg") and both.verdict == "" and pickle.loads(pickle.dumps(both)).names == both.names
    with pytest.raises(mr.Error, match="of one run"):
        both.report("x.html")


def test_differences_job_by_job(results: mr.Results) -> None:
    pairs = results.paired("pairwise_sum", allocator=("hilbert+bf", "mc1x1"))
    assert len(pairs) == 300
    found = {(replay, job): value for replay, job, value in zip(pairs["first_replay"], pairs["job"], pairs["difference"])}
    jobs = results.jobs
    by_job = {(replay, job): value for replay, job, value in zip(jobs["replay"], jobs["job"], jobs["pairwise_sum"])}
    for first, second in {*zip(pairs["first_replay"], pairs["second_replay"])}:
        assert all(found[first, job] == by_job[second, job] - by_job[first, job] for job in set(pairs["job"]))
    with pytest.raises(KeyError, match="no column 'wait'"):
        results.paired("wait", allocator=("hilbert+bf", "mc1x1"))
    with pytest.raises(mr.Error, match="two values"):
        results.paired(allocator="mc1x1")  # type: ignore[arg-type]


def test_errors_of_own_code_keep_their_cause(small: Path) -> None:
    class Broken(mr.Scheduler):
        def dispatch(self, view: mr.View) -> list[int]:
            raise KeyError("nothing")

    with pytest.raises(mr.Error, match="at .* s: scheduler 'Broken': ") as raised:
        mr.replay(small, "8x8", "naive", Broken, quiet=True)
    assert isinstance(raised.value.__cause__, KeyError)
    found = mr.replay(small, "8x8", "naive", ["easy", Broken], quiet=True)
    assert isinstance(found.errors[1].__cause__, KeyError)
    with pytest.raises(mr.Error, match="Broken"):
        found["Broken"].jobs
    assert [len(part) for part in found] == [1, 1]


def test_machines_are_names_tuples_or_lists(small: Path) -> None:
    machines: list[Any] = [(8, 8), [(8, 8), "64"], 64]
    of = {repr(each): mr.replay(small, each, "naive", oversize="skip", quiet=True).summary["machine"] for each in machines}
    assert of == {"(8, 8)": ["8x8"], "[(8, 8), '64']": ["8x8", "64"], "64": ["64"]}


def test_numbers_select_as_the_summary_shows_them(tiny: Path) -> None:
    results = mr.replay(tiny, "4x4", "naive", arrival_scale=[1, 0.9], timed=False, quiet=True)
    assert [len(results[scale]) for scale in results.summary["arrival_scale"]] == [1, 1]
    assert results[0.9, "naive"].names == results[1].names
    assert results.names == ["tiny 4x4 easy naive arrival_scale=1", "tiny 4x4 easy naive arrival_scale=0.9"]


def test_results_and_frames_are_pickled_and_copied(results: mr.Results) -> None:
    for part in (results, results["mc1x1"]):
        same = pickle.loads(pickle.dumps(part))
        assert same.names == part.names and same.notes == part.notes
        assert columns(same.jobs) == columns(part.jobs)
    assert pickle.loads(pickle.dumps(results)).verdict == results.verdict
    jobs = pickle.loads(pickle.dumps(results.jobs))
    assert columns(jobs) == columns(results.jobs) and jobs.units == results.jobs.units
    assert copy.copy(results) is results and copy.deepcopy(results.jobs) is results.jobs


def test_columns_of_frames(results: mr.Results) -> None:
    jobs = results.jobs
    assert len(jobs["job"]) == len(jobs) and "wait_s" in jobs and "wait" not in jobs
    assert "wait_s" in repr(jobs) and repr(jobs).startswith("<meshreplay.Frame: 600 rows")
    with pytest.raises(KeyError, match="no column 'wait', did you mean 'wait_s'"):
        jobs["wait"]
    for wrong in (0, slice(2)):
        with pytest.raises(TypeError, match="name of a column"):
            jobs[wrong]  # type: ignore[index]
    with pytest.raises(TypeError):
        list(jobs)  # type: ignore[call-overload]


def test_states_are_the_placements_of_the_jobs(results: mr.Results) -> None:
    numpy = pytest.importorskip("numpy")
    jobs = columns(results["mc1x1", "easy"].jobs)
    for at in [0.0, 86_400.0, 250_000.0]:
        states = results.state(at=at)
        array = states["mc1x1", "easy"]
        expected = numpy.full(64, -1)
        for job, start, end, nodes in zip(jobs["job"], jobs["start_s"], jobs["end_s"], jobs["nodes"]):
            if start <= at < end:
                for run in nodes.split():
                    first, _, last = run.partition("-")
                    expected[int(first) : int(last or first) + 1] = job
        assert array.shape == (8, 8) and not array.flags.writeable
        # Node x + 8 y is the one at x, y.
        assert (array == expected.reshape(8, 8).T).all()
        running = states.running(("mc1x1", "easy"))
        assert sum(len(job.nodes) for job in running) == (array >= 0).sum()
        arrived = sum(submit <= at for submit in jobs["submit_s"])
        started = sum(start <= at for start in jobs["start_s"])
        assert states.waiting(("mc1x1", "easy")) == arrived - started
    with pytest.raises(KeyError, match="2 replays"):
        results.state(at=0)["mc1x1"]


def test_unavailable_nodes_and_three_dimensions(small: Path) -> None:
    numpy = pytest.importorskip("numpy")
    found = mr.replay(small, "4x4x5", "naive", unavailable="(3,3,4)", timed=False, quiet=True)
    array = found.state(at=0)["naive"]
    assert array.shape == (4, 4, 5) and array[3, 3, 4] == -2 and (array == -2).sum() == 1
    assert array.dtype == numpy.int64


def test_pictures_show_and_save(results: mr.Results, tmp_path: Path) -> None:
    picture = results.plot("nodes", replay=1)
    assert picture._repr_svg_().startswith("<svg") and len(mr.plots()) > 5
    picture.save(tmp_path / "x.png", scale=1)
    assert (tmp_path / "x.png").read_bytes().startswith(b"\x89PNG")
    for wrong in ["x.jpg", "x"]:
        with pytest.raises(mr.Error, match=r"\.svg, \.png or \.pdf"):
            picture.save(tmp_path / wrong)
    with pytest.raises(mr.Error, match="no plot 'frontiers'"):
        results.plot("frontiers")
    with pytest.raises(mr.Error, match="fragmentation"):
        results.plot("fragmentation")
    with pytest.raises(mr.Error, match="84mm"):
        results.plot("nodes", size="84")
    with pytest.raises(TypeError, match="did you mean 'window'"):
        results.plot("nodes", windows="0..9")  # type: ignore[call-arg]
    with pytest.raises(mr.Error, match="20 to 2400"):
        picture.save(tmp_path / "x.png", dpi=1)


def test_reports_name_no_temporary_files(small: Path, tmp_path: Path) -> None:
    mr.replay(small, "8x8", "naive", quiet=True).report(tmp_path / "file.html")
    command = f"(cd {os.path.realpath(os.curdir)} &amp;&amp; meshreplay replay {small} "
    assert command in (tmp_path / "file.html").read_text()
    found = mr.replay(mr.lublin(jobs=50, procs=64), "8x8", "naive", quiet=True)
    found.report(tmp_path / "model.html")
    assert "meshreplay replay" not in (tmp_path / "model.html").read_text()
    found.save(tmp_path / "saved")
    mr.read_results(tmp_path / "saved").report(tmp_path / "saved.html")
    assert "meshreplay replay" not in (tmp_path / "saved.html").read_text()


def marks(picture: mr.Picture) -> int:
    """Returns the number of marks of a picture that have a tooltip."""
    return picture.svg.count("<title") - 1


def test_numbers_of_pictures_are_those_that_are_drawn() -> None:
    names, scales = ("first-fit", "mbs"), (1, 0.8, 0.6)
    found = mr.replay(mr.model("synthetic", jobs=60, ratio=1), "8x8", names, "fcfs", arrival_scale=scales, replications=3, why=True, quiet=True)
    summary = columns(found.summary)

    def mean(name: str, scale: float, column: str) -> float:
        rows = zip(summary["allocator"], summary["arrival_scale"], summary[column])
        of = [value for allocator, at, value in rows if (allocator, at) == (name, scale)]
        return float(sum(of) / len(of))

    shown: list[tuple[str, str, dict[str, Any]]] = [
        ("load", "wait_s_mean", {"value": "wait_s_mean", "axis": "factor"}), ("utilization", "pairwise_mean_mean", {}), ("frontier", "pairwise_mean_mean", {}),
    ]
    for kind, column, options in shown:
        data = found.plot_data(kind, **options)
        assert len(data) == marks(found.plot(kind, **options)) == 6 and "panel" in data
        numbers = {(series, round(y, 9)) for series, y in zip(data["series"], data["y"])}
        assert numbers == {(name, round(mean(name, scale, column), 9)) for name in names for scale in scales}, kind
        if kind == "load":
            assert data["x"] == [0.6, 0.8, 1.0] * 2 and data.units["y"] == "s"
            assert all(low < y < high for low, y, high in zip(data["low"], data["y"], data["high"]))
    ratios = found.plot_data("ratio", relative_to="mbs")
    expected = [mean(name, scale, "pairwise_sum_mean") / mean("mbs", scale, "pairwise_sum_mean") for scale in scales for name in names]
    assert ratios["y"] == pytest.approx(expected) and len(ratios) == marks(found.plot("ratio", relative_to="mbs"))
    assert ratios.meanings["y"] == "pairwise sum relative to mbs" and ratios["group"][::2] == [f"arrivals × {scale}" for scale in scales]
    why = found.plot_data("why")
    assert len(why) == marks(found.plot("why")) and all(why["group"])
    times = {float(group.split()[1]) for group in why["group"] if group.startswith("from ")}
    assert len(times) > 5 and max(times) < max(found.jobs["submit_s"])
    labels = {(series, label) for series, label in zip(*(found.plot_data("frontier")[name] for name in ("series", "label")))}
    assert len(labels) == 6 and {label for _, label in labels} == {"×1", "×0.8", "×0.6"}, labels
    same = pickle.loads(pickle.dumps(ratios))
    assert columns(same) == columns(ratios) and same.meanings == ratios.meanings


def test_numbers_of_pictures_of_jobs(results: mr.Results) -> None:
    jobs = columns(results["mc1x1", "easy"].jobs)
    number = results["mc1x1", "easy"].summary["replay"]
    gantt = columns(results.plot_data("gantt", replay=number))
    assert len(gantt["value"]) == marks(results.plot("gantt", replay=number)) == sum(len(nodes.split()) for nodes in jobs["nodes"])
    starts, ends = (dict(zip(jobs["job"], jobs[column])) for column in ("start_s", "end_s"))
    assert all((starts[job], ends[job]) == (start, end) for job, start, end in zip(gantt["value"], gantt["x"], gantt["x_end"]))
    assert {*gantt["y"]} == {float(run.partition("-")[0]) for nodes in jobs["nodes"] for run in nodes.split()}
    box = results.plot_data("box", value="wait_s", replay=number)
    assert box["group"] == ["5 %", "25 %", "50 %", "75 %", "95 %", "mean"] and box["x"][5] == pytest.approx(sum(jobs["wait_s"]) / 150)
    nodes = results.plot_data("nodes", replay=number)
    busy = sum(allocated * (end - start) for allocated, start, end in zip(jobs["allocated"], jobs["start_s"], jobs["end_s"]))
    span = max(jobs["end_s"]) - min(jobs["start_s"])
    assert len(nodes) == 64 and sum(nodes["value"]) * span / 100 == pytest.approx(busy) and nodes.units["value"] == "%"
    for kind in ("busy", "queue", "waits", "cdf", "heat"):
        data = results.plot_data(kind)
        assert len(data) > 4 and data.columns[0] == "panel" and {"x", "y"} <= {*data.columns}, kind
    part = results.sel(allocator="mc1x1").plot_data("busy", window="0..86400")
    assert part.units["x"] == "s" and 0 <= min(part["x"]) <= max(part["x"]) <= 86400 and {*part["series"]} == {"mc1x1 · easy", "mc1x1 · fcfs"}


def test_html_is_shown_and_escaped(results: mr.Results, tmp_path: Path) -> None:
    parts: list[mr.Results | mr.Frame] = [results, results["mc1x1"], results.summary]
    for part in parts:
        assert part._repr_html_().startswith("<table>") and "mc1x1" in part._repr_html_()
    assert "600 rows" in results.jobs._repr_html_()
    odd = tmp_path / "<b>.swf"
    odd.write_text("1 0 -1 60 4 -1 -1 4 90 -1 1 1 1 -1 -1 -1 -1 -1\n")
    shown = mr.replay(odd, "4x4", "naive", quiet=True)._repr_html_()
    assert "<b>" not in shown and "&lt;b&gt;" in shown


def test_notes_are_warnings_and_kept(tmp_path: Path) -> None:
    log = tmp_path / "log.swf"
    line = "{} {} -1 60 {} -1 -1 4 90 -1 1 1 1 -1 -1 -1 -1 -1\n"
    log.write_text(line.format(1, 0, 4) + line.format(2, 5, 400))
    with pytest.warns(mr.Note, match="1"):
        found = mr.replay(log, "4x4", "naive", oversize="skip")
    assert len(found.notes) == 1
    calls: list[Callable[[], mr.Results]] = [
        lambda: mr.replay(log, "4x4", "naive", oversize="skip"), lambda: mr.compare(mr.Scheduler, log, "4x4", oversize="skip")
    ]
    for call in calls:
        with pytest.warns(mr.Note) as warned:
            call()
        assert {each.filename for each in warned} == {__file__}
    assert mr.replay(log, "4x4", "naive", oversize="skip", quiet=True).notes == found.notes


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"allocator": "nave"}, "did you mean 'naive'"),
        ({"machine": "4xx4"}, "4xx4"),
        ({"scheduler": ["easy", "eassy"]}, "eassy"),
        ({"trim": 200}, "0 to below 50"),
        ({"rules": "nobody"}, "nobody"),
        ({"timed": "no"}, "True or False"),
        ({"seed": -1}, "-1"),
        ({"machine": "2x2"}, "machine"),
        ({"allocator": []}, "at least one"),
    ],
)
def test_errors_are_those_of_the_program(small: Path, change: dict[str, object], message: str) -> None:
    given: dict[str, object] = {"machine": "8x8", "allocator": "naive", "quiet": True, **change}
    with pytest.raises(mr.Error) as raised:
        mr.replay(small, **given)  # type: ignore[arg-type]
    assert message in str(raised.value) and "--help" not in str(raised.value)
    assert isinstance(raised.value, ValueError)


def test_wrong_keywords_and_logs(small: Path, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="did you mean 'arrival_scale'"):
        mr.replay(small, "8x8", "naive", arrival_scales=[1])  # type: ignore[call-arg]
    with pytest.raises(mr.Error, match="does not exist|no such file|cannot be"):
        mr.read_log(tmp_path / "none.swf")
    for missing in (lambda: mr.read_log(tmp_path / "none.swf"), lambda: mr.read_results(tmp_path / "none")):
        with pytest.raises(FileNotFoundError):
            missing()
    wrong: list[dict[str, Any]] = [{"allocator": None}, {"allocator": int}, {"allocator": {"naive", "mm"}}, {"timed": 0}]
    for change in wrong:
        with pytest.raises(TypeError) as raised:
            mr.replay(small, **{"machine": "8x8", "allocator": "naive", "quiet": True, **change})
        assert isinstance(raised.value, mr.Error) and "--" not in str(raised.value)
    (tmp_path / "bad.swf").write_text("1 0 x\n")
    with pytest.raises(mr.Error, match="bad.swf:1"):
        mr.read_log(tmp_path / "bad.swf")
    with pytest.raises(mr.Error, match="no-such"):
        mr.read_log(small, format="no-such")


LONG = """
import sys, meshreplay as mr
print("ready", flush=True)
mr.replay(mr.model("synthetic", jobs=400_000, ratio=2), "64x64", "mc1x1", ["easy", "fcfs"], quiet=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_ctrl_c_ends_replays() -> None:
    process = subprocess.Popen([sys.executable, "-c", LONG], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in said and process.returncode != 0


def test_other_threads_of_python_run_meanwhile() -> None:
    counted = 0
    done = threading.Event()

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    ticks: list[tuple[int, int, int, int]] = []
    mr._core.replay(
        [["--", "synthetic:jobs=20000,ratio=2"]], [""], ["--machine=32x32", "--allocator=mc1x1"],
        [[], [], []], lambda *news: ticks.append(news),
    )
    done.set()
    thread.join()
    assert counted > 10 and all(tick[3] == 1 for tick in ticks)


def test_studies_run_and_are_read(command: Callable[..., str], small: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(f'logs = ["{small}"]\nmachines = ["8x8"]\nallocators = ["naive", "mc1x1"]\narrival_scales = [1, 0.8]\n')
    found = mr.sweep(study, tmp_path / "out", jobs=True, quiet=True)
    assert len(found) == 4 and len(found["mc1x1"].jobs) == 300
    assert found.plot("load").svg.startswith("<svg")
    with pytest.raises(mr.Error, match="replay the log again"):
        found.state(at=0)
    with pytest.raises(mr.Error, match="stu.dy.toml"):
        mr.sweep(tmp_path / "stu.dy.toml", tmp_path / "out2", quiet=True)


def test_the_command_has_its_exit_codes(command: Callable[..., str], small: Path) -> None:
    assert "meshreplay " + mr.__version__ in command("--version")
    assert "unexpected argument" in command("replay", "--nonsense", code=2)
    assert "error: " in command("replay", "/no/such.swf", "-m", "4x4", "-a", "naive", code=1)


@pytest.mark.skipif(os.name == "nt", reason="signals of Unix")
def test_the_command_ends_by_the_signal() -> None:
    words = ["replay", "synthetic:jobs=400000,ratio=2", "-m", "64x64", "-a", "mc1x1", "-q"]
    process = subprocess.Popen([sys.executable, "-m", "meshreplay", *words], stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == -signal.SIGINT and "interrupted" in said and "Traceback" not in said


def test_a_closed_pipe_is_no_error() -> None:
    done = subprocess.run(
        f"{sys.executable} -m meshreplay list allocators | head -1; echo ${{PIPESTATUS[0]}}",
        shell=True, executable="/bin/bash", capture_output=True, text=True, check=True,
    )
    assert done.stdout.splitlines()[-1] == "0" and done.stderr == ""
