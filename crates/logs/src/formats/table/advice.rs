//! Advice on a first line that is no known heading.

/// Identifies the text and gives a remedy; `None` if unknown. `cells` are the cells of the first line, and
/// `is_instant` recognises dates.
pub(super) fn advice(
    line: &[u8],
    cells: &[String],
    is_instant: impl FnMut(&String) -> bool,
) -> Option<&'static str> {
    let text = String::from_utf8_lossy(line);
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let has = |word: &str| text.split_whitespace().any(|known| known == word);
    if first.starts_with("JobId=") {
        Some("scontrol prints the jobs of the moment; sacct -a -X -P prints a log")
    } else if first == "JOBID" && (has("ST") || has("STATE")) {
        Some("squeue prints jobs that have not ended; sacct -a -X -P prints a log")
    } else if first.eq_ignore_ascii_case("JobID") && cells.len() == words.count() + 1 {
        Some("if sacct has printed this, print it again with sacct -P")
    } else if cells.iter().any(is_instant) {
        Some("the first line looks like a job, so the heading is missing (sacct -n leaves it out)")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn well_known_outputs_are_recognised() {
        for (line, expected) in [
            ("JobId=5 JobName=a", "scontrol"),
            ("JOBID PARTITION NAME USER ST TIME NODES NODELIST(REASON)", "squeue"),
            ("JobID           JobName  Partition", "sacct -P"),
            ("5 date x", "heading is missing"),
            ("when begin_at size_of", ""),
            ("JobID,When", ""),
        ] {
            let cells: Vec<String> =
                line.split([' ', ',']).filter(|cell| !cell.is_empty()).map(str::to_owned).collect();
            let found = advice(line.as_bytes(), &cells, |cell| cell == "date").unwrap_or_default();
            assert!(found.contains(expected) && found.is_empty() == expected.is_empty(), "{line}: {found}");
        }
    }
}
