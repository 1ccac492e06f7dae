//! Turns one job of Slurm's accounting into a record, whatever the text format.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "instants of JSON are above 0 and those of texts between the years 0 and 9999, so that \
         differences are in range; jobs are counted"
)]

use super::tres::Resources;
use crate::facts::{
    CANCELLED_EARLY, EARLY_ENDS, EARLY_STARTS, Facts, NEVER_STARTED, Oddities, STEPS, STILL_RUNNING,
    STILL_WAITING,
};
use crate::formats::batch::{Held, JobTimes};
use crate::formats::clusters::Clusters;
use crate::names::{NameKind, Names};
use crate::nodes::NO_NODES;
use crate::record::Record;
use crate::status::{CANCELLED, COMPLETED, FAILED, UNKNOWN};
use crate::times::{MINUTES, Pair, duration};
use crate::unit::Unit;
use meshreplay_base::spec::{Params, Spec, SpecError};

/// The parameters that all formats of Slurm have.
pub(super) const PARAMETERS: &str = "unit=nodes|cpus|gpus arrival=eligible|submit of-cluster=NAME|each";

/// One job of Slurm's accounting. Unknown numbers are `None`, unknown texts are empty.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SlurmJob<'a> {
    /// Job number. Tasks of arrays and parts of heterogeneous jobs have their own where the text gives them.
    pub(super) number: i64,
    /// The instants in seconds since 1970. An eligible job has nothing to wait for but resources.
    pub(super) submit_s: Option<i64>,
    pub(super) eligible_s: Option<i64>,
    pub(super) start_s: Option<i64>,
    pub(super) end_s: Option<i64>,
    /// The run time in seconds, which counts only if the end or the start is unknown.
    pub(super) elapsed_s: Option<i64>,
    /// The time limit in seconds.
    pub(super) limit_s: Option<i64>,
    /// The state, such as `COMPLETED` or `CANCELLED by 123`.
    pub(super) state: &'a [u8],
    /// Resources allocated, or requested until the job starts.
    pub(super) allocated: Resources,
    pub(super) requested: Resources,
    pub(super) user: &'a [u8],
    pub(super) account: &'a [u8],
    pub(super) partition: &'a [u8],
    pub(super) qos: &'a [u8],
    pub(super) cluster: &'a [u8],
    /// The last reason to wait, such as `Dependency`.
    pub(super) reason: &'a [u8],
    /// Node list; `None` if the text has no lists.
    pub(super) nodes: Option<&'a [u8]>,
}

/// What became of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::formats) enum Fate {
    /// The job has not started.
    Waits,
    /// The job has not ended.
    Runs,
    /// The job ended, with this status of the Standard Workload Format.
    Ended(i64),
    /// The word is not known.
    Unknown,
}

/// Makes the records of one log.
pub(super) struct Accounting {
    unit: Unit,
    /// Whether jobs arrive when they become eligible, and not when they were submitted.
    is_eligible_arrival: bool,
    /// Names seen.
    held: Held,
    pub(super) names: Names,
    pub(super) odd: Oddities,
    pub(super) clusters: Clusters,
}

/// The words for jobs in states that no version of Slurm documents.
const UNKNOWN_STATES: &str = "jobs of an unknown state";

/// What may be odd in a log.
const ODDITIES: &[&str] = &[
    STEPS,
    STILL_WAITING,
    STILL_RUNNING,
    CANCELLED_EARLY,
    NEVER_STARTED,
    EARLY_STARTS,
    EARLY_ENDS,
    UNKNOWN_STATES,
];

impl Accounting {
    /// Takes the parameters that all formats of Slurm have.
    pub(super) fn take(params: &mut Params) -> Result<Self, SpecError> {
        Ok(Self {
            unit: Unit::take(params)?,
            is_eligible_arrival: params.choose("arrival", &[("eligible", true), ("submit", false)])?,
            held: Held::default(),
            names: Names::default(),
            odd: Oddities::new(ODDITIES),
            clusters: Clusters::take(params),
        })
    }

    /// Makes the accounting of a format that has no other parameters.
    pub(super) fn from_spec(spec: &Spec) -> Result<Self, SpecError> {
        let mut params = Params::new(spec);
        let accounting = Self::take(&mut params)?;
        params.finish()?;
        Ok(accounting)
    }

    pub(super) fn unit(&self) -> Unit {
        self.unit
    }

