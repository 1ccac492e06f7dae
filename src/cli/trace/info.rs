//! `meshreplay trace info`: what a log holds.

use std::fmt::Write;

use clap::ValueEnum;

use super::{Failure, Input};
use crate::cli::print;
use crate::trace::{Profile, Quantiles};

/// Prints what a log holds: jobs, machine, span, load, sizes, run times, what is missing and what is odd
///
/// All of it is about the log as recorded, before any rule has chosen jobs from it. The size of a job is its allocated
/// processors or, where they are unknown, the requested ones. The offered load is the work (size × run time) over what
/// the machine could do between the first and the last submit time. Quantiles are by nearest rank.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    input: Input,

    /// How to print it
    #[arg(long, value_enum, default_value_t = Style::Table)]
    format: Style,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Style {
    Table,
    Json,
}

/// Profiles the log and prints the profile.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let profile = Profile::of(&args.input.log, args.input.options())?;
    match args.format {
        Style::Table => print(&table(&profile)),
        Style::Json => print(&format!("{}\n", serde_json::to_string_pretty(&profile)?)),
    }
}

fn table(p: &Profile) -> String {
    let or_unknown = |text: Option<String>| text.unwrap_or_else(|| "unknown".to_owned());
    let percent = |share: Option<f64>, whole: &str| {
        or_unknown(share.map(|share| format!("{:.1} % of {whole}", 100.0 * share)))
    };
    let status: Vec<String> = p.status.iter().map(|(status, jobs)| format!("{status}: {jobs}")).collect();
    let mut rows = vec![
        ("log", format!("{} ({}, {} lines, {} bytes of text)", p.log, p.format, p.lines, p.bytes)),
        ("sha256", p.sha256.clone()),
        ("jobs", p.jobs.to_string()),
        ("processors", or_unknown(p.procs.map(|procs| procs.to_string()))),
        ("largest job", or_unknown(p.largest_job_procs.map(|procs| format!("{procs} processors")))),
        ("span", or_unknown(span(p))),
        ("offered load", or_unknown(p.offered_load.map(|load| format!("{load:.4}")))),
        ("serial jobs", percent(p.serial_share, "the jobs whose size is known")),
        ("powers of two", percent(p.power_of_two_share, "the parallel jobs")),
        ("status", status.join(", ")),
    ];
    let missing = p.missing.iter().map(|row| {
        let share = 100.0 * row.jobs as f64 / p.jobs as f64;
        (
            "missing",
            format!(
                "{:<31} {:>9} jobs {share:>6.1} %",
                format!("{} (field {})", row.name, row.field),
                row.jobs
            ),
        )
    });
    rows.extend(missing);
    rows.extend(
        p.irregularities.iter().map(|odd| ("irregular", format!("{:<38} {:>7}", odd.what, odd.count))),
    );
    let mut text = String::new();
    for (label, value) in rows {
        // Writing to memory cannot fail.
        let _ = writeln!(text, "{label:<14} {value}");
    }
    text.push_str(&quantiles(&[("processors", p.size_procs), ("run time (s)", p.run_s)]));
    text
}

/// First and last submit time, and how far they are apart.
fn span(p: &Profile) -> Option<String> {
    let (first, last, span_s) = (p.first_submit_s?, p.last_submit_s?, p.span_s()?);
    let length = format!("{span_s} s = {:.1} days", span_s as f64 / 86_400.0);
    Some(match p.unix_start_time {
        Some(origin) => format!(
            "{length}, {} to {} UTC",
            date(origin.saturating_add(first)),
            date(origin.saturating_add(last))
        ),
        None => length,
    })
}

fn quantiles(rows: &[(&str, Option<Quantiles>)]) -> String {
    let mut text = format!("\n{:<14}", "");
    for title in ["min", "p25", "p50", "p75", "p90", "p99", "max", "mean"] {
        let _ = write!(text, " {title:>9}");
    }
    for (label, quantiles) in rows {
        let _ = write!(text, "\n{label:<14}");
        let Some(q) = quantiles else {
            text.push_str("   unknown");
            continue;
        };
        for value in [q.min, q.p25, q.p50, q.p75, q.p90, q.p99, q.max] {
            let _ = write!(text, " {value:>9}");
        }
        let _ = write!(text, " {:>9.1}", q.mean);
    }
    text.push('\n');
    text
}

/// Date and time of `unix_s` seconds since 1970, in UTC and the proleptic Gregorian calendar.
///
/// Years are counted from 1 March, so that the leap day is the last of its year, in cycles of 400 years.
fn date(unix_s: i64) -> String {
    const DAYS_OF_CYCLE: i64 = 146_097;
    const DAYS_TO_1970: i64 = 719_468; // from 1 March of the year 0
    let (days, second) = (unix_s.div_euclid(86_400) + DAYS_TO_1970, unix_s.rem_euclid(86_400));
    let (cycle, day) = (days.div_euclid(DAYS_OF_CYCLE), days.rem_euclid(DAYS_OF_CYCLE));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153; // from March
    let day = day - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    let (hour, minute) = (second / 3_600, second / 60 % 60);
    format!("{:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{:02}", year + 400 * cycle, second % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_gregorian() {
        for (unix_s, text) in [
            (0, "1970-01-01 00:00:00"),
            (749_458_803, "1993-10-01 07:00:03"),
            (951_782_399, "2000-02-28 23:59:59"),
            (951_782_400, "2000-02-29 00:00:00"),
            (1_709_251_199, "2024-02-29 23:59:59"),
            (4_107_542_400, "2100-03-01 00:00:00"),
            (-1, "1969-12-31 23:59:59"),
        ] {
            assert_eq!(date(unix_s), text);
        }
        assert!(date(i64::MAX).len() > 19);
    }
}
