//! A synthetic model of jobs that bring their shape: Poisson arrivals, sides from one distribution,
//! exponential run times.
//!
//! It covers the workloads of C. Chang, P. Mohapatra, "An integrated processor management scheme for the
//! mesh-connected multicomputer systems", 1998; S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie,
//! ICPADS 2006; and R. Zolfaghari, "Quick non-contiguous allocation", IJEAT 2013.
//!
//! 1. *Arrivals*: Gaps are exponential with rate λ. The user gives the traffic ratio λ·E\[S\] (as in 1998), λ
//!    itself (2006), or the offered load λ·E\[size\]·E\[S\] / nodes (2013).
//! 2. *Sides*: Each dimension of the machine has its own independent side, see [`Sides`].
//! 3. *Service*: Run times are exponential with mean E\[S\].

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1};

use super::entry::{JobLaw, LEAST_LIKELY, Law, ModelEntry, ShapeLaw, optional, positive};
use super::side_lengths::{LAWS, OUTSIDES, Outside, SideLaw, Sides};
use crate::rules::shape_rule::parse_sides;
use meshreplay_base::spec::{Params, Spec, SpecError};

/// The model's row in the registry.
pub(super) const ENTRY: ModelEntry = ModelEntry {
    name: "synthetic",
    summary: "Poisson arrivals, sides from one distribution, exponential run times",
    source: "Chang, Mohapatra, 1998; Bani-Mohammad et al., ICPADS 2006; Zolfaghari, IJEAT 2013",
    parameters: "ratio=1 (rate times mean service; or rate=λ, in jobs per second, or offered=L, a share of \
         the machine's capacity), jobs=10000, service=5 (s), sides=uniform (exponential, normal), mean, \
         sigma, outside=clamp (redraw), max=AxBxC",
    title: "synthetic workload of jobs that bring their shape",
    unnamed: &[("service", "5"), ("sides", "uniform"), ("outside", "clamp")],
    build,
};

/// The laws of the jobs.
#[derive(Debug)]
struct Synthetic {
    /// The mean run time in seconds.
    service_s: f64,
    sides: Sides,
    /// The longest sides along x, y and z; `None` for the sides of the machine.
    max: Option<[u32; 3]>,
}

/// Reads the parameters. Fails if a value is not allowed.
fn build(params: &mut Params, given: &Spec) -> Result<Law, SpecError> {
    let service_s = positive(params, "service", 5.0)?;
    let law = params.choose("sides", &LAWS)?;
    let outside = match law {
        // Uniform lengths are always within the range, so the parameter `outside` has no meaning for them.
        SideLaw::Uniform => Outside::Clamp,
        _ => params.choose("outside", &OUTSIDES)?,
    };
    let mean = optional(params, "mean")?;
    let sigma = optional(params, "sigma")?;
    let max = match params.take_text("max") {
        None => None,
        Some(text) => Some(parse_sides(&text, 1 << 24).ok_or_else(|| {
            params.bad_value("max", &text, "one to three sides such as 32x32, each from 1 to 2^24")
        })?),
    };
    let sides = Sides { law, mean, sigma, outside };
    if let Some(key) = sides.useless() {
        let found = given.params.get(key).cloned().unwrap_or_default();
        return Err(params.bad_value(key, &found, &format!("nothing, as sides={} have none", law.name())));
    }
    Law::poisson(params, given, "ratio", 1.0, Synthetic { service_s, sides, max })
}

impl JobLaw for Synthetic {
    fn unlikely(&self, machine: [u32; 3]) -> Option<u32> {
        let longest = self.max.unwrap_or(machine);
        longest.into_iter().find(|&most| self.sides.likely(most) < 1.0 / f64::from(LEAST_LIKELY))
    }

    fn shapes(&self, machine: [u32; 3]) -> Box<dyn ShapeLaw + '_> {
        Box::new(Shapes { sides: &self.sides, longest: self.max.unwrap_or(machine) })
    }

    fn mean_run_s(&self) -> f64 {
        self.service_s
    }

    fn run_s(&self, rng: &mut ChaCha8Rng) -> f64 {
        let unit: f64 = Exp1.sample(rng);
        unit * self.service_s
    }
}

/// The law of the sides on one machine.
struct Shapes<'a> {
    sides: &'a Sides,
    /// The longest sides along x, y and z.
    longest: [u32; 3],
}

