//! The accounting files of PBS Pro, `OpenPBS`, Torque and Cobalt. Each line is `date;type;job;key=value key=value …`.
//!
//! Jobs are the lines of type E, which are written when a job has ended. All other lines (queued, started, deleted, run
//! again, reservations) are no jobs. Of a line of type E:
//!
//! * The submit time is `ctime`, or the key that the parameter `submit` names. Start and end are `start` and `end`. All of
//!   them are seconds since 1970; fractions (Cobalt) are rounded, half a second up. 0 and an empty value are unknown. Of a
//!   job that was run again, they are those of its last run.
//! * [`place`] and [`size`] find the size: nodes, CPUs or GPUs.
//! * The estimate is `Resource_List.walltime`.
//! * The status is 1 if `Exit_status` is 0, 5 if it is 271 (ended by signal 15, that of `qdel`), and otherwise 0.
//! * The list of nodes has the hosts, each once, with commas.
//! * The number of the element `[4]` or `-4` of the array job 123 is 123000004. The line of the array as a whole, `123[]`,
//!   is no job.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_wrap,
    reason = "lines are counted one by one, and known times are above 0, so that their differences are in range"
)]

mod place;
mod size;
mod values;

use self::place::Place;
use self::values::Values;
use super::format::{Format, LineParser, Parsed, number_of_task};
use crate::spec::{Params, SpecError};
use crate::trace::error::Problem;
use crate::trace::facts::{
    CANCELLED_EARLY, EARLY_ENDS, EARLY_STARTS, Facts, NEVER_STARTED, ROUNDED, STILL_RUNNING,
};
use crate::trace::names::{NameKind, Names};
use crate::trace::record::Record;
use crate::trace::status::{CANCELLED, COMPLETED, FAILED, UNKNOWN};
use crate::trace::times::Length;
use crate::trace::unit::Unit;

/// The row of this format.
pub(super) const FORMAT: Format = Format {
    name: "pbs",
    summary: "accounting file of PBS Pro, OpenPBS, Torque or Cobalt; jobs are the lines of type E",
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
        "the number before the point, and that in brackets or behind a hyphen",
        "job number; the element 4 of array 123 is 123000004",
    ),
    ("ctime, or qtime or etime by the parameter submit", "submit time"),
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
    names: Names,
    counts: Counts,
    has_jobs: bool,
}

/// What was odd in the log.
#[derive(Default)]
struct Counts {
    reruns: u64,
    arrays: u64,
    cancelled: u64,
    never_started: u64,
    running: u64,
    early_starts: u64,
    early_ends: u64,
    rounded: u64,
    /// Jobs of a Cray, and those among them whose number of nodes is unknown.
    cray: u64,
    without_nodes: u64,
}

/// The instants of a job in seconds since 1970; `None` if they are unknown.
#[derive(Clone, Copy)]
struct Instants {
    submit_s: Option<i64>,
    start_s: Option<i64>,
    end_s: Option<i64>,
}

impl Pbs {
    /// Makes the parser of one log from the parameters of a spec.
    fn new(mut params: Params) -> Result<Self, SpecError> {
        let unit = Unit::take(&mut params)?;
        let keys = ["ctime", "qtime", "etime"].map(|key| (key, key));
        let submit = params.choose("submit", &keys)?;
        params.finish()?;
        let (names, counts) = (Names::default(), Counts::default());
        Ok(Self { unit, submit, names, counts, has_jobs: false })
    }

    /// Reads the instants of a job, and counts what is odd in them.
    fn instants(&mut self, values: &Values) -> Result<Instants, Problem> {
        let counts = &mut self.counts;
        let mut time = |key| values.time(key, &mut counts.rounded);
        let submit_s = match time(self.submit)? {
            None if self.submit != "ctime" => time("ctime")?,
            known => known,
        };
        let (start_s, end_s) = (time("start")?, time("end")?);
        if values.text("end").is_none() {
            return Err(Problem::column(4, "end", b"", "the end, in the line of a job that has ended"));
        }
        // An end before the start is that of a clock that was set back.
        counts.early_ends += u64::from(start_s.zip(end_s).is_some_and(|(start_s, end_s)| end_s < start_s));
        counts.running += u64::from(start_s.is_some() && end_s.is_none());
        let is_early = submit_s.zip(start_s).is_some_and(|(submit_s, start_s)| start_s < submit_s);
        counts.early_starts += u64::from(is_early);
        let submit_s = if is_early { start_s } else { submit_s.or(start_s) };
        Ok(Instants { submit_s, start_s, end_s })
    }

