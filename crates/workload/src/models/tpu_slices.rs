//! The slices of accelerator pods: jobs that ask for boxes of a 3D torus in the mix that was published for
//! TPU v4.
//!
//! The mix is that of the file `WorkloadGen/data/tpu_job_size.csv` of RFold's simulator (S. S. Chen et al.,
//! "Toward Co-adapting Machine Learning Job Shape and Cluster Topology", arXiv 2510.03891, 2025;
//! github.com/shuoshuc/RFold), which names Table 2 of N. Jouppi et al., "TPU v4", ISCA 2023, as its source.
//! Slices that the file lists twice, with and without a twist of the torus, are one here: the twist changes
//! links and no nodes. The file has no arrivals and no run times, so that their laws are a choice of ours.
//!
//! 1. *Arrivals*: Gaps are exponential. The user gives the offered load, which is 0.7 by default, the rate or
//!    the traffic ratio.
//! 2. *Sides*: A slice is drawn by the percentages of the table, whose sum is 97.5. Slices with more nodes
//!    than `largest`, or than the machine, are not drawn. The first side is the shortest, as in the file;
//!    allocators that rotate shapes can turn it.
//! 3. *Run times*: They are log-normal. By default the median is 14,800 s and the standard deviation of the
//!    natural logarithm is 1, so that the mean is 24,401 s. They are rounded to whole seconds and are at
//!    least 1 s.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "the nodes of the listed slices times their weights are below 2^17"
)]

use rand::RngExt;
use rand_chacha::ChaCha8Rng;

use super::entry::{JobLaw, Law, LogNormal, ModelEntry, ShapeLaw};
use meshreplay_base::spec::{Params, Spec, SpecError};

/// The model's row in the registry.
pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "tpu-slices",
    summary: "boxes of a 3D torus in the mix of slices published for TPU v4, Poisson arrivals, log-normal \
         run times",
    source: "Jouppi et al., TPU v4, ISCA 2023, Table 2, as in the simulator of Chen et al., arXiv \
         2510.03891, 2025",
    parameters: "offered=0.7 (or rate=λ, ratio=R), jobs=10000, median=14800, sigma=1, largest=nodes of the \
         machine",
    title: "workload model of slices of accelerator pods",
    unnamed: &[("median", "14800"), ("sigma", "1")],
    build,
};

/// The slices of the mix: their sides, and how often they come, in tenths of a percent.
const MIX: [([u32; 3], u32); 26] = [
    ([1, 1, 1], 21),
    ([1, 1, 2], 4),
    ([1, 2, 2], 67),
    ([2, 2, 2], 47),
    ([2, 2, 4], 64),
    ([2, 4, 4], 89),
    ([4, 4, 4], 139),
    // 160 of them with a twist.
    ([4, 4, 8], 175),
    ([4, 4, 12], 7),
    // 92 of them with a twist.
    ([4, 8, 8], 107),
    ([4, 4, 16], 10),
    ([4, 8, 12], 1),
    ([8, 8, 8], 96),
    ([4, 8, 16], 17),
    ([4, 4, 32], 6),
    ([8, 8, 12], 7),
    // 18 of them with a twist.
    ([8, 8, 16], 32),
    ([4, 16, 16], 3),
    ([4, 4, 64], 1),
    ([4, 8, 32], 1),
    ([8, 12, 16], 1),
    ([4, 4, 96], 1),
    ([8, 8, 24], 1),
    // 14 of them with a twist.
    ([8, 16, 16], 17),
    ([12, 16, 16], 57),
    ([4, 4, 192], 4),
];

/// The laws of the jobs.
#[derive(Debug)]
struct TpuSlices {
    /// Nodes of the largest slice drawn; `None` for the whole machine.
    largest: Option<u32>,
    run_times: LogNormal,
}

/// Reads the parameters. Fails if a value is not allowed.
fn build(params: &mut Params, given: &Spec) -> Result<Law, SpecError> {
    let run_times = LogNormal::take(params)?;
    let largest = match params.take_text("largest") {
        None => None,
        Some(text) => {
            let found = text.parse().ok().filter(|&nodes: &u32| nodes > 0);
            Some(found.ok_or_else(|| params.bad_value("largest", &text, "a whole number of nodes above 0"))?)
        }
    };
    Law::poisson(params, given, "offered", 0.7, TpuSlices { largest, run_times })
}

impl JobLaw for TpuSlices {
    fn shapes(&self, machine: [u32; 3]) -> Box<dyn ShapeLaw + '_> {
        let nodes = machine.iter().map(|&extent| u64::from(extent)).product::<u64>();
        let most = nodes.min(u64::from(self.largest.unwrap_or(u32::MAX)));
        let drawn = MIX.into_iter().filter(|&(sides, _)| u64::from(size(sides)) <= most);
        Box::new(Slices { drawn: drawn.collect() })
    }

    fn mean_run_s(&self) -> f64 {
        self.run_times.mean_s()
    }

    fn run_s(&self, rng: &mut ChaCha8Rng) -> f64 {
        self.run_times.draw_s(rng)
    }
}

/// The slices that are drawn for one machine, with their weights. There is at least one, as the smallest
/// slice has one node.
struct Slices {
    drawn: Vec<([u32; 3], u32)>,
}

