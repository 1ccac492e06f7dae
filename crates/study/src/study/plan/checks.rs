//! What is checked while a study is planned: options that answer nothing, predictions and recorded nodes.

use std::collections::BTreeSet;

use super::survey::PartSurvey;
use super::{Draft, PeriodChoice, PlanError};
use crate::study::axes::Combination;
use crate::study::log::RecordedNodesError;
use crate::study::planned::{PlannedReplay, Study, StudyLog};
use crate::study::replay::explains;
use crate::study::replay_spec::{Coordinate, ReplaySpec};
use meshreplay_alloc::allocator::follows_lists;
use meshreplay_base::job::Job;
use meshreplay_base::prediction::PredictionError;
use meshreplay_machine::machine::outages::{OutageSource, Treatment};
use meshreplay_sim::execution::RECORDED;
use meshreplay_sim::metrics::{Has, Needs};
use meshreplay_workload::{Arrivals, Rules};

impl Draft {
    /// Fails if an option answers nothing: quantiles of times that are not measured, a period of arrivals
    /// that are drawn anew, or shaking in a single run, in drawn jobs, or below a network that sets run
    /// times.
    pub(super) fn check_options(&self) -> Result<(), PlanError> {
        let useless = |option, problem| Err(PlanError::Useless { option, problem });
        if self.options.latency && !self.options.timed {
            return useless("latency", "--no-timing measures no times; leave out one of the two".to_owned());
        }
        let is_period = self.options.period.as_ref().is_some_and(|choice| *choice != PeriodChoice::Off);
        if is_period && self.are_all_redrawn() {
            let problem = "arrivals are drawn anew and have no period; leave out --period or --arrivals";
            return useless("period", problem.to_owned());
        }
        if let Some(problem) = self.problem_of_outages() {
            return useless("outages", problem.to_owned());
        }
        let Some(shake) = self.options.shake else { return Ok(()) };
        let network = self.axes.networks.iter().find(|given| given.spec.name != RECORDED);
        let model = self.logs.iter().find_map(|log| log.model.as_ref());
        let problem = if !self.options.replications.are_several() && self.axes.count("seed") < 2 {
            format!(
                "one run with run times changed by {shake} answers nothing; give --replications 20, or leave \
                 out --shake"
            )
        } else if let Some(model) = model {
            format!(
                "'{model}' draws other jobs from each seed, which says more than shaking; leave out --shake, \
                 or shake one log of the model, which `meshreplay trace generate` writes"
            )
        } else if let Some(network) = network {
            let network = &network.spec;
            format!(
                "run times are those of network '{network}', not of the log; leave out --shake or --network"
            )
        } else {
            return Ok(());
        };
        useless("shake", problem)
    }

    /// Returns the reason why no replay can have the outages that its log shows; `None` without one.
    fn problem_of_outages(&self) -> Option<&'static str> {
        if self.options.outages != Some(OutageSource::Recorded) {
            return None;
        }
        let is_moved = self.axes.rules.iter().any(|rules| rules.arrivals != Arrivals::Recorded)
            || self.axes.values.get("arrival_scale").into_iter().flatten().any(|scale| scale != "1");
        if is_moved {
            Some(
                "recorded outages are at the times of the log, and arrivals are scaled or drawn anew; give \
                 outages in a file, or leave out one of the two",
            )
        } else if self.logs.iter().any(|log| log.model.is_some()) {
            Some("a workload model has no recorded outages; leave out --outages")
        } else if self.options.on_outage != Treatment::default() {
            Some("no node goes down in recorded outages, which stop no job; leave out --on-outage")
        } else {
            None
        }
    }

    /// Returns whether all replays draw arrivals anew, so that no period of a log matters.
    pub(super) fn are_all_redrawn(&self) -> bool {
        self.axes.rules.iter().all(|rules| rules.arrivals != Arrivals::Recorded)
    }

    /// Fails if a scheduler plans with time limits and no job of a site's log has one.
    pub(super) fn check_limits(
        &self,
        combinations: &[Combination],
        logs: &[StudyLog],
        surveys: &[Vec<PartSurvey>],
    ) -> Result<(), PlanError> {
        let rules = |spec: &ReplaySpec| self.axes.rules.iter().position(|other| *other == *spec.rules);
        for Combination { log, spec, .. } in combinations {
            let part = surveys[*log].iter().find(|part| part.partition == spec.partition);
            let survey = part.zip(rules(spec)).and_then(|(part, rules)| part.by_rules.get(rules));
            let has_none = survey.is_some_and(|survey| survey.jobs > 0 && survey.limited == 0);
            let plans = ["easy", "conservative"].contains(&&*spec.scheduler.name);
            if has_none && logs[*log].is_of_site && plans {
                return Err(PlanError::Unsuited(format!(
                    "{}: no job has a time limit, without which '{}' cannot plan; give --estimate exact \
                     (estimate=exact in the rules of a study) to plan with the run times, as if they were \
                          known before",
                    spec.log, spec.scheduler.name
                )));
            }
        }
        Ok(())
    }

    /// Returns a note if no replay uses the given node map.
    pub(super) fn note_on_node_map(&self, has: Has) -> Option<String> {
        let has_no_effect = self.options.node_map.is_some() && !has.has(Needs::RecordedNodes);
        has_no_effect.then(|| {
            "the node map has no effect, as no replay has the allocator recorded; add that allocator or \
             leave out --node-map"
                .to_owned()
        })
    }
}

/// Builds the predictors of `rules` for `jobs`, so that a mistake in a prediction file is found before any
/// replay runs.
pub(super) fn check_predictions(rules: &[Rules], jobs: &[Job]) -> Result<(), PredictionError> {
    for prediction in rules.iter().filter_map(Rules::prediction) {
        prediction.build(jobs)?;
    }
    Ok(())
}

/// Maps recorded nodes once for each log and machine, so that a mistake is found before any replay runs.
pub(super) fn check_recorded_nodes(study: &Study) -> Result<(), RecordedNodesError> {
    let mut checked = BTreeSet::new();
    for PlannedReplay { spec, source, .. } in &study.cells {
        let Some(source) = source.as_ref().filter(|_| follows_lists(&spec.allocator)) else { continue };
        if checked.insert((&spec.log, &spec.partition, spec.machine.to_string())) {
            source.recorded_nodes(&spec.log, study.options.node_map.as_ref(), &spec.machine)?;
        }
    }
    Ok(())
}

/// Returns what the replays have, of which `has` knows all but what follows from each of them. `why`: all
/// replays have causes of waiting.
pub(super) fn with_cells(has: Has, why: bool, cells: &[PlannedReplay], logs: &[StudyLog]) -> Has {
    let follow = cells.iter().any(|cell| follows_lists(&cell.spec.allocator));
    let is_explained =
        |cell: &PlannedReplay| explains(&cell.spec, logs[cell.log].is_of_site, cell.assumes_size);
    Coordinate::with_given(has, || cells.iter().map(|cell| &cell.spec))
        .with(Needs::RecordedNodes, follow)
        .with(Needs::Why, why || cells.iter().any(is_explained))
}
