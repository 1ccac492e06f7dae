"""Prints the licence texts of all packages that the program is built from, for an archive that others install.

Packages with the same text share it. A package without a file of its own is listed with the licence that it declares. Fails
if a package declares no licence.
"""

import json
import os
import pathlib
import subprocess
import sys

NAMES = ("license", "licence", "copying", "copyright", "notice", "unlicense")


def built_packages():
    """Returns the packages that are linked into the program, by their names and versions."""
    cargo = os.environ.get("CARGO", "cargo")
    tree = [cargo, "tree", "--locked", "--package", "meshreplay", "--edges", "normal", "--prefix", "none", "--format", "{p}"]
    lines = subprocess.run(tree, check=True, capture_output=True, text=True).stdout.splitlines()
    wanted = {tuple(line.split()[:2]) for line in lines if line.strip()}
    metadata = [cargo, "metadata", "--locked", "--format-version", "1"]
    found = json.loads(subprocess.run(metadata, check=True, capture_output=True, text=True).stdout)["packages"]
    chosen = [package for package in found if (package["name"], "v" + package["version"]) in wanted]
    return sorted(chosen, key=lambda package: (package["name"], package["version"]))


def texts(package):
    """Returns the texts of a package's licence files."""
    folder = pathlib.Path(package["manifest_path"]).parent
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(NAMES))
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in files]


def main():
    by_text, without, nameless = {}, [], []
    for package in built_packages():
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
    print("meshreplay is built from the packages below. Each text is the licence of the packages named above it.\n")
    for text, names in by_text.items():
        print("=" * 100)
        print("\n".join(dict.fromkeys(names)))
        print("-" * 100)
        print(text, end="\n\n")
    if without:
        print("=" * 100)
        print("These packages bring no text of their own; they are under the licences that they declare:")
        print("\n".join(without))


if __name__ == "__main__":
    main()
