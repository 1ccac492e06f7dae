//! The natural order of names, in which `node2` comes before `node10`.

use std::cmp::Ordering;

/// Compares two names so that runs of digits count as numbers. Names that differ only in leading zeros have the order of
/// their texts.
pub fn natural_order(a: &str, b: &str) -> Ordering {
    let (mut x, mut y) = (a.as_bytes(), b.as_bytes());
    while let (Some(&p), Some(&q)) = (x.first(), y.first()) {
        let order = if p.is_ascii_digit() && q.is_ascii_digit() {
            let ((m, rest_x), (n, rest_y)) = (split_number(x), split_number(y));
            (x, y) = (rest_x, rest_y);
            // Without leading zeros, the longer number is the larger one.
            m.len().cmp(&n.len()).then_with(|| m.cmp(n))
        } else {
            (x, y) = (&x[1..], &y[1..]);
            p.cmp(&q)
        };
        if order != Ordering::Equal {
            return order;
        }
    }
    x.len().cmp(&y.len()).then_with(|| a.cmp(b))
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
