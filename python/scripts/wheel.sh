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
        python3 -m venv "$venv" > /dev/null 2>&1 && "$venv/bin/python" -m pip install --quiet --disable-pip-version-check maturin ||
            { echo "skipped: maturin cannot be installed"; exit 0; }
    fi
fi
rm -rf target/wheels
# The wheel is for the operating system that it is built on; one for others needs their oldest libraries (`maturin build --zig`).
# CONFIG has what the Makefile gives to cargo, such as checks of overflow.
# shellcheck disable=SC2086
"$maturin" build ${CONFIG:-} --release --locked --quiet --compatibility linux --manifest-path python/Cargo.toml --out target/wheels
ls -l target/wheels
