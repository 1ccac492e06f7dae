#!/bin/sh
# Builds the program for others to install and packs it into target/dist, with man pages, completions and licence texts:
#
#   meshreplay-VERSION-TARGET/bin/meshreplay
#   meshreplay-VERSION-TARGET/share/man/man1/*.1
#   meshreplay-VERSION-TARGET/share/{bash-completion,zsh,fish}/…
#   meshreplay-VERSION-TARGET/share/doc/meshreplay/{README.md,CHANGELOG.md,LICENSE-*,THIRD-PARTY.txt}
#
# Beside the archive stands its SHA-256. The same sources and compiler give the same bytes.
set -eu
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
target=$(rustc -vV | sed -n 's/^host: //p')
name=meshreplay-$version-$target
# Paths of this machine in messages of panics would differ from one machine to the next. Symbols are left out here, as Cargo does not
# do it for a package whose level is not that of its profile.
RUSTFLAGS="${RUSTFLAGS:-} -C strip=symbols --remap-path-prefix=$PWD=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo" \
    $cargo build --locked --package meshreplay --profile dist
program=target/dist/meshreplay
work=target/dist/$name
rm -rf "$work"
mkdir -p "$work/bin" "$work/share/man/man1" "$work/share/bash-completion/completions" \
    "$work/share/zsh/site-functions" "$work/share/fish/vendor_completions.d" "$work/share/doc/meshreplay"
cp "$program" "$work/bin/"
"$program" man "$work/share/man/man1" > /dev/null
"$program" completions bash > "$work/share/bash-completion/completions/meshreplay"
"$program" completions zsh > "$work/share/zsh/site-functions/_meshreplay"
"$program" completions fish > "$work/share/fish/vendor_completions.d/meshreplay.fish"
cp README.md CHANGELOG.md LICENSE-APACHE LICENSE-MIT "$work/share/doc/meshreplay/"
python3 scripts/licences.py > "$work/share/doc/meshreplay/THIRD-PARTY.txt"
# Times, owners and the order of files in the archive do not depend on who packs it, or when.
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$(git log -1 --format=%ct 2> /dev/null || echo 0)" \
    -C target/dist -cf - "$name" | gzip -9n > "target/dist/$name.tar.gz"
(cd target/dist && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
wc -c "$program" "target/dist/$name.tar.gz"
