"""Pictures of results."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from . import _core
from ._words import in_keywords, keyworded, words

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import PixelOptions


class Picture:
    """A drawing, which notebooks show."""

    __slots__ = ("svg",)

    svg: str
    """The drawing as SVG."""

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        return f"<meshreplay.Picture: {len(self.svg):,} characters of SVG>"

    @keyworded("pixels")
    def save(self, path: str | os.PathLike[str], **options: Unpack[PixelOptions]) -> None:
        """Writes the picture to a file whose name ends in `.svg`, `.png` or `.pdf`. A file of this name is overwritten.

        Args:
            path: The file.
            {options}
        """
        with in_keywords():
            content = _core.picture(self.svg, os.fspath(path), words("pixels", options))
        with open(path, "wb") as file:
            file.write(content)
