#!/usr/bin/env python3
"""Measures how fast dumps of Slurm's accounting are read.

Usage: scripts/reading.py [PROGRAM]

Writes a dump of a million jobs, as `sacct -a -X -P` with the fields of the page "Your own data" prints them, and one of a million lines
of which two in three are steps, as without `-X`, into a temporary directory, and prints a Markdown table: the bytes of each dump by the processor
time (user and system) of one run on one thread, in MB a second, the median of five. Of `replay` only the reading is measured. PROGRAM is target/release/meshreplay by default.
Takes about two minutes.
"""

import os
import statistics
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RUNS = 5
FIELDS = "JobIDRaw|Submit|Eligible|Start|End|State|NNodes|AllocCPUS|AllocTRES|ReqTRES|TimelimitRaw|User|Account|Partition|QOS|NodeList\n"
ZONES = ["UTC", "Europe/Berlin"]


def lines(jobs, has_steps):
    """Yields the lines of a year of jobs of 300 users, in the order of their submission. A list of nodes stands in few of them twice."""
    yield FIELDS
    for job in range(jobs):

        def scattered(below, salt):
            # Multiplying by an odd number and taking the upper bits scatters the values (Fibonacci hashing).
            return ((job * 0x9E3779B1 + salt * 77_777) % 2**32 >> 8) % below

        submit_s = 1_704_067_200 + job * 31_536_000 // jobs
        start_s = submit_s + scattered(90_000, 1)
        end_s = start_s + scattered(40_000, 2)
        submit, start, end = (f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%S}" for at in (submit_s, start_s, end_s))
        nodes, first, user = 1 + scattered(16, 3), scattered(900, 4), scattered(300, 5)
        cpus = nodes * 128
        resources = f"billing={cpus},cpu={cpus},gres/gpu={nodes * 4},mem={nodes * 256}G,node={nodes}"
        node_list = f"node[{first:04}-{first + nodes - 1:04}]"
        # A tenth of the numbers is out of order, as those of jobs that waited for others.
        number = 4_000_000 + job + (scattered(9, 6) if job % 10 == 0 else 0)
        yield (
            f"{number}|{submit}|{submit}|{start}|{end}|COMPLETED|{nodes}|{cpus}|{resources}|{resources}|1440|user{user}|"
            f"account{user % 40}|batch|normal|{node_list}\n"
        )
        for step in ("batch", "0") if has_steps else ():
            yield (
                f"{number}.{step}|{start}|{start}|{start}|{end}|COMPLETED|{nodes}|{cpus}|cpu={cpus},mem={nodes * 256}G,node={nodes}|"
                f"|||account{user % 40}|||{node_list}\n"
            )


def processor_s(command):
    """Returns the user and system time of a command in seconds."""
    before = os.times()
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = os.times()
    return after.children_user - before.children_user + after.children_system - before.children_system


def main():
    program = sys.argv[1] if len(sys.argv) > 1 else str(ROOT / "target/release/meshreplay")
    commands = {
        "trace info": ["trace", "info"],
        "trace validate": ["trace", "validate"],
        # No job is of this partition, which is known once the log is read, so that nothing is replayed.
        "replay": ["replay", "-m", "64x64", "-a", "naive", "--partition", "none", "--threads", "1"],
    }
    print("| dump | zone |" + "".join(f" `{name}` |" for name in commands))
    print("| --- | --- |" + " ---: |" * len(commands))
    with tempfile.TemporaryDirectory() as directory:
        for name, jobs, has_steps in [("1,000,000 jobs", 1_000_000, False), ("333,333 jobs with steps", 333_333, True)]:
            dump = Path(directory) / "dump.sacct"
            with dump.open("w") as out:
                out.writelines(lines(jobs, has_steps))
            for zone in ZONES:
                cells = []
                for command in commands.values():
                    times_s = [processor_s([program, *command, str(dump), "--time-zone", zone]) for _ in range(RUNS)]
                    cells.append(f"{dump.stat().st_size / 1e6 / statistics.median(times_s):.0f}")
                size = f"{dump.stat().st_size / 1e6:.0f} MB"
                print(f"| {name}, {size} | {zone} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
