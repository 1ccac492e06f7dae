//! How jobs ended, in words.

use crate::trace::formats::slurm::{Fate, fate};
use crate::trace::status::{CANCELLED, COMPLETED, FAILED, UNKNOWN};

/// Words of other systems than Slurm, with the status of the Standard Workload Format.
const WORDS: [(&str, i64); 14] = [
    ("complete", COMPLETED),
    ("success", COMPLETED),
    ("succeeded", COMPLETED),
    ("finished", COMPLETED),
    ("done", COMPLETED),
    ("ok", COMPLETED),
    ("true", COMPLETED),
    ("failure", FAILED),
    ("fail", FAILED),
    ("false", FAILED),
    ("error", FAILED),
    ("exited", FAILED),
    ("canceled", CANCELLED),
    ("killed", CANCELLED),
];

/// Returns the status of the Standard Workload Format for a word of a batch system, in any case: 1 for a job that
/// completed, 0 for one that failed (also by its time limit or its node), 5 for one that was cancelled, −1 for one that
/// has not ended. `None` for an unknown word. Only the first word counts, as in `CANCELLED by 1000`. The words are those
/// of Slurm, but not its codes of two letters, which are others elsewhere, and some of other systems.
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
