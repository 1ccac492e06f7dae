//! The interpreter of rules: makes findings with verdicts from rules and evidence.

use std::collections::BTreeMap;

use super::curve::crossings;
use super::evaluate::means_of;
use super::expr::Expr;
use super::file::{Block, Check, Crossing, Instead, PlaceRule, Relation, Rule, RuleFile, Side, Tried};
use super::scope::{Binding, RuleError, Scope, Subject};
use super::table::PrintedTable;
use super::template::Template;
use super::value::Value;
use crate::comparisons::Comparisons;
use crate::dataset::Dataset;
use crate::evidence::Evidence;
use crate::finding::{Finding, Place, Published, Tolerance, Verdict};

/// Returns the findings of the rules in a file for a figure.
pub(crate) fn findings(
    found: &Evidence,
    subject: &Subject,
    file: &RuleFile,
    tables: &BTreeMap<&'static str, PrintedTable>,
) -> Result<Vec<Finding>, RuleError> {
    let scope = Scope::new(found, subject, file, tables);
    let mut findings = Vec::new();
    for rule in &file.rules {
        follow(rule, &scope, &mut findings)?;
    }
    Ok(findings)
}

/// Adds the findings of a rule to `findings`.
fn follow(rule: &Rule, scope: &Scope<'_>, findings: &mut Vec<Finding>) -> Result<(), RuleError> {
    if !rule.figures.is_empty() && !rule.figures.contains(&scope.subject.figure) {
        return Ok(());
    }
    for scope in scope.product(&rule.each)? {
        if !rule.only.is_empty() && !scope.is_any(&rule.only) || scope.is_any(&rule.unless) {
            continue;
        }
        let Some(scope) = of_log(rule, &scope)? else { continue };
        let Some(scope) = with_numbers(&rule.numbers, scope)? else { continue };
        if let Some(item) = &rule.item {
            let machine = scope.fill(rule.machine.as_ref().unwrap_or(&scope.file.machine))?;
            let log = match scope.variable("file") {
                Some(Binding::Text(log)) => log.clone(),
                _ => String::new(),
            };
            let named =
                Finding { rule: scope.fill(&rule.id)?, ..Finding::new(&scope.fill(item)?, &log, &machine) };
            findings.extend(found(rule, &scope, named)?);
        }
        for rule in &rule.rules {
            follow(rule, &scope, findings)?;
        }
    }
    Ok(())
}

/// Returns the scope in which `file` is the log of a rule; `None` if the log of the dataset was not found.
fn of_log<'a>(rule: &Rule, scope: &Scope<'a>) -> Result<Option<Scope<'a>>, RuleError> {
    let Some(log) = &rule.log else { return Ok(Some(scope.clone())) };
    let name = scope.fill(log)?;
    let file = if Dataset::find(&name).is_some() { scope.found.log(&name) } else { Some(name) };
    Ok(file.map(|file| scope.with("file", Binding::Text(file))))
}

/// Returns the scope with the named numbers of a rule; `None` if one of them was not measured.
fn with_numbers<'a>(
    numbers: &BTreeMap<String, Expr>,
    mut scope: Scope<'a>,
) -> Result<Option<Scope<'a>>, RuleError> {
    for (name, expr) in numbers {
        let Some(value) = scope.value(expr)? else { return Ok(None) };
        scope = scope.with(name, Binding::Value(value));
    }
    Ok(Some(scope))
}

/// Returns the findings of a rule in a scope.
fn found(rule: &Rule, scope: &Scope<'_>, named: Finding) -> Result<Vec<Finding>, RuleError> {
    if let Some(crossing) = &rule.crossing {
        return crossed(crossing, scope, &named);
    }
    let finding =
        if rule.compare.is_empty() { measured(rule, scope, named)? } else { ordered(rule, scope, named)? };
    let Some(mut finding) = finding else { return Ok(Vec::new()) };
    if let Verdict::Differs(how) = &mut finding.verdict {
        if let Some(instead) = &rule.instead
            && let Some(curve) = from_to(instead, scope)?
        {
            *how = curve;
        }
        let because = rule.because.as_ref().map(|because| scope.fill(because)).transpose()?;
        let tried = rule.tried.as_ref().map(|tried| tries(tried, scope)).transpose()?.flatten();
        for reason in because.into_iter().chain(tried) {
            *how = format!("{how}; {reason}");
        }
    }
    if let Some(place) = &rule.place {
        finding.place = Some(placed(place, scope)?);
    }
    finding.below_bars.clone_from(&rule.below_bars);
    Ok(vec![finding])
}

