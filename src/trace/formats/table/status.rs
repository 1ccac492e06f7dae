//! How jobs ended, in words.

/// Returns the status of the Standard Workload Format for a word of a batch system, in any case: 1 for a job that
/// completed, 0 for one that failed (also by its time limit or its node), 5 for one that was cancelled, −1 for one that
/// has not ended. `None` for an unknown word. Only the first word counts, as in `CANCELLED by 1000`.
pub(in crate::trace) fn status(text: &str) -> Option<i64> {
    const WORDS: [(&str, i64); 25] = [
        ("completed", 1),
        ("complete", 1),
        ("success", 1),
        ("succeeded", 1),
        ("finished", 1),
        ("done", 1),
        ("ok", 1),
        ("true", 1),
        ("failed", 0),
        ("failure", 0),
        ("fail", 0),
        ("false", 0),
        ("error", 0),
        ("timeout", 0),
        ("node_fail", 0),
        ("out_of_memory", 0),
        ("boot_fail", 0),
        ("deadline", 0),
        ("preempted", 0),
        ("cancelled", 5),
        ("canceled", 5),
        ("killed", 5),
        ("revoked", 5),
        ("running", -1),
        ("pending", -1),
    ];
    let word = text.split([' ', '+']).next().unwrap_or_default();
    WORDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(word)).map(|&(_, status)| status)
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
            ("TIMEOUT", Some(0)),
            ("RUNNING", Some(-1)),
            ("odd", None),
        ] {
            assert_eq!(status(word), number, "{word}");
        }
    }
}
