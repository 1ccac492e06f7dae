//! A synthetic model of jobs that bring their shape: Poisson arrivals, sides from one distribution, exponential run
//! times.
//!
//! It covers the workloads of C. Chang, P. Mohapatra, "An integrated processor management scheme for the mesh-connected
//! multicomputer systems", 1998; S. Bani-Mohammad, M. Ould-Khaoua, I. Ababneh, L. Mackenzie, ICPADS 2006; and R.
//! Zolfaghari, "Quick non-contiguous allocation", IJEAT 2013.
//!
//! 1. *Arrivals*: Gaps are exponential with rate λ. The user gives the traffic ratio λ·E\[S\] (as in 1998), λ itself
//!    (2006), or the offered load λ·E\[size\]·E\[S\] / nodes (2013).
//! 2. *Sides*: Each dimension of the machine has its own independent side, see [`Sides`].
//! 3. *Service*: Run times are exponential with mean E\[S\].
//!
//! Gaps, sides and run times come from separate random streams. So workloads of one seed that differ only in the rate
//! have the same jobs, closer together. Times are rounded to microseconds. O(jobs).

use std::fmt;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1};

use super::side_lengths::{LAWS, OUTSIDES, Outside, SideLaw, Sides};
use crate::job::{Job, Shape, Time};
use crate::spec::{Params, Spec, SpecError, unknown};

/// The rate at which jobs arrive.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Arrivals {
    /// The traffic ratio: rate times mean run time.
    Ratio(f64),
    /// The number of jobs per second.
    Rate(f64),
    /// The offered load: the work that arrives divided by what the machine can do in the same time.
    Offered(f64),
}

/// A workload model. With a seed and a machine it gives a list of jobs.
#[derive(Clone, Debug, PartialEq)]
pub struct Synthetic {
    jobs: u32,
    arrivals: Arrivals,
    /// The mean run time in seconds.
    service_s: f64,
    sides: Sides,
    /// The longest sides along x, y and z; `None` for the sides of the machine.
    max: Option<[u32; 3]>,
    /// The spec with every default written out.
    spec: Spec,
}

/// The reason why a model gives no jobs.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SyntheticError {
    /// Too few drawn sides are within the range, so that drawing again would take nearly for ever.
    #[error(
        "{model}: fewer than one in {LEAST_LIKELY} sides is from 1 to {most}; outside=clamp cuts them off"
    )]
    Unlikely {
        /// The spec of the model.
        model: String,
        /// The longest side, in nodes.
        most: u32,
    },
    /// The rate of arrivals is not a positive finite number.
    #[error("{model}: jobs arrive at a rate of {rate:e} per second, expected a number above 0")]
    Rate {
        /// The spec of the model.
        model: String,
        /// The rate in jobs per second.
        rate: f64,
    },
    /// A time exceeds the range of time.
    #[error(
        "{model}: job {number} leaves the range of time, 292,000 years; expected a higher rate or shorter service"
    )]
    OutOfRange {
        /// The spec of the model.
        model: String,
        /// The number of the job, from 1.
        number: i64,
    },
    /// A job has more processors than 32 bits can count.
    #[error("{model}: job {number} has sides {sides:?}, more than 2^32 processors; expected a smaller 'max'")]
    TooLarge {
        /// The spec of the model.
        model: String,
        /// The number of the job, from 1.
        number: i64,
        /// The sides of the job.
        sides: [u32; 3],
    },
}

/// If sides outside the range are drawn again, at least one drawn side in this many has to be within the range.
const LEAST_LIKELY: u32 = 20;

/// The name of the model in specs.
const NAME: &str = "synthetic";
/// The expectation of a parameter, in words.
const ABOVE_ZERO: &str = "a number above 0";

impl Synthetic {
    /// Returns whether `text` is a spec of this model, and not the name of a file.
    pub fn is_spec(text: &str) -> bool {
        text == NAME || text.strip_prefix(NAME).is_some_and(|rest| rest.starts_with(':'))
    }

