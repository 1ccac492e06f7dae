"""Every notebook runs from its first cell to its last, and is stored without what it shows."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .conftest import ROOT

NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    assert cells and all(cell["outputs"] == [] and cell["execution_count"] is None for cell in cells)
    if path.stem == "paper-figure":
        pytest.importorskip("matplotlib").use("agg")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for cell in cells:
        lines = "".join(cell["source"])
        # What a cell shows is the value of its last line, so that this line is made.
        exec(compile(lines, path.name, "exec"), names)
        last = lines.splitlines()[-1]
        if not last.startswith((" ", ")", "}")) and " = " not in last:
            shown = eval(last.split("   #")[0], names)
            html = getattr(shown, "_repr_html_", None)
            assert html is None or html()
