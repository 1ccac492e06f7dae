//! The accounting files of PBS Pro, `OpenPBS` and Torque. Each line is `date;type;job;key=value key=value …`.
//!
//! Jobs are the lines of type E, which are written when a job has ended. All other lines (queued, started, deleted, run
//! again, reservations) are no jobs. Of a line of type E:
//!
//! * The submit time is `ctime`, or what the parameter `submit` says. Start and end are `start` and `end`. All of them
//!   are seconds since 1970. Of a job that was run again, they are those of its last run.
//! * The size is counted in nodes (the hosts of `exec_host` or else of `exec_vnode`, or else `Resource_List.nodect`, which in PBS Pro counts chunks), CPUs (the
//!   slots of these, or else `Resource_List.ncpus`) or GPUs (`Resource_List.ngpus`).
//! * The estimate is `Resource_List.walltime`.
//! * The status is 1 if `Exit_status` is 0, 5 if it is 271 (ended by signal 15, that of `qdel`), and otherwise 0.
//! * The list of nodes has the hosts of `exec_host`, each once, with commas.
//! * The number of the element `[4]` of the array job 123 is 123000004. The line of the array as a whole, `123[]`, is no
//!   job.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_wrap,
    reason = "lines are counted one by one, and known times are above 0, so that their differences are in range"
)]

use super::format::{Format, LineParser, Parsed, number_of_task};
use crate::spec::{Params, SpecError};
use crate::trace::error::Problem;
use crate::trace::facts::{EARLY_ENDS, EARLY_STARTS, Facts};
use crate::trace::names::{NameKind, Names};
use crate::trace::record::Record;
use crate::trace::status::{CANCELLED, COMPLETED, FAILED, UNKNOWN};
use crate::trace::times::{Length, Pair, duration};
use crate::trace::unit::Unit;

/// The row of this format.
pub(super) const FORMAT: Format = Format {
    name: "pbs",
    summary: "accounting file of PBS Pro, OpenPBS or Torque; jobs are the lines of type E",
    source: "PBS Professional Administrator's Guide, section on accounting; Torque Administrator Guide, chapter on job logging",
    parameters: "unit=nodes|cpus|gpus submit=ctime|qtime|etime",
    reads: READS,
    lacks: "machine; the status says only whether a job failed",
    extensions: &[],
    recognises: Some(is_line),
    records_starts: true,
    repeats_jobs: false,
    expects_spaces: false,
    parser: |spec| Ok(Box::new(Pbs::new(Params::new(spec))?)),
    writing: None,
};

/// What is read of a line of type E, and what it becomes.
const READS: &[(&str, &str)] = &[
    (
        "the number before the point, and that in brackets",
        "job number; the element 4 of array 123 is 123000004",
    ),
    ("ctime, or qtime or etime by the parameter submit", "submit time"),
    ("start", "start: the wait time is that from the submission"),
    ("end", "end: the run time is that from the start"),
    (
        "the hosts of exec_host or else of exec_vnode, or else Resource_List.nodect",
        "processors with unit=nodes",
    ),
    (
        "the slots of exec_host or else of exec_vnode, or else Resource_List.ncpus",
        "processors with unit=cpus",
    ),
    ("Resource_List.ngpus", "processors with unit=gpus; 0 if it is missing"),
    ("Resource_List.walltime", "requested time"),
    ("resources_used.cput", "average CPU time, for one processor"),
    ("Exit_status", "status: 1 for 0, 5 for 271, otherwise 0"),
    ("user, group, jobname, queue", "user, group, application and queue, as numbers"),
    ("exec_host, or else exec_vnode", "list of nodes"),
];

/// The exit status of a job that signal 15 ended: 256 and the number of the signal.
const TERMINATED: i64 = 256 + 15;

/// The parser of one log.
struct Pbs {
    unit: Unit,
    /// The key of the submit time.
    submit: &'static str,
    names: Names,
    /// The number of jobs that were run again, and that of lines of arrays as a whole.
    reruns: u64,
    arrays: u64,
    early_starts: u64,
    early_ends: u64,
    has_jobs: bool,
}

