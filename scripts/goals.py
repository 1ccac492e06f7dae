#!/usr/bin/env python3
"""Measures what docs/src/speed.md states goals for, and prints Markdown tables.

Usage: scripts/goals.py [--program PROGRAM] [--before PROGRAM] [--premas DIRECTORY] [--runs N] [--jobs N] [--traces DIRECTORY] [PART …]

The parts are `gzip` (whole replays of LANL-CM5 against gzip), `authors` (against the simulator of Walker, Bunde and Leung), `heavy`
(long queues and dense arrivals), `long` (a log of the Lublin-Feitelson model of N jobs, 1,000,000 by default), `shards` (how even the
shards of studies with every allocator are) and `plan` (a study of a million cells); without any, all are measured. PROGRAM is
target/release/meshreplay by default.

All programs of a table run in turn, N times each (5 by default; those of more than ten seconds once), and a cell is the median, with
the least and the greatest of several. With --before, another build of the program runs in the same turns. --premas names the
directory above `simulator/Main.class` of the authors' simulator, compiled by javac; it reads the logs as this program converts
them. Nothing else should run on the machine meanwhile.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LANL, KTH = "LANL-CM5-1994-4.1-cln.swf.gz", "KTH-SP2-1996-2.swf.gz"
EASY = "-s easy --no-timing"
# Runs of more than so many seconds are not repeated.
LONG_S = 10

# Times that `gzip -dc` takes for the same log.
GZIP_GOAL = 2.5
GZIP = ["mbs", "granular-mbs", "hilbert+bf"]

# A log, a machine, the authors' name of an allocator, ours, and how many times as fast as theirs ours should be.
AUTHORS = [
    (LANL, (32, 32, 1), "MBS", "mbs", 100),
    (LANL, (32, 32, 1), "GranularMBS", "granular-mbs", 100),
    (LANL, (32, 32, 1), "OctetMBS", "octet-mbs", 100),
    (KTH, (10, 10, 1), "MM", "mm", 300),
    (KTH, (10, 10, 1), "genAlg", "gen-alg", 300),
    (KTH, (10, 10, 1), "MC1x1", "mc1x1", 300),
]

# A name, a command, and the seconds that are the goal.
HEAVY = [
    ("KTH-SP2 ×0.5, 10×10, conservative, naive", f"{KTH} -m 10x10 -s conservative --arrival-scale 0.5 -a naive --no-timing", 1),
    ("LANL-CM5 ×0.7, 32×32, gen-alg", f"{LANL} -m 32x32 {EASY} --arrival-scale 0.7 -a gen-alg", 60),
    ("LANL-CM5 ×0.7, 32×32, mm", f"{LANL} -m 32x32 {EASY} --arrival-scale 0.7 -a mm", 60),
    ("LANL-CM5 ×0.7, 32×32, mc-pair", f"{LANL} -m 32x32 {EASY} --arrival-scale 0.7 -a mc-pair", 60),
]

# Seconds for generating and replaying a hundred million jobs, and MB.
LONG_GOAL = "3 minutes and 400 MB for 100,000,000 jobs"

# Studies of the first jobs of a log: a name, the log, machines and schedulers. The weights of allocators were measured with other logs.
SHARDS = [
    ("SDSC-SP2", "SDSC-SP2-1998-4.2-cln.swf.gz", ["16x8", "32x16"], ["fcfs", "easy"]),
    ("HPC2N", "HPC2N-2002-2.2-cln.swf.gz", ["16x15", "32x32"], ["fcfs", "easy", "first-fit-queue"]),
    ("LLNL-T3D", "LLNL-T3D-1996-2.swf.gz", ["8x8x4", "8x8x8"], ["fcfs", "easy"]),
    ("SDSC-Par", "SDSC-Par-1996-3.1-cln.swf.gz", ["16x26", "torus:20x20"], ["easy"]),
]
SHARDS_JOBS, SHARDS_COUNT, SHARDS_GOAL = 12_000, 4, 10

# Every combination of these is one of 1,000,000 cells, of which one process replays a hundred, of ten jobs each.
PLAN = {
    "machines": [f"{width}x{width}" for width in range(4, 24)] + [f"torus:{width}x{width}" for width in range(4, 24)],
    "allocators": ["hilbert+bf", "naive", "mbs", "granular-mbs", "octet-mbs"],
    "schedulers": ["fcfs", "easy"],
    "arrival_scales": [1, 0.9, 0.8, 0.7, 0.6],
    "seeds": list(range(1, 501)),
}
PLAN_SHARD, PLAN_GOAL = "1/10000", "10 s and 1 GB for 1,000,000 cells"


@dataclass
class Run:
    """What one process took."""

    clock_s: float
    processor_s: float
    memory_mb: float


def run(command):
    """Runs a command and returns what it took. Ends this script if the command fails."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    clock_s = time.perf_counter() - begin
    if os.waitstatus_to_exitcode(status) != 0:
        sys.exit(f"{' '.join(command)}: {error}")
    return Run(clock_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000)


