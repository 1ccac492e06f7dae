//! The spelling of rules, such as `authors` or `requested:overrun=kill,status=completed`. The grammar is that
//! of specs.

use std::fmt;
use std::str::FromStr;

use super::arrivals::ARRIVALS;
use super::rule_set::{Estimate, Overrun, Oversize, RuleSet, Rules, Sizes, Status};
use super::shape_rule::SHAPES;
use meshreplay_base::prediction::Prediction;
use meshreplay_base::spec::{Params, Spec, SpecError, unknown};

/// The names of all values of [`RuleSet`].
pub const RULE_SETS: &[(&str, RuleSet)] =
    &[("authors", RuleSet::Authors), ("requested", RuleSet::Requested), ("allocated", RuleSet::Allocated)];
/// The names of all values of [`Status`].
pub const STATUSES: &[(&str, Status)] =
    &[("authors", Status::Authors), ("completed", Status::Completed), ("all", Status::All)];
/// The names of all values of [`Overrun`].
pub const OVERRUNS: &[(&str, Overrun)] =
    &[("extend", Overrun::Extend), ("kill", Overrun::Kill), ("run-on", Overrun::RunOn)];

/// The names of all values of [`Sizes`].
pub const SIZES: &[(&str, Sizes)] =
    &[("all", Sizes::All), ("parallel", Sizes::Parallel), ("powers-of-two", Sizes::PowersOfTwo)];

/// The names of all values of [`Oversize`].
pub const OVERSIZES: &[(&str, Oversize)] = &[("error", Oversize::Error), ("skip", Oversize::Skip)];

/// Returns the name of `value`. Each list above has all values of its type.
fn name_of<T: PartialEq>(choices: &[(&'static str, T)], value: &T) -> &'static str {
    choices.iter().find(|(_, choice)| choice == value).map_or("", |(name, _)| *name)
}

/// Writes the canonical spelling, with every default written out:
/// `authors:arrivals=recorded,estimate=recorded,overrun=extend,oversize=error,shape=near-square,sizes=all,status=authors`.
impl fmt::Display for Rules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (set, status) = (name_of(RULE_SETS, &self.set), name_of(STATUSES, &self.status));
        let (overrun, sizes) = (name_of(OVERRUNS, &self.overrun), name_of(SIZES, &self.sizes));
        let (shape, oversize) = (&self.shape, name_of(OVERSIZES, &self.oversize));
        write!(
            f,
            "{set}:arrivals={},estimate={},overrun={overrun},oversize={oversize},shape={shape},sizes={sizes},status={status}",
            self.arrivals, self.estimate
        )
    }
}

/// Parses rules. Parameters that are not given have the defaults of the rule set; `requested`, for example,
/// accepts every status.
impl FromStr for Rules {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let spec: Spec = text.parse()?;
        let Some((_, set)) = RULE_SETS.iter().find(|(name, _)| *name == spec.name) else {
            return Err(unknown("rules", &spec.name, RULE_SETS.iter().map(|(name, _)| *name)));
        };
        let defaults = Self::defaults(*set);
        let mut params = Params::new(&spec);
        // `choose` takes the first choice as the default, and the default status depends on the rule set.
        let mut statuses = STATUSES.to_vec();
        statuses.sort_by_key(|(_, status)| *status != defaults.status);
        let rules = Self {
            set: *set,
            arrivals: params.take("arrivals", defaults.arrivals, ARRIVALS)?,
            estimate: estimate(&mut params, defaults.estimate)?,
            overrun: params.choose("overrun", OVERRUNS)?,
            oversize: params.choose("oversize", OVERSIZES)?,
            shape: params.take("shape", defaults.shape, SHAPES)?,
            sizes: params.choose("sizes", SIZES)?,
            status: params.choose("status", &statuses)?,
        };
        params.finish()?;
        Ok(rules)
    }
}

