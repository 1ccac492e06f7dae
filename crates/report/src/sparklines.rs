//! Sparklines for the terminal: busy nodes and waiting jobs of each replay over time.

use std::collections::BTreeSet;

use meshreplay_figures::Span;
use meshreplay_results::text::{Screen, grouped};
use meshreplay_sim::metrics::{BusyNodes, ColumnType, FinishedJob, KilledWaits};
use meshreplay_study::study::{Coordinate, Outcome, ReplaySpec};

/// The signs of values above 0, from the least to the largest. A blank stands for 0.
const SIGNS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
/// The number of signs of a curve for lines of any length, and the limits for a given width.
const USUAL: usize = 40;
const FEWEST: usize = 8;
const MOST: usize = 60;

/// The data behind the curves of a replay.
#[derive(Clone, Debug)]
struct Replay {
    /// The number of the replay.
    number: usize,
    /// The labels that distinguish the replay.
    labels: Vec<String>,
    /// The number of nodes that jobs can have.
    nodes: f64,
    /// For each run, with killed runs included, the beginning of the wait, the start and the end in seconds,
    /// and the number of nodes.
    runs: Vec<([f64; 3], f64)>,
}

/// The curves of the first replication of each replay. They share their scales, so they are drawn after all
/// replays.
#[derive(Clone, Debug, Default)]
pub struct Sparklines {
    replays: Vec<Replay>,
    /// Whether some replay had no jobs in memory.
    lacks_jobs: bool,
}

impl Sparklines {
    /// Adds a replay with its outcomes, as long as these have their jobs.
    pub fn add(&mut self, number: usize, spec: &ReplaySpec, outcomes: &[Outcome]) {
        let Some(outcome) = outcomes.first().filter(|outcome| outcome.has_jobs()) else {
            self.lacks_jobs |= !outcomes.is_empty();
            return;
        };
        let lost_runs = outcome.recording.outages.iter().flat_map(|outages| &outages.lost_runs);
        let waits = KilledWaits::of(lost_runs.clone().map(|run| (run.job.number, run.times_s())));
        let killed = lost_runs.zip(waits.before()).map(|(run, &from_s)| {
            let [_, start_s, end_s] = run.times_s();
            ([from_s, start_s, end_s], f64::from(run.allocated))
        });
        let ended = outcome.jobs.iter().map(|FinishedJob { job, record, .. }| {
            let start_s = record.start.as_seconds();
            let from_s = waits.since(job.number, job.submit.as_seconds(), start_s);
            ([from_s, start_s, record.end.as_seconds()], f64::from(record.allocated))
        });
        self.replays.push(Replay {
            number,
            labels: labels(spec),
            nodes: f64::from(spec.machine.available()),
            runs: killed.chain(ended).collect(),
        });
    }

    /// Returns a line for each replay below a line of titles, and a note if some replay has none. Each sign
    /// is a mean over one of equally long parts of the time from the first arrival to the last end of all
    /// replays.
    pub fn text(&mut self, screen: Screen) -> String {
        self.replays.sort_by_key(|replay| replay.number);
        let note = if self.lacks_jobs {
            "\n sparklines need the jobs in memory, which a log of so many jobs does not have with -o; `plot \
             DIR --kind busy queue` draws them\n"
        } else {
            ""
        };
        let times = || self.replays.iter().flat_map(|replay| &replay.runs).map(|(times, _)| times);
        let from_s = times().map(|times| times[0]).fold(f64::INFINITY, f64::min);
        let to_s = times().map(|times| times[2]).fold(f64::NEG_INFINITY, f64::max);
        if to_s <= from_s {
            return note.to_owned();
        }
        let names = self.names();
        let title = |names: &[String]| names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let room = screen.width.map(|width| width.saturating_sub(title(&names) + 5) / 2);
        let signs = room.map_or(USUAL, |room| room.clamp(FEWEST, MOST));
        let curves: Vec<[Vec<f64>; 2]> =
            self.replays.iter().map(|replay| replay.curves(Span::new(from_s, to_s), signs)).collect();
        let most = curves.iter().flat_map(|curves| &curves[1]).copied().fold(0.0, f64::max);
        let heads = ["busy nodes, to 100 %".to_owned(), format!("waiting jobs, to {}", grouped(most, 1))];
        let width = title(&names);
        let mut text = format!("\n {:width$}  {:signs$}  {}\n", "", shortened(&heads[0], signs), heads[1]);
        for (name, [busy, waiting]) in names.iter().zip(&curves) {
            let line = format!(" {name:width$}  {}  {}", line(busy, 1.0), line(waiting, most));
            text += line.trim_end();
            text.push('\n');
        }
        let part = span((to_s - from_s) / signs as f64);
        text + &screen
            .words(&format!("each sign is a mean over {part}, from the first arrival to the last end"))
            + note
    }

