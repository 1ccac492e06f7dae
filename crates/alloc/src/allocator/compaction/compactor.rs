//! The allocator that the strategies of `rows` share: first fit on a linear array, with or without
//! compaction.
//!
//! 1. A job goes to the left end of the leftmost free block that is long enough.
//! 2. If no block is long enough although enough processors are free, tasks move aside (see
//!    [`super::array`]). The job starts when the decision is made and the window is free. A task is suspended
//!    from the first step that moves one of its elements or makes it give way, to the last step that moves
//!    one.
//!
//! So an allocator with compaction never refuses a job while enough processors are free. With `free=more`
//! tasks move only if more processors are free than the job needs: of left compaction the paper says that
//! they exceed the request, in words and in its procedure.
//!
//! The costs of a decision and of a step are parameters. The paper takes them from a report that we could not
//! obtain. The default cost of a step is 0.1 s. Of the powers of ten, it extends the run times of Table 1
//! most nearly as much as printed. No cost of a step gives all numbers of the paper (`reproduce diessel1996`
//! shows several). With `clock=seconds`, decisions, steps and suspensions are rounded to whole seconds. If a
//! task that would move ends while the decision is being made, the plan is void, and the allocator is asked
//! again.
//!
//! With `refuse=sooner`, a compaction is refused if first fit would start the job by the time the compaction
//! is done; with `refuse=ending`, if a task would end before its move does; with `refuse=both` in either
//! case. The job then waits for the next event. Ends of tasks are estimated ones. The paper has no such rule.

use std::cmp::Ordering;

use super::array::{Array, CompactionWindow, Schedule, Task};
use crate::allocator::contiguous::orientations::row_by_row;
use crate::allocator::seam::{Allocator, JobMove, Placement, Rearrangement, Refusal, Request, Submeshes};
use meshreplay_base::job::Time;
use meshreplay_base::spec::{Params, SpecError};
use meshreplay_machine::machine::{Machine, NodeId, row};

/// The directions of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ways {
    /// Tasks move to the left.
    Left,
    /// Tasks move to the right.
    Right,
    /// Both directions are planned, and the better plan is carried out.
    Both,
    /// All tasks slide to the left end, at once and at no cost.
    Free,
}

/// The values of the parameter `refuse`, the default first.
const REFUSALS: &[(&str, Refusal)] = &[
    ("no", Refusal::Never),
    ("sooner", Refusal::Sooner),
    ("ending", Refusal::Ending),
    ("both", Refusal::Both),
];

/// The costs of compaction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Costs {
    /// The time of one step of the mesh, in seconds.
    step_s: f64,
    /// Number of rows of the mesh. One of its steps does the work of `height` steps of a mesh with one row.
    height: u32,
    /// The time to look at one record while a window is chosen, in seconds.
    select_s: f64,
    /// The time to look at one task while a schedule is made, in seconds.
    schedule_s: f64,
    /// Whether every schedule is checked for conflicts.
    check: bool,
    /// When a plan is refused.
    refusal: Refusal,
    /// The number of processors that have to be free beyond the request; with fewer no task moves.
    pub(super) spare: u32,
    /// Whether suspensions and decisions take whole seconds.
    in_seconds: bool,
}

/// The submeshes that serve a request if no task moves: a row of as many adjacent processors. There is none
/// if the request is larger than the array.
pub(crate) const SUBMESHES: Submeshes = Submeshes {
    sizes: |request, mesh| {
        let sizes = row(request.procs, mesh);
        if request.procs <= mesh.nodes() { vec![sizes] } else { Vec::new() }
    },
    nodes: row_by_row,
};

impl Costs {
    /// The parameters with their defaults, for help texts.
    pub(crate) const PARAMETERS: &str = "step_time=0.1, height=1, select_cost=0.000001, \
         schedule_cost=0.000001 (seconds, rows), check=no (yes), refuse=no (sooner, ending, both), \
         free=enough (more), clock=exact (seconds)";

    /// Costs of 0 for everything, without checks.
    pub(crate) const NONE: Self = Self {
        step_s: 0.0,
        height: 1,
        select_s: 0.0,
        schedule_s: 0.0,
        check: false,
        refusal: Refusal::Never,
        spare: 0,
        in_seconds: false,
    };

    /// Takes the costs from the parameters; a parameter that is not given has its default. It fails if a
    /// value is out of range.
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
        let refusal = params.choose_unwritten("refuse", REFUSALS)?;
        let spare = params.choose_unwritten("free", &[("enough", 0), ("more", 1)])?;
        let in_seconds = params.choose_unwritten("clock", &[("exact", false), ("seconds", true)])?;
        Ok(Self { step_s, height, select_s, schedule_s, check, refusal, spare, in_seconds })
    }

    /// Returns the time for `steps` steps of a mesh with one row, on a mesh of `height` rows.
    fn steps(&self, steps: u32) -> Time {
        self.time(self.step_s * f64::from(steps.div_ceil(self.height)))
    }

    /// Returns the time that a decision takes. It looks once at the records of all `tasks` tasks and of the
    /// free blocks between them, and for every candidate schedule at every task that moves.
    fn decision(&self, tasks: usize, schedule: &Schedule) -> Time {
        let visits = f64::from(schedule.candidates) * schedule.suspended.len() as f64;
        self.time(self.select_s * (2 * tasks + 1) as f64 + self.schedule_s * visits)
    }

    /// Returns a time in seconds, rounded to a tick of the clock.
    fn time(&self, seconds: f64) -> Time {
        let ticks_per_second = if self.in_seconds { 1.0 } else { 1e6 };
        let ticks = (seconds * ticks_per_second).round();
        Time::from_micros((ticks * 1e6 / ticks_per_second).round() as i64)
    }
}

