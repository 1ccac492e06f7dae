# A cluster on this machine for tests, sourced by run.sh: munge, a controller and three nodes that are processes, all of
# this user and below one directory, whatever else runs here. Needs Slurm's and munge's programs only.

nodes=(one two three)

# Whether nobody listens to this port.
is_free() {
    ! (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

# The first of as many free ports in a row as the controller and the nodes need.
find_ports() {
    local port other
    for port in $(shuf -i 20000-29000 -n 50); do
        for other in $(seq "$port" $((port + ${#nodes[@]}))); do
            is_free "$other" || continue 2
        done
        echo "$port"
        return
    done
    echo "no free ports" >&2
    return 1
}

# Writes slurm.conf into the directory. Timeouts are short: a node is given up within half a minute, and a requeued task waits 5 s.
write_configuration() {
    local directory=$1 user host port node
    user=$(id -un)
    host=$(hostname)
    port=$(find_ports)
    cat >"$directory/slurm.conf" <<CONFIGURATION
ClusterName=meshreplay
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$directory/munge.socket,cred_expire=5
StateSaveLocation=$directory/state
SlurmdSpoolDir=$directory/spool.%n
SlurmctldPidFile=$directory/slurmctld.pid
SlurmdPidFile=$directory/slurmd.%n.pid
SlurmctldLogFile=$directory/slurmctld.log
SlurmdLogFile=$directory/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/linear
SlurmdParameters=config_overrides
ReturnToService=2
JobRequeue=1
SlurmdTimeout=4
KillWait=2
PartitionName=batch Nodes=ALL Default=YES MaxTime=60 State=UP
CONFIGURATION
    for node in "${nodes[@]}"; do
        port=$((port + 1))
        echo "NodeName=$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$port CPUs=1 State=UNKNOWN"
    done >>"$directory/slurm.conf"
}

# Whether every node waits for work.
is_ready() {
    [ "$(sinfo --noheader --Node --format=%t 2>/dev/null | grep -cx idle)" = "${#nodes[@]}" ]
}

# Starts the daemons; every one of them, and every job, has SLURM_CONF in its environment.
start_cluster() {
    local directory=$1 node
    export SLURM_CONF=$directory/slurm.conf
    mkdir -p "$directory/state"
    write_configuration "$directory"
    (umask 077 && head -c 1024 /dev/urandom >"$directory/munge.key")
    munged --force --key-file="$directory/munge.key" --socket="$directory/munge.socket" \
        --pid-file="$directory/munged.pid" --log-file="$directory/munged.log" --seed-file="$directory/munge.seed"
    slurmctld
    for node in "${nodes[@]}"; do
        slurmd -N "$node"
    done
    for _ in $(seq 60); do
        is_ready && return
        sleep 0.5
    done
    echo "the cluster does not start:" >&2
    tail -n 5 "$directory"/*.log >&2
    return 1
}

# The processes that have all of these in their environment, except the caller.
processes_with() {
    local process wanted
    for process in /proc/[0-9]*; do
        process=${process#/proc/}
        [ "$process" != $$ ] && [ "$process" != "$BASHPID" ] || continue
        for wanted in "$@"; do
            grep -qszxF "$wanted" "/proc/$process/environ" || continue 2
        done
        echo "$process"
    done
}

# Ends a node as a power failure does: its daemon, then what watches its tasks, which would report their end, then them.
kill_node() {
    local tasks task parent
    kill -9 "$(cat "$1/slurmd.$2.pid")"
    tasks=$(processes_with "SLURM_CONF=$1/slurm.conf" "SLURMD_NODENAME=$2")
    for task in $tasks; do
        parent=$(sed -n 's/^PPid:\t//p' "/proc/$task/status")
        if [ "$(cat "/proc/$parent/comm")" = slurmstepd ]; then
            kill -9 "$parent"
        fi
    done
    [ -n "$tasks" ] && kill -9 $tasks
}

# Ends the processes of this cluster and no others: those with its slurm.conf in their environment.
stop_cluster() {
    local process
    for process in $(processes_with "SLURM_CONF=$1/slurm.conf"); do
        kill -9 "$process" 2>/dev/null || true
    done
}
