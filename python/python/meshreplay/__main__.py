"""The command `meshreplay`, also as `python -m meshreplay`."""

import os
import shutil
import sys

from . import _core


def main() -> None:
    """Runs the command with the arguments of this process, and exits with its code."""
    program = os.path.abspath(sys.argv[0])
    if not os.access(program, os.X_OK):
        # With `python -m meshreplay`, the first argument is no command that a script could call.
        program = shutil.which("meshreplay") or program
    sys.exit(_core.main(program, sys.argv[1:]))


if __name__ == "__main__":
    main()
