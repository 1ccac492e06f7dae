"""Checks that the version is the same in every file that has one; with a new version, writes it into them.
Also checks that the container is built with the Rust of releases.

Usage: version.py                 check
       version.py 1.2.3           write, except for CHANGELOG.md, whose text is yours, and check
       version.py --tag v1.2.3    also check that the tag is the version and that the change log is finished
       version.py --notes         print the change log of the version

The version of results (RESULTS in crates/study/src/study/key.rs) is another number. It changes only when
results do.
"""

import pathlib
import re
import sys

VERSION = r"(\d+\.\d+\.\d+)"
PLACES = [
    ("Cargo.toml", rf'^version = "{VERSION}"'),
    ("Cargo.toml", rf'^meshreplay-\w+ = {{ path = "[^"]*", version = "={VERSION}"'),
    ("python/Cargo.toml", rf'^meshreplay = {{ path = "\.\.", version = "={VERSION}"'),
    ("Cargo.lock", rf'^name = "meshreplay[a-z-]*"\nversion = "{VERSION}"'),
    ("CITATION.cff", rf"^version: {VERSION}"),
    ("codemeta.json", rf'^  "version": "{VERSION}"'),
]
"""Files with the patterns of their versions; each pattern may match several times."""


def read(file):
    return pathlib.Path(file).read_text(encoding="utf-8")


def write(new):
    """Writes a version into every place."""
    for file, pattern in PLACES:
        def changed(match):
            return match[0].replace(match[1], new)

        text = re.sub(pattern, changed, read(file), flags=re.MULTILINE)
        pathlib.Path(file).write_text(text, encoding="utf-8", newline="\n")


def notes():
    """Returns the heading of the newest version in the change log, and its text."""
    heading, _, text = read("CHANGELOG.md").partition("\n## ")[2].partition("\n## ")[0].partition("\n")
    return heading, text.strip()


def problems(tag):
    """Returns where the version differs from that of Cargo.toml, and what is unfinished for a tag."""
    version = re.search(PLACES[0][1], read("Cargo.toml"), re.MULTILINE)[1]
    found = []
    for file, pattern in PLACES:
        versions = set(re.findall(pattern, read(file), re.MULTILINE))
        if versions != {version}:
            has = ", ".join(sorted(versions)) or "no version"
            found.append(f"{file} has {has}; expected {version}, as in Cargo.toml")
    rust = read("scripts/release/rust.txt").strip()
    if f"FROM rust:{rust}-" not in read("Dockerfile"):
        found.append(f"Dockerfile has another Rust; expected {rust}, as in scripts/release/rust.txt")
    heading = notes()[0]
    if not heading.startswith(version):
        found.append(f"CHANGELOG.md begins with '{heading}'; expected a section for {version}")
    if tag and tag != f"v{version}":
        found.append(f"the tag is {tag}; expected v{version}, as in Cargo.toml")
    if tag and "unreleased" in heading:
        found.append(f"CHANGELOG.md says '{heading}'; expected the date of the release")
    return version, found


def main():
    match sys.argv[1:]:
        case []:
            tag = None
        case ["--tag", tag]:
            pass
        case ["--notes"]:
            print(notes()[1])
            return
        case [new] if re.fullmatch(VERSION, new):
            write(new)
            tag = None
        case _:
            sys.exit(__doc__)
    version, found = problems(tag)
    if found:
        sys.exit("\n".join(found))
    print(f"version {version} in all files")


if __name__ == "__main__":
    main()