/// Returns the finding of a rule that measures a number; `None` if it was not measured and the rule gives no reason to
/// show.
fn measured(rule: &Rule, scope: &Scope<'_>, finding: Finding) -> Result<Option<Finding>, RuleError> {
    let value = match &rule.measured {
        Some(expr) => scope.value(expr)?,
        None => None,
    };
    let published = published(rule, scope)?;
    let Some(value) = value else {
        let reason = rule.otherwise.clone().map(Verdict::NotMeasured);
        return Ok(reason.map(|verdict| Finding { published, verdict, ..finding }));
    };
    let is_zero = published.is_some_and(|published| published.value.abs() <= 0.0);
    let tolerance = match (rule.percent, rule.absolute) {
        (Some(percent), None) => Tolerance::Percent(percent),
        (Some(percent), Some(_)) if !is_zero => Tolerance::Percent(percent),
        (_, absolute) => Tolerance::Absolute(absolute.unwrap_or(0.0)),
    };
    Ok(Some(match (published, &value) {
        (Some(published), Value::Mean(interval)) => finding.compared_within(published, *interval, tolerance),
        (Some(published), Value::Middle(median)) => finding.compared_median(published, *median, tolerance),
        (Some(published), _) => finding.compared(published, value.number(), tolerance),
        // A rule that takes the published number from a table compares nothing where the cell is empty.
        (None, _) if rule.published.is_some() || rule.expected.is_some() => return Ok(None),
        (None, _) => {
            let finding = match &value {
                Value::Mean(interval) => finding.measured_within(*interval),
                other => finding.measured(other.number()),
            };
            match (rule.range, rule.no_difference) {
                (Some(range), _) => finding.in_range(value.ends(), matches!(value, Value::Middle(_)), range),
                (None, Some(most)) => finding.no_further_apart(value.number(), most),
                (None, None) => finding,
            }
        }
    }))
}

/// Returns the published number of a rule; `None` if nothing was published.
fn published(rule: &Rule, scope: &Scope<'_>) -> Result<Option<Published>, RuleError> {
    if let Some(text) = &rule.published {
        return Ok(Published::parse(&scope.fill(text)?));
    }
    let expected = match &rule.expected {
        Some(expr) => scope.value(expr)?,
        None => None,
    };
    // Numbers that are derived from printed ones are shown with one decimal.
    Ok(expected.map(|value| Published { value: value.number(), decimals: 1 }))
}

/// Returns the finding of a statement; `None` if none of its comparisons has both numbers.
fn ordered(rule: &Rule, scope: &Scope<'_>, finding: Finding) -> Result<Option<Finding>, RuleError> {
    let mut comparisons = Comparisons::default();
    for block in &rule.compare {
        compare(block, scope, &mut comparisons)?;
    }
    Ok(if rule.nearly { comparisons.nearly(finding) } else { comparisons.finding(finding) })
}

/// Makes the comparisons of a block.
fn compare(block: &Block, scope: &Scope<'_>, comparisons: &mut Comparisons) -> Result<(), RuleError> {
    for scope in scope.product(&block.over)? {
        let Some(scope) = with_numbers(&block.numbers, scope)? else { continue };
        for check in &block.checks {
            let is_meant = check.only.is_empty() || scope.is_any(&check.only);
            let is_so = match &check.when {
                Some(when) => scope.value(when)?.is_some_and(|value| value.number() > 0.0),
                None => true,
            };
            if is_meant && is_so && !scope.is_any(&check.unless) {
                one(check, &scope, comparisons)?;
            }
        }
    }
    Ok(())
}

