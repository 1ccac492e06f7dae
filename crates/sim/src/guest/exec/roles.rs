//! Programs in their three roles: allocator, scheduler and network.

use super::command::Command;
use super::program::{
    Dispatch, Ended, Introduction, Nodes, Program, Propose, RequestingJob, RunTimeAnswer, RunTimeQuestion,
    RunningJob, ServicePromise, Start, WaitingJob, digits, length,
};
use crate::execution::{Execution, Started};
use crate::guest::setup::{JobTable, Setup, check_placement};
use crate::guest::{Dispatched, Dispatcher, OwnRunTimes, RunTime};
use crate::scheduler::{Scheduler, View};
use meshreplay_alloc::allocator::{Allocator, Foresight, Placement, Request, Served, Strategy, Submeshes};
use meshreplay_base::job::{JobId, NodesFor, Time};
use meshreplay_base::words::counted;
use meshreplay_machine::machine::{FreeSubmeshes, Machine, Mesh, NodeId, Submesh};

/// Starts an allocator program. Fails with a complete message.
pub(in crate::guest) fn allocator(command: &Command, setup: &Setup<'_>) -> Result<Strategy, String> {
    let (program, Introduction { served, free, notices, .. }) = Program::start(command, "allocator", setup)?;
    if served == ServicePromise::State && !free {
        return Err(format!(
            "allocator '{}': it says \"free\":false, and that needs \"served\":\"count\" or \"submesh\", as \
             it is also asked what it would do on a machine with other free nodes",
            setup.label
        ));
    }
    let submeshes = match served {
        ServicePromise::Submesh => Some(setup.submeshes()?),
        ServicePromise::Count | ServicePromise::State => None,
    };
    let strategy = Strategy::of(AllocatorProgram {
        program,
        served,
        submeshes,
        free,
        notices,
        jobs: JobTable::of(setup),
    });
    Ok(match (served, submeshes) {
        (_, Some(submeshes)) => strategy.served(Served::BySubmesh(submeshes)),
        (ServicePromise::State, None) => strategy.served(Served::ByState(Foresight::Proposes)),
        (_, None) => strategy,
    })
}

/// Starts a scheduler program. Fails with a complete message.
pub(in crate::guest) fn scheduler(
    command: &Command,
    setup: &Setup<'_>,
) -> Result<Box<dyn Scheduler>, String> {
    let (program, _) = Program::start(command, "scheduler", setup)?;
    Ok(Box::new(Dispatched::new(SchedulerProgram { program }, setup.label, setup.stop)))
}

/// Starts an execution model program. Fails with a complete message.
pub(in crate::guest) fn network(command: &Command, setup: &Setup<'_>) -> Result<Box<dyn Execution>, String> {
    let (program, Introduction { notices, .. }) = Program::start(command, "network", setup)?;
    Ok(Box::new(OwnRunTimes::new(NetworkProgram { program, notices })))
}

/// An allocator program.
struct AllocatorProgram {
    program: Program,
    served: ServicePromise,
    /// The submeshes that serve a request, if the program promises them.
    submeshes: Option<Submeshes>,
    free: bool,
    notices: bool,
    jobs: JobTable,
}

impl Allocator for AllocatorProgram {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let mesh = machine.mesh();
        // Sides along missing dimensions are 1, or else no submesh fits.
        let is_flat = |sides: &[u32; 3]| sides[mesh.dims()..].iter().all(|&side| side == 1);
        let body = Propose {
            procs: request.procs,
            sides: request.sides_on(mesh).filter(is_flat).map(|sides| sides[..mesh.dims()].to_vec()),
            free: self.free.then(|| digits(machine)),
            requester: self.jobs.of_request(request).map(|(job, facts)| RequestingJob {
                job,
                number: facts.number,
                user: facts.user,
                estimate_s: facts.estimate.as_seconds(),
            }),
        };
        let Nodes { nodes } = self.program.ask("propose", &body)?;
        let Some(nodes) = nodes else {
            if self.served == ServicePromise::Count {
                self.program.fail(&format!(
                    "it refused a job of {} while {} nodes are free, and has promised \"served\":\"count\"",
                    counted(request.procs, "processor"),
                    machine.free_count()
                ));
            }
            if let Some(problem) = self.broken_by_refusal(request, machine) {
                self.program.fail(&problem);
            }
            return None;
        };
        let sides = self.sides(request, mesh);
        if let Some(None) = sides {
            self.program.fail(&format!(
                "its placement has {}, expected null, as no submesh of the job's shape fits the machine",
                counted(nodes.len(), "node")
            ));
            return None;
        }
        let expected = match sides.flatten() {
            Some(sides) => NodesFor::of_submesh(Some(sides)),
            None => NodesFor::exactly(request.procs),
        };
        let checked = check_placement(&nodes, expected, machine).and_then(|()| match sides.flatten() {
            Some(sides) if !is_box(mesh, &nodes, sides) => Err(format!(
                "its placement is no submesh of {} nodes, and it has promised \"served\":\"submesh\"",
                sides[..mesh.dims()].iter().map(u32::to_string).collect::<Vec<_>>().join("x")
            )),
            _ => Ok(()),
        });
        match checked {
            Ok(()) => Some(Placement::of(nodes)),
            Err(problem) => {
                self.program.fail(&problem);
                None
            }
        }
    }

    fn taken(&mut self, placement: &Placement, _machine: &Machine) {
        if self.notices {
            self.program.tell("taken", &Nodes { nodes: Some(placement.nodes.clone()) });
        }
    }

    fn released(&mut self, placement: &Placement, _machine: &Machine) {
        if self.notices {
            self.program.tell("released", &Nodes { nodes: Some(placement.nodes.clone()) });
        }
    }
}

