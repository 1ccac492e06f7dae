#!/usr/bin/env bash
# Reads results with Polars, pandas, evalys and R as docs/src/python.md shows, and renders Markdown tables. Installs what it needs into
# target/python-venv; where there is no Python, or nothing can be installed, says what it skips and succeeds.
set -euo pipefail
cd "$(dirname "$0")/../.."
venv=target/python-venv
if ! command -v python3 > /dev/null; then
    echo "skipped: no python3"
    exit 0
fi
if [ ! -x "$venv/bin/python" ] && ! python3 -m venv "$venv" > /dev/null 2>&1; then
    echo "skipped: python3 cannot make a virtual environment"
    rm -rf "$venv"
    exit 0
fi
python="$PWD/$venv/bin/python"
for package in polars pandas pyarrow evalys markdown-it-py; do
    module=${package%-py}
    "$python" -c "import ${module//-/_}" > /dev/null 2>&1 ||
        "$python" -m pip install --quiet --disable-pip-version-check "$package" > /dev/null 2>&1 ||
        echo "skipped: $package cannot be installed"
done
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
program=${MESHREPLAY:-$PWD/target/release/meshreplay}
for format in parquet arrow jsonl; do
    "$program" replay traces/tiny.swf --machine 4x4 --allocator naive hilbert+bf --no-timing --quiet --placements --tidy \
        --format "$format" -o "$results/$format" > /dev/null
done
"$program" export "$results/parquet" --replay 1 --to evalys -o "$results/jobs.csv"
"$python" tests/python/read_results.py "$results"
# The lines of R of docs/src/python.md read CSV without a package.
if command -v Rscript > /dev/null; then
    mkdir "$results/r"
    "$program" replay traces/tiny.swf --machine 4x4 --allocator naive hilbert+bf --no-timing --quiet \
        --format csv -o "$results/r/out" > /dev/null
    awk '/^```r$/ { inside = 1; next } /^```$/ { inside = 0 } inside' docs/src/python.md > "$results/r/lines.R"
    rows=$(cd "$results/r" && Rscript lines.R)
    [ "$(grep -cE '^[12] .*(naive|hilbert).* [0-9.]+$' <<< "$rows")" = 2 ] || { echo "FAILED: R: $rows" >&2; exit 1; }
    echo "R: the lines of the page run"
else
    echo "skipped: no Rscript"
fi
mkdir "$results/markdown"
"$python" tests/python/markdown.py "$(realpath "$program")" "$PWD/traces/tiny.swf" "$results/markdown"