impl Pbs {
    /// Makes the parser of one log from the parameters of a spec.
    fn new(mut params: Params) -> Result<Self, SpecError> {
        let unit = Unit::take(&mut params)?;
        let keys = ["ctime", "qtime", "etime"].map(|key| (key, key));
        let submit = params.choose("submit", &keys)?;
        params.finish()?;
        Ok(Self {
            unit,
            submit,
            names: Names::default(),
            reruns: 0,
            arrays: 0,
            early_starts: 0,
            early_ends: 0,
            has_jobs: false,
        })
    }

    /// Returns the record of the values of a line of type E. `job` is the number of the job.
    fn record(&mut self, job: i64, values: &Values) -> Result<Record, Problem> {
        let submit_s = match values.time(self.submit)? {
            None => values.time("ctime")?,
            known => known,
        };
        let (start_s, end_s) = (values.time("start")?, values.time("end")?);
        let (Some(start_s), Some(end_s)) = (start_s, end_s) else {
            return Err(Problem::column(4, "start and end", b"", "both in the line of a job that has ended"));
        };
        self.early_ends += u64::from(end_s < start_s);
        self.early_starts += u64::from(submit_s.is_some_and(|submit_s| start_s < submit_s));
        let submit_s = submit_s.unwrap_or(start_s).min(start_s);
        let hosts = ["exec_host", "exec_vnode"]
            .into_iter()
            .find_map(|key| values.text(key).filter(|text| !text.is_empty()));
        let hosts = Hosts::of(hosts.unwrap_or_default());
        // What a job asked for counts chunks of nodes, of which several may be on one host.
        let nodes = hosts.count().or(values.number("Resource_List.nodect")?);
        let asked = values.number("Resource_List.ncpus")?;
        let cpus = hosts.slots.filter(|&slots| slots > 0).or(asked);
        let procs = match self.unit {
            Unit::Nodes => nodes,
            Unit::Cpus => cpus,
            Unit::Gpus => Some(values.number("Resource_List.ngpus")?.unwrap_or(0)),
        };
        let limit_s = match duration_of(values, "Resource_List.walltime")? {
            Length::Seconds(limit_s, _) => limit_s,
            Length::Missing | Length::Unlimited => -1,
        };
        let used_s = match duration_of(values, "resources_used.cput")? {
            Length::Seconds(sum_s, _) => {
                procs.filter(|&procs| procs > 0).map(|procs| sum_s as f64 / procs as f64)
            }
            Length::Missing | Length::Unlimited => None,
        };
        let status = match values.number("Exit_status")? {
            None => UNKNOWN,
            Some(0) => COMPLETED,
            Some(TERMINATED) => CANCELLED,
            Some(_) => FAILED,
        };
        let mut name = |kind, key: &str| {
            values
                .text(key)
                .filter(|text| !text.is_empty())
                .map_or(-1, |text| self.names.number(kind, text.as_bytes()))
        };
        Ok(Record {
            job,
            submit_s,
            wait_s: start_s - submit_s,
            run_s: if end_s < start_s { -1 } else { end_s - start_s },
            allocated_procs: procs.unwrap_or(-1),
            average_cpu_s: used_s.unwrap_or(-1.0),
            requested_time_s: limit_s,
            status,
            user: name(NameKind::User, "user"),
            group: name(NameKind::Group, "group"),
            executable: name(NameKind::Executable, "jobname"),
            queue: name(NameKind::Queue, "queue"),
            nodes: if hosts.names.is_empty() {
                None
            } else {
                self.names.nodes(hosts.names.join(",").as_bytes())
            },
            ..Record::UNKNOWN
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
        match kind {
            "E" => {}
            "R" => {
                self.reruns += 1;
                return Ok(Parsed::NoJob);
            }
            _ => return Ok(Parsed::NoJob),
        }
        let job = match number_of(id) {
            Some(Some(job)) => job,
            Some(None) => {
                self.arrays += 1;
                return Ok(Parsed::NoJob);
            }
            None => {
                let expected = "the number of a job, such as 123.server or 123[4].server";
                return Err(Problem::column(3, "job", id.as_bytes(), expected));
            }
        };
        let record = self.record(job, &Values::of(parts.next().unwrap_or_default()))?;
        self.has_jobs = true;
        Ok(Parsed::Record(record, 0))
    }

    fn forget_nodes(&mut self) {
        self.names.forget_nodes();
    }

    fn names(&self) -> Option<&Names> {
        Some(&self.names)
    }

    fn facts(&mut self) -> Facts {
        let counts = [
            ("requeues, of which only the last run is read", self.reruns),
            ("array jobs as a whole", self.arrays),
            (EARLY_STARTS, self.early_starts),
            (EARLY_ENDS, self.early_ends),
        ];
        Facts {
            names: std::mem::take(&mut self.names),
            has_unix_times: self.has_jobs,
            counts: counts.into_iter().filter(|&(_, count)| count > 0).collect(),
            ..Facts::default()
        }
    }
}

/// The values of a line by their keys.
struct Values<'a>(Vec<(&'a str, &'a str)>);

impl<'a> Values<'a> {
    /// Returns the values of a text such as `user=anna group=g account="a b"`.
    fn of(text: &'a str) -> Self {
        let (mut values, mut rest) = (Vec::new(), text.trim());
        while let Some((key, after)) = rest.split_once('=') {
            let (value, next) = match after.strip_prefix('"').and_then(|quoted| quoted.split_once('"')) {
                Some(quoted) => quoted,
                None => after.split_once(' ').unwrap_or((after, "")),
            };
            values.push((key, value));
            rest = next.trim_start();
        }
        Self(values)
    }

    /// Returns the value of a key; `None` if it is missing.
    fn text(&self, key: &str) -> Option<&'a str> {
        self.0.iter().find(|(known, _)| *known == key).map(|&(_, value)| value)
    }

    /// Returns the value of a key as an integer; `None` if it is missing.
    fn number(&self, key: &str) -> Result<Option<i64>, Problem> {
        let Some(text) = self.text(key) else { return Ok(None) };
        let number = text.parse().map_err(|_| Problem::column(4, key, text.as_bytes(), "a whole number"))?;
        Ok(Some(number))
    }

    /// Returns the instant of a key in seconds since 1970; `None` if it is missing or 0.
    fn time(&self, key: &str) -> Result<Option<i64>, Problem> {
        Ok(self.number(key)?.filter(|&time_s| time_s > 0))
    }
}

/// Returns the duration of a key. Two numbers are hours and minutes.
fn duration_of(values: &Values<'_>, key: &str) -> Result<Length, Problem> {
    let text = values.text(key).unwrap_or_default();
    duration(text.as_bytes(), 1, Pair::HoursMinutes)
        .map_err(|expected| Problem::column(4, key, text.as_bytes(), expected))
}

/// The hosts of a job.
struct Hosts<'a> {
    /// The names of the hosts, each once.
    names: Vec<&'a str>,
    /// The number of CPUs on them; `None` if there are no hosts.
    slots: Option<i64>,
}

