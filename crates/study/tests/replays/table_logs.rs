//! Random tables with the irregularities of handmade tables, and the same jobs as logs of batch systems. Both
//! must be read correctly, and a conversion must have the same jobs.

use std::collections::HashMap;
use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use meshreplay_logs::{LogSummary, ReadOptions, Reader, Record, SWF, Writer, read};
use meshreplay_study::study::load;
use meshreplay_workload::{Rules, convert};
use proptest::prelude::*;
use proptest::sample::select;

/// A job of the table.
#[derive(Clone, Debug)]
struct Job {
    number: i64,
    submit_s: i64,
    wait_s: Option<i64>,
    run_s: i64,
    procs: i64,
    limit_s: Option<i64>,
    status: i64,
    user: Option<String>,
    queue: &'static str,
}

/// Formats of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Times {
    /// Seconds since an arbitrary start of the log.
    Small,
    Epoch,
    /// Seconds since 1970 with a fraction that rounds to the second.
    EpochFraction,
    Iso,
    IsoBlank,
    IsoFraction,
    Slashes,
    Zulu,
    Offset,
}

/// The style of a table.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is an irregularity of its own")]
struct Look {
    delimiter: char,
    has_heading: bool,
    has_mark: bool,
    is_crlf: bool,
    ends_line: bool,
    times: Times,
    /// The time zone of dates without one, and its offset in seconds.
    zone: (&'static str, i64),
    /// The format of durations: seconds, `HH:MM:SS`, `D-HH:MM:SS`, units, `N days, HH:MM:SS`.
    durations: usize,
    /// Whether columns have starts and ends, or else wait and run times.
    has_ends: bool,
    missing: &'static str,
    /// Selects the name of each column in the heading.
    names: usize,
    /// The order of the columns.
    order: Vec<usize>,
    /// Suffix of job numbers.
    suffix: &'static str,
    /// Whether every cell has quotes, even where none are needed.
    quotes_all: bool,
}

fn any_job() -> impl Strategy<Value = Job> {
    let times = (0_i64..400_000_000, proptest::option::of(0_i64..9_999_999), 0_i64..9_999_999);
    let user =
        proptest::option::of("u[a-zäß0-9 ,;|\"\t'=]{0,7}[a-zé]".prop_map(|name| name.trim().to_owned()));
    (
        (0_i64..50, times, 1_i64..5000),
        proptest::option::of(1_i64..999_999),
        select(vec![1, 0, 5]),
        user,
        select(vec!["batch", "debug", "large jobs"]),
    )
        .prop_map(|((number, (submit_s, wait_s, run_s), procs), limit_s, status, user, queue)| Job {
            number,
            submit_s,
            wait_s,
            run_s,
            procs,
            limit_s,
            status,
            user,
            queue,
        })
}

fn any_look() -> impl Strategy<Value = Look> {
    let times = select(vec![
        Times::Small,
        Times::Epoch,
        Times::EpochFraction,
        Times::Iso,
        Times::IsoBlank,
        Times::IsoFraction,
        Times::Slashes,
        Times::Zulu,
        Times::Offset,
    ]);
    let zone = select(vec![("UTC", 0), ("Asia/Kolkata", 19_800), ("+02:00", 7200), ("-03:30", -12_600)]);
    let flags = any::<[bool; 6]>();
    (
        (select(vec![',', ';', '|', '\t', ' ']), flags, times, zone, 0_usize..5),
        select(vec!["", "Unknown", "N/A", "nobody-knows"]),
        0_usize..3,
        Just((0..9).collect::<Vec<usize>>()).prop_shuffle(),
        select(vec!["", ".server", "_4"]),
    )
        .prop_map(|((delimiter, flags, times, zone, durations), missing, names, order, suffix)| {
            let [has_heading, has_mark, is_crlf, ends_line, has_ends, quotes_all] = flags;
            Look {
                delimiter,
                has_heading,
                has_mark,
                is_crlf,
                ends_line,
                times,
                zone,
                durations,
                has_ends,
                missing,
                names,
                order,
                suffix,
                quotes_all,
            }
        })
}

/// The columns: the field, and three of its names.
const COLUMNS: [(&str, [&str; 3]); 9] = [
    ("job", ["JobID", "job id", "Job_Number"]),
    ("submit", ["Submit", "submit_time", "Arrival Time"]),
    ("start|wait", ["Start|wait", "start_time|Wait Time", "Began|waited"]),
    ("end|run", ["End|run", "end_time|Elapsed", "Finished|duration"]),
    ("procs", ["NNodes", "Num Nodes", "procs"]),
    ("req-time", ["Timelimit", "requested_time", "Walltime Limit"]),
    ("status", ["State", "job state", "STATUS"]),
    ("user", ["User", "user name", "Owner"]),
    ("queue", ["Queue", "queue name", "QOS"]),
];

impl Look {
    /// Formats a time in seconds since the first day of the log.
    fn instant(&self, time_s: i64) -> String {
        let unix_s = time_s + 1_500_000_000;
        let date = |unix_s: i64, format: &str| {
            let time = jiff::Timestamp::from_second(unix_s).expect("a time");
            time.strftime(format).to_string()
        };
        let (local_s, iso) = (unix_s + self.zone.1, "%Y-%m-%dT%H:%M:%S");
        match self.times {
            Times::Small => time_s.to_string(),
            Times::Epoch => unix_s.to_string(),
            Times::EpochFraction if time_s % 2 == 0 => format!("{unix_s}.4375"),
            Times::EpochFraction => format!("{}.5", unix_s - 1),
            Times::Iso => date(local_s, iso),
            Times::IsoBlank => date(local_s, "%Y-%m-%d %H:%M:%S"),
            Times::IsoFraction if time_s % 2 == 0 => date(local_s, iso) + ".499",
            Times::IsoFraction => date(local_s - 1, iso) + ".500001",
            Times::Slashes => date(local_s, "%m/%d/%Y %H:%M:%S"),
            Times::Zulu => date(unix_s, iso) + "Z",
            Times::Offset => date(unix_s - 5 * 3600, iso) + "-05:00",
        }
    }