    /// Returns the record of a job; `None` if the job is of a cluster that is not read.
    ///
    /// * The run time is the time from start to end, including suspensions, since the nodes stay allocated.
    /// * A job that never started has no wait and no processors. It ran for 0 s if it has ended. A job whose
    ///   start is unknown has started if it has ended, and has nodes and a run time.
    /// * A job that was cancelled at its start was cancelled while it waited, as Slurm sets the start of such
    ///   a job to its end.
    /// * Times of 1970 are unknown if the job also has later times.
    /// * The run time is unknown if the end is before the start, as after a clock was set back.
    /// * A start before the submission, as after a clock was set back, replaces the submission: the wait is
    ///   0.
    /// * Requeued runs, which `sacct --duplicates` shows, are records of their own with status 0.
    pub(super) fn record(&mut self, job: &SlurmJob) -> Option<Record> {
        if !self.clusters.admits(job.cluster) {
            return None;
        }
        let job = &with_known_instants(job);
        let fate = fate(job.state);
        let has_nodes = job.nodes.is_none_or(|list| !NO_NODES.iter().any(|none| none.as_bytes() == list));
        let has_run = matches!(fate, Fate::Ended(_)) && job.elapsed_s.is_some_and(|elapsed_s| elapsed_s > 0);
        // Older versions give a job that was cancelled while it waited a start, which is its end.
        let is_at_end = job.start_s.is_some() && job.start_s == job.end_s;
        let is_cancelled = is_at_end && (fate == Fate::Ended(CANCELLED) || job.allocated.cpus == Some(0));
        let has_started =
            fate != Fate::Waits && (job.start_s.is_some() || has_run) && has_nodes && !is_cancelled;
        match fate {
            Fate::Waits => self.odd.add(STILL_WAITING, true),
            Fate::Runs => self.odd.add(STILL_RUNNING, true),
            Fate::Unknown => self.odd.add(UNKNOWN_STATES, true),
            Fate::Ended(CANCELLED) => self.odd.add(CANCELLED_EARLY, !has_started),
            Fate::Ended(_) => self.odd.add(NEVER_STARTED, !has_started),
        }
        let start_s = if has_started { job.start_s } else { None };
        let run_s = match fate {
            Fate::Waits | Fate::Runs => None,
            _ if !has_started => Some(0),
            _ => job.end_s.zip(start_s).map(|(end_s, start_s)| end_s - start_s).or(job.elapsed_s),
        };
        let arrival_s = if self.is_eligible_arrival {
            self.held.arrival(job.submit_s, job.eligible_s, start_s)
        } else {
            job.submit_s
        };
        let times = JobTimes { submit_s: arrival_s, start_s, run_s };
        let known = |value: Option<i64>| value.unwrap_or(-1);
        let allocated = if has_started { job.allocated } else { Resources::default() };
        let requested = if has_started { job.requested } else { job.requested.or(job.allocated) };
        let partition = if self.clusters.is_each() { job.cluster } else { job.partition };
        Some(Record {
            job: job.number,
            allocated_procs: known(allocated.in_unit(self.unit)),
            requested_procs: known(requested.in_unit(self.unit)),
            requested_time_s: known(job.limit_s),
            status: if let Fate::Ended(status) = fate { status } else { UNKNOWN },
            user: self.names.known_number(NameKind::User, job.user),
            group: self.names.known_number(NameKind::Group, job.account),
            queue: self.names.known_number(NameKind::Queue, job.qos),
            partition: self.names.known_number(NameKind::Partition, partition),
            reason: self.names.known_number(NameKind::Reason, reason(job.reason)),
            nodes: job.nodes.filter(|_| has_started).and_then(|list| self.names.nodes(list)),
            ..times.record(&mut self.odd)
        })
    }

    /// Returns the facts beyond the records.
    pub(super) fn facts(&mut self) -> Facts {
        let unit = match self.unit {
            Unit::Nodes => "nodes",
            Unit::Cpus => "CPUs",
            Unit::Gpus => "GPUs",
        };
        Facts {
            names: std::mem::take(&mut self.names),
            has_unix_times: true,
            notes: [format!("processors are {unit}")]
                .into_iter()
                .chain(self.clusters.note())
                .chain(self.held.note("arrival=submit of --input-format"))
                .collect(),
            counts: self.odd.rows(),
            ..Facts::default()
        }
    }
}

/// Returns the job without times in the first days of 1970, a written 0, if it also has later times.
fn with_known_instants<'a>(job: &SlurmJob<'a>) -> SlurmJob<'a> {
    const FIRST_DAYS_S: i64 = 2 * 86_400;
    /// The year 1985.
    const LATER_S: i64 = 500_000_000;
    let instants = [job.submit_s, job.eligible_s, job.start_s, job.end_s];
    let is_later = instants.iter().flatten().any(|&time_s| time_s > LATER_S);
    let known = |time_s: Option<i64>| time_s.filter(|&time_s| !is_later || time_s > FIRST_DAYS_S);
    let [submit_s, eligible_s, start_s, end_s] = instants.map(known);
    SlurmJob { submit_s, eligible_s, start_s, end_s, ..*job }
}