    /// Returns the model of a spec such as `synthetic:ratio=1.5,service=5,sides=normal`, or an error if a parameter is
    /// wrong.
    pub fn new(given: &Spec) -> Result<Self, SpecError> {
        if given.name != NAME {
            return Err(unknown("workload model", &given.name, [NAME]));
        }
        let mut params = Params::new(given);
        let jobs = params.take("jobs", 10_000_u32, "a whole number from 1 to 100,000,000")?;
        if !(1..=100_000_000).contains(&jobs) {
            return Err(params.bad_value("jobs", &jobs.to_string(), "a whole number from 1 to 100,000,000"));
        }
        let arrivals = arrivals(&mut params, given)?;
        let service_s = positive(&mut params, "service", 5.0)?;
        let law = params.choose("sides", &LAWS)?;
        let outside = match law {
            // Uniform lengths are always within the range, so the parameter `outside` has no meaning for them.
            SideLaw::Uniform => Outside::Clamp,
            _ => params.choose("outside", &OUTSIDES)?,
        };
        let mean = optional(&mut params, "mean")?;
        let sigma = optional(&mut params, "sigma")?;
        let max = match params.take_text("max") {
            None => None,
            Some(text) => Some(extents(&text).ok_or_else(|| {
                params.bad_value("max", &text, "one to three sides such as 32x32, each from 1 to 2^24")
            })?),
        };
        let sides = Sides { law, mean, sigma, outside };
        if let Some(key) = sides.useless() {
            let found = given.params.get(key).cloned().unwrap_or_default();
            return Err(params.bad_value(
                key,
                &found,
                &format!("nothing, as sides={} have none", law.name()),
            ));
        }
        let spec = params.finish()?;
        Ok(Self { jobs, arrivals, service_s, sides, max, spec })
    }

    /// Returns the same model for a machine of whose nodes jobs can have only this share: an offered load is one of these
    /// nodes. The spec remains as it is.
    #[must_use]
    pub fn on_share(&self, share: f64) -> Self {
        let arrivals = match self.arrivals {
            Arrivals::Offered(load) => Arrivals::Offered(load * share),
            other => other,
        };
        Self { arrivals, ..self.clone() }
    }

    /// Returns the number of jobs.
    pub fn jobs(&self) -> u32 {
        self.jobs
    }

    /// Returns the spec with every default written out.
    pub fn spec(&self) -> &Spec {
        &self.spec
    }

    /// Returns the rate of arrivals, in jobs per second, on a machine with these extents.
    pub fn rate(&self, machine: [u32; 3]) -> f64 {
        match self.arrivals {
            Arrivals::Ratio(ratio) => ratio / self.service_s,
            Arrivals::Rate(rate) => rate,
            Arrivals::Offered(load) => {
                let nodes: f64 = machine.iter().map(|&extent| f64::from(extent)).product();
                load * nodes / (self.mean_size(machine) * self.service_s)
            }
        }
    }

    /// Returns the mean number of processors of a job on a machine with these extents.
    pub fn mean_size(&self, machine: [u32; 3]) -> f64 {
        self.max.unwrap_or(machine).iter().map(|&most| self.sides.expected(most)).product()
    }

    /// Draws the jobs of `seed` for a machine with these extents. Submit times are multiplied by `arrival_scale`.
    pub fn draw(&self, seed: u64, machine: [u32; 3], arrival_scale: f64) -> Result<Vec<Job>, SyntheticError> {
        // The streams of one seed are independent. So drawing more numbers for one purpose does not change the others.
        let stream = |number: u64| {
            let mut rng = ChaCha8Rng::seed_from_u64(seed);
            rng.set_stream(number);
            rng
        };
        let [mut gaps, mut shapes, mut services] = [0, 1, 2].map(stream);
        let longest = self.max.unwrap_or(machine);
        if let Some(&most) =
            longest.iter().find(|&&most| self.sides.likely(most) < 1.0 / f64::from(LEAST_LIKELY))
        {
            return Err(SyntheticError::Unlikely { model: self.to_string(), most });
        }
        let rate = self.rate(machine);
        if !(rate.is_finite() && rate > 0.0) {
            return Err(SyntheticError::Rate { model: self.to_string(), rate });
        }
        let mut now_s = 0.0_f64;
        let exponential = |rng: &mut ChaCha8Rng| -> f64 { Exp1.sample(rng) };
        let mut jobs = Vec::with_capacity(self.jobs as usize);
        for number in 1..=i64::from(self.jobs) {
            now_s += exponential(&mut gaps) / rate * arrival_scale;
            let sides = longest.map(|most| self.sides.draw(most, &mut shapes));
            let procs = sides.iter().try_fold(1_u32, |product, &side| product.checked_mul(side));
            let Some(procs) = procs else {
                return Err(SyntheticError::TooLarge { model: self.to_string(), number, sides });
            };
            let run_s = exponential(&mut services) * self.service_s;
            let (Some(submit), Some(run)) = (time(now_s), time(run_s)) else {
                return Err(SyntheticError::OutOfRange { model: self.to_string(), number });
            };
            // A job of length 0 would end before any event sees it run.
            let run = run.max(Time::from_micros(1));
            jobs.push(Job { number, submit, run, estimate: run, procs, shape: Shape::Sides(sides) });
        }
        Ok(jobs)
    }
}

