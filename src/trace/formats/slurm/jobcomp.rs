//! The text log of job completions (`JobCompType=jobcomp/filetxt`): one line of `Key=Value` for each job that ended.
//!
//! Values may have blanks, as the names of jobs have. A value ends where the next known key begins. Logs of old versions
//! do not tell when a job was submitted; its start stands for it.

use super::job::{Accounting, SlurmJob, limit};
use super::tres::{Resources, quantity};
use crate::spec::{Params, Spec, SpecError};
use crate::trace::error::Problem;
use crate::trace::facts::{Facts, UNSUBMITTED};
use crate::trace::formats::format::{Format, LineParser, Parsed};
use crate::trace::names::Names;
use crate::trace::times::Clock;

/// The row of this format.
pub(in crate::trace::formats) const FORMAT: Format = Format {
    name: "slurm-jobcomp",
    summary: "Slurm's text log of job completions (jobcomp/filetxt): Key=Value fields, one job on each line",
    source: super::SOURCE,
    parameters: "unit=nodes|cpus|gpus time-zone=ZONE arrival=submit|eligible",
    reads: READS,
    lacks: "machine, jobs that have not ended, GPUs that jobs got (those asked for stand for them), applications, memory",
    extensions: &[],
    recognises: Some(|line| line.starts_with(b"JobId=") && position(line, b"EndTime=").is_some()),
    records_starts: true,
    repeats_jobs: true,
    expects_spaces: false,
    parser: |spec| Ok(Box::new(Jobcomp::new(spec)?)),
    writing: None,
};

/// What is read of a line, and what it becomes.
const READS: &[(&str, &str)] = &[
    ("JobId", "job number"),
    ("SubmitTime", "submit time, unless arrival=eligible; the start stands for one that is missing"),
    ("EligibleTime", "submit time with arrival=eligible"),
    ("StartTime", "start: the wait time is that from the submission"),
    ("EndTime", "end: the run time is that from the start"),
    ("JobState", "status: 1 completed, 5 cancelled, 0 ended in another way"),
    ("NodeCnt", "processors with unit=nodes"),
    ("ProcCnt", "processors with unit=cpus"),
    ("Tres", "requested processors, by the unit"),
    ("TimeLimit", "requested time; a number counts minutes"),
    ("UserId, Account, QOS, Partition", "user, group, queue and partition, as numbers"),
    ("NodeList", "list of nodes"),
];

/// The keys of a line in the order in which Slurm writes them. Those that are not read end the value before them.
const KEYS: [&str; 30] = [
    "JobId",
    "UserId",
    "GroupId",
    "Name",
    "JobState",
    "Partition",
    "TimeLimit",
    "StartTime",
    "EndTime",
    "NodeList",
    "NodeCnt",
    "ProcCnt",
    "WorkDir",
    "ReservationName",
    "Gres",
    "Tres",
    "Account",
    "QOS",
    "WcKey",
    "Cluster",
    "SubmitTime",
    "EligibleTime",
    "ArrayJobId",
    "ArrayTaskId",
    "HetJobId",
    "HetJobOffset",
    "PackJobId",
    "PackJobOffset",
    "DerivedExitCode",
    "ExitCode",
];

/// The place of the name of the job among the keys.
const NAME: usize = 3;

/// The parser of one log.
struct Jobcomp {
    accounting: Accounting,
    clock: Clock,
    /// The number of jobs whose submission is unknown.
    unsubmitted: u64,
}

/// The values of a line, in the order of [`KEYS`]; empty where the line does not have the key.
struct Values<'a>([&'a [u8]; KEYS.len()]);

impl<'a> Values<'a> {
    /// Splits a line into values.
    fn of(line: &'a [u8]) -> Self {
        let mut values = Self([b""; KEYS.len()]);
        // The key whose value is being read, and where that value begins.
        let mut open: Option<(usize, usize)> = None;
        let mut start = 0;
        for word in line.split(|&byte| byte == b' ') {
            let key = memchr::memchr(b'=', word).and_then(|at| {
                KEYS.iter().position(|key| key.as_bytes() == &word[..at]).map(|key| (key, start + at + 1))
            });
            // Users choose the names of jobs, which may look like the keys before them. Those after them come again.
            let is_of_name = |key: usize| key < NAME && !values.0[key].is_empty();
            if let Some((key, value)) = key.filter(|&(key, _)| !is_of_name(key)) {
                values.close(line, open, start.saturating_sub(1));
                open = Some((key, value));
            }
            start += word.len() + 1;
        }
        values.close(line, open, line.len());
        values
    }