/// Slurm's words for the states of jobs, with the letters that some commands shorten them to, and what they
/// say.
const STATES: [(&[u8], &[u8], Fate); 26] = [
    (b"COMPLETED", b"CD", Fate::Ended(COMPLETED)),
    (b"FAILED", b"F", Fate::Ended(FAILED)),
    (b"TIMEOUT", b"TO", Fate::Ended(FAILED)),
    (b"NODE_FAIL", b"NF", Fate::Ended(FAILED)),
    (b"OUT_OF_MEMORY", b"OOM", Fate::Ended(FAILED)),
    (b"BOOT_FAIL", b"BF", Fate::Ended(FAILED)),
    (b"DEADLINE", b"DL", Fate::Ended(FAILED)),
    (b"PREEMPTED", b"PR", Fate::Ended(FAILED)),
    (b"REQUEUED", b"RQ", Fate::Ended(FAILED)),
    (b"LAUNCH_FAILED", b"", Fate::Ended(FAILED)),
    (b"RECONFIG_FAIL", b"", Fate::Ended(FAILED)),
    (b"STOPPED", b"ST", Fate::Ended(FAILED)),
    (b"CANCELLED", b"CA", Fate::Ended(CANCELLED)),
    (b"REVOKED", b"RV", Fate::Ended(CANCELLED)),
    (b"PENDING", b"PD", Fate::Waits),
    (b"REQUEUE_HOLD", b"RH", Fate::Waits),
    (b"REQUEUE_FED", b"RF", Fate::Waits),
    (b"RESV_DEL_HOLD", b"RD", Fate::Waits),
    (b"SPECIAL_EXIT", b"SE", Fate::Waits),
    (b"RUNNING", b"R", Fate::Runs),
    (b"SUSPENDED", b"S", Fate::Runs),
    (b"COMPLETING", b"CG", Fate::Runs),
    (b"CONFIGURING", b"CF", Fate::Runs),
    (b"RESIZING", b"RS", Fate::Runs),
    (b"SIGNALING", b"SI", Fate::Runs),
    (b"STAGE_OUT", b"SO", Fate::Runs),
];

/// Fewest letters that identify a truncated word.
const FEWEST_LETTERS: usize = 3;

/// Returns the fate for a state such as `COMPLETED` or `CANCELLED by 123`. `sacct` truncates states in narrow
/// columns (`OUT_OF_ME+`); an ambiguous abbreviation is unknown.
pub(in crate::formats) fn fate(state: &[u8]) -> Fate {
    let word = state.split(|&byte| byte == b' ').next().unwrap_or_default();
    let is_known = |long: &[u8], short: &[u8]| match word.strip_suffix(b"+") {
        Some(cut) => cut == long || cut.len() >= FEWEST_LETTERS && long.starts_with(cut),
        None => word == long || !word.is_empty() && word == short,
    };
    let mut fates = STATES.iter().filter(|(long, short, _)| is_known(long, short)).map(|(.., fate)| *fate);
    let first = fates.next().unwrap_or(Fate::Unknown);
    if fates.all(|fate| fate == first) { first } else { Fate::Unknown }
}

/// Returns the word of a reason to wait; empty if it says no more than that the job had to wait for older
/// jobs or for nodes. Slurm keeps the last other reason, also of jobs that ran.
fn reason(text: &[u8]) -> &[u8] {
    const COMMON: [&[u8]; 4] = [b"None", b"Priority", b"Resources", b"Unknown"];
    let word = text.split(|byte| matches!(byte, b',' | b' ' | b'(')).next().unwrap_or_default();
    if COMMON.iter().any(|common| word.eq_ignore_ascii_case(common)) { b"" } else { word }
}

