//! RFold's mixed workload: rows, rectangles and boxes of even sides on a machine of cubes of 4×4×4 nodes.
//!
//! S. S. Chen et al., "Toward Co-adapting Machine Learning Job Shape and Cluster Topology", arXiv 2510.03891,
//! 2025: the generator `MixedWorkload` of its simulator (github.com/shuoshuc/RFold), as its script `sweep.py`
//! uses it.
//!
//! 1. *Arrivals*: Gaps are exponential. The user gives the offered load, which is 0.8 by default (the highest
//!    load that the simulator's scripts name), the rate or the traffic ratio.
//! 2. *Size*: The sizes are 1, 2, and all even numbers of nodes up to those of the machine (and up to 65,536)
//!    that have a shape. Their list is sorted. The place in the list is exponential with a mean of a quarter
//!    of its length, cut off at its end.
//! 3. *Dimensions*: Jobs of up to 256 nodes have one side above 1 in 4 of 5 cases, otherwise two; jobs of up
//!    to 1,024 nodes have two in 4 of 5 cases, otherwise three; larger ones have three in 4 of 5 cases,
//!    otherwise two. A number of sides that the size has no shape for is left out.
//! 4. *Shape*: All shapes of the size with the drawn number of sides above 1 are equally likely. Such sides
//!    are even, except in a row of one, and as a box the shape needs no more cubes than the machine has nodes
//!    for. The shortest comes first, and sides of 1 come last.
//! 5. *Run times*: They are log-normal as in `tpu-slices`. The simulator draws them from a file of recorded
//!    run times that we did not see.
#![expect(
    clippy::arithmetic_side_effects,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sizes are at most 2^16 nodes, so that cubes of sides up to their square root fit 32 bits"
)]

use rand::{Rng, RngExt};
use rand_chacha::ChaCha8Rng;

use super::entry::{JobLaw, Law, LogNormal, ModelEntry, ShapeLaw};
use meshreplay_base::spec::{Params, Spec, SpecError};

/// The model's row in the registry.
pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "rfold-mix",
    summary: "rows, rectangles and boxes of even sides, Poisson arrivals, log-normal run times",
    source: "Chen et al., arXiv 2510.03891, 2025: MixedWorkload of its simulator",
    parameters: "offered=0.8 (or rate=λ, ratio=R), jobs=10000, median=14800, sigma=1",
    title: "mixed workload of RFold",
    unnamed: &[("median", "14800"), ("sigma", "1")],
    build,
};

/// The side of a cube.
const CUBE: u32 = 4;
/// The most nodes of a job with one side above 1.
const LONGEST_ROW: u32 = 256;
/// The most nodes of a job that has seldom three sides above 1.
const LARGEST_FLAT: u32 = 1024;
/// The most nodes of a job. More sizes would take long to list.
const LARGEST: u32 = 1 << 16;
/// The length of the list of sizes in means of the exponential distribution.
const SKEW: f64 = 4.0;

/// The laws of the jobs.
#[derive(Debug)]
struct RFoldMix {
    run_times: LogNormal,
}

/// Reads the parameters. Fails if a value is not allowed.
fn build(params: &mut Params, given: &Spec) -> Result<Law, SpecError> {
    let jobs = RFoldMix { run_times: LogNormal::take(params)? };
    Law::poisson(params, given, "offered", 0.8, jobs)
}

impl JobLaw for RFoldMix {
    fn shapes(&self, machine: [u32; 3]) -> Box<dyn ShapeLaw + '_> {
        Box::new(Mix::for_nodes(machine.iter().product()))
    }

    fn mean_run_s(&self) -> f64 {
        self.run_times.mean_s()
    }

    fn run_s(&self, rng: &mut ChaCha8Rng) -> f64 {
        self.run_times.draw_s(rng)
    }
}

/// The shapes of one size, by the number of sides above 1: one, two, three.
type ShapesBySides = [Vec<[u32; 3]>; 3];

/// The sizes on one machine with their shapes, ascending.
struct Mix {
    sizes: Vec<(u32, ShapesBySides)>,
}

impl Mix {
    /// Returns the sizes on a machine of `nodes` nodes. O(n · √n) for n = min(nodes, 65,536).
    fn for_nodes(nodes: u32) -> Self {
        let cubes = (nodes / CUBE.pow(3)).max(1);
        let sizes = std::iter::once(1).chain((2..=nodes.min(LARGEST)).step_by(2));
        let shaped = sizes.map(|size| (size, shapes(size, cubes)));
        Self { sizes: shaped.filter(|(_, shapes)| shapes.iter().any(|shapes| !shapes.is_empty())).collect() }
    }

    /// Returns the probability of the `place`-th size.
    fn probability(&self, place: usize) -> f64 {
        let below = |place: usize| (-SKEW * place as f64 / self.sizes.len() as f64).exp();
        (below(place) - below(place + 1)) / (1.0 - (-SKEW).exp())
    }
}

