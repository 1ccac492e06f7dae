//! Slurm's lists of node names, such as `n[001-032]` or `login,rack[0-1]n[1-4,7]`.

/// The greatest number of names that one list may stand for.
const MOST: usize = crate::machine::mesh::MAX_NODES as usize;

/// Returns the names that a list stands for, in its order. With several pairs of brackets in a name the last
/// one varies fastest. A number in brackets keeps its leading zeros. Fails, with the reason in words, if the
/// list is not well formed or stands for more names than a machine may have nodes.
pub fn names(list: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for word in words(list)? {
        let expanded = expand(word)?;
        if names.len() + expanded.len() > MOST {
            return Err(too_many(list));
        }
        names.extend(expanded);
    }
    Ok(names)
}

/// Returns the message about a list of too many names.
fn too_many(list: &str) -> String {
    format!("'{list}' stands for more than {MOST} names, which no machine has")
}

/// Splits a list at its commas outside brackets. No word is empty.
fn words(list: &str) -> Result<Vec<&str>, String> {
    let (mut words, mut from, mut inside) = (Vec::new(), 0, false);
    for (at, c) in list.char_indices().chain([(list.len(), ',')]) {
        match c {
            '[' if !inside => inside = true,
            ']' if inside => inside = false,
            ',' if !inside || at == list.len() => {
                let word = list[from..at].trim();
                if word.is_empty() {
                    return Err(format!("'{list}' has an empty name, expected names such as n[001-032]"));
                }
                words.push(word);
                from = at + 1;
            }
            '[' | ']' => return Err(unbalanced(list)),
            _ => {}
        }
    }
    if inside { Err(unbalanced(list)) } else { Ok(words) }
}

/// Returns the message about brackets that do not match.
fn unbalanced(list: &str) -> String {
    format!("'{list}' has brackets that do not match, expected names such as n[001-032]")
}

/// Returns the names of one word. Its brackets match.
fn expand(word: &str) -> Result<Vec<String>, String> {
    let mut names = vec![String::new()];
    let mut rest = word;
    loop {
        let (fixed, after) = rest.split_once('[').map_or((rest, None), |(fixed, after)| (fixed, Some(after)));
        for name in &mut names {
            name.push_str(fixed);
        }
        let Some((inside, after)) = after.and_then(|after| after.split_once(']')) else { return Ok(names) };
        let mut numbers = Vec::new();
        for range in inside.split(',') {
            numbers.extend(numbers_of(range).ok_or_else(|| {
                format!(
                    "'{word}' has '{range}' in brackets, expected a number or a rising range such as 001-032"
                )
            })?);
            if numbers.len().saturating_mul(names.len()) > MOST {
                return Err(too_many(word));
            }
        }
        names = names
            .iter()
            .flat_map(|name| numbers.iter().map(move |number| format!("{name}{number}")))
            .collect();
        rest = after;
    }
}

/// Returns the numbers of a range such as `7` or `001-032`, each with at least as many digits as the range's
/// first number. Returns `None` if the text is no range or the range is longer than any list may be.
fn numbers_of(range: &str) -> Option<Vec<String>> {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let number = |text: &str| -> Option<usize> {
        text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok())?
    };
    let (from, to, digits) = (number(first)?, number(last)?, first.len());
    (from <= to && to - from < MOST).then(|| (from..=to).map(|n| format!("{n:0digits$}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_written_out() {
        for (list, expected) in [
            ("n7", vec!["n7"]),
            ("n[001-003]", vec!["n001", "n002", "n003"]),
            ("n[8-10]", vec!["n8", "n9", "n10"]),
            ("a, b[1,3-4],c", vec!["a", "b1", "b3", "b4", "c"]),
            ("r[0-1]n[1-2]x", vec!["r0n1x", "r0n2x", "r1n1x", "r1n2x"]),
        ] {
            assert_eq!(names(list), Ok(expected.into_iter().map(str::to_owned).collect()), "{list}");
        }
    }

    #[test]
    fn wrong_lists_are_named() {
        for (list, problem) in [
            ("", "'' has an empty name"),
            ("a,,b", "'a,,b' has an empty name"),
            ("n[1-2", "'n[1-2' has brackets that do not match"),
            ("n1-2]", "'n1-2]' has brackets that do not match"),
            ("n[[1]]", "'n[[1]]' has brackets that do not match"),
            ("n[3-1]", "'n[3-1]' has '3-1' in brackets"),
            ("n[a-b]", "'n[a-b]' has 'a-b' in brackets"),
            ("n[]", "'n[]' has '' in brackets"),
            ("n[0-99999999]", "'n[0-99999999]' has '0-99999999' in brackets"),
            ("n[0-9999][0-9999]", "'n[0-9999][0-9999]' stands for more than 16777216 names"),
        ] {
            let found = names(list).expect_err(list);
            assert!(found.starts_with(problem), "{list}: {found}");
        }
    }
}
