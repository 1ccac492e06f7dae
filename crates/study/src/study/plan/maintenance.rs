//! Maintenance that a log shows: times in which nothing ran while jobs waited that fit. It is named, or
//! replayed as planned outages.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::period::{LogPeriod, LoggedTimes};
use super::survey::StartAndLimit;
use super::{Draft, PlanError};
use crate::study::replay_spec::ReplaySpec;
use meshreplay_base::job::Time;
use meshreplay_logs::{LogNames, RunsOnNodes};
use meshreplay_machine::machine::outages::OutageSource;
use meshreplay_workload::Rules;

/// Most spans that a note lists.
const NAMED: usize = 3;

impl Draft {
    /// Returns the period of a log, with its maintenance, and adds notes on planned outages. `limits` has the
    /// jobs by rules.
    pub(super) fn period(
        &self,
        times: &LoggedTimes<'_>,
        limits: &[Vec<StartAndLimit>],
        runs: &RunsOnNodes<'_>,
        notes: &mut Vec<String>,
    ) -> Result<LogPeriod, PlanError> {
        if self.are_all_redrawn() {
            return Ok(LogPeriod::of_redrawn(times.summary));
        }
        let is_planned = self.options.outages == Some(OutageSource::Recorded);
        let mut period = LogPeriod::resolve(self.options.period.as_ref(), is_planned, times, runs)?;
        // Jobs that are left out may have run while the machine seems idle.
        let left_out = self.axes.rules.first().and_then(Rules::leaves_out_runs);
        if left_out.is_some() {
            period.idle.clear();
        }
        name(&mut period, times.names);
        if is_planned {
            let log = (times.summary.origin_s(), times.names);
            let known = match left_out {
                Some(option) => {
                    Err(format!("{option} can leave out jobs that ran, so that no outage is certain"))
                }
                None => plan(&mut period, limits, log, runs.are_too_many()),
            };
            let note = known.map_err(|problem| {
                PlanError::Unsuited(format!(
                    "{}: --outages recorded: {problem}; give the outages in a file, or leave out --outages",
                    times.name
                ))
            })?;
            notes.push(format!("{}: {note}", times.name));
        }
        Ok(period)
    }
}

/// Adds to the period of a log a note on its maintenance, for schedulers that do not know of it.
pub(super) fn name(period: &mut LogPeriod, names: &LogNames) {
    let what = "nothing ran while jobs waited that fit, as in a maintenance, of which simulated schedulers \
                know nothing (--outages recorded lets them know)";
    period.idle_note = listed(&period.idle, names).map(|list| format!("{what}: {list}"));
}

/// Adds to the period of a log the planned outages of its maintenance for each set of rules, and returns a
/// note. `limits` has the jobs by rules, and `are_too_many` is true if the runs of the log were not kept.
/// Fails, in words, if the log shows none.
pub(super) fn plan(
    period: &mut LogPeriod,
    limits: &[Vec<StartAndLimit>],
    (origin_s, names): (i64, &LogNames),
    are_too_many: bool,
) -> Result<String, String> {
    if are_too_many {
        return Err("it has too many jobs to find out when nothing ran".to_owned());
    }
    let spans = |jobs: &Vec<StartAndLimit>| -> Vec<[i64; 2]> {
        period.idle.iter().map(|&span| planned(span, jobs, origin_s)).collect()
    };
    let by_rules: Vec<Vec<[i64; 2]>> = limits.iter().map(spans).collect();
    let list = by_rules.first().and_then(|spans| listed(spans, names)).ok_or_else(|| {
        "it shows no outage: 6 h or more in which nothing ran while jobs waited that fit".to_owned()
    })?;
    let times = |spans: Vec<[i64; 2]>| spans.into_iter().map(|span| span.map(Time::from_seconds)).collect();
    period.planned = by_rules.into_iter().map(times).collect();
    Ok(format!(
        "planned outages, as the log shows them: no simulated scheduler starts a job that would run into one \
         by its limit: {list}"
    ))
}

/// Returns these times in words; `None` without any.
fn listed(spans: &[[i64; 2]], names: &LogNames) -> Option<String> {
    let text = |&[from_s, to_s]: &[i64; 2]| {
        let [from, to] = [from_s, to_s].map(|time_s| names.date_or_seconds(time_s));
        format!("{from} to {to} ({:.1} h)", (to_s - from_s) as f64 / 3600.0)
    };
    let mut list: Vec<String> = spans.iter().take(NAMED).map(text).collect();
    if spans.len() > NAMED {
        list.push(format!("{} more", spans.len() - NAMED));
    }
    (!list.is_empty()).then(|| list.join(", "))
}

/// Returns the planned outage of a maintenance, in seconds of the log. It begins with the last end of a
/// limit, of a job that started before, between the last end of a run and the first start: until then the
/// scheduler let jobs run.
fn planned([idle_s, to_s]: [i64; 2], jobs: &[StartAndLimit], origin_s: i64) -> [i64; 2] {
    let before = jobs.iter().map(|job| [job.start - origin_s, job.limit - origin_s]);
    let limits = before.filter(|&[start, limit]| start < to_s && limit <= to_s).map(|[_, limit]| limit);
    [limits.fold(idle_s, i64::max), to_s]
}

/// What the schedulers of a study know of maintenance.
pub(super) struct Known<'a> {
    outages: Option<&'a OutageSource>,
    /// Planned outages of the file by machine.
    of_machines: BTreeMap<String, Arc<[[Time; 2]]>>,
    /// Positions of the logs with maintenance that schedulers do not know of.
    unknown: BTreeSet<usize>,
}

impl<'a> Known<'a> {
    pub(super) fn new(outages: Option<&'a OutageSource>) -> Self {
        Self { outages, of_machines: BTreeMap::new(), unknown: BTreeSet::new() }
    }

    /// Returns the reason why recorded and simulated waits are not compared: a maintenance of the log meets
    /// no planned outage. `None` if each does, or without any.
    pub(super) fn doubt(&mut self, log: usize, period: &LogPeriod, spec: &ReplaySpec) -> Option<String> {
        let machine = spec.machine.to_string();
        let of_file = self.of_machines.entry(machine).or_insert_with(|| {
            // Files are checked before.
            let outages = self.outages.and_then(|source| source.on(&spec.machine, 0, Time::ZERO).ok());
            outages.map(|outages| outages.planned.into()).unwrap_or_default()
        });
        let planned = if spec.planned.is_empty() { &**of_file } else { &*spec.planned };
        let meets = |span: &[i64; 2]| {
            let [from, to] = span.map(Time::from_seconds);
            planned.iter().any(|[begin, end]| *begin < to && from < *end)
        };
        (!period.idle.iter().all(meets)).then(|| {
            self.unknown.insert(log);
            "jobs waited while nothing ran, as in a maintenance".to_owned()
        })
    }

    /// Returns the notes on the maintenance that schedulers do not know of, with the positions of their logs.
    pub(super) fn notes(&self, periods: &[LogPeriod]) -> Vec<(usize, String)> {
        self.unknown.iter().filter_map(|&log| Some((log, periods[log].idle_note.clone()?))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_planned_outage_begins_with_the_last_limit() {
        let job = |start, limit| StartAndLimit { start, limit };
        let jobs = [job(100, 190), job(110, 260), job(120, 230), job(300, 300)];
        assert_eq!(planned([60, 200], &jobs, 100), [160, 200]);
        // All limits ended before, or would have run into it.
        assert_eq!(planned([100, 120], &jobs, 100), [100, 120]);
    }
}
