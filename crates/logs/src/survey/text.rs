//! Writes the surveys of a log as text.

use std::fmt::Write;

use jiff::Timestamp;

use super::profile::{NodeLists, Profile, Quantiles};
use super::validate::{Finding, Severity, Tally, Validation};
use meshreplay_base::words::counted;

impl Profile {
    /// Returns the profile as rows with labels, followed by a table of the quantiles.
    pub fn text(&self) -> String {
        let percent = |share: Option<f64>, whole: &str| {
            or_unknown(share.map(|share| format!("{:.1} % of {whole}", 100.0 * share)))
        };
        let status: Vec<String> =
            self.status.iter().map(|(status, jobs)| format!("{status}: {jobs}")).collect();
        let log = format!(
            "{} ({}, {}, {} bytes of text)",
            self.log,
            self.format,
            counted(self.lines, "line"),
            self.bytes
        );
        let mut rows = vec![
            ("log", log),
            ("sha256", self.sha256.clone()),
            ("jobs", self.jobs.to_string()),
            ("processors", or_unknown(self.procs.map(|procs| procs.to_string()))),
            ("largest job", or_unknown(self.largest_job_procs.map(|procs| counted(procs, "processor")))),
            ("machine", self.machine()),
            ("span", or_unknown(self.span())),
            ("period", self.period()),
            ("offered load", or_unknown(self.offered_load.map(|load| format!("{load:.4}")))),
            ("serial jobs", percent(self.serial_share, "the jobs whose size is known")),
            ("powers of two", percent(self.power_of_two_share, "the parallel jobs")),
            ("status", status.join(", ")),
        ];
        rows.extend(self.members.iter().map(|members| {
            let largest: Vec<String> =
                members.largest.iter().map(|(name, jobs)| format!("{} {jobs}", plain(name))).collect();
            (members.what, format!("{}, by jobs: {}", members.count, largest.join(", ")))
        }));
        rows.extend(self.node_lists.map(|lists| ("node lists", lists.text())));
        rows.extend(self.notes.iter().map(|note| ("note", plain(note))));
        rows.extend(self.missing.iter().map(|row| {
            let share = 100.0 * row.jobs as f64 / self.jobs as f64;
            let field = format!("{} (field {})", row.name, row.field);
            ("missing", format!("{field:<31} {:>9} jobs {share:>6.1} %", row.jobs))
        }));
        rows.extend(
            self.irregularities.iter().map(|odd| ("irregular", format!("{:<38} {:>7}", odd.what, odd.count))),
        );
        let mut text = String::new();
        for (label, value) in rows {
            // Writing to memory cannot fail.
            let _ = writeln!(text, "{label:<14} {value}");
        }
        text.push_str(&quantiles(&[("processors", self.size_procs), ("run time (s)", self.run_s)]));
        text
    }

    /// Returns the size of the machine with its source, or what is known of it.
    fn machine(&self) -> String {
        match self.machine_procs {
            Some(procs) => format!("{procs} {}", self.machine_source),
            None => format!("unknown: {}", self.machine_source),
        }
    }

    /// Returns the part of the site's history that the log is.
    fn period(&self) -> String {
        if self.is_window_unknown {
            return "unknown: too many jobs".to_owned();
        }
        let Some(from_s) = self.window_from_s else {
            return "whole: no jobs are missing at the beginning".to_owned();
        };
        let from = match self.unix_start_time {
            Some(origin) => format!("{} UTC", date(origin.saturating_add(from_s))),
            None => format!("{from_s} s"),
        };
        format!("a window from {from} on: jobs that ended before are missing")
    }

    /// Returns the time from the first to the last submit time, with both dates if the header has the start
    /// of the log; `None` without submit times.
    fn span(&self) -> Option<String> {
        let (first, last, span_s) = (self.first_submit_s?, self.last_submit_s?, self.span_s()?);
        let (days, weeks) = (span_s as f64 / 86_400.0, span_s as f64 / 604_800.0);
        let length = format!("{span_s} s = {days:.1} days = {weeks:.1} weeks");
        let Some(origin) = self.unix_start_time else { return Some(length) };
        let [first, last] = [first, last].map(|submit_s| date(origin.saturating_add(submit_s)));
        Some(format!("{length}, {first} to {last} UTC"))
    }
}

