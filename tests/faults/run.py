#!/usr/bin/env python3
"""Lets every file operation of a command fail once at each of its positions, and kills the command at each, by strace.

Usage: tests/faults/run.py [--every N] [--only NAME] PROGRAM

Afterwards the directory of the results is as it was before, or the same command brings it to the bytes of an undisturbed
run. It prints a line for each command with the number of positions tried, and exits with 1 if anything was lost.
"""

import argparse
import filecmp
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOG = ROOT / "traces" / "tiny.swf"

# What fails, and how: the system calls by which files are made, written, completed, named and removed, and the directory read.
CALLS = {
    "write": ["error=ENOSPC", "error=EINTR", "error=EIO", "signal=KILL"],
    "fsync": ["error=EIO", "error=ENOSPC", "signal=KILL"],
    "rename,renameat,renameat2,link,linkat": ["error=EACCES", "signal=KILL"],
    "openat": ["error=EMFILE", "error=EACCES", "signal=KILL"],
    "read,pread64": ["error=EIO", "error=EINTR", "signal=KILL"],
    "unlink,unlinkat": ["error=EACCES", "signal=KILL"],
    "flock": ["error=ENOLCK", "signal=KILL"],
    "mkdir,mkdirat": ["error=ENOSPC", "signal=KILL"],
}

STUDY = f"""logs = ['{LOG}']
machines = ['4x4']
allocators = ['naive', 'random']
"""

# What a study keeps only while it runs.
STATE = {"unfinished.json"}

# The name, the command that makes what is there before, and the command that is disturbed. It writes into out.
COMMANDS = [
    ("replay -o", None, f"replay {LOG} -m 4x4 -a naive mbs --no-timing --threads 1 -q -o out"),
    (
        "replay -o --force over others",
        f"replay {LOG} -m 4x4 -a random --no-timing --format csv -q -o out",
        f"replay {LOG} -m 4x4 -a naive mbs --no-timing --threads 1 -q -o out --force",
    ),
    ("sweep -o", None, "sweep study.toml -o out --no-timing --jobs --threads 1 -q"),
    ("merge -o", "sweep study.toml -o part --no-timing --jobs -q", "merge part -o out -q"),
    ("trace convert", None, f"trace convert {LOG} out/log.swf.gz --force"),
    ("report", f"replay {LOG} -m 4x4 -a naive mbs --no-timing -q -o out", "report out -q"),
    ("plot", f"replay {LOG} -m 4x4 -a naive mbs --no-timing -q -o out", "plot out -k utilization -q"),
]


def contents(folder: pathlib.Path) -> dict[str, bytes]:
    """Every file below a folder with its content, without unfinished ones."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files if not path.name.startswith(".meshreplay-")}


def prepared(folder: pathlib.Path, program: str, before: str | None) -> None:
    (folder / "study.toml").write_text(STUDY)
    (folder / "out").mkdir()
    if before:
        subprocess.run([program, *before.split()], cwd=folder, check=True, capture_output=True)


def positions(folder: pathlib.Path, program: str, command: str, calls: str) -> int:
    """How often a command makes one of these calls on files below the folder or on others."""
    trace = folder / "trace.txt"
    subprocess.run(
        ["strace", "-f", "-qq", "-e", f"trace={calls}", "-e", "signal=none", "-o", trace, program, *command.split()],
        cwd=folder, check=True, capture_output=True,
    )
    lines = [line for line in trace.read_text(errors="replace").splitlines() if "resumed>" not in line]
    trace.unlink()
    return len(lines)


def wrong(folder: pathlib.Path, program: str, command: str, whole: dict[str, bytes], fault: str) -> str | None:
    """Disturbs the command. Says what is wrong then, if anything is."""
    before = contents(folder / "out")
    ran = subprocess.run(
        ["strace", "-f", "-qq", "-e", f"inject={fault}", "-e", "signal=none", "-o", "/dev/null", program, *command.split()],
        cwd=folder, capture_output=True, timeout=120,
    )
    if b"panicked" in ran.stderr:
        return f"panics: {ran.stderr.decode(errors='replace')[:300]}"
    after = contents(folder / "out")
    if ran.returncode == 0 and after != whole:
        return "ends well, and the results are others"
    for name, content in after.items():
        if name not in STATE and content not in (whole.get(name), before.get(name)):
            return f"{name} is neither as it was nor whole"
    missing = [name for name in before if name not in after and name in whole]
    if missing:
        return f"{missing} is lost"
    if "KILL" not in fault:
        left = [path.name for path in folder.rglob(".meshreplay-*")]
        if left:
            return f"left {left}"
    again = subprocess.run([program, *command.split()], cwd=folder, capture_output=True, timeout=120)
    if again.returncode != 0:
        return f"cannot be repeated: {again.stderr.decode(errors='replace')[:300]}"
    if contents(folder / "out") != whole:
        return "the repetition gives other results"
    left = [path.name for path in folder.rglob(".meshreplay-*")]
    return f"the repetition leaves {left}" if left else None


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--every", type=int, default=1, help="try only every so many positions")
    parser.add_argument("--only", default="", help="try only commands whose name holds this")
    parser.add_argument("program")
    arguments = parser.parse_args()
    program = str(pathlib.Path(arguments.program).resolve())
    if shutil.which("strace") is None:
        print("skipped: strace is not installed")
        return 0
    os.environ["RAYON_NUM_THREADS"] = "1"
    os.environ["POLARS_MAX_THREADS"] = "1"
    bad = 0
    for name, before, command in COMMANDS:
        if arguments.only not in name:
            continue
        tried = 0
        with tempfile.TemporaryDirectory() as scratch:
            start = pathlib.Path(scratch) / "start"
            start.mkdir()
            prepared(start, program, before)
            reference = pathlib.Path(scratch) / "reference"
            shutil.copytree(start, reference)
            subprocess.run([program, *command.split()], cwd=reference, check=True, capture_output=True)
            whole = contents(reference / "out")
            for calls, faults in CALLS.items():
                counted = pathlib.Path(scratch) / "counted"
                shutil.copytree(start, counted)
                count = positions(counted, program, command, calls)
                shutil.rmtree(counted)
                for position in range(1, count + 1):
                    if position % arguments.every != 0 and position != count:
                        continue
                    for fault in faults:
                        at = pathlib.Path(scratch) / "at"
                        shutil.copytree(start, at)
                        said = wrong(at, program, command, whole, f"{calls}:{fault}:when={position}")
                        shutil.rmtree(at)
                        tried += 1
                        if said:
                            bad += 1
                            print(f"WRONG: {name}: {calls} {fault} at {position} of {count}: {said}", flush=True)
        print(f"{name}: {tried} faults", flush=True)
    print(f"{bad} wrong")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