impl ShapeLaw for Slices {
    fn mean_size(&self) -> f64 {
        let (nodes, weights) = self.drawn.iter().fold((0, 0), |(nodes, weights), &(sides, weight)| {
            (nodes + size(sides) * weight, weights + weight)
        });
        f64::from(nodes) / f64::from(weights)
    }

    fn sides(&self, rng: &mut ChaCha8Rng) -> [u32; 3] {
        let total: u32 = self.drawn.iter().map(|(_, weight)| weight).sum();
        // Weights are whole numbers, so that the choice is exact.
        let mut rest = rng.random_range(0..total);
        let mut last = MIX[0].0;
        for &(sides, weight) in &self.drawn {
            last = sides;
            if rest < weight {
                break;
            }
            rest -= weight;
        }
        last
    }
}

/// Returns the number of nodes of a slice.
fn size(sides: [u32; 3]) -> u32 {
    sides.iter().product()
}

#[cfg(test)]
mod tests {
    use super::super::model::Model;
    use super::*;
    use meshreplay_base::job::{Job, Shape};

    const POD: [u32; 3] = [16, 16, 16];

    fn model(text: &str) -> Result<Model, SpecError> {
        Model::new(&text.parse()?)
    }

    fn near(found: f64, expected: f64, percent: f64) -> bool {
        100.0 * (found / expected - 1.0).abs() <= percent
    }

    #[test]
    fn slices_come_as_often_as_the_table_says() -> Result<(), Box<dyn std::error::Error>> {
        assert_eq!(MIX.iter().map(|(_, weight)| weight).sum::<u32>(), 975);
        let jobs = model("tpu-slices:jobs=200000")?.draw(1, POD, 1.0)?;
        for (sides, weight) in MIX.into_iter().filter(|(_, weight)| *weight >= 10) {
            let count = jobs.iter().filter(|job| job.shape == Shape::Sides(sides)).count();
            let expected = 200_000.0 * f64::from(weight) / 975.0;
            // Five standard deviations of a count.
            assert!(
                (count as f64 - expected).abs() < 5.0 * expected.sqrt(),
                "{sides:?}: {count}, {expected}"
            );
        }
        Ok(())
    }

    #[test]
    fn means_and_medians_are_those_asked_for() -> Result<(), Box<dyn std::error::Error>> {
        for (text, machine, load) in [
            ("tpu-slices:jobs=200000", POD, 0.7),
            ("tpu-slices:jobs=200000,largest=512,offered=0.5", POD, 0.5),
            ("tpu-slices:jobs=200000,median=100,sigma=0.5", [8, 8, 8], 0.7),
        ] {
            let model = model(text)?;
            let jobs = model.draw(3, machine, 1.0)?;
            let mean = |value: &dyn Fn(&Job) -> f64| jobs.iter().map(value).sum::<f64>() / jobs.len() as f64;
            assert!(near(mean(&|job| f64::from(job.procs)), model.mean_size(machine), 2.0), "{text}");
            assert!(near(mean(&|job| job.run.as_seconds()), model.mean_run_s(), 2.0), "{text}");
            let nodes: u32 = machine.iter().product();
            let work = mean(&|job| f64::from(job.procs) * job.run.as_seconds());
            assert!(near(work * model.rate(machine) / f64::from(nodes), load, 3.0), "{text}");
            let last_s = jobs.last().map_or(0.0, |job| job.submit.as_seconds());
            assert!(near(jobs.len() as f64 / last_s, model.rate(machine), 1.0), "{text}");
        }
        assert!(near(model("tpu-slices")?.mean_run_s(), 24_401.0, 0.01));
        Ok(())
    }

    #[test]
    fn larger_slices_than_the_machine_are_not_drawn() -> Result<(), Box<dyn std::error::Error>> {
        for (text, machine, most) in [
            ("tpu-slices:jobs=5000", [8, 8, 8], 512),
            ("tpu-slices:jobs=5000,largest=64", [8, 8, 8], 64),
            ("tpu-slices:jobs=5000,largest=4096", POD, 3072),
            ("tpu-slices:jobs=50", [1, 1, 1], 1),
        ] {
            let jobs = model(text)?.draw(1, machine, 1.0)?;
            assert_eq!(jobs.iter().map(|job| job.procs).max(), Some(most), "{text}");
        }
        Ok(())
    }

    #[test]
    fn names_are_short_and_wrong_parameters_are_named() -> Result<(), SpecError> {
        assert_eq!(model("tpu-slices")?.to_string(), "tpu-slices:offered=0.7");
        assert_eq!(
            model("tpu-slices")?.spec().to_string(),
            "tpu-slices:jobs=10000,median=14800,offered=0.7,sigma=1"
        );
        assert_eq!(
            model("tpu-slices:largest=64,rate=1,sigma=2")?.to_string(),
            "tpu-slices:largest=64,rate=1,sigma=2"
        );
        for (text, problem) in [
            ("tpu-slices:largest=0", "'0': expected a whole number of nodes above 0"),
            ("tpu-slices:median=-1", "'-1': expected a number above 0"),
            ("tpu-slices:offered=1,rate=1", "expected nothing, as 'rate' says how often jobs arrive"),
            ("tpu-slices:service=1", "'tpu-slices' has no parameter 'service'"),
            ("tpu-slice", "unknown workload model 'tpu-slice', did you mean 'tpu-slices'?"),
        ] {
            let message = model(text).expect_err("wrong").to_string();
            assert!(message.contains(problem), "{text}: {message}");
        }
        Ok(())
    }
}
