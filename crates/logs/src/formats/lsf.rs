//! The accounting file of LSF, `lsb.acct`: events with fields between blanks, texts in double quotes. Jobs
//! are the events `JOB_FINISH`; all others (reservations, for example) are no jobs.
//!
//! A line has two lists of hosts, each after its length: the hosts requested and the hosts used. A host used
//! is one slot, or several (`16*h1`). Submission, start and end are seconds since 1970. A job that ended
//! before its start has the start 0.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_wrap,
    reason = "positions in a line, and jobs that are counted one by one; known times are above 0"
)]

use std::ops::Range;

use super::batch::{JobTimes, number_of_task};
use super::cells::{Cells, Delimiter};
use super::format::{Format, LineParser, Parsed};
use crate::error::Problem;
use crate::facts::{CANCELLED_EARLY, EARLY_ENDS, EARLY_STARTS, Facts, ODD_SLOTS, Oddities};
use crate::fields::{parsed, whole_number};
use crate::names::{NameKind, Names};
use crate::record::Record;
use crate::status::{CANCELLED, COMPLETED, FAILED};
use crate::unit::Unit;
use foldhash::HashSet;
use meshreplay_base::spec::{Params, SpecError};

/// The row of this format.
pub(super) const FORMAT: Format = Format {
    name: "lsf",
    summary: "accounting file of LSF (lsb.acct); jobs are the events JOB_FINISH",
    source: "IBM Spectrum LSF, reference of configuration and files: lsb.acct",
    parameters: "unit=cpus|nodes",
    reads: READS,
    lacks: "machine, time limits, GPUs; only failed or not as a status",
    recognises: Some(|line| line.starts_with(JOB) || line.starts_with(b"\"EVENT_ADRSV_FINISH\" ")),
    records_starts: true,
    records_ends_only: true,
    repeats_jobs: true,
    parser: |spec| Ok(Box::new(Lsf::new(Params::new(spec))?)),
    ..Format::UNNAMED
};

/// How the event of a job begins.
const JOB: &[u8] = b"\"JOB_FINISH\" ";

/// What is read of an event, and what it becomes.
const READS: &[(&str, &str)] = &[
    ("jobId, idx", "job number; the element 4 of array 123 is 123000004"),
    ("submitTime", "submit time"),
    ("startTime", "start: the wait time counts from the submission; 0 if the job never started"),
    ("Event Time", "end: the run time is that from the start"),
    ("execHosts", "processors: slots with unit=cpus, hosts with unit=nodes; list of nodes"),
    ("numProcessors", "requested processors, with unit=cpus"),
    ("jStatus", "status: 1 for 64 (done), 5 for jobs that never started, otherwise 0"),
    ("userName, projectName, jobName, queue", "user, group, application and queue, as numbers"),
];

/// The places of fields before the lists of hosts, from 0.
const END: usize = 2;
const JOB_ID: usize = 3;
const PROCESSORS: usize = 6;
const SUBMIT: usize = 7;
const START: usize = 10;
const USER: usize = 11;
const QUEUE: usize = 12;
const ASKED_HOSTS: usize = 22;

/// The places of fields behind the lists of hosts, from the first of them on.
const STATUS: usize = 0;
const JOB_NAME: usize = 2;
const PROJECT: usize = 24;
const INDEX: usize = 29;

/// The number of `jStatus` for a job that is done.
const DONE: i64 = 64;

/// What may be odd in a log.
const ODDITIES: &[&str] = &[CANCELLED_EARLY, EARLY_STARTS, EARLY_ENDS, ODD_SLOTS];

/// The parser of one log.
struct Lsf {
    unit: Unit,
    names: Names,
    odd: Oddities,
}

/// The fields of an event.
struct Fields(Cells);

impl Fields {
    /// Returns a field; empty if the event has fewer.
    fn text(&self, at: usize) -> &[u8] {
        self.0.get(at + 1).unwrap_or_default()
    }

    /// Returns a field as a number.
    fn number(&self, at: usize, name: &'static str) -> Result<i64, Problem> {
        whole_number(at + 1, name, self.text(at))
    }

    /// Returns a field as an instant; `None` if it is 0.
    fn instant(&self, at: usize, name: &'static str) -> Result<Option<i64>, Problem> {
        Ok(Some(self.number(at, name)?).filter(|&time_s| time_s > 0))
    }

    /// Returns the places of the hosts in the list after its length, field `at`.
    fn hosts(&self, at: usize, name: &'static str) -> Result<Range<usize>, Problem> {
        let count = usize::try_from(self.number(at, name)?).unwrap_or(usize::MAX);
        let (found, expected) = (self.0.count(), at.saturating_add(1).saturating_add(count));
        if expected > found { Err(Problem::TooFewFields { found, expected }) } else { Ok(at + 1..expected) }
    }
}

