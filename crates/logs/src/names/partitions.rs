//! Choices of partitions of a log (field 16), and their spelling.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::str::FromStr;

use super::{LogNames, NameKind, Names};
use crate::header::Header;
use meshreplay_base::words::counted;

/// One or more partitions of a log, by name or by number. Their jobs share one machine.
///
/// It is spelt `batch`, or `batch+debug` for the jobs of two partitions. In a name the characters `+`, `,`,
/// `|`, `%` and `=`, blanks and control characters are spelt as in URLs, such as `%2C` for a comma. So is the
/// first letter of a partition that is called like one of the other choices, `all` or `each`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Partitions(Vec<String>);

/// The choice of all jobs, in content keys and tables.
pub const ALL_PARTITIONS: &str = "all";

/// The choice of a separate replay for each partition.
const EACH: &str = "each";

/// Description of the syntax.
const EXPECTED: &str =
    "the name or the number of a partition, or several such as batch+debug; a comma in a name is spelt %2C";

impl Partitions {
    /// Returns the choice of these partitions, without repetitions; `None` if there are none.
    pub fn new(names: impl IntoIterator<Item = String>) -> Option<Self> {
        let mut chosen: Vec<String> = Vec::new();
        for name in names {
            if !chosen.contains(&name) {
                chosen.push(name);
            }
        }
        (!chosen.is_empty() && chosen.iter().all(|name| !name.is_empty())).then_some(Self(chosen))
    }

    /// Returns the names or numbers of the partitions, at least one.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Returns the names for display, such as `batch+debug`.
    pub fn label(&self) -> String {
        self.0.join("+")
    }

    /// Returns whether this is one partition that is called like another choice.
    fn is_reserved(&self) -> bool {
        matches!(&*self.0, [name] if [ALL_PARTITIONS, EACH].contains(&name.as_str()))
    }
}

impl fmt::Display for Partitions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, name) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("+")?;
            }
            let is_reserved = self.is_reserved();
            for (at, letter) in name.chars().enumerate() {
                let is_special = matches!(letter, '+' | ',' | '|' | '%' | '=')
                    || letter.is_whitespace()
                    || letter.is_control();
                if is_special || is_reserved && at == 0 {
                    let mut bytes = [0; 4];
                    letter.encode_utf8(&mut bytes).bytes().try_for_each(|byte| write!(f, "%{byte:02X}"))?;
                } else {
                    f.write_char(letter)?;
                }
            }
        }
        Ok(())
    }
}

impl FromStr for Partitions {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("found '{text}', expected {EXPECTED}");
        if [ALL_PARTITIONS, EACH].contains(&text) {
            let called = Self(vec![text.to_owned()]);
            return Err(format!("{}; a partition that is called {text} is spelt {called}", wrong()));
        }
        if text.contains([',', '|', '=']) {
            return Err(wrong());
        }
        let names = text.split('+').map(decoded).collect::<Option<Vec<String>>>().ok_or_else(wrong)?;
        Self::new(names).ok_or_else(wrong)
    }
}

/// Returns the message that no job is in the partition `missing`. `by_name` lists the partitions with their
/// jobs, in the order of their numbers; the message names the largest.
pub fn no_such_partition(missing: &str, mut by_name: Vec<(String, u64)>) -> String {
    const NAMED: usize = 12;
    if by_name.is_empty() {
        return "no job names its partition (field 16), so none can be chosen; leave out --partition"
            .to_owned();
    }
    // The sort is stable.
    by_name.sort_by_key(|(_, jobs)| std::cmp::Reverse(*jobs));
    let mut words: Vec<String> = by_name
        .iter()
        .take(NAMED)
        .map(|(name, jobs)| format!("{} ({})", typed(name), counted(jobs, "job")))
        .collect();
    if by_name.len() > NAMED {
        words.push(format!("{} more", by_name.len() - NAMED));
    }
    format!("no job is of partition '{missing}'; expected one of: {}", words.join(", "))
}

/// Returns a name as typed on the command line: escaped if it would be ambiguous.
fn typed(name: &str) -> String {
    let (only, read) = (Partitions::new([name.to_owned()]), name.parse().ok());
    let spelled =
        |only: &Partitions| if read.as_ref() == Some(only) { name.to_owned() } else { only.to_string() };
    only.as_ref().map_or_else(|| name.to_owned(), spelled)
}

/// Decodes a percent-encoded name; `None` for missing digits or bytes outside UTF-8.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first == b'%' {
            let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
            bytes.push(u8::from_str_radix(digits, 16).ok()?);
            rest = &rest[2..];
        } else {
            bytes.push(first);
        }
    }
    String::from_utf8(bytes).ok()
}

/// A value of `--partition`: the partitions to replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PartitionChoice {
    /// Nothing was chosen: all jobs, or, with a machine that follows from the log, the partitions by the
    /// nodes that they share, if lists of nodes show that they are several machines.
    #[default]
    ByNodes,
    /// All jobs, whatever partition they belong to.
    All,
    /// A separate replay for each partition.
    Each,
    /// The jobs of these partitions.
    Of(Partitions),
}

