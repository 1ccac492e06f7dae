//! Words for the outcome of a job.

use crate::formats::slurm::{Fate, fate};
use crate::status::{CANCELLED, COMPLETED, FAILED, UNKNOWN};

/// Words of other systems than Slurm, with the status of the Standard Workload Format.
const WORDS: [(&str, i64); 22] = [
    ("complete", COMPLETED),
    ("completed_successfully", COMPLETED),
    ("pass", COMPLETED),
    ("passed", COMPLETED),
    ("success", COMPLETED),
    ("succeeded", COMPLETED),
    ("finished", COMPLETED),
    ("done", COMPLETED),
    ("ok", COMPLETED),
    ("true", COMPLETED),
    ("completed_failed", FAILED),
    ("completed_walltime_reached", FAILED),
    ("completed_killed", FAILED),
    ("failure", FAILED),
    ("fail", FAILED),
    ("false", FAILED),
    ("error", FAILED),
    ("exited", FAILED),
    ("canceled", CANCELLED),
    ("killed", CANCELLED),
    ("rejected", UNKNOWN),
    ("aborted", FAILED),
];

/// Slurm's numbers for the states of jobs, from 0 on: pending, running, suspended, completed, cancelled,
/// failed, timeout, node failure, preempted, boot failure, deadline, out of memory. Some tables, such as the
/// `job_table` of slurmdbd, have them in place of words.
const STATES: [i64; 12] =
    [UNKNOWN, UNKNOWN, UNKNOWN, COMPLETED, CANCELLED, FAILED, FAILED, FAILED, FAILED, FAILED, FAILED, FAILED];

/// Returns the SWF status for Slurm's number of a state; `None` if unknown.
pub(super) fn status_of_slurm(state: i64) -> Option<i64> {
    STATES.get(usize::try_from(state).ok()?).copied()
}

/// Returns the SWF status for `HTCondor`'s number of a state (`JobStatus`): 3 is removed, 4 completed. In all
/// other states a job has not ended.
pub(super) fn status_of_condor(state: i64) -> i64 {
    match state {
        3 => CANCELLED,
        4 => COMPLETED,
        _ => UNKNOWN,
    }
}

/// Returns true for the word of a job that was ended at its time limit.
pub(super) fn is_timeout(cell: &[u8]) -> bool {
    [&b"TIMEOUT"[..], b"COMPLETED_WALLTIME_REACHED"].iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// Returns the SWF status for a batch system's word, in any case: 1 completed, 0 failed (also by its time
/// limit or its node), 5 cancelled, −1 not ended. `None` for an unknown word. Only the first word counts, as
/// in `CANCELLED by 1000`. Known are Slurm's words, without its ambiguous two-letter codes, and some of other
/// systems.
pub(super) fn status(text: &str) -> Option<i64> {
    let word = text.split(' ').next().unwrap_or_default().to_ascii_uppercase();
    match fate(word.as_bytes()) {
        Fate::Ended(status) if word.len() > 3 => Some(status),
        Fate::Waits | Fate::Runs if word.len() > 3 => Some(UNKNOWN),
        _ => {
            let word = word.trim_end_matches('+');
            WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|&(_, status)| status)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_have_numbers() {
        for (word, number) in [
            ("COMPLETED", Some(1)),
            ("CANCELLED by 1000", Some(5)),
            ("CANCELLED+", Some(5)),
            ("out_of_me+", Some(0)),
            ("Done+", Some(1)),
            ("TIMEOUT", Some(0)),
            ("RUNNING", Some(-1)),
            ("Out_of_memory", Some(0)),
            ("Canceled", Some(5)),
            ("done", Some(1)),
            ("pending", Some(-1)),
            ("F", None),
            ("odd", None),
        ] {
            assert_eq!(status(word), number, "{word}");
        }
    }
}
