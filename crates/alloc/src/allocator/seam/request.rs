//! The request that a job makes to an allocator.

use meshreplay_base::job::{Job, JobId, Shape};
use meshreplay_machine::machine::{Mesh, along_axes, even_factors, near_square, powers_of_two, row};

/// The number of processors that a job asks for, and the submesh that it prefers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Request {
    /// The number of processors, at least 1.
    pub procs: u32,
    /// The submesh that the job prefers. Most non-contiguous allocators ignore it.
    pub shape: Shape,
    /// The number of the recorded list of nodes, see [`super::Setup::lists`]; `None` if the log has no list
    /// for the job. Only allocators that repeat recorded placements use it.
    pub nodes: Option<u32>,
    /// The job of the request; `None` if it is unknown, as in questions about what can be served. Allocators
    /// of this program ignore it; guests may use it, see `guest::JobTable`.
    pub job: Option<JobId>,
}

impl From<&Job> for Request {
    fn from(job: &Job) -> Self {
        Self { procs: job.procs, shape: job.shape, nodes: job.logged.nodes, job: None }
    }
}

impl Request {
    /// Returns a request for `procs` processors with the default shape, which is near-square.
    pub fn of(procs: u32) -> Self {
        Self { procs, shape: Shape::default(), nodes: None, job: None }
    }

    /// Returns the request without what belongs to one job alone. Requests of one size and shape are then
    /// equal.
    #[must_use]
    pub fn kind(self) -> Self {
        Self { nodes: None, job: None, ..self }
    }

    /// Returns a request for a submesh of these sides, and for one processor per node. If their number
    /// exceeds `u32`, the request has `u32::MAX` processors, which no machine can serve.
    pub fn sides(sides: [u32; 3]) -> Self {
        let procs = sides.iter().fold(1_u32, |product, &side| product.saturating_mul(side));
        Self { procs, shape: Shape::Sides(sides), nodes: None, job: None }
    }

    /// Returns the sides of the submesh that the request asks for on `mesh`. Returns `None` if the machine
    /// has no such submesh, if the submesh has more nodes than the machine, or if it has fewer nodes than the
    /// job has processors. The sides are not compared with the machine's extents: perhaps no orientation of
    /// them fits.
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
