#!/usr/bin/env python3
"""Measures how long commands take to end after SIGTERM.

Usage: tests/faults/latency.py [--signals N] [--seed N] [--only NAME] PROGRAM

The commands are those of the program's help, each of which has a case here that runs for long, on a large machine, a long log or
large results, or is said to be short. It is sent SIGTERM at N random moments of its first seconds; a short command is run to its end.
It prints a table in Markdown, and exits with 1 if a command of the help has no case here, if one that was signalled ends in another
way than by the signal, or if fewer than 99 of 100 signals and short runs took less than a second.
"""

import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile
import time

# What the cases read: a name and the command that makes it, in the order in which they are made.
INPUTS = [
    ("long.swf", "trace generate --model lublin --jobs 1500000 --procs 64 --load 0.5 -o long.swf"),
    ("short.swf", "trace cut long.swf short.swf --first 100000"),
    ("large", "replay long.swf -m 64 -a naive -s fcfs --no-timing -q -o large"),
    ("results", "replay short.swf -m 8x8 -a naive mbs random hilbert+bf -s fcfs easy --no-timing --placements -q -o results"),
    ("part", "sweep many.toml -o part --no-timing --jobs -q"),
]
STUDY = "logs = ['synthetic:jobs=30']\nmachines = ['4x4']\nallocators = ['naive', 'mbs']\nseeds = [%s]\n"
RECORD = "%d 0 -1 %d 4 -1 -1 4 %d -1 1 -1 -1 -1 -1 -1 -1 -1\n"

# Commands that run for long, each with the words that follow it and what they are about.
LONG = {
    "replay": [
        ("calls of gen-alg on a million nodes", "huge.swf -m 1024x1024 -a gen-alg -s fcfs -q"),
        ("calls of mm on a million nodes", "huge.swf -m 1024x1024 -a mm -s fcfs -q"),
        ("calls of mc1x1 on four million nodes", "huge.swf -m 2048x2048 -a mc1x1 -s fcfs -q"),
        ("a network of 4096 nodes", "short.swf -m 64x64 -a random --network wormhole:messages=1e6 -q"),
        ("conservative backfilling with 200,000 waiting jobs", "same.swf -m 4x4 -a naive -s conservative -q"),
        ("EASY with 200,000 waiting jobs", "same.swf -m 4x4 -a naive -s easy:order=sjf -q"),
        ("reading and streaming a log of 1,500,000 jobs", "long.swf -m 64 -a naive -s fcfs -q -o out --format csv"),
        ("placements as CSV", "short.swf -m 64x64 -a random -s fcfs -q -o out --format csv --placements --tidy"),
    ],
    "sweep": [
        ("planning 200,000 cells", "wide.toml -o out -q"),
        ("many cells", "many.toml -o out --jobs -q"),
        ("calls of mm on a million nodes", "huge.toml -o out --jobs -q"),
    ],
    "merge": [("4,000 cells with jobs", "part -o out -q --tidy")],
    "table": [("1,500,000 jobs by user", "large --by user"), ("8 replays by size", "results --by size")],
    "plot": [("every kind of 8 replays", "results -o out -q"), ("1,500,000 jobs", "large -o out -q")],
    "report": [("8 replays with placements", "results -o out.html -q"), ("1,500,000 jobs", "large -o out.html -q")],
    "compare": [("two schedules of 1,500,000 jobs", "large large"), ("two of 100,000 jobs", "results results --replay 0 --other-replay 1")],
    "audit": [("1,500,000 jobs", "large"), ("EASY of 100,000 jobs", "results --replay 1 --against easy")],
    "check": [("allocators on every machine", "hilbert+bf mc1x1 gen-alg --events 100000000")],
    "export": [("1,500,000 jobs as SWF", "large --to swf -o out.swf"), ("1,500,000 jobs for evalys", "large --to evalys -o out.csv")],
    "reproduce": [("figures of a paper", "chang-mohapatra1998 fig3 fig4a -o out"), ("figures on a network", "walker2010 fig7 -o out")],
    "trace info": [("a log of 1,500,000 jobs", "long.swf"), ("a compressed one", "long.swf.gz")],
    "trace validate": [("a log of 1,500,000 jobs", "long.swf")],
    "trace convert": [("a log of 1,500,000 jobs", "long.swf out.swf.gz")],
    "trace cut": [("a log of 1,500,000 jobs", "long.swf out.swf --from 10")],
    "trace generate": [("a hundred million jobs", "--model lublin --jobs 100000000 --procs 64 --load 0.5 -o out.swf")],
    "show allocation": [("mm on a million nodes", "huge.swf --machine 1024x1024 --allocator mm --at 100 -s fcfs")],
    "show film": [("100,000 jobs", "results -o out.gif")],
    "show network": [("a large network", "--machine 256x256")],
    "show optimum": [("a search without end", "--machine 16x16 --procs 97 --limit 2000000000000")],
}

