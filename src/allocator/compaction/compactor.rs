//! Allocators on linear arrays that let running tasks move: what they share.
//!
//! 1. A job gets the leftmost free block that is long enough, at its left end.
//! 2. If there is none although enough processors are free, tasks move aside (see [`super::array`]): the job starts
//!    when the decision is made and the window free, and tasks stand still from the first step in which one of their
//!    elements moves or has to give way, to the last.
//!
//! So none of them refuses a job while enough processors are free. What a decision and a step cost are parameters,
//! which the paper leaves to a report that could not be had. The default of a step, 0.1 s, is the power of ten with
//! which the run times of Table 1 are extended most nearly as much as printed; no cost of a step meets all numbers of
//! the paper (`reproduce diessel1996` shows several). If a task that would move ends while the decision is being
//! made, the plan is void, and the allocator is asked anew.

use std::cmp::Ordering;

use super::array::{Array, Schedule, Task, Window};
use crate::allocator::contiguous::orientations::row_by_row;
use crate::allocator::seam::{Allocator, JobMove, Placement, Rearrangement, Request, Submeshes};
use crate::job::Time;
use crate::machine::{Machine, NodeId, row};
use crate::spec::{Params, SpecError};

/// In which direction tasks may move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ways {
    Left,
    Right,
    /// The better of both.
    Both,
    /// All to the left, at once and for nothing.
    Free,
}

/// The costs of compaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    /// A step of the mesh.
    step_s: f64,
    /// Rows of the mesh.
    height: u32,
    /// A record looked at while a window is chosen.
    select_s: f64,
    /// A task looked at while a schedule is made.
    schedule_s: f64,
    /// Whether every schedule is proved free of conflicts.
    check: bool,
}

/// Where nothing moves, a job is a row of the array, wherever one is free.
pub(crate) const SUBMESHES: Submeshes = Submeshes {
    sizes: |request, mesh| {
        let sizes = row(request.procs, mesh);
        if request.procs <= mesh.nodes() { vec![sizes] } else { Vec::new() }
    },
    nodes: row_by_row,
};

impl Costs {
    /// The parameters in help texts.
    pub(crate) const PARAMETERS: &str = "step_time=0.1, height=1, select_cost=0.000001, schedule_cost=0.000001 (seconds, rows), check=no (yes)";

    /// Nothing costs anything.
    pub(crate) const NONE: Self =
        Self { step_s: 0.0, height: 1, select_s: 0.0, schedule_s: 0.0, check: false };

    /// Takes the parameters.
    pub(crate) fn take(params: &mut Params) -> Result<Self, SpecError> {
        let mut seconds = |key: &str, default: f64| {
            let expected = "a number of seconds, at least 0";
            let value = params.take(key, default, expected)?;
            if (0.0..1e9).contains(&value) {
                Ok(value)
            } else {
                Err(params.bad_value(key, &value.to_string(), expected))
            }
        };
        let step_s = seconds("step_time", 0.1)?;
        let (select_s, schedule_s) = (seconds("select_cost", 1e-6)?, seconds("schedule_cost", 1e-6)?);
        let height = params.take("height", 1_u32, "a whole number from 1")?;
        if height == 0 {
            return Err(params.bad_value("height", "0", "a whole number from 1"));
        }
        let check = params.choose("check", &[("no", false), ("yes", true)])?;
        Ok(Self { step_s, height, select_s, schedule_s, check })
    }

    /// Returns how long so many steps take, in whole rows.
    fn steps(&self, steps: u32) -> Time {
        seconds(self.step_s * f64::from(steps.div_ceil(self.height)))
    }

    /// Returns the time that it takes to decide: every record of tasks and free blocks, and every task for every
    /// schedule.
    fn decision(&self, tasks: usize, schedule: &Schedule) -> Time {
        let visits = f64::from(schedule.candidates) * schedule.suspended.len() as f64;
        seconds(self.select_s * (2 * tasks + 1) as f64 + self.schedule_s * visits)
    }
}

fn seconds(seconds: f64) -> Time {
    Time::from_micros((seconds * 1e6).round() as i64)
}

/// An allocator of this family.
pub(crate) struct Compactor {
    array: Array,
    /// Nothing moves without it.
    compaction: Option<(Ways, Costs)>,
}

impl Compactor {
    /// Returns an allocator for an idle array.
    pub(crate) fn new(processors: u32, compaction: Option<(Ways, Costs)>) -> Self {
        Self { array: Array::new(processors), compaction }
    }

