//! Reservations of submeshes or nodes for the first waiting job. They are used with allocators that can
//! refuse a job although enough nodes are free. For such an allocator a number of free nodes promises
//! nothing.
//!
//! The *shadow time* is the time at which the reserved job can start if all running jobs end as estimated. A
//! job that is started beside the reservation and outlives the shadow time must leave room for the reserved
//! job.

use super::window::Window;
use crate::scheduler::{Running, RunningJobs};
use meshreplay_alloc::allocator::{Placement, Request, Served, Strategy};
use meshreplay_base::job::{JobId, Time};
use meshreplay_machine::machine::{FreeSubmeshes, Machine, Mesh, NodeId, Submesh};

/// A set of submeshes or nodes that is kept free for a waiting job at its shadow time.
#[derive(Clone, Debug)]
pub(super) enum Reservation {
    /// For allocators that serve a job whenever a suitable submesh is free: every submesh that will be free
    /// at the shadow time and that serves the job. At least one of them must stay free.
    Submeshes(Vec<Submesh>),
    /// For other allocators: the nodes that the allocator would choose at the shadow time.
    Nodes {
        /// The reserved job.
        job: JobId,
        /// Its request.
        request: Request,
        /// The shadow time.
        shadow: Time,
        /// The machine as it will be at the shadow time, without the reserved job.
        then: Machine,
        /// The reserved nodes. They are free in `then`.
        nodes: Vec<NodeId>,
    },
}

/// A placement that is to be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The last proposal of the allocator.
    Proposal(Placement),
    /// A placement that the allocator did not propose.
    Other(Placement),
}

/// The running jobs, their nodes and the current time.
#[derive(Clone, Copy)]
pub(super) struct RunningPlaces<'a> {
    /// The running jobs in the order of their estimated ends.
    pub(super) running: &'a RunningJobs,
    /// The jobs with their placements.
    pub(super) window: &'a Window,
    /// The current time.
    pub(super) now: Time,
}

impl RunningPlaces<'_> {
    /// Returns when a job is expected to end. A job that has outlived its estimate is expected to end now.
    fn end(&self, job: &Running) -> Time {
        job.estimated_end.max(self.now)
    }

    /// Frees the nodes of the running jobs one estimated end after the other, until `found` returns
    /// something. Returns that estimated end, the machine as it will be then, and what `found` returned.
    /// Returns `None` if `found` returns nothing at any end.
    fn first_end<T>(
        &self,
        machine: &Machine,
        mut found: impl FnMut(&Machine) -> Option<T>,
    ) -> Option<(Time, Machine, T)> {
        let mut then = machine.clone();
        let mut ends = self.running.iter().peekable();
        while let Some(job) = ends.next() {
            then.vacate(&self.window[job.job].placement.nodes);
            let end = self.end(job);
            // Jobs with the same expected end leave together, so only the last of them asks `found`.
            if ends.peek().is_none_or(|next| self.end(next) > end)
                && let Some(found) = found(&then)
            {
                return Some((end, then, found));
            }
        }
        None
    }

    /// Returns the machine as it will be at `time`, when all jobs with expected ends up to `time` have ended.
    fn machine_at(&self, machine: &Machine, time: Time) -> Machine {
        let mut then = machine.clone();
        for job in self.running.iter().take_while(|job| self.end(job) <= time) {
            then.vacate(&self.window[job.job].placement.nodes);
        }
        then
    }
}

impl Reservation {
    /// Returns the shadow time and the reservation of a job that is served by every submesh with sides as in
    /// `boxes`. The shadow time is the first estimated end of a running job at which such a submesh is free.
    /// Returns `None` if there is no such end.
    ///
    /// Takes O(N/64 · log a) for each end at which enough nodes are free, with N nodes and a longest side a,
    /// and the time to free the nodes of the jobs.
    pub(super) fn of_submeshes(
        machine: &Machine,
        running: RunningPlaces<'_>,
        boxes: &[[u32; 3]],
    ) -> Option<(Time, Self)> {
        let least = boxes.iter().map(|sizes| sizes.iter().product::<u32>()).min()?;
        let mut free_submeshes = FreeSubmeshes::default();
        let places = |then: &Machine| {
            // A count of the free nodes is cheap and often rules the search out.
            if then.free_count() < least {
                return None;
            }
            Some(all_places(&mut free_submeshes, then, boxes)).filter(|places| !places.is_empty())
        };
        let (shadow, _, places) = running.first_end(machine, places)?;
        Some((shadow, Self::Submeshes(places)))
    }

