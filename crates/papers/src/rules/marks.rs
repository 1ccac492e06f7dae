//! The published numbers that plots show beside the measured ones.

use std::collections::BTreeMap;

use super::file::RuleFile;
use super::judge::placed;
use super::scope::{RuleError, Scope, Subject};
use super::table::PrintedTable;
use crate::evidence::Evidence;
use crate::finding::Mark;

/// Returns the published numbers that the rules in a file name for the plot of a figure.
pub(crate) fn marks(
    found: &Evidence,
    subject: &Subject,
    file: &RuleFile,
    tables: &BTreeMap<&'static str, PrintedTable>,
) -> Result<Vec<Mark>, RuleError> {
    let scope = Scope::new(found, subject, file, tables);
    let mut marks = Vec::new();
    for rule in &file.marks {
        if !rule.figures.is_empty() && !rule.figures.contains(&subject.figure) {
            continue;
        }
        for scope in scope.product(&rule.each)? {
            let Some(low) = scope.value(&rule.value)? else { continue };
            let high = match &rule.to {
                Some(to) => scope.value(to)?.map(|value| value.number()),
                None => Some(low.number()),
            };
            if let Some(high) = high {
                let (place, said) = (placed(&rule.place, &scope)?, scope.fill(&rule.said)?);
                marks.push(Mark { place, ends: (low.number(), high), said });
            }
        }
    }
    Ok(marks)
}
