//! The accounting files of PBS Pro, `OpenPBS`, Torque and Cobalt. Each line is `date;type;job;key=value
//! key=value …`.
//!
//! Jobs are the lines of type E, which are written when a job has ended. All other lines (queued, started,
//! deleted, run again, reservations) are no jobs. Of a line of type E:
//!
//! * The submit time is `etime`, when the job became eligible, or the key given by the parameter `submit`.
//!   Start and end are `start` and `end`. All are seconds since 1970; fractions (Cobalt) are rounded, half a
//!   second up. 0 and an empty value are unknown. A rerun job has the times of its last run.
//! * [`place`] finds the size: nodes, CPUs or GPUs.
//! * The estimate is `Resource_List.walltime`.
//! * The status is 1 if `Exit_status` is 0, 5 if it is 271 (ended by signal 15, that of `qdel`), and
//!   otherwise 0.
//! * The list of nodes has the hosts, each once, with commas.
//! * The number of the element `[4]` or `-4` of the array job 123 is 123000004. The line of the array as a
//!   whole, `123[]`, is no job.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "lines are counted one by one, and known times are above 0, so that their differences are in \
         range"
)]

mod place;

use std::collections::HashMap;

use self::place::Place;
use super::batch::{Held, JobTimes, number_of_task};
use super::format::{Format, LineParser, Parsed};
use crate::error::Problem;
use crate::facts::{
    CANCELLED_EARLY, EARLY_ENDS, EARLY_STARTS, Facts, NEVER_STARTED, ODD_SLOTS, Oddities, ROUNDED,
    STILL_RUNNING, STILL_WAITING,
};
use crate::fields::whole_number;
use crate::names::{NameKind, Names};
use crate::record::Record;
use crate::status::{CANCELLED, COMPLETED, FAILED, UNKNOWN};
use crate::times::{Pair, SECONDS, duration, has_fraction, is_missing, rounded_s, scaled};
use crate::unit::Unit;
use meshreplay_base::spec::{Params, SpecError};

/// The row of this format.
pub(super) const FORMAT: Format = Format {
    name: "pbs",
    summary: "accounting file of PBS Pro, OpenPBS, Torque or Cobalt; jobs are the lines of type E",
    source: "PBS Professional Administrator's Guide, section on accounting; Torque Administrator Guide, \
         chapter on job logging",
    parameters: "unit=nodes|cpus|gpus submit=etime|ctime|qtime",
    reads: READS,
    lacks: "machine; only failed or not as a status",
    recognises: Some(is_line),
    records_starts: true,
    records_ends_only: true,
    parser: |spec| Ok(Box::new(Pbs::new(Params::new(spec))?)),
    ..Format::UNNAMED
};

/// What is read of a line of type E, and what it becomes.
const READS: &[(&str, &str)] = &[
    (
        "the number before the point, and that in brackets or behind a hyphen",
        "job number; the element 4 of array 123 is 123000004",
    ),
    ("etime, or ctime or qtime by the parameter submit; ctime stands for a missing one", "submit time"),
    ("start", "start: the wait time is that from the submission; a job without one never started"),
    ("end", "end: the run time is that from the start; a job without one still runs"),
    (
        "the hosts of exec_host or else of exec_vnode, or else Resource_List.nodect, nodes or select",
        "processors with unit=nodes; vnodes such as n1[0] and n1[1] are one host",
    ),
    (
        "the slots of exec_host or else of exec_vnode, or else Resource_List.ncpus, nodes or select",
        "processors with unit=cpus",
    ),
    (
        "ngpus of exec_vnode, or else Resource_List.ngpus, gpus or gpu, or else nodes or select",
        "processors with unit=gpus; 0 if they are missing",
    ),
    (
        "Resource_List.mppwidth, mppnppn, mppdepth, mppnodes or size (Cray)",
        "processors: mppwidth CPUs on mppwidth / mppnppn nodes, as exec_host is a login node there",
    ),
    ("Resource_List.walltime", "requested time"),
    ("resources_used.cput", "average CPU time, for one processor"),
    ("Exit_status", "status: 1 for 0, 5 for 271, otherwise 0"),
    ("user, group, jobname, queue", "user, group, application and queue, as numbers"),
    ("exec_host, or else exec_vnode; numbers as in 0-3,8 (Cobalt)", "list of nodes"),
];

/// The exit status of a job that signal 15 ended: 256 and the number of the signal.
const TERMINATED: i64 = 256 + 15;

