#!/usr/bin/env python3
"""Kills commands by SIGKILL at random moments, and runs two sweeps at once in one directory.

Usage: tests/faults/kill.py [--runs N] [--pairs N] [--seed N] [--only NAME] [--short] PROGRAM

After a kill every file is as it was before or whole, none is lost, and the same command brings the directory to the bytes of an
undisturbed run. Two sweeps at once end well and leave these bytes. It prints a line for each command, and exits with 1 if
anything was wrong. The log that is replayed as a stream has more than 2^19 jobs and takes some seconds for each of its kills, so
that it gets one kill of fifty; --short leaves it out.
"""

import argparse
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from run import OF_A_PART, ROOT, contents

# Runs are short, so that many kills hit what is written.
CUT = f"trace cut {ROOT / 'traces' / 'lublin-256-10k.swf.gz'} log.swf --first 1500"
STUDY = """logs = ['log.swf']
machines = ['16x16']
allocators = ['naive', 'mbs', 'paging', 'first-fit']
rules = ['authors:oversize=skip']
"""
REPLAY = "replay log.swf -m 16x16 -a naive mbs hilbert+bf --no-timing -q -o out"
SWEEP = "sweep study.toml -o out --no-timing --jobs -q"

# The name, the command that makes what is there before, the one that is killed, and its share of the kills.
COMMANDS = [
    ("sweep", None, SWEEP, 20),
    ("shard of a sweep", "sweep study.toml -o out --no-timing --jobs -q --shard 1/2", SWEEP + " --shard 2/2", 10),
    ("replay -o", None, REPLAY, 15),
    ("replay -o --force over others", "replay log.swf -m 16x16 -a random --no-timing --format csv -q -o out", f"{REPLAY} --force", 10),
    ("replay -o of a stream", "trace generate --model lublin --jobs 540000 --procs 64 --load 0.5 -o long.swf --force",
     "replay long.swf -m 64 -a naive -s fcfs --no-timing -q -o out", 2),
    ("merge", "sweep study.toml -o part --no-timing --jobs -q", "merge part -o out --tidy -q", 13),
    ("trace convert", None, "trace convert log.swf out/log.swf.gz --force", 10),
    ("report", REPLAY, "report out -q", 10),
    ("plot", REPLAY, "plot out -k utilization -q", 10),
]


def left(folder: pathlib.Path) -> list[str]:
    return [path.name for path in folder.rglob(".meshreplay-*")]


def wrong(at: pathlib.Path, program: str, command: str, whole: dict[str, bytes], after_s: float) -> tuple[bool, str | None]:
    """Kills the command after some time. Returns whether it still ran, and what is wrong then, if anything is."""
    before = contents(at / "out")
    child = subprocess.Popen([program, *command.split()], cwd=at, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(after_s)
    child.kill()
    was_running = child.wait() < 0
    after = contents(at / "out")
    is_study = command.startswith(("sweep", "merge"))
    for name, content in after.items():
        if not (is_study and name.endswith(OF_A_PART)) and content not in (whole.get(name), before.get(name)):
            return was_running, f"{name} is neither as it was nor whole"
    missing = [name for name in before if name not in after and name in whole]
    if missing:
        return was_running, f"{missing} is lost"
    again = subprocess.run([program, *command.split()], cwd=at, capture_output=True, timeout=600)
    if again.returncode != 0:
        return was_running, f"cannot be repeated: {again.stderr.decode(errors='replace')[:300]}"
    if contents(at / "out") != whole:
        return was_running, "the repetition gives other results"
    rest = left(at)
    return was_running, f"the repetition leaves {rest}" if rest else None


def pairs(scratch: pathlib.Path, program: str, count: int) -> int:
    """Runs two sweeps at once in one directory so many times. Returns how often something was wrong."""
    reference, at, bad = scratch / "reference", scratch / "at", 0
    reference.mkdir()
    (reference / "study.toml").write_text(STUDY)
    subprocess.run([program, *CUT.split()], cwd=reference, check=True, capture_output=True)
    subprocess.run([program, *SWEEP.split()], cwd=reference, check=True, capture_output=True)
    whole = contents(reference / "out")
    for _ in range(count):
        at.mkdir()
        for name in ("study.toml", "log.swf"):
            shutil.copy(reference / name, at / name)
        both = []
        for _ in range(2):
            both.append(subprocess.Popen([program, *SWEEP.split()], cwd=at, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE))
            time.sleep(random.random() * random.choice([0.001, 0.1]))
        said = [child.communicate()[1].decode(errors="replace") for child in both]
        if any(child.returncode != 0 for child in both):
            bad += 1
            print(f"WRONG: two sweeps: {said}", flush=True)
        elif contents(at / "out") != whole or left(at):
            bad += 1
            print(f"WRONG: two sweeps: other results, or left {left(at)}", flush=True)
        shutil.rmtree(at)
    print(f"two sweeps in one directory: {count} times", flush=True)
    return bad


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=1000, help="the number of kills")
    parser.add_argument("--pairs", type=int, default=100, help="how often two sweeps run at once")
    parser.add_argument("--seed", type=int, default=0, help="the seed of the moments")
    parser.add_argument("--only", default="", help="kill only commands whose name holds this")
    parser.add_argument("--short", action="store_true", help="leave out what takes seconds")
    parser.add_argument("program")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    random.seed(arguments.seed)
    os.environ["RAYON_NUM_THREADS"] = "2"
    bad = killed = 0
    for name, before, command, percent in COMMANDS:
        if arguments.only not in name or (arguments.short and "stream" in name):
            continue
        hits = tried = 0
        with tempfile.TemporaryDirectory() as scratch:
            start, reference, at = (pathlib.Path(scratch) / part for part in ("start", "reference", "at"))
            (start / "out").mkdir(parents=True)
            (start / "study.toml").write_text(STUDY)
            subprocess.run([program, *CUT.split()], cwd=start, check=True, capture_output=True)
            if before:
                subprocess.run([program, *before.split()], cwd=start, check=True, capture_output=True)
            shutil.copytree(start, reference)
            began = time.monotonic()
            subprocess.run([program, *command.split()], cwd=reference, check=True, capture_output=True)
            whole, took_s = contents(reference / "out"), time.monotonic() - began
            wanted = max(1, arguments.runs * percent // 100)
            # A command that has ended before it was killed does not count.
            while hits < wanted and tried < 3 * wanted:
                shutil.copytree(start, at)
                was_running, said = wrong(at, program, command, whole, random.random() * took_s)
                tried += 1
                hits += was_running
                shutil.rmtree(at)
                if said:
                    bad += 1
                    print(f"WRONG: {name}: {said}", flush=True)
        killed += hits
        print(f"{name}: {hits} kills", flush=True)
    if arguments.only in "two sweeps" and arguments.pairs:
        with tempfile.TemporaryDirectory() as scratch:
            bad += pairs(pathlib.Path(scratch), program, arguments.pairs)
    print(f"{killed} kills, {bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
