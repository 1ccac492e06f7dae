//! Errors on unknown names, with suggestions.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "lengths of names and positions in them; distances are at most the 200 letters of a long name"
)]

use super::SpecError;

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
