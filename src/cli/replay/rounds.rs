//! Timing rounds: all replays of a command several times, to measure the variation of the cost of calls.
//!
//! A round runs every replay once, one at a time. If the machine slows down, all replays slow down alike.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::Runner;
use crate::cli::runner::{ResultSink, Tally};
use crate::study::{Coordinate, Options, Outcome, ReplaySpec, Study, SweepError};
use crate::text::{Screen, grouped};

/// Processor time by wall-clock time of a busy machine, at most: other programs have the rest. Tried on two
/// idle cores (no note) and with six busy loops beside (0.3).
const BUSY: f64 = 0.8;
/// Shortest wall-clock time for this comparison.
const SHORT: Duration = Duration::from_millis(500);

/// The cost of calls in each round.
#[derive(Default)]
pub(super) struct Rounds {
    /// By number of the replay: nanoseconds per job in each round, as means over the seeds.
    ns_per_job: BTreeMap<usize, Vec<f64>>,
    /// Wall-clock time of the rounds behind the first one, and processor time where it is known.
    wall: Duration,
    processor: Option<Duration>,
}

impl Rounds {
    /// Adds the outcomes of a replay in a round.
    pub(super) fn add(&mut self, number: usize, outcomes: &[Outcome]) {
        let of = |outcome: &Outcome| outcome.summary.get("calls_ns_per_job");
        let ns: Vec<f64> = outcomes.iter().filter_map(of).collect();
        if !ns.is_empty() {
            self.ns_per_job.entry(number).or_default().push(ns.iter().sum::<f64>() / ns.len() as f64);
        }
    }

    /// Runs the replays of the study `further` times, without keeping results.
    pub(super) fn run(&mut self, runner: &Runner, study: &Study, further: u32) {
        let all: Vec<usize> = self.ns_per_job.keys().copied().collect();
        let options = Options {
            jobs: false,
            placements: false,
            by_shape: false,
            tidy: false,
            audit: false,
            ..study.options.clone()
        };
        let study = Study { options, ..study.clone() };
        let (began, processor) = (Instant::now(), processor_time());
        for _ in 0..further {
            if !runner.is_interrupted() {
                runner.run(&study, &all, &|_, outcomes| Ok(outcomes), None, self);
            }
        }
        self.wall = began.elapsed();
        self.processor = processor_time().zip(processor).map(|(end, start)| end.saturating_sub(start));
    }

    /// Returns a line per replay with the median, the least and the greatest cost per job, and a note on a
    /// busy machine. There is no note for programs of the user, whose processor time is not measured.
    pub(super) fn text(&self, study: &Study, screen: Screen) -> String {
        let rounds = self.ns_per_job.values().map(Vec::len).max().unwrap_or(0);
        let specs: Vec<&ReplaySpec> = self.ns_per_job.keys().map(|&i| &study.cells[i].spec).collect();
        let names = names(&specs);
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let line = |(name, ns): (&String, &Vec<f64>)| {
            let mut ns = ns.clone();
            ns.sort_by(f64::total_cmp);
            let [least, median, most] = [0, ns.len() / 2, ns.len() - 1].map(|i| grouped(ns[i], 0));
            format!(" {name:width$}  {median} ({least} to {most})\n")
        };
        let head = format!(
            "\n {:width$}  ns per job, median of {rounds} rounds (least to greatest), one replay at a time\n",
            ""
        );
        let mut text = head + &names.iter().zip(self.ns_per_job.values()).map(line).collect::<String>();
        let has_guests = specs.iter().any(|spec| {
            [&spec.allocator, &spec.scheduler, &spec.network].into_iter().any(|spec| spec.is_guest())
        });
        let wall_s = self.wall.as_secs_f64();
        let processor_s = self.processor.map_or(wall_s, |time| time.as_secs_f64());
        if !has_guests && self.wall > SHORT && processor_s < BUSY * wall_s {
            let note = format!(
                "the machine is busy with something else: {processor_s:.1} s of processor time took \
                 {wall_s:.1} s"
            );
            text += &screen.words(&note);
        }
        text
    }
}

impl ResultSink<Vec<Outcome>> for Rounds {
    fn ended(&mut self, number: usize, ended: Result<Vec<Outcome>, SweepError>) -> Vec<String> {
        // A replay that has ended once ends again.
        if let Ok(outcomes) = ended {
            self.add(number, &outcomes);
        }
        Vec::new()
    }

    fn is_lost(&self) -> bool {
        false
    }

    fn abandon(&mut self, tally: Tally) -> String {
        tally.interrupted(self.ns_per_job.len())
    }
}

/// Returns the names of replays by the coordinates that differ, or else by the allocator.
fn names(specs: &[&ReplaySpec]) -> Vec<String> {
    let mut shown: Vec<&Coordinate> = Coordinate::by_place();
    shown.retain(|row| {
        let differs = |spec: &&ReplaySpec| row.text(spec) != row.text(specs[0]);
        specs.iter().any(differs) || specs.len() == 1 && row.name == "allocator"
    });
    let name = |spec: &&ReplaySpec| shown.iter().map(|row| row.phrase(spec)).collect::<Vec<_>>().join(", ");
    specs.iter().map(name).collect()
}

/// Returns the processor time of this process, where it is known.
fn processor_time() -> Option<Duration> {
    #[cfg(unix)]
    {
        Duration::try_from(rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime)).ok()
    }
    #[cfg(not(unix))]
    None
}
