"""Studies and papers, which run in a process of their own as the command `meshreplay` does."""

from __future__ import annotations

import html
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass

from . import _core
from ._frame import Frame
from ._picture import Picture
from ._results import Results, read_results
from ._source import directory
from ._words import with_keywords


def _run(words: list[str], threads: int | None, quiet: bool) -> str:
    """Runs the command and returns what it prints. Its progress and notes go to standard error. Raises its error."""
    command = [sys.executable, "-m", "meshreplay", *words, *([] if threads is None else [f"--threads={threads}"]), *(["--quiet"] if quiet else [])]
    is_terminal = sys.stderr.isatty()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=None if is_terminal else subprocess.PIPE, text=True)
    try:
        printed, said = process.communicate()
    except KeyboardInterrupt:
        # The command keeps what it has finished, and ends within a second.
        process.send_signal(2)
        process.wait()
        raise
    lines = (said or "").splitlines()
    errors = [line.removeprefix("error: ") for line in lines if line.startswith("error: ")]
    if process.returncode != 0:
        if any("guest:NAME is an object" in error for error in errors):
            errors.append(
                "a file names no classes of yours; give them to `mr.sweep` as allocator=, scheduler= or network=, beside those of the "
                "file, or to `mr.replay(…, out=DIR)`, which replays every combination of its lists and keeps them as a study does"
            )
        raise _core.Error(with_keywords("\n".join(errors)) or f"`meshreplay {words[0]}` failed, see its messages above")
    for line in lines:
        print(line, file=sys.stderr)
    return printed


def run_sweep(study: str, out: str, threads: int | None, jobs: bool, quiet: bool) -> Results:
    """Runs the study of a TOML file and returns its results."""
    _run(["sweep", study, "-o", out, *(["--jobs"] if jobs else [])], threads, quiet)
    return read_results(out)


@dataclass(frozen=True, repr=False, eq=False)
class Reproduction:
    """Figures of a paper: the published value beside the measured one, their ratio, and a verdict."""

    frame: Frame
    """A row for each value."""
    pictures: dict[str, Picture]
    """The pictures, by the names of their figures."""
    text: str
    """The comparison as text."""

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(self.text)}</pre>"


def reproduce(
    paper: str,
    *figures: str,
    traces: str | os.PathLike[str] = "traces/archive",
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    quiet: bool = False,
) -> Reproduction:
    """Regenerates figures of a paper, such as `mr.reproduce("walker2010", "fig9")`.

    Args:
        paper: The paper; `meshreplay reproduce list` shows all.
        figures: The figures; by default all that can be regenerated.
        traces: The directory of the logs.
        out: The directory in which the results of all replays are kept, so that the same call goes on after an
            interruption. By default they are not kept.
        threads: The number of replays that run at once; by default the number of cores.
        quiet: Whether neither notes nor progress are shown.
    """
    with tempfile.TemporaryDirectory(prefix="meshreplay-") as temporary:
        folder = directory(out) if out is not None else temporary
        text = _run(["reproduce", paper, *figures, "--traces", os.fspath(traces), "-o", folder], threads, quiet)
        with open(os.path.join(folder, f"{paper}.csv"), encoding="utf-8") as file:
            frame = Frame(_core.frame_of_csv(file.read()))
        pictures = {}
        for name in sorted(os.listdir(folder)):
            if name.startswith(f"{paper}-") and name.endswith(".svg"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    pictures[name.removeprefix(f"{paper}-").removesuffix(".svg")] = Picture(file.read())
    return Reproduction(frame, pictures, text)
