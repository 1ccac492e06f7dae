//! What a job asks of an allocator.

use crate::job::{Job, Shape};
use crate::machine::{Mesh, along_axes, even_factors, near_square, powers_of_two, row};

/// The processors that a job asks for, and how they are to lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Request {
    /// Processors, at least 1.
    pub procs: u32,
    /// How they lie; most allocators that place jobs anywhere do not look at it.
    pub shape: Shape,
}

impl From<&Job> for Request {
    fn from(job: &Job) -> Self {
        Self { procs: job.procs, shape: job.shape }
    }
}

impl Request {
    /// Returns a request for processors of which only the number is known.
    pub fn of(procs: u32) -> Self {
        Self { procs, shape: Shape::default() }
    }

    /// Returns a request for a rectangle or cuboid of these sides; more processors than can be counted are a number
    /// that never fits.
    pub fn sides(sides: [u32; 3]) -> Self {
        let procs = sides.iter().fold(1_u32, |product, &side| product.saturating_mul(side));
        Self { procs, shape: Shape::Sides(sides) }
    }

    /// Returns the sides of the rectangle or cuboid on `mesh`; `None` if they have more nodes than the machine, or
    /// fewer than the job has processors. One orientation of them may fit, or none.
    pub fn sides_on(&self, mesh: &Mesh) -> Option<[u32; 3]> {
        let sides = match self.shape {
            Shape::NearSquare => near_square(self.procs, mesh)?,
            Shape::Factors => even_factors(self.procs, mesh)?,
            Shape::Row => row(self.procs, mesh),
            Shape::PowersOfTwo => powers_of_two(self.procs, mesh)?,
            Shape::Slice(sides) => along_axes(sides, mesh),
            Shape::Sides(sides) => sides,
        };
        let nodes = sides.iter().fold(1_u64, |product, &side| product.saturating_mul(u64::from(side)));
        (u64::from(self.procs)..=u64::from(mesh.nodes())).contains(&nodes).then_some(sides)
    }
}
