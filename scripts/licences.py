"""Prints the licence texts of all packages that a package of this workspace is built from.

Packages with the same text share it. A package without a file of its own is listed with the licence that it
declares. Fails if a package declares no licence.
Usage: licences.py [--package meshreplay] [--target TRIPLE]
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

NAMES = ("license", "licence", "copying", "copyright", "notice", "unlicense")
RULE = 100 * "="


def arguments():
    """Returns the package and the target of the command line."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--package", default="meshreplay", help="package of this workspace")
    parser.add_argument("--target", default="all", help="target triple; all targets by default")
    return parser.parse_args()


def metadata():
    """Returns the packages and dependencies of the workspace, as Cargo has resolved them."""
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "metadata", "--locked", "--format-version", "1"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def built_packages(package, target):
    """Returns the packages that are linked into `package` for `target`, by their names and versions."""
    cargo = os.environ.get("CARGO", "cargo")
    tree = [cargo, "tree", "--locked", "--package", package, "--target", target, "--edges", "normal"]
    tree += ["--prefix", "none", "--format", "{p}"]
    lines = subprocess.run(tree, check=True, capture_output=True, text=True).stdout.splitlines()
    wanted = {tuple(line.split()[:2]) for line in lines if line.strip()}
    found = metadata()["packages"]
    chosen = [package for package in found if (package["name"], "v" + package["version"]) in wanted]
    return sorted(chosen, key=lambda package: (package["name"], package["version"]))


def texts(package):
    """Returns the texts of a package's licence files, also of C libraries in its folders.

    Of those, programs are under the GPL, which the libraries offer as an alternative, too.
    """
    folder = pathlib.Path(package["manifest_path"]).parent
    files = folder.rglob("*") if package["name"].endswith("-sys") else folder.iterdir()
    files = sorted(path for path in files if path.is_file() and path.name.lower().startswith(NAMES))
    found = [path.read_text(encoding="utf-8", errors="replace").strip() for path in files]
    return [text for text in found if "GNU GENERAL PUBLIC LICENSE" not in text[:200]]


def main():
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    given = arguments()
    by_text, without, nameless = {}, [], []
    for package in built_packages(given.package, given.target):
        if package["name"].startswith("meshreplay"):
            continue
        name = f"{package['name']} {package['version']} ({package.get('license') or 'see its text'})"
        found = texts(package)
        if not found:
            (without if package.get("license") else nameless).append(name)
        for text in found:
            by_text.setdefault(text, []).append(name)
    if nameless:
        sys.exit("no licence is declared by: " + ", ".join(nameless))
    print("meshreplay is built from these packages. Each text is the licence of the packages above it.")
    print("Rust's standard library is a part of it, too, under MIT or Apache-2.0, as meshreplay is.\n")
    for text, names in by_text.items():
        print(RULE)
        print("\n".join(dict.fromkeys(names)))
        print("-" * len(RULE))
        print(text, end="\n\n")
    if without:
        print(RULE)
        print("These packages bring no text of their own; they are under the licences that they declare:")
        print("\n".join(without))


if __name__ == "__main__":
    main()