    /// Keeps the value that ends at `end`.
    fn close(&mut self, line: &'a [u8], open: Option<(usize, usize)>, end: usize) {
        if let Some((key, value)) = open {
            self.0[key] = line[value..end.max(value)].trim_ascii();
        }
    }

    /// Returns the value of a key; empty if the line does not have it.
    fn get(&self, key: &str) -> &'a [u8] {
        KEYS.iter().position(|known| *known == key).map_or(b"", |at| self.0[at])
    }

    /// Returns the problem that the value of `key` is not what was expected.
    fn malformed(&self, key: &'static str, expected: &str) -> Problem {
        Problem::value(key, self.get(key), expected)
    }
}

impl Jobcomp {
    /// Makes the parser of one log.
    fn new(spec: &Spec) -> Result<Self, SpecError> {
        let mut params = Params::new(spec);
        let (accounting, clock) = (Accounting::take(&mut params)?, Clock::take(&mut params)?);
        params.finish()?;
        Ok(Self { accounting, clock, unsubmitted: 0 })
    }

    /// Reads the value of `key` as an instant of something that was not before `earlier_s`.
    fn instant_after(
        &mut self,
        values: &Values,
        key: &'static str,
        earlier_s: Option<i64>,
    ) -> Result<Option<i64>, Problem> {
        let found = self.clock.instant_after(values.get(key), earlier_s);
        found.map_err(|expected| values.malformed(key, expected))
    }
}

impl LineParser for Jobcomp {
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        let values = Values::of(line);
        let number = |key: &'static str, expected: &str| match values.get(key) {
            b"" => Ok(None),
            found => quantity(found).map(Some).ok_or_else(|| values.malformed(key, expected)),
        };
        let Some(job) = number("JobId", "the number of a job")? else {
            return Err(
                values.malformed("JobId", "the number of a job: each line is JobId=… UserId=… and so on")
            );
        };
        let submit_s = self.instant_after(&values, "SubmitTime", None)?;
        let eligible_s = self.instant_after(&values, "EligibleTime", submit_s)?;
        let start_s = self.instant_after(&values, "StartTime", submit_s)?;
        let end_s = self.instant_after(&values, "EndTime", start_s)?;
        if end_s.is_none() {
            return Err(values.malformed("EndTime", "the time at which the job ended"));
        }
        let tres = values.get("Tres");
        let tres = Resources::parse(if tres == b"(null)" { b"" } else { tres })
            .ok_or_else(|| values.malformed("Tres", "resources such as cpu=8,gres/gpu=4,node=2"))?;
        let own = Resources {
            nodes: number("NodeCnt", "a number of nodes")?,
            cpus: number("ProcCnt", "a number of CPUs")?,
            // The log tells only what was asked for, which is what a job gets.
            gpus: tres.gpus,
        };
        let limit_s =
            limit(values.get("TimeLimit")).map_err(|expected| values.malformed("TimeLimit", expected))?;
        self.unsubmitted += u64::from(submit_s.is_none());
        let user = values.get("UserId");
        // The name of a user is followed by the number in parentheses.
        let user = &user[..user.iter().rposition(|&byte| byte == b'(').unwrap_or(user.len())];
        // A run that was requeued has ended, although its job waits again.
        let state = match values.get("JobState") {
            b"PENDING" => b"REQUEUED",
            state => state,
        };
        let job = SlurmJob {
            number: job,
            submit_s: submit_s.or(start_s),
            eligible_s,
            start_s,
            end_s,
            elapsed_s: None,
            limit_s,
            state,
            allocated: own,
            // The log tells what was asked for, not what was got.
            requested: tres,
            user,
            account: values.get("Account"),
            partition: values.get("Partition"),
            qos: values.get("QOS"),
            nodes: Some(values.get("NodeList")),
        };
        Ok(Parsed::Record(self.accounting.record(&job), 0))
    }

    fn forget_nodes(&mut self) {
        self.accounting.forget_nodes();
    }

    fn names(&self) -> Option<&Names> {
        Some(self.accounting.names())
    }

    fn facts(&mut self) -> Facts {
        let mut facts = self.accounting.facts();
        facts.add_clock(&self.clock);
        if self.unsubmitted > 0 {
            facts.counts.push((UNSUBMITTED, self.unsubmitted));
        }
        facts
    }
}

