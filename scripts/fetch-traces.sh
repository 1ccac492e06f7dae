#!/usr/bin/env bash
# Fetches logs of the Parallel Workloads Archive by name and checks them against traces/checksums.tsv.
set -euo pipefail

usage() {
    cat <<'TEXT'
Usage: scripts/fetch-traces.sh [OPTIONS] LOG...
       scripts/fetch-traces.sh [OPTIONS] --all
       scripts/fetch-traces.sh --list

Fetches logs of the Parallel Workloads Archive as LOG.swf.gz and verifies them. A log that is
there already and intact is not fetched again. Publications that use a log should acknowledge
the archive and the people who contributed it; the log's own header names them.

  --list         print the logs known, with their jobs and processors
  --all          fetch all of them
  --into DIR     where to put them (default: traces/archive of the project)
  --base URL     fetch from a mirror: URL/FOLDER/LOG.swf.gz
  --table FILE   logs and checksums of your own: lines 'LOG <tab> FOLDER <tab> SHA256'
  --with TOOL    curl or wget (default: whichever is there, curl first)
  --seconds N    give a log up after N seconds (default: 1800)
  --bytes N      refuse logs of more than N bytes, compressed (default: 2000000000)
  -h, --help     print this

Exit codes: 0 all logs are there, 1 some are not, 2 wrong usage.
TEXT
}

complain() { printf 'fetch-traces: %s\n' "$*" >&2; }
reject() { complain "$*; --help explains"; exit 2; }

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
base=https://www.cs.huji.ac.il/labs/parallel/workload
table=$root/traces/checksums.tsv
into=$root/traces/archive
tool=
seconds=1800
bytes=2000000000
action=fetch
logs=()

while (($# > 0)); do
    case $1 in
        --base | --into | --table | --with | --seconds | --bytes)
            (($# > 1)) && [[ -n $2 ]] || reject "$1 needs a value"
            case $1 in
                --base) base=${2%/} ;;
                --into) into=$2 ;;
                --table) table=$2 ;;
                --with) tool=$2 ;;
                --seconds) seconds=$2 ;;
                --bytes) bytes=$2 ;;
            esac
            shift
            ;;
        --list) action=list ;;
        --all) action=all ;;
        -h | --help)
            usage
            exit 0
            ;;
        -*) reject "unknown option '$1'" ;;
        *) logs+=("${1%.swf.gz}") ;;
    esac
    shift
done
for number in "$seconds" "$bytes"; do
    [[ $number =~ ^[1-9][0-9]{0,14}$ ]] || reject "--seconds and --bytes take whole numbers from 1 on, not '$number'"
done
[[ -r $table ]] || reject "cannot read the table '$table'"

if [[ $action == list ]]; then
    awk -F '\t' '!/^#/ && NF { printf "%-28s %8s jobs %6s processors\n", $1, $5, $6 }' "$table"
    exit 0
fi
if [[ $action == all ]]; then
    while IFS=$'\t' read -r log _; do
        [[ -z $log || $log == '#'* ]] || logs+=("$log")
    done <"$table"
