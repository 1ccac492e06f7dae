//! Maintenance that a log shows: times in which nothing ran while jobs waited that fit. It is named, or replayed
//! as planned outages.

use std::sync::Arc;

use super::PlanError;
use super::period::LogPeriod;
use super::survey::StartAndLimit;
use meshreplay_base::job::Time;
use meshreplay_logs::LogNames;

/// Most spans that a note lists.
const NAMED: usize = 3;

/// The maintenance of a log.
pub(super) struct Maintenance<'a> {
    pub(super) log: &'a str,
    pub(super) names: &'a LogNames,
    pub(super) period: &'a LogPeriod,
}

impl Maintenance<'_> {
    /// Returns the planned outages for each set of rules. `limits` has the jobs by rules, with their starts and
    /// limits, and `are_too_many` is true if the runs of the log were not kept. Fails if the log shows none.
    pub(super) fn planned(
        &self,
        limits: &[Vec<StartAndLimit>],
        origin_s: i64,
        are_too_many: bool,
    ) -> Result<Vec<Arc<[[Time; 2]]>>, PlanError> {
        let problem = match self.period.idle.is_empty() {
            _ if are_too_many => "it has too many jobs to find out when nothing ran",
            true => "it shows no outage: 6 h or more in which nothing ran while jobs waited that fit",
            false => "",
        };
        if !problem.is_empty() {
            let remedy = "give the outages in a file, or leave out --outages";
            return Err(PlanError::Unsuited(format!(
                "{}: --outages recorded: {problem}; {remedy}",
                self.log
            )));
        }
        let of_rules = |jobs: &Vec<StartAndLimit>| {
            let planned = self.period.idle.iter().map(|&span| planned(span, jobs, origin_s));
            planned.map(|span| span.map(Time::from_seconds)).collect()
        };
        Ok(limits.iter().map(of_rules).collect())
    }

    /// Returns a note on the maintenance; `None` without any. `planned` are the outages as replayed; empty if
    /// schedulers know nothing of them.
    pub(super) fn note(&self, planned: &[[Time; 2]]) -> Option<String> {
        let seconds = |time: &Time| time.as_micros() / 1_000_000;
        let (spans, what): (Vec<[i64; 2]>, _) = if planned.is_empty() {
            let what = "nothing ran while jobs waited that fit, as in a maintenance, of which simulated schedulers \
                        know nothing (--outages recorded lets them know)";
            (self.period.idle.clone(), what)
        } else {
            let what = "planned outages, as the log shows them: no simulated scheduler starts a job that would run \
                        into one by its limit";
            (planned.iter().map(|span| span.each_ref().map(seconds)).collect(), what)
        };
        let text = |&[from_s, to_s]: &[i64; 2]| {
            let [from, to] = [from_s, to_s].map(|time_s| self.names.date_or_seconds(time_s));
            format!("{from} to {to} ({:.1} h)", (to_s - from_s) as f64 / 3600.0)
        };
        let mut list: Vec<String> = spans.iter().take(NAMED).map(text).collect();
        if spans.len() > NAMED {
            list.push(format!("{} more", spans.len() - NAMED));
        }
        (!list.is_empty()).then(|| format!("{}: {what}: {}", self.log, list.join(", ")))
    }

    /// Returns the reason why recorded and simulated waits are not compared; `None` if schedulers know of the
    /// maintenance, or without any.
    pub(super) fn doubt(&self, is_planned: bool) -> Option<String> {
        let is_unknown = !is_planned && !self.period.idle.is_empty();
        is_unknown.then(|| "jobs waited while nothing ran, as in a maintenance".to_owned())
    }
}

/// Returns the planned outage of a maintenance, in seconds of the log. It begins with the last end of a limit, of
/// a job that started before, between the last end of a run and the first start: until then the scheduler let jobs
/// run.
fn planned([idle_s, to_s]: [i64; 2], jobs: &[StartAndLimit], origin_s: i64) -> [i64; 2] {
    let before = jobs.iter().map(|job| [job.start - origin_s, job.limit - origin_s]);
    let limits = before.filter(|&[start, limit]| start < to_s && limit <= to_s).map(|[_, limit]| limit);
    [limits.fold(idle_s, i64::max), to_s]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planned_outage_begins_with_the_last_limit() {
        let job = |start, limit| StartAndLimit { start, limit };
        let jobs = [job(100, 190), job(110, 260), job(120, 230), job(300, 300)];
        assert_eq!(planned([100, 200], &jobs, 100), [160, 200]);
        // All limits ended before, or would have run into it.
        assert_eq!(planned([100, 120], &jobs, 100), [100, 120]);
    }
}
