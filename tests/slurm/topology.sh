#!/usr/bin/env bash
# Submits a random sequence of jobs to a real Slurm with topology/tree and leaves of several sizes, and replays the accepted
# jobs with `slurm-tree` on the machine and the node map that `show machine` reads from the same topology.conf: every job must get
# the same nodes. The rule for one node, and that for several levels of switches, are newer than the Slurm of most distributions
# (22.05 has others), so jobs have two nodes or more, and leaves one switch above them. Usage: tests/slurm/topology.sh [PROGRAM [SEED]].
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/cluster.sh"
. "$here/../programs.sh"
program=$(realpath "${1:-$here/../../target/release/meshreplay}")
RANDOM=${2:-79}
leaves=(5 3 4 6 2 4)
submits=${SUBMITS:-150}

there() {
    all_there munged slurmctld slurmd salloc squeue sinfo scontrol scancel
}

show_more() {
    tail -n 5 "$cluster"/slurmctld.log sequence.txt
}

PATH=$PATH:/usr/sbin
[ -d /proc/self ] || skip "the cluster's processes are found in /proc, and there is none"
need "Slurm" slurm-wlm munge

nodes=()
for i in $(seq $((${leaves[*]/%/ +} 0))); do
    nodes+=("$(printf 'n%02d' "$i")")
done
directory=$(mktemp -d)
cluster=$directory/cluster
trap '[ -z "${KEEP:-}" ] || cp ./*.txt ./*.swf "$KEEP"; stop_cluster "$cluster"; rm -rf "$directory"' EXIT
mkdir -p "$cluster"
cd "$directory"

write_topology() {
    local leaf first=1
    for leaf in "${!leaves[@]}"; do
        printf 'SwitchName=s%d Nodes=n[%02d-%02d]\n' "$leaf" "$first" $((first + leaves[leaf] - 1))
        first=$((first + leaves[leaf]))
    done
    echo "SwitchName=root Switches=s[0-$((${#leaves[@]} - 1))]"
}

# cluster.sh writes a flat cluster; here jobs have whole nodes, and the topology counts.
eval "flat_$(declare -f write_configuration)"
write_configuration() {
    flat_write_configuration "$1"
    write_topology >"$1/topology.conf"
    sed -i -e 's/^SelectType=.*/SelectType=select\/cons_tres\nSelectTypeParameters=CR_Core\nTopologyPlugin=topology\/tree/' \
        -e 's/^SlurmdTimeout=.*/SlurmdTimeout=300/' \
        -e 's/^PartitionName=batch.*/& OverSubscribe=EXCLUSIVE/' "$1/slurm.conf"
}

# Whether no node is still in use by a job that was cancelled.
is_settled() {
    ! squeue --noheader --format=%t | grep -qv '^R$' && ! sinfo --noheader --Node --format=%t | grep -qx comp
}

settle() {
    local _
    for _ in $(seq 200); do
        is_settled && return
        sleep 0.05
    done
    fail "the nodes of a cancelled job stay in use"
}

start_cluster "$cluster"
scontrol --version
# Each line of sequence.txt: a job, its first second, its nodes by name. Each operation has a second of its own.
declare -A ends
running=()
declare -i refused=0 second=0
for submit in $(seq "$submits"); do
    second+=1
    while [ ${#running[@]} -gt 0 ] && [ $((RANDOM % 5)) -lt 2 ]; do
        at=$((RANDOM % ${#running[@]}))
        scancel "${running[at]}"
        ends[${running[at]}]=$second
        running=("${running[@]:0:at}" "${running[@]:at+1}")
        settle
        second+=1
    done
    count=$((RANDOM % 2 ? RANDOM % 3 + 2 : RANDOM % 13 + 2))
    if ! said=$(salloc --nodes="$count" --immediate --no-shell 2>&1); then
        refused+=1
        continue
    fi
    job=$(sed -n 's/.*Granted job allocation \([0-9]*\).*/\1/p' <<<"$said")
    list=$(squeue --noheader --job="$job" --format=%N)
    echo "$job $second $count $(scontrol show hostnames "$list" | paste -sd' ')" >>sequence.txt
    running+=("$job")
done
while read -r job begin count names; do
    end=${ends[$job]:-$((second + 10))}
    echo "$job $begin 0 $((end - begin)) $count -1 -1 $count 3600 -1 1 -1 -1 -1 -1 -1 -1 -1" >>accepted.swf
    echo "$job $names" >>slurm.txt
done <sequence.txt

"$program" show machine "$cluster/topology.conf" --node-map map.csv >machine.txt
machine=$(head -n 1 machine.txt)
"$program" replay accepted.swf --machine "$machine" --scheduler recorded --allocator slurm-tree --placements --no-timing \
    --format csv -o out -q >/dev/null
# The nodes of a job are ranges of numbers, such as 0-3 6, which the map names.
python3 - out/jobs.csv map.csv >ours.txt <<'PYTHON'
import csv, sys
jobs, nodes = (list(csv.DictReader(open(path))) for path in sys.argv[1:])
names = {int(node["number"]): node["name"] for node in nodes}
for job in jobs:
    ranges = [part.split("-") for part in job["nodes"].split()]
    print(job["job"], *sorted(names[n] for ends in ranges for n in range(int(ends[0]), int(ends[-1]) + 1)))
PYTHON
diff slurm.txt ours.txt >differences.txt || fail "$(grep -c '^<' differences.txt) of $(wc -l <slurm.txt) jobs differ: $(head -n 4 differences.txt)"
[ "$(wc -l <slurm.txt)" -gt $((submits / 3)) ] || fail "only $(wc -l <slurm.txt) of $submits jobs were accepted"
echo "$machine: $(wc -l <slurm.txt) jobs have the same nodes, $refused were refused"
echo "passed"
