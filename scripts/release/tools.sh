# Sourced from the project's root: tools from Python's registry, pinned with their hashes.
# shellcheck shell=sh

# install_tools FOLDER REQUIREMENTS installs Python packages into target/FOLDER, unless they are there, and
# puts them first in PATH.
install_tools() {
    venv=target/$1
    if ! cmp -s "$2" "$venv/installed.txt"; then
        rm -rf "$venv"
        "${PYTHON:-python3}" -m venv "$venv"
        tools_python=$venv/bin/python
        # Windows has another layout.
        [ -x "$tools_python" ] || tools_python=$venv/Scripts/python
        "$tools_python" -m pip install --quiet --disable-pip-version-check --only-binary :all: \
            --require-hashes --requirement "$2"
        cp "$2" "$venv/installed.txt"
    fi
    PATH=$PWD/$venv/bin:$PWD/$venv/Scripts:$PATH
    export PATH
}
