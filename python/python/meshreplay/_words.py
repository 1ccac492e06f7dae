"""Keywords of functions as arguments of the command, and its messages in terms of the keywords."""

from __future__ import annotations

import contextlib
import difflib
import functools
import inspect
import os
import re
import sys
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from . import _core


class ArgumentError(_core.Error, TypeError):
    """An argument is of a wrong type."""


class Note(UserWarning):
    """A note of the program on a log or a replay, such as how many jobs were left out."""


class NotFoundError(_core.Error, FileNotFoundError):
    """A file or a directory does not exist."""


def warn(note: str) -> None:
    """Gives a note as a warning of the first call outside of this package."""
    frame, depth = sys._getframe(1), 2
    while frame.f_back is not None and os.path.dirname(frame.f_code.co_filename) == os.path.dirname(__file__):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(note, Note, stacklevel=depth)


F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")


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
            raise TypeError(f"unexpected keyword '{name}'{did_you_mean(name, known)}")
        if value is None and row["required"]:
            raise ArgumentError(f"{name}=None: expected a value")
        if value is not None:
            found += _argument(row, value)
    return found


def _argument(row: _core.Keyword, value: Any) -> list[str]:
    """Returns the words of one keyword."""
    flag, takes = row["flag"], row["takes"]
    if takes == "switch":
        if not isinstance(value, bool):
            raise ArgumentError(f"{row['name']}={value!r}: expected True or False")
        return [flag] if value == row["gives"] else []
    if takes == "values" and isinstance(value, Mapping):
        value = [",".join(f"{key}={of}" for key, of in value.items())]
    several = values(value)
    if takes == "value" and len(several) != 1:
        raise _core.Error(f"{row['name']}={value!r}: expected one value")
    if not several:
        raise _core.Error(f"{row['name']}={value!r}: expected at least one value")
    return [f"{flag}={text(each)}" for each in several]


def values(value: Any) -> list[Any]:
    """Returns the values of a keyword: those of a list, an array or anything else with an order, or the one value."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (set, frozenset)):
        raise ArgumentError(f"{value!r} has no order; expected a list")
    is_one = isinstance(value, (str, bytes, os.PathLike, type)) or not isinstance(value, Iterable)
    return [value] if is_one else list(value)


def text(value: Any) -> str:
    """Returns a value as the command spells it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        raise ArgumentError(f"{value!r}: expected a text")
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Returns the question that offers the nearest of the `known` names; empty if none is near."""
    near = difflib.get_close_matches(name, list(known), 1)
    return f", did you mean '{near[0]}'?" if near else ""


# Help.


def kind(row: _core.Keyword) -> str:
    """Returns the type of a keyword."""
    if row["takes"] == "switch":
        return "bool | None"
    one = f"Literal[{', '.join(map(repr, row['choices']))}]".replace("'", '"') if row["choices"] else "Scalar"
    return f"{one} | Iterable[{one}] | None" if row["takes"] == "values" else f"{one} | None"


def meaning(row: _core.Keyword) -> str:
    """Returns what a keyword means, with its default."""
    default = f" [default: {' '.join(row['defaults'])}]" if row["defaults"] else ""
    if row["takes"] == "switch" and row["gives"] is False:
        return f"With False: {row['help'].rstrip('.')}. [default: True]"
    return row["help"].rstrip(".") + "." + default


def keyworded(about: str) -> Callable[[F], F]:
    """Names in a function's signature and documentation every keyword that its `**options` take.

    The documentation has them where it has the line `{options}`.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        own = [each for each in signature.parameters.values() if each.kind is not inspect.Parameter.VAR_KEYWORD]
        names = {each.name for each in own}
        rows = [row for row in keywords(about).values() if row["name"] not in names]
        more = [
            inspect.Parameter(row["name"], inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind(row)) for row in rows
        ]
        function.__signature__ = signature.replace(parameters=[*own, *more])  # type: ignore[attr-defined]
        texts = [f"{row['name']}: {with_keywords(meaning(row))}" for row in rows]

        # From Python 3.13 on, documentation comes without the indentation that it has in the source.
        def filled(place: re.Match[str]) -> str:
            indent = place[1]
            return "\n".join(
                textwrap.fill(text, 112, initial_indent=indent, subsequent_indent=indent + "    ") for text in texts
            )

        function.__doc__ = re.sub(r"^( +)\{options\}$", filled, function.__doc__ or "", flags=re.MULTILINE)
        return function

    return decorate


