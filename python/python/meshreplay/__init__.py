"""Replays of HPC job logs through schedulers and processor allocators on meshes and tori.

Three lines give a frame:

>>> import meshreplay as mr
>>> log = mr.lublin(jobs=200, procs=64, load=0.7, seed=1)
>>> r = mr.replay(log, machine="8x8", allocator=["hilbert+bf", "mc1x1"], timed=False, quiet=True)
>>> r.summary.shape[0], r.jobs.shape[0]
(2, 400)

Names of machines, schedulers and allocators, options, messages and results are those of the command `meshreplay`,
which the package brings along.
"""

from ._check import Laws, check
from ._core import Error, __version__
from ._frame import Frame
from ._kept import concat
from ._listing import (
    allocators,
    formats,
    models,
    networks,
    orders,
    plots,
    predictors,
    schedulers,
)
from ._log import Log, lublin, model, read_log
from ._machine import Machine, pairwise_sum
from ._own import (
    Allocator,
    Execution,
    Job,
    Jobs,
    Request,
    Running,
    Scheduler,
    Started,
    View,
)
from ._picture import Picture
from ._replay import compare, replay, sweep
from ._results import Results, States, read_results
from ._study import Reproduction, reproduce
from ._words import Note

__all__ = [
    "Allocator",
    "Error",
    "Execution",
    "Frame",
    "Job",
    "Jobs",
    "Laws",
    "Log",
    "Machine",
    "Note",
    "Picture",
    "Reproduction",
    "Request",
    "Results",
    "Running",
    "Scheduler",
    "Started",
    "States",
    "View",
    "__version__",
    "allocators",
    "check",
    "compare",
    "concat",
    "formats",
    "lublin",
    "model",
    "models",
    "networks",
    "orders",
    "pairwise_sum",
    "plots",
    "predictors",
    "read_log",
    "read_results",
    "replay",
    "reproduce",
    "schedulers",
    "sweep",
]
