#!/usr/bin/env bash
# Tests the wheel in target/wheels, or the file WHEEL: in fresh virtual environments of every Python from 3.10 on that is here with nothing
# but the wheel, and then, unless the argument is `bare`, with the libraries of frames, from the oldest that are supported to the newest.
# Says what it skips.
set -euo pipefail
cd "$(dirname "$0")/../.."
wheel=${WHEEL:-$(ls target/wheels/*.whl 2> /dev/null || true)}
if [ -z "$wheel" ]; then
    echo "skipped: no wheel"
    exit 0
fi
size=$(stat -c %s "$wheel")
[ "$size" -le 25000000 ] || { echo "FAILED: the wheel has $size bytes, more than 25 MB" >&2; exit 1; }
echo "wheel: $size bytes"

# fresh DIRECTORY PYTHON makes a new virtual environment with only the wheel; prints its Python.
fresh() {
    rm -rf "$1"
    "$2" -m venv "$1" && "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --no-deps "$wheel" && echo "$PWD/$1/bin/python"
}

# found VERSION prints a Python of this version that can make virtual environments. A command of this name may be a stand-in that
# only says which versions pyenv has.
found() {
    for python in "$(command -v "python$1" || true)" "$HOME"/.pyenv/versions/"$1".*/bin/python; do
        if [ -x "$python" ] && "$python" -c 'import venv' > /dev/null 2>&1; then
            echo "$python"
            return
        fi
    done
}

newest=
for minor in 10 11 12 13 14 15; do
    python=$(found "3.$minor")
    if [ -z "$python" ]; then
        echo "skipped: Python 3.$minor is not here"
        continue
    fi
    bare=$(fresh target/python-bare "$python")
    "$bare" python/tests/bare.py
    # Installed as users install it, with NumPy, the lines of the README run.
    if "$bare" -m pip install --quiet --disable-pip-version-check "$wheel" > /dev/null 2>&1; then
        "$bare" python/tests/readme.py
    else
        echo "skipped: NumPy cannot be installed for Python 3.$minor"
    fi
    newest=$python
done
if [ -z "$newest" ]; then
    echo "skipped: no Python from 3.10 on"
    exit 0
fi
[ "${1:-}" != bare ] || exit 0

# tested NAME PACKAGES… runs the tests with these versions of libraries.
tested() {
    name=$1
    shift
    python=$(fresh "target/python-$name" "$newest")
    "$python" -m pip install --quiet --disable-pip-version-check pytest numpy "$@" > /dev/null 2>&1 ||
        { echo "skipped: $* cannot be installed"; return 0; }
    "$python" -m pytest -q -p no:cacheprovider python/tests
}
tested newest polars pandas pyarrow duckdb matplotlib mypy pandas-stubs typing_extensions
tested oldest 'polars<2' 'pandas<3' 'pyarrow<20' 'duckdb<1.3'
