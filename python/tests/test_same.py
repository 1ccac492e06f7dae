"""What Python gives is what the command writes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, Literal

import meshreplay as mr
import pytest

from .conftest import ROOT


def files(folder: Path) -> dict[str, bytes]:
    """Returns the bytes of every file of a directory."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


@pytest.mark.parametrize("format", ["parquet", "arrow", "csv", "json", "jsonl"])
def test_saved_files_are_those_of_the_command(
    small: Path, results: mr.Results, command: Callable[..., str], tmp_path: Path,
    format: Literal["parquet", "arrow", "csv", "json", "jsonl"],
) -> None:
    command(
        "replay", str(small), "-m", "8x8", "-a", "hilbert+bf", "mc1x1", "-s", "easy", "fcfs", "--placements",
        "--no-timing", "-q", "--format", format, "-o", str(tmp_path / "command"),
    )
    results.save(tmp_path / "python", format=format)
    assert files(tmp_path / "python") == files(tmp_path / "command")
    assert len(files(tmp_path / "python")) == 4


@pytest.mark.parametrize("log", ["tiny", "small"])
def test_every_allocator_under_every_scheduler(
    log: str, request: pytest.FixtureRequest, command: Callable[..., str], tmp_path: Path
) -> None:
    pl = pytest.importorskip("polars")
    path = request.getfixturevalue(log)
    schedulers = mr.schedulers()["name"]
    found = mr.replay(path, ["8x8", "64"], "all", schedulers, oversize="skip", timed=False, quiet=True)
    words = ["-m", "8x8", "64", "-a", "all", "-s", *schedulers, "--oversize", "skip", "--no-timing", "-q"]
    # No job of these logs has a recorded wait, so that these replays fail and all others have results.
    said = command("replay", str(path), *words, "-o", str(tmp_path / "out"), code=1)
    assert set(found.errors) == {i for i, name in enumerate(found.names) if " recorded " in name}
    assert len(said.splitlines()) == len(found.errors)
    allocators = {name.split(":")[0] for name in found.summary["allocator"]}
    assert len(allocators) > 30 and len(found) > len(schedulers) * len(allocators)
    for name in ["summary", "jobs"]:
        written = pl.read_parquet(tmp_path / "out" / f"{name}.parquet")
        frame = found.frame(name)
        assert frame is not None and pl.DataFrame(frame).equals(written)


