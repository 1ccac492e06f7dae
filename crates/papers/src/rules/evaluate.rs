//! Evaluates the expressions of rules.

use super::curve::Curve;
use super::expr::{Expr, Field, Function};
use super::scope::{Binding, RuleError, Samples, Scope, at};
use super::template::Template;
use super::value::Value;
use crate::median::Median;
use meshreplay_sim::metrics::Interval;

/// The value of an expression; `None` if a number that it needs was not measured.
type Found = Result<Option<Value>, RuleError>;

/// The name of the seconds of whole simulations: reading the log plus the replay.
const SIMULATION: &str = "simulation_s";

impl Scope<'_> {
    /// Returns the value of an expression.
    pub(super) fn value(&self, expr: &Expr) -> Found {
        match expr {
            Expr::Name(name) => self.named(name).map(Some),
            Expr::Column(name, fields) => self.column(&self.fill(name)?, fields),
            Expr::Negated(of) => Ok(self.value(of)?.map(Value::negated)),
            Expr::Both(a, operation, b) => {
                let both = self.value(a)?.zip(self.value(b)?);
                Ok(both.map(|(a, b)| a.combined(*operation, b)))
            }
            Expr::Call(function, arguments) => self.call(*function, arguments),
        }
    }

    /// Returns the value of a variable, or the number that the name is.
    fn named(&self, name: &Template) -> Result<Value, RuleError> {
        let name = self.fill(name)?;
        let text = match self.variable(&name) {
            Some(Binding::Value(value)) => return Ok(value.clone()),
            Some(Binding::Text(text)) => text.clone(),
            None => name,
        };
        match text.replace(',', "").parse() {
            Ok(number) => Ok(Value::Number(number)),
            Err(_) => Err(RuleError::Unknown { what: "number", name: text }),
        }
    }

    /// Returns a column of the results at a point, a fact about a log, or a cell of a printed table.
    fn column(&self, name: &str, given: &[(Field, Template)]) -> Found {
        let fields = self.point(given)?;
        let at = at(&fields);
        if let Some(table) = self.tables.get(name) {
            let cell = table.cell(at.allocator, &format!("{} {}", at.dataset, at.machine));
            return Ok(cell.map(|published| Value::Number(published.value)));
        }
        let facts = self.found.facts(at.dataset);
        let fact = match name {
            "log_jobs" => facts.map(|facts| facts.jobs as f64),
            "log_processors" => facts.and_then(|facts| Some(facts.processors? as f64)),
            "log_serial" => facts.map(|facts| facts.serial),
            "log_powers_of_2" => facts.map(|facts| facts.powers[0]),
            "log_powers_of_4" => facts.map(|facts| facts.powers[1]),
            "log_powers_of_8" => facts.map(|facts| facts.powers[2]),
            _ => {
                let samples = || match self.samples {
                    Samples::Rounds if name == SIMULATION => self.found.simulations(at),
                    Samples::Rounds => self.found.by_round(at, name),
                    Samples::All | Samples::Workloads => self.found.by_workload(at, name),
                };
                return Ok(match self.samples {
                    Samples::All => self.found.interval(at, name).map(Value::Mean),
                    Samples::Workloads | Samples::Rounds => {
                        Some(samples()).filter(|found| !found.is_empty()).map(Value::Samples)
                    }
                });
            }
        };
        Ok(fact.map(Value::Number))
    }

    /// Returns the single measurements of an expression; empty if there are none.
    fn samples(&self, expr: &Expr, samples: Samples) -> Result<Vec<f64>, RuleError> {
        let scope = Self { samples, ..self.clone() };
        Ok(match scope.value(expr)? {
            Some(Value::Samples(found)) => found.into_values().collect(),
            _ => Vec::new(),
        })
    }

    /// Returns the pairs of measurements of two expressions, one pair for each common workload.
    pub(super) fn pairs(&self, a: &Expr, b: &Expr) -> Result<Vec<(f64, f64)>, RuleError> {
        let scope = Self { samples: Samples::Workloads, ..self.clone() };
        Ok(match (scope.value(a)?, scope.value(b)?) {
            (Some(Value::Samples(a)), Some(Value::Samples(b))) => {
                a.into_iter().filter_map(|(sample, x)| Some((x, *b.get(&sample)?))).collect()
            }
            _ => Vec::new(),
        })
    }

    /// Returns the value of a function; `None` if a number that it needs was not measured.
    fn call(&self, function: Function, arguments: &[Expr]) -> Found {
        match (function, arguments) {
            (Function::Mean, [of]) => Ok(self.value(of)?.map(|value| Value::Number(value.number()))),
            (Function::Abs, [of]) => Ok(self.value(of)?.map(Value::abs)),
            (Function::Ln, [of]) => Ok(self.value(of)?.map(|value| value.map(f64::ln))),
            (Function::Share, [a, b]) => Ok(ratio_of(&self.pairs(a, b)?).map(Value::Mean)),
            (Function::Above, [a, b]) => {
                let percent = |(_, mean, above): (f64, f64, Interval)| Interval {
                    mean: 100.0 * above.mean / mean,
                    half_width: 100.0 * above.half_width / mean,
                    ..above
                };
                Ok(means_of(&self.pairs(a, b)?).map(percent).map(Value::Mean))
            }
            (Function::Each, [of]) => {
                Ok(Interval::of(&self.samples(of, Samples::Workloads)?).map(Value::Mean))
            }
            (Function::Rounds, [of]) => Ok(Median::of(self.samples(of, Samples::Rounds)?).map(Value::Middle)),
            (Function::First, [set, condition]) => self.first(set, condition, None),
            (Function::First, [set, condition, otherwise]) => self.first(set, condition, Some(otherwise)),
            (Function::Largest, [sets @ .., of]) => self.extreme(sets, of, 1.0),
            (Function::Least, [sets @ .., of]) => self.extreme(sets, of, -1.0),
            (Function::AtLargest, [set, of, what]) => {
                let (mut largest, mut found) = (f64::NEG_INFINITY, None);
                for scope in self.over(std::slice::from_ref(set))? {
                    if let (Some(value), Some(there)) = (scope.value(of)?, scope.value(what)?)
                        && value.number() >= largest
                    {
                        (largest, found) = (value.number(), Some(there));
                    }
                }
                Ok(found)
            }
            (_, [set, x, y]) => self.curve(function, (set, x, y), 0.0),
            (Function::StepsDown, [set, x, y, more]) => match self.value(more)? {
                Some(more) => self.curve(function, (set, x, y), more.number()),
                None => Ok(None),
            },
            _ => Err(RuleError::Malformed(format!(
                "{function:?} does not go with {} arguments",
                arguments.len()
            ))),
        }
    }

    /// Returns a scope for every element of the product of sets, which are given by name.
    fn over(&self, sets: &[Expr]) -> Result<Vec<Self>, RuleError> {
        self.product(&sets.iter().map(|set| self.set_name(set)).collect::<Result<Vec<String>, _>>()?)
    }

    /// Returns the name of the set in an argument, or an error if the argument is no name.
    fn set_name(&self, set: &Expr) -> Result<String, RuleError> {
        match set {
            Expr::Name(name) => self.fill(name),
            _ => Err(RuleError::Malformed("a function goes over a set, which has a name".to_owned())),
        }
    }

    /// Returns the first value of a set for which the condition is above 0, or else the value of `otherwise`; `None` if
    /// the condition was measured for no value, or if there is no `otherwise`.
    fn first(&self, set: &Expr, condition: &Expr, otherwise: Option<&Expr>) -> Found {
        let name = self.set_name(set)?;
        let mut is_known = false;
        for scope in self.product(std::slice::from_ref(&name))? {
            let Some(found) = scope.value(condition)? else { continue };
            is_known = true;
            if found.number() > 0.0 {
                return scope.named(&Template::variable(self.key(&name)?)).map(Some);
            }
        }
        match otherwise {
            Some(otherwise) if is_known => self.value(otherwise),
            _ => Ok(None),
        }
    }

    /// Returns the largest value, or for sign −1 the smallest; of equal values the last one.
    fn extreme(&self, sets: &[Expr], of: &Expr, sign: f64) -> Found {
        let mut extreme: Option<Value> = None;
        for scope in self.over(sets)? {
            if let Some(value) = scope.value(of)?
                && extreme.as_ref().is_none_or(|other| sign * value.number() >= sign * other.number())
            {
                extreme = Some(value);
            }
        }
        Ok(extreme)
    }

    /// Returns the value of a function of a curve. Points are used only if both x and y were measured.
    fn curve(&self, function: Function, (set, x, y): (&Expr, &Expr, &Expr), more: f64) -> Found {
        let points = self.points(&self.set_name(set)?, x, y)?;
        Ok(Curve::of(points).and_then(|curve| curve.answer(function, more)))
    }

    /// Returns the pairs (x, y) for the rows of a set in which both were measured.
    pub(super) fn points(&self, set: &str, x: &Expr, y: &Expr) -> Result<Vec<(f64, f64)>, RuleError> {
        let mut points = Vec::new();
        for scope in self.product(&[set.to_owned()])? {
            if let Some((x, y)) = scope.value(x)?.zip(scope.value(y)?) {
                points.push((x.number(), y.number()));
            }
        }
        Ok(points)
    }
}

