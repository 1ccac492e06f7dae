#!/usr/bin/env python3
"""Measures how much memory each command takes for logs of different lengths.

Usage: scripts/memory.py [PROGRAM] [JOBS …]

Makes logs of the Lublin-Feitelson model for 1,024 nodes in a temporary directory, runs every command that reads a log or a result on them,
and prints a Markdown table: the most memory that a run had (maximum resident set), in MB. PROGRAM is target/release/meshreplay by default, and
JOBS is 100000 1000000 10000000, which takes about half an hour and 4 GB of disk.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REPLAY = "replay {log} -m 32x32 -s easy -a hilbert+bf"
# What a row is called, and its command. A later one may read what an earlier one has written.
COMMANDS = [
    ("trace generate", "trace generate --model lublin --procs 1024 --jobs {jobs} -o {log}"),
    ("trace info", "trace info {log}"),
    ("trace validate", "trace validate {log}"),
    ("trace convert", "trace convert {log} {dir}/copy.premas"),
    ("trace convert --sort", "trace convert --sort --force {log} {dir}/copy.premas"),
    ("trace cut", "trace cut {log} {dir}/cut.swf.gz --first {half}"),
    ("replay", REPLAY),
    ("replay --fragmentation", REPLAY + " --fragmentation 4x4"),
    ("replay -o", REPLAY + " -o {dir}/run"),
    ("replay -o, two allocators", REPLAY + " mc1x1 -o {dir}/two"),
    ("table", "table {dir}/two"),
    ("table --relative-to", "table {dir}/two --relative-to hilbert+bf"),
    ("table --by size", "table {dir}/two --by size"),
    ("compare", "compare {dir}/two {dir}/two --replay 0 --other-replay 1"),
    ("export", "export {dir}/run --to swf -o {dir}/schedule.swf.gz"),
    ("audit", "audit {dir}/run --against easy"),
    ("plot", "plot {dir}/two -o {dir}/plots"),
    ("report", "report {dir}/two"),
    ("replay --placements -o", REPLAY + " --placements -o {dir}/placed"),
    ("report with placements", "report {dir}/placed"),
]


def measured(program, arguments, expected=(0,)):
    """Returns the memory of a run in MB, or the last line of its error."""
    process = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    error = process.stderr.read().decode()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) not in expected:
        print(" ".join(arguments), error, file=sys.stderr)
        return "fails"
    return f"{usage.ru_maxrss / 1000:,.0f}"


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/meshreplay")
    counts = [int(count) for count in sys.argv[2:]] or [100_000, 1_000_000, 10_000_000]
    rows = {name: [] for name, _ in COMMANDS}
    for jobs in counts:
        with tempfile.TemporaryDirectory() as directory:
            for name, command in COMMANDS:
                words = command.format(log=f"{directory}/log.swf.gz", dir=directory, jobs=jobs, half=jobs // 2).split()
                # `compare` says by its exit code that schedules differ.
                rows[name].append(measured(program, words, (0, 1) if name == "compare" else (0,)))
                print(jobs, name, rows[name][-1], file=sys.stderr)
    print("| command | " + " | ".join(f"{jobs:,} jobs" for jobs in counts) + " |")
    print("| --- |" + " ---: |" * len(counts))
    for name, values in rows.items():
        print(f"| `{name}` | " + " | ".join(values) + " |")


if __name__ == "__main__":
    main()