/// Makes one comparison; none if one of its numbers was not measured.
fn one(check: &Check, scope: &Scope<'_>, comparisons: &mut Comparisons) -> Result<(), RuleError> {
    if let (Relation::Above, Some((words, expr))) = (check.is, &check.value) {
        if let Some(value) = scope.value(expr)? {
            comparisons.between(&scope.fill(words)?, value.ends(), check.least);
        }
        return Ok(());
    }
    let (Some(low), Some(high)) = (&check.low, &check.high) else {
        return Err(RuleError::Malformed(format!("{:?} compares 'low' with 'high'", check.is)));
    };
    let named = |(words, expr): &Side| -> Result<(String, Option<f64>), RuleError> {
        Ok((scope.fill(words)?, scope.value(expr)?.map(|value| value.number())))
    };
    if matches!(check.is, Relation::ClearlyBelow | Relation::NotAbove) {
        if let Some(means) = means_of(&scope.pairs(&low.1, &high.1)?) {
            let words = (scope.fill(&low.0)?, scope.fill(&high.0)?);
            comparisons.lie(check.is == Relation::ClearlyBelow, (&words.0, &words.1), means);
        }
        return Ok(());
    }
    let ((a, x), (b, y)) = (named(low)?, named(high)?);
    match check.is {
        Relation::AtMost => comparisons.at_most((&a, x), (&b, y)),
        Relation::Near => {
            comparisons.holds((&a, x), (&b, y), "within 2 % of", |x, y| (x / y - 1.0).abs() < 0.02);
        }
        _ => comparisons.below((&a, x), (&b, y)),
    }
    Ok(())
}

/// Returns the loads at which a ratio has the published value, or else how near it comes; empty if it was measured
/// nowhere.
fn crossed(crossing: &Crossing, scope: &Scope<'_>, named: &Finding) -> Result<Vec<Finding>, RuleError> {
    let load = Expr::Name(Template::variable(scope.key(&crossing.over)?));
    let ratios = scope.points(&crossing.over, &load, &crossing.ratio)?;
    let Some(target) = scope.value(&crossing.target)?.map(|value| value.number()) else {
        return Ok(Vec::new());
    };
    let loads = crossings(&ratios, target);
    if !loads.is_empty() {
        return Ok(loads.into_iter().map(|load| named.clone().measured(load)).collect());
    }
    let nearest = ratios.iter().min_by(|a, b| (a.1 - target).abs().total_cmp(&(b.1 - target).abs()));
    let never = |&(load, ratio): &(f64, f64)| {
        let verdict = Verdict::Differs(format!("never; {:.1} percent is nearest", 100.0 * ratio));
        Finding { verdict, ..named.clone().measured(load) }
    };
    Ok(nearest.map(never).into_iter().collect())
}

/// Returns words that say from where to where a curve goes; `None` if one of its ends was not measured, or if it goes as it should.
fn from_to(instead: &Instead, scope: &Scope<'_>) -> Result<Option<String>, RuleError> {
    let (Some(first), Some(last)) = (scope.value(&instead.from.1)?, scope.value(&instead.to.1)?) else {
        return Ok(None);
    };
    let (first, last) = (first.number(), last.number());
    let word = if last > first { "rises" } else { "falls" };
    if scope.fill(&instead.should)? == word {
        return Ok(None);
    }
    let (from, to) = (scope.fill(&instead.from.0)?, scope.fill(&instead.to.0)?);
    Ok(Some(format!("it {word} from {first:.1} at {from} to {last:.1} at {to}")))
}

/// Returns words that say what was measured under other assumptions; `None` if nothing was.
fn tries(tried: &Tried, scope: &Scope<'_>) -> Result<Option<String>, RuleError> {
    let mut said = Vec::new();
    for scope in scope.product(std::slice::from_ref(&tried.over))? {
        if let Some(value) = scope.value(&tried.value)? {
            said.push(scope.with("value", Binding::Value(value)).fill(&tried.said)?);
        }
    }
    Ok((!said.is_empty()).then(|| format!("tried: {}{}", tried.before, said.join(", "))))
}

/// Returns the place of a number in a plot or table.
pub(super) fn placed(place: &PlaceRule, scope: &Scope<'_>) -> Result<Place, RuleError> {
    let curve = scope.fill(&place.curve)?;
    let series = place.series.as_ref().map(|series| scope.fill(series)).transpose()?;
    let series = series.unwrap_or_else(|| curve.clone());
    let look = place.look.as_ref().map(|look| scope.fill(look)).transpose()?;
    Ok(Place {
        look: look.unwrap_or_else(|| series.clone()),
        series,
        curve,
        axis: scope.fill(&place.axis)?,
        at: scope.fill(&place.at)?,
        quantity: scope.fill(&place.quantity)?,
        drawn: place.drawn,
    })
}