    fn duration(&self, length_s: i64) -> String {
        let (days, hours, minutes, seconds) =
            (length_s / 86_400, length_s / 3600, length_s / 60 % 60, length_s % 60);
        match self.durations {
            0 => length_s.to_string(),
            1 => format!("{hours:02}:{minutes:02}:{seconds:02}"),
            2 => format!("{days}-{:02}:{minutes:02}:{seconds:02}", hours % 24),
            3 => format!("{hours}h{minutes}m{seconds}s"),
            _ => format!("{days} days, {:02}:{minutes:02}:{seconds:02}", hours % 24),
        }
    }

    /// Returns a cell with quotes if it needs them.
    fn cell(&self, text: &str) -> String {
        let needs = text.contains(['"', self.delimiter, '\n', '\t'])
            || text.is_empty() && self.delimiter == ' '
            || text.starts_with(' ')
            || text.ends_with(' ')
            || self.quotes_all;
        if needs { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
    }

    /// Returns the cells of a job, in the order of [`COLUMNS`].
    fn cells(&self, job: &Job) -> [String; 9] {
        let missing = || self.missing.to_owned();
        let start_s = job.wait_s.map(|wait_s| job.submit_s + wait_s);
        let words = ["FAILED", "COMPLETED", "", "", "", "CANCELLED by 12"];
        let [start, end] = if self.has_ends {
            let end_s = start_s.map(|start_s| start_s + job.run_s);
            [start_s, end_s].map(|time_s| time_s.map_or_else(missing, |time_s| self.instant(time_s)))
        } else {
            let wait = job.wait_s.map_or_else(missing, |wait_s| self.duration(wait_s));
            [wait, self.duration(job.run_s)]
        };
        [
            format!("{}{}", job.number, self.suffix),
            self.instant(job.submit_s),
            start,
            end,
            job.procs.to_string(),
            job.limit_s.map_or_else(missing, |limit_s| self.duration(limit_s)),
            words[job.status as usize].to_owned(),
            job.user.clone().unwrap_or_else(missing),
            job.queue.to_owned(),
        ]
    }

    /// Returns the name of a column in the heading, or its field.
    fn choice<'a>(&self, text: &'a str) -> &'a str {
        let (first, second) = text.split_once('|').unwrap_or((text, text));
        if self.has_ends { first } else { second }
    }

