//! Every defect is found on its line.

use super::*;
use std::io::Write;

type Found = Vec<(Defect, u64, Option<u64>)>;

fn findings(text: &str, lenient: bool) -> Result<(Found, u64), Box<dyn std::error::Error>> {
    let mut file = tempfile::NamedTempFile::new()?;
    file.write_all(text.as_bytes())?;
    let report = validate_within(file.path(), ReadOptions { lenient, ..ReadOptions::default() }, 2, 40)?;
    let errors = report.count(Severity::Error);
    let row =
        |tally: Tally| (tally.defect, tally.count, tally.shown.first().and_then(|finding| finding.line));
    Ok((report.tallies.into_iter().map(row).collect(), errors))
}

fn job(number: i64, submit_s: i64, run_s: i64, procs: i64, requested_s: i64, status: i64) -> String {
    format!("{number} {submit_s} -1 {run_s} {procs} -1 -1 -1 {requested_s} -1 {status} 1 1 -1 -1 -1 -1 -1\n")
}

#[test]
fn a_sound_log_has_no_findings() -> Result<(), Box<dyn std::error::Error>> {
    let text = format!("; MaxProcs: 8\n; MaxJobs: 2\n{}{}", job(1, 0, 5, 8, 5, 1), job(2, 0, 5, 1, -1, 5));
    assert_eq!(findings(&text, false)?, (vec![], 0));
    Ok(())
}

#[test]
fn every_defect_is_found_on_its_line() -> Result<(), Box<dyn std::error::Error>> {
    let text = [
        "; MaxProcs: 8\n; MaxJobs: 99\n".to_owned(),
        job(5, 50, 5, 8, 5, 1),
        "1 2 3\n".to_owned(),
        job(6, 60, 5, 8, 5, 1).replacen("60", "6x", 1),
        job(7, 60, 5, 8, 5, 1).replacen("60", "99999999999999999999", 1),
        job(8, -1, 5, 9, 5, 1),
        job(8, 60, 6, 0, 5, 7),
        job(8, 60, 6, 1, 6, 3).replace('\n', " 0\r\n"),
        job(4, 60, -1, 1, 5, 1).replace(' ', "\t"),
        "\n; late\n".to_owned(),
        job(9, 60, 0, 1, 5, 1).trim_end().to_owned(),
    ]
    .concat();
    let expected = vec![
        (Defect::TOO_FEW_FIELDS, 1, Some(4)),
        (Defect::NOT_A_NUMBER, 1, Some(5)),
        (Defect::OUT_OF_RANGE, 1, Some(6)),
        (Defect::NEGATIVE_SUBMIT, 1, Some(7)),
        (Defect::LARGER_THAN_MACHINE, 1, Some(7)),
        (Defect::DUPLICATE_JOB, 1, Some(8)),
        (Defect::RECORD_COUNT, 1, None),
        (Defect::TOO_MANY_FIELDS, 1, Some(9)),
        (Defect::SUBMIT_DESCENT, 1, Some(7)),
        (Defect::JOB_DESCENT, 1, Some(10)),
        (Defect::NO_PROCS, 1, Some(8)),
        (Defect::NO_RUN, 1, Some(10)),
        (Defect::ZERO_RUN, 1, Some(13)),
        (Defect::RUN_ABOVE_REQUEST, 1, Some(8)),
        (Defect::ODD_STATUS, 1, Some(8)),
        (Defect::LATE_COMMENT, 1, Some(12)),
        (Defect::BLANK_LINE, 1, Some(11)),
        (Defect::TABS, 1, None),
        (Defect::CARRIAGE_RETURNS, 1, None),
        (Defect::UNTERMINATED, 1, None),
    ];
    assert_eq!(findings(&text, false)?, (expected, 6));
    assert_eq!(findings(&text, true)?.1, 3);
    Ok(())
}

#[test]
fn a_missing_machine_is_found_and_few_are_shown() -> Result<(), Box<dyn std::error::Error>> {
    let text: String = (1..=5).map(|number| job(number, 0, 0, 1, -1, 1)).collect();
    assert_eq!(findings(&text, false)?.0, [(Defect::NO_MACHINE, 1, None), (Defect::ZERO_RUN, 5, Some(1))]);
    Ok(())
}

#[test]
fn runs_that_end_twice_are_told_from_requeued_ones() -> Result<(), Box<dyn std::error::Error>> {
    let at = |hour: i64, job: i64, state: &str| {
        format!("{job}|2024-05-01T10:00:00|2024-05-01T{hour}:00:00|2024-05-01T{hour}:10:00|{state}|3\n")
    };
    let run = |job: i64, state: &str| at(10, job, state);
    let again =
        [at(11, 2, "COMPLETED"), at(11, 22, "CANCELLED"), at(11, 4, "COMPLETED"), at(12, 22, "FAILED")];
    let again = again.concat();
    // Gaps soon exceed the limit of runs in memory: sooner for all jobs than for ended jobs.
    for jobs in [11, 43, 200] {
        let state = |i: i64| if i % 11 == 0 { "NODE_FAIL" } else { "COMPLETED" };
        let dump: String = (1..=jobs).map(|i| run(2 * i, state(i))).collect();
        let text = format!("JobID|Submit|Start|End|State|NNodes\n{dump}{again}");
        let found = findings(&text, false)?.0;
        let count = |wanted: Defect| found.iter().find(|(defect, ..)| *defect == wanted).map(|found| found.1);
        let counts = [Defect::DUPLICATE_JOB, Defect::REPEATED_JOB].map(count);
        assert_eq!(counts, [Some(2), Some(2)], "{jobs} jobs: {found:?}");
    }
    Ok(())
}