/// The parser of one log.
struct Pbs {
    unit: Unit,
    /// The key of the submit time.
    submit: &'static str,
    held: Held,
    names: Names,
    odd: Oddities,
    has_jobs: bool,
    /// The jobs that were queued or started and have not ended, with whether they run.
    open: HashMap<String, bool>,
}

impl Pbs {
    /// Makes the parser of one log from the parameters of a spec.
    fn new(mut params: Params) -> Result<Self, SpecError> {
        let unit = Unit::take(&mut params)?;
        let keys = ["etime", "ctime", "qtime"].map(|key| (key, key));
        let submit = params.choose("submit", &keys)?;
        params.finish()?;
        let (names, odd) = (Names::default(), Oddities::new(ODDITIES));
        Ok(Self { unit, submit, held: Held::default(), names, odd, has_jobs: false, open: HashMap::new() })
    }

    /// Tracks the life of a job by the type of its line.
    fn follow(&mut self, kind: &str, id: &str) {
        match kind {
            "Q" | "R" => _ = self.open.insert(id.to_owned(), false),
            "S" | "T" => _ = self.open.insert(id.to_owned(), true),
            "E" | "A" => _ = self.open.remove(id),
            // A job that runs is deleted by its end.
            "D" if self.open.get(id) == Some(&false) => _ = self.open.remove(id),
            _ => {}
        }
    }

    /// Returns the times of a job and its end, and counts what is odd in them.
    fn times(&mut self, values: &Values) -> Result<(JobTimes, Option<i64>), Problem> {
        let odd = &mut self.odd;
        let mut time = |key| values.time(key, odd);
        let mut submit_s = match time(self.submit)? {
            None if self.submit != "ctime" => time("ctime")?,
            known => known,
        };
        let created_s = if self.submit == "etime" { time("ctime")? } else { None };
        let (start_s, end_s) = (time("start")?, time("end")?);
        if created_s.is_some() {
            submit_s = self.held.arrival(created_s, submit_s, start_s);
        }
        if values.text("end").is_none() {
            return Err(Problem::column(4, "end", b"", "the end, in the line of a job that has ended"));
        }
        odd.add(STILL_RUNNING, start_s.is_some() && end_s.is_none());
        let run_s = end_s.map(|end_s| start_s.map_or(0, |start_s| end_s - start_s));
        Ok((JobTimes { submit_s: submit_s.or(start_s), start_s, run_s }, end_s))
    }

    /// Returns the record of the values of a line of type E. `job` is the number of the job.
    fn record(&mut self, job: i64, values: &Values) -> Result<Record, Problem> {
        let place = Place::from_values(values)?;
        let procs = place::procs(values, &place, self.unit)?;
        let limit_s = values.duration("Resource_List.walltime")?;
        let cpu_s = values.duration("resources_used.cput")?.zip(procs.filter(|&procs| procs > 0));
        let average_cpu_s = cpu_s.map(|(cpu_s, procs)| cpu_s as f64 / procs as f64);
        let status = match values.number("Exit_status")? {
            None => UNKNOWN,
            Some(0) => COMPLETED,
            Some(TERMINATED) => CANCELLED,
            Some(_) => FAILED,
        };
        let (times, end_s) = self.times(values)?;
        let has_started = times.start_s.is_some();
        let early_end = if status == CANCELLED { CANCELLED_EARLY } else { NEVER_STARTED };
        self.odd.add(early_end, !has_started && end_s.is_some());
        let is_cray = matches!(place, Place::Cray { .. });
        self.odd.add(CRAY, is_cray);
        if let (Place::Hosts(hosts), Unit::Cpus) = (&place, self.unit) {
            self.odd.add(ODD_SLOTS, hosts.odd);
        }
        self.odd.add(WITHOUT_NODES, is_cray && procs.is_none());
        let mut name =
            |kind, key: &str| self.names.known_number(kind, values.text(key).unwrap_or_default().as_bytes());
        let known = |value: Option<i64>| value.unwrap_or(-1);
        Ok(Record {
            job,
            allocated_procs: known(procs.filter(|_| has_started)),
            requested_procs: known(procs.filter(|_| !has_started)),
            average_cpu_s: average_cpu_s.unwrap_or(-1.0),
            requested_time_s: known(limit_s),
            status,
            user: name(NameKind::User, "user"),
            group: name(NameKind::Group, "group"),
            executable: name(NameKind::Executable, "jobname"),
            queue: name(NameKind::Queue, "queue"),
            nodes: place.list().filter(|_| has_started).and_then(|list| self.names.nodes(list.as_bytes())),
            ..times.record(&mut self.odd)
        })
    }
}

