# Sourced by scripts that need other programs.

# Whether all programs named are there. `command -v` with several names succeeds if any of them is.
all_there() {
    local program
    for program; do
        command -v "$program" >/dev/null || return 1
    done
}

# Ends a test that cannot run here, and says why.
skip() {
    echo "skipped: $1"
    exit 0
}

# Ends a test that has failed. A script may define `show_more`, which shows what helps to find out why.
fail() {
    echo "FAILED: $1" >&2
    if declare -F show_more >/dev/null; then
        show_more >&2
    fi
    exit 1
}

# Makes sure that what the function `there` of the script looks for is there. Root on Debian installs the packages; others
# skip the test. The arguments are what is missing, in words, and the packages.
need() {
    local what=$1
    shift
    if there; then
        return
    fi
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || skip "no $what, and no right to install it"
    (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@") >/dev/null 2>&1 ||
        skip "no $what, and it cannot be installed"
    there || skip "no $what after its installation"
}
