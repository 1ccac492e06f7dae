//! Failures and repairs that are drawn at random.
//!
//! Each node is up for an exponentially distributed time with the mean `mtbf` (mean time between failures),
//! then down for an exponentially distributed time with the mean `repair`, and so on, independently of all
//! other nodes and of the jobs. In the long run a node is up for the share mtbf / (mtbf + repair) of the
//! time.
//!
//! One generator draws the next change of a node when its last one is taken, so that the sequence does not
//! depend on the replay. A heap holds the next change of every node: O(log N) per change.
//!
//! Lengths of time are numbers with a unit, such as `30d`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;
use std::str::FromStr;

use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1};

use super::NodeChange;
use crate::machine::{Mesh, NodeId};
use meshreplay_base::job::{Draws, Time};
use meshreplay_base::spec::{Params, Spec, SpecError};

/// The name of drawn failures.
pub(super) const NAME: &str = "random";

/// The distribution of failures and repairs.
#[derive(Clone, Debug, PartialEq)]
pub struct Failures {
    /// The mean uptime of a node.
    mtbf: Span,
    /// The mean downtime of a node.
    repair: Span,
}

impl FromStr for Failures {
    type Err = SpecError;

    /// Reads `random:mtbf=30d,repair=4h`.
    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut params = Params::new(&text.parse::<Spec>()?);
        let mut span = |key: &str| -> Result<Span, SpecError> {
            let text = params.require(key, EXPECTED)?;
            text.parse().map_err(|()| params.bad_value(key, &text, EXPECTED))
        };
        let (mtbf, repair) = (span("mtbf")?, span("repair")?);
        if mtbf.seconds < SHORTEST_S {
            return Err(params.bad_value("mtbf", &mtbf.to_string(), "at least 1 s"));
        }
        params.finish()?;
        Ok(Self { mtbf, repair })
    }
}

/// The shortest mean time between failures, in seconds. Shorter ones would only make the list of changes
/// long.
const SHORTEST_S: f64 = 1.0;

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{NAME}:mtbf={},repair={}", self.mtbf, self.repair)
    }
}

/// The changes of all nodes, drawn one after the other.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    failures: Failures,
    random: ChaCha8Rng,
    /// The next change of every node: its time, the node, and whether the node goes down. Changes of one
    /// instant come in the order of the nodes.
    next: BinaryHeap<Reverse<(Time, NodeId, bool)>>,
}

impl Drawn {
    /// Returns the changes of the nodes of `mesh`. All are up at `from`.
    pub(super) fn new(failures: &Failures, mesh: &Mesh, seed: u64, from: Time) -> Self {
        let random = Draws::Failures.of_seed(seed);
        let mut drawn = Self { failures: failures.clone(), random, next: BinaryHeap::new() };
        for node in (0..mesh.nodes()).filter(|&node| mesh.is_available(node)) {
            drawn.draw(from, node, true);
        }
        drawn
    }

    /// Draws the next change of a node: the end of an uptime if `is_down`, otherwise of a downtime, which
    /// began at `since`.
    fn draw(&mut self, since: Time, node: NodeId, is_down: bool) {
        let factor: f64 = Exp1.sample(&mut self.random);
        let mean = if is_down { &self.failures.mtbf } else { &self.failures.repair };
        self.next.push(Reverse((since + mean.times(factor), node, is_down)));
    }

    /// Returns the time of the next change; `None` if it lies beyond the range of time.
    pub(super) fn next_time(&self) -> Option<Time> {
        self.next.peek().map(|Reverse((time, ..))| *time).filter(|&time| time < Time::MAX)
    }

    /// Removes and returns the next change.
    pub(super) fn take(&mut self) -> Option<NodeChange> {
        let Reverse((time, node, is_down)) = self.next.pop()?;
        self.draw(time, node, !is_down);
        Some(NodeChange { time, node, is_down })
    }
}

/// The seconds of a year of 365 days.
const YEAR_S: f64 = 365.0 * 86_400.0;

/// The units, each with its seconds.
const UNITS: [(&str, f64); 5] = [("s", 1.0), ("min", 60.0), ("h", 3_600.0), ("d", 86_400.0), ("y", YEAR_S)];

/// The texts that are lengths of time, in words.
const EXPECTED: &str = "a time of at least 0 in seconds or with a unit (s, min, h, d or y), such \
     as 90min or 30d, up to 100,000 years";

/// The longest length of time, in seconds: 100,000 years.
const LONGEST_S: f64 = 100_000.0 * YEAR_S;

/// A length of time: its spelling and its value.
#[derive(Clone, Debug, PartialEq)]
struct Span {
    text: String,
    /// The length in seconds.
    pub(super) seconds: f64,
}

impl FromStr for Span {
    type Err = ();