impl LineParser for Pbs {
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        let text = String::from_utf8_lossy(line);
        let mut parts = text.splitn(4, ';');
        let (Some(_), Some(kind), Some(id)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(Problem::TooFewFields { found: text.split(';').count(), expected: 4 });
        };
        self.follow(kind, id);
        if kind != "E" {
            self.odd.add(RERUNS, kind == "R");
            return Ok(Parsed::NoJob);
        }
        let job = match number_of(id) {
            Some(Some(job)) => job,
            Some(None) => {
                self.odd.add(ARRAYS, true);
                return Ok(Parsed::NoJob);
            }
            None => {
                let expected = "the number of a job, such as 123.server, 123[4].server or 123-4.server";
                return Err(Problem::column(3, "job", id.as_bytes(), expected));
            }
        };
        let record = self.record(job, &Values::parse(parts.next().unwrap_or_default()))?;
        self.has_jobs = true;
        Ok(Parsed::Record(record, 0))
    }

    fn names(&mut self) -> Option<&mut Names> {
        Some(&mut self.names)
    }

    fn facts(&mut self) -> Facts {
        // Whole arrays are no jobs.
        let jobs = self.open.iter().filter(|(id, _)| number_of(id).flatten().is_some());
        let (runs, waits): (Vec<_>, Vec<_>) = jobs.partition(|(_, runs)| **runs);
        self.odd.add(STILL_WAITING, waits.len() as u64);
        self.odd.add(STILL_RUNNING, runs.len() as u64);
        Facts {
            names: std::mem::take(&mut self.names),
            has_unix_times: self.has_jobs,
            notes: self.held.note("submit=ctime of --input-format pbs").into_iter().collect(),
            counts: self.odd.rows(),
            ..Facts::default()
        }
    }
}

/// The words for jobs that were queued again.
const RERUNS: &str = "requeues, of which only the last run is read";

/// The words for lines of arrays, whose elements are the jobs.
const ARRAYS: &str = "array jobs as a whole";

/// The words for jobs of a Cray.
const CRAY: &str = "jobs of a Cray, sized by mppwidth and mppnppn, as exec_host is a login node";

/// The words for jobs of a Cray without `mppnppn`.
const WITHOUT_NODES: &str = "jobs of a Cray whose number of nodes is unknown; --unit cpus counts processors";

/// What may be odd in a log.
const ODDITIES: &[&str] = &[
    RERUNS,
    ARRAYS,
    CANCELLED_EARLY,
    NEVER_STARTED,
    STILL_WAITING,
    STILL_RUNNING,
    EARLY_STARTS,
    EARLY_ENDS,
    ROUNDED,
    CRAY,
    WITHOUT_NODES,
    ODD_SLOTS,
];

/// Returns the number of a job such as `123.server`, `123[4].server` or `123-4.server` (Torque 2); the inner
/// `None` is a whole array such as `123[].server`. Returns `None` for any other text.
#[expect(clippy::option_option, reason = "an array as a whole is not the same as a text that is no job")]
fn number_of(id: &str) -> Option<Option<i64>> {
    let id = id.split('.').next().unwrap_or_default();
    let Some((job, index)) = id.split_once(['[', '-']) else { return id.parse().ok().map(Some) };
    let job: i64 = job.parse().ok()?;
    let index = if id.contains('[') { index.strip_suffix(']')? } else { index };
    if index.is_empty() {
        return id.contains('[').then_some(None);
    }
    let index: i64 = index.parse().ok()?;
    Some(Some(number_of_task(job, index).unwrap_or(job)))
}

/// Returns whether a line begins with a date, a time and a type of one letter, such as `05/13/2024
/// 10:00:00;E;`.
fn is_line(line: &[u8]) -> bool {
    let Some(([m1, m2, b'/', d1, d2, b'/', ..], rest)) = line.split_at_checked(10) else { return false };
    let digits = [m1, m2, d1, d2].into_iter().all(u8::is_ascii_digit);
    let [b' ', _, _, b':', _, _, b':', _, _, b';', kind, b';', ..] = rest else { return false };
    digits && kind.is_ascii_alphabetic()
}

/// The microseconds of a second.
const MICROS_PER_S: i64 = 1_000_000;