    /// Returns a plan for a job of `length` processors, as many being free; `None` if nothing may move.
    fn plan(&self, length: u32) -> Option<Placement> {
        match self.compaction? {
            (Ways::Free, _) => self.slide(length),
            (Ways::Left, costs) => Some(self.scheduled(best(Window::left(&self.array, length)?), costs)),
            (Ways::Right, costs) => Some(self.scheduled(best(Window::right(&self.array, length)?), costs)),
            (Ways::Both, costs) => {
                let (left, right) = (Window::left(&self.array, length)?, Window::right(&self.array, length)?);
                // Schedules matter only between windows that cover as much.
                let plan = match left.covered.cmp(&right.covered) {
                    Ordering::Less => best(left),
                    Ordering::Greater => best(right),
                    Ordering::Equal => {
                        let (left, right) = (best(left), best(right));
                        let key = |(_, schedule): &(Window, Schedule)| (schedule.delay, schedule.length);
                        if key(&right) < key(&left) { right } else { left }
                    }
                };
                Some(self.scheduled(plan, costs))
            }
        }
    }

    fn scheduled(&self, (window, schedule): (Window, Schedule), costs: Costs) -> Placement {
        if costs.check {
            let checked = schedule.check(&window, self.array.processors());
            assert!(checked.is_ok(), "{checked:?} on {:?}", self.array);
        }
        let moves = window.shifts.iter().zip(&schedule.suspended).map(|(shift, &(first, last))| JobMove {
            first: shift.task.base,
            nodes: nodes(shift.target(), shift.task.length),
            suspended: costs.steps(last + 1 - first),
            until: costs.steps(last),
        });
        let rearrangement = Rearrangement {
            moves: moves.collect(),
            decided: costs.decision(self.array.tasks().len(), &schedule),
            ready: costs.steps(schedule.vacated),
            delays: schedule.delay > 0,
            overruns: schedule.length > schedule.vacated,
        };
        Placement { nodes: nodes(window.base, window.length), rearrangement: Some(Box::new(rearrangement)) }
    }

    /// Returns the plan by which all tasks slide to the left end and the job goes right of them; `None` if it does
    /// not fit there.
    fn slide(&self, length: u32) -> Option<Placement> {
        let (mut edge, mut moves) = (0, Vec::new());
        for task in self.array.tasks() {
            if task.base > edge {
                let nodes = nodes(edge, task.length);
                moves.push(JobMove { first: task.base, nodes, suspended: Time::ZERO, until: Time::ZERO });
            }
            edge += task.length;
        }
        let fits = edge + length <= self.array.processors();
        let rearrangement = Rearrangement { moves, ..Rearrangement::default() };
        fits.then(|| Placement { nodes: nodes(edge, length), rearrangement: Some(Box::new(rearrangement)) })
    }
}

fn best(window: Window) -> (Window, Schedule) {
    let schedule = Schedule::best(&window);
    (window, schedule)
}

fn nodes(base: u32, length: u32) -> Vec<NodeId> {
    (base..base + length).collect()
}

/// Returns the tasks that nodes are: each run of adjacent ones.
fn tasks(nodes: &[NodeId]) -> impl Iterator<Item = Task> {
    let runs = nodes.chunk_by(|a, b| a + 1 == *b);
    runs.map(|run| Task { base: run[0], length: run.len() as u32 })
}

impl Allocator for Compactor {
    fn propose(&mut self, request: &Request, _machine: &Machine) -> Option<Placement> {
        let length = request.procs;
        match self.array.first_fit(length) {
            Some(base) => Some(Placement::of(nodes(base, length))),
            None => self.plan(length),
        }
    }

    fn taken(&mut self, placement: &Placement, _machine: &Machine) {
        let moves = placement.rearrangement.iter().flat_map(|rearrangement| &rearrangement.moves);
        // All give up their processors before any takes its new ones, which may be another's old ones.
        let gone: Vec<Option<Task>> = moves.clone().map(|moved| self.array.remove(moved.first)).collect();
        for (moved, task) in moves.zip(gone) {
            if let (Some(task), Some(&base)) = (task, moved.nodes.first()) {
                self.array.insert(Task { base, ..task });
            }
        }
        tasks(&placement.nodes).for_each(|task| self.array.insert(task));
    }

    fn released(&mut self, placement: &Placement, _machine: &Machine) {
        for task in tasks(&placement.nodes) {
            self.array.remove(task.base);
        }
    }
}
