//! The accounting file of Grid Engine (SGE, UGE, OGS, SoGE): one line for each job that ended, fields
//! separated by colons.
//!
//! Fields up to the project have fixed places. Requests may contain colons; the fields after them are found
//! by the I/O wait, a decimal, and the memory two fields later. Times are seconds since 1970, or milliseconds
//! in newer versions, rounded half a second up.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "jobs are counted one by one; known times are above 0, so that their differences are in range"
)]

use super::batch::{JobTimes, number_of_task};
use super::format::{Format, LineParser, Parsed};
use crate::error::Problem;
use crate::facts::{
    CANCELLED_EARLY, EARLY_ENDS, EARLY_STARTS, Facts, NEVER_STARTED, Oddities, ROUNDED, STEPS_OF_TASKS,
};
use crate::fields::whole_number;
use crate::names::{NameKind, Names};
use crate::record::Record;
use crate::status::{CANCELLED, COMPLETED, FAILED};
use meshreplay_base::spec::{Params, SpecError};

/// The row of this format.
pub(super) const FORMAT: Format = Format {
    name: "sge",
    summary: "accounting file of Grid Engine (SGE, UGE): colons between fields, one job on each line",
    source: "manual page accounting(5) of Grid Engine 6.2, 8.1 and Univa Grid Engine 8.6",
    parameters: "unit=cpus",
    reads: READS,
    lacks: "machine, nodes of parallel jobs, GPUs; the status of jobs that were deleted, in versions without \
         it",
    recognises: Some(is_line),
    records_starts: true,
    records_ends_only: true,
    repeats_jobs: true,
    parser: |spec| Ok(Box::new(Sge::new(Params::new(spec))?)),
    ..Format::UNNAMED
};

/// What is read of a line, and what it becomes.
const READS: &[(&str, &str)] = &[
    ("job_number, task_number", "job number; the task 4 of array 123 is 123000004"),
    ("submission_time", "submit time"),
    ("start_time", "start: the wait time counts from the submission; 0 if the job never started"),
    ("end_time", "end: the run time is that from the start"),
    ("slots", "processors"),
    ("h_rt of category", "requested time"),
    ("cpu", "average CPU time, for one slot"),
    (
        "failed, exit_status, qdel_info",
        "status: 1 if the first two are 0, 5 if the job was deleted, otherwise 0",
    ),
    ("owner, group, job_name, qname", "user, group, application and queue, as numbers"),
];

/// The places of fields in a line, from 0.
const QUEUE: usize = 0;
const GROUP: usize = 2;
const OWNER: usize = 3;
const JOB_NAME: usize = 4;
const JOB_NUMBER: usize = 5;
const SUBMISSION: usize = 8;
const START: usize = 9;
const END: usize = 10;
const FAILURE: usize = 11;
const EXIT_STATUS: usize = 12;
const SLOTS: usize = 34;
const TASK: usize = 35;
const CPU: usize = 36;
const CATEGORY: usize = 39;

/// The fewest fields of a line.
const FEWEST: usize = 42;

/// The words for malformed time limits.
const ODD_LIMITS: &str = "time limits h_rt that are no time, which are unknown";

/// What may be odd in a log.
const ODDITIES: &[&str] =
    &[STEPS_OF_TASKS, CANCELLED_EARLY, NEVER_STARTED, EARLY_STARTS, EARLY_ENDS, ROUNDED, ODD_LIMITS];

/// The parser of one log.
struct Sge {
    names: Names,
    odd: Oddities,
    has_jobs: bool,
}

/// The fields of a line.
struct Fields<'a>(Vec<&'a str>);

impl<'a> Fields<'a> {
    /// Returns a field as a number.
    fn number(&self, at: usize, name: &'static str) -> Result<i64, Problem> {
        whole_number(at + 1, name, self.0[at].as_bytes())
    }

    /// Returns a field as an instant; `None` if it is 0.
    fn instant(&self, at: usize, name: &'static str, odd: &mut Oddities) -> Result<Option<i64>, Problem> {
        /// Seconds of the year 5138; greater numbers are milliseconds.
        const MOST_S: i64 = 100_000_000_000;
        let time = self.number(at, name)?;
        let is_milliseconds = time > MOST_S;
        odd.add(ROUNDED, is_milliseconds && time % 1000 != 0);
        let time_s = if is_milliseconds { time / 1000 + i64::from(time % 1000 >= 500) } else { time };
        Ok(Some(time_s).filter(|&time_s| time_s > 0))
    }

    /// Returns the fields behind the requests: the wait for input and output, the number of a task of a
    /// parallel job, the memory and so on; an empty list if they are not found.
    fn behind_requests(&self) -> &[&'a str] {
        let rest = self.0.get(CATEGORY + 1..).unwrap_or_default();
        let is_number = |text: &str| text.parse::<f64>().is_ok();
        let begins = |part: &[&str]| part[0].contains('.') && is_number(part[0]) && is_number(part[2]);
        rest.windows(3).position(begins).map_or(&[], |at| &rest[at..])
    }