    /// Returns the shadow time and the reservation of a job whose allocator has to be asked. The shadow time
    /// is the first estimated end of a running job at which `allocator` would serve `request`. The nodes that
    /// it would choose then are reserved. Returns `None` if there is no such end.
    ///
    /// `before` is the last reservation. It is kept if it belongs to the same job, its shadow time is not
    /// past and earlier than the new one, and its nodes will still be free then.
    pub(super) fn of_nodes(
        machine: &Machine,
        running: RunningPlaces<'_>,
        job: JobId,
        request: Request,
        allocator: &mut Strategy,
        before: Option<Self>,
    ) -> Option<(Time, Self)> {
        let least = allocator.nodes_for(&request, machine.mesh()).least;
        let found = running.first_end(machine, |then| {
            if then.free_count() < least { None } else { allocator.foresee(&request, then) }
        });
        // With more free nodes than expected such an allocator may refuse a job that it served before. The
        // earlier promise is kept where it can be.
        if let Some(Self::Nodes { job: owner, shadow, nodes, .. }) = before
            && owner == job
            && shadow >= running.now
            && found.as_ref().is_none_or(|(time, ..)| *time > shadow)
        {
            let then = running.machine_at(machine, shadow);
            if nodes.iter().all(|&node| then.free().contains(node)) {
                return Some((shadow, Self::Nodes { job, request, shadow, then, nodes }));
            }
        }
        let (shadow, then, Placement { nodes, .. }) = found?;
        Some((shadow, Self::Nodes { job, request, shadow, then, nodes }))
    }

    /// Returns the nodes that are reserved for `job`, if all of them are free now. Returns `None` if they are
    /// not, if another job holds the reservation, or if submeshes are reserved: the allocator then serves the
    /// job itself.
    pub(super) fn nodes_for(&self, job: JobId, machine: &Machine) -> Option<&[NodeId]> {
        match self {
            Self::Nodes { job: owner, nodes, .. }
                if *owner == job && nodes.iter().all(|&node| machine.free().contains(node)) =>
            {
                Some(nodes)
            }
            _ => None,
        }
    }

    /// Returns the placement for a job that runs beside the reserved one and outlives its shadow time: the
    /// allocator's `proposal`, or another placement. Returns `None` if no placement was found that leaves
    /// room for the reserved job. From then on the reservation counts the nodes of the returned placement as
    /// in use.
    pub(super) fn make_room(
        &mut self,
        proposal: Placement,
        request: &Request,
        allocator: &mut Strategy,
        machine: &Machine,
    ) -> Option<Choice> {
        match self {
            Self::Submeshes(places) => {
                // The allocator's own submesh is preferred. If it leaves no reserved submesh free, the first
                // free submesh in scan order that does is taken.
                let place = Submesh::around(machine.mesh(), &proposal.nodes);
                let (choice, place) =
                    if let Some(place) = place.filter(|place| admits(places, machine.mesh(), place)) {
                        (Choice::Proposal(proposal), place)
                    } else {
                        let Served::BySubmesh(submeshes) = allocator.served_on(machine) else { return None };
                        let place = beside(places, machine, &(submeshes.sizes)(request, machine.mesh()))?;
                        (Choice::Other(Placement::of((submeshes.nodes)(request, place, machine))), place)
                    };
                // The reservation shrinks to the submeshes that remain free.
                places.retain(|other| !other.meets(machine.mesh(), &place));
                Some(choice)
            }
            Self::Nodes { request: reserved, then, nodes, .. } => {
                // `later` is the machine at the shadow time with the new job still running.
                let mut later = then.clone();
                // A node that is free now is free at the shadow time too, so this fails only if the proposal
                // is invalid.
                later.occupy(&proposal.nodes).ok()?;
                // The proposal takes reserved nodes. The reservation moves to the nodes that the allocator
                // would choose in `later`; if it would refuse the reserved job there, the new job must not
                // start.
                if !nodes.iter().all(|&node| later.free().contains(node)) {
                    *nodes = allocator.foresee(reserved, &later)?.nodes;
                }
                *then = later;
                Some(Choice::Proposal(proposal))
            }
        }
    }
}

/// Returns whether at least one submesh of `places` stays free if `taken` is in use.
fn admits(places: &[Submesh], mesh: &Mesh, taken: &Submesh) -> bool {
    places.iter().any(|place| !place.meets(mesh, taken))
}

