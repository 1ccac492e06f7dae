//! Reservations of submeshes or nodes for the first waiting job, for allocators that may refuse a job
//! although enough nodes are free. With such an allocator a count of free nodes promises nothing.
//!
//! The *shadow time* is the earliest start of the reserved job if all running jobs end as estimated. A
//! job that is backfilled and outlives the shadow time must leave room for the reserved job.

use super::window::JobWindow;
use crate::scheduler::{Running, RunningJobs};
use meshreplay_alloc::allocator::{Placement, Request, Served, Strategy};
use meshreplay_base::job::{JobId, Time};
use meshreplay_machine::machine::{FreeSubmeshes, Machine, Mesh, NodeId, Submesh};

/// Submeshes or nodes that stay free for a waiting job at its shadow time.
#[derive(Clone, Debug)]
pub(super) enum Reservation {
    /// For allocators that serve a job whenever a suitable submesh is free: all suitable submeshes that will
    /// be free at the shadow time. At least one of them must stay free.
    Submeshes(Vec<Submesh>),
    /// For other allocators: the nodes that the allocator would choose at the shadow time.
    Nodes {
        /// The reserved job.
        job: JobId,
        /// Its request.
        request: Request,
        /// The shadow time.
        shadow: Time,
        /// The machine at the shadow time, without the reserved job.
        then: Machine,
        /// The reserved nodes. They are free in `then`.
        nodes: Vec<NodeId>,
    },
}

/// A placement to be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The last proposal of the allocator.
    Proposal(Placement),
    /// A placement that the allocator did not propose.
    Other(Placement),
}

/// The running jobs with their nodes at the current time.
#[derive(Clone, Copy)]
pub(super) struct RunningPlaces<'a> {
    /// The running jobs in the order of their estimated ends.
    pub(super) running: &'a RunningJobs,
    /// Holds the placements of the jobs.
    pub(super) window: &'a JobWindow,
    /// The current time.
    pub(super) now: Time,
}

impl RunningPlaces<'_> {
    /// Returns the expected end of a job: its estimated end, or now if that has passed.
    fn end(&self, job: &Running) -> Time {
        job.estimated_end.max(self.now)
    }

    /// Frees the nodes of the running jobs in the order of their expected ends, until `search` succeeds.
    /// Returns that end, the machine at that time and the result, or `None` if `search` succeeds at no end.
    fn first_end<T>(
        &self,
        machine: &Machine,
        mut search: impl FnMut(&Machine) -> Option<T>,
    ) -> Option<(Time, Machine, T)> {
        let mut then = machine.clone();
        let mut ends = self.running.iter().peekable();
        while let Some(job) = ends.next() {
            then.vacate(&self.window[job.job].placement.nodes);
            let end = self.end(job);
            // Jobs with the same expected end leave together, so `search` runs after the last of them.
            if ends.peek().is_none_or(|next| self.end(next) > end)
                && let Some(result) = search(&then)
            {
                return Some((end, then, result));
            }
        }
        None
    }

    /// Returns the machine at `time`, after the jobs with expected ends up to `time`.
    fn machine_at(&self, machine: &Machine, time: Time) -> Machine {
        let mut then = machine.clone();
        for job in self.running.iter().take_while(|job| self.end(job) <= time) {
            then.vacate(&self.window[job.job].placement.nodes);
        }
        then
    }
}

impl Reservation {
    /// Returns the shadow time and the reservation of a job that any submesh with sides in `boxes` serves, or
    /// `None` if no such submesh becomes free. The shadow time is the first expected end with such a submesh
    /// free.
    ///
    /// O(N/64 · log a) for each end with enough free nodes, with N nodes and a longest side a, plus the time
    /// to free the nodes of the jobs.
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

    /// Returns the shadow time and the reservation of a job by asking its allocator: the first expected end
    /// at which `allocator` would serve `request`, and the nodes that it would choose then. `None` if there
    /// is no such end.
    ///
    /// The `previous` reservation is kept if it belongs to the same job, its shadow time is not past and
    /// is earlier than the new one, and its nodes will still be free then.
    pub(super) fn of_nodes(
        machine: &Machine,
        running: RunningPlaces<'_>,
        job: JobId,
        request: Request,
        allocator: &mut Strategy,
        previous: Option<Self>,
    ) -> Option<(Time, Self)> {
        let least = allocator.nodes_for(&request, machine.mesh()).least;
        let next = running.first_end(machine, |then| {
            if then.free_count() < least { None } else { allocator.foresee(&request, then) }
        });
        // With more free nodes than expected, such an allocator may refuse a job that it served before. So
        // the earlier promise is kept where possible.
        if let Some(Self::Nodes { job: owner, shadow, nodes, .. }) = previous
            && owner == job
            && shadow >= running.now
            && next.as_ref().is_none_or(|(time, ..)| *time > shadow)
        {
            let then = running.machine_at(machine, shadow);
            if nodes.iter().all(|&node| then.free().contains(node)) {
                return Some((shadow, Self::Nodes { job, request, shadow, then, nodes }));
            }
        }
        let (shadow, then, Placement { nodes, .. }) = next?;
        Some((shadow, Self::Nodes { job, request, shadow, then, nodes }))
    }

    /// Returns the nodes reserved for `job` if all of them are free now. `None` otherwise, and for
    /// reservations of submeshes, because the allocator then serves the job itself.
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

    /// Returns the placement of a job that is backfilled and outlives the shadow time: the allocator's
    /// `proposal`, or another placement. `None` if no placement leaves room for the reserved job. The
    /// reservation then counts the nodes of the placement as in use.
    pub(super) fn make_room(
        &mut self,
        proposal: Placement,
        request: &Request,
        allocator: &mut Strategy,
        machine: &Machine,
    ) -> Option<Choice> {
        match self {
            Self::Submeshes(places) => {
                // Prefer the allocator's own submesh. If it leaves no reserved submesh free, take the first
                // free submesh in scan order that does.
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
                // A node that is free now is also free at the shadow time, so this fails for invalid
                // proposals only.
                later.occupy(&proposal.nodes).ok()?;
                // The proposal takes reserved nodes, so the reservation moves to the nodes that the allocator
                // would choose in `later`. If it would refuse the reserved job there, the new job must not
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

/// Returns whether a submesh of `places` stays free if `taken` is in use.
fn admits(places: &[Submesh], mesh: &Mesh, taken: &Submesh) -> bool {
    places.iter().any(|place| !place.meets(mesh, taken))
}

/// Returns the first free submesh with sides in `boxes` that leaves one of `places` free, or `None` if there
/// is none. Tries the sides in their order, each in scan order.
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
            (Machine::new(mesh), RunningJobs::default(), JobWindow::default());
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
