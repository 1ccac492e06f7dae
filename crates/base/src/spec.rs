//! Specs: names of algorithms with parameters, on the command line, in study files and in results.
//!
//! The grammar is `name`, `name:key=value,key=value`, or `name:member|member`. A member is a spec without
//! members of its own. `exec:COMMAND` and `guest:NAME` take plain text and name algorithms from outside this
//! program. An unknown parameter is an error, so a typing error never runs the default experiment. A resolved
//! spec has every default written out and its keys sorted. Results are identified by resolved specs; tables
//! and frames also show the user's text.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "lengths of names and positions in them; distances are at most the 200 letters of a long name"
)]

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

/// A parsed spec, not yet matched against a registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spec {
    /// The registered name of the algorithm.
    pub name: String,
    /// Parameters by key; empty if none are given.
    pub params: BTreeMap<String, String>,
    /// Members, separated by `|`; `None` without members. The command of [`EXEC`], and the name of [`GUEST`].
    pub members: Option<String>,
}

/// Name of specs that run a program: `exec:./mine --flag`.
pub const EXEC: &str = "exec";

/// Name of specs that refer to an object of the caller: `guest:NAME`.
pub const GUEST: &str = "guest";

/// The reason why a spec is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// The text does not follow the grammar.
    #[error("malformed spec '{text}': {problem}; expected name or name:key=value,key=value")]
    Malformed {
        /// The text as given.
        text: String,
        /// The part that violates the grammar, in words.
        problem: String,
    },
    /// No registry row matches the name.
    #[error("unknown {kind} '{name}'{hint}{known}")]
    Unknown {
        /// The kind of algorithm: allocator, scheduler, order and so on.
        kind: &'static str,
        /// The name as given.
        name: String,
        /// A similar name, worded as a question; empty if there is none.
        hint: String,
        /// All registered names, worded for the message; empty if there are many and one is similar.
        known: String,
    },
    /// The algorithm has no such parameter.
    #[error("'{owner}' has no parameter '{key}'{known}")]
    NoParameter {
        /// The algorithm.
        owner: String,
        /// The parameter as given.
        key: String,
        /// The algorithm's parameters, worded for the message.
        known: String,
    },
    /// The text is neither a value nor an accepted spec.
    #[error("found '{found}', expected {expected}")]
    NoSuchValue {
        /// The text as given.
        found: String,
        /// The accepted values.
        expected: String,
    },
    /// The value of a parameter does not parse.
    #[error("parameter '{key}' of '{owner}' is '{found}': expected {expected}")]
    BadValue {
        /// The algorithm.
        owner: String,
        /// The parameter.
        key: String,
        /// The value as given.
        found: String,
        /// The accepted values.
        expected: String,
    },
    /// A parameter without a default was not given.
    #[error("'{owner}' needs parameter '{key}': expected {expected}")]
    MissingParameter {
        /// The algorithm.
        owner: String,
        /// The parameter.
        key: String,
        /// The accepted values.
        expected: String,
    },
    /// The file that a parameter names cannot be read, or is malformed.
    #[error("parameter '{key}' of '{owner}': {problem}")]
    BadFile {
        /// The algorithm.
        owner: String,
        /// The parameter.
        key: String,
        /// The file, the line if there is one, the problem, and the expected content, in words.
        problem: String,
    },
    /// The algorithm cannot be built from these members.
    #[error("members of '{owner}' are '{found}': expected {expected}")]
    BadMembers {
        /// The algorithm.
        owner: String,
        /// The members as given.
        found: String,
        /// The accepted members.
        expected: String,
    },
    /// The algorithm cannot serve this machine.
    #[error("'{owner}' cannot serve machine {machine}: {problem}")]
    Unsuited {
        /// The algorithm.
        owner: String,
        /// The machine.
        machine: String,
        /// The reason, and an accepted machine or algorithm.
        problem: String,
    },
}

impl Spec {
    /// Returns a spec without parameters and members.
    pub fn named(name: &str) -> Self {
        Self { name: name.to_owned(), params: BTreeMap::new(), members: None }
    }

    /// Returns the spec with one more parameter, which replaces a parameter of the same key.
    #[must_use]
    pub fn with(mut self, key: &str, value: &str) -> Self {
        self.params.insert(key.to_owned(), value.to_owned());
        self
    }

