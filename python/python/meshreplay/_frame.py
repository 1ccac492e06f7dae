"""Tables of results."""

from __future__ import annotations

import html
import importlib
from typing import TYPE_CHECKING, Any

from . import _core
from ._words import did_you_mean

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

_SHOWN = 10
"""The number of rows that a frame shows of itself."""


class Frame:
    """A table of results with typed columns, such as `r.jobs`.

    Every library that knows the Arrow PyCapsule interface takes it without copying: `polars.DataFrame(frame)`,
    `pyarrow.table(frame)`, `duckdb.from_arrow(frame)`, `narwhals.from_arrow(frame, backend="polars")`. Units and meanings of the columns are in the metadata of their
    Arrow fields, and in `units` and `meanings`.
    """

    __slots__ = ("_native",)

    def __init__(self, native: _core.Frame) -> None:
        self._native = native

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Returns a capsule with an Arrow stream of the rows."""
        return self._native.__arrow_c_stream__(requested_schema)

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._native.columns

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of columns."""
        return self._native.shape

    @property
    def units(self) -> dict[str, str]:
        """The unit of each column that has one, such as `s`.

        >>> import meshreplay as mr
        >>> r = mr.replay(mr.lublin(jobs=9, procs=16), machine="4x4", allocator="naive", quiet=True)
        >>> r.jobs.units["wait_s"]
        's'
        """
        return {name: unit for name, unit, _ in self._native.meanings if unit}

    @property
    def meanings(self) -> dict[str, str]:
        """What each column means."""
        return {name: meaning for name, _, meaning in self._native.meanings}

    def __len__(self) -> int:
        return self.shape[0]

    def __contains__(self, column: object) -> bool:
        """Returns whether there is a column of this name."""
        return column in self.columns

    __iter__ = None
    """Rows are read with a library of frames."""

    def __getitem__(self, column: str) -> list[Any]:
        """Returns the values of a column.

        >>> import meshreplay as mr
        >>> r = mr.replay(mr.lublin(jobs=9, procs=16), machine="4x4", allocator="naive", quiet=True)
        >>> len(r.jobs["wait_s"]), "wait" in r.jobs
        (9, False)
        """
        if not isinstance(column, str):
            raise TypeError(f"{column!r}: expected the name of a column; rows are read with to_polars() or to_pandas()")
        if column not in self:
            raise KeyError(f"no column '{column}'{did_you_mean(column, self.columns)}")
        return self._native.values(column, 0, len(self))

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_ipc, self._native.ipc()

    def __copy__(self) -> Frame:
        """Returns the same frame, which never changes."""
        return self

    def __deepcopy__(self, memo: object) -> Frame:
        """Returns the same frame, which never changes."""
        return self

    def to_polars(self) -> polars.DataFrame:
        """Returns the table as a frame of Polars, which shares its memory."""
        frame: polars.DataFrame = _library("polars").DataFrame(self)
        return frame

    def to_arrow(self) -> pyarrow.Table:
        """Returns the table as a table of pyarrow, which shares its memory."""
        table: pyarrow.Table = _library("pyarrow").table(self)
        return table

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the table as a frame of pandas. It needs pyarrow too."""
        _library("pandas")
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame

    def _first(self, rows: int) -> list[list[Any]]:
        """Returns the first rows, as columns."""
        return [self._native.values(name, 0, min(rows, len(self))) for name in self.columns]

    def __repr__(self) -> str:
        rows, columns = self.shape
        width = max(map(len, self.columns), default=0)
        lines = [
            f"  {name:{width}}  {', '.join(map(str, values))}{', …' if rows > len(values) else ''}"
            for name, values in zip(self.columns, self._first(3))
        ]
        return "\n".join([f"<meshreplay.Frame: {rows:,} rows, {columns} columns>", *lines])

    def _repr_html_(self) -> str:
        rows = len(self)
        text = html_table(self.columns, [list(row) for row in zip(*self._first(_SHOWN))])
        rest = f"<p>{rows:,} rows, of which the first {_SHOWN}</p>" if rows > _SHOWN else f"<p>{rows:,} rows</p>"
        return text + rest


def _library(name: str) -> Any:
    """Returns a library of frames. Says how to install it if it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        extra = "polars" if name == "polars" else "pandas"
        raise ImportError(f"{name} is not installed; pip install 'meshreplay[{extra}]'") from error


def _from_ipc(meanings: list[tuple[str, str, str]], content: bytes) -> Frame:
    """Returns a frame from its bytes."""
    return Frame(_core.frame_of_ipc(meanings, content))


def html_table(titles: list[str], rows: list[list[Any]]) -> str:
    """Returns a table as HTML. Numbers, also as text, are aligned to the right."""

    def cell(value: Any) -> str:
        text = "" if value is None else f"{value:,.6g}" if isinstance(value, float) else str(value)
        is_number = text[:1].isdigit() or text[:2].lstrip("-")[:1].isdigit()
        align = "right" if is_number else "left"
        return f'<td style="text-align: {align}">{html.escape(text)}</td>'

    head = "".join(f"<th>{html.escape(title)}</th>" for title in titles)
    body = "".join("<tr>" + "".join(map(cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
