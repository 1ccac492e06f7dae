#!/usr/bin/env bash
# Submits a study to a real Slurm on this machine, three nodes of one processor each, and takes from it what clusters lose:
#   1. a node dies in the middle, with the tasks on it; they are requeued;
#   2. a node's daemon dies and its task lives on, so that it runs twice; another task is cancelled, and submitted again.
# Each time the directory must end as after a local sweep, byte by byte. Usage: tests/slurm/run.sh [PROGRAM].
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/cluster.sh"
. "$here/../programs.sh"
program=$(realpath "${1:-$here/../../target/release/meshreplay}")

show_more() {
    squeue || true
    tail -n 20 out*/slurm/*.log "$cluster"/slurmctld.log || true
}

there() {
    all_there munged slurmctld slurmd sbatch squeue sinfo scontrol scancel
}

PATH=$PATH:/usr/sbin
[ -d /proc/self ] || skip "the cluster's processes are found in /proc, and there is none"
need "Slurm" slurm-wlm munge

directory=$(mktemp -d)
cluster=$directory/cluster
trap 'stop_cluster "$cluster"; rm -rf "$directory"' EXIT
mkdir "$cluster" "$directory/a study's files"
cd "$directory/a study's files"

# The programs of the commands that the program prints.
mkdir "$directory/bin"
ln -s "$program" "$directory/bin/meshreplay"
PATH=$directory/bin:$PATH

# 16 cells of 2 or 3 s each.
cat >study.toml <<'STUDY'
name = "nodes that die"
logs = ["synthetic:ratio=1.5,jobs=10000"]
machines = ["32x32"]
schedulers = ["fcfs", "bypass-queue:threshold=25"]
allocators = ["first-fit", "best-fit", "adaptive-scan", "fixed-orientation"]
arrival_scales = [1, 0.9]
replications = 30
STUDY

began=$SECONDS
meshreplay sweep study.toml -o local --no-timing -q
echo "a local sweep takes $((SECONDS - began)) s"
start_cluster "$cluster"

# Waits up to $1 seconds until the rest of the arguments, a command, succeeds.
within() {
    local seconds=$1 end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || fail "not within $seconds s: $*"
        sleep 0.2
    done
}

# Whether all nodes run tasks, and a cell in $1 is done.
is_in_the_middle() {
    [ "$(squeue --noheader --states=RUNNING --format=%N | sort -u | wc -l)" = 3 ] &&
        compgen -G "$1/cells/*.parquet" >/dev/null
}

is_over() {
    [ -z "$(squeue --noheader)" ]
}

# Fails unless $1 is what the local sweep made.
compare() {
    diff -r --exclude=slurm local "$1" || fail "$1 differs from a local sweep"
    meshreplay sweep --status "$1" || fail "$1 is not finished"
    [ "$(grep -c . "$1/summary.csv")" = 481 ] || fail "$1/summary.csv has not 480 rows"
}

requeued() {
    grep -c "requeue.*${nodes[1]}" "$cluster/slurmctld.log" || true
}

echo "1. a node dies, and Slurm finds out"
began=$SECONDS
meshreplay sweep study.toml -o out1 --no-timing --submit slurm:partition=batch,time=10,array=4
within 60 is_in_the_middle out1
meshreplay sweep --status out1 && fail "the study is finished too early"
kill_node "$cluster" "${nodes[1]}"
within 240 is_over
[ "$(requeued)" -gt 0 ] || fail "nothing was requeued"
compare out1
echo "finished after $((SECONDS - began)) s, $(requeued) tasks requeued"

echo "2. a daemon dies and its node is given up, but its task lives on; another task is cancelled"
began=$SECONDS
slurmd -N "${nodes[1]}"
within 60 is_ready
meshreplay sweep study.toml -o out2 --no-timing --submit slurm:partition=batch,time=10,array=3 -q
within 60 is_in_the_middle out2
lost=$(requeued)
kill -9 "$(cat "$cluster/slurmd.${nodes[1]}.pid")"
scontrol update "nodename=${nodes[1]}" state=DOWN reason=killed
scancel "$(squeue --noheader --array --format=%F_%K "--nodelist=${nodes[2]}")"
within 240 is_over
[ "$(requeued)" -gt "$lost" ] || fail "nothing was requeued"
status=$(meshreplay sweep --status out2) && fail "the cancelled task is not missed"
echo "$status"
finished=$(sed -n 's/.* \([0-9]*\) done.*/\1/p' <<<"$status")
[ "$(grep -c . out2/summary.csv)" = $((finished * 30 + 1)) ] || fail "the partial summary has not $finished cells"
eval "$(sed -n 's/^to resubmit: //p' <<<"$status")"
within 240 is_over
compare out2
echo "finished after $((SECONDS - began)) s, $(requeued) tasks requeued in both"
tail -n 9 out2/slurm/*.log

echo "3. what Slurm refuses"
if said=$(meshreplay sweep study.toml -o out3 --submit slurm:partition=nope 2>&1); then
    fail "an unknown partition is accepted"
fi
echo "$said"
grep -q '^error: nothing is submitted: sbatch refuses: ' <<<"$said" || fail "this does not say so"
echo "passed"
