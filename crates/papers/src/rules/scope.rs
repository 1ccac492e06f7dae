//! The meaning of names in rules: variables, sets, and points of the results.

use std::collections::BTreeMap;

use super::expr::{Expr, Field};
use super::file::{Derived, Match, RuleFile, SetSource};
use super::table::PrintedTable;
use super::template::{Piece, Template};
use super::value::Value;
use crate::comparisons::rounded;
use crate::evidence::{At, Evidence};
use meshreplay_base::spec::Spec;

/// The error that a rule cannot be evaluated because it was written wrongly.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Nothing has this name.
    #[error("no {what} is called '{name}'")]
    Unknown {
        /// What was looked for, such as a set or a number.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// A function has too few or wrong arguments, or a set is not defined in exactly one way.
    #[error("{0}")]
    Malformed(String),
}

/// The facts about a figure that its rules use.
#[derive(Debug)]
pub(crate) struct Subject {
    /// The name of the figure.
    pub(crate) figure: String,
    /// The variables that only this figure has, with their values.
    pub(crate) with: BTreeMap<String, String>,
    /// The sets that only this figure has; they replace sets of the file with the same name.
    pub(crate) sets: BTreeMap<String, SetSource>,
    /// The logs of each study of the figure, by the name of the study.
    pub(crate) logs: BTreeMap<String, Vec<String>>,
}

/// The value of a variable: a text or a number.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    Text(String),
    Value(Value),
}

/// The measurements over which a column is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Samples {
    /// All measurements at once, as a mean.
    All,
    /// One number for each workload.
    Workloads,
    /// One number for each round.
    Rounds,
}

/// The variables, evidence, sets and tables that an expression can use.
#[derive(Clone)]
pub(super) struct Scope<'a> {
    /// The measurements.
    pub(super) found: &'a Evidence,
    /// The figure that the rules are evaluated for.
    pub(super) subject: &'a Subject,
    /// The file of rules, with its sets and default coordinates.
    pub(super) file: &'a RuleFile,
    /// The printed tables of the paper, by name.
    pub(super) tables: &'a BTreeMap<&'static str, PrintedTable>,
    /// The measurements over which columns are taken.
    pub(super) samples: Samples,
    /// The variables with their values. Of variables with the same name the last one counts.
    pub(super) variables: Vec<(String, Binding)>,
}

/// A row of a set: variables and their values.
type SetRow = Vec<(String, Binding)>;

impl<'a> Scope<'a> {
    /// Returns the scope of a figure with the figure's own variables.
    pub(super) fn new(
        found: &'a Evidence,
        subject: &'a Subject,
        file: &'a RuleFile,
        tables: &'a BTreeMap<&'static str, PrintedTable>,
    ) -> Self {
        let text = |(name, value): (&String, &String)| (name.clone(), Binding::Text(value.clone()));
        let variables = subject.with.iter().map(text).collect();
        Self { found, subject, file, tables, samples: Samples::All, variables }
    }

    /// Returns the scope with one more variable.
    #[must_use]
    pub(super) fn with(&self, name: &str, binding: Binding) -> Self {
        let mut scope = self.clone();
        scope.variables.push((name.to_owned(), binding));
        scope
    }

    /// Returns the value of a variable; `None` if there is none. Of variables with the same name the last one counts.
    pub(super) fn variable(&self, name: &str) -> Option<&Binding> {
        self.variables.iter().rev().find(|(other, _)| other == name).map(|(_, binding)| binding)
    }

    /// Returns the text of a template, with the values of its variables.
    pub(super) fn fill(&self, template: &Template) -> Result<String, RuleError> {
        let mut text = String::new();
        for piece in &template.0 {
            match piece {
                Piece::Text(plain) => text += plain,
                Piece::Variable(name, digits) => text += &self.shown(name, *digits)?,
                Piece::Values(set) => text += &self.values(set)?.join(", "),
            }
        }
        Ok(text)
    }