    /// Returns whether the algorithm is a guest: a program or an object of the caller.
    pub fn is_guest(&self) -> bool {
        [EXEC, GUEST].contains(&self.name.as_str())
    }
}

impl FromStr for Spec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let malformed = |problem: String| SpecError::Malformed { text: text.to_owned(), problem };
        let (name, rest) = text.split_once(':').map_or((text, None), |(name, rest)| (name, Some(rest)));
        if name.is_empty() {
            return Err(malformed("the name is missing".to_owned()));
        }
        let mut spec = Self::named(name);
        if spec.is_guest() {
            let text = rest.map_or("", str::trim);
            if text.is_empty() {
                let what =
                    if name == EXEC { "a command, as in exec:./mine" } else { "a name, as in guest:mine" };
                return Err(malformed(format!("'{name}:' is followed by {what}")));
            }
            if text.contains(char::is_control) {
                return Err(malformed("it has a line break or another control character".to_owned()));
            }
            spec.members = Some(text.to_owned());
            return Ok(spec);
        }
        if let Some(members) = rest.filter(|rest| rest.contains('|')) {
            spec.members = Some(members.to_owned());
            return Ok(spec);
        }
        for part in rest.into_iter().flat_map(|rest| rest.split(',')) {
            let Some((key, value)) = part.split_once('=') else {
                return Err(malformed(format!("'{part}' is not key=value")));
            };
            if key.is_empty() || value.is_empty() {
                return Err(malformed(format!("'{part}' has an empty side")));
            }
            if spec.params.insert(key.to_owned(), value.to_owned()).is_some() {
                return Err(malformed(format!("'{key}' is given twice")));
            }
        }
        Ok(spec)
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (i, (key, value)) in self.params.iter().enumerate() {
            write!(f, "{}{key}={value}", if i == 0 { ':' } else { ',' })?;
        }
        if let Some(members) = &self.members {
            write!(f, ":{members}")?;
        }
        Ok(())
    }
}

/// The parameters of a spec, which a builder takes one by one. Records the resolved value of each parameter,
/// given or default.
#[derive(Debug)]
pub struct Params {
    owner: String,
    /// Parameters that were given and not yet taken.
    given: BTreeMap<String, String>,
    /// Values of the parameters that were taken.
    resolved: BTreeMap<String, String>,
    /// Parameters that were taken and are left out of the resolved spec, because they have no value or no
    /// effect.
    unwritten: Vec<String>,
    /// Members that were given and not yet taken; `None` without members.
    given_members: Option<String>,
    /// Resolved members; `None` without members.
    resolved_members: Option<String>,
}

impl Params {
    /// Returns the parameters of `spec`, before any is taken.
    pub fn new(spec: &Spec) -> Self {
        Self {
            owner: spec.name.clone(),
            given: spec.params.clone(),
            resolved: BTreeMap::new(),
            unwritten: Vec::new(),
            given_members: spec.members.clone(),
            resolved_members: None,
        }
    }

    /// Returns the name of the algorithm, for messages.
    pub fn owner(&self) -> &str {
        &self.owner
    }

    /// Returns the text of parameter `key` if it was given and is not taken yet.
    pub fn given(&self, key: &str) -> Option<&str> {
        self.given.get(key).map(String::as_str)
    }

    /// Takes parameter `key` and returns its value; `default` if it was not given. Fails if the value does
    /// not parse. `expected` describes the accepted values for the message.
    pub fn take<T>(&mut self, key: &str, default: T, expected: &str) -> Result<T, SpecError>
    where
        T: FromStr + fmt::Display,
    {
        let value = match self.given.remove(key) {
            None => default,
            Some(text) => text.parse().map_err(|_| self.bad_value(key, &text, expected))?,
        };
        self.resolved.insert(key.to_owned(), value.to_string());
        Ok(value)
    }

    /// Takes parameter `key` like [`Self::take`], and also fails if `is_fine` rejects the value.
    pub fn take_if<T>(
        &mut self,
        key: &str,
        default: T,
        expected: &str,
        is_fine: impl FnOnce(&T) -> bool,
    ) -> Result<T, SpecError>
    where
        T: FromStr + fmt::Display,
    {
        let value = self.take(key, default, expected)?;
        if is_fine(&value) { Ok(value) } else { Err(self.bad_value(key, &value.to_string(), expected)) }
    }

