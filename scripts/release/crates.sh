#!/bin/sh
# Packs and compiles all crates as crates.io would have them, without uploading, and prints the sizes of the
# packages. `--no-verify` leaves out compiling them.
set -eu
cd "$(dirname "$0")/../.."
cargo=${CARGO:-cargo}
# The Python package and the helpers of tests are not published.
rm -rf target/package
"$cargo" publish --workspace --dry-run --locked "$@"
# Where a dry run leaves them differs between versions of Cargo.
find target/package -name '*.crate' | awk -F/ '!seen[$NF]++' | sort > target/package/list.txt
while read -r package; do
    printf '%12d bytes  %s\n' "$(wc -c < "$package")" "$(basename "$package")"
    if tar -tzf "$package" | grep -E '^[^/]+/(tests|fuzz|docs|traces)/'; then
        echo "$package has files that only this repository needs; see include in Cargo.toml" >&2
        exit 1
    fi
done < target/package/list.txt