fi
((${#logs[@]} > 0)) || reject "no log is named; --list shows those known"

has() { command -v "$1" >/dev/null 2>&1; }
if [[ -z $tool ]]; then
    if has curl; then tool=curl; elif has wget; then tool=wget; else reject "neither curl nor wget is installed"; fi
fi
[[ $tool == curl || $tool == wget ]] || reject "--with takes curl or wget, not '$tool'"
has "$tool" || reject "$tool is not installed"
if has sha256sum; then sum=(sha256sum); elif has shasum; then sum=(shasum -a 256); else reject "neither sha256sum nor shasum is installed"; fi

mkdir -p -- "$into"
scratch=$(mktemp -d "$into/.fetch-XXXXXX")
trap 'rm -rf -- "$scratch"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# Prints the checksum of the text in a gzip file; fails if the file is damaged.
checksum() {
    local line
    line=$(gzip -dc -- "$1" 2>/dev/null | "${sum[@]}") || return 1
    printf '%s\n' "${line%% *}"
}

# Runs a command for $seconds at most; the files that it writes have $bytes at most. Says in $scratch/limit if it was ended for that.
limited() {
    local code=0
    (
        ulimit -f $((bytes / 1024 + 1)) # in blocks of 1024 bytes; a longer write ends the command with SIGXFSZ
        exec "$@"
    ) &
    local worker=$!
    # The sleeper holds no output open, which whoever reads ours would wait for.
    (
        sleep "$seconds" &
        trap 'kill $!' TERM
        wait $! && kill "$worker"
    ) >/dev/null 2>&1 &
    local sleeper=$!
    wait "$worker" 2>/dev/null || code=$?
    kill "$sleeper" 2>/dev/null || true
    case $code in
        143) printf 'given up after %s seconds (--seconds)' "$seconds" >"$scratch/limit" ;;
        153) printf 'more than %s bytes (--bytes)' "$bytes" >"$scratch/limit" ;;
    esac
    return "$code"
}

# download URL FILE: prints the HTTP status, or 000 if there was no answer; details go to $scratch/message.
download() {
    local status=
    rm -f -- "$scratch/limit"
    case $tool in
        curl)
            status=$(limited curl --silent --show-error --location --connect-timeout 30 --retry 2 \
                --output "$2" --write-out '%{http_code}' -- "$1" 2>"$scratch/message") || status=000
            ;;
        wget)
            if limited wget --server-response --timeout=30 --tries=3 --output-document="$2" -- "$1" 2>"$scratch/message"; then
                status=200
            else
                # Without a status, or after a 200 that broke off, the transfer itself failed.
                status=$(awk '/^ *HTTP\// { code = $2 } END { print code }' "$scratch/message")
                [[ -n $status && $status != 2* ]] || status=000
            fi
            ;;
    esac
    [[ ! -e $scratch/limit ]] || status=000
    printf '%s\n' "$status"
}

# fetch LOG: puts one log into place, or says why not and fails.
fetch() {
    local log=$1 folder expected url status found
    local place=$into/$log.swf.gz file=$scratch/log.gz
    # A name that led elsewhere would be written there.
    if [[ ! $log =~ ^[A-Za-z0-9][A-Za-z0-9._+-]*$ ]]; then
        complain "'${log//[^[:print:]]/?}' is no name of a log: names have letters, digits, dots, hyphens, + and _"
        return 1
    fi
    IFS=$'\t' read -r folder expected < <(
        awk -F '\t' -v log_name="$log" '$1 == log_name { print $2 "\t" $3; exit }' "$table"
    ) || true
    if [[ -z ${expected:-} ]]; then
        complain "$log: no such log in $table; --list shows those known"
        return 1
    fi
    if [[ -f $place ]]; then
        if [[ $(checksum "$place" || true) == "$expected" ]]; then
            printf '%s: already there\n' "$place"
            return 0
        fi
        complain "$place is there but is not the log expected; fetching it again"
    fi
    url=$base/$folder/$log.swf.gz
    status=$(download "$url" "$file")
    case $status in
        200) ;;
        404 | 410)
            complain "$log: gone, HTTP status $status from $url; look for a newer version there, or give a mirror with --base"
            return 1
            ;;
        000)
            complain "$log: no complete answer from $url: $(cat "$scratch/limit" 2>/dev/null || tail -n 1 "$scratch/message" 2>/dev/null)"
            return 1
            ;;
        *)
            complain "$log: HTTP status $status from $url"
            return 1
            ;;
    esac
    if ! found=$(checksum "$file"); then
        complain "$log: what $url sends is no intact gzip file"
        return 1
    fi
    if [[ $found != "$expected" ]]; then
        complain "$log: wrong checksum, the log at $url has changed: SHA-256 of the text is $found, expected $expected"
        return 1
    fi
    chmod 644 -- "$file"
    mv -f -- "$file" "$place"
    printf '%s: fetched, checksum verified\n' "$place"
}

failed=0
for log in "${logs[@]}"; do
    fetch "$log" || failed=$((failed + 1))
    rm -f -- "$scratch/log.gz"
done
if ((failed > 0)); then
    complain "$failed of ${#logs[@]} logs not fetched"
    exit 1
fi
