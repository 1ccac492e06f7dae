//! The place that a waiting job will have, for allocators that place jobs as boxes: enough free nodes are not enough then.

use crate::allocator::Placement;
use crate::job::Time;
use crate::machine::{Cuboid, Frames, Machine};
use crate::scheduler::RunningJobs;

/// Every place that is free for a box at the time of the reservation. One of them must stay so.
#[derive(Clone, Debug)]
pub(super) struct Reservation {
    places: Vec<Cuboid>,
}

impl Reservation {
    /// The first estimated end of a running job at which one of `boxes` is free, all jobs that end until then being gone,
    /// and the places there are then. Jobs past their estimate are expected to end `now`. `None` if that is never.
    ///
    /// O(N/64 · log a) for each end at which enough nodes are free, and what the jobs hold.
    pub(super) fn find(
        machine: &Machine,
        (running, placements): (&RunningJobs, &[Placement]),
        boxes: &[[u32; 3]],
        now: Time,
    ) -> Option<(Time, Self)> {
        let least = boxes.iter().map(|sizes| sizes.iter().product::<u32>()).min()?;
        let mut then = machine.clone();
        let mut frames = Frames::default();
        let mut ends = running.iter().peekable();
        while let Some(job) = ends.next() {
            then.vacate(&placements[job.job as usize].nodes);
            let end = job.estimated_end.max(now);
            let is_last = ends.peek().is_none_or(|next| next.estimated_end.max(now) > end);
            if !is_last || then.free_count() < least {
                continue;
            }
            let places = all_places(&mut frames, &then, boxes);
            if !places.is_empty() {
                return Some((end, Self { places }));
            }
        }
        None
    }

    /// Whether a place is left if `taken` is taken.
    pub(super) fn admits(&self, taken: &Cuboid) -> bool {
        self.places.iter().any(|place| !place.meets(taken))
    }

    /// The first place that is free for one of `boxes` now and leaves one for the reservation: by box, then in scan order.
    pub(super) fn beside(&self, machine: &Machine, boxes: &[[u32; 3]]) -> Option<Cuboid> {
        let mut frames = Frames::default();
        boxes.iter().find_map(|&sizes| {
            frames.find(machine, sizes);
            frames.iter().map(|base| Cuboid { base, sizes }).find(|place| self.admits(place))
        })
    }

    /// Gives up the places that `taken` meets.
    pub(super) fn take(&mut self, taken: &Cuboid) {
        self.places.retain(|place| !place.meets(taken));
    }
}

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
            running.insert(Running { estimated_end, job, nodes: nodes.len() as u32 });
        }
        let found = Reservation::find(&machine, (&running, &placements), boxes, Time::from_seconds(now_s));
        Ok(found.map(|(end, reservation)| (end.as_seconds(), reservation.places.len())))
    }

    #[test]
    fn the_first_end_at_which_a_box_is_free_is_found() -> Result<(), Box<dyn std::error::Error>> {
        assert_eq!(example(0, &[[2, 2, 1]])?, Some((10.0, 1)));
        assert_eq!(example(0, &[[4, 1, 1]])?, Some((10.0, 1)));
        // Six nodes are free at 10, but not as a box.
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
        let mut reservation = Reservation { places: vec![place([0, 0], [2, 2]), place([1, 0], [2, 2])] };
        let machine = Machine::new("4x2".parse()?);
        assert!(!reservation.admits(&place([1, 0], [1, 1])) && reservation.admits(&place([0, 0], [1, 2])));
        // (0, 0) leaves the second place; 2×1 there would leave none, nor would (1, 0), but (2, 0) does.
        assert_eq!(reservation.beside(&machine, &[[2, 1, 1]]), Some(place([2, 0], [2, 1])));
        reservation.take(&place([2, 0], [2, 1]));
        assert_eq!(reservation.places, [place([0, 0], [2, 2])]);
        assert_eq!(reservation.beside(&machine, &[[3, 1, 1], [1, 2, 1]]), Some(place([2, 0], [1, 2])));
        Ok(())
    }
}