impl<'a> Hosts<'a> {
    /// Returns the hosts of a text such as `n1/0*4+n2/0*4` (PBS Pro), `n1/0+n1/1` (Torque), `n1/0-3,8` (newer Torque) or
    /// `(n1:ncpus=4)+(n2:ncpus=4)` (virtual nodes).
    fn of(text: &'a str) -> Self {
        let (mut names, mut slots): (Vec<&str>, i64) = (Vec::new(), 0);
        for part in text.split('+').filter(|part| !part.is_empty()) {
            let part = part.trim_matches(['(', ')']);
            let end = part.find(['/', ':']).unwrap_or(part.len());
            let (name, rest) = part.split_at(end);
            // Most repetitions follow one another, but not all.
            if names.last() != Some(&name) && !names.contains(&name) {
                names.push(name);
            }
            let times = rest.split_once('*').map(|(_, times)| times.parse().unwrap_or(1));
            let cpus = rest.split(':').find_map(|item| item.strip_prefix("ncpus=")?.parse().ok());
            let listed = rest.strip_prefix('/').and_then(listed_slots);
            slots = slots.saturating_add(times.or(cpus).or(listed).unwrap_or(1));
        }
        let slots = (!names.is_empty()).then_some(slots);
        Self { names, slots }
    }

    /// Returns the number of hosts; `None` if there are none.
    fn count(&self) -> Option<i64> {
        (!self.names.is_empty()).then_some(self.names.len() as i64)
    }
}

