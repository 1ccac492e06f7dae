"""The registries of the program as frames."""

from __future__ import annotations

from . import _core
from ._frame import Frame


def allocators() -> Frame:
    """Returns every allocator: its name, what it does, what it promises, its parameters and its source.

    >>> import meshreplay as mr
    >>> "mc1x1" in mr.allocators()["name"]
    True
    """
    return Frame(_core.listing("allocators"))


def schedulers() -> Frame:
    """Returns every scheduler: its name, what it does, what it promises, its parameters and its source."""
    return Frame(_core.listing("schedulers"))


def predictors() -> Frame:
    """Returns every predictor of run times, as `estimate` names them."""
    return Frame(_core.listing("predictors"))


def networks() -> Frame:
    """Returns every execution model, which decides how long jobs run."""
    return Frame(_core.listing("networks"))


def orders() -> Frame:
    """Returns every order of nodes, such as the Hilbert curve."""
    return Frame(_core.listing("orders"))


def formats() -> Frame:
    """Returns every format of logs."""
    return Frame(_core.listing("formats"))


def models() -> Frame:
    """Returns every workload model of jobs with sides."""
    return Frame(_core.listing("models"))


def plots() -> Frame:
    """Returns every kind of picture, and what it needs."""
    return Frame(_core.listing("plots"))