def in_turn(commands, runs):
    """Returns the runs of each command, one of each after the other."""
    found = [[run(command)] for command in commands]
    for _ in range(runs - 1):
        for command, so_far in zip(commands, found, strict=True):
            if so_far[0].clock_s < LONG_S:
                so_far.append(run(command))
    return found


def cell(runs, what, digits=3):
    """Returns a cell of a table: the median of some runs, with the least and the greatest."""
    values = [getattr(run, what) for run in runs]
    median = f"{statistics.median(values):,.{digits}f}"
    if len(values) == 1:
        return median
    return f"{median} ({min(values):,.{digits}f} to {max(values):,.{digits}f})"


def median(runs, what):
    return statistics.median(getattr(run, what) for run in runs)


def table(heads, rows):
    """Prints a table whose first column is text, and an empty line."""
    print(f"| {' | '.join(heads)} |")
    print("| --- |" + " ---: |" * (len(heads) - 1))
    for row in rows:
        print(f"| {' | '.join(row)} |")
    print(flush=True)


def replay(program, arguments):
    return [program, "replay", *arguments, "--quiet"]


def gzip(options, programs):
    """Whole replays of LANL-CM5 against `gzip -dc` of the same file."""
    log = str(options.traces / LANL)
    commands = [["gzip", "-dc", log]]
    for program in programs.values():
        commands += [replay(program, [log, "-m", "32x32", *EASY.split(), "-a", allocator]) for allocator in GZIP]
    unpacked, *replays = in_turn(commands, options.runs)
    heads = ["LANL-CM5, 32×32, EASY, from `.gz`"]
    for name in programs:
        heads += [f"{name}seconds", "times `gzip`", "processor seconds"]
    rows = []
    for at, name in enumerate(GZIP):
        row = [name]
        for runs in replays[at :: len(GZIP)]:
            times = median(runs, "clock_s") / median(unpacked, "clock_s")
            row += [cell(runs, "clock_s"), f"{times:.2f}", cell(runs, "processor_s")]
        rows.append(row)
    print(f"`gzip -dc` took {cell(unpacked, 'clock_s', 4)} s; the goal is {GZIP_GOAL} times.\n")
    table(heads, rows)


def authors(options, programs):
    """Whole replays against those of the authors' simulator."""
    if options.premas is None:
        print("skipped: the authors' simulator, as there is no --premas\n")
        return
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        for log, sides, theirs, ours, goal in AUTHORS:
            converted = Path(directory) / f"{log}.premas"
            if not converted.exists():
                program = next(iter(programs.values()))
                run([program, "trace", "convert", str(options.traces / log), str(converted)])
            mesh = "x".join(str(side) for side in sides if side > 1)
            java = ["java", "-cp", str(options.premas), "simulator.Main", f"machine=mesh[{','.join(map(str, sides))}]"]
            java += ["scheduler=easy[fifo]", f"allocator={theirs}", f"trace={converted}"]
            commands = [java]
            for program in programs.values():
                commands.append(replay(program, [str(options.traces / log), "-m", mesh, *EASY.split(), "-a", ours]))
            with tempfile.TemporaryDirectory() as results, Inside(results):
                of_java, *of_ours = in_turn(commands, options.runs)
            row = [f"{log.split('-1')[0]}, {mesh}, {ours}", cell(of_java, "clock_s", 1), cell(of_java, "processor_s", 1)]
            for runs in of_ours:
                row += [cell(runs, "clock_s"), cell(runs, "processor_s")]
                row += [f"{median(of_java, what) / median(runs, what):.0f}" for what in ("clock_s", "processor_s")]
            rows.append([*row, str(goal)])
    heads = ["replay (EASY)", "theirs: seconds", "processor seconds"]
    for name in programs:
        heads += [f"{name}seconds", "processor seconds", "times", "times by processor time"]
    table([*heads, "goal"], rows)


class Inside:
    """Another working directory for a while: the authors' simulator writes its results into the one that it is started in."""

    def __init__(self, directory):
        self.directory = directory

    def __enter__(self):
        self.before = Path.cwd()
        os.chdir(self.directory)

    def __exit__(self, *_):
        os.chdir(self.before)


def heavy(options, programs):
    """Replays in which schedulers or allocators have much to do."""
    rows = []
    for name, arguments, goal in HEAVY:
        log, *others = arguments.split()
        commands = [replay(program, [str(options.traces / log), *others]) for program in programs.values()]
        row = [name]
        for runs in in_turn(commands, options.runs):
            row += [cell(runs, "clock_s"), cell(runs, "processor_s")]
        rows.append([*row, str(goal)])
    heads = ["replay"]
    for name in programs:
        heads += [f"{name}seconds", "processor seconds"]
    table([*heads, "goal: seconds"], rows)