    /// Takes parameter `key`, whose value is one of the names in `choices`, and returns the value of that
    /// choice. The first choice is the default. Fails if there is no such name.
    pub fn choose<T: Copy>(&mut self, key: &str, choices: &[(&str, T)]) -> Result<T, SpecError> {
        let (name, value) = match self.given.remove(key) {
            None => choices[0],
            Some(text) => {
                let choice = choices.iter().find(|(name, _)| *name == text);
                let names = || choices.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
                *choice.ok_or_else(|| self.bad_value(key, &text, &format!("one of: {}", names())))?
            }
        };
        self.resolved.insert(key.to_owned(), name.to_owned());
        Ok(value)
    }

    /// Takes parameter `key` like [`Self::choose`], but records it only if it `applies`. A parameter without
    /// effect on this machine is checked, and the resolved spec does not depend on it.
    pub fn choose_if<T: Copy>(
        &mut self,
        applies: bool,
        key: &str,
        choices: &[(&str, T)],
    ) -> Result<T, SpecError> {
        let value = self.choose(key, choices)?;
        if !applies {
            self.leave_unwritten(key);
        }
        Ok(value)
    }

    /// Takes parameter `key` like [`Self::choose`], but leaves its default out of the resolved spec. For
    /// parameters that were added to an algorithm later, so that keys of existing results stay valid.
    pub fn choose_unwritten<T: Copy>(&mut self, key: &str, choices: &[(&str, T)]) -> Result<T, SpecError> {
        let value = self.choose(key, choices)?;
        if self.resolved.get(key).is_some_and(|name| name == choices[0].0) {
            self.leave_unwritten(key);
        }
        Ok(value)
    }

    /// Leaves a parameter out of the resolved spec.
    fn leave_unwritten(&mut self, key: &str) {
        self.resolved.remove(key);
        self.unwritten.push(key.to_owned());
    }

    /// Takes parameter `key` and returns its text; `None` if it was not given.
    pub fn take_text(&mut self, key: &str) -> Option<String> {
        let Some(text) = self.given.remove(key) else {
            self.unwritten.push(key.to_owned());
            return None;
        };
        self.resolved.insert(key.to_owned(), text.clone());
        Some(text)
    }

    /// Takes parameter `key` and returns its text. Fails if it was not given.
    pub fn require(&mut self, key: &str, expected: &str) -> Result<String, SpecError> {
        let (owner, expected) = (self.owner.clone(), expected.to_owned());
        self.take_text(key).ok_or(SpecError::MissingParameter { owner, key: key.to_owned(), expected })
    }

    /// Takes the members and returns them; `None` if there are none.
    pub fn take_members(&mut self) -> Option<String> {
        self.given_members.take()
    }

    /// Records the resolved members.
    pub fn resolve_members(&mut self, members: &str) {
        self.resolved_members = Some(members.to_owned());
    }

    /// Returns the error that the algorithm cannot be built from the members `found`.
    pub fn bad_members(&self, found: &str, expected: &str) -> SpecError {
        let (owner, found, expected) = (self.owner.clone(), found.to_owned(), expected.to_owned());
        SpecError::BadMembers { owner, found, expected }
    }

    /// Returns the error that the value `found` of parameter `key` is not accepted.
    pub fn bad_value(&self, key: &str, found: &str, expected: &str) -> SpecError {
        let (owner, key) = (self.owner.clone(), key.to_owned());
        SpecError::BadValue { owner, key, found: found.to_owned(), expected: expected.to_owned() }
    }

    /// Returns the error that the file of parameter `key` cannot be used. `problem` names the file and the
    /// reason.
    pub fn bad_file(&self, key: &str, problem: &str) -> SpecError {
        let (owner, key, problem) = (self.owner.clone(), key.to_owned(), problem.to_owned());
        SpecError::BadFile { owner, key, problem }
    }

    /// Returns the resolved spec. Fails if a parameter or members were given that the builder did not take.
    pub fn finish(self) -> Result<Spec, SpecError> {
        if let Some(members) = &self.given_members {
            return Err(self.bad_members(members, "none; it is not made of other specs"));
        }
        if let Some(key) = self.given.into_keys().next() {
            let mut names: Vec<&str> =
                self.resolved.keys().chain(&self.unwritten).map(String::as_str).collect();
            names.sort_unstable();
            names.dedup();
            let known = match names.as_slice() {
                [] => " (it has none)".to_owned(),
                names => format!(" (it has: {})", names.join(", ")),
            };
            return Err(SpecError::NoParameter { owner: self.owner, key, known });
        }
        Ok(Spec { name: self.owner, params: self.resolved, members: self.resolved_members })
    }
}