    /// Returns the value of a variable as text, with `digits` decimals if given.
    fn shown(&self, name: &str, digits: Option<usize>) -> Result<String, RuleError> {
        let unknown = || RuleError::Unknown { what: "variable", name: name.to_owned() };
        let number = match self.variable(name).ok_or_else(unknown)? {
            Binding::Text(text) if digits.is_none() => return Ok(text.clone()),
            Binding::Text(text) => text.parse().map_err(|_| unknown())?,
            Binding::Value(value) => value.number(),
        };
        Ok(digits.map_or_else(|| rounded(number), |digits| format!("{number:.digits$}")))
    }

    /// Returns whether one of these matches is true in this scope.
    pub(super) fn is_any(&self, matches: &[Match]) -> bool {
        let is = |(name, value): (&String, &String)| matches!(self.variable(name), Some(Binding::Text(text)) if text == value);
        matches.iter().any(|one| one.iter().all(is))
    }

    /// Returns a scope for every element of the product of sets; the last set changes fastest.
    pub(super) fn product(&self, sets: &[String]) -> Result<Vec<Self>, RuleError> {
        let Some((first, others)) = sets.split_first() else { return Ok(vec![self.clone()]) };
        let mut scopes = Vec::new();
        for row in self.rows(first)? {
            let mut scope = self.clone();
            scope.variables.extend(row);
            scopes.extend(scope.product(others)?);
        }
        Ok(scopes)
    }

    /// Returns the values that a set gives to its key variable.
    fn values(&self, set: &str) -> Result<Vec<String>, RuleError> {
        let key = self.key(set)?.to_owned();
        self.product(&[set.to_owned()])?.iter().map(|scope| scope.shown(&key, None)).collect()
    }

