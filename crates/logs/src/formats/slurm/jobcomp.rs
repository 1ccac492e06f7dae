//! The text log of job completions (`JobCompType=jobcomp/filetxt`): one line of `Key=Value` for each job that
//! ended.
//!
//! Values may have blanks, as job names do. A value ends at the next known key. Old versions write no submit
//! times; the start time replaces them.

use super::job::{Accounting, SlurmJob, limit};
use super::tres::{Resources, quantity};
use crate::error::Problem;
use crate::facts::{Facts, UNSUBMITTED};
use crate::formats::format::{Format, LineParser, Parsed};
use crate::names::Names;
use crate::nodes::NodeList;
use crate::record::Record;
use crate::times::Clock;
use crate::unit::Unit;
use meshreplay_base::spec::{Params, Spec, SpecError};

/// The row of this format.
pub(in crate::formats) const FORMAT: Format = Format {
    name: "slurm-jobcomp",
    summary: "Slurm's text log of job completions (jobcomp/filetxt): Key=Value fields, one job on each line",
    source: super::SOURCE,
    parameters: "unit=nodes|cpus|gpus time-zone=ZONE dates=month-first|day-first arrival=eligible|submit",
    reads: READS,
    lacks: "machine, jobs that have not ended, GPUs that jobs got (those asked for stand for them), \
         applications, memory",
    recognises: Some(|line| line.starts_with(b"JobId=") && position(line, b"EndTime=").is_some()),
    records_starts: true,
    repeats_jobs: true,
    parser: |spec| Ok(Box::new(Jobcomp::new(spec)?)),
    ..Format::UNNAMED
};

/// What is read of a line, and what it becomes.
const READS: &[(&str, &str)] = &[
    ("JobId", "job number"),
    (
        "SubmitTime",
        "submit time with arrival=submit, or without EligibleTime; the start stands for a missing one",
    ),
    ("EligibleTime", "submit time, unless arrival=submit"),
    ("StartTime", "start: the wait time is that from the submission"),
    ("EndTime", "end: the run time is that from the start; a job whose end is Unknown still runs"),
    ("JobState", "status: 1 completed, 5 cancelled, 0 ended in another way"),
    ("NodeCnt", "processors with unit=nodes; the nodes of NodeList where it is missing"),
    ("ProcCnt, Procs", "processors with unit=cpus"),
    ("Tres", "requested processors, by the unit"),
    ("TimeLimit", "requested time; a number counts minutes"),
    ("UserId, Account, QOS, Partition", "user, group, queue and partition, as numbers"),
    ("Cluster", "cluster: a log of several needs --cluster; partition with of-cluster=each"),
    ("NodeList", "list of nodes"),
];

/// Keys of a line, in Slurm's order. Unread keys only end the value before them.
const KEYS: [&str; 31] = [
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
    "Procs",
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

/// The values of a line, in the order of [`KEYS`]; `None` where the line does not have the key.
struct Values<'a>([Option<&'a [u8]>; KEYS.len()]);

impl<'a> Values<'a> {
    /// Splits a line into values.
    fn parse(line: &'a [u8]) -> Self {
        let mut values = Self([None; KEYS.len()]);
        // The key whose value is being read, and where that value begins.
        let mut open: Option<(usize, usize)> = None;
        let mut start = 0;
        for word in line.split(|&byte| byte == b' ') {
            let key = memchr::memchr(b'=', word).and_then(|at| {
                KEYS.iter().position(|key| key.as_bytes() == &word[..at]).map(|key| (key, start + at + 1))
            });
            // Users choose the names of jobs, which may look like the keys before them. Those after them come
            // again.
            let is_of_name = |key: usize| key < NAME && values.0[key].is_some();
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
            self.0[key] = Some(line[value..end.max(value)].trim_ascii());
        }
    }

