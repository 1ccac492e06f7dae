"""Frames go to other libraries and come from them."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import meshreplay as mr
import pytest

from .conftest import ROOT, columns


def test_polars_pandas_pyarrow_and_duckdb_take_frames(results: mr.Results) -> None:
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    duckdb = pytest.importorskip("duckdb")
    expected = columns(results.jobs)
    assert len(expected["wait_s"]) == 600 and expected["allocated"][0] > 0
    assert pl.DataFrame(results.jobs).to_dict(as_series=False) == expected
    assert results.jobs.to_polars().equals(pl.DataFrame(results.jobs))
    assert pa.table(results.jobs).to_pydict() == expected
    assert results.jobs.to_arrow().schema.field("wait_s").metadata[b"unit"] == b"s"
    frame = results.jobs.to_pandas()
    assert isinstance(frame, pd.DataFrame) and frame["wait_s"].tolist() == expected["wait_s"]
    jobs = results.jobs.to_arrow()
    total = duckdb.sql("select sum(wait_s), count(distinct nodes) from jobs").fetchall()[0]
    assert total[0] == pytest.approx(sum(expected["wait_s"])) and total[1] == len(set(expected["nodes"]))
    assert jobs.num_rows == 600


def test_numbers_share_memory_with_the_frame(results: mr.Results) -> None:
    pa = pytest.importorskip("pyarrow")
    one, other = (pa.table(results.jobs).column("wait_s").chunk(0).buffers()[1].address for _ in range(2))
    assert one == other


def test_a_frame_that_nobody_takes_is_released(results: mr.Results) -> None:
    for _ in range(100):
        results.jobs.__arrow_c_stream__()


def test_frames_without_rows_keep_their_columns(results: mr.Results) -> None:
    pl = pytest.importorskip("polars")
    none = mr.Frame(results.jobs._native.of_replays(set()))
    assert pl.DataFrame(none).schema == results.jobs.to_polars().schema and len(none) == 0


ROWS: dict[str, list[Any]] = {
    "submit": [datetime.datetime(2024, 3, 1, 8, 0, 0), datetime.datetime(2024, 3, 1, 8, 0, 7)],
    "run": [60, 90],
    "procs": [4, 2],
    "req_time": [100.0, None],
    "user": ["anna, b", 'be"n'],
}


def replayed(frame: Any, **options: Any) -> dict[str, list[Any]]:
    """Returns the jobs of a replay of a frame."""
    log = mr.Log.from_frame(frame, name="own", **options)
    return columns(mr.replay(log, "4x4", "naive", "fcfs", timed=False, quiet=True).jobs)


def test_frames_of_every_library_are_logs(tmp_path: Path) -> None:
    pl = pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    pd = pytest.importorskip("pandas")
    duckdb = pytest.importorskip("duckdb")
    frame = pl.DataFrame(ROWS)
    found = replayed(frame)
    assert (found["submit_s"], found["run_s"], found["procs"]) == ([0.0, 7.0], [60.0, 90.0], [4, 2])
    assert found["estimate_s"][0] == 100.0
    arrow = pa.table(ROWS)
    lazy = frame.with_columns(
        pl.col("user").cast(pl.Categorical), pl.col("submit").dt.replace_time_zone("Europe/Berlin"),
        pl.duration(seconds="run").alias("run"),
    )
    pandas = pd.DataFrame(ROWS)
    for other in [arrow, pandas, pandas.assign(user=pandas["user"].astype("category")), lazy, duckdb.sql("from arrow").arrow()]:
        again = replayed(other)
        again["run"] = found["run"]
        if other is lazy:
            # Instants with a zone are written as seconds, which tell no hour of a week.
            assert again["submit_hour"] == [None, None]
            again["submit_hour"] = found["submit_hour"]
        assert again == found, type(other)
    frame.with_columns(pl.col("submit").dt.strftime("%Y-%m-%dT%H:%M:%S")).write_csv(tmp_path / "own.csv")
    read = columns(mr.replay(mr.read_log(tmp_path / "own.csv"), "4x4", "naive", "fcfs", timed=False, quiet=True).jobs)
    read["run"] = found["run"]
    assert read == found


def test_columns_can_be_named_and_wrong_frames_are_refused() -> None:
    pl = pytest.importorskip("polars")
    names = {"submit": "a", "run": "b", "procs": "c"}
    frame = pl.DataFrame({"a": [0, 5], "b": [10, 20], "c": [1, 2]})
    assert replayed(frame, columns=names)["run_s"] == [10.0, 20.0]
    with pytest.raises(mr.Error, match="submit"):
        mr.Log.from_frame(frame)
    with pytest.raises(mr.Error, match="no rows"):
        mr.Log.from_frame(frame.clear())
    with pytest.raises(mr.Error, match="column 'd'"):
        mr.Log.from_frame(frame.with_columns(d=pl.lit([1, 2])))
    with pytest.raises(TypeError, match="Arrow stream"):
        mr.Log.from_frame([1, 2])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"procs": ["1", "x", "3"]}, r"^row 1: column 3 \(procs\): found 'x', expected a number$"),
        ({"submit": ["2024-05-01 10:00:00"] * 2 + ["soon"]}, r"^row 2: column 1 \(submit\): found 'soon', expected a time"),
    ],
)
def test_every_row_of_a_frame_is_checked_at_once(change: dict[str, list[str]], message: str) -> None:
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({"submit": [0, 10, 20], "run": [5, 5, 5], "procs": [1, 2, 3], **change})
    with pytest.raises(mr.Error, match=message):
        mr.Log.from_frame(frame)


def test_messages_on_frames_name_keywords_and_no_files() -> None:
    pl = pytest.importorskip("polars")
    with pytest.raises(mr.Error) as raised:
        mr.Log.from_frame(pl.DataFrame({"a": [1], "b": [2]}))
    assert 'columns={"submit": "COLUMN", ' in str(raised.value) and str(raised.value).startswith("the frame: ")
    frame = pl.DataFrame({"submit": [0, 0, 0], "run": [5, 5, 5], "procs": [9, 1, 1]})
    with pytest.raises(mr.Error, match="^mine: job 1 asks for 9 processors.*oversize='skip'"):
        mr.replay(mr.Log.from_frame(frame, name="mine"), "2x2", "naive", estimate="exact", quiet=True)
    frame = pl.DataFrame({"submit": [0], "run": [5], "procs": [9]})
    with pytest.raises(mr.Error, match="^mine: job 1 asks for 9 processors.* larger machine, such as machine='auto'"):
        mr.replay(mr.Log.from_frame(frame, name="mine"), "2x2", "naive", estimate="exact", quiet=True)
    with pytest.raises(TypeError, match=r"a DataFrame is no log; mr\.Log\.from_frame"):
        mr.replay(frame, "2x2", "naive")
    assert "/" not in "".join(mr.replay(mr.Log.from_frame(frame), "4x4", "naive", estimate="exact", quiet=True).notes)


def test_records_of_a_log_are_a_log_again(small: Path) -> None:
    records = mr.read_log(small).records()
    again = mr.replay(mr.Log.from_frame(records), "8x8", "mc1x1", estimate="exact", timed=False, quiet=True)
    first = mr.replay(small, "8x8", "mc1x1", estimate="exact", timed=False, quiet=True)
    one, other = columns(first.jobs), columns(again.jobs)
    assert set(one["queue"]) == {"interactive", "batch"}
    assert one.pop("run") != other.pop("run") and one == other
    dated = mr.read_log(ROOT / "traces/may.sacct.gz").records()
    assert dated.units == {"submit_s": "s"}
    told = r"again: the records hold times from the beginning of the log \(2024-05-01 00:01:04 UTC\), so that the new log has no dates"
    with pytest.warns(mr.Note, match=told):
        mr.Log.from_frame(dated, name="again")


def test_records_with_dates_make_a_log_with_dates() -> None:
    pl = pytest.importorskip("polars")
    may = mr.read_log(ROOT / "traces/may.sacct.gz")
    records, begin = may.records(), datetime.datetime(2024, 5, 1, 0, 1, 4)
    assert f"({begin} UTC)" in records.meanings["submit_s"]
    frame = records.to_polars()
    dated = frame.drop("submit_s").with_columns(submit=begin + pl.duration(seconds=frame["submit_s"]))
    logs = [may, mr.Log.from_frame(dated, time_zone="UTC"), mr.Log.from_frame(frame)]
    starts = [mr.replay(log, "16x16", "naive", quiet=True).manifest["logs"][0].get("starts", {}).get("unix_s") for log in logs]
    assert starts == [begin.replace(tzinfo=datetime.timezone.utc).timestamp()] * 2 + [None]


def test_dates_and_lists_of_nodes_go_to_every_library() -> None:
    pl = pytest.importorskip("polars")
    pd = pytest.importorskip("pandas")
    duckdb = pytest.importorskip("duckdb")
    found = mr.replay(ROOT / "traces/may.sacct.gz", "auto", ["naive", "mc1x1"], placements=True, timed=False, quiet=True)
    start = found.manifest["logs"][0]["starts"]["unix_s"]
    frame = found.frame("jobs", dates=True, nodes="list")
    assert frame is not None
    jobs = frame.to_polars()
    assert jobs["nodes"].dtype == pl.List(pl.Int64) and str(jobs["start_s"].dtype).startswith("Datetime")
    assert [date.timestamp() for date in jobs["start_s"][:50]] == [start + second for second in found.jobs["start_s"][:50]]
    assert (jobs["nodes"].list.len() == pl.Series(found.jobs["allocated"])).all()
    part = found.sel(allocator="mc1x1").frame("jobs", dates=True)
    assert part is not None and len(part.to_pandas()) == len(frame) / 2
    dates = frame.to_pandas()["submit_s"]
    assert pd.api.types.is_datetime64_any_dtype(dates) and str(dates.dt.tz) == "UTC"
    arrow = frame.to_arrow()
    assert duckdb.sql("select max(len(nodes)), min(start_s) from arrow").fetchall()[0][0] == max(found.jobs["allocated"])
    assert found.jobs.to_polars()["start_s"].dtype == pl.Float64
    made = mr.replay(mr.lublin(jobs=9, procs=16), "4x4", "naive", quiet=True).frame("jobs", dates=True)
    assert made is not None and made.to_polars()["start_s"].null_count() == 9


def test_differences_of_counts_have_a_sign(results: mr.Results) -> None:
    pl = pytest.importorskip("polars")
    jobs: Any = results.jobs.to_polars()
    first, second = (jobs.filter(pl.col("replay") == number)["pairwise_sum"] for number in (0, 2))
    assert -1e6 < (first - second).mean() < 1e6 and (-jobs["allocated"]).min() < 0
    assert results.jobs.to_pandas()["procs"].dtype == "int64"


def test_narwhals_takes_frames(results: mr.Results) -> None:
    pytest.importorskip("polars")
    nw = pytest.importorskip("narwhals")
    assert nw.from_arrow(results.jobs, backend="polars").shape == results.jobs.shape


def test_records_and_jobs_have_the_same_names_and_types(small: Path) -> None:
    pd = pytest.importorskip("pandas")
    records = mr.read_log(small).records().to_pandas()
    jobs = mr.replay(small, "8x8", "naive", timed=False, quiet=True).jobs.to_pandas()
    assert "run" not in records and {"submit_s", "run_s", "queue"} <= set(records) & set(jobs)
    assert len(pd.merge(records, jobs, on=["job", "queue"])) == len(jobs)