/// A spec as the user gave it, and its text, which labels it in results.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenSpec {
    /// The spec.
    pub spec: Spec,
    /// The text that the spec was read from.
    pub label: String,
}

impl FromStr for GivenSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        Ok(Self { spec: text.parse()?, label: text.to_owned() })
    }
}

/// Writes the spec without the label, so that two spellings of one spec give the same text.
impl fmt::Display for GivenSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spec.fmt(f)
    }
}

/// Labels the spec by its own text.
impl From<Spec> for GivenSpec {
    fn from(spec: Spec) -> Self {
        Self { label: spec.to_string(), spec }
    }
}

/// Most names that a message lists.
const LISTED: usize = 12;

/// Names of a longer list that a message gives if none of them is similar to the given name.
const NEAREST: usize = 6;

/// Returns the error that `known`, the names of a registry, lack `name`. The hint is the name in other
/// capitals, or else the nearest name by edit distance, or the shortest name with the prefix `name`, ignoring
/// case. Messages list up to 12 names. Of more names without a
/// hint, they list names that share a word with the given name, or else the nearest names.
pub fn unknown<'a>(kind: &'static str, name: &str, known: impl IntoIterator<Item = &'a str>) -> SpecError {
    let names: Vec<&str> = known.into_iter().collect();
    let given = name.to_ascii_lowercase();
    // The distance is at least the difference of the lengths. This check avoids large tables for long names.
    let is_as_long =
        |known: &&&str| known.len().abs_diff(given.len()) <= 1 + given.len() / 4 && given.len() <= LONGEST;
    let distances = names
        .iter()
        .filter(is_as_long)
        .map(|known| (edit_distance(&given, &known.to_ascii_lowercase()), *known));
    let closest = distances.min();
    let near = closest.filter(|(distance, _)| *distance <= 1 + name.len() / 4).map(|(_, near)| near);
    let slip = closest.filter(|(distance, _)| *distance == 1 && given.len() >= 4).map(|(_, near)| near);
    let longer = |known: &&str| known.len() > given.len() && known.to_ascii_lowercase().starts_with(&given);
    let longer = || names.iter().copied().filter(longer).min_by_key(|known| known.len());
    // `pairwise_mean` is the beginning of `pairwise_mean_mean` rather than a mistyped `pairwise_sum_mean`.
    let whole_words = || longer().filter(|known| !known.as_bytes()[given.len()].is_ascii_alphanumeric());
    let same = names.iter().copied().find(|known| known.eq_ignore_ascii_case(&given));
    let hint = same
        .or(slip)
        .or_else(whole_words)
        .or(near)
        .or_else(longer)
        .filter(|_| given.len() >= 3 || near.is_some());
    let known = match hint {
        _ if names.len() <= LISTED => format!(" (one of: {})", names.join(", ")),
        Some(_) => String::new(),
        None => format!(" (such as {}; {} in all)", nearest(&given, &names).join(", "), names.len()),
    };
    SpecError::Unknown {
        kind,
        name: shortened(name),
        hint: hint.map_or_else(String::new, |near| format!(", did you mean '{near}'?")),
        known,
    }
}

/// Returns a few names: names with a word of `given` or a longer form of it first, then by edit distance.
fn nearest<'a>(given: &str, names: &[&'a str]) -> Vec<&'a str> {
    let is_break = |letter: char| !letter.is_ascii_alphanumeric();
    let words: Vec<&str> = given.split(is_break).filter(|word| word.len() > 2).collect();
    let shares = |name: &str| {
        name.to_ascii_lowercase()
            .split(is_break)
            .any(|word| words.iter().any(|given| word.starts_with(given)))
    };
    let rank = |name: &&&str| {
        let distance =
            if given.len() <= LONGEST { edit_distance(given, &name.to_ascii_lowercase()) } else { 0 };
        (!shares(name), distance)
    };
    let mut ranked: Vec<&&str> = names.iter().collect();
    // The sort is stable.
    ranked.sort_by_cached_key(rank);
    ranked.into_iter().take(NEAREST).copied().collect()
}

/// Returns whether two names are similar enough for a hint.
pub fn is_similar(given: &str, known: &str) -> bool {
    given.len() <= LONGEST && edit_distance(given, known) <= 1 + given.len() / 4
}

