"""Progress of replays on standard error, in terminals and notebooks."""

from __future__ import annotations

import sys
import time

_FIRST_S = 0.5
"""The time after which progress appears, so that short replays show none."""
_EVERY_S = 0.2
"""The least time between two lines."""


class Progress:
    """A line that says how far replays are. It is there only while they run."""

    def __init__(self, shown: bool | None) -> None:
        """`None` shows it on a terminal and in a notebook."""
        is_notebook = "ipykernel" in sys.modules
        self._is_shown = (sys.stderr.isatty() or is_notebook) if shown is None else shown
        self._began = time.monotonic()
        self._last = self._began + _FIRST_S - _EVERY_S
        self._width = 0

    def __call__(self, done: int, jobs: int, ended: int, replays: int) -> None:
        """Takes the numbers of finished jobs, jobs, ended replays and replays."""
        now = time.monotonic()
        if not self._is_shown or now - self._last < _EVERY_S:
            return
        self._last = now
        rate = done / (now - self._began)
        share = 100 * done // max(jobs, 1)
        self._write(f"{share:3}% {ended} of {replays} replays, {rate:,.0f} jobs/s")

    def _write(self, line: str) -> None:
        sys.stderr.write("\r" + line.ljust(self._width))
        sys.stderr.flush()
        self._width = len(line)

    def finish(self) -> None:
        """Removes the line."""
        if self._width:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()