/// First fit on a linear array, with compaction if it has directions and costs.
pub(crate) struct Compactor {
    array: Array,
    /// The directions of moves, and the costs; `None` if no task may move.
    compaction: Option<(Ways, Costs)>,
}

impl Compactor {
    /// Returns an allocator for an idle array of `processors` processors; without `compaction` it never moves
    /// a task.
    pub(crate) fn new(processors: u32, compaction: Option<(Ways, Costs)>) -> Self {
        Self { array: Array::new(processors), compaction }
    }

    /// Returns an allocator for the state of a machine. Adjacent tasks count as one, which changes no window.
    pub(crate) fn for_state(machine: &Machine, compaction: Option<(Ways, Costs)>) -> Self {
        let mut compactor = Self::new(machine.mesh().nodes(), compaction);
        let busy: Vec<NodeId> =
            (0..machine.mesh().nodes()).filter(|&node| !machine.free().contains(node)).collect();
        tasks(&busy).for_each(|task| compactor.array.insert(task));
        compactor
    }

    /// Returns a placement that moves tasks to make room for a job of `length` processors; `None` if no task
    /// may move or too few processors are free.
    fn plan(&self, length: u32) -> Option<Placement> {
        let (ways, costs) = self.compaction?;
        let left = || CompactionWindow::left(&self.array, length, costs.spare);
        let right = || CompactionWindow::right(&self.array, length, costs.spare);
        let plan = match ways {
            Ways::Free => return self.slide(length),
            Ways::Left => Plan::new(left()?),
            Ways::Right => Plan::new(right()?),
            Ways::Both => {
                let (left, right) = (left()?, right()?);
                // The schedules are compared only if both windows cover equally many processors.
                match left.covered.cmp(&right.covered) {
                    Ordering::Less => Plan::new(left),
                    Ordering::Greater => Plan::new(right),
                    Ordering::Equal => {
                        let (left, right) = (Plan::new(left), Plan::new(right));
                        let key = |plan: &Plan| (plan.schedule.delay, plan.schedule.length);
                        if key(&right) < key(&left) { right } else { left }
                    }
                }
            }
        };
        Some(self.scheduled(plan, costs))
    }

    /// Returns the placement in a window, with the moves of its schedule as a rearrangement in time.
    fn scheduled(&self, plan: Plan, costs: Costs) -> Placement {
        let Plan { window, schedule } = plan;
        if costs.check {
            let checked = schedule.check(&window, self.array.processors());
            assert!(checked.is_ok(), "{checked:?} on {:?}", self.array);
        }
        let moves = window.shifts.iter().zip(&schedule.suspended).map(|(shift, steps)| JobMove {
            first: shift.task.base,
            nodes: nodes(shift.target(), shift.task.length),
            suspended: costs.steps(steps.last + 1 - steps.first),
            is_delayed: steps.delay > 0,
            until: costs.steps(steps.last),
        });
        let rearrangement = Rearrangement {
            moves: moves.collect(),
            decided: costs.decision(self.array.tasks().len(), &schedule),
            ready: costs.steps(schedule.vacated),
            delays: schedule.delay > 0,
            overruns: schedule.length > schedule.vacated,
            refusal: costs.refusal,
        };
        Placement {
            rearrangement: Some(Box::new(rearrangement)),
            ..Placement::of(nodes(window.base, window.length))
        }
    }

    /// Returns the placement to the right of all tasks, after all of them have moved to the left end; `None`
    /// if too few processors are free.
    fn slide(&self, length: u32) -> Option<Placement> {
        let (mut edge, mut moves) = (0, Vec::new());
        for task in self.array.tasks() {
            if task.base > edge {
                let nodes = nodes(edge, task.length);
                moves.push(JobMove {
                    first: task.base,
                    nodes,
                    suspended: Time::ZERO,
                    is_delayed: false,
                    until: Time::ZERO,
                });
            }
            edge += task.length;
        }
        let fits = edge + length <= self.array.processors();
        let rearrangement = Rearrangement { moves, ..Rearrangement::default() };
        fits.then(|| Placement {
            rearrangement: Some(Box::new(rearrangement)),
            ..Placement::of(nodes(edge, length))
        })
    }
}

/// A window with its best schedule.
struct Plan {
    window: CompactionWindow,
    schedule: Schedule,
}

impl Plan {
    fn new(window: CompactionWindow) -> Self {
        Self { schedule: Schedule::best(&window), window }
    }
}

/// Returns the nodes of `length` adjacent processors from `base` on.
fn nodes(base: u32, length: u32) -> Vec<NodeId> {
    (base..base + length).collect()
}

/// Returns one task for each run of adjacent processors in `nodes`.
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
        // All tasks that move give up their processors first, as the new processors of one may be the old
        // ones of another.
        let gone: Vec<Option<Task>> = moves.clone().map(|moved| self.array.remove(moved.first)).collect();
        for (moved, task) in moves.zip(gone) {
            if let (Some(task), Some(&base)) = (task, moved.nodes.first()) {
                self.array.insert(Task { base, ..task });
            }
        }
        tasks(&placement.nodes).for_each(|task| self.array.insert(task));
    }

    fn released(&mut self, placement: &Placement, _machine: &Machine) {
        // Tasks of one placement may be adjacent now. Each of them begins at a node of the placement, and no
        // other task does.
        for &node in &placement.nodes {
            self.array.remove(node);
        }
    }
}
