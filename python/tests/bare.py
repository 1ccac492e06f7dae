"""Uses the package where there is nothing but its wheel, and measures how long it is to import."""

import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import meshreplay as mr

log = mr.lublin(jobs=300, procs=64, load=0.8)
found = mr.replay(log, "8x8", ["hilbert+bf", "mc1x1"], timed=False, quiet=True)
assert len(found.jobs) == 600 and len(found.summary["allocator"]) == 2 and found.verdict
assert found.plot("waits").svg.startswith("<svg")
command = Path(sysconfig.get_path("scripts")) / "meshreplay"
printed = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
assert printed == f"meshreplay {mr.__version__}\n", printed
times = []
for _ in range(5):
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", "import meshreplay"], check=True)
    whole = time.perf_counter() - began
    began = time.perf_counter()
    subprocess.run([sys.executable, "-c", ""], check=True)
    times.append(whole - (time.perf_counter() - began))
version = ".".join(map(str, sys.version_info[:3]))
print(f"Python {version}: the wheel alone works; imported in {min(times):.3f} s")
