#!/usr/bin/env python3
"""Compares schedulers that plan with requested, predicted and exact run times, under three allocators.

Usage: scripts/predictions.py [LOG...]

Replays six logs (or those whose names contain LOG) under EASY, EASY-SJBF and conservative backfilling, each with requested, predicted
and exact run times, with snug, mc and mc1x1, and prints a Markdown table for each log. Needs the logs, which

  scripts/fetch-traces.sh NASA-iPSC-1993-3.1-cln KTH-SP2-1996-2 SDSC-SP2-1998-4.2-cln SDSC-Par-1996-3.1-cln \
      HPC2N-2002-2.2-cln LANL-CM5-1994-4.1-cln

fetches, in the directory of the variable TRACES (traces/archive by default), and a program in target/release. Takes some minutes.

The intervals are of a circular block bootstrap over time: the jobs, in the order of their arrival, are cut into 512 cells of equally
many; a resample has 32 blocks of 16 neighbouring cells, drawn with a fixed seed. Both schedulers have the same resample, so that what both have in common does not widen the interval.
"""

import csv
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOGS = [
    ("NASA-iPSC-1993-3.1-cln", "16x8"),
    ("KTH-SP2-1996-2", "10x10"),
    ("SDSC-SP2-1998-4.2-cln", "16x8"),
    ("SDSC-Par-1996-3.1-cln", "20x20"),
    ("HPC2N-2002-2.2-cln", "16x15"),
    ("LANL-CM5-1994-4.1-cln", "32x32"),
]
ALLOCATORS = ["snug", "mc", "mc1x1"]
SCHEDULERS = [("EASY", "easy"), ("EASY-SJBF", "easy:backfill=sjbf"), ("conservative", "conservative")]
ESTIMATES = [("requested", "recorded"), ("predicted", "predicted:user-last-two"), ("exact", "predicted:exact")]
NAMES = {("EASY-SJBF", "predicted"): "EASY++"}
CELLS, BLOCK, RESAMPLES = 512, 16, 1000


def replay(log, machine, estimate, folder):
    """Returns the rows of the summary and, for each replay, the columns of its jobs as lists of numbers."""
    traces = Path(os.environ.get("TRACES", ROOT / "traces" / "archive"))
    command = [ROOT / "target/release/meshreplay", "replay", traces / f"{log}.swf.gz", "--machine", machine, "--scheduler"]
    command += [spec for _, spec in SCHEDULERS] + ["--allocator"] + ALLOCATORS
    command += ["--estimate", estimate, "--no-timing", "--quiet", "--format", "csv", "--force", "--output", folder]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    with open(folder / "summary.csv", newline="") as file:
        summaries = list(csv.DictReader(file))
    jobs = {}
    with open(folder / "jobs.csv", newline="") as file:
        lines = csv.reader(file)
        header = next(lines)
        at = {name: header.index(name) for name in ["replay", "submit_s", "wait_s", "run_s", "procs", "pairwise_sum"]}
        for line in lines:
            value = {name: float(line[column]) for name, column in at.items()}
            turnaround = value["wait_s"] + value["run_s"]
            bounded = max(value["run_s"], 10)
            of = jobs.setdefault(int(value["replay"]), {"submit": [], "wait": [], "slowdown": [], "per": [], "sum": []})
            of["submit"].append(value["submit_s"])
            of["wait"].append(value["wait_s"])
            of["slowdown"].append(max(1, turnaround / bounded))
            of["per"].append(max(1, turnaround / (value["procs"] * bounded)))
            of["sum"].append(value["pairwise_sum"])
    return summaries, jobs


def cells(values, order):
    """Returns the running sums over the cells of the jobs in this order, twice round."""
    count = len(values)
    sums = [0.0] * CELLS
    for rank, job in enumerate(order):
        sums[rank * CELLS // count] += values[job]
    running = [0.0]
    for cell in sums + sums:
        running.append(running[-1] + cell)
    return running


def difference(ours, base, order):
    """Returns the difference of two means in percent of the base, with the 95 % interval of the bootstrap."""
    if ours == base:
        return "the same"
    running = [cells(values, order) for values in (ours, base)]
    draws = random.Random(1)
    found = []
    for _ in range(RESAMPLES):
        starts = [draws.randrange(CELLS) for _ in range(CELLS // BLOCK)]
        one, other = (sum(sums[start + BLOCK] - sums[start] for start in starts) for sums in running)
        found.append(one / other - 1)
    found.sort()
    low, high = found[int(0.025 * RESAMPLES)], found[int(0.975 * RESAMPLES) - 1]
    percent = [100 * value for value in (sum(ours) / sum(base) - 1, low, high)]
    digits = 0 if max(map(abs, percent)) >= 10 else 1
    point, low, high = (f"{value + 0.0:+.{digits}f}".replace("-", "−") for value in percent)
    return f"{point} % [{low}, {high}]"


def number(value):
    """Returns a number with as many digits as a table needs."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def rows(log, machine):
    """Yields the cells of the table of one log."""
    kept = {}
    with tempfile.TemporaryDirectory() as scratch:
        for estimate, spec in ESTIMATES:
            summaries, jobs = replay(log, machine, spec, Path(scratch) / estimate)
            for i, summary in enumerate(summaries):
                scheduler, allocator = SCHEDULERS[i // len(ALLOCATORS)][0], ALLOCATORS[i % len(ALLOCATORS)]
                kept[scheduler, estimate, allocator] = summary, jobs[int(summary["replay"])]
    first = ALLOCATORS[0]
    submit = kept["EASY", "requested", first][1]["submit"]
    order = sorted(range(len(submit)), key=submit.__getitem__)
    for estimate, _ in ESTIMATES:
        for scheduler, _ in SCHEDULERS:
            summary, jobs = kept[scheduler, estimate, first]
            is_base = (scheduler, estimate) == ("EASY", "requested")
            line = [NAMES.get((scheduler, estimate), scheduler), estimate]
            columns = [(first, name) for name in ["wait", "slowdown", "per"]] + [(name, "sum") for name in ALLOCATORS]
            for allocator, name in columns:
                ours, base = (kept[one, other, allocator][1][name] for one, other in [(scheduler, estimate), ("EASY", "requested")])
                mean = number(sum(ours) / len(ours))
                line.append(mean if is_base else f"{mean}, {difference(ours, base, order)}")
            line.insert(5, f"{100 * float(summary['utilization']):.1f} %")
            yield line


def main(wanted):
    if any(word in ("-h", "--help") for word in wanted):
        print(__doc__)
        return
    for log, machine in LOGS:
        if wanted and not any(word.lower() in log.lower() for word in wanted):
            continue
        print(f"### {log}, {machine}\n")
        titles = ["scheduler", "run times", "wait (s)", "slowdown", "slowdown per processor", "utilization"]
        titles += [f"pairwise sum, {allocator}" for allocator in ALLOCATORS]
        print(f"| {' | '.join(titles)} |\n|{' --- |' * len(titles)}")
        for line in rows(log, machine):
            print(f"| {' | '.join(line)} |", flush=True)
        print(flush=True)


main(sys.argv[1:])
