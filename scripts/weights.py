#!/usr/bin/env python3
"""Measures the weights by which a study's cells are divided among shards, and prints them as crates/study/src/study/plan/cost.rs has them.

Usage: scripts/weights.py [--program PROGRAM] [--traces DIRECTORY] [ALLOCATOR …]

For a machine of each size, the logs of `TRAINING` are replayed under FCFS and EASY by every allocator, or by those named, on one
core with times of calls. A weight is the time of all replays for each job of theirs, in units of 0.15 µs. The weight of an allocator that
refuses jobs, under a scheduler that asks for jobs behind the head of the queue, is brought to one offered load before, by the growth that the
file states. The logs with which docs/src/clusters.md measures how even shards are are not among them. Takes about a quarter of an hour.
"""

import argparse
import csv
import json
import math
import os
import re
import statistics
import subprocess
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COSTS = ROOT / "crates/study/src/study/plan/cost.rs"
UNIT_S = 0.15e-6
# A log, or the Lublin-Feitelson model if there is none, the number of its first jobs, a machine of each size, and whether only allocators that
# refuse jobs are measured, which then replaces what was measured before: how often they are asked again depends on how long a queue can become.
TRAINING = [
    ("KTH-SP2-1996-2.swf.gz", 28_489, "10x10", False),
    ("", 10_000, "16x16", False),
    ("LANL-CM5-1994-4.1-cln.swf.gz", 20_000, "32x32", False),
    ("", 3_000, "64x64", False),
    ("", 20_000, "64x64", True),
]
MACHINES = list(dict.fromkeys(machine for _, _, machine, _ in TRAINING))
SCALES = [1, 0.9, 0.8]


def stated():
    """Returns what the file states: the weights of each allocator that has some, the growth for a hundredth of the load, the load of the
    weights, and the limits of loads that are told apart."""
    text = COSTS.read_text()
    numbers = r"\[([\d_, ]+)\]"
    rows = re.findall(rf'\("([\w-]+)", {numbers}, (?:Some\({numbers}\)|None)\)', text)
    weights = {name: [[int(n) for n in part.split(",")] if part else None for part in parts] for name, *parts in rows}
    growth = float(re.search(r"const GROWTH: f64 = ([\d.]+)", text).group(1))
    percent = int(re.search(r"const MEASURED_PERCENT: i32 = (\d+)", text).group(1))
    limits = [int(n) for n in re.search(r"const LOADS_PERCENT: \(i32, i32\) = \((\d+), (\d+)\)", text).groups()]
    return weights, growth, percent, limits


def offered_load(log, nodes):
    """Returns the work of a log's jobs by what that many nodes could have done between the first and the last arrival."""
    jobs = [line.split() for line in log.read_text().splitlines() if line and not line.startswith(";")]
    submits = [float(job[1]) for job in jobs]
    work = sum(float(job[3]) * float(job[4] if float(job[4]) > 0 else job[7]) for job in jobs)
    return work / ((max(submits) - min(submits)) * nodes)


def measure(program, traces, allocators, training, directory):
    """Yields the scheduler, allocator, offered load and seconds for each job of every replay on one machine."""
    name, jobs, machine, _ = training
    nodes = math.prod(map(int, machine.split("x")))
    log = Path(directory) / "log.swf"
    if name:
        subprocess.run([program, "trace", "cut", str(traces / name), str(log), "--first", str(jobs)], check=True, stderr=subprocess.DEVNULL)
    else:
        made = ["--model", "lublin", "--jobs", str(jobs), "--procs", str(nodes), "--seed", "1", "-o", str(log)]
        subprocess.run([program, "trace", "generate", *made], check=True, stderr=subprocess.DEVNULL)
    lists = {"logs": [str(log)], "machines": [machine], "allocators": allocators, "schedulers": ["fcfs", "easy"], "arrival_scales": SCALES}
    study, out = Path(directory) / "study.toml", Path(directory) / "out"
    study.write_text("".join(f"{key} = {json.dumps(values)}\n" for key, values in lists.items()))
    subprocess.run([program, "sweep", str(study), "-o", str(out), "--threads", "1", "--quiet"], check=True, stdout=subprocess.DEVNULL)
    load = offered_load(log, nodes)
    with (out / "summary.csv").open() as rows:
        for row in csv.DictReader(rows):
            each_s = float(row["replay_wall_s"]) / int(row["jobs"])
            yield row["scheduler"], row["allocator"], load / float(row["arrival_scale"]), each_s


def rounded(weight):
    """Returns a weight with two digits."""
    return int(float(f"{weight:.2g}"))


def in_rust(measured):
    """Returns the weights of each machine as Rust. An allocator that is not for a machine has the weight of the next larger one."""
    weights = []
    for machine in reversed(MACHINES):
        weights.insert(0, measured.get(machine, weights[0] if weights else 0))
    return "[" + ", ".join(f"{weight:_}" if weight >= 10_000 else str(weight) for weight in weights) + "]"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("allocators", nargs="*", metavar="ALLOCATOR")
    parser.add_argument("--program", default=str(ROOT / "target/release/meshreplay"))
    parser.add_argument("--traces", type=Path, default=ROOT / "../shared/traces")
    options = parser.parse_args()
    # With one core, the thread that measures placements counts, too.
    os.sched_setaffinity(0, {0})
    weights, growth, percent, (least, most) = stated()
    refusing = [name for name, (_, asked_again) in weights.items() if asked_again is not None]
    # The weights that were measured, by allocator, whether jobs behind the head are asked for, and machine.
    found = {}
    for training in TRAINING:
        _, _, machine, refusing_only = training
        allocators = options.allocators or ["all", "hilbert+bf"]
        if refusing_only:
            allocators = [name for name in options.allocators or refusing if name in refusing]
        # The sums of seconds and of growths.
        sums = {}
        with tempfile.TemporaryDirectory() as directory:
            for scheduler, allocator, load, each_s in measure(options.program, options.traces, allocators, training, directory):
                is_asked_again = allocator in refusing and scheduler == "easy"
                # The load is clamped to what the file tells apart.
                factor = growth ** (min(max(round(load * 100), least), most) - percent) if is_asked_again else 1
                before_s, before = sums.get((allocator, is_asked_again), (0, 0))
                sums[allocator, is_asked_again] = before_s + each_s, before + factor
        for row, (all_s, factors) in sums.items():
            found.setdefault(row, {})[machine] = rounded(all_s / factors / UNIT_S)
    for allocator in sorted({allocator for allocator, _ in found} & weights.keys()):
        asked_again = f"Some({in_rust(found[allocator, True])})" if allocator in refusing else "None"
        print(f'    ("{allocator}", {in_rust(found[allocator, False])}, {asked_again}),')
    # best-of counts as its members.
    rest = [measured for (allocator, _), measured in found.items() if allocator not in weights and allocator != "best-of"]
    if rest:
        means = {machine: rounded(statistics.mean(measured[machine] for measured in rest)) for machine in MACHINES}
        print(f"const OTHERS: BySize = {in_rust(means)};")


if __name__ == "__main__":
    main()
