#!/usr/bin/env bash
# Builds the wheel of the Python package into target/wheels with the compiled dependencies of `make test`. Where there is no Python, or
# maturin cannot be installed, says what it skips and succeeds.
set -euo pipefail
cd "$(dirname "$0")/../.."
if ! command -v python3 > /dev/null; then
    echo "skipped: no python3"
    exit 0
fi
maturin=${MATURIN:-maturin}
if ! command -v "$maturin" > /dev/null; then
    venv=target/maturin-venv
    maturin=$PWD/$venv/bin/maturin
    if [ ! -x "$maturin" ]; then
        # Python 3.10 needs tomli for it.
        sed -n '/^\(maturin\|tomli\)==/,/# via/p' scripts/release/requirements.txt > target/maturin.txt
        if ! { python3 -m venv "$venv" &&
            "$venv/bin/python" -m pip install --quiet --require-hashes --requirement target/maturin.txt; } > /dev/null 2>&1; then
            echo "skipped: maturin cannot be installed"
            exit 0
        fi
    fi
fi
rm -rf target/wheels
# This wheel is for tests on this machine; scripts/release/wheel.sh builds the one for others.
python3 scripts/licences.py --package meshreplay-python > python/THIRD-PARTY.txt
# CONFIG has what the Makefile gives to cargo, such as checks of overflow.
# shellcheck disable=SC2086
"$maturin" build ${CONFIG:-} --release --locked --quiet --compatibility linux --manifest-path python/Cargo.toml --out target/wheels
ls -l target/wheels