/// Returns the number of slots of a list such as `0`, `0-3` or `0-3,8,10-11`; `None` if the text is none.
fn listed_slots(text: &str) -> Option<i64> {
    let mut slots: i64 = 0;
    for part in text.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last): (i64, i64) = (first.parse().ok()?, last.parse().ok()?);
        let found = last.checked_sub(first)?.checked_add(1).filter(|&found| found > 0)?;
        slots = slots.checked_add(found)?;
    }
    Some(slots)
}

/// Returns the number of a job such as `123.server` or `123[4].server`, or no number for an array as a whole such as
/// `123[].server`. Returns `None` if the text is none of them.
#[expect(clippy::option_option, reason = "an array as a whole is not the same as a text that is no job")]
fn number_of(id: &str) -> Option<Option<i64>> {
    let id = id.split('.').next().unwrap_or_default();
    let Some((job, index)) = id.split_once('[') else { return id.parse().ok().map(Some) };
    let (job, index): (i64, &str) = (job.parse().ok()?, index.strip_suffix(']')?);
    if index.is_empty() {
        return Some(None);
    }
    let index: i64 = index.parse().ok()?;
    Some(Some(number_of_task(job, index).unwrap_or(job)))
}

/// Returns whether a line begins with a date, a time and a type of one letter, such as `05/13/2024 10:00:00;E;`.
fn is_line(line: &[u8]) -> bool {
    let Some(([m1, m2, b'/', d1, d2, b'/', ..], rest)) = line.split_at_checked(10) else { return false };
    let digits = [m1, m2, d1, d2].into_iter().all(u8::is_ascii_digit);
    digits
        && matches!(rest, [b' ', _, _, b':', _, _, b':', _, _, b';', kind, b';', ..] if kind.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Spec;

    const PRO: &str = "05/13/2024 11:00:00;E;123.pbs01;user=anna group=phys account=\"a b\" jobname=run.sh queue=workq \
                       ctime=1715594400 qtime=1715594401 etime=1715594402 start=1715594460 \
                       exec_host=n1/0*4+n2/0*4 exec_vnode=(n1:ncpus=4)+(n2:ncpus=4) Resource_List.ncpus=8 \
                       Resource_List.nodect=2 Resource_List.place=pack Resource_List.select=2:ncpus=4 \
                       Resource_List.walltime=01:00:00 session=4711 end=1715598060 Exit_status=0 \
                       resources_used.cput=02:00:00 resources_used.walltime=01:00:00 run_count=1";
    const TORQUE: &str = "05/13/2024 11:00:01;E;124[7].pbs01;user=bert group=chem jobname=t queue=batch ctime=1715594401 \
                          qtime=1715594401 etime=1715594401 start=1715594500 exec_host=n3/0+n3/1+n4/0-1 \
                          Resource_List.nodes=2:ppn=2 Resource_List.walltime=24:00 session=1 end=1715594600 \
                          Exit_status=271";

    fn pbs(spec: &str) -> Pbs {
        let spec: Spec = spec.parse().expect("a spec");
        Pbs::new(Params::new(&spec)).expect("a parser")
    }

    fn record(pbs: &mut Pbs, line: &str) -> Result<Record, Problem> {
        match pbs.parse(line.as_bytes())? {
            Parsed::Record(record, 0) => Ok(record),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn ends_of_jobs_become_records() -> Result<(), Problem> {
        let mut nodes = pbs("pbs");
        let first = Record {
            job: 123,
            submit_s: 1_715_594_400,
            wait_s: 60,
            run_s: 3600,
            allocated_procs: 2,
            average_cpu_s: 3600.0,
            requested_time_s: 3600,
            status: 1,
            user: 1,
            group: 1,
            executable: 1,
            queue: 1,
            nodes: Some(1),
            ..Record::UNKNOWN
        };
        assert_eq!(record(&mut nodes, PRO)?, first);
        let second = record(&mut nodes, TORQUE)?;
        assert_eq!((second.job, second.wait_s, second.run_s, second.status), (124_000_007, 99, 100, 5));
        assert_eq!((second.allocated_procs, second.requested_time_s, second.user), (2, 86_400, 2));
        for line in ["05/13/2024 11:00:00;Q;125.pbs01;queue=workq", "05/13/2024 11:00:00;E;124[].pbs01;x=1"] {
            assert_eq!(nodes.parse(line.as_bytes())?, Parsed::NoJob);
        }
        assert_eq!(nodes.parse(b"05/13/2024 11:00:00;R;126.pbs01;")?, Parsed::NoJob);
        let facts = nodes.facts();
        assert_eq!(facts.names.of(NameKind::Nodes).collect::<Vec<_>>(), ["n1,n2", "n3,n4"]);
        assert_eq!(facts.counts.iter().map(|row| row.1).collect::<Vec<_>>(), [1, 1]);
        assert!(facts.has_unix_times);
        Ok(())
    }

    #[test]
    fn what_a_job_had_goes_before_what_it_asked_for() -> Result<(), Problem> {
        // Chunks of one CPU on one host, and processes of Torque that ask for one.
        let chunks = PRO
            .replace("exec_host=n1/0*4+n2/0*4", "exec_host=n2/0*32")
            .replace("ncpus=8", "ncpus=32")
            .replace("nodect=2", "nodect=32");
        let torque = TORQUE.replace("Resource_List.nodes", "Resource_List.ncpus=1 Resource_List.nodes");
        for (line, nodes, cpus) in [
            (chunks.as_str(), 1, 32),
            (torque.as_str(), 2, 4),
            (&PRO.replace("exec_host=n1/0*4+n2/0*4 exec_vnode=(n1:ncpus=4)+(n2:ncpus=4) ", ""), 2, 8),
        ] {
            assert_eq!(record(&mut pbs("pbs"), line)?.allocated_procs, nodes, "{line}");
            assert_eq!(record(&mut pbs("pbs:unit=cpus"), line)?.allocated_procs, cpus, "{line}");
        }
        let mut early = pbs("pbs");
        assert_eq!(record(&mut early, &PRO.replace("end=1715598060", "end=1715594400"))?.run_s, -1);
        assert!(early.facts().counts.contains(&(EARLY_ENDS, 1)));
        Ok(())
    }

    #[test]
    fn units_and_submit_times_can_be_chosen() -> Result<(), Problem> {
        let mut cpus = pbs("pbs:unit=cpus,submit=etime");
        let (first, second) = (record(&mut cpus, PRO)?, record(&mut cpus, TORQUE)?);
        assert_eq!((first.allocated_procs, first.wait_s, second.allocated_procs), (8, 58, 4));
        assert_eq!(record(&mut pbs("pbs:unit=gpus"), PRO)?.allocated_procs, 0);
        for (hosts, slots) in [
            ("n3/0-3,5", 5),
            ("n3/0,2,4", 3),
            ("n3/0-15+n4/0-3,8-11+n5/2", 25),
            ("n3/a,2", 1),
            ("n3/0-3+n4/5-1", 5),
        ] {
            let line = TORQUE.replace("n3/0+n3/1+n4/0-1", hosts);
            assert_eq!(record(&mut cpus, &line)?.allocated_procs, slots, "{hosts}");
        }
        let wrong: Spec = "pbs:unit=racks".parse().expect("a spec");
        assert!(Pbs::new(Params::new(&wrong)).is_err());
        Ok(())
    }

    #[test]
    fn wrong_lines_say_what_was_expected() {
        for (line, problem) in [
            ("05/13/2024 11:00:00", "1 field, expected 4"),
            (
                "05/13/2024 11:00:00;E;x.pbs;start=1",
                "column 3 (job): found 'x.pbs', expected the number of a job",
            ),
            ("05/13/2024 11:00:00;E;1.pbs;start=1", "column 4 (start and end): found '', expected both"),
            (
                "05/13/2024 11:00:00;E;1.pbs;start=x end=2",
                "column 4 (start): found 'x', expected a whole number",
            ),
        ] {
            let found = pbs("pbs").parse(line.as_bytes()).expect_err(line).to_string();
            assert!(found.starts_with(problem), "{line}: {found}");
        }
        assert!(is_line(PRO.as_bytes()) && !is_line(b"05/13/2024,10") && !is_line(b"1 2 3"));
    }
}
