# Sourced by scripts that need other programs.

# Whether all programs named are there. `command -v` with several names succeeds if any of them is.
all_there() {
    local program
    for program; do
        command -v "$program" >/dev/null || return 1
    done
}