impl Lsf {
    /// Makes the parser of one log from the parameters of a spec.
    fn new(mut params: Params) -> Result<Self, SpecError> {
        let unit = params.choose("unit", &[("cpus", Unit::Cpus), ("nodes", Unit::Nodes)])?;
        params.finish()?;
        Ok(Self { unit, names: Names::default(), odd: Oddities::new(ODDITIES) })
    }

    /// Returns the record of an event `JOB_FINISH`.
    fn record(&mut self, fields: &Fields) -> Result<Record, Problem> {
        let asked_hosts = fields.hosts(ASKED_HOSTS, "numAskedHosts")?;
        let hosts = fields.hosts(asked_hosts.end, "numExHosts")?;
        let behind = hosts.end;
        let submit_s = fields.instant(SUBMIT, "submitTime")?;
        let start_s = fields.instant(START, "startTime")?;
        let end_s = fields.instant(END, "Event Time")?;
        let is_done = fields.number(behind + STATUS, "jStatus")? == DONE;
        let asked = fields.number(PROCESSORS, "numProcessors")?;
        let job = fields.number(JOB_ID, "jobId")?;
        let index = parsed(fields.text(behind + INDEX)).filter(|&index| index > 0);
        let has_hosts = !hosts.is_empty();
        let (mut names, mut seen, mut slots) = (Vec::new(), HashSet::default(), 0_i64);
        for host in hosts.map(|at| fields.text(at)) {
            let (times, name) = match memchr::memchr(b'*', host) {
                Some(star) => (parsed::<u32>(&host[..star]), &host[star + 1..]),
                None => (Some(1), host),
            };
            self.odd.add(ODD_SLOTS, times.is_none() && self.unit == Unit::Cpus);
            slots = slots.saturating_add(times.unwrap_or(1).into());
            if seen.insert(name) {
                names.push(name);
            }
        }
        let allocated = match self.unit {
            Unit::Nodes => names.len() as i64,
            Unit::Cpus | Unit::Gpus => {
                if has_hosts {
                    slots
                } else {
                    asked
                }
            }
        };
        self.odd.add(CANCELLED_EARLY, start_s.is_none());
        let run_s = start_s.map_or(Some(0), |start_s| Some(end_s? - start_s));
        let times = JobTimes { submit_s: submit_s.or(start_s), start_s, run_s };
        let mut name = |kind, at: usize| self.names.known_number(kind, fields.text(at));
        Ok(Record {
            job: index.and_then(|index| number_of_task(job, index)).unwrap_or(job),
            allocated_procs: if start_s.is_none() { -1 } else { allocated },
            requested_procs: if self.unit == Unit::Nodes { -1 } else { asked },
            status: match (is_done, start_s) {
                (true, _) => COMPLETED,
                (false, None) => CANCELLED,
                (false, Some(_)) => FAILED,
            },
            user: name(NameKind::User, USER),
            group: name(NameKind::Group, behind + PROJECT),
            executable: name(NameKind::Executable, behind + JOB_NAME),
            queue: name(NameKind::Queue, QUEUE),
            nodes: start_s.and_then(|_| self.names.nodes(&names.join(&b","[..]))),
            ..times.record(&mut self.odd)
        })
    }
}

