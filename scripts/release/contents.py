"""Checks archives, wheels and the programs in them: sizes, and on Linux the symbols of glibc that they need and
what protects them: a random address, tables that are read-only once the program runs, no executable stack.

Usage: contents.py --glibc 2.17 --most-mebibytes 28 FILE...
"""

import argparse
import io
import pathlib
import sys
import tarfile
import zipfile

from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

ELF = b"\x7fELF"
PROGRAMS = ("/bin/meshreplay", "/bin/meshreplay.exe")
BINARIES = (*PROGRAMS, ".so", ".pyd")


def members(path):
    """Returns the files in an archive by their names."""
    if path.suffix in (".whl", ".zip"):
        with zipfile.ZipFile(path) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(path) as archive:
        files = [entry for entry in archive.getmembers() if entry.isfile()]
        return {entry.name: archive.extractfile(entry).read() for entry in files}


def needed(binary):
    """Returns the versions of symbols that an ELF file needs, by library."""
    versions = {}
    for section in ELFFile(io.BytesIO(binary)).iter_sections():
        if isinstance(section, GNUVerNeedSection):
            for library, symbols in section.iter_versions():
                versions[library.name] = sorted({symbol.name for symbol in symbols}, key=number)
    return versions


def number(version):
    """Returns the numbers of a version such as GLIBC_2.17; versions without numbers come first."""
    return [int(part) if part.isdigit() else 0 for part in version.rpartition("_")[2].split(".")]


def unprotected(binary):
    """Returns what an ELF file lacks of the usual protections."""
    elf = ELFFile(io.BytesIO(binary))
    segments = {segment["p_type"]: segment for segment in elf.iter_segments()}
    stack = segments.get("PT_GNU_STACK")
    tags = [tag.entry for segment in elf.iter_segments("PT_DYNAMIC") for tag in segment.iter_tags()]
    is_bound = any(
        tag.d_tag == "DT_BIND_NOW" or tag.d_tag == "DT_FLAGS" and tag.d_val & 0x8 or tag.d_tag == "DT_FLAGS_1" and tag.d_val & 0x1
        for tag in tags
    )
    checks = {
        "is loaded at a fixed address": elf["e_type"] != "ET_DYN",
        "has no read-only relocations (RELRO)": "PT_GNU_RELRO" not in segments,
        "binds functions while it runs": not is_bound,
        "has an executable stack": stack is None or bool(stack["p_flags"] & 0x1),
    }
    return [what for what, fails in checks.items() if fails]


def problems(name, binary, given):
    """Returns the symbols of a program or a library that are too new; prints its size and versions."""
    found = []
    print(f"{name}: {len(binary):,} bytes")
    if binary.startswith(ELF):
        found += [f"{name} {what}" for what in unprotected(binary)]
        for library, versions in needed(binary).items():
            print(f"  {library}: {', '.join(versions)}")
            of_glibc = [version for version in versions if version.startswith("GLIBC_")]
            newer = [version for version in of_glibc if number(version) > number(given.glibc)]
            if newer:
                found.append(f"{name} needs {', '.join(newer)}; expected at most {given.glibc}")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--glibc", required=True)
    parser.add_argument("--most-mebibytes", type=float, required=True)
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    given = parser.parse_args()
    found = []
    for path in given.files:
        files = members(path)
        sizes = {path.name: path.stat().st_size}
        print(f"{path.name}: {sizes[path.name]:,} bytes")
        sizes |= {name: len(data) for name, data in files.items() if name.endswith(PROGRAMS)}
        for name, size in sizes.items():
            if size > given.most_mebibytes * (1 << 20):
                found.append(f"{name} has {size:,} bytes; expected at most {given.most_mebibytes:g} MiB")
        binaries = {name: data for name, data in files.items() if name.endswith(BINARIES)}
        if not binaries:
            found.append(f"{path} has no program or library")
        for name, data in binaries.items():
            found += problems(f"{path.name}: {name}", data, given)
        for text in ("LICENSE-MIT", "LICENSE-APACHE", "THIRD-PARTY.txt"):
            if not any(name.endswith(f"/{text}") for name in files):
                found.append(f"{path} lacks {text}")
    if found:
        sys.exit("\n".join(found))


if __name__ == "__main__":
    main()