/// Takes the parameter `estimate`. The error keeps the reason for refusing a prediction.
fn estimate(params: &mut Params, default: Estimate) -> Result<Estimate, SpecError> {
    match params.given("estimate").filter(|text| Prediction::is_spelt(text)).map(str::parse::<Prediction>) {
        Some(Err(expected)) => {
            let found = params.given("estimate").unwrap_or_default();
            Err(params.bad_value("estimate", found, &expected))
        }
        _ => params.take("estimate", default, ESTIMATES),
    }
}

/// The spellings of estimates, in words.
const ESTIMATES: &str = "recorded, exact, factor=F with F above 0, predicted:user-last-two or from-file:FILE";

impl fmt::Display for Estimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recorded => f.write_str("recorded"),
            Self::Exact => f.write_str("exact"),
            Self::Factor(factor) => write!(f, "factor={factor}"),
            Self::Predicted(prediction) => prediction.fmt(f),
        }
    }
}

impl FromStr for Estimate {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let factor = |value: &str| value.parse().ok().filter(|f: &f64| f.is_finite() && *f > 0.0);
        match text {
            "recorded" => Ok(Self::Recorded),
            "exact" => Ok(Self::Exact),
            _ if Prediction::is_spelt(text) => text.parse().map(Self::Predicted),
            _ => (text.strip_prefix("factor=").and_then(factor).map(Self::Factor))
                .ok_or_else(|| format!("expected {ESTIMATES}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::arrivals::Arrivals;
    use super::super::shape_rule::ShapeRule;
    use super::*;

    #[test]
    fn every_spelling_round_trips() -> Result<(), SpecError> {
        let mut estimates =
            vec![Estimate::Recorded, Estimate::Exact, Estimate::Factor(1.5), Estimate::Factor(2.0)];
        for text in
            ["predicted:user-last-two", "predicted:exact,correct=error", "from-file:a b.csv+correct=tsafrir"]
        {
            estimates.push(text.parse().expect("a prediction"));
        }
        for (_, set) in RULE_SETS {
            for estimate in &estimates {
                for &(_, overrun) in OVERRUNS {
                    for (i, ((_, status), (_, sizes))) in
                        STATUSES.iter().copied().zip(SIZES.iter().copied()).enumerate()
                    {
                        let shape: ShapeRule =
                            ["near-square", "factors", "list:4x4x4,8x2"][i].parse().expect("a shape");
                        for &(_, oversize) in OVERSIZES {
                            for arrivals in [Arrivals::Recorded, Arrivals::Uniform(2.5)] {
                                let rules = Rules {
                                    set: *set,
                                    status,
                                    estimate: estimate.clone(),
                                    overrun,
                                    sizes,
                                    shape: shape.clone(),
                                    oversize,
                                    arrivals,
                                };
                                assert_eq!(rules.to_string().parse::<Rules>()?, rules);
                            }
                        }
                    }
                }
            }
        }
        Ok(())
    }

    #[test]
    fn parameters_that_are_not_given_have_the_defaults_of_the_set() -> Result<(), SpecError> {
        assert_eq!("authors".parse::<Rules>()?, Rules::default());
        let rules: Rules = "requested:overrun=kill".parse()?;
        assert_eq!(
            rules.to_string(),
            "requested:arrivals=recorded,estimate=recorded,overrun=kill,oversize=error,shape=near-square,sizes=all,status=all"
        );
        Ok(())
    }

    #[test]
    fn wrong_spellings_say_what_does_not_fit() {
        for (text, problem) in [
            (
                "autors",
                "unknown rules 'autors', did you mean 'authors'? (one of: authors, requested, allocated)",
            ),
            ("authors:overrun=stop", "'stop': expected one of: extend, kill, run-on"),
            ("authors:estimate=factor=0", "'factor=0': expected recorded, exact, factor=F"),
            (
                "authors:kill=yes",
                "'authors' has no parameter 'kill' (it has: arrivals, estimate, overrun, oversize, shape, \
                     sizes, status)",
            ),
        ] {
            let message = text.parse::<Rules>().expect_err("malformed").to_string();
            assert!(message.contains(problem), "{text}: {message}");
        }
    }
}
