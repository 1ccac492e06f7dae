# Settings of release builds, sourced from the project's root: tools, version, target and cargo's arguments.
# TARGET is the target triple, by default that of this machine.
# shellcheck shell=sh disable=SC2034 # the variables are those of the scripts that source this

. scripts/release/tools.sh
install_tools release-tools scripts/release/requirements.txt

# Another compiler gives other bytes.
rust=$(cat scripts/release/rust.txt)
if [ "$(rustc --version | cut -d ' ' -f 2)" != "$rust" ]; then
    echo "releases are built with Rust $rust (scripts/release/rust.txt), not $(rustc --version);" \
        "rustup toolchain install $rust && export RUSTUP_TOOLCHAIN=$rust" >&2
    exit 1
fi

version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
host=$(rustc -vV | sed -n 's/^host: //p')
target=${TARGET:-$host}
# The oldest glibc that Rust's own library supports, that of CentOS 7. Zig links against it on any Linux.
glibc=2.17
# Paths of this machine in messages of panics would differ from one machine to the next. These flags are added
# to those of .cargo/config.toml; the variable RUSTFLAGS would replace them. Paths of Windows have backslashes,
# hence single quotes.
flags="'--remap-path-prefix=$PWD=.', '--remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo'"
flags="target.'cfg(all())'.rustflags = [$flags]"
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS
# Times of files in archives: 1980, the first year of zip. With another time C code is compiled anew, and all
# that depends on it.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-315532800}
export SOURCE_DATE_EPOCH
