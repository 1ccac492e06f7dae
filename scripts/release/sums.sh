#!/bin/sh
# Writes SHA256SUMS of the files of a release in a folder, after comparing them with the checksums of the
# machines that built them. Usage: sums.sh FOLDER
set -eu
cd "$1"
for checksum in *.sha256; do
    sha256sum --check --quiet "$checksum"
done
rm -f -- *.sha256
sums=$(find . -maxdepth 1 -type f ! -name SHA256SUMS -exec basename {} \; | LC_ALL=C sort | xargs sha256sum)
echo "$sums" | tee SHA256SUMS
