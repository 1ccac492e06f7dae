"""Runs the README's first command as a stranger does, in an empty folder that has only the log, and times it.

Once with the program unpacked from the archive, once with the wheel installed into an empty virtual
environment. The output must be that of the README.
Usage: first_table.py [--offline] ARCHIVE WHEEL
"""

import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import venv

MOST_SECONDS = 10


def first_session():
    """Returns the arguments of the README's first command, and what it prints."""
    page = pathlib.Path("README.md").read_text(encoding="utf-8")
    block = page.split("```console\n")[1].split("```")[0]
    lines = block.removeprefix("$ ").splitlines()
    command = [lines.pop(0)]
    while command[-1].endswith("\\"):
        command.append(lines.pop(0))
    words = shlex.split(" ".join(line.removesuffix("\\") for line in command))
    return words[1:], lines


def timed(what, run, *arguments):
    """Returns what `run` returns; prints how long it took."""
    began = time.perf_counter()
    result = run(*arguments)
    seconds = time.perf_counter() - began
    print(f"{what}: {seconds:.2f} s")
    return result, seconds


def check(program, folder):
    """Runs the command and compares its output; ends this program at a difference."""
    words, expected = first_session()
    environment = {**os.environ, "TZ": "UTC"}
    environment.pop("COLUMNS", None)
    command = [program, *words]
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    printed = [line.rstrip() for line in (ran.stdout + ran.stderr).decode("utf-8").splitlines()]
    if ran.returncode != 0 or printed != expected:
        text = "\n".join(printed)
        sys.exit(f"{program} {shlex.join(words)} printed:\n{text}\nexpected what README.md shows")


def installed(wheel, folder, is_offline):
    """Returns the command of a wheel in a new virtual environment."""
    venv.create(folder, with_pip=True)
    scripts = folder / ("Scripts" if os.name == "nt" else "bin")
    # Replays need no other package; NumPy is for arrays.
    options = ["--no-index", "--no-deps"] if is_offline else []
    pip = [scripts / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *options]
    what = " ".join(["pip install", *options])
    _, seconds = timed(what, subprocess.check_call, [*pip, wheel])
    return scripts / "meshreplay", seconds


def main():
    words = sys.argv[1:]
    is_offline = "--offline" in words
    archive, wheel = (pathlib.Path(word).resolve() for word in words if word != "--offline")
    with tempfile.TemporaryDirectory() as empty:
        folder = pathlib.Path(empty)
        (folder / "traces").mkdir()
        shutil.copy("traces/lublin-256-10k.swf.gz", folder / "traces")
        _, unpacking = timed("unpacking the archive", shutil.unpack_archive, archive, folder)
        program = next(folder.glob("meshreplay-*/bin/meshreplay*"))
        _, first = timed("first table by the program", check, program, folder)
        command, installing = installed(wheel, folder / "venv", is_offline)
        _, second = timed("first table by the wheel", check, command, folder)
    slowest = max(unpacking + first, installing + second)
    if slowest > MOST_SECONDS:
        sys.exit(f"installing and replaying took {slowest:.1f} s; expected at most {MOST_SECONDS} s")


if __name__ == "__main__":
    main()
