//! Logs and outputs of other programs that are recognised and cannot be read.

/// A kind of file that is recognised by its first line.
struct UnreadableKind {
    is: fn(&str) -> bool,
    /// Kind of the file, such as `a history of HTCondor`.
    kind: &'static str,
    /// How to make a log of it.
    remedy: &'static str,
}

/// Every kind, the narrowest first.
const KINDS: [UnreadableKind; 11] = [
    UnreadableKind {
        is: |line| {
            line.starts_with("replay,seed,job,submit_s,")
                || line.trim_start_matches('[').starts_with("{\"replay\":0,\"seed\":")
        },
        kind: "a table of results of meshreplay",
        remedy: "meshreplay export FILE --to swf -o NAME.swf writes one of its replays as a log",
    },
    UnreadableKind {
        is: |line| is_event_of_lsf(line),
        kind: "an event file of LSF (lsb.events)",
        remedy: "lsb.acct has the jobs that finished",
    },
    UnreadableKind {
        is: |line| line.starts_with("-dt ") && line.contains(" -e "),
        kind: "a list of events for the Slurm simulator",
        remedy: "it has no starts and ends; replay the accounting of the simulation, as sacct -a -X -P \
             prints it",
    },
    UnreadableKind {
        is: is_event_of_moab,
        kind: "an event log of Moab or Maui",
        remedy: "the accounting files of its resource manager (PBS, Slurm) have the same jobs; or write them \
             as CSV",
    },
    UnreadableKind {
        is: is_trace_of_moab,
        kind: "a workload trace of Moab or Maui",
        remedy: "the accounting files of its resource manager (PBS, Slurm) have the same jobs; or write them \
             as CSV",
    },
    UnreadableKind {
        is: |line| {
            let known = ["MyType = ", "ClusterId = ", "ProcId = ", "GlobalJobId = ", "*** Offset = "];
            known.iter().any(|attribute| line.starts_with(attribute))
        },
        kind: "a history of HTCondor",
        remedy: "write its jobs as CSV: condor_history -af:h, ClusterId QDate JobCurrentStartDate \
             CompletionDate RequestCpus",
    },
    UnreadableKind {
        is: |line| line.starts_with("%EventDef"),
        kind: "a trace in the format Pajé",
        remedy: "replay the table of jobs that the same program wrote",
    },
    UnreadableKind {
        is: |line| line.len() > 20 && line.bytes().all(|byte| byte == b'='),
        kind: "the output of qacct -j",
        remedy: "replay the accounting file that it reads, SGE_ROOT/SGE_CELL/common/accounting",
    },
    UnreadableKind {
        is: |line| line.starts_with("job-ID ") || line.starts_with("Job id ") || line.starts_with("Job ID "),
        kind: "the output of qstat, which has the jobs of the moment",
        remedy: "replay the accounting files of the batch system",
    },
    UnreadableKind {
        is: |line| line.starts_with("JOBID ") && line.contains(" FROM_HOST "),
        kind: "the output of bjobs, which has the jobs of the moment",
        remedy: "replay lsb.acct",
    },
    UnreadableKind {
        is: |line| line.starts_with("<?xml") || line.starts_with("<Data") || line.starts_with("<Jobs"),
        kind: "XML",
        remedy: "get the accounting as text, or write it as CSV",
    },
];

/// Identifies an unreadable log by its first line, with a remedy; `None` if unknown.
pub(super) fn unread(line: &[u8]) -> Option<(&'static str, &'static str)> {
    let text = String::from_utf8_lossy(line);
    let text = text.trim();
    KINDS.iter().find(|row| (row.is)(text)).map(|row| (row.kind, row.remedy))
}