    /// Returns the value of a key; `None` if the line does not have it.
    fn find(&self, key: &str) -> Option<&'a [u8]> {
        KEYS.iter().position(|known| *known == key).and_then(|at| self.0[at])
    }

    /// Returns the value of a key; empty if the line does not have it.
    fn get(&self, key: &str) -> &'a [u8] {
        self.find(key).unwrap_or_default()
    }

    /// Returns the value of a key that has no blanks, without keys of other versions that follow it, such as
    /// `8 Cpus=96`.
    fn word(&self, key: &str) -> &'a [u8] {
        let value = self.get(key);
        let (first, rest) =
            value.split_at(value.iter().position(|&byte| byte == b' ').unwrap_or(value.len()));
        let rest = rest.trim_ascii_start();
        let letters = rest.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        if letters > 0 && rest.get(letters) == Some(&b'=') { first } else { value }
    }

    /// Returns the problem that the value of `key` is not what was expected.
    fn malformed(&self, key: &'static str, expected: &str) -> Problem {
        Problem::value(key, self.get(key), expected)
    }

    /// Reads what the job got and what it asked for. A malformed number is an error if it counts `unit`.
    fn sizes(&self, unit: Unit) -> Result<[Resources; 2], Problem> {
        let number = |key: &'static str, counts: Unit, expected| match self.word(key) {
            b"" | b"(null)" => Ok(None),
            found => match quantity(found) {
                None if counts == unit => Err(self.malformed(key, expected)),
                number => Ok(number),
            },
        };
        let tres = self.word("Tres");
        let tres = Resources::parse(if tres == b"(null)" { b"" } else { tres });
        let nodes = number("NodeCnt", Unit::Nodes, "a number of nodes")?;
        let cpus = number("ProcCnt", Unit::Cpus, "a number of CPUs")?;
        let cpus = cpus.or(number("Procs", Unit::Cpus, "a number of CPUs")?);
        let listed = || NodeList::parse(&String::from_utf8_lossy(self.word("NodeList"))).ok();
        let listed = || listed().and_then(|list| i64::try_from(list.count()).ok()).filter(|&count| count > 0);
        // The log has only requested GPUs, which equal the allocated ones.
        let gpus = tres.and_then(|tres| tres.gpus);
        let own = Resources { nodes: nodes.or_else(listed), cpus, gpus };
        if tres.is_none() && own.in_unit(unit).is_none() {
            return Err(self.malformed("Tres", "resources such as cpu=8,gres/gpu=4,node=2"));
        }
        Ok([own, tres.unwrap_or_default()])
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
        let found = self.clock.instant_after(values.word(key), earlier_s);
        found.map_err(|expected| values.malformed(key, expected))
    }
}

impl LineParser for Jobcomp {
    fn parse(&mut self, line: &[u8]) -> Result<Parsed, Problem> {
        let values = Values::parse(line);
        let expected = "the number of a job: each line is JobId=… UserId=… and so on";
        let job = quantity(values.word("JobId")).ok_or_else(|| values.malformed("JobId", expected))?;
        let submit_s = self.instant_after(&values, "SubmitTime", None)?;
        let eligible_s = self.instant_after(&values, "EligibleTime", submit_s)?;
        let start_s = self.instant_after(&values, "StartTime", submit_s)?;
        let end_s = self.instant_after(&values, "EndTime", start_s)?;
        if values.find("EndTime").is_none() {
            return Err(values.malformed("EndTime", "the time at which the job ended"));
        }
        let [own, tres] = values.sizes(self.accounting.unit())?;
        let limit_s =
            limit(values.word("TimeLimit")).map_err(|expected| values.malformed("TimeLimit", expected))?;
        self.unsubmitted += u64::from(submit_s.is_none());
        let user = values.get("UserId");
        // The name of a user is followed by the number in parentheses.
        let user = &user[..user.iter().rposition(|&byte| byte == b'(').unwrap_or(user.len())];
        // A run that was requeued has ended, although its job waits again.
        let state: &[u8] = match values.word("JobState") {
            b"PENDING" => b"REQUEUED",
            // With an end and no state, the outcome is unknown.
            _ if end_s.is_none() => b"RUNNING",
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
            // The log has requested resources here, not allocated ones.
            requested: tres,
            user,
            account: values.get("Account"),
            partition: values.get("Partition"),
            qos: values.get("QOS"),
            cluster: values.get("Cluster"),
            reason: b"",
            nodes: values.find("NodeList").map(|_| values.word("NodeList")),
        };
        Ok(self.accounting.record(&job).map_or(Parsed::Part, |record| Parsed::Record(record, 0)))
    }

