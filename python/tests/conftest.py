"""Logs and the command for all tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import meshreplay as mr
import pytest

ROOT = Path(__file__).resolve().parents[2]
"""The directory of the project."""


@pytest.fixture(scope="session")
def tiny() -> Path:
    """A log of a few jobs."""
    return ROOT / "traces/tiny.swf"


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of 150 jobs of a workload model, as a file."""
    path = tmp_path_factory.mktemp("logs") / "small.swf"
    run("trace", "generate", "--model", "lublin", "--jobs", "150", "--procs", "64", "--load", "0.9", "-o", str(path))
    return path


@pytest.fixture(scope="session")
def results(small: Path) -> mr.Results:
    """The results of four replays of the small log, with placements."""
    return mr.replay(
        small, "8x8", ["hilbert+bf", "mc1x1"], ["easy", "fcfs"], placements=True, timed=False, quiet=True
    )


def columns(frame: mr.Frame) -> dict[str, list[Any]]:
    """Returns the columns of a frame as lists."""
    return {name: frame[name] for name in frame.columns}


def run(*words: str, code: int = 0) -> str:
    """Runs the command, and returns what it prints. Its exit code must be `code`."""
    # The library readline, which pytest loads, sets COLUMNS for programs that inherit the environment.
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    command = [sys.executable, "-m", "meshreplay", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == code, done.stderr
    return done.stdout if code == 0 else done.stderr


@pytest.fixture(scope="session")
def command() -> Callable[..., str]:
    """The command of the package."""
    return run