    /// Returns the time limit in seconds, `h_rt` of the requests: seconds, or hours, minutes and seconds. −1
    /// without one; counts one that is malformed in `odd`.
    fn limit_s(&self, odd: &mut Oddities) -> i64 {
        let text = self.0[CATEGORY..].join(":");
        let Some((_, value)) = text.split_once("h_rt=") else { return -1 };
        let value = value.split([',', ' ']).next().unwrap_or_default();
        // The field behind the requests has a point.
        let parts = value.split(':').take_while(|part| !part.contains('.'));
        let numbers: Option<Vec<i64>> = parts.map(|part| Some(part.parse::<u32>().ok()?.into())).collect();
        match numbers.as_deref() {
            Some([hours, minutes, seconds]) => 3600 * hours + 60 * minutes + seconds,
            Some([seconds]) => *seconds,
            _ => {
                odd.add(ODD_LIMITS, !value.to_ascii_uppercase().starts_with("INF"));
                -1
            }
        }
    }
}

impl Sge {
    /// Makes the parser of one log from the parameters of a spec.
    fn new(mut params: Params) -> Result<Self, SpecError> {
        params.choose("unit", &[("cpus", ())])?;
        params.finish()?;
        Ok(Self { names: Names::default(), odd: Oddities::new(ODDITIES), has_jobs: false })
    }

    fn record(&mut self, fields: &Fields) -> Result<Record, Problem> {
        let submit_s = fields.instant(SUBMISSION, "submission_time", &mut self.odd)?;
        let start_s = fields.instant(START, "start_time", &mut self.odd)?;
        let end_s = fields.instant(END, "end_time", &mut self.odd)?;
        let (job, task) = (fields.number(JOB_NUMBER, "job_number")?, fields.number(TASK, "task_number")?);
        let slots = fields.number(SLOTS, "slots")?;
        let is_deleted = fields.behind_requests().get(6).is_some_and(|by| !matches!(*by, "" | "NONE"));
        let ended_well =
            fields.number(FAILURE, "failed")? == 0 && fields.number(EXIT_STATUS, "exit_status")? == 0;
        let status = match (ended_well, is_deleted) {
            (_, true) => CANCELLED,
            (true, false) => COMPLETED,
            (false, false) => FAILED,
        };
        let early_end = if status == CANCELLED { CANCELLED_EARLY } else { NEVER_STARTED };
        self.odd.add(early_end, start_s.is_none());
        let run_s = start_s.map_or(Some(0), |start_s| Some(end_s? - start_s));
        let times = JobTimes { submit_s: submit_s.or(start_s), start_s, run_s };
        let cpu_s = fields.0[CPU].parse::<f64>().ok().filter(|_| slots > 0).map(|cpu_s| cpu_s / slots as f64);
        let mut name = |kind, at: usize| self.names.number(kind, fields.0[at].as_bytes());
        Ok(Record {
            job: if task > 0 { number_of_task(job, task).unwrap_or(job) } else { job },
            allocated_procs: if start_s.is_some() { slots } else { -1 },
            requested_procs: if start_s.is_some() { -1 } else { slots },
            average_cpu_s: cpu_s.unwrap_or(-1.0),
            requested_time_s: fields.limit_s(&mut self.odd),
            status,
            user: name(NameKind::User, OWNER),
            group: name(NameKind::Group, GROUP),
            executable: name(NameKind::Executable, JOB_NAME),
            queue: name(NameKind::Queue, QUEUE),
            ..times.record(&mut self.odd)
        })
    }
}

impl LineParser for Sge {
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        if line.starts_with(b"#") {
            return Ok(Parsed::NoJob);
        }
        let text = String::from_utf8_lossy(line);
        let fields = Fields(text.split(':').collect());
        if fields.0.len() < FEWEST {
            return Err(Problem::TooFewFields { found: fields.0.len(), expected: FEWEST });
        }
        if fields.0.len() >= 2 * FEWEST - 1 {
            let expected = "a line for each job: this one has the fields of two";
            return Err(Problem::column(1, "fields", fields.0.len().to_string().as_bytes(), expected));
        }
        // A task of a parallel job has its number where jobs have NONE.
        if fields.behind_requests().get(1).is_some_and(|task| !matches!(*task, "" | "NONE")) {
            self.odd.add(STEPS_OF_TASKS, true);
            return Ok(Parsed::Part);
        }
        let record = self.record(&fields)?;
        self.has_jobs = true;
        Ok(Parsed::Record(record, 0))
    }

    fn names(&mut self) -> Option<&mut Names> {
        Some(&mut self.names)
    }

    fn facts(&mut self) -> Facts {
        Facts {
            names: std::mem::take(&mut self.names),
            has_unix_times: self.has_jobs,
            notes: vec!["processors are slots".to_owned()],
            counts: self.odd.rows(),
            ..Facts::default()
        }
    }
}

