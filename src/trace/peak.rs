//! The greatest number of processors that the jobs of a log held at once, which tells how large the machine was.

use super::record::Record;

/// Returns the greatest number of processors that were in use at once by the start and run times of the records; the
/// size of the largest job if no record has both; `None` if no size is known either. Jobs that start when another one
/// ends do not overlap with it. O(n log n).
pub fn peak_procs(records: &[Record]) -> Option<i64> {
    let ran = |record: &&Record| record.submit_s >= 0 && record.wait_s >= 0 && record.run_s > 0;
    // At the start a job adds its processors, at its end it takes them away. Sorted by time, and ends (negative) first.
    let mut changes: Vec<(i64, i64)> = Vec::new();
    for record in records.iter().filter(ran) {
        let Some(procs) = record.procs() else { continue };
        let start_s = record.submit_s.saturating_add(record.wait_s);
        changes.push((start_s, procs));
        changes.push((start_s.saturating_add(record.run_s), -procs));
    }
    changes.sort_unstable();
    let in_use = changes.iter().scan(0_i64, |in_use, (_, change)| {
        *in_use = in_use.saturating_add(*change);
        Some(*in_use)
    });
    in_use.max().into_iter().chain(records.iter().filter_map(Record::procs)).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_that_overlap_add_up() {
        let job = |submit_s, wait_s, run_s, allocated_procs| Record {
            submit_s,
            wait_s,
            run_s,
            allocated_procs,
            ..Record::UNKNOWN
        };
        let records =
            [job(0, 0, 10, 4), job(0, 10, 5, 3), job(5, 6, 2, 2), job(3, -1, 9, 5), job(9, 0, 1, -1)];
        assert_eq!(peak_procs(&records), Some(5), "3 and 2 overlap; the 5 alone are as many");
        assert_eq!(peak_procs(&records[..2]), Some(4));
        assert_eq!(peak_procs(&records[4..]), None);
        assert_eq!(peak_procs(&[]), None);
    }
}