/// Returns whether a line is an event of LSF: a word in quotes, the version in quotes, and a time.
fn is_event_of_lsf(line: &str) -> bool {
    let mut words = line.splitn(4, ' ');
    let [kind, version, time] = [words.next(), words.next(), words.next()].map(Option::unwrap_or_default);
    let is_kind = |kind: &str| kind.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
    let quoted = |word: &'_ str| word.strip_prefix('"').and_then(|word| word.strip_suffix('"')).map(str::len);
    quoted(kind).is_some_and(|length| length > 2)
        && is_kind(kind.trim_matches('"'))
        && quoted(version).is_some()
        && is_digits(time)
}

/// Returns whether a line is an event of Moab or Maui, such as `11:10:02 1039100402:5 job 1293 JOBEND …`.
fn is_event_of_moab(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().take(5).collect();
    let [clock, stamp, "job" | "node" | "sched" | "rsv", _, event] = words.as_slice() else { return false };
    let is_clock = clock.len() == 8 && clock.bytes().all(|byte| byte.is_ascii_digit() || byte == b':');
    let is_event = event.bytes().all(|byte| byte.is_ascii_uppercase());
    is_clock && is_event && stamp.split(':').all(is_digits)
}

/// Returns whether a line is a job of a workload trace of Moab or Maui: its version, or a job with its state
/// and its class in brackets.
fn is_trace_of_moab(line: &str) -> bool {
    let words: Vec<&str> = line.split_whitespace().collect();
    let states = ["Completed", "Removed", "Cancelled", "Vacated", "Deferred", "NotQueued", "Idle", "Running"];
    let is_version = |word: &&str| word.chars().all(|c| c.is_ascii_digit() || c == '.');
    match words.as_slice() {
        ["VERSION", version] => is_version(version),
        words => {
            let has_state = words.get(6).is_some_and(|word| states.contains(word));
            let has_class = words.get(7).is_some_and(|word| word.starts_with('[') && word.ends_with(']'));
            words.len() >= 20 && has_state && has_class
        }
    }
}

/// Returns whether a text has digits and nothing else.
fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_other_programs_are_named() {
        for (line, kind) in [
            ("\"JOB_NEW\" \"10.1\" 1389640000 501 2201", "lsb.events"),
            (
                "-dt 0 -e submit_batch_job | -J jobid_1001 -sim-walltime 0 --uid=user5 -n 12",
                "Slurm simulator",
            ),
            ("11:10:02 1039100402:5 job 1293 JOBEND 0 16 anna", "event log of Moab"),
            ("VERSION 400", "workload trace of Moab"),
            (
                "cluster.1 4 8 anna staff 3600 Completed [batch:1] 1 2 3 4 [NONE] [NONE] [NONE] >= 0 >= 0 \
                     [NONE] 1",
                "workload trace of Moab",
            ),
            ("ClusterId = 12", "HTCondor"),
            ("%EventDef PajeDefineContainerType 0", "Pajé"),
            ("==============================================================", "qacct"),
            ("job-ID  prior   name       user         state submit/start at", "qstat"),
            ("JOBID   USER    STAT  QUEUE      FROM_HOST   EXEC_HOST   JOB_NAME   SUBMIT_TIME", "bjobs"),
            ("replay,seed,job,submit_s,start_s,end_s", "results of meshreplay"),
            ("[{\"replay\":0,\"seed\":1,\"job\":1}]", "results of meshreplay"),
            ("<?xml version=\"1.0\"?>", "XML"),
        ] {
            let found = unread(line.as_bytes()).map(|row| row.0).unwrap_or_default();
            assert!(found.contains(kind), "{line}: {found}");
        }
        for line in [
            "1 0 -1 60 4 -1 -1 4 90 -1 1 1 1 -1 -1 -1 -1 -1",
            "submit,run,procs",
            "\"JobID\",\"Submit\"",
            "{",
            "{\"jobs\": []}",
            "[{\"submit\": 1, \"run\": 2}]",
            "{\"submit\": 1, \"run\": 2}",
            "VERSION",
        ] {
            assert_eq!(unread(line.as_bytes()), None, "{line}");
        }
    }
}
