"""Prints `_options.py`, the keywords of replays and pictures that follow from the arguments of the command."""

from __future__ import annotations

import textwrap

from meshreplay import _core
from meshreplay._words import kind, meaning

HEAD = '''"""The keywords of replays and pictures, made from the arguments of the command by python/scripts/options.py."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal, TypedDict

Scalar = str | int | float | os.PathLike[str]
"""A value, as a number or as the command spells it."""
'''

CLASSES = [
    ("replay", "ReplayOptions", "Every option of a replay by its own name."),
    ("drawing", "PlotOptions", "Every option of a picture by its own name."),
    ("pixels", "PixelOptions", "How many pixels a picture has, for PNG."),
]
"""What keywords are about, the class of their types, and what it says."""

BY_NAME = {"machine", "allocator", "scheduler", "network", "seed"}
"""The keywords that stand in the signature of `replay` itself."""


def entry(row: _core.Keyword) -> str:
    """Returns the lines of a keyword."""
    said = meaning(row).replace("\\", "\\\\")
    text = textwrap.fill(f'"""`{row["flag"]}`: {said}"""', 118, initial_indent="    ", subsequent_indent="    ")
    return f"    {row['name']}: {kind(row)}\n{text}\n"


def options() -> str:
    """Returns the text of the file."""
    text = HEAD
    for about, name, said in CLASSES:
        rows = [row for row in _core.keywords() if row["about"] == about]
        shown = [entry(row) for row in rows if about != "replay" or row["name"] not in BY_NAME]
        head = f'\n\nclass {name}(TypedDict, total=False):\n    """{said} `None` stands for the default."""\n'
        text += head + "\n" + "\n".join(shown)
    return text


if __name__ == "__main__":
    print(options(), end="")
