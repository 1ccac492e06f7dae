"""Tables of results."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, overload

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
    `pyarrow.table(frame)`, `duckdb.from_arrow(frame)`. Units and meanings of the columns are in the metadata of their
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

    @overload
    def __getitem__(self, key: str) -> list[Any]: ...
    @overload
    def __getitem__(self, key: int) -> dict[str, Any]: ...
    @overload
    def __getitem__(self, key: slice) -> Frame: ...
    def __getitem__(self, key: str | int | slice) -> list[Any] | dict[str, Any] | Frame:
        """Returns the values of a column, a row by its position, or the rows of a slice.

        >>> import meshreplay as mr
        >>> r = mr.replay(mr.lublin(jobs=9, procs=16), machine="4x4", allocator="naive", quiet=True)
        >>> len(r.jobs["wait_s"]), r.jobs[-1]["job"], r.jobs[2:5].shape[0]
        (9, 9, 3)
        """
        if isinstance(key, str):
            if key not in self.columns:
                raise KeyError(f"no column '{key}'{did_you_mean(key, self.columns)}")
            return self._native.values(key, 0, len(self))
        positions = range(len(self))[key]
        if isinstance(positions, int):
            return {name: self._native.values(name, positions, positions + 1)[0] for name in self.columns}
        if positions.step != 1:
            raise ValueError(f"rows {key}: expected a slice with the step 1")
        return Frame(self._native.rows(positions.start, len(positions)))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Iterates over the rows."""
        return (self[row] for row in range(len(self)))

    def head(self, rows: int = 10) -> Frame:
        """Returns the first rows."""
        return self[:rows]

    def __reduce__(self) -> tuple[Any, ...]:
        return _from_ipc, self._native.ipc()

    def __copy__(self) -> Frame:
        """Returns the same frame, which never changes."""
        return self

    def __deepcopy__(self, memo: object) -> Frame:
        """Returns the same frame, which never changes."""
        return self

    def to_dict(self) -> dict[str, list[Any]]:
        """Returns the columns as lists of Python values."""
        return {name: self[name] for name in self.columns}

    def to_polars(self) -> polars.DataFrame:
        """Returns the table as a frame of Polars, which shares its memory."""
        import polars

        return polars.DataFrame(self)

    def to_arrow(self) -> pyarrow.Table:
        """Returns the table as a table of pyarrow, which shares its memory."""
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the table as a frame of pandas. It needs pyarrow too."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame

    def to_csv(self) -> str:
        """Returns the table as CSV with a heading."""
        return self._native.csv()

    def __repr__(self) -> str:
        rows, columns = self.shape
        return f"<meshreplay.Frame: {rows:,} rows, {columns} columns: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        rows = len(self)
        shown = self.head(_SHOWN).to_dict()
        text = html_table(list(shown), [list(row) for row in zip(*shown.values())])
        rest = f"<p>{rows:,} rows, of which the first {_SHOWN}</p>" if rows > _SHOWN else f"<p>{rows:,} rows</p>"
        return text + rest


def _from_ipc(name: str, content: bytes) -> Frame:
    """Returns a frame from its bytes."""
    return Frame(_core.frame_of_ipc(name, content))


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
