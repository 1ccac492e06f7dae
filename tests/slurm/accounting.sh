#!/usr/bin/env bash
# Runs some 200 jobs on a real Slurm with its accounting (slurmdbd and MariaDB) and its log of job completions, and reads
# them back: `sacct -P`, `sacct --json` and the log must give the same jobs, and those that scontrol has told.
# Everything runs as processes of this user below one directory. Usage: tests/slurm/accounting.sh [PROGRAM].
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/cluster.sh"
. "$here/../programs.sh"
program=$(realpath "${1:-$here/../../target/release/meshreplay}")

there() {
    all_there munged slurmctld slurmd slurmdbd sbatch squeue sinfo scontrol scancel sacct sacctmgr mariadbd mariadb-install-db mariadb
}

PATH=$PATH:/usr/sbin
[ -d /proc/self ] || skip "the cluster's processes are found in /proc, and there is none"
need "Slurm accounting" slurm-wlm slurmdbd munge mariadb-server

nodes=(node1 node2 node3 node4 node5 node6 node7 node8)
directory=$(mktemp -d)
cluster=$directory/cluster
trap 'stop_cluster "$cluster"; rm -rf "$directory"' EXIT
mkdir -p "$cluster/state" "$cluster/db"
export SLURM_CONF=$cluster/slurm.conf TZ=UTC
cd "$directory"

# Slurm with eight nodes of four CPUs and two GPUs each, which jobs do not share, and with accounting.
write_accounting_configuration() {
    local port host user
    port=$(find_ports)
    host=$(hostname)
    user=$(id -un)
    cat >"$cluster/slurmdbd.conf" <<CONFIGURATION
AuthType=auth/munge
AuthInfo=socket=$cluster/munge.socket
DbdAddr=127.0.0.1
DbdHost=$host
DbdPort=$port
SlurmUser=$user
LogFile=$cluster/slurmdbd.log
PidFile=$cluster/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=localhost
StorageUser=$user
StorageLoc=slurm_accounting
CONFIGURATION
    chmod 600 "$cluster/slurmdbd.conf"
    cat "$cluster/slurm.conf" - >"$cluster/slurm.conf.new" <<CONFIGURATION
SchedulerType=sched/backfill
SchedulerParameters=bf_interval=1,bf_resolution=1,sched_interval=1,batch_sched_delay=0,bf_continue
GresTypes=gpu
MinJobAge=3600
MaxJobCount=2000
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort=$port
AccountingStoragePass=$cluster/munge.socket
AccountingStorageTRES=gres/gpu
JobCompType=jobcomp/filetxt
JobCompLoc=$cluster/jobcomp.log
CONFIGURATION
    # The two lines of cluster.sh that are different here: jobs are placed by CPU and have their nodes alone.
    sed -e 's/^SelectType=.*/SelectType=select\/cons_tres\nSelectTypeParameters=CR_Core/' \
        -e 's/^PartitionName=batch.*/& OverSubscribe=EXCLUSIVE\nPartitionName=small Nodes=node[1-2] MaxTime=60 State=UP OverSubscribe=EXCLUSIVE/' \
        -e 's/ CPUs=1 / CPUs=4 Gres=gpu:2 /' "$cluster/slurm.conf.new" >"$cluster/slurm.conf"
    touch "$cluster/gpu0" "$cluster/gpu1"
    echo "NodeName=node[1-8] Name=gpu File=$cluster/gpu[0-1]" >"$cluster/gres.conf"
}

within() {
    local seconds=$1 end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || fail "not within $seconds s: $*"
        sleep 0.5
    done
}

database() {
    mariadb --no-defaults --socket="$cluster/db.socket" -e "$1" >/dev/null 2>&1
}