def documented(record: type[T]) -> type[T]:
    """Gives each field of a record its line of the section `Attributes` in the documentation of the class."""
    section = (record.__doc__ or "").partition("Attributes:")[2]
    for name, text in re.findall(r"^ +(\w+): (.+)$", section, re.MULTILINE):
        getattr(record, name).__doc__ = text
    return record


# Messages.


@contextlib.contextmanager
def in_keywords() -> Iterator[None]:
    """Rewrites errors of the command so that they name keywords in place of options."""
    try:
        yield
    except _core.Error as error:
        raise type(error)(with_keywords(str(error))) from error.__cause__


def with_keywords(message: str) -> str:
    """Returns a message of the command with `--option` as the keyword that it is here."""
    rows: dict[str, Any] = {row["flag"]: row for row in _core.keywords()} | _OF_FUNCTIONS

    def whole(match: re.Match[str]) -> str:
        row = rows.get(match[2])
        return f"{row['name']}={shown(match[1])}: " if row else match[0]

    def shown(value: str) -> str:
        return value if re.fullmatch(r"-?\d+(\.\d+)?", value) else repr(value)

    def one(match: re.Match[str]) -> str:
        row, value = rows.get(match[1]), match[2]
        if row is None:
            return match[0]
        if row["takes"] == "switch":
            return f"{row['name']}={row['gives']}{value or ''}"
        if value is None:
            return f"{row['name']}="
        word = value.strip()
        # A word that ends a clause is a value, too: give --estimate exact, or …
        ends = re.match(r"[,;)]| \(|$", match.string[match.end() :])
        is_value = ends or word in row["choices"] or word in _VALUES or re.search(r"[A-Z0-9=]", word)
        if word.startswith("'"):
            return f"{row['name']}={word}"
        return f"{row['name']}={shown(word)}" if is_value else f"{row['name']}={value}"

    value = r"invalid value '([^']*)' for '(--[a-z-]+)[^']*'"
    message = re.sub(value + r": (?:parameter '[^']*' of '[^']*' is '[^']*': )?", whole, message)
    message = re.sub(value + r"\s*\[possible values: (.*)\]", lambda match: f"{whole(match)}expected one of {match[3]}", message)
    message = re.sub(r"('[^']*') has commas: values are separated.*", r"\1 has commas; give a list of names", message)
    # What only the command has: its own lines, a directory with -o, and --force.
    message = re.sub(
        r"`replay -o(?: DIR)?( [^`]*)?` and `sweep [^`]*` keep",
        lambda match: f"`mr.replay(…{',' + match[1] if match[1] else ''})` keeps",
        message,
    )
    message = re.sub(r"(; give [^;]*?) with -o\b|--(force)\b", lambda match: match[1] or "force=True", message)
    message = re.sub(r"-m auto --topology FILE", "machine='auto', topology='FILE'", message)
    # Commands stay as they are.
    parts = re.split(r"(`(?:meshreplay|replay|sweep|table|plot) [^`]*`)", message)
    parts[::2] = [re.sub(r"(--[a-z][a-z-]+)\b( '[^']*'| [\w=.:*+,-]*\w)?", one, part) for part in parts[::2]]
    return "".join(parts)


_OF_FUNCTIONS: dict[str, Any] = {f"--{name}": {"name": name, "takes": "value", "choices": []} for name in ("kind", "show")}
"""Parameters of functions that are options of the command as well."""

_VALUES = ("all", "auto", "each", "off", "recorded", "table")
"""Values that messages recommend, or name, in the middle of a sentence."""
