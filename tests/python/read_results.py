"""Runs the Python lines of docs/src/python.md on real results, and loads an exported schedule with evalys."""

import importlib.util
import os
import pathlib
import re
import sys


def missing(package):
    """Says that a package is not there, if so."""
    if importlib.util.find_spec(package) is not None:
        return False
    print(f"skipped: no {package}")
    return True


def lines_of_page(package):
    """The blocks of Python of docs/src/python.md that import a package."""
    blocks = re.findall(r"```python\n(.*?)```", pathlib.Path("docs/src/python.md").read_text(), re.S)
    return "\n".join(block for block in blocks if f"import {package}" in block)


def main():
    results = pathlib.Path(sys.argv[1])
    code = {package: lines_of_page(package) for package in ("polars", "pandas")}
    os.chdir(results)
    # The page calls its directory out.
    (results / "out").symlink_to("parquet")
    for package, lines in code.items():
        if missing(package) or missing("pyarrow"):
            continue
        names = {}
        exec(lines, names)
        assert set(names["waits"].columns if package == "polars" else names["waits"].index.names) >= {"allocator"}
        assert len(names["waits"]) == 2, names["waits"]
        if package == "polars":
            assert len(names["slow"]) == 10 and set(names["slow"]["allocator"]) == {"hilbert+bf"}, names["slow"]
        print(f"{package}: the lines of the page run")
    if not missing("polars"):
        import polars

        arrow = polars.read_ipc("arrow/jobs.arrow")
        assert arrow.equals(polars.read_parquet("parquet/jobs.parquet"))
        lines = polars.read_ndjson("jsonl/jobs.jsonl", infer_schema_length=None)
        assert lines["start_s"].equals(arrow["start_s"]) and lines["nodes"].equals(arrow["nodes"])
        print("polars: Arrow, Parquet and JSON lines hold the same jobs")
    if not missing("evalys"):
        from evalys.jobset import JobSet

        jobs = JobSet.from_csv("jobs.csv")
        assert jobs.MaxProcs == 16 and len(jobs.df) == 10
        assert jobs.utilisation.load.max() == 16
        assert (jobs.df.proc_alloc == jobs.df.requested_number_of_resources).all()
        print("evalys: the exported jobs load")


main()
