# Sourced by accounting.sh in the directory that holds sacct.txt, sacct.json, jobcomp.log and scontrol.txt of one run.

# Prints number, submit, wait, run, nodes, limit and status of the jobs of a log that had nodes, sorted.
jobs_of() {
    "$program" trace convert "$1" "$1.swf" --force >"$1.said" 2>&1 || { cat "$1.said" >&2; fail "$1 cannot be read"; }
    "$program" trace info "$1" | grep -q "^log .*($2, " || fail "$1 is not recognised as $2"
    awk '!/^;/ && $5 > 0 { print $1, $2, $3, $4, $5, $9, $11 }' "$1.swf" | sort >"$1.jobs"
    [ "$(wc -l <"$1.jobs")" -ge 200 ] || fail "$1 has only $(wc -l <"$1.jobs") jobs"
}

jobs_of sacct.txt sacct
echo "sacct -P: $(wc -l <sacct.txt.jobs) jobs"
jobs_of jobcomp.log slurm-jobcomp
# The log is written when a job ends for good; what sacct has beyond it are runs that were requeued.
diff sacct.txt.jobs jobcomp.log.jobs >difference || true
if grep -q '^>' difference || [ "$(grep -c '^<' difference || true)" -gt 1 ]; then
    head -n 20 difference >&2
    fail "sacct and the log of job completions differ"
fi
echo "log of job completions: the same jobs; requeued runs that it lacks: $(grep -c "^<" difference || true)"
if [ -e sacct.json ]; then
    jobs_of sacct.json slurm-json
    diff sacct.txt.jobs sacct.json.jobs >&2 || fail "sacct -P and sacct --json differ"
    echo "sacct --json: the same jobs"
else
    echo "skipped: this sacct has no --json"
fi

# Number, start, end and nodes of every job that scontrol knows to have run, against those of the converted log.
origin=$(sed -n 's/^; *UnixStartTime: *//p' sacct.txt.swf)
awk '!/^;/ && $5 > 0 { print $1, '"$origin"' + $2 + $3, '"$origin"' + $2 + $3 + $4, $5 }' sacct.txt.swf | sort >told
awk '
    function instant(text) { gsub(/[-T:]/, " ", text); return mktime(text) }
    {
        delete value
        for (i = 1; i <= NF; i++) if (match($i, /=/)) value[substr($i, 1, RSTART - 1)] = substr($i, RSTART + 1)
        if (value["NodeList"] != "" && value["NodeList"] != "(null)" && value["StartTime"] != "Unknown")
            print value["JobId"], instant(value["StartTime"]), instant(value["EndTime"]), value["NumNodes"]
    }' scontrol.txt | sort >known
[ "$(wc -l <known)" -ge 200 ] || fail "scontrol knows only $(wc -l <known) jobs"
comm -13 told known >missing
[ ! -s missing ] || { head missing >&2; fail "scontrol tells other starts, ends or nodes"; }
echo "scontrol: the same starts, ends and nodes of $(wc -l <known) jobs"

# The replay of what really happened: no job starts later than it did, and starts and ends are those of the accounting.
"$program" replay sacct.txt --machine 8 --scheduler recorded --allocator naive --no-timing --format csv -o recorded >said 2>&1 ||
    { cat said >&2; fail "the recorded schedule cannot be replayed"; }
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    { printf "%d %.0f %.0f\n", $at["job"], $at["start_s"] - $at["submit_s"], $at["end_s"] - $at["start_s"] }' recorded/jobs.csv | sort >replayed
awk '!/^;/ && $5 > 0 { print $1, $3, $4 }' sacct.txt.swf | sort | diff - replayed >&2 || fail "the replay of the recorded schedule differs"
echo "replay --scheduler recorded: the same waits and run times of $(wc -l <replayed) jobs"

# The same with the nodes: by a node map in which the nodes are in no order, every job of the replay has the nodes that sacct and
# scontrol name. Nodes of a log are named by ranges (node[2-3,7]), those of a replay are intervals of numbers (0-1 5).
printf 'node,y,x\nnode3,0,0\nnode8,0,1\nnode1,0,2\nnode6,0,3\nnode2,1,0\nnode5,1,1\nnode7,1,2\nnode4,1,3\n' >map.csv
"$program" replay sacct.txt --machine 4x2 --scheduler recorded --allocator recorded --node-map map.csv --placements --no-timing --format csv \
    -o placed >said 2>&1 || { cat said >&2; fail "the recorded nodes cannot be replayed"; }
spell_out() {
    while IFS='|' read -r job start end list; do
        echo "$job $start $end $(scontrol show hostnames "$list" | sort | paste -sd,)"
    done | sort
}
# Names of jobs may have bars, so that columns behind them are counted from the end of the line.
awk -F'|' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i - NF; job = at["JobIDRaw"] + NF; next }
    {
        start = $(NF + at["Start"]); list = $(NF + at["NodeList"])
        if ($job !~ /[.]/ && list != "None assigned" && start !~ /None|Unknown/)
            print $job "|" start "|" $(NF + at["End"]) "|" list
    }' sacct.txt |
    while IFS='|' read -r job start end list; do echo "$job|$(date -d "$start" +%s)|$(date -d "$end" +%s)|$list"; done | spell_out >listed
awk -F, -v origin="$origin" '
    FNR == NR { if (FNR > 1) name[4 * $2 + $3] = $1; next }
    FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
    {
        printf "%d|%.0f|%.0f|", $at["job"], origin + $at["start_s"], origin + $at["end_s"]
        runs = split($at["nodes"], run, " ")
        for (i = 1; i <= runs; i++) {
            if (split(run[i], ends, "-") == 1) ends[2] = ends[1]
            for (node = ends[1]; node <= ends[2]; node++) printf "%s%s", (i == 1 && node == ends[1]) ? "" : ",", name[node]
        }
        print ""
    }' map.csv placed/jobs.csv | spell_out >given
diff listed given >&2 || fail "the replay of the recorded nodes differs from sacct"
[ "$(wc -l <given)" -ge 200 ] || fail "the replay of the recorded nodes has only $(wc -l <given) jobs"
echo "replay --allocator recorded: the same starts, ends and nodes of $(wc -l <given) jobs as sacct tells"
awk '
    function instant(text) { gsub(/[-T:]/, " ", text); return mktime(text) }
    {
        delete value
        for (i = 1; i <= NF; i++) if (match($i, /=/)) value[substr($i, 1, RSTART - 1)] = substr($i, RSTART + 1)
        if (value["NodeList"] != "" && value["NodeList"] != "(null)" && value["StartTime"] != "Unknown")
            print value["JobId"] "|" instant(value["StartTime"]) "|" instant(value["EndTime"]) "|" value["NodeList"]
    }' scontrol.txt | spell_out >shown
comm -13 given shown >missing
[ ! -s missing ] || { head missing >&2; fail "scontrol tells other nodes"; }
echo "replay --allocator recorded: the same starts, ends and nodes of $(wc -l <shown) jobs as scontrol tells"