/// Parses a time limit in seconds; `None` if missing or unlimited. A number alone counts minutes. The error
/// describes the expected text.
pub(super) fn limit(text: &[u8]) -> Result<Option<i64>, &'static str> {
    if text.eq_ignore_ascii_case(b"Partition_Limit") {
        return Ok(None);
    }
    duration(text, MINUTES, Pair::MinutesSeconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accounting(parameters: &str) -> Accounting {
        let spec: Spec = format!("sacct{parameters}").parse().expect("a spec");
        Accounting::from_spec(&spec).expect("parameters")
    }

    fn record_of(accounting: &mut Accounting, job: &SlurmJob) -> Record {
        accounting.record(job).expect("a job that is read")
    }

    const JOB: SlurmJob<'static> = SlurmJob {
        number: 7,
        submit_s: Some(100),
        eligible_s: Some(130),
        start_s: Some(150),
        end_s: Some(250),
        elapsed_s: Some(90),
        limit_s: Some(3600),
        state: b"COMPLETED",
        allocated: Resources { nodes: Some(2), cpus: Some(8), gpus: Some(4) },
        requested: Resources { nodes: Some(2), cpus: Some(5), gpus: Some(4) },
        user: b"anna",
        account: b"physics",
        partition: b"batch",
        qos: b"normal",
        cluster: b"",
        reason: b"None",
        nodes: Some(b"n[1-2]"),
    };

    #[test]
    fn a_finished_job_is_a_record_in_the_unit_asked_for() {
        for (parameters, allocated, requested) in [("", 2, 2), (":unit=cpus", 8, 5), (":unit=gpus", 4, 4)] {
            let record = record_of(&mut accounting(parameters), &JOB);
            let expected = Record {
                job: 7,
                submit_s: 130,
                wait_s: 20,
                run_s: 100,
                allocated_procs: allocated,
                requested_procs: requested,
                requested_time_s: 3600,
                status: 1,
                user: 1,
                group: 1,
                queue: 1,
                partition: 1,
                nodes: Some(1),
                ..Record::UNKNOWN
            };
            assert_eq!(record, expected, "{parameters}");
        }
        let submitted = record_of(&mut accounting(":arrival=submit"), &JOB);
        assert_eq!((submitted.submit_s, submitted.wait_s), (100, 50));
    }

    #[test]
    fn states_become_statuses() {
        for (state, status, run_s) in [
            ("COMPLETED", 1, 100),
            ("FAILED", 0, 100),
            ("TIMEOUT", 0, 100),
            ("NODE_FAIL", 0, 100),
            ("OUT_OF_MEMORY", 0, 100),
            ("PREEMPTED", 0, 100),
            ("REQUEUED", 0, 100),
            ("CANCELLED by 1000", 5, 100),
            ("CANCELLED+", 5, 100),
            ("OUT_OF_ME+", 0, 100),
            ("NODE_F+", 0, 100),
            ("RUNN+", -1, -1),
            ("CO+", -1, 100),
            ("COMPLET+", -1, 100),
            ("+", -1, 100),
            ("", -1, 100),
            ("OOM", 0, 100),
            ("CANCELLED", 5, 100),
            ("RUNNING", -1, -1),
            ("PENDING", -1, -1),
            ("MARTIAN", -1, 100),
        ] {
            let record = record_of(&mut accounting(""), &SlurmJob { state: state.as_bytes(), ..JOB });
            assert_eq!((record.status, record.run_s), (status, run_s), "{state}");
        }
    }

    #[test]
    fn jobs_without_nodes_have_no_wait_and_no_processors() {
        let mut accounting = accounting("");
        let never = SlurmJob { state: b"CANCELLED by 0", nodes: Some(b"None assigned"), ..JOB };
        let record = record_of(&mut accounting, &never);
        assert_eq!((record.wait_s, record.run_s, record.allocated_procs, record.nodes), (-1, 0, -1, None));
        assert_eq!((record.status, record.requested_procs), (5, 2));
        let waits = SlurmJob { start_s: None, end_s: None, state: b"PENDING", ..JOB };
        assert_eq!(record_of(&mut accounting, &waits).allocated_procs, -1);
        let runs = SlurmJob { end_s: None, state: b"RUNNING", ..JOB };
        assert_eq!(
            (record_of(&mut accounting, &runs).allocated_procs, record_of(&mut accounting, &runs).wait_s),
            (2, 20)
        );
        let counts = accounting.facts().counts;
        assert_eq!(counts, [("jobs that were still waiting", 1), (STILL_RUNNING, 2), (CANCELLED_EARLY, 1)]);
    }

    #[test]
    fn instants_of_1970_beside_later_ones_are_unknown() {
        let later = SlurmJob {
            submit_s: Some(1_700_000_000),
            eligible_s: Some(1_700_000_000),
            start_s: Some(1_700_000_060),
            end_s: Some(1_700_000_160),
            elapsed_s: None,
            ..JOB
        };
        for zero in [0, -3600, 50_400] {
            let never = SlurmJob { start_s: Some(zero), state: b"CANCELLED", ..later };
            let runs = SlurmJob { end_s: Some(zero), state: b"RUNNING", ..later };
            let mut accounting = accounting("");
            let [never, runs] = [record_of(&mut accounting, &never), record_of(&mut accounting, &runs)];
            assert_eq!((never.submit_s, never.wait_s, never.run_s), (1_700_000_000, -1, 0), "{zero}");
            assert_eq!((runs.wait_s, runs.run_s, runs.allocated_procs), (60, -1, 2), "{zero}");
            assert_eq!(accounting.facts().counts, [(STILL_RUNNING, 1), (CANCELLED_EARLY, 1)]);
        }
    }

    #[test]
    fn a_job_cancelled_at_its_start_has_not_started() {
        for (state, allocated_procs, what) in
            [("CANCELLED by 7", -1, Some(CANCELLED_EARLY)), ("FAILED", 2, None), ("COMPLETED", 2, None)]
        {
            let mut accounting = accounting("");
            let at_end = SlurmJob { start_s: Some(250), elapsed_s: Some(0), state: state.as_bytes(), ..JOB };
            let record = record_of(&mut accounting, &at_end);
            assert_eq!((record.run_s, record.allocated_procs), (0, allocated_procs), "{state}");
            let counts = accounting.facts().counts;
            assert_eq!(counts.first().map(|row| row.0), what, "{state}");
        }
    }

    #[test]
    fn a_run_time_alone_is_that_of_a_job_that_ran() {
        for (start_s, end_s) in [(None, None), (Some(150), None), (None, Some(250))] {
            let record = record_of(&mut accounting(""), &SlurmJob { start_s, end_s, ..JOB });
            assert_eq!((record.run_s, record.allocated_procs), (90, 2), "{start_s:?} {end_s:?}");
            assert_eq!(record.wait_s, if start_s.is_some() { 20 } else { -1 });
        }
        let never = SlurmJob { start_s: None, end_s: None, elapsed_s: Some(0), state: b"CANCELLED", ..JOB };
        let record = record_of(&mut accounting(""), &never);
        assert_eq!((record.run_s, record.allocated_procs), (0, -1));
    }

    #[test]
    fn a_start_before_the_submission_is_the_submission_too() {
        for (submit_s, eligible_s, expected) in
            [(151, Some(100), (150, 0)), (100, Some(400), (100, 50)), (100, None, (100, 50))]
        {
            let mut accounting = accounting("");
            let submit_s = Some(submit_s);
            let record = record_of(&mut accounting, &SlurmJob { submit_s, eligible_s, ..JOB });
            assert_eq!((record.submit_s, record.wait_s), expected);
            let early = accounting.facts().counts.first().copied();
            assert_eq!(early, (expected.1 == 0).then_some((EARLY_STARTS, 1)));
        }
    }

    #[test]
    fn jobs_that_became_eligible_late_are_counted_with_their_time() {
        let mut accounting = accounting("");
        record_of(&mut accounting, &JOB);
        record_of(&mut accounting, &SlurmJob { eligible_s: Some(100), ..JOB });
        let waits = SlurmJob { start_s: None, end_s: None, state: b"PENDING", ..JOB };
        record_of(&mut accounting, &waits);
        let expected = "1 job became eligible after the submission, which is the arrival; that leaves out \
                        30.0 % of the time from submissions to starts; arrival=submit of --input-format \
                        counts it";
        assert_eq!(accounting.facts().notes.last().map(String::as_str), Some(expected));
    }

    #[test]
    fn reasons_beyond_priority_and_resources_have_names() {
        let mut accounting = accounting("");
        let reasons =
            ["", "None", "priority", "Resources", "Dependency", "ReqNodeNotAvail, UnavailableNodes:n1"];
        let numbers = reasons
            .map(|reason| record_of(&mut accounting, &SlurmJob { reason: reason.as_bytes(), ..JOB }).reason);
        assert_eq!(numbers, [-1, -1, -1, -1, 1, 2]);
        let names = accounting.facts().names;
        assert_eq!(names.of(NameKind::Reason).collect::<Vec<_>>(), ["Dependency", "ReqNodeNotAvail"]);
    }

    #[test]
    fn limits_are_minutes_or_clocks() {
        for (text, expected) in [
            ("5", Ok(Some(300))),
            ("01:00:00", Ok(Some(3600))),
            ("1-00:00:00", Ok(Some(86_400))),
            ("UNLIMITED", Ok(None)),
            ("Partition_Limit", Ok(None)),
            ("", Ok(None)),
        ] {
            assert_eq!(limit(text.as_bytes()), expected, "{text}");
        }
        assert!(limit(b"soon").is_err());
    }
}