/// Returns seconds as a time in whole microseconds; `None` if they exceed the range of time.
fn time(seconds: f64) -> Option<Time> {
    let micros = (seconds * 1e6).round();
    (micros < i64::MAX as f64).then(|| Time::from_micros(micros as i64))
}

/// Writes the shortest spelling: parameters at their default are left out, except the rate of arrivals.
impl fmt::Display for Synthetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut short = self.spec.clone();
        for (key, default) in
            [("jobs", "10000"), ("service", "5"), ("sides", "uniform"), ("outside", "clamp")]
        {
            if short.params.get(key).is_some_and(|value| value == default) {
                short.params.remove(key);
            }
        }
        short.fmt(f)
    }
}

/// Returns the rate of arrivals. It is given by one of three parameters; more than one is an error.
fn arrivals(params: &mut Params, given: &Spec) -> Result<Arrivals, SpecError> {
    type Spelling = (&'static str, fn(f64) -> Arrivals);
    let spellings: [Spelling; 3] =
        [("ratio", Arrivals::Ratio), ("rate", Arrivals::Rate), ("offered", Arrivals::Offered)];
    let mut named = spellings.iter().filter(|(key, _)| given.params.contains_key(*key));
    let (key, arrivals) = named.next().unwrap_or(&spellings[0]);
    if let Some((other, _)) = named.next() {
        let found = given.params.get(*other).cloned().unwrap_or_default();
        return Err(params.bad_value(
            other,
            &found,
            &format!("nothing, as '{key}' says how often jobs arrive"),
        ));
    }
    Ok(arrivals(positive(params, key, 1.0)?))
}

/// Takes a parameter that is a finite number above 0, or `default` if it is not given.
fn positive(params: &mut Params, key: &str, default: f64) -> Result<f64, SpecError> {
    let value = params.take(key, default, ABOVE_ZERO)?;
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(params.bad_value(key, &value.to_string(), ABOVE_ZERO))
    }
}

/// Takes a parameter that is a finite number above 0; `None` if it is not given.
fn optional(params: &mut Params, key: &str) -> Result<Option<f64>, SpecError> {
    let Some(text) = params.take_text(key) else { return Ok(None) };
    match text.parse() {
        Ok(value) if f64::is_finite(value) && value > 0.0 => Ok(Some(value)),
        _ => Err(params.bad_value(key, &text, ABOVE_ZERO)),
    }
}

/// Returns the sides of a text such as `32x16`. Missing sides are 1. `None` if the text is something else.
fn extents(text: &str) -> Option<[u32; 3]> {
    let mut sides = [1; 3];
    let parts: Vec<&str> = text.split('x').collect();
    if parts.len() > 3 {
        return None;
    }
    for (side, part) in sides.iter_mut().zip(parts) {
        *side = part.parse().ok().filter(|side| (1..=1 << 24).contains(side))?;
    }
    Some(sides)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MACHINE: [u32; 3] = [32, 32, 1];

    fn model(text: &str) -> Result<Synthetic, SpecError> {
        Synthetic::new(&text.parse()?)
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
            assert!(near(mean(&|job| job.run.as_seconds()), model.service_s, 1.0), "{text}");
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