impl ShapeLaw for Shapes<'_> {
    fn mean_size(&self) -> f64 {
        self.longest.iter().map(|&most| self.sides.expected(most)).product()
    }

    fn sides(&self, rng: &mut ChaCha8Rng) -> [u32; 3] {
        self.longest.map(|most| self.sides.draw(most, rng))
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::Model;
    use meshreplay_base::job::{Job, Shape};
    use meshreplay_base::spec::SpecError;

    const MACHINE: [u32; 3] = [32, 32, 1];

    fn model(text: &str) -> Result<Model, SpecError> {
        Model::new(&text.parse()?)
    }

    fn near(found: f64, expected: f64, percent: f64) -> bool {
        100.0 * (found / expected - 1.0).abs() <= percent
    }

    #[test]
    fn means_are_those_asked_for() -> Result<(), Box<dyn std::error::Error>> {
        for (text, rate) in [
            ("synthetic:jobs=200000,ratio=1.5,service=5", 0.3),
            ("synthetic:jobs=200000,rate=0.02,service=40", 0.02),
            // 272.25 processors for 5 s each, 1,024 in all.
            ("synthetic:jobs=200000,offered=0.5", 0.5 * 1024.0 / (272.25 * 5.0)),
        ] {
            let model = model(text)?;
            let jobs = model.draw(1, MACHINE, 1.0)?;
            let mean = |value: &dyn Fn(&Job) -> f64| jobs.iter().map(value).sum::<f64>() / jobs.len() as f64;
            assert!(near(model.rate(MACHINE), rate, 1e-9), "{text}");
            let last_s = jobs.last().map_or(0.0, |job| job.submit.as_seconds());
            assert!(near(jobs.len() as f64 / last_s, rate, 1.0), "{text}");
            assert!(near(mean(&|job| job.run.as_seconds()), model.mean_run_s(), 1.0), "{text}");
            assert!(near(mean(&|job| f64::from(job.procs)), 272.25, 1.0), "{text}");
        }
        Ok(())
    }

    #[test]
    fn one_seed_has_the_same_jobs_at_every_rate() -> Result<(), Box<dyn std::error::Error>> {
        let (sparse, dense) = (
            model("synthetic:ratio=1")?.draw(7, MACHINE, 1.0)?,
            model("synthetic:ratio=2")?.draw(7, MACHINE, 1.0)?,
        );
        for (a, b) in sparse.iter().zip(&dense) {
            assert_eq!((a.shape, a.run), (b.shape, b.run));
            assert!((a.submit.as_micros() - 2 * b.submit.as_micros()).abs() <= 2);
        }
        assert_ne!(sparse[..9], model("synthetic")?.draw(8, MACHINE, 1.0)?[..9]);
        assert_eq!(sparse, model("synthetic:sides=uniform,ratio=1")?.draw(7, MACHINE, 1.0)?);
        Ok(())
    }

    #[test]
    fn sides_follow_the_machine_unless_they_are_given() -> Result<(), Box<dyn std::error::Error>> {
        let largest = |text: &str, machine| -> Result<[u32; 3], Box<dyn std::error::Error>> {
            let jobs = model(text)?.draw(1, machine, 1.0)?;
            Ok(jobs.iter().fold([0; 3], |most, job| match job.shape {
                Shape::Sides(sides) => [0, 1, 2].map(|d| most[d].max(sides[d])),
                _ => most,
            }))
        };
        assert_eq!(largest("synthetic", [8, 6, 4])?, [8, 6, 4]);
        assert_eq!(largest("synthetic:max=5x3", [8, 6, 4])?, [5, 3, 1]);
        Ok(())
    }

    #[test]
    fn models_that_give_no_jobs_say_why() -> Result<(), SpecError> {
        for (text, scale, problem) in [
            ("synthetic:jobs=3,ratio=1e-15", 1.0, "leaves the range of time"),
            ("synthetic:jobs=3,service=1e300", 1.0, "leaves the range of time"),
            ("synthetic:jobs=3,rate=1e-300", 1e-200, "leaves the range of time"),
            (
                "synthetic:sides=normal,mean=1e6,sigma=1,outside=redraw",
                1.0,
                "fewer than one in 20 sides is from 1 to 32",
            ),
            (
                "synthetic:sides=exponential,mean=1e9,outside=redraw,offered=0.5",
                1.0,
                "fewer than one in 20 sides",
            ),
            ("synthetic:max=16777216x16777216x16777216", 1.0, "more than 2^32 processors"),
        ] {
            let Ok(model) = model(text) else { continue };
            let error = model.draw(1, MACHINE, scale).expect_err("no jobs").to_string();
            assert!(error.starts_with("synthetic:") && error.contains(problem), "{text}: {error}");
        }
        // Along z, where the machine has one node, nothing is drawn.
        for text in
            ["sides=normal,mean=16.5,sigma=6.6,outside=redraw", "sides=exponential,mean=40,outside=redraw"]
        {
            assert!(model(&format!("synthetic:jobs=100,{text}"))?.draw(1, MACHINE, 1.0).is_ok(), "{text}");
        }
        // Arrivals are beyond the range of time before they are scaled, and within it afterwards.
        assert!(model("synthetic:jobs=3,ratio=1e-15")?.draw(1, MACHINE, 0.001).is_ok());
        Ok(())
    }

    #[test]
    fn names_are_the_shortest_spelling() -> Result<(), SpecError> {
        for (text, name) in [
            ("synthetic", "synthetic:ratio=1"),
            ("synthetic:ratio=1.0,jobs=10000,outside=clamp,sides=normal", "synthetic:ratio=1,sides=normal"),
            ("synthetic:rate=0.5,jobs=30", "synthetic:jobs=30,rate=0.5"),
        ] {
            assert_eq!(model(text)?.to_string(), name);
            assert_eq!(model(name)?.spec(), model(text)?.spec());
        }
        Ok(())
    }

    #[test]
    fn wrong_parameters_say_what_does_not_fit() {
        for (text, problem) in [
            ("syntetic", "unknown workload model 'syntetic', did you mean 'synthetic'?"),
            ("synthetic:jobs=0", "'0': expected a whole number from 1"),
            ("synthetic:ratio=-1", "parameter 'ratio' of 'synthetic' is '-1': expected a number above 0"),
            (
                "synthetic:ratio=1,rate=2",
                "parameter 'rate' of 'synthetic' is '2': expected nothing, as 'ratio'",
            ),
            (
                "synthetic:sigma=2",
                "parameter 'sigma' of 'synthetic' is '2': expected nothing, as sides=uniform",
            ),
            ("synthetic:outside=redraw", "'synthetic' has no parameter 'outside'"),
            ("synthetic:max=0x3", "'0x3': expected one to three sides"),
            ("synthetic:max=1x2x3x4", "expected one to three sides"),
            ("synthetic:sides=square", "expected one of: uniform, exponential, normal"),
            ("synthetic:service=nan", "'NaN': expected a number above 0"),
            ("synthetic:load=2", "'synthetic' has no parameter 'load'"),
        ] {
            let message = model(text).expect_err("wrong").to_string();
            assert!(message.contains(problem), "{text}: {message}");
        }
    }
}