    fn finish(&mut self) -> Result<Option<Record>, Problem> {
        self.accounting.clusters.finish("").map(|()| None)
    }

    fn identity(&self) -> Option<u64> {
        Some(self.accounting.clusters.identity())
    }

    fn names(&mut self) -> Option<&mut Names> {
        Some(&mut self.accounting.names)
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
    use crate::names::NameKind;
    use crate::record::Record;

    const LINE: &str = "JobId=2 UserId=anna b(1000) GroupId=root(0) Name=my job = 3 JobState=COMPLETED \
         Partition=batch TimeLimit=5 StartTime=2026-11-22T16:01:22 EndTime=2026-11-22T16:01:24 \
         NodeList=node[2-3] NodeCnt=2 ProcCnt=8 WorkDir=/tmp/a b ReservationName= \
         Tres=cpu=8,mem=2M,node=2,billing=8,gres/gpu=4 Account=physics QOS=normal WcKey= Cluster=c \
         SubmitTime=2026-11-22T16:01:21 EligibleTime=2026-11-22T16:01:21 DerivedExitCode=0:0 ExitCode=0:0 ";

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
    fn lines_of_other_versions_are_jobs() -> Result<(), Problem> {
        let odd = LINE.replace("NodeCnt=2 ProcCnt=8", "NodeCnt=2 Cores=96").replace("GroupId=root(0) ", "");
        for (line, nodes, cpus) in [
            (LINE.replace("NodeCnt=2 ProcCnt=8", "NodeCnt=2 Procs=96"), 2, 96),
            (LINE.replace("NodeCnt=2 ", ""), 2, 8),
            (LINE.replace("NodeList=node[2-3] ", ""), 2, 8),
            (LINE.replace("NodeCnt=2", "NodeCnt=2 Nodes=many"), 2, 8),
            (odd.clone(), 2, -1),
        ] {
            let found = ["slurm-jobcomp", "slurm-jobcomp:unit=cpus"].map(|spec| parsed(spec, &line));
            let [found_nodes, found_cpus] = found;
            assert_eq!(found_nodes?.0.allocated_procs, nodes, "{line}");
            assert_eq!(found_cpus?.0.allocated_procs, cpus, "{line}");
        }
        for end in ["Unknown", "None", "0", "1970-01-01T00:00:00", ""] {
            let line = LINE.replace("EndTime=2026-11-22T16:01:24", &format!("EndTime={end}"));
            let (record, facts) = parsed("slurm-jobcomp", &line.replace("=COMPLETED", "=RUNNING"))?;
            assert_eq!((record.run_s, record.allocated_procs), (-1, 2), "{end}");
            assert_eq!(facts.counts[0].0, "jobs that were still running", "{end}");
        }
        Ok(())
    }

    #[test]
    fn wrong_values_are_named() {
        for (from, to, message) in [
            ("JobId=2", "JobId=x", "JobId: found 'x', expected the number of a job"),
            ("NodeCnt=2", "NodeCnt=2 nodes", "NodeCnt: found '2 nodes', expected a number of nodes"),
            ("JobId=2 ", "", "JobId: found '', expected the number of a job"),
            (
                "StartTime=2026-11",
                "StartTime=2026-13",
                "StartTime: found '2026-13-22T16:01:22', expected a time such as",
            ),
            ("EndTime=2026-11-22T16:01:24", "", "EndTime: found '', expected the time at which"),
            ("NodeCnt=2", "NodeCnt=two", "NodeCnt: found 'two', expected a number of nodes"),
            ("TimeLimit=5", "TimeLimit=soon", "TimeLimit: found 'soon', expected a duration"),
            ("cpu=8", "cpu=8x", "expected resources such as cpu=8"),
        ] {
            let spec = if from == "cpu=8" { "slurm-jobcomp:unit=gpus" } else { "slurm-jobcomp" };
            let problem = parsed(spec, &LINE.replace(from, to)).expect_err(to).to_string();
            assert!(problem.contains(message), "{problem}");
        }
    }
}
