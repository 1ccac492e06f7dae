#!/bin/sh
# Writes the source distribution of the Python package to target/artifacts. With `--build` also builds a wheel
# from it, as `pip install` does on a machine without a wheel of its own, and imports that. TARGET is not used.
set -eu
cd "$(dirname "$0")/../.."
. scripts/release/env.sh
mkdir -p target/artifacts
rm -f target/artifacts/meshreplay-"$version".tar.gz
python scripts/licences.py --package meshreplay-python > python/THIRD-PARTY.txt
maturin sdist --manifest-path python/Cargo.toml --out target/artifacts 2> target/artifacts/sdist.log \
    || { cat target/artifacts/sdist.log >&2; exit 1; }
rm target/artifacts/sdist.log
twine check --strict target/artifacts/meshreplay-"$version".tar.gz
if [ "${1:-}" = --build ]; then
    rm -rf target/sdist-wheel target/sdist-venv
    # Crates of the registry that are compiled already are used again.
    CARGO_TARGET_DIR=$PWD/target python -m pip wheel --quiet --disable-pip-version-check --no-deps \
        --wheel-dir target/sdist-wheel target/artifacts/meshreplay-"$version".tar.gz
    python -m venv target/sdist-venv
    target/sdist-venv/bin/python -m pip install --quiet --no-deps target/sdist-wheel/*.whl
    target/sdist-venv/bin/meshreplay --version
fi
ls -l target/artifacts/meshreplay-"$version".tar.gz