    /// Reads a number that is followed by a unit. A number alone is in seconds.
    fn from_str(text: &str) -> Result<Self, ()> {
        let at = text.find(|c: char| c.is_ascii_alphabetic() && c != 'e').unwrap_or(text.len());
        let (number, unit) = text.split_at(at);
        let unit = if unit.is_empty() { "s" } else { unit };
        let (_, factor) = UNITS.iter().find(|(name, _)| *name == unit).ok_or(())?;
        let seconds = number.parse::<f64>().map_err(|_| ())? * factor;
        if (0.0..=LONGEST_S).contains(&seconds) {
            Ok(Self { text: text.to_owned(), seconds })
        } else {
            Err(())
        }
    }
}

/// Writes the original spelling.
impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl Span {
    /// Returns the length of `factor` times this length of time, in whole microseconds.
    pub(super) fn times(&self, factor: f64) -> Time {
        // The cast saturates, and sums of times do.
        Time::from_micros((self.seconds * factor * 1e6).round() as i64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the changes up to a time in seconds.
    fn changes(text: &str, seed: u64, until_s: i64) -> Result<Vec<NodeChange>, Box<dyn std::error::Error>> {
        let mut drawn = Drawn::new(&text.parse()?, &"4x4".parse()?, seed, Time::from_seconds(100));
        let mut found = Vec::new();
        while drawn.next_time().is_some_and(|time| time <= Time::from_seconds(until_s)) {
            found.extend(drawn.take());
        }
        Ok(found)
    }

    #[test]
    fn nodes_are_up_for_their_share_of_the_time() -> Result<(), Box<dyn std::error::Error>> {
        // 16 nodes for 20,000 h, up for 30 h and down for 10 h on average: about 8,000 failures. The share of
        // time in which they are up has a standard deviation of about 0.005.
        let end_s = 20_000 * 3600;
        let (mut up_s, mut since_s) = (0.0, [Some(100.0); 16]);
        let changes = changes("random:mtbf=30h,repair=10h", 3, end_s)?;
        assert!(changes.is_sorted_by_key(|change| change.time) && changes[0].time > Time::from_seconds(100));
        for change in &changes {
            let (since_s, now_s) = (&mut since_s[change.node as usize], change.time.as_seconds());
            assert_eq!(since_s.is_some(), change.is_down, "changes of a node alternate");
            up_s += since_s.map_or(0.0, |since_s| now_s - since_s);
            *since_s = (!change.is_down).then_some(now_s);
        }
        up_s += since_s.iter().flatten().map(|since_s| end_s as f64 - since_s).sum::<f64>();
        let share = up_s / (16.0 * (end_s as f64 - 100.0));
        assert!((share - 0.75).abs() < 0.015, "{share}");
        let failures = changes.iter().filter(|change| change.is_down).count();
        assert!((7_500..8_500).contains(&failures), "{failures}");
        Ok(())
    }

    #[test]
    fn draws_depend_on_the_seed_only() -> Result<(), Box<dyn std::error::Error>> {
        let text = "random:mtbf=1d,repair=0s";
        let found = changes(text, 7, 1_000_000)?;
        assert_eq!(found, changes(text, 7, 1_000_000)?);
        assert_ne!(found, changes(text, 8, 1_000_000)?);
        assert!(
            found.chunks(2).all(|pair| pair.len() < 2 || pair[0].time == pair[1].time),
            "repairs take no time"
        );
        Ok(())
    }

    #[test]
    fn wrong_rules_are_refused() {
        for (text, message) in [
            ("random", "'random' needs parameter 'mtbf'"),
            ("random:mtbf=3d", "'random' needs parameter 'repair': expected a time"),
            ("random:mtbf=3w,repair=1h", "parameter 'mtbf' of 'random' is '3w'"),
            ("random:mtbf=0,repair=1h", "parameter 'mtbf' of 'random' is '0': expected at least 1 s"),
            ("random:mtbf=3d,repair=1h,seed=2", "'random' has no parameter 'seed' (it has: mtbf, repair)"),
        ] {
            let found = text.parse::<Failures>().map_err(|error| error.to_string());
            assert!(found.as_ref().is_err_and(|found| found.starts_with(message)), "{text}: {found:?}");
        }
    }
}

#[cfg(test)]
mod span_tests {
    use super::*;

    #[test]
    fn a_number_and_a_unit_are_a_length_of_time() {
        for (text, seconds) in [
            ("0", 0.0),
            ("90", 90.0),
            ("90s", 90.0),
            ("1.5min", 90.0),
            ("2h", 7200.0),
            ("30d", 2_592_000.0),
            ("2y", 63_072_000.0),
            ("1e3s", 1e3),
        ] {
            let span: Option<Span> = text.parse().ok();
            assert_eq!(span.as_ref().map(|span| span.seconds), Some(seconds), "{text}");
            assert_eq!(span.map(|span| span.to_string()).as_deref(), Some(text));
        }
        for text in ["", "d", "3 d", "3m", "-1s", "nan", "infd", "1e300d", "3days"] {
            assert_eq!(text.parse::<Span>(), Err(()), "{text}");
        }
    }
}
