#!/bin/sh
# Packs and compiles all crates as crates.io would have them, without uploading, and prints the sizes of the packages.
# `--no-verify` leaves out compiling them.
set -eu
cd "$(dirname "$0")/../.."
cargo=${CARGO:-cargo}
# The Python package and the helpers of tests are not published.
"$cargo" publish --workspace --dry-run --locked "$@"
for package in target/package/*.crate; do
    printf '%12d bytes  %s\n' "$(wc -c < "$package")" "$(basename "$package")"
    if tar -tzf "$package" | grep -E '^[^/]+/(tests|fuzz|docs|traces)/'; then
        echo "$package has files that only this repository needs; see include in Cargo.toml" >&2
        exit 1
    fi
done
