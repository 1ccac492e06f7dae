"""Keywords of functions as arguments of the command."""

from __future__ import annotations

import difflib
import functools
import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _core


@functools.cache
def keywords(about: str) -> dict[str, _core.Keyword]:
    """Returns every keyword about something, such as `replay` or `drawing`, by its name."""
    return {row["name"]: row for row in _core.keywords() if row["about"] == about}


def words(about: str, given: Mapping[str, Any]) -> list[str]:
    """Returns the arguments of the command that mean the same as the keywords `given`. `None` stands for the default."""
    known = keywords(about)
    found: list[str] = []
    for name, value in given.items():
        row = known.get(name)
        if row is None:
            near = difflib.get_close_matches(name, known, 1)
            hint = f", did you mean '{near[0]}'?" if near else ""
            raise TypeError(f"unexpected keyword '{name}'{hint}")
        if value is not None:
            found += _argument(row, value)
    return found


def _argument(row: _core.Keyword, value: Any) -> list[str]:
    """Returns the words of one keyword."""
    flag, takes = row["flag"], row["takes"]
    if takes == "switch":
        if not isinstance(value, bool):
            raise _core.Error(f"{row['name']}={value!r}: expected True or False")
        return [flag] if value == row["gives"] else []
    if takes == "values" and isinstance(value, Mapping):
        value = [",".join(f"{key}={of}" for key, of in value.items())]
    values = _values(value)
    if takes == "value" and len(values) != 1:
        raise _core.Error(f"{row['name']}={value!r}: expected one value")
    if not values:
        raise _core.Error(f"{row['name']}={value!r}: expected at least one value")
    return [f"{flag}={text(each)}" for each in values]


def _values(value: Any) -> list[Any]:
    """Returns the values of a keyword: those of a list, a tuple or an array, or the one that was given."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    is_one = isinstance(value, (str, bytes, os.PathLike)) or not isinstance(value, Sequence)
    return [value] if is_one else list(value)


def text(value: Any) -> str:
    """Returns a value as the command spells it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)