    /// Returns the set of this name: that of the figure, or else that of the file.
    fn set(&self, name: &str) -> Result<&'a SetSource, RuleError> {
        let set = self.subject.sets.get(name).or_else(|| self.file.sets.get(name));
        set.ok_or_else(|| RuleError::Unknown { what: "set", name: name.to_owned() })
    }

    /// Returns the key variable of a set: its own name, or the key of the set from which it is derived.
    pub(super) fn key<'b>(&self, set: &'b str) -> Result<&'b str, RuleError>
    where
        'a: 'b,
    {
        match self.set(set)? {
            SetSource::Derived(derived) => match (&derived.of, &derived.steps_of, &derived.loads_of) {
                (Some(of), ..) | (_, Some(of), _) => self.key(of),
                (_, _, Some(_)) => Ok("load"),
                _ => Ok(set),
            },
            _ => Ok(set),
        }
    }

    /// Returns the rows of a set.
    fn rows(&self, name: &str) -> Result<Vec<SetRow>, RuleError> {
        let text = |(variable, value): (&String, &Template)| {
            Ok((variable.clone(), Binding::Text(self.fill(value)?)))
        };
        match self.set(name)? {
            SetSource::Values(values) => {
                let own = name.to_owned();
                values.iter().map(|value| Ok(vec![text((&own, value))?])).collect()
            }
            SetSource::Rows(rows) => rows.iter().map(|row| row.iter().map(text).collect()).collect(),
            SetSource::Derived(derived) => self.derived(name, derived),
        }
    }

    /// Returns the rows of a derived set: selects its origin, then the range, then the condition, and sorts.
    fn derived(&self, name: &str, derived: &Derived) -> Result<Vec<SetRow>, RuleError> {
        let rows = match (&derived.of, &derived.steps_of, &derived.loads_of, &derived.table) {
            (Some(of), None, None, None) => self.rows(of)?,
            (None, Some(of), None, None) => steps(&self.rows(of)?),
            (None, None, Some(studies), None) => self.loads(studies, derived.sides.as_ref())?,
            (None, None, None, Some(table)) => self.cells(table, &derived.columns)?,
            _ => {
                return Err(RuleError::Malformed(format!(
                    "set '{name}' must have one of 'of', 'steps_of', 'loads_of', 'table'"
                )));
            }
        };
        let taken = derived.to.unwrap_or(rows.len()).saturating_sub(derived.from);
        let mut kept = Vec::new();
        for row in rows.into_iter().skip(derived.from).take(taken) {
            let mut scope = self.clone();
            scope.variables.extend(row.iter().cloned());
            let number = |expr: &Option<Expr>| match expr {
                Some(expr) => Ok(scope.value(expr)?.map(|value| value.number())),
                None => Ok(Some(1.0)),
            };
            if let (Some(place), true) =
                (number(&derived.by)?, number(&derived.when)?.is_some_and(|x| x > 0.0))
            {
                kept.push((place, row));
            }
        }
        if derived.by.is_some() {
            kept.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        kept.truncate(if derived.first { 1 } else { kept.len() });
        Ok(kept.into_iter().map(|(_, row)| row).collect())
    }

    /// Returns the loads of the workload models that studies replay, each with the spec of the model.
    fn loads(&self, studies: &[Template], sides: Option<&Template>) -> Result<Vec<SetRow>, RuleError> {
        let sides = sides.map(|law| self.fill(law)).transpose()?;
        let mut loads: Vec<(f64, String)> = Vec::new();
        for study in studies {
            let name = self.fill(study)?;
            let logs = self.subject.logs.get(&name);
            for log in logs.ok_or(RuleError::Unknown { what: "study of the figure", name })? {
                let Ok(model) = log.parse::<Spec>() else { continue };
                let rate = model.params.get("rate").or_else(|| model.params.get("ratio"));
                let law = model.params.get("sides").map_or("uniform", |law| law);
                if let (Some(Ok(rate)), true) =
                    (rate.map(|rate| rate.parse()), sides.as_ref().is_none_or(|own| own == law))
                {
                    loads.push((rate, log.clone()));
                }
            }
        }
        loads.sort_by(|a, b| a.0.total_cmp(&b.0));
        let row = |(rate, log): (f64, String)| {
            [("load", rate.to_string()), ("log", log)]
                .map(|(name, text)| (name.to_owned(), Binding::Text(text)))
                .to_vec()
        };
        Ok(loads.into_iter().map(row).collect())
    }

    /// Returns the cells of a printed table as rows.
    fn cells(&self, name: &str, columns: &[String]) -> Result<Vec<SetRow>, RuleError> {
        let table = self.tables.get(name);
        let table = table.ok_or_else(|| RuleError::Unknown { what: "table", name: name.to_owned() })?;
        let text = |name: &str, value: &str| (name.to_owned(), Binding::Text(value.to_owned()));
        let row = |(label, column, printed): (&str, &str, &str)| {
            let words = columns.iter().zip(column.splitn(columns.len(), ' '));
            let words = words.map(|(name, word)| text(name, word));
            words.chain([text(table.title, label), text("printed", printed)]).collect()
        };
        Ok(table.cells().map(row).collect())
    }

    /// Returns the coordinates of a point: those that are given, and else those of the file, if all variables in them
    /// have values here.
    pub(super) fn point(&self, given: &[(Field, Template)]) -> Result<BTreeMap<Field, String>, RuleError> {
        let defaults =
            self.file.at.iter().filter_map(|(field, template)| Some((*field, self.fill(template).ok()?)));
        let mut fields: BTreeMap<Field, String> = defaults.collect();
        for (field, template) in given {
            fields.insert(*field, self.fill(template)?);
        }
        Ok(fields)
    }
}

/// Returns the point with these coordinates; missing ones have their defaults.
pub(super) fn at(fields: &BTreeMap<Field, String>) -> At<'_> {
    let defaults = At::default();
    let text = |field: Field, default| fields.get(&field).map_or(default, String::as_str);
    At {
        dataset: text(Field::Dataset, defaults.dataset),
        log: text(Field::Log, defaults.log),
        machine: text(Field::Machine, defaults.machine),
        allocator: text(Field::Allocator, defaults.allocator),
        scheduler: text(Field::Scheduler, defaults.scheduler),
        rules: text(Field::Rules, defaults.rules),
        arrival_scale: fields
            .get(&Field::Scale)
            .and_then(|scale| scale.parse().ok())
            .unwrap_or(defaults.arrival_scale),
        network: text(Field::Network, defaults.network),
    }
}

/// Returns each row together with the next one, whose variables begin with `next_`.
fn steps(rows: &[SetRow]) -> Vec<SetRow> {
    let next = |(name, binding): &(String, Binding)| (format!("next_{name}"), binding.clone());
    rows.windows(2).map(|pair| pair[0].iter().cloned().chain(pair[1].iter().map(next)).collect()).collect()
}
