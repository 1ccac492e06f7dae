//! Parses differences and intervals of closing lines.

/// Whether a line claims a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// A significant difference.
    Different,
    /// About equal, not significant, or without an interval.
    Unclear,
}

/// A parsed difference.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Clause {
    /// Ratio of the first replay's number to the second's.
    pub(super) ratio: f64,
    /// Ends of the interval of the ratio, `None` without an interval.
    pub(super) ends: Option<[f64; 2]>,
    pub(super) found: Found,
}

/// Parses the clause of `line` that begins with `words`. `names` are the replays of the ratio; the line may
/// have them in the other order. `None` without such a clause.
pub(super) fn clause(line: &str, words: &str, names: [&str; 2]) -> Option<Clause> {
    let at = line.find(words)?;
    let text = line[at..].split(';').next()?;
    let (amount, word) = amount(text)?;
    let is_less = ["less", "shorter"].contains(&word);
    let is_multiple = word == "times as long";
    let ratio_of = |amount: f64| match (is_multiple, is_less) {
        (true, _) => amount,
        (_, true) => 1.0 - amount / 100.0,
        (_, false) => 1.0 + amount / 100.0,
    };
    let ends = text.split_once("95 % CI ").and_then(|(_, rest)| {
        let (low, rest) = rest.split_once(" to ")?;
        let high: String =
            rest.chars().take_while(|c| c.is_ascii_digit() || *c == '.' || *c == '-').collect();
        let mut ends = [ratio_of(low.parse().ok()?), ratio_of(high.parse().ok()?)];
        ends.sort_by(f64::total_cmp);
        Some(ends)
    });
    let is_unclear = text.contains("not significant") || text.contains("about ") || ends.is_none();
    let found = if is_unclear { Found::Unclear } else { Found::Different };
    let stated = Clause { ratio: ratio_of(amount), ends, found };
    // The base is named behind `than`, `to` or `under`.
    let is_turned = [" than ", " to ", " as "].iter().any(|than| {
        let has_base = |under: &str| text.contains(&format!("{than}{under}{}", names[0]));
        has_base("") || has_base("under ")
    });
    Some(if is_turned { stated.turned() } else { stated })
}

/// Returns the first amount of a difference with its word.
fn amount(text: &str) -> Option<(f64, &str)> {
    const WORDS: [&str; 5] = ["% less", "% more", "% shorter", "% longer", "times as long"];
    let found = WORDS.iter().filter_map(|word| Some((text.find(word)?, *word)));
    let (at, word) = found.min()?;
    let number = text[..at].trim_end().rsplit([' ', '(']).next()?.replace(',', "");
    Some((number.parse().ok()?, word.trim_start_matches("% ")))
}

impl Clause {
    /// Returns the same about the inverse ratio.
    fn turned(self) -> Self {
        let ends = self.ends.map(|[low, high]| [1.0 / high, 1.0 / low]);
        Self { ratio: 1.0 / self.ratio, ends, ..self }
    }
}

#[test]
fn sentences_are_read_as_they_are_meant() {
    let line = "spread over free nodes: snug places jobs closest together by pairwise sum: 1.3 % less than \
         mc1x1 (95 % CI 0.3 to 2.4 %), the next best";
    let found = clause(line, "pairwise sum", ["snug", "mc1x1"]).expect("a clause");
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let [low, high] = found.ends.expect("an interval");
    assert!(near(found.ratio, 0.987) && near(low, 0.976) && near(high, 0.997), "{found:?}");
    assert_eq!(found.found, Found::Different);
    let turned = clause(line, "pairwise sum", ["mc1x1", "snug"]).expect("a clause");
    assert!(near(turned.ratio, 1.0 / 0.987), "{turned:?}");
    let line = "one submesh per job: first-fit: pairwise sum about equal to snug (0.5 % less, 95 % CI -0.2 \
         to 1.2 %); jobs wait 24.4 % longer than under snug (95 % CI -8.3 to 68.7 %: not significant)";
    let sum = clause(line, "pairwise sum", ["first-fit", "snug"]).expect("a clause");
    assert!(sum.found == Found::Unclear && near(sum.ratio, 0.995), "{sum:?}");
    let wait = clause(line, "wait", ["first-fit", "snug"]).expect("a clause");
    let [low, high] = wait.ends.expect("an interval");
    assert!(wait.found == Found::Unclear && near(low, 0.917) && near(high, 1.687), "{wait:?}");
    let line = "jobs wait 8.7 times as long as under naive (95 % CI 2.0 to 15.3)";
    let wait = clause(line, "wait", ["buddy-2d", "naive"]).expect("a clause");
    assert!(near(wait.ratio, 8.7) && wait.ends == Some([2.0, 15.3]) && wait.found == Found::Different);
}
