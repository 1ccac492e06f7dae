#!/bin/sh
# Builds the program for others to install and packs it into target/artifacts (scripts/release/pack.py has the
# list of files). On Linux it runs with glibc 2.17 or newer. The same sources and tools give the same bytes.
# TARGET=TRIPLE builds for another processor that this machine can run.
set -eu
cd "$(dirname "$0")/.."
. scripts/release/env.sh
case $target in
    # Zig's linker removes symbols.
    *-linux-gnu) build="cargo-zigbuild rustc --target $target.$glibc" link="" ;;
    *) build="${CARGO:-cargo} rustc --target $target" link="-C strip=symbols" ;;
esac
# shellcheck disable=SC2086
$build --locked --package meshreplay --bin meshreplay --profile dist --config "$flags" -- $link
python scripts/release/pack.py "$target" "$version"
