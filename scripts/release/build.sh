#!/bin/sh
# Builds and checks what one machine can build for a release: archive, wheel and bill of materials in
# target/artifacts. Then runs the README's first command with both, in an empty folder. TARGET=TRIPLE is
# another processor.
set -eu
cd "$(dirname "$0")/../.."
rm -rf target/artifacts
scripts/dist.sh
scripts/release/wheel.sh
scripts/release/check.sh
. scripts/release/env.sh
archive=target/artifacts/meshreplay-$version-$target.tar.gz
[ -f "$archive" ] || archive=${archive%.tar.gz}.zip
python scripts/release/first_table.py "$archive" target/artifacts/*.whl