/// Returns whether a line has the fields of a job, with numbers where they belong.
fn is_line(line: &[u8]) -> bool {
    let fields: Vec<&[u8]> = line.split(|&byte| byte == b':').collect();
    let is_number = |at: &usize| !fields[*at].is_empty() && fields[*at].iter().all(u8::is_ascii_digit);
    fields.len() >= FEWEST
        && [JOB_NUMBER, SUBMISSION, START, END, FAILURE, EXIT_STATUS, SLOTS, TASK].iter().all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_base::spec::Spec;

    const LINE: &str = "all.q:n01.cluster:phys:anna:run.sh:1001:sge:0:1310761000:1310761060:1310764660:0:0:3600:14000.5:12.2:104188:0:0:0:0:28001:0:0:0.0:24:0:0:0:41:549:NONE:defaultdepartment:mpi:32:0:14012.7:7.3:0.0:-l h_rt=36000 -pe mpi 32:0.0:NONE:189153280:0:0";

    fn read(lines: &[&str]) -> Result<(Vec<Record>, Facts), Problem> {
        let mut parser = Sge::new(Params::new(&Spec::named("sge"))).expect("a parser");
        let mut records = Vec::new();
        for line in lines {
            if let Parsed::Record(record, 0) = parser.parse(line.as_bytes())? {
                records.push(record);
            }
        }
        Ok((records, parser.facts()))
    }

    #[test]
    fn lines_are_jobs() -> Result<(), Problem> {
        let recent = LINE
            .replace("1310761000:1310761060:1310764660", "1310761000000:1310761059500:1310764660499")
            .replace("-l h_rt=36000", "-l cpu=24:00:00,h_rt=10:00:00")
            .replace(":32:0:14012.7", ":32:7:14012.7");
        let never = LINE.replace("1310761060:1310764660:0:0", "0:0:26:0");
        let deleted = LINE.replace(":0:0:3600", ":100:137:3600") + ":NONE:anna@login:1";
        let task = LINE.replace("NONE:189153280", "1.n01:189153280");
        let (jobs, facts) = read(&["# Version: 8.1.9", LINE, &recent, &never, &deleted, &task])?;
        let found: Vec<_> =
            jobs.iter().map(|job| (job.job, job.submit_s, job.wait_s, job.run_s, job.status)).collect();
        assert_eq!(
            found,
            [
                (1001, 1_310_761_000, 60, 3600, 1),
                (1_001_000_007, 1_310_761_000, 60, 3600, 1),
                (1001, 1_310_761_000, -1, 0, 0),
                (1001, 1_310_761_000, 60, 3600, 5),
            ]
        );
        let sizes: Vec<_> = jobs.iter().map(|job| (job.allocated_procs, job.requested_time_s)).collect();
        assert_eq!(sizes, [(32, 36_000), (32, 36_000), (-1, 36_000), (32, 36_000)]);
        assert_eq!(facts.counts, [(STEPS_OF_TASKS, 1), (NEVER_STARTED, 1), (ROUNDED, 2)]);
        assert_eq!(facts.names.name(NameKind::Executable, 1).as_deref(), Some("run.sh"));
        Ok(())
    }

    #[test]
    fn limits_are_seconds_or_clocks() -> Result<(), Problem> {
        for (limit, expected, odd) in [
            ("36000", 36_000, 0),
            ("10:00:00", 36_000, 0),
            ("1:0:5", 3605, 0),
            ("INFINITY", -1, 0),
            ("4294967295,h_vmem=2G", 4_294_967_295, 0),
            ("1h", -1, 1),
            ("-5", -1, 1),
            ("1:30", -1, 1),
            ("10:00:0x", -1, 1),
            ("10:-5:00,h_vmem=2G", -1, 1),
        ] {
            let (jobs, facts) = read(&[&LINE.replace("h_rt=36000", &format!("h_rt={limit}"))])?;
            assert_eq!(jobs[0].requested_time_s, expected, "{limit}");
            assert_eq!(facts.counts.iter().map(|row| row.1).sum::<u64>(), odd, "{limit}");
        }
        Ok(())
    }

    #[test]
    fn other_lines_are_none() {
        assert!(is_line(LINE.as_bytes()));
        for other in ["a:b:c", "05/13/2024 10:00:00;E;1.srv;x=1", &LINE.replace(":32:0:", ":x:0:")] {
            assert!(!is_line(other.as_bytes()), "{other}");
        }
        let problem = read(&[&LINE.replace(":32:0:", ":x:0:")]).expect_err("slots").to_string();
        assert_eq!(problem, "column 35 (slots): found 'x', expected a whole number");
        assert!(read(&["a:b:c"]).is_err());
        let problem = read(&[&format!("{LINE}{LINE}")]).expect_err("two lines").to_string();
        assert!(problem.contains("the fields of two"), "{problem}");
    }
}
