//! The place that the first waiting job will have, for allocators that may refuse a job although as many nodes are
//! free as it takes: then a number of nodes is no promise.

use crate::allocator::{Placement, Request, Served, Strategy};
use crate::job::{JobId, Time};
use crate::machine::{Cuboid, Frames, Machine, NodeId};
use crate::scheduler::{Running, RunningJobs};

/// A place that is kept free for a waiting job at the time of its reservation.
#[derive(Clone, Debug)]
pub(super) enum Reservation {
    /// For allocators that are served wherever a submesh is free: every place that is free then for a submesh that
    /// serves the job. One of them must stay so.
    Submeshes(Vec<Cuboid>),
    /// For other allocators: the nodes that they would choose then.
    Nodes {
        /// Whose place it is.
        job: JobId,
        /// Its request.
        request: Request,
        /// When the job will have it.
        shadow: Time,
        /// The machine as it will be then.
        then: Machine,
        /// The place, free in `then`.
        nodes: Vec<NodeId>,
    },
}

/// A placement that is to be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The allocator's last proposal.
    Proposal(Placement),
    /// One that the allocator has not proposed.
    Other(Placement),
}

impl Choice {
    /// Returns the placement, whoever has chosen it.
    pub(super) fn placement(self) -> Placement {
        let (Self::Proposal(placement) | Self::Other(placement)) = self;
        placement
    }
}

/// The jobs that run now, and where.
#[derive(Clone, Copy)]
pub(super) struct RunningPlaces<'a> {
    pub(super) running: &'a RunningJobs,
    /// By job.
    pub(super) placements: &'a [Placement],
    pub(super) now: Time,
}

impl RunningPlaces<'_> {
    /// Returns when a job is expected to end; one that is past its estimate is expected to end now.
    fn end(&self, job: &Running) -> Time {
        job.estimated_end.max(self.now)
    }

    /// Returns the first estimated end of a running job at which `found` returns something for the machine as it will
    /// be then, all jobs that end until then being gone. `None` if that is never.
    fn first_end<T>(
        &self,
        machine: &Machine,
        mut found: impl FnMut(&Machine) -> Option<T>,
    ) -> Option<(Time, Machine, T)> {
        let mut then = machine.clone();
        let mut ends = self.running.iter().peekable();
        while let Some(job) = ends.next() {
            then.vacate(&self.placements[job.job as usize].nodes);
            let end = self.end(job);
            if ends.peek().is_none_or(|next| self.end(next) > end)
                && let Some(found) = found(&then)
            {
                return Some((end, then, found));
            }
        }
        None
    }

    /// Returns the machine as it will be at `time`.
    fn machine_at(&self, machine: &Machine, time: Time) -> Machine {
        let mut then = machine.clone();
        for job in self.running.iter().take_while(|job| self.end(job) <= time) {
            then.vacate(&self.placements[job.job as usize].nodes);
        }
        then
    }
}

impl Reservation {
    /// Returns the first estimated end of a running job at which one of `boxes` is free, and the places there are then.
    /// `None` if that is never.
    ///
    /// O(N/64 · log a) for each end at which enough nodes are free, and what the jobs hold.
    pub(super) fn of_submeshes(
        machine: &Machine,
        running: RunningPlaces<'_>,
        boxes: &[[u32; 3]],
    ) -> Option<(Time, Self)> {
        let least = boxes.iter().map(|sizes| sizes.iter().product::<u32>()).min()?;
        let mut frames = Frames::default();
        let places = |then: &Machine| {
            if then.free_count() < least {
                return None;
            }
            Some(all_places(&mut frames, then, boxes)).filter(|places| !places.is_empty())
        };
        let (shadow, _, places) = running.first_end(machine, places)?;
        Some((shadow, Self::Submeshes(places)))
    }