start_accounting() {
    write_configuration "$cluster"
    write_accounting_configuration
    (umask 077 && head -c 1024 /dev/urandom >"$cluster/munge.key")
    munged --force --key-file="$cluster/munge.key" --socket="$cluster/munge.socket" \
        --pid-file="$cluster/munged.pid" --log-file="$cluster/munged.log" --seed-file="$cluster/munge.seed"
    mariadb-install-db --no-defaults --datadir="$cluster/db" --auth-root-authentication-method=socket --skip-test-db \
        --user="$(id -un)" >/dev/null 2>&1
    export MYSQL_UNIX_PORT=$cluster/db.socket
    mariadbd --no-defaults --datadir="$cluster/db" --socket="$cluster/db.socket" --skip-networking \
        --pid-file="$cluster/db.pid" --log-error="$cluster/db.log" --user="$(id -un)" >/dev/null 2>&1 &
    disown
    within 60 database "create database if not exists slurm_accounting"
    slurmdbd 2>"$cluster/slurmdbd.err"
    within 60 sacctmgr -n list cluster >/dev/null 2>&1
    sacctmgr -i add cluster meshreplay >/dev/null 2>&1 || true
    sacctmgr -i add account physics,chemistry >/dev/null 2>&1
    sacctmgr -i add user "$(id -un)" account=physics,chemistry >/dev/null 2>&1
    slurmctld 2>"$cluster/slurmctld.err"
    local node
    for node in "${nodes[@]}"; do
        slurmd -N "$node" 2>"$cluster/$node.err"
    done
    within 60 is_ready
}

# Whether every node waits for work.
is_ready() {
    [ "$(sinfo --noheader --Node --partition=batch --format=%t 2>/dev/null | grep -cx idle)" = "${#nodes[@]}" ]
}

# Submits a job and prints its number.
submit() {
    sbatch --parsable --output=/dev/null "$@"
}

start_accounting
echo "$(sacct --version) with its accounting runs"

# Jobs that need looking after come first. Every job runs for a second at least: of jobs that begin and end within one second, the
# accounting does not tell which came first on a node.
cancelled=$(submit -N1 -t 5 --wrap "sleep 100")
requeued=$(submit -N2 -t 5 --requeue --wrap 'sleep $((90 - 88 * ${SLURM_RESTART_COUNT:-0}))')
submit -N1 -t 1 --job-name="timed|out" --wrap "sleep 300" >/dev/null
submit -N3 -t 0-00:05:00 --wrap "sleep 1; exit 3" >/dev/null
submit -N1 -t 5 : -N2 -n4 --wrap "sleep 2" >/dev/null
waits=$(submit -N8 -t 5 --begin=now+1hour --wrap "sleep 1")
sleep 3
# A run that is requeued before the accounting has heard of it is lost there, as on a busy machine.
is_accounted() {
    sacct -n -P -j "$requeued" -o State 2>/dev/null | grep -qx RUNNING
}
within 60 is_accounted
scontrol requeue "$requeued"
submit -N1 -n1 --array=0-59%6 -t 2 --wrap 'sleep $((SLURM_ARRAY_TASK_ID % 2 + 1))' >/dev/null
submit -N2 -n6 --array=1-19:2 -A chemistry -t 10 --wrap "sleep 1" >/dev/null
for i in $(seq 125); do
    case $((i % 5)) in
    0) submit -N1 -n3 -p small -t 3 --wrap "sleep 1" ;;
    1) submit -N$((i % 4 + 1)) --gres=gpu:2 -t 5 --wrap "srun sleep 1" ;;
    2) submit -N1 -A chemistry -t 1:30 --wrap "sleep 1" ;;
    3) submit -N$((i % 8 + 1)) -t 10 --wrap "sleep $((i % 3 + 1))" ;;
    4) submit -n$((i % 16 + 1)) -t 20 --wrap "sleep 1" ;;
    esac
done >/dev/null 2>&1
sleep 2
scancel "$cancelled"
scancel "$waits"
began=$SECONDS
is_over() {
    [ -z "$(squeue --noheader)" ]
}
within 420 is_over
sleep 3
echo "all jobs ended after $((SECONDS - began)) s"

sacct -a -D -P -o JobID,JobIDRaw,JobName,User,Account,Partition,QOS,Submit,Eligible,Start,End,Elapsed,ElapsedRaw,State,Timelimit,TimelimitRaw,NNodes,AllocCPUS,ReqCPUS,AllocTRES,ReqTRES,NodeList \
    --starttime=now-1day >sacct.txt
sacct -a -D --json --starttime=now-1day >sacct.json 2>sacct.err || { grep -q . sacct.json || rm -f sacct.json; }
cp "$cluster/jobcomp.log" jobcomp.log
scontrol --oneliner show jobs >scontrol.txt
[ -z "${KEEP:-}" ] || cp sacct.txt sacct.json jobcomp.log scontrol.txt "$KEEP"
. "$here/accounting_checks.sh"
echo "passed"
