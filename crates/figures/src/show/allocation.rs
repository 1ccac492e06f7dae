//! The command `show allocation`: the jobs on the machine at one instant of a replay, for several allocators
//! side by side.

use std::path::PathBuf;

use super::{ShowError, picture};
use meshreplay_base::job::Time;
use meshreplay_base::spec::Spec;
use meshreplay_base::words::counted;
use meshreplay_logs::ReadOptions;
use meshreplay_machine::machine::outages::OutageSource;
use meshreplay_machine::machine::{Mesh, NodeId};
use meshreplay_results::text::grouped;
use meshreplay_study::study::{Axes, Combination, JobSource, Options, Replay, Snapshot, fitting, load};
use meshreplay_workload::{Model, Oversize, Rules};

/// An instant in several replays that differ only in their allocators.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// The path of the log, or the spec of a workload model.
    pub log: PathBuf,
    /// The machine.
    pub machine: Mesh,
    /// The scheduler.
    pub scheduler: Spec,
    /// The allocators, from left to right.
    pub allocators: Vec<Spec>,
    /// The instant, in seconds of the log's time. Events at exactly this time have already happened. `None`
    /// is the first instant at which most nodes are in use with the first allocator.
    pub at_s: Option<f64>,
    /// The seed of all random numbers.
    pub seed: u64,
    /// The treatment of jobs that cannot be placed on the machine.
    pub oversize: Oversize,
    /// The options. Only outages and the node map have an effect.
    pub options: Options,
}

/// Returns a drawing of the machine for each allocator, with a letter for each job, and below them one line
/// of facts for each. Letters have colours if `is_coloured`.
pub fn allocation(moment: &Moment, is_coloured: bool) -> Result<String, ShowError> {
    let Moment { machine, oversize, .. } = moment;
    if let Some(at_s) = moment.at_s.filter(|at_s| !at_s.is_finite()) {
        return Err(ShowError::Option(format!("--at {at_s}: expected a number of seconds")));
    }
    if moment.options.outages == Some(OutageSource::Recorded) {
        let problem = "--outages recorded: a moment has the outages of a file or drawn ones; give the \
             outages in a file";
        return Err(ShowError::Option(problem.to_owned()));
    }
    let (name, source) = source(moment)?;
    let axes = Axes {
        logs: vec![name.into()],
        rules: vec![Rules { oversize: *oversize, ..Rules::default() }],
        machines: vec![machine.clone()],
        schedulers: vec![moment.scheduler.clone().into()],
        allocators: moment.allocators.iter().cloned().map(Into::into).collect(),
        values: [("seed", vec![moment.seed.to_string()])].into(),
        ..Axes::default()
    };
    let (mut grids, mut facts, mut legend) =
        (Vec::new(), String::new(), picture::line_of_unavailable(machine));
    let mut instant = moment.at_s.map(|at_s| Time::from_micros((at_s * 1e6).clamp(-9e18, 9e18) as i64));
    for Combination { spec, .. } in axes.combinations()? {
        let title = spec.labels.allocator.clone();
        let replay = Replay::new(spec, source.clone());
        let at = if let Some(at) = instant {
            at
        } else {
            let at = *instant.insert(replay.busiest(&moment.options)?);
            let at_s = grouped(at.as_seconds(), 0);
            facts = format!("at {at_s} s, when most nodes are in use with {title}\n");
            at
        };
        let snapshot = replay.snapshot(at, &moment.options)?;
        facts += &described(&title, &snapshot, machine);
        if legend.is_empty() || !legend.contains(picture::DOWN) {
            legend += picture::line_of_down(&snapshot.down);
        }
        grids.push((title, picture::jobs(machine, &letters(&snapshot, machine), is_coloured)));
    }
    Ok(picture::side_by_side(&grids) + "\n" + &legend + &facts)
}

/// Returns the name of the log or the model, and the jobs that it provides.
fn source(moment: &Moment) -> Result<(String, JobSource), ShowError> {
    let rules = Rules { oversize: moment.oversize, ..Rules::default() };
    if let Some(text) = moment.log.to_str().filter(|text| Model::is_spec(text)) {
        let model = text.parse().and_then(|spec| Model::new(&spec))?;
        let (name, model) = (model.to_string(), Box::new(model));
        return Ok((name, JobSource::Drawn { model, rules, arrival_scale: 1.0 }));
    }
    let log = load(&moment.log, ReadOptions::default(), rules)?;
    let (jobs, skipped) = fitting(&log.name, &log.workload.jobs, &moment.machine, moment.oversize)?;
    Ok((log.name, JobSource::recorded(jobs, skipped).of_log(&log.summary)))
}

/// Returns for each node the letter of its job and the number of the job's colour; `None` for a free node.
/// Jobs are numbered in the order of their starts. The job that started last has the letter `#`. A node that
/// is down has a cross, unless its job still runs.
fn letters(snapshot: &Snapshot, mesh: &Mesh) -> Vec<Option<picture::Letter>> {
    let mut letters = vec![None; mesh.nodes() as usize];
    for &node in &snapshot.down {
        letters[node as usize] = Some((picture::DOWN, 0));
    }
    for (i, running) in snapshot.running.iter().enumerate() {
        let is_newest = i + 1 == snapshot.running.len();
        let letter = if is_newest { '#' } else { picture::letter(i) };
        for &node in &running.nodes {
            letters[node as usize] = Some((letter, i));
        }
    }
    letters
}

/// Returns a line with the number of jobs, busy nodes and waiting jobs.
fn described(title: &str, snapshot: &Snapshot, mesh: &Mesh) -> String {
    let busy: usize = snapshot.running.iter().map(|running| running.nodes.len()).sum();
    let share = 100.0 * busy as f64 / f64::from(mesh.available());
    let newest = snapshot.running.last().map_or_else(String::new, |running| {
        let (job, start_s) = (running.job, grouped(running.start.as_seconds(), 0));
        format!("; # is job {} of {}, started at {start_s} s", job.number, counted(job.procs, "processor"))
    });
    let in_use = |node: &&NodeId| snapshot.running.iter().any(|running| running.nodes.contains(node));
    let down = match (snapshot.down.len(), snapshot.down.iter().filter(in_use).count()) {
        (0, _) => String::new(),
        (down, 0) => format!(", {down} down"),
        (down, in_use) => format!(", {down} down ({in_use} still in use)"),
    };
    format!(
        "{title}: {} on {} ({share:.0}%), {} waiting{down}{newest}\n",
        counted(snapshot.running.len(), "job"),
        counted(busy, "node"),
        snapshot.waiting
    )
}
