//! Arrival rates of workload models, and their parameters.

use meshreplay_base::spec::{Params, Spec, SpecError};

/// Arrival rate, given in one of three ways.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ArrivalRate {
    /// The traffic ratio: rate times mean run time.
    Ratio(f64),
    /// The number of jobs per second.
    Rate(f64),
    /// Offered load: arriving work divided by the capacity of the machine.
    Offered(f64),
}

/// The expectation of a parameter, in words.
const ABOVE_ZERO: &str = "a number above 0";

/// A parameter that gives the rate, and the case that it stands for.
type Spelling = (&'static str, fn(f64) -> ArrivalRate);

/// The parameters that give the rate of arrivals.
const SPELLINGS: [Spelling; 3] =
    [("ratio", ArrivalRate::Ratio), ("rate", ArrivalRate::Rate), ("offered", ArrivalRate::Offered)];

impl ArrivalRate {
    /// Takes the rate of arrivals from `params`. It is given by one of three parameters; more than one is an
    /// error. If none is given, it is the parameter `default_key` with the value `default`. `given` is the
    /// spec that `params` were made of.
    pub(super) fn take(
        params: &mut Params,
        given: &Spec,
        default_key: &str,
        default: f64,
    ) -> Result<Self, SpecError> {
        let mut named = SPELLINGS.iter().filter(|(key, _)| given.params.contains_key(*key));
        let by_default = || SPELLINGS.iter().find(|(key, _)| *key == default_key);
        let (key, rate) = named.next().or_else(by_default).unwrap_or(&SPELLINGS[0]);
        if let Some((other, _)) = named.next() {
            let found = given.params.get(*other).cloned().unwrap_or_default();
            return Err(params.bad_value(
                other,
                &found,
                &format!("nothing, as '{key}' says how often jobs arrive"),
            ));
        }
        for (other, _) in SPELLINGS.iter().filter(|(other, _)| other != key) {
            // It is not given; messages on unknown parameters list it.
            params.take_text(other);
        }
        Ok(rate(positive(params, key, default)?))
    }

    /// Returns the rate in jobs per second on a machine of `nodes` nodes, for jobs of `mean_size` processors
    /// and a run time of `mean_run_s` seconds on average.
    pub(super) fn per_second(self, nodes: f64, mean_size: f64, mean_run_s: f64) -> f64 {
        match self {
            Self::Ratio(ratio) => ratio / mean_run_s,
            Self::Rate(rate) => rate,
            Self::Offered(load) => load * nodes / (mean_size * mean_run_s),
        }
    }
}

/// Takes a parameter that is a finite number above 0, or `default` if it is not given.
pub(super) fn positive(params: &mut Params, key: &str, default: f64) -> Result<f64, SpecError> {
    let value = params.take(key, default, ABOVE_ZERO)?;
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(params.bad_value(key, &value.to_string(), ABOVE_ZERO))
    }
}

/// Takes a parameter that is a finite number above 0; `None` if it is not given.
pub(super) fn optional(params: &mut Params, key: &str) -> Result<Option<f64>, SpecError> {
    let Some(text) = params.take_text(key) else { return Ok(None) };
    match text.parse() {
        Ok(value) if f64::is_finite(value) && value > 0.0 => Ok(Some(value)),
        _ => Err(params.bad_value(key, &text, ABOVE_ZERO)),
    }
}
