//! Natural order of names: `node2` comes before `node10`.

use std::cmp::Ordering;

/// Compares two names so that runs of digits count as numbers. Names that differ only in leading zeros have
/// the order of their texts.
pub fn natural_order(name: &str, other: &str) -> Ordering {
    let (mut left, mut right) = (name.as_bytes(), other.as_bytes());
    while let (Some(first), Some(second)) = (left.first(), right.first()) {
        let order = if first.is_ascii_digit() && second.is_ascii_digit() {
            let (digits, after) = split_number(left);
            let (others, behind) = split_number(right);
            (left, right) = (after, behind);
            // Without leading zeros, the longer number is the larger one.
            digits.len().cmp(&others.len()).then_with(|| digits.cmp(others))
        } else {
            (left, right) = (&left[1..], &right[1..]);
            first.cmp(second)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    left.len().cmp(&right.len()).then_with(|| name.cmp(other))
}

/// Splits a text that begins with digits behind them. Returns the digits without leading zeros, and the rest.
fn split_number(text: &[u8]) -> (&[u8], &[u8]) {
    let end = text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
    let zeros = text[..end].iter().take_while(|&&byte| byte == b'0').count();
    (&text[zeros..end], &text[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_count_as_numbers() {
        let sorted =
            ["", "0", "00", "1", "a", "a1b2", "a1b10", "a2", "a02", "a10", "aa", "n99999999999999999999"];
        for (i, a) in sorted.iter().enumerate() {
            for (j, b) in sorted.iter().enumerate() {
                // Of equal numbers the one with more zeros comes first in the order of texts.
                let expected = match (*a, *b) {
                    ("a2", "a02") => Ordering::Greater,
                    ("a02", "a2") => Ordering::Less,
                    _ => i.cmp(&j),
                };
                assert_eq!(natural_order(a, b), expected, "{a} {b}");
            }
        }
    }
}