def long(options, programs):
    """A long log, generated and replayed with its results written."""
    rows = []
    for name, program in programs.items():
        with tempfile.TemporaryDirectory(dir=options.scratch) as directory:
            log, out = str(Path(directory) / "lublin.swf.gz"), str(Path(directory) / "out")
            generate = ["trace", "generate", "--model", "lublin", "--jobs", str(options.jobs), "--procs", "1024", "--seed", "1"]
            made = run([program, *generate, "-o", log])
            arguments = [log, "-m", "32x32", *EASY.split(), "-a", "hilbert+bf", "--arrival-scale", "2", "-o", out]
            replayed = run(replay(program, arguments))
        row = [f"{name}{options.jobs:,} jobs"]
        for one in (made, replayed):
            row += [f"{one.clock_s:.1f}", f"{one.processor_s:.1f}", f"{one.memory_mb:.0f}"]
        rows.append([*row, f"{made.clock_s + replayed.clock_s:.1f}"])
    print(f"The goal is {LONG_GOAL}.\n")
    part = ["seconds", "processor seconds", "MB"]
    heads = [f"{what}: {of}" for what in ("generated", "replayed with `-o`") for of in part]
    table(["Lublin log, 1,024 nodes", *heads, "both: seconds"], rows)


def study(path, **lists):
    """Writes the file of a study. A list of texts and numbers is the same in JSON and in TOML."""
    path.write_text("".join(f"{key} = {json.dumps(values)}\n" for key, values in lists.items()))
    return str(path)


def shards(options, programs):
    """The processor seconds of each shard of studies with every allocator."""
    rows = []
    for name, log, machines, schedulers in SHARDS:
        with tempfile.TemporaryDirectory() as directory:
            cut = str(Path(directory) / "cut.swf")
            run([options.program, "trace", "cut", str(options.traces / log), cut, "--first", str(SHARDS_JOBS)])
            allocators = ["all", "hilbert+bf"]
            lists = {"machines": machines, "schedulers": schedulers, "allocators": allocators, "arrival_scales": [1, 0.8]}
            file = study(Path(directory) / "study.toml", logs=[cut], **lists)
            for whose, program in programs.items():
                out = str(Path(directory) / f"out {whose}".strip())
                each = ["sweep", file, "-o", out, "--no-timing", "--threads", "1", "--quiet", "--shard"]
                parts = [run([program, *each, f"{at + 1}/{SHARDS_COUNT}"]).processor_s for at in range(SHARDS_COUNT)]
                mean = statistics.mean(parts)
                off = max(abs(part - mean) for part in parts) / mean * 100
                rows.append([f"{whose}{name}", *(f"{part:.1f}" for part in parts), f"{off:.0f} %", f"{SHARDS_GOAL} %"])
    heads = ["study", *(f"shard {at + 1}: processor seconds" for at in range(SHARDS_COUNT)), "off their mean at most", "goal"]
    table(heads, rows)


def plan(options, programs):
    """A process that plans a study of a million cells and replays a hundred of them."""
    rows = []
    for name, program in programs.items():
        with tempfile.TemporaryDirectory() as directory:
            file = study(Path(directory) / "study.toml", logs=[str(ROOT / "traces/tiny.swf")], **PLAN)
            command = [program, "sweep", file, "-o", str(Path(directory) / "out"), "--no-timing", "--threads", "1", "--quiet"]
            first = run([*command, "--shard", PLAN_SHARD])
            again = run([*command, "--shard", PLAN_SHARD])
        row = [f"{name}1,000,000 cells"]
        for one in (first, again):
            row += [f"{one.clock_s:.1f}", f"{one.memory_mb:.0f}"]
        rows.append(row)
    print(f"The goal is {PLAN_GOAL}.\n")
    table(["study", "first process: seconds", "MB", "the same once more: seconds", "MB"], rows)


PARTS = {"gzip": gzip, "authors": authors, "heavy": heavy, "long": long, "shards": shards, "plan": plan}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"one of {', '.join(PARTS)}")
    parser.add_argument("--program", default=str(ROOT / "target/release/meshreplay"))
    parser.add_argument("--before", help="another build of the program, which runs in turn with it")
    parser.add_argument("--premas", type=Path, help="the directory with the classes of the authors' simulator")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1_000_000)
    parser.add_argument("--traces", type=Path, default=ROOT / "../shared/traces")
    parser.add_argument("--scratch", type=Path, help="where the long log and its results are, 4 GB for a hundred million jobs")
    options = parser.parse_args()
    if unknown := [part for part in options.parts if part not in PARTS]:
        parser.error(f"there is no part {unknown[0]}: the parts are {', '.join(PARTS)}")
    options.traces = options.traces.resolve()
    if options.premas is not None:
        options.premas = options.premas.resolve()
    programs = {"": options.program}
    if options.before:
        programs["before: "] = options.before
    programs = {name: str(Path(shutil.which(program) or program).resolve()) for name, program in programs.items()}
    for part in options.parts or PARTS:
        PARTS[part](options, programs)


if __name__ == "__main__":
    main()
