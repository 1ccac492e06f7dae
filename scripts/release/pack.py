"""Packs the program of a target into target/artifacts:

    meshreplay-VERSION-TARGET/bin/meshreplay
    meshreplay-VERSION-TARGET/share/man/man1/*.1
    meshreplay-VERSION-TARGET/share/{bash-completion,zsh,fish}/…
    meshreplay-VERSION-TARGET/share/doc/meshreplay/{README.md,CHANGELOG.md,LICENSE-*}
    meshreplay-VERSION-TARGET/share/doc/meshreplay/{THIRD-PARTY.txt,SBOM.cdx.json}
    meshreplay-VERSION-TARGET/traces/…, the logs of the README's commands

A checksum and the bill of materials are written beside the archive. Usage: pack.py TARGET VERSION
"""

import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import zipfile

COMPLETIONS = {
    "bash": "bash-completion/completions/meshreplay",
    "zsh": "zsh/site-functions/_meshreplay",
    "fish": "fish/vendor_completions.d/meshreplay.fish",
}

LOGS = ("SOURCES.md", "lublin-256-10k.swf.gz", "may.sacct.gz", "scattered.swf", "tiny.swf")


def generated(*command):
    """Returns what a command prints."""
    return subprocess.run(command, check=True, capture_output=True).stdout


def fill(work, program, target):
    """Writes the files of the archive into the folder `work`."""
    share = work / "share"
    docs = share / "doc" / "meshreplay"
    for folder in (work / "bin", share / "man" / "man1", docs, work / "traces"):
        folder.mkdir(parents=True)
    shutil.copy(program, work / "bin")
    generated(program, "man", share / "man" / "man1")
    for shell, path in COMPLETIONS.items():
        (share / path).parent.mkdir(parents=True)
        (share / path).write_bytes(generated(program, "completions", shell))
    for file in ("README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"):
        shutil.copy(file, docs)
    for file in LOGS:
        shutil.copy(pathlib.Path("traces", file), work / "traces")
    arguments = ("--package", "meshreplay", "--target", target)
    (docs / "THIRD-PARTY.txt").write_bytes(generated(sys.executable, "scripts/licences.py", *arguments))
    (docs / "SBOM.cdx.json").write_bytes(generated(sys.executable, "scripts/release/sbom.py", *arguments))


def write_tar(work, archive):
    """Writes a tar.gz whose bytes do not depend on the user or the time of packing."""
    time = int(os.environ["SOURCE_DATE_EPOCH"])

    def neutral(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = ""
        entry.mtime = time
        entry.mode = 0o755 if entry.isdir() or entry.mode & 0o100 else 0o644
        return entry

    with open(archive, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        with tarfile.open(fileobj=packed, mode="w") as tar:
            for path in [work, *sorted(work.rglob("*"))]:
                tar.add(path, path.relative_to(work.parent).as_posix(), recursive=False, filter=neutral)


def write_zip(work, archive):
    """Writes a zip archive, which Windows opens without further programs."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted(path for path in work.rglob("*") if path.is_file()):
            entry = zipfile.ZipInfo(path.relative_to(work.parent).as_posix())
            entry.compress_type = zipfile.ZIP_DEFLATED
            packed.writestr(entry, path.read_bytes())


def main():
    target, version = sys.argv[1:]
    is_windows = "windows" in target
    program = pathlib.Path("target", target, "dist", "meshreplay.exe" if is_windows else "meshreplay")
    name = f"meshreplay-{version}-{target}"
    work = pathlib.Path("target", "artifacts", name)
    shutil.rmtree(work, ignore_errors=True)
    fill(work, program, target)
    archive = work.parent / f"{name}{'.zip' if is_windows else '.tar.gz'}"
    (write_zip if is_windows else write_tar)(work, archive)
    checksum = hashlib.sha256(archive.read_bytes()).hexdigest()
    archive.with_name(f"{archive.name}.sha256").write_text(f"{checksum}  {archive.name}\n", newline="\n")
    shutil.copy(work / "share/doc/meshreplay/SBOM.cdx.json", f"{work}.cdx.json")
    shutil.rmtree(work)
    for path in (program, archive):
        print(f"{path.stat().st_size:>12,} bytes  {path}")


if __name__ == "__main__":
    main()