/// Decimal instants are below this; above it they are milliseconds. That is the year 5138.
const MAX_MICROS: i64 = 100_000_000_000 * MICROS_PER_S;

/// The values of a line, in its order.
struct Values<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Values<'a> {
    /// Returns the values of a text such as `user=anna group=g account="a b"`. A word without `=` is left
    /// out.
    fn parse(text: &'a str) -> Self {
        let (mut values, mut rest) = (Vec::new(), text.trim());
        while let Some((before, after)) = rest.split_once('=') {
            let (value, next) = match after.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
                Some(quoted) => quoted,
                None => after.split_once(' ').unwrap_or((after, "")),
            };
            let key = before.rsplit(' ').next().unwrap_or(before);
            values.push((key, value));
            rest = next.trim_start();
        }
        Self(values)
    }

    /// Returns the value of a key; `None` if it is missing.
    fn text(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(known, _)| *known == key).map(|&(_, value)| value)
    }

    /// Returns the value of a key; `None` if it is missing or empty.
    fn filled(&self, key: &str) -> Option<&'a str> {
        self.text(key).filter(|text| !text.is_empty())
    }

    /// Returns the value of a key as an integer; `None` if it is missing or empty.
    fn number(&self, key: &str) -> Result<Option<i64>, Problem> {
        self.filled(key).map(|text| whole_number(4, key, text.as_bytes())).transpose()
    }

    /// Returns the instant of a key in seconds since 1970; `None` if it is missing, unknown or 0. A fraction
    /// of a second is rounded, half a second up, and counted in `odd`.
    fn time(&self, key: &str, odd: &mut Oddities) -> Result<Option<i64>, Problem> {
        let Some(text) = self.filled(key).filter(|text| !is_missing(text.as_bytes())) else {
            return Ok(None);
        };
        if let Ok(time_s) = text.parse() {
            return Ok(Some(time_s).filter(|&time_s| time_s > 0));
        }
        let is_decimal = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        let micros =
            scaled(text.as_bytes(), MICROS_PER_S).filter(|&micros| is_decimal && micros < MAX_MICROS);
        let Some(micros) = micros else {
            return Err(Problem::column(4, key, text.as_bytes(), "seconds since 1970"));
        };
        odd.add(ROUNDED, has_fraction(micros));
        let time_s = rounded_s(micros);
        Ok(Some(time_s).filter(|&time_s| time_s > 0))
    }

    /// Returns the duration of a key. Two numbers are hours and minutes.
    fn duration(&self, key: &str) -> Result<Option<i64>, Problem> {
        let text = self.text(key).unwrap_or_default();
        duration(text.as_bytes(), SECONDS, Pair::HoursMinutes)
            .map_err(|expected| Problem::column(4, key, text.as_bytes(), expected))
    }
}

#[cfg(test)]
mod values_tests {
    use super::*;

    #[test]
    fn keys_follow_words_that_belong_to_no_value() {
        let values =
            Values::parse(r#"user=anna account="a = b" jobname=my job queue=batch end= args="" x=1"#);
        for (key, value) in [
            ("user", Some("anna")),
            ("account", Some("a = b")),
            ("jobname", Some("my")),
            ("queue", Some("batch")),
            ("args", Some("")),
            ("x", Some("1")),
            ("job queue", None),
        ] {
            assert_eq!(values.text(key), value, "{key}");
        }
    }

    #[test]
    fn instants_are_rounded_and_unknown_ones_are_none() {
        for (text, expected, is_rounded) in [
            ("1549188000", Some(1_549_188_000), false),
            ("1549188000.0", Some(1_549_188_000), false),
            ("1549188000.25", Some(1_549_188_000), true),
            ("1549188000.5", Some(1_549_188_001), true),
            ("0", None, false),
            ("0.0", None, false),
            ("Unknown", None, false),
            ("", None, false),
        ] {
            let mut odd = Oddities::new(&[ROUNDED]);
            let line = format!("start={text} end=1");
            assert_eq!(Values::parse(&line).time("start", &mut odd), Ok(expected), "{text}");
            assert_eq!(!odd.rows().is_empty(), is_rounded, "{text}");
        }
        for text in ["x", "1e9", "inf", "1549188000250.5"] {
            let mut odd = Oddities::new(&[]);
            assert!(Values::parse(&format!("start={text}")).time("start", &mut odd).is_err(), "{text}");
        }
    }
}

#[cfg(test)]
mod tests;