impl LineParser for Lsf {
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        if !line.starts_with(JOB) {
            let is_event = line.starts_with(b"\"") || line.starts_with(b"#");
            let expected = "an event such as \"JOB_FINISH\"";
            return if is_event {
                Ok(Parsed::NoJob)
            } else {
                Err(Problem::column(1, "event", line, expected))
            };
        }
        // The next event follows where a line end was lost.
        let next = memchr::memmem::find_iter(&line[1..], JOB)
            .find(|at| line[1 + at + JOB.len()..].starts_with(b"\""));
        if let Some(at) = next {
            let expected = "a line for each event: another one begins on this line";
            return Err(Problem::column(1, "event", &line[1 + at..], expected));
        }
        let mut cells = Cells::default();
        if let Err(fault) = cells.split(line, Delimiter::Blanks, true) {
            return Err(fault.problem(&cells, line, ""));
        }
        Ok(Parsed::Record(self.record(&Fields(cells))?, 0))
    }

    fn names(&mut self) -> Option<&mut Names> {
        Some(&mut self.names)
    }

    fn facts(&mut self) -> Facts {
        let unit = match self.unit {
            Unit::Nodes => "processors are nodes",
            Unit::Cpus | Unit::Gpus => "processors are slots; --unit nodes counts hosts",
        };
        Facts {
            names: std::mem::take(&mut self.names),
            has_unix_times: true,
            notes: vec![unit.to_owned()],
            counts: self.odd.rows(),
            ..Facts::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_base::spec::Spec;

    const LINE: &str = r##""JOB_FINISH" "10.1" 1389645000 501 2201 33882739 32 1389640000 0 0 1389641400 "anna" "normal" "span[ptile=16]" "" "" "login1" "/scratch/anna" "" "%J.out" "%J.err" "1389640000.501" 0 2 "16*h1" "16*h2" 64 60.0 "job ""one""" "#!/bin/sh;./a.out" 5793.2 6.0 966960 0 -1 0 0 3026323 0 0 0 0 -1 0 0 0 12529329 6498459 -1 "" "proj" 0 32 "" """##;

    fn read(spec: &str, lines: &[&str]) -> Result<(Vec<Record>, Facts), Problem> {
        let spec: Spec = spec.parse().expect("a spec");
        let mut parser = Lsf::new(Params::new(&spec)).expect("a parser");
        let mut records = Vec::new();
        for line in lines {
            if let Parsed::Record(record, 0) = parser.parse(line.as_bytes())? {
                records.push(record);
            }
        }
        Ok((records, parser.facts()))
    }

    #[test]
    fn events_are_jobs() -> Result<(), Problem> {
        let listed = LINE.replace(r#"0 2 "16*h1" "16*h2""#, r#"1 "h1 h2" 3 "h1" "h1" "h2""#);
        let element = format!("{LINE} 4 0 0");
        let never = LINE.replace("1389641400", "0").replace(r#"2 "16*h1" "16*h2" 64"#, "0 32");
        let failed = LINE.replace(r#""16*h2" 64"#, r#""16*h2" 32"#);
        let lines = [LINE, &listed, &element, &never, &failed, r#""EVENT_ADRSV_FINISH" "10.1" 1 2 3"#];
        let (jobs, facts) = read("lsf", &lines)?;
        let found: Vec<_> = jobs
            .iter()
            .map(|job| (job.job, job.wait_s, job.run_s, job.allocated_procs, job.requested_procs, job.status))
            .collect();
        assert_eq!(
            found,
            [
                (501, 1400, 3600, 32, 32, 1),
                (501, 1400, 3600, 3, 32, 1),
                (501_000_004, 1400, 3600, 32, 32, 1),
                (501, -1, 0, -1, 32, 5),
                (501, 1400, 3600, 32, 32, 0),
            ]
        );
        assert_eq!(facts.counts, [(CANCELLED_EARLY, 1)]);
        let name = |kind| facts.names.name(kind, 1);
        assert_eq!(name(NameKind::Nodes).as_deref(), Some("h1,h2"));
        assert_eq!(name(NameKind::Executable).as_deref(), Some("job \"one\""));
        assert_eq!(name(NameKind::Group).as_deref(), Some("proj"));
        let nodes: Vec<_> = read("lsf:unit=nodes", &lines)?.0.iter().map(|job| job.allocated_procs).collect();
        assert_eq!(nodes, [2, 2, 2, -1, 2]);
        Ok(())
    }

    #[test]
    fn slots_that_are_no_number_are_counted() -> Result<(), Problem> {
        for (hosts, slots, counts) in [
            (r#""16*h1" "1x*h2""#, 17, &[(ODD_SLOTS, 1)][..]),
            (r#""-3*h1" "*h2""#, 2, &[(ODD_SLOTS, 2)]),
            (r#""16*h1" "h2""#, 17, &[]),
        ] {
            let line = LINE.replace(r#""16*h1" "16*h2""#, hosts);
            let (jobs, facts) = read("lsf", &[&line])?;
            assert_eq!((jobs[0].allocated_procs, &facts.counts[..]), (slots, counts), "{hosts}");
            assert!(read("lsf:unit=nodes", &[&line])?.1.counts.is_empty(), "{hosts}");
        }
        Ok(())
    }

    #[test]
    fn two_events_on_one_line_are_refused() {
        for between in ["", " "] {
            let problem =
                read("lsf", &[&format!("{LINE}{between}{LINE}")]).expect_err("two events").to_string();
            assert!(problem.contains("another one begins on this line"), "{problem}");
        }
    }

    /// Comparing each host with all others would take 40 s.
    #[test]
    fn long_lists_of_hosts_take_linear_time() -> Result<(), Problem> {
        let hosts: Vec<String> = (0..60_000).map(|host| format!("\"h{host}\"")).collect();
        let line = LINE.replace(r#"2 "16*h1" "16*h2""#, &format!("{} {}", hosts.len(), hosts.join(" ")));
        let nodes: Vec<_> =
            read("lsf:unit=nodes", &[&line])?.0.iter().map(|job| job.allocated_procs).collect();
        assert_eq!(nodes, [60_000]);
        Ok(())
    }

    #[test]
    fn wrong_events_say_what_was_expected() {
        for (line, problem) in [
            ("501 1 2".to_owned(), "column 1 (event): found '501 1 2', expected an event"),
            (
                LINE.replace("1389641400", "soon"),
                "column 11 (startTime): found 'soon', expected a whole number",
            ),
            (LINE.replace("0 2 ", "0 99 "), "fields, expected 123"),
            (LINE.replace("\"login1\"", "\"login\"1\""), "column 17 (quoted text): found"),
            (r#""JOB_FINISH" "10.1""#.to_owned(), "column 23 (numAskedHosts): found ''"),
        ] {
            let found = read("lsf", &[&line]).expect_err(&line).to_string();
            assert!(found.contains(problem), "{found}");
        }
    }
}