# Commands whose work does not grow with logs or results; on the largest machine that they draw.
SHORT = {
    "schema": "summary",
    "list": "allocators",
    "show blocks": "--machine 64x64 --allocator mbs",
    "show compaction": "",
    "show curve": "--machine 64x64 hilbert",
    "completions": "bash",
    "man": "out",
    "help": "",
}


def commands(program: str, path: list[str]) -> list[str]:
    """The commands below one, as the help lists them, in the form in which they are typed."""
    text = subprocess.run([program, *path, "--help"], capture_output=True, text=True, check=True).stdout
    listed = re.search(r"^Commands:\n(.*?)(?:\n\n|\Z)", text, re.M | re.S)
    names = re.findall(r"^  (\S+)", listed.group(1), re.M) if listed else []
    if not names:
        return [" ".join(path)]
    return [name for each in names if not (path and each == "help") for name in (commands(program, [*path, each]) if each != "help" else ["help"])]


def prepare(at: pathlib.Path, program: str) -> None:
    (at / "huge.swf").write_text("".join(RECORD.replace("4 -1 -1 4", "%d -1 -1 %d") % (i, 90, 5000 + i, 5000 + i, 90) for i in range(1, 500)))
    (at / "same.swf").write_text("".join(RECORD % (i, 90 + i % 7, 200) for i in range(1, 200001)))
    (at / "many.toml").write_text(STUDY % ", ".join(map(str, range(2000))))
    (at / "wide.toml").write_text(STUDY % ", ".join(map(str, range(100000))))
    (at / "huge.toml").write_text("logs = ['huge.swf']\nmachines = ['1024x1024']\nallocators = ['mm', 'gen-alg']\n")
    for name, command in INPUTS:
        made = subprocess.run([program, *command.split()], cwd=at, capture_output=True, text=True)
        if made.returncode != 0:
            sys.exit(f"{command}: {made.stderr}")
    subprocess.run(["gzip", "-k", "-1", "long.swf"], cwd=at, check=True)


def clean(at: pathlib.Path) -> None:
    for path in at.glob("out*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def signalled(at: pathlib.Path, program: str, words: str, after_s: float) -> tuple[float | None, str | None]:
    """How long the command takes to end after SIGTERM, None if it has ended before; and what is wrong, if anything is."""
    clean(at)
    child = subprocess.Popen([program, *words.split()], cwd=at, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _, said = child.communicate(timeout=after_s)
        return None, None if child.returncode == 0 else f"exit code {child.returncode}: {said[-300:]}"
    except subprocess.TimeoutExpired:
        pass
    began = time.monotonic()
    child.terminate()
    try:
        child.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        return 60.0, "does not end"
    took_s = time.monotonic() - began
    # One that ended well at that very moment did not hear the signal.
    return took_s, None if child.returncode in (-15, 0) else f"ends with {child.returncode} after SIGTERM"


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--signals", type=int, default=5, help="the number of signals to each case")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the moments")
    parser.add_argument("--only", default="", help="only commands whose name holds this")
    parser.add_argument("program")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    random.seed(arguments.seed)
    known = commands(program, [])
    missing = sorted(set(known) - set(LONG) - set(SHORT))
    unknown = sorted((set(LONG) | set(SHORT)) - set(known))
    bad = len(missing) + len(unknown)
    if bad:
        print(f"WRONG: without a case: {missing}; not in the help: {unknown}")
    all_s: list[float] = []
    print("| command | what it does | signals | longest (s) |\n| --- | --- | ---: | ---: |")
    with tempfile.TemporaryDirectory() as scratch:
        at = pathlib.Path(scratch)
        prepare(at, program)
        for command in filter(lambda name: arguments.only in name, known):
            for what, words in LONG.get(command, []):
                found = []
                for _ in range(arguments.signals):
                    took_s, said = signalled(at, program, f"{command} {words}", random.uniform(0.05, 2.5))
                    found += [took_s] if took_s is not None else []
                    if said:
                        bad += 1
                        print(f"WRONG: {command} {words}: {said}")
                all_s += found
                print(f"| {command} | {what} | {len(found)} | {max(found, default=0):.2f} |", flush=True)
            if command in SHORT:
                clean(at)
                began = time.monotonic()
                ended = subprocess.run([program, *command.split(), *SHORT[command].split()], cwd=at, capture_output=True, text=True)
                took_s = time.monotonic() - began
                all_s.append(took_s)
                if ended.returncode != 0:
                    bad += 1
                    print(f"WRONG: {command} {SHORT[command]}: {ended.stderr[-300:]}")
                print(f"| {command} | ends by itself | 0 | {took_s:.2f} |", flush=True)
    late = sum(took_s >= 1 for took_s in all_s)
    print(f"\n{len(all_s)} ends, {late} of them after a second or later, the longest after {max(all_s, default=0):.2f} s")
    return 1 if bad or late * 100 > len(all_s) else 0


if __name__ == "__main__":
    sys.exit(main())
