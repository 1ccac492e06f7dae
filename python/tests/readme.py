"""Runs the Python lines of README.md where the wheel is installed as users install it."""

import re
from pathlib import Path

blocks = re.findall(r"^```python\n(.*?)^```", Path("README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
assert blocks, "README.md has no Python lines"
names: dict[str, object] = {}
for block in blocks:
    exec(compile(block, "README.md", "exec"), names)
print("the Python lines of README.md run")