def test_dates_without_a_zone_are_read_as_the_command_reads_them(
    command: Callable[..., str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    log = str(ROOT / "traces/may.sacct.gz")
    command("replay", log, "-m", "auto", "-a", "naive", "--no-timing", "-q", "-o", str(tmp_path / "command"))
    program = f"""
import meshreplay as mr
r = mr.replay({log!r}, "auto", "naive", timed=False, quiet=True)
r.save({str(tmp_path / "python")!r})
assert any("Berlin" in note for note in r.notes), r.notes
"""
    subprocess.run([sys.executable, "-c", program], check=True)
    assert files(tmp_path / "python") == files(tmp_path / "command")


def test_results_of_a_directory_are_the_same(results: mr.Results, tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    results.save(tmp_path / "out")
    read = mr.read_results(tmp_path / "out")
    for name in ["summary", "jobs"]:
        one, other = results.frame(name), read.frame(name)
        assert one is not None and other is not None and pl.DataFrame(one).equals(pl.DataFrame(other))
    assert read.names == results.names and len(read["mc1x1", "easy"].jobs) == 150


def test_every_option_by_its_own_name(small: Path, command: Callable[..., str], tmp_path: Path) -> None:
    outages = tmp_path / "outages.csv"
    outages.write_text("1000,3,down\n90000,3,up\n")
    result = mr.replay(
        [small], ["8x8", "torus:4x16"], ["mc1x1"], arrival_scale=[1, 0.8], trim=2.5, replications=2, timed=False,
        contention=True, fragmentation="4x4,2x2", placements=True, by_shape=True, outages=outages,
        on_outage="drain", rules="requested", estimate="factor=2", unavailable="0-1", seed=7, threads=1, oversize="skip", quiet=True,
    )
    words = ["-m", "8x8", "torus:4x16", "-a", "mc1x1", "--arrival-scale", "1", "0.8", "--trim", "2.5", "--replications"]
    words += ["2", "--no-timing", "--contention", "--fragmentation", "4x4,2x2", "--placements", "--by-shape"]
    words += ["--outages", str(outages), "--on-outage", "drain", "--rules", "requested", "--estimate", "factor=2"]
    words += ["--unavailable", "0-1", "--seed", "7", "--oversize", "skip", "-q", "-o", str(tmp_path / "command")]
    command("replay", str(small), *words)
    result.save(tmp_path / "python")
    assert files(tmp_path / "python") == files(tmp_path / "command")
    frames = ["downtimes", "fragmentation", "jobs", "shapes", "slices", "summary"]
    assert sorted(files(tmp_path / "python")) == sorted([f"{frame}.parquet" for frame in frames] + ["place.json", "run.json"])


def test_models_and_made_logs_are_those_of_the_command(command: Callable[..., str], small: Path, tmp_path: Path) -> None:
    made = mr.lublin(jobs=150, procs=64, load=0.9)
    ours = mr.replay(made, "8x8", "naive", timed=False, quiet=True)
    theirs = mr.replay(small, "8x8", "naive", timed=False, quiet=True)
    assert ours.manifest["logs"][0]["sha256"] == theirs.manifest["logs"][0]["sha256"]
    drawn = mr.replay(mr.model("synthetic", ratio=1.5, jobs=50), "8x8", "naive", timed=False, quiet=True)
    command(
        "replay", "synthetic:ratio=1.5,jobs=50", "-m", "8x8", "-a", "naive", "--no-timing", "-q", "-o", str(tmp_path / "a")
    )
    drawn.save(tmp_path / "b")
    assert files(tmp_path / "a") == files(tmp_path / "b")
    for name in mr.models()["name"]:
        assert mr.model(name, jobs=5).format == name


def same_picture(ours: Path, theirs: Path) -> bool:
    """Compares bytes, but of PDF files the size of the page: fonts and colours come in any order there."""
    if ours.suffix != ".pdf":
        return ours.read_bytes() == theirs.read_bytes()
    pages = [re.findall(rb"/MediaBox ?\[[^]]*\]", file.read_bytes()) for file in (ours, theirs)]
    return len(pages[0]) == 1 and pages[0] == pages[1]


def test_pictures_and_reports_are_those_of_the_command(
    results: mr.Results, command: Callable[..., str], tmp_path: Path
) -> None:
    # The report names the directory of the results in the command that repeats them; those in memory have this one.
    results.save(tmp_path / "results")
    for format in ["svg", "png", "pdf"]:
        command("plot", str(tmp_path / "results"), "-k", "utilization", "waits", "--format", format, "-o", str(tmp_path))
        for kind in ["utilization", "waits"]:
            results.plot(kind).save(tmp_path / f"ours.{format}")
            assert same_picture(tmp_path / f"ours.{format}", tmp_path / f"{kind}.{format}")
    # Options by their own names, in each format. An option that has no effect on a kind is an error in both.
    page: dict[str, Any] = {"size": "84x60mm", "no_title": True}
    of_jobs = {**page, "replay": [0, 1], "window": "0..86400"}
    kinds = {"ratio": {**page, "relative_to": "mc1x1"}, "box": {**of_jobs, "log_scale": True}, "cdf": {**of_jobs, "log_scale": True}}
    for kind in ["ratio", "waits", "box", "cdf", "busy", "queue", "nodes", "gantt"]:
        options = kinds.get(kind, of_jobs)
        words = []
        for name, value in options.items():
            values = value if isinstance(value, list) else [value]
            words += [f"--{name.replace('_', '-')}", *(str(one) for one in values if one is not True)]
        picture = results.plot(kind, **options)
        for format in ["svg", "png", "pdf"]:
            theirs, ours = tmp_path / f"theirs.{format}", tmp_path / f"ours.{format}"
            # Only pixels have a number.
            pixels = {"dpi": 150} if format == "png" else {}
            pixel_words = ["--dpi", "150"] if pixels else []
            command("plot", str(tmp_path / "results"), "-k", kind, *words, *pixel_words, "-o", str(theirs))
            picture.save(ours, **pixels)
            assert same_picture(ours, theirs), (kind, format)
    command("report", str(tmp_path / "results"), "--title", "t", "-o", str(tmp_path / "r.html"))
    results.report(tmp_path / "ours.html", title="t")
    assert (tmp_path / "ours.html").read_text() == (tmp_path / "r.html").read_text()


def test_the_table_and_the_closing_line_are_those_of_the_command(
    small: Path, command: Callable[..., str]
) -> None:
    words = ["-m", "8x8", "-a", "hilbert+bf", "mc1x1", "-s", "easy", "fcfs", "--no-timing", "-q"]
    printed = command("replay", str(small), *words)
    plain = mr.replay(small, "8x8", ["hilbert+bf", "mc1x1"], ["easy", "fcfs"], timed=False, quiet=True)
    assert repr(plain) == printed
    assert plain.verdict and printed.endswith(plain.verdict + "\n")