impl NodeLists {
    /// Returns the nodes and how much of them jobs share.
    fn text(&self) -> String {
        let share = format!("{:.1} % of the node-seconds count more than once", 100.0 * self.shared);
        let remedy = if self.needs_unit { ", as jobs share nodes: a replay needs --unit" } else { "" };
        format!("{}, {share}{remedy}", counted(self.nodes, "node"))
    }
}

/// Returns `text` with its control characters spelled out, as names come from the log.
fn plain(text: &str) -> String {
    let spelled = |c: char| if c.is_control() { c.escape_debug().to_string() } else { c.to_string() };
    text.chars().map(spelled).collect()
}

/// Returns `text`, or `unknown` for `None`.
fn or_unknown(text: Option<String>) -> String {
    text.unwrap_or_else(|| "unknown".to_owned())
}

/// Returns an empty line and a table of quantiles. It fits a terminal of 80 characters unless its numbers are
/// long.
fn quantiles(rows: &[(&str, Option<Quantiles>)]) -> String {
    let titles = ["min", "p25", "p50", "p75", "p90", "p99", "max", "mean"].map(str::to_owned);
    let cells = |q: &Quantiles| {
        let mut cells: Vec<String> =
            [q.min, q.p25, q.p50, q.p75, q.p90, q.p99, q.max].iter().map(ToString::to_string).collect();
        cells.push(format!("{:.1}", q.mean));
        cells
    };
    let mut lines = vec![("", titles.to_vec())];
    lines.extend(rows.iter().map(|(label, q)| (*label, q.as_ref().map(cells).unwrap_or_default())));
    let mut text = String::new();
    for (label, cells) in &lines {
        let _ = write!(text, "\n{label:<14}");
        text.push_str(if cells.is_empty() { " unknown" } else { "" });
        for (i, cell) in cells.iter().enumerate() {
            let widest =
                lines.iter().filter_map(|(_, cells)| cells.get(i)).map(String::len).max().unwrap_or(0);
            let _ = write!(text, " {cell:>width$}", width = widest.max(7));
        }
    }
    text.push('\n');
    text
}

/// Returns the date and the time of day in UTC of `unix_s`, in seconds since 1970. A time that the calendar
/// cannot hold (beyond the year 9999) is written as its seconds.
fn date(unix_s: i64) -> String {
    match Timestamp::from_second(unix_s) {
        Ok(time) => time.strftime("%Y-%m-%d %H:%M:%S").to_string(),
        Err(_) => format!("{unix_s} s after 1970"),
    }
}

impl Validation {
    /// Returns one line for each finding that is shown, a line for the number of the others, and a last line
    /// with the totals.
    pub fn text(&self) -> String {
        let path = self.summary.path.display().to_string();
        let mut text = String::new();
        for tally in &self.tallies {
            list(&path, tally, &mut text);
        }
        let (errors, warnings) = (self.count(Severity::Error), self.count(Severity::Warning));
        let jobs = self.summary.records;
        let _ = writeln!(text, "{path}: jobs: {jobs}, errors: {errors}, warnings: {warnings}");
        text
    }
}

/// Appends the lines of one defect to `text`.
fn list(path: &str, tally: &Tally, text: &mut String) {
    let (title, count) = (tally.defect.title(), tally.count);
    let severity = match tally.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    };
    for Finding { line, detail } in &tally.shown {
        let place = line.map_or_else(String::new, |line| format!(":{line}"));
        let separator = if detail.is_empty() { "" } else { ": " };
        let _ = writeln!(text, "{path}{place}: {severity}: {title}{separator}{detail}");
    }
    if tally.shown.is_empty() {
        let times = if count > 1 { format!(": {count}") } else { String::new() };
        let _ = writeln!(text, "{path}: {severity}: {title}{times}");
    } else if (tally.shown.len() as u64) < count {
        let more = count - tally.shown.len() as u64;
        let _ = writeln!(text, "{path}: {severity}: {title}: … and {more} more (--all shows them)");
    }
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
            (i64::MAX, "9223372036854775807 s after 1970"),
        ] {
            assert_eq!(date(unix_s), text);
        }
    }
}
