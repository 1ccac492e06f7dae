"""Results that are kept in a directory, joined, and saved."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any, Callable

import meshreplay as mr
import pytest

from .conftest import columns

numpy = pytest.importorskip("numpy")


class Roll(mr.Allocator):
    def __init__(self, by: int) -> None:
        self.by = by

    def propose(self, request: mr.Request, machine: mr.Machine) -> Any:
        return numpy.roll(machine.free_nodes(), self.by)[: request.procs]


class Unable(mr.Allocator):
    def propose(self, request: mr.Request, machine: mr.Machine) -> Any:
        raise KeyError("nothing")


def replayed(log: Any, allocator: Any = "naive", *of: Any, **options: Any) -> mr.Results:
    return mr.replay(log, "8x8", allocator, *of, timed=False, quiet=True, **options)


def means(results: list[mr.Results]) -> list[float]:
    return [results.summary["pairwise_sum_mean"][0] for results in results]


def test_later_calls_with_a_directory_do_not_change_earlier_results(small: Path, tmp_path: Path) -> None:
    kept = [replayed(small, Roll(by), out=tmp_path / "out", tidy=True) for by in (0, 9, 17)]
    plain = [replayed(small, Roll(by), tidy=True) for by in (0, 9, 17)]
    assert len(set(means(plain))) == 3 and means(kept) == means(plain)
    for one, other in zip(kept, plain):
        assert one.names == other.names and one.jobs["start_s"] == other.jobs["start_s"]
        ours, theirs = one.frame("tidy"), other.frame("tidy")
        assert ours is not None and theirs is not None and ours["pairwise_sum"] == theirs["pairwise_sum"]
        assert means([pickle.loads(pickle.dumps(one))]) == means([other])
        assert one.jobs.to_arrow().schema == other.jobs.to_arrow().schema if "pyarrow" in sys.modules else True
    assert mr.read_results(tmp_path / "out").names == kept[-1].names
    with pytest.raises(mr.Error, match="nothing"):
        replayed(small, Unable, out=tmp_path / "out")
    assert means(kept) == means(plain)


def test_results_of_a_directory_that_is_gone_are_an_error(small: Path, tmp_path: Path) -> None:
    kept = replayed(small, ["naive", "mc1x1"], out=tmp_path / "out")
    for file in (tmp_path / "out/cells").glob("*.jobs.parquet"):
        file.unlink()
        break
    with pytest.raises(FileNotFoundError, match=r"jobs.parquet is gone"):
        kept.jobs
    assert replayed(small, "naive", out=tmp_path / "other").jobs["job"]


def test_temporary_directories_go_without_warnings(small: Path, tmp_path: Path) -> None:
    program = f"""
import os, sys, tempfile, meshreplay as mr
tempfile.tempdir = {str(tmp_path / "temporary")!r}
found = mr.replay({str(small)!r}, "8x8", ["naive", "mc1x1"], out={str(tmp_path / "out")!r}, timed=False, quiet=True)
parts = mr.concat([found[0], found[1]])
assert len(os.listdir(tempfile.tempdir)) == 2
child = os.fork() if hasattr(os, "fork") else -1
if child == 0:
    sys.exit()
if child > 0:
    os.waitpid(child, 0)
