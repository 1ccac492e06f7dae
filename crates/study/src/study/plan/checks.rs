//! What is checked while a study is planned: options that answer nothing, predictions and recorded nodes.

use std::collections::BTreeSet;

use super::{Draft, PeriodChoice, PlanError};
use crate::study::log::RecordedNodesError;
use crate::study::planned::{PlannedReplay, Study, StudyLog};
use crate::study::replay::explains;
use meshreplay_alloc::allocator::follows_lists;
use meshreplay_base::job::Job;
use meshreplay_base::prediction::PredictionError;
use meshreplay_sim::execution::RECORDED;
use meshreplay_sim::metrics::{Has, Needs};
use meshreplay_workload::{Arrivals, Rules};

impl Draft {
    /// Fails if an option answers nothing: quantiles of times that are not measured, a period of arrivals that
    /// are drawn anew, or shaking in a single run, in drawn jobs, or below a network that sets run times.
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
        let Some(shake) = self.options.shake else { return Ok(()) };
        let network = self.axes.networks.iter().find(|given| given.spec.name != RECORDED);
        let model = self.logs.iter().find_map(|log| log.model.as_ref());
        let problem = if !self.options.replications.are_several() && self.axes.seeds.len() < 2 {
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

    /// Returns whether all replays draw arrivals anew, so that no period of a log matters.
    pub(super) fn are_all_redrawn(&self) -> bool {
        self.axes.rules.iter().all(|rules| rules.arrivals != Arrivals::Recorded)
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

/// Returns the first reason why recorded and simulated waits are not compared; `None` without one.
pub(super) fn doubt(reasons: [&Option<String>; 3]) -> Option<String> {
    reasons.into_iter().flatten().next().cloned()
}

/// Returns what the replays have, of which `has` knows all but what follows from each of them. `why`: all
/// replays have causes of waiting.
pub(super) fn with_cells(has: Has, why: bool, cells: &[PlannedReplay], logs: &[StudyLog]) -> Has {
    let any = |has_it: fn(&PlannedReplay) -> bool| cells.iter().any(has_it);
    let is_explained =
        |cell: &PlannedReplay| explains(&cell.spec, logs[cell.log].is_of_site, cell.assumes_size);
    has.with(Needs::RecordedNodes, any(|cell| follows_lists(&cell.spec.allocator)))
        .with(Needs::Why, why || cells.iter().any(is_explained))
        .with(Needs::Period, any(|cell| cell.spec.period.is_some()))
}