impl AllocatorProgram {
    /// Returns the sides of the submesh promised for a request, with an inner `None` if no submesh fits.
    /// `None` if the program has made no such promise.
    #[expect(
        clippy::option_option,
        reason = "a promise that no submesh can keep is not the same as no promise"
    )]
    fn sides(&self, request: &Request, mesh: &Mesh) -> Option<Option<[u32; 3]>> {
        let Submeshes { sizes, .. } = self.submeshes?;
        Some(sizes(request, mesh).first().copied())
    }

    /// Describes how a refusal breaks the promise to serve each request with a free submesh. `None`
    /// if it does not.
    fn broken_by_refusal(&self, request: &Request, machine: &Machine) -> Option<String> {
        let sides = self.sides(request, machine.mesh())??;
        let base = FreeSubmeshes::default().find_first(machine, sides)?;
        let mesh = machine.mesh();
        let words = |of: [u32; 3], by: &str| {
            of[..mesh.dims()].iter().map(u32::to_string).collect::<Vec<_>>().join(by)
        };
        Some(format!(
            "it refused a job of {} while the submesh of {} nodes at ({}) is free, and has \
                 promised \"served\":\"submesh\"",
            counted(request.procs, "processor"),
            words(sides, "x"),
            words(base, ", ")
        ))
    }
}

/// Returns whether `nodes` are exactly the nodes of a submesh with these sides.
fn is_box(mesh: &Mesh, nodes: &[NodeId], sides: [u32; 3]) -> bool {
    let count: u64 = sides.iter().map(|&side| u64::from(side)).product();
    nodes.len() as u64 == count && Submesh::around(mesh, nodes).is_some_and(|around| around.sizes == sides)
}

/// A scheduler program.
struct SchedulerProgram {
    program: Program,
}

impl Dispatcher for SchedulerProgram {
    fn dispatch(&mut self, view: &dyn View, refused: &[JobId]) -> Vec<JobId> {
        let queue = view.queue().iter().map(|waiting| WaitingJob {
            job: waiting.job,
            submit_s: waiting.submit.as_seconds(),
            procs: waiting.procs,
            nodes: waiting.nodes.least,
            estimate_s: waiting.estimate.as_seconds(),
        });
        let running = view.running().iter().map(|running| RunningJob {
            job: running.job,
            nodes: running.nodes,
            start_s: running.start.as_seconds(),
            end_s: running.estimated_end.as_seconds(),
        });
        let body = Dispatch {
            now_s: view.now().as_seconds(),
            free: view.free(),
            queue: queue.collect(),
            running: running.collect(),
            refused: refused.to_vec(),
        };
        self.program.ask("dispatch", &body).map(|Start { start }| start).unwrap_or_default()
    }
}

/// An execution model program.
struct NetworkProgram {
    program: Program,
    notices: bool,
}

impl RunTime for NetworkProgram {
    fn run_time(&mut self, started: &Started<'_>) -> Option<Time> {
        let body = RunTimeQuestion {
            job: started.id,
            now_s: started.now.as_seconds(),
            procs: started.job.procs,
            nodes: started.nodes,
            recorded_s: started.job.run.as_seconds(),
            estimate_s: started.job.estimate.as_seconds(),
        };
        let RunTimeAnswer { run_s } = self.program.ask("run_time", &body)?;
        let run = length(run_s);
        if run.is_none() {
            self.program.fail(&format!("it answered \"run_s\":{run_s}, expected seconds from 0"));
        }
        run
    }

    fn ended(&mut self, job: JobId) {
        if self.notices {
            self.program.tell("ended", &Ended { job });
        }
    }
}