    /// Returns the spec that reads the table, and the text of the table.
    fn table(&self, jobs: &[Job]) -> (String, String) {
        let join = |cells: Vec<String>| cells.join(&self.delimiter.to_string());
        let ordered = |cells: &[String]| -> Vec<String> {
            self.order.iter().map(|&at| self.cell(&cells[at])).collect()
        };
        let end = if self.is_crlf { "\r\n" } else { "\n" };
        let mut lines = Vec::new();
        if self.has_heading {
            let names: Vec<String> =
                COLUMNS.iter().map(|(_, names)| self.choice(names[self.names]).to_owned()).collect();
            lines.push(join(ordered(&names)));
        }
        for (number, job) in jobs.iter().enumerate() {
            lines.push(join(ordered(&self.cells(job))));
            // Blank lines and notes between jobs.
            if number % 3 == 1 {
                lines.extend(["", "  ", "# a note, with signs"].map(str::to_owned));
            }
        }
        let text = lines.join(end) + if self.ends_line { end } else { "" };
        let mut told = vec![format!("time-zone={}", self.zone.0), "missing=nobody-knows+no".to_owned()];
        // The spec gives columns without a usual name or without a heading.
        for (place, &at) in self.order.iter().enumerate() {
            let (field, names) = COLUMNS[at];
            if !self.has_heading {
                told.push(format!("{}={}", self.choice(field), place + 1));
            } else if names[self.names].contains("Began") {
                told.push(format!("{}={}", self.choice(field), self.choice(names[self.names])));
            }
        }
        if self.delimiter == ' ' {
            told.push("delimiter=blanks".to_owned());
        } else if !self.has_heading {
            let name = [(',', "comma"), (';', "semicolon"), ('|', "pipe"), ('\t', "tab")];
            let name =
                name.into_iter().find(|(sign, _)| *sign == self.delimiter).map_or("", |(_, name)| name);
            told.push(format!("delimiter={name}"));
        }
        (format!("table:{}", told.join(",")), if self.has_mark { format!("\u{feff}{text}") } else { text })
    }
}

/// Numbers names in the order of their first appearance.
#[derive(Default)]
struct Numbers(HashMap<String, i64>);

impl Numbers {
    fn of(&mut self, name: &str) -> i64 {
        let next = self.0.len() as i64 + 1;
        *self.0.entry(name.to_owned()).or_insert(next)
    }
}

/// Returns the fields of the record of each job.
fn meant(jobs: &[Job], origin_s: i64) -> Vec<[i64; 9]> {
    let (mut users, mut queues) = (Numbers::default(), Numbers::default());
    let of = |job: &Job| {
        [
            job.number,
            job.submit_s + origin_s,
            job.wait_s.unwrap_or(-1),
            job.run_s,
            job.procs,
            job.limit_s.unwrap_or(-1),
            job.status,
            job.user.as_ref().map_or(-1, |user| users.of(user)),
            queues.of(job.queue),
        ]
    };
    jobs.iter().map(of).collect()
}

/// Returns the same fields of records.
fn found(records: &[Record]) -> Vec<[i64; 9]> {
    let of = |record: &Record| {
        let Record { job, submit_s, wait_s, run_s, allocated_procs, requested_time_s, .. } = *record;
        let names = [record.user, record.queue];
        [job, submit_s, wait_s, run_s, allocated_procs, requested_time_s, record.status, names[0], names[1]]
    };
    records.iter().map(of).collect()
}

fn options(format: &str) -> ReadOptions {
    ReadOptions { format: Some(format.parse().expect("a spec")), ..ReadOptions::default() }
}

