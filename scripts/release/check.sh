#!/bin/sh
# Checks what target/artifacts has for this machine: sizes, versions of glibc, metadata, tags and contents.
set -eu
cd "$(dirname "$0")/../.."
. scripts/release/env.sh
archive=target/artifacts/meshreplay-$version-$target.tar.gz
[ -f "$archive" ] || archive=${archive%.tar.gz}.zip
wheel=$(ls target/artifacts/*.whl)
python scripts/release/contents.py --glibc "$glibc" --most-mebibytes 28 "$archive" "$wheel"
python - "target/artifacts/meshreplay-$version-$target.cdx.json" <<'PYTHON'
import pathlib
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator

bill = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
problem = JsonStrictValidator(SchemaVersion.V1_6).validate_str(bill)
sys.exit(f"{sys.argv[1]}: {problem}" if problem else None)
PYTHON
twine check --strict "$wheel"
check-wheel-contents "$wheel"
abi3audit --strict "$wheel"
case $target in
    *-linux-gnu) auditwheel show "$wheel" ;;
esac