/// Returns the ratio of the two means of pairs with its confidence interval; `None` if the second mean is 0. The
/// interval is that of the mean of the residuals a − ratio · b (linearization of the ratio estimator).
fn ratio_of(pairs: &[(f64, f64)]) -> Option<Interval> {
    let (first, second, _) = means_of(pairs)?;
    if second <= 0.0 {
        return None;
    }
    let ratio = first / second;
    let rests: Vec<f64> = pairs.iter().map(|(a, b)| (a - ratio * b) / second).collect();
    Some(Interval { mean: ratio, ..Interval::of(&rests)? })
}

/// Returns the mean of the first numbers, the mean of the second ones, and the difference first − second with its
/// confidence interval; `None` if there are no pairs.
pub(super) fn means_of(pairs: &[(f64, f64)]) -> Option<(f64, f64, Interval)> {
    let mean = |of: fn(&(f64, f64)) -> f64| pairs.iter().map(of).sum::<f64>() / pairs.len() as f64;
    let above: Vec<f64> = pairs.iter().map(|(a, b)| a - b).collect();
    Some((mean(|pair| pair.0), mean(|pair| pair.1), Interval::of(&above)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_of_pairs_is_as_certain_as_what_they_do_not_share() {
        let ratio = ratio_of(&[(1.0, 2.0), (2.0, 4.0), (30.0, 60.0)]).unwrap_or_default();
        assert!((ratio.mean - 0.5).abs() < 1e-12 && ratio.half_width < 1e-12, "{ratio:?}");
        // The residuals are 0.1, -0.2 and 0.1 of a mean of 2; 4.303 is the quantile for 2 degrees of freedom.
        let ratio = ratio_of(&[(1.1, 2.0), (0.8, 2.0), (1.1, 2.0)]).unwrap_or_default();
        let expected = 4.302_653 * (0.03_f64 / 4.0 / 3.0).sqrt();
        assert!((ratio.mean - 0.5).abs() < 1e-12 && (ratio.half_width - expected).abs() < 1e-6, "{ratio:?}");
        assert_eq!((ratio_of(&[]), ratio_of(&[(1.0, 0.0)])), (None, None));
    }
}