/// Reads a text: its records and the facts about it.
fn read_at(path: &Path, format: &str, text: &str) -> Result<(Vec<Record>, LogSummary), Box<dyn Error>> {
    std::fs::write(path, text)?;
    let mut records = Vec::new();
    let summary = read(path, options(format), |record| records.push(*record))?;
    Ok((records, summary))
}

/// Converts the log at `path`. Fails if the conversion has other jobs than the log.
fn survives(path: &Path, format: &str) -> Result<(), Box<dyn Error>> {
    let converted = path.with_extension("swf");
    let reader = || Reader::open(path, options(format));
    // The first of two passes counts busy processors on the fly; a single pass counts them at the end.
    let mut sizes = Vec::new();
    for again in [Some(&reader as meshreplay_workload::Again<'_>), None] {
        let mut writer = Writer::create(&converted, SWF, true)?;
        convert(reader()?, again, &mut writer, SWF, false)?;
        writer.finish()?;
        let rules = Rules::default();
        let log = load(path, options(format), rules.clone())?;
        let plain = load(&converted, ReadOptions::default(), rules)?;
        // The Standard Workload Format has no nodes.
        let mut jobs = log.workload.jobs.to_vec();
        for job in &mut jobs {
            job.logged.nodes = None;
            // Without a time limit, run times stand for estimates there.
            job.estimate = job.known_estimate().unwrap_or(job.run);
        }
        if jobs != *plain.workload.jobs {
            return Err(format!("{jobs:?}\n{:?}", plain.workload.jobs).into());
        }
        if plain.summary.header.unix_start_time() != Some(log.summary.origin_s()).filter(|&at| at != 0) {
            return Err("another start".into());
        }
        sizes.push(plain.summary.header.processors());
    }
    if sizes[0] != sizes[1] {
        return Err(format!("{sizes:?} processors").into());
    }
    Ok(())
}

/// Returns the accounting file of PBS of the jobs.
fn pbs(jobs: &[Job]) -> String {
    let mut text = String::new();
    for job in jobs {
        let submit_s = job.submit_s + 1_500_000_000;
        let start_s = submit_s + job.wait_s.unwrap_or(0);
        let (procs, number, end_s) = (job.procs, job.number, start_s + job.run_s);
        let limit = job.limit_s.map_or(String::new(), |limit_s| {
            let (hours, minutes, seconds) = (limit_s / 3600, limit_s / 60 % 60, limit_s % 60);
            format!("Resource_List.walltime={hours:02}:{minutes:02}:{seconds:02} ")
        });
        let user = job.user.as_ref().map_or(String::new(), |user| format!("user={} ", pbs_name(user)));
        let exit = [("1", 0), ("0", 1), ("271", 5)].into_iter().find(|(_, status)| *status == job.status);
        let exit = exit.map_or("", |(exit, _)| exit);
        let _ = writeln!(
            text,
            "05/13/2024 10:00:00;Q;{number}.head;queue={queue}\n05/13/2024 \
             10:00:01;E;{number}.head;{user}group=g queue={queue} ctime={submit_s} qtime={submit_s} \
             etime={submit_s} start={start_s} Resource_List.nodect={procs} {limit}session=7 end={end_s} \
             Exit_status={exit}",
            queue = job.queue.replace(' ', "-"),
        );
    }
    text
}

/// The name of a user in the form that PBS allows.
fn pbs_name(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).collect()
}

