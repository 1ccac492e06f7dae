"""The package itself: its docstrings, its generated keywords, its types, and how quickly it is imported."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import inspect
import os
import pkgutil
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import meshreplay as mr
import pytest
from meshreplay._options import ReplayOptions
from meshreplay._words import with_keywords

from .conftest import ROOT


@pytest.mark.parametrize("module", ["meshreplay", *(f"meshreplay.{found.name}" for found in pkgutil.iter_modules(mr.__path__))])
def test_docstrings(module: str) -> None:
    if not module.endswith("__main__"):
        assert doctest.testmod(importlib.import_module(module)).failed == 0


def test_everything_public_says_what_it_is() -> None:
    for name in mr.__all__:
        if name != "__version__":
            assert inspect.getdoc(getattr(mr, name)), name


def test_keywords_are_those_of_the_command() -> None:
    spec = importlib.util.spec_from_file_location("options", ROOT / "python/scripts/options.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    path = ROOT / "python/python/meshreplay/_options.py"
    if os.environ.get("BLESS"):
        path.write_text(module.options(), encoding="utf-8")
    assert path.read_text(encoding="utf-8") == module.options(), "BLESS=1 writes it anew"


def test_help_lists_every_keyword() -> None:
    text = pydoc.plain(pydoc.render_doc(mr.replay))
    for name in ReplayOptions.__annotations__:
        assert f"{name}: '" in text and f"    {name}: " in text, name
    assert "{options}" not in text + str(mr.Results.plot.__doc__) + str(mr.Picture.save.__doc__) + str(mr.compare.__doc__)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("--period off replays it; give --estimate exact, or --replications 20", "period='off' replays it; give estimate='exact', or replications=20"),
        ("--relative-to 'mm' is no series", "relative_to='mm' is no series"),
        ("--show 'mm' is not among the results", "show='mm' is not among the results"),
        ("--value has no effect on --kind why; leave it out", "value= has no effect on kind='why'; leave it out"),
        ("give a smaller --scale", "give a smaller scale="),
        ("--force overwrites it, --no-timing measures no times", "force=True overwrites it, timed=False measures no times"),
        ("`replay -o DIR --why` and `sweep --jobs --why` keep them", "`mr.replay(…, why=True)` keeps them"),
        ("`meshreplay trace convert --lenient` writes a log", "`meshreplay trace convert --lenient` writes a log"),
        ("as sacct --json writes it", "as sacct --json writes it"),
    ],
)
def test_messages_name_keywords_in_place_of_options(message: str, expected: str) -> None:
    assert with_keywords(message) == expected


def test_importing_loads_no_library_of_frames() -> None:
    program = "import sys, meshreplay; print([name for name in ('numpy', 'polars', 'pandas', 'pyarrow') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("page", ["README.md", "python/README.md", "docs/src/python.md", "docs/src/own-allocator-python.md"])
def test_lines_of_pages(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("polars")
    pytest.importorskip("pandas")
    text = (ROOT / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```(python|console)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert blocks, page
    (tmp_path / "traces").symlink_to(ROOT / "traces")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    # Top to bottom in one session, with the commands between.
    for language, block in blocks:
        if language == "python":
            exec(compile(block, page, "exec"), names)
            continue
        for line in re.findall(r"^\$ meshreplay (.*)$", block.replace("\\\n", ""), re.MULTILINE):
            subprocess.run(f"{sys.executable} -m meshreplay {line}", shell=True, check=True)


def test_types() -> None:
    pytest.importorskip("mypy")
    done = subprocess.run([sys.executable, "-m", "mypy"], cwd=ROOT / "python", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