    /// Returns for each replay its allocator and the labels that differ between replays.
    fn names(&self) -> Vec<String> {
        let varies = |i: &usize| {
            let values: BTreeSet<&String> = self.replays.iter().map(|replay| &replay.labels[*i]).collect();
            *i == 0 || values.len() > 1
        };
        let count = self.replays.first().map_or(0, |replay| replay.labels.len());
        let shown: Vec<usize> = (0..count).filter(varies).collect();
        let name = |replay: &Replay| {
            shown.iter().map(|&i| replay.labels[i].as_str()).collect::<Vec<_>>().join(" · ")
        };
        self.replays.iter().map(name).collect()
    }
}

fn labels(spec: &ReplaySpec) -> Vec<String> {
    // The allocator comes first, then other algorithms, then the remaining coordinates.
    let mut coordinates = Coordinate::by_column();
    coordinates.sort_by_key(|row| (row.name != "allocator", row.label.is_none()));
    let label = |row: &Coordinate| match row.column_info().kind {
        ColumnType::Str => row.shown(spec),
        _ => format!("{} {}", row.title(), row.text(spec)),
    };
    coordinates.into_iter().map(label).collect()
}

impl Replay {
    /// Returns the mean share of busy nodes and the mean number of waiting jobs, in `parts` parts of the
    /// time.
    fn curves(&self, span_s: Span, parts: usize) -> [Vec<f64>; 2] {
        let [mut busy, mut waiting] = [(); 2].map(|()| BusyNodes::new(span_s.low, span_s.high, parts));
        for &([from_s, start_s, end_s], nodes) in &self.runs {
            busy.add(start_s, end_s, nodes / self.nodes);
            waiting.add(from_s, start_s, 1.0);
        }
        [busy, waiting].map(|curve| curve.means().into_iter().map(|(_, mean)| mean).collect())
    }
}

/// Returns a curve as signs. The highest sign stands for `most`, and values above 0 are never blank.
fn line(values: &[f64], most: f64) -> String {
    let sign = |&value: &f64| {
        // Rounding errors of 0 stay blank.
        if value <= 1e-9 || most <= 0.0 {
            return ' ';
        }
        let level = (value / most * SIGNS.len() as f64).ceil() as usize;
        SIGNS[level.clamp(1, SIGNS.len()) - 1]
    };
    values.iter().map(sign).collect()
}

/// Returns the beginning of a title that has too little room.
fn shortened(title: &str, room: usize) -> String {
    title.chars().take(room).collect()
}

/// Returns a length of time in the unit that suits it.
fn span(seconds: f64) -> String {
    let (value, unit) = match seconds {
        s if s < 120.0 => (s, "s"),
        s if s < 7200.0 => (s / 60.0, "min"),
        s if s < 172_800.0 => (s / 3600.0, "h"),
        s => (s / 86_400.0, "days"),
    };
    format!("{} {unit}", grouped(value, 1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_study::study::Labels;

    fn replay(labels: [&str; 3], runs: Vec<([f64; 3], f64)>) -> Replay {
        Replay { number: 0, labels: labels.map(str::to_owned).to_vec(), nodes: 4.0, runs }
    }

    #[test]
    fn every_coordinate_is_a_label() -> Result<(), Box<dyn std::error::Error>> {
        let base = ReplaySpec::new("4x4".parse()?, "fcfs".parse()?, "naive".parse()?);
        for row in Coordinate::listed() {
            let mut other = base.clone();
            assert!((row.set)(&mut other, row.example), "{}", row.name);
            other.labels = Labels::short(&other.scheduler, &other.allocator, &other.network).into();
            assert_ne!(labels(&base), labels(&other), "{}", row.name);
        }
        Ok(())
    }

    #[test]
    fn signs_are_means_over_parts_of_the_time() {
        // Four nodes over 80 s; a sign stands for 10 s.
        let jobs = vec![([0.0, 0.0, 20.0], 4.0), ([0.0, 20.0, 45.0], 1.0), ([10.0, 20.0, 80.0], 1.0)];
        let replays = vec![replay(["a", "fcfs", "log"], jobs), replay(["bc", "easy", "log"], Vec::new())];
        let mut lines = Sparklines { replays, lacks_jobs: false };
        let text = lines.text(Screen { width: Some(30), is_bold: false });
        let found: Vec<&str> = text.lines().collect();
        // 100 %, then 50 % for two parts, 37.5 % and 25 %; one job waits, then two.
        assert_eq!(found[2], " a · fcfs   ██▄▄▃▂▂▂  ▄█");
        assert_eq!(found[3], " bc · easy");
        assert!(found[1].ends_with("waiting jobs, to 2.0") && found[4].contains("mean over 10.0"), "{text}");
        assert_eq!(line(&[0.0, 0.01, 0.125, 0.126, 1.0, 2.0], 1.0), " ▁▁▂██");
        assert_eq!(line(&[0.0], 0.0), " ");
        assert_eq!(Sparklines::default().text(Screen::default()), "");
    }
}
