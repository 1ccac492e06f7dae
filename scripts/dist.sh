#!/bin/sh
# Builds the program for others to install and packs it into target/dist (scripts/release/pack.py has the list of
# files). On Linux it runs with glibc 2.17 or newer. The same sources and tools give the same bytes.
# TARGET=TRIPLE builds for another processor that this machine can run.
set -eu
cd "$(dirname "$0")/.."
. scripts/release/env.sh
case $target in
    *-linux-gnu) build="cargo-zigbuild zigbuild --target $target.$glibc" ;;
    *) build="${CARGO:-cargo} build --target $target" ;;
esac
$build --locked --package meshreplay --profile dist --config "$flags"
python scripts/release/pack.py "$target" "$version"