/// Returns the jobs in the format of `sacct --json`, with objects for numbers as in new versions, or plain
/// numbers.
fn slurm_json(jobs: &[Job], has_objects: bool) -> String {
    let number = |value: Option<i64>| match (value, has_objects) {
        (Some(value), true) => serde_json::json!({"set": true, "infinite": false, "number": value}),
        (None, true) => serde_json::json!({"set": false, "infinite": true, "number": 0}),
        (Some(value), false) => value.into(),
        (None, false) => serde_json::Value::Null,
    };
    let job = |job: &Job| {
        let submit_s = job.submit_s + 1_500_000_000;
        let start_s = submit_s + job.wait_s.unwrap_or(0);
        let state = ["FAILED", "COMPLETED", "", "", "", "CANCELLED"][job.status as usize];
        let current = if has_objects { serde_json::json!([state]) } else { state.into() };
        serde_json::json!({
            "name": "a \"name\" with } and \\", "steps": [{"state": "FAILED", "time": {"start": 5}}],
            "job_id": job.number, "user": job.user, "qos": job.queue, "nodes": "n1", "allocation_nodes": job.procs,
            "state": {"current": current, "reason": "None"},
            "time": {
                "submission": submit_s, "eligible": submit_s, "start": start_s, "end": start_s + job.run_s,
                "elapsed": job.run_s, "limit": number(job.limit_s.map(|limit_s| limit_s / 60)),
            },
        })
    };
    let all: Vec<serde_json::Value> = jobs.iter().map(job).collect();
    let document = serde_json::json!({"meta": {"plugin": {}}, "jobs": all, "errors": []});
    if has_objects {
        serde_json::to_string_pretty(&document).unwrap_or_default()
    } else {
        document.to_string()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn random_tables_are_read_as_they_were_meant(
        jobs in proptest::collection::vec(any_job(), 1..12),
        look in any_look(),
    ) {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("log");
        let mut jobs = jobs;
        if look.has_ends {
            // Without a start, the run time is unknown.
            jobs.iter_mut().filter(|job| job.wait_s.is_none()).for_each(|job| job.run_s = -1);
        }
        let (format, text) = look.table(&jobs);
        let context = || format!("{format}\n{text}");
        let (records, summary) = read_at(&path, &format, &text)
            .map_err(|error| TestCaseError::fail(format!("{error}\n{}", context())))?;
        let is_small = look.times == Times::Small;
        let origin_s = if is_small { 0 } else { 1_500_000_000 };
        // Task 4 of an array has its own number.
        if look.suffix == "_4" {
            for job in &mut jobs {
                job.number = job.number * 1_000_000 + 4;
            }
        }
        prop_assert_eq!(found(&records), meant(&jobs, origin_s), "{}", context());
        prop_assert_eq!(summary.facts.has_unix_times, !is_small);
        let is_local =
            matches!(look.times, Times::Iso | Times::IsoBlank | Times::IsoFraction | Times::Slashes);
        prop_assert_eq!(summary.facts.time_zone.as_deref(), is_local.then_some(look.zone.0));
        prop_assert_eq!(summary.irregularities.byte_order_marks, u64::from(look.has_mark));
        survives(&path, &format).map_err(|error| TestCaseError::fail(format!("{error}\n{}", context())))?;
    }

    #[test]
    fn random_jobs_of_pbs_are_read_as_they_were_meant(jobs in proptest::collection::vec(any_job(), 1..12)) {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("log");
        let jobs: Vec<Job> = jobs
            .into_iter()
            .map(|job| Job {
                wait_s: Some(job.wait_s.unwrap_or(0)),
                user: job.user.as_deref().map(pbs_name),
                ..job
            })
            .collect();
        let (records, summary) =
            read_at(&path, "auto", &pbs(&jobs)).map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(summary.format.name, "pbs");
        prop_assert_eq!(found(&records), meant(&jobs, 1_500_000_000));
        survives(&path, "auto").map_err(|error| TestCaseError::fail(error.to_string()))?;
    }

    #[test]
    fn random_jobs_of_slurms_json_are_read_as_they_were_meant(
        jobs in proptest::collection::vec(any_job(), 1..12),
        has_objects in any::<bool>(),
    ) {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("log");
        let whole = |job: Job| Job {
            wait_s: Some(job.wait_s.unwrap_or(0)),
            limit_s: job.limit_s.map(|limit_s| limit_s / 60 * 60),
            ..job
        };
        let jobs: Vec<Job> = jobs.into_iter().map(whole).collect();
        let text = slurm_json(&jobs, has_objects);
        let (records, summary) =
            read_at(&path, "auto", &text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(summary.format.name, "slurm-json");
        prop_assert_eq!(found(&records), meant(&jobs, 1_500_000_000), "{}", text);
        survives(&path, "auto").map_err(|error| TestCaseError::fail(error.to_string()))?;
    }
}