impl ShapeLaw for Mix {
    fn mean_size(&self) -> f64 {
        self.sizes.iter().enumerate().map(|(i, (size, _))| self.probability(i) * f64::from(*size)).sum()
    }

    fn sides(&self, rng: &mut ChaCha8Rng) -> [u32; 3] {
        // The inverse of the distribution function of the exponential distribution that is cut off.
        let unit: f64 = rng.random();
        let place = -(1.0 - unit * (1.0 - (-SKEW).exp())).ln() / SKEW * self.sizes.len() as f64;
        let (size, shapes) = &self.sizes[(place as usize).min(self.sizes.len() - 1)];
        let weights: [u32; 3] = match *size {
            ..=LONGEST_ROW => [4, 1, 0],
            size if size <= LARGEST_FLAT => [0, 4, 1],
            _ => [0, 1, 4],
        };
        let there = |of: usize| if shapes[of].is_empty() { 0 } else { weights[of] };
        let mut rest = rng.random_range(0..(0..3).map(there).sum::<u32>().max(1));
        let mut of = 0;
        while of < 2 && rest >= there(of) {
            rest -= there(of);
            of += 1;
        }
        chosen(&shapes[of], rng)
    }
}

/// Draws one of the shapes, uniformly.
fn chosen(shapes: &[[u32; 3]], rng: &mut impl Rng) -> [u32; 3] {
    shapes.get(rng.random_range(0..shapes.len().max(1))).copied().unwrap_or([1; 3])
}

/// Returns the shapes of `size` nodes on a machine of `cubes` cubes.
fn shapes(size: u32, cubes: u32) -> ShapesBySides {
    let row = if size <= LONGEST_ROW { vec![[size, 1, 1]] } else { Vec::new() };
    let (mut flat, mut boxes) = (Vec::new(), Vec::new());
    if size >= 4 {
        let fits = |[a, b, c]: [u32; 3]| {
            let needed = [a, b, c].iter().map(|side| side.div_ceil(CUBE)).product::<u32>();
            [a, b, c].iter().all(|&side| (side == 1 || side % 2 == 0) && side <= cubes * CUBE)
                && needed <= cubes
        };
        let divisors = |n: u32| (2..=n.isqrt()).filter(move |d| n.is_multiple_of(*d));
        flat.extend(divisors(size).map(|a| [a, size / a, 1]).filter(|&shape| fits(shape)));
        for a in divisors(size).filter(|a| a * a * a <= size) {
            let rest = size / a;
            boxes.extend(divisors(rest).filter(|b| *b >= a).map(|b| [a, b, rest / b]));
        }
        boxes.retain(|&shape| fits(shape));
    }
    [row, flat, boxes]
}

#[cfg(test)]
mod tests {
    use super::super::model::Model;
    use super::*;
    use meshreplay_base::job::Shape;

    #[test]
    fn shapes_have_even_sides_and_fit_the_cubes() {
        assert_eq!(shapes(1, 64), [vec![[1, 1, 1]], vec![], vec![]]);
        assert_eq!(shapes(16, 64), [vec![[16, 1, 1]], vec![[2, 8, 1], [4, 4, 1]], vec![[2, 2, 4]]]);
        // {2, 2, 258} is too long, {6, 172, 1} and {12, 86, 1} need more than 64 cubes.
        assert_eq!(shapes(1032, 64), [vec![], vec![], vec![[2, 6, 86]]]);
        assert_eq!(shapes(26, 1), [vec![[26, 1, 1]], vec![], vec![]]);
    }

    #[test]
    fn means_and_dimensions_are_those_of_the_laws() -> Result<(), Box<dyn std::error::Error>> {
        let model = Model::new(&"rfold-mix:jobs=100000".parse()?)?;
        let jobs = model.draw(1, [16, 16, 16], 1.0)?;
        let mean = jobs.iter().map(|job| f64::from(job.procs)).sum::<f64>() / jobs.len() as f64;
        assert!((mean / model.mean_size([16, 16, 16]) - 1.0).abs() < 0.02, "{mean}");
        let above_one = |job: &meshreplay_base::job::Job| match job.shape {
            Shape::Sides(sides) => sides.iter().filter(|&&side| side > 1).count(),
            _ => 0,
        };
        let small: Vec<_> = jobs.iter().filter(|job| (4..=LONGEST_ROW).contains(&job.procs)).collect();
        let rows = small.iter().filter(|job| above_one(job) == 1).count();
        assert!(rows as f64 / small.len() as f64 >= 0.79 && small.iter().all(|job| above_one(job) < 3));
        assert!(jobs.iter().filter(|job| job.procs > LONGEST_ROW).all(|job| above_one(job) > 1));
        // Equal numbers of nodes have equal jobs.
        assert_eq!(jobs, model.draw(1, [4, 4, 256], 1.0)?);
        Ok(())
    }
}
