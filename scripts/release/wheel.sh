#!/bin/sh
# Builds the wheel that others install into target/artifacts. On Linux its tag is manylinux_2_17: it needs
# glibc 2.17, which every distribution since 2013 has. Licence texts of everything that is linked into it are
# in the wheel. TARGET=TRIPLE builds for another processor.
set -eu
cd "$(dirname "$0")/../.."
. scripts/release/env.sh
case $target in
    *-linux-gnu) policy="--zig --compatibility manylinux_2_17" ;;
    *) policy="--compatibility pypi" ;;
esac
mkdir -p target/artifacts
rm -f target/artifacts/*.whl
python scripts/licences.py --package meshreplay-python --target "$target" > python/THIRD-PARTY.txt
# shellcheck disable=SC2086
maturin build $policy --profile dist --locked --quiet --target "$target" --config "$flags" \
    --manifest-path python/Cargo.toml --out target/artifacts
ls -l target/artifacts/*.whl
