"""Pictures of results."""

from __future__ import annotations

import os

from . import _core


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

    def save(self, path: str | os.PathLike[str], *, scale: float = 2) -> None:
        """Writes the picture to a file whose name ends in `.svg` or `.png`.

        `scale` is the number of pixels for each unit of the drawing, for PNG. A file of this name is overwritten.
        """
        extension = os.path.splitext(os.fspath(path))[1].lower()
        if extension == ".svg":
            content = self.svg.encode()
        elif extension == ".png":
            content = _core.png(self.svg, scale)
        else:
            raise _core.Error(f"{os.fspath(path)}: expected a name that ends in .svg or .png")
        with open(path, "wb") as file:
            file.write(content)
