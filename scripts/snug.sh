#!/usr/bin/env bash
# Compares snug with every published allocator that never refuses while enough nodes are free.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/snug.sh [OPTIONS] [STUDY...]

Runs the studies of docs/experiments/snug and prints for each what every allocator's mean pairwise sum is relative to snug's:
above 1, snug is better. Results stay in target/snug; given again, only what is missing is replayed.

  STUDY      nasa, kth, sdsc-sp2, sdsc-par, hpc2n or lanl; all by default; the first five take about 20 minutes, lanl an
             hour or more (Gen-Alg and MM try every node of 1,024 as a centre)
  --weights  instead, snug alone with weights from 0 to 1, relative to its default (some minutes)
  --unseen   instead, logs that it was not developed with: kth-cln, nasa-raw, osc, ross or sdsc-ds (some minutes)

The logs are fetched by
  scripts/fetch-traces.sh NASA-iPSC-1993-3.1-cln KTH-SP2-1996-2 SDSC-SP2-1998-4.2-cln SDSC-Par-1996-3.1-cln \
      HPC2N-2002-2.2-cln LANL-CM5-1994-4.1-cln
and for --unseen KTH-SP2-1996-2.1-cln NASA-iPSC-1993-3 OSC-Clust-2000-3.1-cln Sandia-Ross-2001-1.1-cln SDSC-DS-2004-2.1-cln
TEXT
}

prefix=""
studies=()
for argument in "$@"; do
    case "$argument" in
        -h | --help) usage && exit ;;
        --weights) prefix=weights- ;;
        --unseen) prefix=unseen- ;;
        -*) echo "error: unknown option '$argument'; scripts/snug.sh --help lists them" >&2 && exit 2 ;;
        *) studies+=("$argument") ;;
    esac
done
if [ ${#studies[@]} -eq 0 ]; then
    studies=(nasa kth sdsc-sp2 sdsc-par hpc2n lanl)
    if [ "$prefix" = unseen- ]; then
        studies=(kth-cln nasa-raw osc ross sdsc-ds)
    fi
fi

cd "$(dirname "$0")/.."
cargo build --release --quiet
for study in "${studies[@]}"; do
    file="docs/experiments/snug/$prefix$study.toml"
    if [ ! -f "$file" ]; then
        echo "error: no study '$study'; scripts/snug.sh --help lists them" >&2 && exit 2
    fi
    target/release/meshreplay sweep "$file" -o "target/snug/$prefix$study" --no-timing
    target/release/meshreplay table "target/snug/$prefix$study" --columns machine,scheduler,arrival_scale \
        --relative-to snug --best lowest
done