/// Greatest length in bytes of a name that is repeated whole and compared with known names.
const LONGEST: usize = 200;

/// Shortens a name of more than 200 bytes for a message.
fn shortened(name: &str) -> String {
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let beginning: String = name.chars().take(40).collect();
    format!("{beginning}… ({} bytes)", name.len())
}

/// Returns the Levenshtein distance in bytes. O(|a|·|b|).
fn edit_distance(a: &str, b: &str) -> usize {
    // Dynamic programming with one row of the table; `diagonal` is the entry above and to the left.
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, cb) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_round_trip() -> Result<(), SpecError> {
        for text in [
            "mc1x1",
            "curve:order=hilbert,select=best-fit",
            "easy:pass=batch",
            "best-of:a:b=c|d",
            "exec:timeout=2 ./mine --a=b,c 'd|e'",
            "guest:Mine",
        ] {
            assert_eq!(text.parse::<Spec>()?.to_string(), text);
        }
        Ok(())
    }

    #[test]
    fn malformed_specs_say_what_does_not_fit() {
        for (text, problem) in [
            ("", "the name is missing"),
            (":a=b", "the name is missing"),
            ("a:", "'' is not key=value"),
            ("a:b", "'b' is not key=value"),
            ("a:b=", "'b=' has an empty side"),
            ("a:b=1,b=2", "'b' is given twice"),
            ("exec", "'exec:' is followed by a command"),
            ("exec: ", "'exec:' is followed by a command"),
            ("guest:", "'guest:' is followed by a name"),
            ("exec:a\nb", "line break"),
        ] {
            let message = text.parse::<Spec>().expect_err("malformed").to_string();
            assert!(message.contains(problem), "{text}: {message}");
        }
    }

    #[test]
    fn parameters_are_taken_once_and_leftovers_are_errors() -> Result<(), SpecError> {
        let mut params = Params::new(&"paging:size=2".parse()?);
        assert_eq!(params.take("size", 0_u32, "a whole number")?, 2);
        assert_eq!(params.choose("order", &[("row-major", 1), ("snake", 2)])?, 1);
        assert_eq!(params.finish()?.to_string(), "paging:order=row-major,size=2");

        let mut params = Params::new(&"paging:sise=2".parse()?);
        params.take("size", 0_u32, "a whole number")?;
        let message = params.finish().expect_err("leftover").to_string();
        assert_eq!(message, "'paging' has no parameter 'sise' (it has: size)");

        let mut params = Params::new(&"paging:size=x".parse()?);
        let message = params.take("size", 0_u32, "a whole number").expect_err("bad").to_string();
        assert_eq!(message, "parameter 'size' of 'paging' is 'x': expected a whole number");
        Ok(())
    }

    #[test]
    fn unknown_names_suggest_the_nearest() {
        let message = unknown("allocator", "mc1x2", ["naive", "mc1x1"]).to_string();
        assert_eq!(message, "unknown allocator 'mc1x2', did you mean 'mc1x1'? (one of: naive, mc1x1)");
        assert!(!unknown("allocator", "zzz", ["naive"]).to_string().contains("did you mean"));
        assert!(
            unknown("allocator", "MC1x1", ["mc1x1-shells", "mc1x1"])
                .to_string()
                .contains("did you mean 'mc1x1'?")
        );
        let columns = ["wait_s_p50", "wait_s_mean_of_all", "wait_s_mean"];
        assert!(unknown("column", "wait_s_m", columns).to_string().contains("did you mean 'wait_s_mean'?"));
    }

    #[test]
    fn long_lists_do_not_bury_the_hint() {
        let names: Vec<String> = (0..40).map(|i| format!("name-number-{i}")).collect();
        let names = || names.iter().map(String::as_str);
        let message = unknown("allocator", "name-number-400", names()).to_string();
        assert_eq!(message, "unknown allocator 'name-number-400', did you mean 'name-number-0'?");
        let message = unknown("allocator", "zzz", names()).to_string();
        assert!(
            message.contains("(such as name-number-0, name-number-1, ") && message.ends_with("40 in all)")
        );
        let columns = [vec!["calls_ns_per_job", "jobs"], vec!["x"; 20]].concat();
        assert!(
            unknown("column", "ns of a call", columns).to_string().contains("(such as calls_ns_per_job, ")
        );
    }
}