    /// Returns the first estimated end of a running job at which `allocator` would serve `request` of `job`, and the
    /// nodes that it would choose then. The reservation that the job has had before is kept if it is an earlier one
    /// and its nodes will still be free: more free nodes than expected can make such an allocator refuse. `None` if
    /// that is never.
    pub(super) fn of_nodes(
        machine: &Machine,
        running: RunningPlaces<'_>,
        (job, request): (JobId, Request),
        (allocator, before): (&mut Strategy, Option<Self>),
    ) -> Option<(Time, Self)> {
        let least = allocator.nodes_for(&request, machine.mesh()).least;
        let found = running.first_end(machine, |then| {
            if then.free_count() < least { None } else { allocator.foresee(&request, then) }
        });
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

    /// Returns the nodes that are reserved for `job`, if all of them are free now; `None` also where submeshes are
    /// reserved, as their allocators serve a job whenever a submesh is free.
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

    /// Returns what a job takes that runs beside the reserved one: the allocator's `proposal`, or another place;
    /// `None` if the reserved job would have no place then. The reservation counts with what is returned as being in
    /// use.
    pub(super) fn make_room(
        &mut self,
        proposal: Placement,
        request: &Request,
        allocator: &mut Strategy,
        machine: &Machine,
    ) -> Option<Choice> {
        match self {
            Self::Submeshes(places) => {
                let place = Cuboid::around(machine.mesh(), &proposal.nodes);
                let (choice, place) = if let Some(place) = place.filter(|place| admits(places, place)) {
                    (Choice::Proposal(proposal), place)
                } else {
                    let Served::BySubmesh(submeshes) = &allocator.served else { return None };
                    let place = beside(places, machine, &(submeshes.sizes)(request, machine.mesh()))?;
                    (Choice::Other(Placement::of((submeshes.nodes)(request, place, machine))), place)
                };
                places.retain(|other| !other.meets(&place));
                Some(choice)
            }
            Self::Nodes { request: reserved, then, nodes, .. } => {
                let mut later = then.clone();
                // Nodes that are free now are free then too, unless this allocator's choice is wrong.
                later.occupy(&proposal.nodes).ok()?;
                if !nodes.iter().all(|&node| later.free().contains(node)) {
                    *nodes = allocator.foresee(reserved, &later)?.nodes;
                }
                *then = later;
                Some(Choice::Proposal(proposal))
            }
        }
    }
}

/// Returns whether one of `places` is left if `taken` is taken.
fn admits(places: &[Cuboid], taken: &Cuboid) -> bool {
    places.iter().any(|place| !place.meets(taken))
}

/// Returns the first place that is free for one of `boxes` now and leaves one of `places`: by submesh, then in scan
/// order.
fn beside(places: &[Cuboid], machine: &Machine, boxes: &[[u32; 3]]) -> Option<Cuboid> {
    let mut frames = Frames::default();
    boxes.iter().find_map(|&sizes| {
        frames.find(machine, sizes);
        frames.iter().map(|base| Cuboid { base, sizes }).find(|place| admits(places, place))
    })
}

/// Returns every place that is free for one of `boxes`.
fn all_places(frames: &mut Frames, machine: &Machine, boxes: &[[u32; 3]]) -> Vec<Cuboid> {
    let mut places = Vec::new();
    for &sizes in boxes {
        frames.find(machine, sizes);
        places.extend(frames.iter().map(|base| Cuboid { base, sizes }));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::Mesh;
    use crate::scheduler::Running;

    /// `11..`, `1122`: job 1 ends at 10, job 2 at 20; both may be late.
    fn example(now_s: i64, boxes: &[[u32; 3]]) -> Result<Option<(f64, usize)>, Box<dyn std::error::Error>> {
        let mesh: Mesh = "4x2".parse()?;
        let placements = [vec![0, 1, 4, 5], vec![2, 3]].map(Placement::of);
        let (mut machine, mut running) = (Machine::new(mesh), RunningJobs::default());
        for (job, end_s) in [(0, 10), (1, 20)] {
            let nodes = &placements[job as usize].nodes;
            machine.occupy(nodes)?;
            let estimated_end = Time::from_seconds(end_s);
            running.insert(Running { estimated_end, job, nodes: nodes.len() as u32, start: Time::ZERO });
        }
        let now = Time::from_seconds(now_s);
        let running = RunningPlaces { running: &running, placements: &placements, now };
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
        // Both are late: both are expected to end now.
        assert_eq!(example(30, &[[2, 2, 1]])?, Some((30.0, 3)));
        assert_eq!(example(0, &[[5, 1, 1]])?, None);
        Ok(())
    }

    #[test]
    fn a_job_beside_the_reservation_leaves_a_place() -> Result<(), Box<dyn std::error::Error>> {
        let place = |base: [u32; 2], sizes: [u32; 2]| Cuboid {
            base: [base[0], base[1], 0],
            sizes: [sizes[0], sizes[1], 1],
        };
        let mut places = vec![place([0, 0], [2, 2]), place([1, 0], [2, 2])];
        let machine = Machine::new("4x2".parse()?);
        assert!(!admits(&places, &place([1, 0], [1, 1])) && admits(&places, &place([0, 0], [1, 2])));
        // (0, 0) leaves the second place; 2×1 there would leave none, nor would (1, 0), but (2, 0) does.
        assert_eq!(beside(&places, &machine, &[[2, 1, 1]]), Some(place([2, 0], [2, 1])));
        places.retain(|other| !other.meets(&place([2, 0], [2, 1])));
        assert_eq!(places, [place([0, 0], [2, 2])]);
        assert_eq!(beside(&places, &machine, &[[3, 1, 1], [1, 2, 1]]), Some(place([2, 0], [1, 2])));
        Ok(())
    }
}