/// Returns the first submesh with sides as in `boxes` that is free now and leaves one of `places` free. The
/// sides in `boxes` are tried in their order, each in scan order. Returns `None` if there is no such submesh.
fn beside(places: &[Submesh], machine: &Machine, boxes: &[[u32; 3]]) -> Option<Submesh> {
    let mut free_submeshes = FreeSubmeshes::default();
    boxes.iter().find_map(|&sizes| {
        free_submeshes.find(machine, sizes);
        free_submeshes
            .iter()
            .map(|base| Submesh { base, sizes })
            .find(|place| admits(places, machine.mesh(), place))
    })
}

/// Returns every free submesh with sides as in `boxes`; an empty list if there is none.
fn all_places(free_submeshes: &mut FreeSubmeshes, machine: &Machine, boxes: &[[u32; 3]]) -> Vec<Submesh> {
    let mut places = Vec::new();
    for &sizes in boxes {
        free_submeshes.find(machine, sizes);
        places.extend(free_submeshes.iter().map(|base| Submesh { base, sizes }));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scheduler::Running;
    use meshreplay_base::job::Job;
    use meshreplay_machine::machine::Mesh;

    /// Returns the shadow time in seconds and the number of free submeshes then. On a 4x2 mesh job 0 holds
    /// the left 2x2 submesh until 10 s, and job 1 holds the other two nodes of the first row until 20 s. At
    /// `now_s` they may have outlived these estimates.
    fn example(now_s: i64, boxes: &[[u32; 3]]) -> Result<Option<(f64, usize)>, Box<dyn std::error::Error>> {
        let mesh: Mesh = "4x2".parse()?;
        let (mut machine, mut running, mut window) =
            (Machine::new(mesh), RunningJobs::default(), Window::default());
        for (job, end_s, nodes) in [(0, 10, vec![0, 1, 4, 5]), (1, 20, vec![2, 3])] {
            machine.occupy(&nodes)?;
            window.add(job, &Job::default())?;
            window[job].placement = Placement::of(nodes.clone());
            let estimated_end = Time::from_seconds(end_s);
            running.insert(Running { estimated_end, job, nodes: nodes.len() as u32, start: Time::ZERO });
        }
        let now = Time::from_seconds(now_s);
        let running = RunningPlaces { running: &running, window: &window, now };
        Ok(match Reservation::of_submeshes(&machine, running, boxes) {
            Some((end, Reservation::Submeshes(places))) => Some((end.as_seconds(), places.len())),
            _ => None,
        })
    }

    #[test]
    fn the_first_end_at_which_a_box_is_free_is_found() -> Result<(), Box<dyn std::error::Error>> {
        assert_eq!(example(0, &[[2, 2, 1]])?, Some((10.0, 1)));
        assert_eq!(example(0, &[[4, 1, 1]])?, Some((10.0, 1)));
        // Six nodes are free at 10, but not as a submesh.
        assert_eq!(example(0, &[[3, 2, 1]])?, Some((20.0, 2)));
        assert_eq!(example(0, &[[1, 3, 1], [3, 1, 1]])?, Some((10.0, 2)));
        // Both jobs have outlived their estimates, so both are expected to end now.
        assert_eq!(example(30, &[[2, 2, 1]])?, Some((30.0, 3)));
        assert_eq!(example(0, &[[5, 1, 1]])?, None);
        Ok(())
    }

    #[test]
    fn a_job_beside_the_reservation_leaves_a_place() -> Result<(), Box<dyn std::error::Error>> {
        let place = |base: [u32; 2], sizes: [u32; 2]| Submesh {
            base: [base[0], base[1], 0],
            sizes: [sizes[0], sizes[1], 1],
        };
        let mut places = vec![place([0, 0], [2, 2]), place([1, 0], [2, 2])];
        let machine = Machine::new("4x2".parse()?);
        let mesh = machine.mesh();
        assert!(
            !admits(&places, mesh, &place([1, 0], [1, 1])) && admits(&places, mesh, &place([0, 0], [1, 2]))
        );
        // Node (0, 0) alone would leave the second submesh. A 2×1 submesh at (0, 0) or (1, 0) would leave
        // none, and one at (2, 0) leaves the first.
        assert_eq!(beside(&places, &machine, &[[2, 1, 1]]), Some(place([2, 0], [2, 1])));
        places.retain(|other| !other.meets(mesh, &place([2, 0], [2, 1])));
        assert_eq!(places, [place([0, 0], [2, 2])]);
        assert_eq!(beside(&places, &machine, &[[3, 1, 1], [1, 2, 1]]), Some(place([2, 0], [1, 2])));
        Ok(())
    }
}