assert len(parts.jobs) == len(found.jobs) == 300
"""
    (tmp_path / "temporary").mkdir()
    line = [sys.executable, "-W", "error::ResourceWarning", "-W", "ignore::DeprecationWarning", "-c", program]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stderr == "" and not os.listdir(tmp_path / "temporary"), done.stderr


def test_directories_have_runs_of_their_own(small: Path, tmp_path: Path) -> None:
    kept = [replayed(small, Roll(by), out=tmp_path / str(by)) for by in (0, 9)]
    assert len({run for each in kept for run in each.summary["run"] + each.jobs["run"]}) == 2
    again = replayed(small, Roll(0), out=tmp_path / "0")
    assert again.summary["run"] == kept[0].summary["run"] == mr.read_results(tmp_path / "0").summary["run"]


def test_numbers_of_replays_are_signed_and_dates_are_found(small: Path, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    log = Path(__file__).resolve().parents[2] / "traces/may.sacct.gz"
    options: dict[str, Any] = {"timed": False, "quiet": True}
    plain = mr.replay(log, "auto", ["naive", "mc1x1"], **options)
    kept = mr.replay(log, "auto", ["naive", "mc1x1"], out=tmp_path / "out", **options)
    both = mr.concat([plain, replayed(small)])
    for each in (plain, kept, both):
        assert arrow.table(each.jobs).schema.field("replay").type == arrow.int64()
        dated = each.frame("jobs", dates=True)
        assert dated is not None
        submits = arrow.table(dated)["submit_s"].to_pylist()
        assert submits[0].year == 2024 and (submits[-1] is None) == (each is both)


def test_joined_results_may_come_from_a_generator(small: Path) -> None:
    joined = mr.concat(replayed(small, each) for each in ("naive", "mc1x1", "random"))
    assert joined.summary["allocator"] == ["naive", "mc1x1", "random"] and joined.summary["replay"] == [0, 1, 2]
    found = mr.concat(each for each in replayed(small, ["naive", "mc1x1"]))
    assert found.summary["allocator"] == ["naive", "mc1x1"] and len(found.jobs) == 300
    assert len(mr.concat([mr.concat([found[0]]), found[1]]).jobs) == 300
    with pytest.raises(TypeError, match="1 are no results"):
        mr.concat([1])  # type: ignore[list-item]


def test_results_that_are_gone_are_an_error(small: Path, tmp_path: Path) -> None:
    replayed(small).save(tmp_path / "saved")
    read = mr.read_results(tmp_path / "saved")
    shutil.rmtree(tmp_path / "saved")
    with pytest.raises(mr.Error, match="gone"):
        mr.concat([read])


def test_joined_replays_of_one_name_are_refused_if_they_differ(small: Path) -> None:
    def made(by: int) -> type[mr.Allocator]:
        class Own(mr.Allocator):
            def propose(self, request: mr.Request, machine: mr.Machine) -> Any:
                return numpy.roll(machine.free_nodes(), by)[: request.procs]

        return Own

    with pytest.raises(mr.Error, match="Own' is the name of .* differ in allocator,.*spec"):
        mr.concat([replayed(small, made(0)), replayed(small, made(9))])
    one = replayed(small, made(0))
    for twice in ([one, replayed(small, made(0))], [one, one]):
        with pytest.raises(mr.Error, match="seed 1 is in several results, and tables would count it twice"):
            mr.concat(twice)
    logs = [mr.lublin(jobs=50, procs=16, seed=seed) for seed in (1, 2)]
    for allocators in (["naive", "naive"], ["naive", "mc1x1"]):
        with pytest.raises(mr.Error, match="'lublin' is the name of several logs.*name="):
            mr.concat([replayed(log, allocator) for log, allocator in zip(logs, allocators)])
    with pytest.raises(mr.Error, match="differ in trim_percent,"):
        mr.concat([replayed(small, trim=trim) for trim in (0, 10)])


def test_joined_replays_of_different_options_have_a_note_and_no_ratios(small: Path) -> None:
    parts = [replayed(small, ["naive", "mm"]), replayed(small, "mc1x1", trim=5)]
    with pytest.warns(mr.Note, match="differ in trim_percent"):
        joined = mr.concat(parts)
    assert joined.notes[-1].startswith("the results differ in trim_percent")
    for draw in (joined.plot, joined.plot_data):
        with pytest.raises(mr.Error, match="ratio: the results differ in trim_percent"):
            draw("ratio")
    for draw in (joined.plot, joined.plot_data):
        with pytest.warns(mr.Note, match="waits: the results differ in trim_percent"):
            draw("waits")
    alike = joined.sel(allocator=["naive", "mm"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert alike.plot_data("ratio")["y"][0] == 1.0 and len(alike.plot_data("waits")) > 5 and alike.notes == parts[0].notes


def test_notes_of_joined_results_stay_with_their_calls(small: Path, tmp_path: Path) -> None:
    line = "{} {} -1 60 {} -1 -1 4 90 -1 1 1 1 -1 -1 -1 -1 -1\n"
    (tmp_path / "large.swf").write_text(line.format(1, 0, 4) + line.format(2, 5, 400))
    one, other = replayed(tmp_path / "large.swf", oversize="skip"), replayed(small, ["mm", "mc1x1"])
    assert len(one.notes) == 1 and other.notes == []
    joined = mr.concat([other, one])
    for each in (joined, pickle.loads(pickle.dumps(joined)), mr.concat([replayed(small, "random"), joined])[1:]):
        assert each.notes == one.notes and [part.notes for part in each] == [[], [], one.notes]


def test_frames_of_some_calls_alone_are_an_error(small: Path) -> None:
    joined = mr.concat([replayed(small, "naive", tidy=True), replayed(small, ["mm", "mc1x1"])])
    with pytest.raises(mr.Error, match="no frame 'tidy' of small 8x8 easy mm; small 8x8 easy mc1x1: ask for it"):
        joined.frame("tidy")
    tidy = joined.sel(allocator="naive").frame("tidy")
    assert tidy is not None and len(tidy) == 150 and joined[1:].frame("tidy") is None and joined.frame("slices") is None
    assert len(joined.jobs) == 450


def test_directories_and_reports_have_no_names_of_tables(small: Path, tmp_path: Path) -> None:
    study, whole = tmp_path / "study.toml", replayed(small)
    study.write_text(f'logs = ["{small}"]\nmachines = ["8x8"]\nallocators = ["naive"]\n')
    for call in (
        lambda: replayed(small, out=tmp_path / "x.csv"), lambda: whole.save(tmp_path / "x.csv"), lambda: mr.sweep(study, tmp_path / "x.csv"),
        lambda: mr.sweep(study, tmp_path / "x.csv", allocator="mm"), lambda: mr.reproduce("walker2010", "fig9", out=tmp_path / "x.csv"),
    ):
        with pytest.raises(mr.Error, match=r"x\.csv: expected a directory, without the ending of a table"):
            call()
    for name in ("x.csv.gz", "x.tsv", "x.ipc", "x.feather"):
        with pytest.raises(mr.Error, match=f"{name}: expected a directory, without the ending of a table"):
            replayed(small, out=tmp_path / name)
    for name in ("x.csv", "x.pdf", "x.html.gz"):
        with pytest.raises(mr.Error, match=f"{name}: a report is a page; expected a name that ends in .html"):
            whole.report(tmp_path / name)
    assert os.listdir(tmp_path) == ["study.toml"]
    for name in ("rep", "rep.htm", "rep.HTML", "rep.2024"):
        whole.report(tmp_path / name)
        assert (tmp_path / name).read_text().startswith("<!DOCTYPE html>"), name


def test_seeds_have_64_bits(tiny: Path, tmp_path: Path) -> None:
    seed = 2**64 - 1
    large = mr.replay(tiny, "4x4", ["naive", "random"], seed=seed, quiet=True)
    small = mr.replay(tiny, "4x4", "mm", quiet=True)
    assert large.summary["seed"] == [seed] * 2 and {*large.jobs["seed"]} == {seed}
    assert mr.concat([small, large]).summary["seed"] == [1, seed, seed] and mr.concat([large, small]).jobs["seed"][-1] == 1
    assert {*large.paired(allocator=("naive", "random"))["seed"]} == {seed}
    large.save(tmp_path / "saved")
    assert mr.read_results(tmp_path / "saved").sel(seed=seed).summary["seed"] == [seed] * 2
    assert pickle.loads(pickle.dumps(large.summary))["seed"] == [seed] * 2
    assert mr.replay(tiny, "4x4", "naive", seed=2**63, quiet=True).summary["seed"] == [2**63]


def test_what_joined_results_lack_is_told(small: Path, tmp_path: Path) -> None:
    study = tmp_path / "study.toml"
    study.write_text(f'logs = ["{small}"]\nmachines = ["8x8"]\nallocators = ["naive"]\nseeds = {[*range(1, 15)]}\n')
    both = mr.concat([mr.sweep(study, tmp_path / "out", quiet=True), replayed(small, "mm")])
    message = r"there is no frame 'jobs' of (small[^;]*; ){7}small[^;]* and 6 more: mr\.sweep\(…, jobs=True\) keeps that of a study, or select the others"
    with pytest.raises(mr.Error, match=f"^{message}$"):
        both.jobs
    with pytest.warns(mr.Note, match=f"^waits: {message}$"):
        assert {*both.plot_data("waits")["series"]} == {"mm"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        both.sel(allocator="mm").plot("waits")
        both.plot("ratio", relative_to="mm")


def test_reports_of_pickled_results_name_the_directory_of_their_call(small: Path, tmp_path: Path) -> None:
    replayed(small, ["naive", "mm"]).save(tmp_path / "saved")
    read = mr.read_results(tmp_path / "saved")
    for number, each in enumerate([read, read[0], pickle.loads(pickle.dumps(read))[0], pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(read))))]):
        each.report(tmp_path / f"{number}.html")
        page = (tmp_path / f"{number}.html").read_text()
        assert f"(cd {os.path.realpath(os.curdir)} &amp;&amp; meshreplay replay {small} " in page or number == 0, number
        assert f"{tempfile.gettempdir()}{os.sep}meshreplay-" not in page and "--output meshreplay-" not in page, number


def test_live_and_read_results_are_joined_alike(small: Path, tmp_path: Path) -> None:
    class Refuses(mr.Allocator):
        def propose(self, request: mr.Request, machine: mr.Machine) -> Any:
            raise ValueError("never")

    one, other = replayed(small), replayed(small, ["mc1x1", Refuses])
    for name, each in {"one": one, "other": other[0]}.items():
        each.save(tmp_path / name)
    read = mr.read_results(tmp_path / "other")
    for joined in (mr.concat([one, read]), mr.concat([read, one]), mr.concat([one, other[0], other[1]])):
        assert len(set(joined.names)) == len(joined) and len(joined.jobs) == 300
    for twice in ([one, mr.read_results(tmp_path / "one")], [read, other], [replayed(small, "mc1x1", out=tmp_path / "kept"), read]):
        with pytest.raises(mr.Error, match="seed 1 is in several results"):
            mr.concat(twice)


def test_joined_results_are_no_directory_and_have_all_manifests(small: Path, tmp_path: Path) -> None:
    parts = [replayed(small, ["naive", "mc1x1"]), replayed(small, "random", seed=2)]
    joined = mr.concat(parts)
    for each in (joined, joined[:1], pickle.loads(pickle.dumps(joined))):
        with pytest.raises(mr.Error, match="before mr.concat"):
            each.save(tmp_path / "joined")
        assert each.verdict == "" and [call["first_replay"] for call in each.manifest["calls"]] == [0, 2]
    assert not (tmp_path / "joined").exists()
    more = mr.concat([replayed(small, "mm"), joined])
    assert [call["first_replay"] for call in more.manifest["calls"]] == [0, 1, 3]
    assert [{**parts[0].manifest, "first_replay": 1}] == more.manifest["calls"][1:2]


def test_jobs_are_paired_within_a_call(small: Path) -> None:
    one, other = (replayed(small, ["naive", "mc1x1"], "easy", arrival_scale=scale) for scale in (1, 0.8))
    pairs = mr.concat([one, other]).paired("wait_s", allocator=("naive", "mc1x1"))
    assert {*zip(pairs["first_replay"], pairs["second_replay"])} == {(0, 1), (2, 3)}
    apart = mr.concat([replayed(small), replayed(small, "mc1x1")])
    with pytest.raises(mr.Error, match="of one call"):
        apart.paired("wait_s", allocator=("naive", "mc1x1"))


def test_saving_never_loses_replays(small: Path, tmp_path: Path) -> None:
    whole = replayed(small, ["naive", "mc1x1"])
    whole[0].save(tmp_path / "out")
    with pytest.raises(mr.Error, match="other replays of this run; force=True"):
        whole[1].save(tmp_path / "out")
    assert mr.read_results(tmp_path / "out").summary["allocator"] == ["naive"]
    whole.save(tmp_path / "out")
    assert mr.read_results(tmp_path / "out").names == whole.names
    with pytest.raises(mr.Error, match="other replays of this run"):
        whole[0].save(tmp_path / "out")
    whole[0].save(tmp_path / "out", force=True)
    assert mr.read_results(tmp_path / "out").summary["allocator"] == ["naive"]
    assert columns(mr.read_results(tmp_path / "out").jobs) == columns(whole[0].jobs)
    three = replayed(small, ["naive", "mc1x1", "random"])
    three[:2].save(tmp_path / "part")
    assert "random (no results: failed, not replayed or not saved)" in mr.read_results(tmp_path / "part").verdict


def test_positions_may_be_integers_of_numpy(small: Path) -> None:
    whole = replayed(small, ["naive", "mc1x1"])
    assert whole[numpy.int64(1)].names == whole[1].names == whole[numpy.int64(-1)].names
    assert len(whole.sel(seed=numpy.int64(1))) == 2
    with pytest.raises(KeyError, match="no position"):
        whole[True]


HERE: list[mr.Results] = []


def used(what: str) -> Any:
    whole = HERE[0]
    calls: dict[str, Callable[[], Any]] = {
        "part": lambda: whole[1], "sel": lambda: whole.sel(allocator="mc1x1"), "all": lambda: list(whole), "verdict": lambda: whole.verdict,
        "save": lambda: whole.save("never"), "part save": lambda: whole[1].save("never"), "table": whole.table, "jobs": lambda: whole.jobs,
    }
    try:
        calls[what]()
    except mr.Error as error:
        return str(error)
    return ""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks of Unix")
@pytest.mark.parametrize("what", ["part", "sel", "all", "verdict", "save", "part save", "table", "jobs"])
def test_forks_never_hang(small: Path, what: str) -> None:
    HERE[:] = [replayed(small, ["naive", "mc1x1"])]
    with multiprocessing.get_context("fork").Pool(1) as pool:
        said = pool.map_async(used, [what]).get(20)
    assert "spawn" in said[0] or what in ("verdict", "table", "jobs"), said


def test_causes_are_those_of_their_own_replay(small: Path) -> None:
    class Wrong(mr.Allocator):
        def __init__(self, key: int) -> None:
            self.key = key

        def propose(self, request: mr.Request, machine: mr.Machine) -> Any:
            raise KeyError(self.key)

    found = replayed(small, ["naive", Wrong(1), Wrong(12)])
    assert [repr(error.__cause__) for error in found.errors.values()] == ["KeyError(1)", "KeyError(12)"]
    assert not mr._own._raised


def test_an_exit_of_own_code_has_the_results(small: Path) -> None:
    class Exits(mr.Allocator):
        def propose(self, request: mr.Request, machine: mr.Machine) -> Any:
            sys.exit(3)

    with pytest.raises(SystemExit) as raised:
        replayed(small, ["naive", Exits])
    assert raised.value.results["naive"].summary["allocator"] == ["naive"]  # type: ignore[attr-defined]


def test_messages_have_no_options_of_the_command(small: Path, tmp_path: Path) -> None:
    whole = replayed(small)
    (tmp_path / "page.html").write_text("mine")
    with pytest.raises(mr.Error, match="force=True"):
        whole.report(tmp_path / "page.html")
    with pytest.raises(mr.Error, match=r"`mr.replay\(…, placements=True\)` keeps them"):
        whole.plot("gantt")
    with pytest.raises(mr.Error, match="unknown model 'syntetic', did you mean 'synthetic'"):
        mr.model("syntetic")