/// Returns where `part` begins in `text`; `None` if it is not there.
fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::names::NameKind;
    use crate::trace::record::Record;

    const LINE: &str = "JobId=2 UserId=anna b(1000) GroupId=root(0) Name=my job = 3 JobState=COMPLETED Partition=batch \
                        TimeLimit=5 StartTime=2026-11-22T16:01:22 EndTime=2026-11-22T16:01:24 NodeList=node[2-3] \
                        NodeCnt=2 ProcCnt=8 WorkDir=/tmp/a b ReservationName= Tres=cpu=8,mem=2M,node=2,billing=8,gres/gpu=4 \
                        Account=physics QOS=normal WcKey= Cluster=c SubmitTime=2026-11-22T16:01:21 \
                        EligibleTime=2026-11-22T16:01:21 DerivedExitCode=0:0 ExitCode=0:0 ";

    fn parsed(spec: &str, line: &str) -> Result<(Record, Facts), Problem> {
        let mut parser = Jobcomp::new(&spec.parse().expect("a spec")).expect("parameters");
        match parser.parse(line.as_bytes())? {
            Parsed::Record(record, 0) => Ok((record, parser.facts())),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn pages_name_keys_of_the_log() {
        let mut told = READS.iter().flat_map(|(names, _)| names.split(", "));
        assert!(told.all(|name| KEYS.contains(&name)));
    }

    #[test]
    fn a_line_is_a_job() -> Result<(), Problem> {
        let (record, facts) = parsed("slurm-jobcomp", LINE)?;
        assert_eq!((record.job, record.submit_s, record.wait_s, record.run_s), (2, 1_795_363_281, 1, 2));
        assert_eq!((record.allocated_procs, record.requested_time_s, record.status), (2, 300, 1));
        let name = |kind| facts.names.name(kind, 1);
        assert_eq!(name(NameKind::User).as_deref(), Some("anna b"));
        assert_eq!(name(NameKind::Nodes).as_deref(), Some("node[2-3]"));
        assert_eq!(name(NameKind::Group).as_deref(), Some("physics"));
        let gpus = parsed("slurm-jobcomp:unit=gpus", LINE)?.0;
        assert_eq!((gpus.allocated_procs, gpus.requested_procs), (4, 4));
        let requeued = parsed("slurm-jobcomp", &LINE.replace("=COMPLETED", "=PENDING"))?.0;
        assert_eq!((requeued.status, requeued.run_s), (0, 2));
        assert_eq!(parsed("slurm-jobcomp:unit=cpus", LINE)?.0.allocated_procs, 8);
        // Users choose the names of jobs, also such that look like keys.
        let odd = LINE.replace("my job = 3", "my job JobId=9 UserId=root(0) JobState=FAILED NodeCnt=9");
        assert_eq!(parsed("slurm-jobcomp", &odd)?.0, record);
        let old = LINE.replace("SubmitTime=2026-11-22T16:01:21", "");
        let (record, facts) = parsed("slurm-jobcomp", &old)?;
        assert_eq!((record.submit_s, record.wait_s, facts.counts.len()), (1_795_363_282, 0, 1));
        Ok(())
    }

    #[test]
    fn wrong_values_are_named() {
        for (from, to, message) in [
            ("JobId=2", "JobId=x", "JobId: found 'x', expected the number of a job"),
            ("JobId=2 ", "", "JobId: found '', expected the number of a job"),
            (
                "StartTime=2026-11",
                "StartTime=2026-13",
                "StartTime: found '2026-13-22T16:01:22', expected a time such as",
            ),
            (
                "EndTime=2026-11-22T16:01:24",
                "EndTime=Unknown",
                "EndTime: found 'Unknown', expected the time at which",
            ),
            ("NodeCnt=2", "NodeCnt=two", "NodeCnt: found 'two', expected a number of nodes"),
            ("TimeLimit=5", "TimeLimit=soon", "TimeLimit: found 'soon', expected a duration"),
            ("cpu=8", "cpu=8x", "expected resources such as cpu=8"),
        ] {
            let problem = parsed("slurm-jobcomp", &LINE.replace(from, to)).expect_err(to).to_string();
            assert!(problem.contains(message), "{problem}");
        }
    }
}