impl PartitionChoice {
    /// Returns whether partitions were chosen, so that jobs of others are left out.
    pub fn is_of_some(&self) -> bool {
        matches!(self, Self::Each | Self::Of(_))
    }
}

impl fmt::Display for PartitionChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ByNodes | Self::All => f.write_str(ALL_PARTITIONS),
            Self::Each => f.write_str(EACH),
            Self::Of(partitions) => partitions.fmt(f),
        }
    }
}

impl FromStr for PartitionChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            ALL_PARTITIONS => Ok(Self::All),
            EACH => Ok(Self::Each),
            _ => {
                let parsed = text.parse().map(Self::Of);
                parsed.map_err(|problem: String| format!("{problem}; or each for every partition, or all"))
            }
        }
    }
}

/// Filter for the records of some partitions.
#[derive(Debug)]
pub(crate) struct PartitionFilter {
    wanted: Partitions,
    /// Partitions seen, by number.
    seen: BTreeMap<i64, PartitionCount>,
    left_out: u64,
}

/// A partition that records have.
#[derive(Debug)]
struct PartitionCount {
    /// Name, or number without a name.
    label: String,
    records: u64,
    /// For each wanted partition, whether it is this one.
    is: Vec<bool>,
}

impl PartitionFilter {
    pub(crate) fn new(wanted: Partitions) -> Self {
        Self { wanted, seen: BTreeMap::new(), left_out: 0 }
    }

    /// Counts a record, and returns true if its partition is wanted. `names` are the names read so far, if
    /// the format has any. Only header lines above the first record of a partition give it a name.
    pub(crate) fn admits(&mut self, number: i64, names: Option<&Names>, header: &Header) -> bool {
        let wanted = &self.wanted;
        let is_wanted = number >= 0 && {
            let seen =
                self.seen.entry(number).or_insert_with(|| PartitionCount::new(number, wanted, names, header));
            seen.records += 1;
            seen.is.contains(&true)
        };
        self.left_out += u64::from(!is_wanted);
        is_wanted
    }

    /// Returns the number of dropped records. Fails with a message if a wanted partition has no record.
    pub(crate) fn finish(&self) -> Result<u64, String> {
        let is_missing = |at: usize| self.seen.values().all(|seen| !seen.is[at]);
        let missing = self.wanted.names().iter().enumerate().find(|(at, _)| is_missing(*at));
        let Some((_, missing)) = missing else { return Ok(self.left_out) };
        let counted = self.seen.values().map(|seen| (seen.label.clone(), seen.records));
        Err(no_such_partition(missing, counted.collect()))
    }
}

impl PartitionCount {
    /// Returns a partition with no records counted yet.
    fn new(number: i64, wanted: &Partitions, names: Option<&Names>, header: &Header) -> Self {
        let of_partitions = |kind| kind == NameKind::Partition;
        let names = LogNames::of_kinds(of_partitions, names.unwrap_or(&Names::default()), header);
        let is = wanted.names().iter().map(|text| names.calls_partition(number, text)).collect();
        Self { label: names.label(NameKind::Partition, number), records: 0, is }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_can_be_spelt() {
        for names in [
            &["batch"][..],
            &["1"],
            &["a,b", "c d", "50%"],
            &["all"],
            &["each"],
            &["all", "each"],
            &["x+y=z|ü\u{7}", "–"],
        ] {
            let chosen = Partitions::new(names.iter().map(ToString::to_string)).expect("a choice");
            let text = chosen.to_string();
            assert!(!text.contains([',', '|', '=', ' ']), "{text}");
            assert_eq!(text.parse(), Ok(chosen.clone()));
            assert_eq!(text.parse(), Ok(PartitionChoice::Of(chosen)));
        }
        assert_eq!("a+b+a".parse::<Partitions>().map(|chosen| chosen.to_string()), Ok("a+b".to_owned()));
        assert_eq!("all".parse(), Ok(PartitionChoice::All));
        let all = Partitions::new(["all".to_owned()]).expect("a choice");
        assert_eq!((all.label(), all.to_string()), ("all".to_owned(), "%61ll".to_owned()));
        let two = Partitions::new(["all".to_owned(), "a b".to_owned()]).expect("a choice");
        assert_eq!(two.label(), "all+a b");
        let problem = "all".parse::<Partitions>().expect_err("a choice of another kind");
        assert!(problem.ends_with("a partition that is called all is spelt %61ll"), "{problem}");
        assert_eq!("each".parse(), Ok(PartitionChoice::Each));
    }

    #[test]
    fn what_is_no_choice_says_what_is_expected() {
        for text in ["", "a,b", "a+", "+", "%", "%2", "%zz", "%FF", "a=b"] {
            let problem = text.parse::<PartitionChoice>().expect_err(text);
            assert!(
                problem.starts_with(&format!("found '{text}', expected the name or the number")),
                "{problem}"
            );
        }
    }
}