    /// Returns the record of the values of a line of type E. `job` is the number of the job.
    fn record(&mut self, job: i64, values: &Values) -> Result<Record, Problem> {
        let place = Place::of(values)?;
        let procs = size::procs(values, &place, self.unit)?;
        let limit_s = match values.duration("Resource_List.walltime")? {
            Length::Seconds(limit_s, _) => limit_s,
            Length::Missing | Length::Unlimited => -1,
        };
        let used_s = match values.duration("resources_used.cput")? {
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
        let Instants { submit_s, start_s, end_s } = self.instants(values)?;
        if start_s.is_none() && end_s.is_some() {
            let is_cancelled = status == CANCELLED;
            self.counts.cancelled += u64::from(is_cancelled);
            self.counts.never_started += u64::from(!is_cancelled);
        }
        let is_cray = matches!(place, Place::Cray { .. });
        self.counts.cray += u64::from(is_cray);
        self.counts.without_nodes += u64::from(is_cray && procs.is_none());
        let run_s = match (start_s, end_s) {
            (Some(start_s), Some(end_s)) if end_s >= start_s => end_s - start_s,
            (None, Some(_)) => 0,
            _ => -1,
        };
        let has_started = start_s.is_some();
        let mut name = |kind, key: &str| {
            values
                .text(key)
                .filter(|text| !text.is_empty())
                .map_or(-1, |text| self.names.number(kind, text.as_bytes()))
        };
        let known = |value: Option<i64>| value.unwrap_or(-1);
        Ok(Record {
            job,
            submit_s: known(submit_s),
            wait_s: known(start_s.zip(submit_s).map(|(start_s, submit_s)| start_s - submit_s)),
            run_s,
            allocated_procs: known(procs.filter(|_| has_started)),
            requested_procs: known(procs.filter(|_| !has_started)),
            average_cpu_s: used_s.unwrap_or(-1.0),
            requested_time_s: limit_s,
            status,
            user: name(NameKind::User, "user"),
            group: name(NameKind::Group, "group"),
            executable: name(NameKind::Executable, "jobname"),
            queue: name(NameKind::Queue, "queue"),
            nodes: place.list().filter(|_| has_started).and_then(|list| self.names.nodes(list.as_bytes())),
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
                self.counts.reruns += 1;
                return Ok(Parsed::NoJob);
            }
            _ => return Ok(Parsed::NoJob),
        }
        let job = match number_of(id) {
            Some(Some(job)) => job,
            Some(None) => {
                self.counts.arrays += 1;
                return Ok(Parsed::NoJob);
            }
            None => {
                let expected = "the number of a job, such as 123.server, 123[4].server or 123-4.server";
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
        let Counts { reruns, arrays, cancelled, never_started, running, .. } = self.counts;
        let counts = [
            ("requeues, of which only the last run is read", reruns),
            ("array jobs as a whole", arrays),
            (CANCELLED_EARLY, cancelled),
            (NEVER_STARTED, never_started),
            (STILL_RUNNING, running),
            (EARLY_STARTS, self.counts.early_starts),
            (EARLY_ENDS, self.counts.early_ends),
            (ROUNDED, self.counts.rounded),
            (CRAY, self.counts.cray),
            (WITHOUT_NODES, self.counts.without_nodes),
        ];
        Facts {
            names: std::mem::take(&mut self.names),
            has_unix_times: self.has_jobs,
            counts: counts.into_iter().filter(|&(_, count)| count > 0).collect(),
            ..Facts::default()
        }
    }
}

/// The words for jobs of a Cray.
const CRAY: &str = "jobs of a Cray, sized by mppwidth and mppnppn, as exec_host is a login node";

/// The words for jobs of a Cray without `mppnppn`.
const WITHOUT_NODES: &str = "jobs of a Cray whose number of nodes is unknown; --unit cpus counts processors";

/// Returns the number of a job such as `123.server`, `123[4].server` or `123-4.server` (Torque 2), or no number for an array
/// as a whole such as `123[].server`. Returns `None` if the text is none of them.
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
    fn unknown_starts_and_ends_are_no_instants() -> Result<(), Problem> {
        for (from, to, expected, count) in [
            ("start=1715594460", "start=0", (-1, 0, -1, 2), Some(NEVER_STARTED)),
            ("start=1715594460", "start=", (-1, 0, -1, 2), Some(NEVER_STARTED)),
            ("end=1715598060", "end=0", (60, -1, 2, -1), Some(STILL_RUNNING)),
            ("end=1715598060", "end=Unknown", (60, -1, 2, -1), Some(STILL_RUNNING)),
            ("ctime=1715594400", "ctime=0", (0, 3600, 2, -1), None),
        ] {
            let mut parser = pbs("pbs");
            let job = record(&mut parser, &PRO.replace(from, to))?;
            let found = (job.wait_s, job.run_s, job.allocated_procs, job.requested_procs);
            assert_eq!((found, job.nodes.is_some()), (expected, expected.2 > 0), "{to}");
            let counts = parser.facts().counts;
            assert_eq!(counts.iter().map(|row| row.0).collect::<Vec<_>>(), Vec::from_iter(count), "{to}");
        }
        let mut parser = pbs("pbs");
        let deleted = PRO.replace("start=1715594460", "start=0").replace("Exit_status=0", "Exit_status=271");
        assert_eq!(record(&mut parser, &deleted)?.status, 5);
        assert_eq!(parser.facts().counts, [(CANCELLED_EARLY, 1)]);
        Ok(())
    }

    #[test]
    fn jobs_of_a_cray_and_of_cobalt_have_their_nodes() -> Result<(), Problem> {
        let login = PRO.replace("n1/0*4+n2/0*4", "login1/4");
        let cray =
            login.replace("Resource_List.ncpus=8", "Resource_List.mppwidth=256 Resource_List.mppnppn=16");
        let mut parser = pbs("pbs");
        let job = record(&mut parser, &cray)?;
        assert_eq!((job.allocated_procs, job.nodes), (16, None));
        assert_eq!(parser.facts().counts, [(CRAY, 1)]);
        let mut parser = pbs("pbs");
        assert_eq!(record(&mut parser, &cray.replace(" Resource_List.mppnppn=16", ""))?.allocated_procs, -1);
        assert_eq!(parser.facts().counts, [(CRAY, 1), (WITHOUT_NODES, 1)]);
        let cobalt = PRO
            .replace("n1/0*4+n2/0*4", "\"3840-3845,3850-3851\"")
            .replace("ctime=1715594400", "ctime=1715594400.25")
            .replace("start=1715594460", "start=1715594460.75")
            .replace("end=1715598060", "end=1715598060.5");
        let mut parser = pbs("pbs");
        let job = record(&mut parser, &cobalt)?;
        assert_eq!((job.submit_s, job.wait_s, job.run_s), (1_715_594_400, 61, 3600));
        let facts = parser.facts();
        assert_eq!((job.allocated_procs, facts.counts), (8, vec![(ROUNDED, 3)]));
        assert_eq!(facts.names.name(NameKind::Nodes, 1).as_deref(), Some("[3840-3845,3850-3851]"));
        Ok(())
    }

    #[test]
    fn elements_of_arrays_have_numbers_of_their_own() {
        for (id, expected) in [
            ("123.srv", Some(Some(123))),
            ("123", Some(Some(123))),
            ("123[4].srv", Some(Some(123_000_004))),
            ("123-4.srv-1.example", Some(Some(123_000_004))),
            ("123-0.srv", Some(Some(123_000_000))),
            ("123[].srv", Some(None)),
            ("123-.srv", None),
            ("123[4.srv", None),
            ("x.srv", None),
        ] {
            assert_eq!(number_of(id), expected, "{id}");
        }
    }

    #[test]
    fn wrong_lines_say_what_was_expected() {
        for (line, problem) in [
            ("05/13/2024 11:00:00", "1 field, expected 4"),
            (
                "05/13/2024 11:00:00;E;x.pbs;start=1",
                "column 3 (job): found 'x.pbs', expected the number of a job",
            ),
            ("05/13/2024 11:00:00;E;1.pbs;start=1", "column 4 (end): found '', expected the end"),
            (
                "05/13/2024 11:00:00;E;1.pbs;start=x end=2",
                "column 4 (start): found 'x', expected seconds since 1970",
            ),
        ] {
            let found = pbs("pbs").parse(line.as_bytes()).expect_err(line).to_string();
            assert!(found.starts_with(problem), "{line}: {found}");
        }
        assert!(is_line(PRO.as_bytes()) && !is_line(b"05/13/2024,10") && !is_line(b"1 2 3"));
    }
}
