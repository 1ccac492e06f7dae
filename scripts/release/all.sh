#!/bin/sh
# Everything of a release that one Linux machine can build and check, without publishing anything: `make
# release`. The files are in target/artifacts with SHA256SUMS. Takes about half an hour on 2 cores the first
# time.
set -eu
cd "$(dirname "$0")/../.."
python3 scripts/release/version.py
scripts/release/lint.sh
scripts/release/build.sh
scripts/release/sdist.sh
WHEEL=$(ls target/artifacts/*.whl) python/tests/run.sh bare
scripts/release/crates.sh --no-verify
scripts/release/sums.sh target/artifacts
