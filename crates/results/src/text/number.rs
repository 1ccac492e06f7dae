//! Formats numbers for readers.

/// Returns `value` with `decimals` decimals and a comma between groups of three digits. A negative value that
/// rounds to 0 gets no minus sign.
pub fn grouped(value: f64, decimals: usize) -> String {
    let plain = format!("{:.decimals$}", value.abs());
    let (whole, fraction) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let mut text = String::with_capacity(plain.len() + plain.len() / 3 + 1);
    if value < 0.0 && plain.bytes().any(|digit| matches!(digit, b'1'..=b'9')) {
        text.push('-');
    }
    // A comma precedes every third digit, counted from the end.
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text + fraction
}

/// Returns a duration in nanoseconds as text, in the unit (ns, µs, ms, s) that leaves one to three digits
/// before the decimal point. From 1000 s on there are more digits.
pub fn duration_ns(ns: u64) -> String {
    let value = ns as f64;
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.1} µs", value / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", value / 1e6),
        _ => format!("{:.2} s", value / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_come_in_groups_of_three() {
        for (value, decimals, text) in [
            (0.0, 0, "0"),
            (999.96, 1, "1,000.0"),
            (1_234_567.891, 2, "1,234,567.89"),
            (-1234.5, 1, "-1,234.5"),
            (-0.01, 1, "0.0"),
        ] {
            assert_eq!(grouped(value, decimals), text);
        }
    }

    #[test]
    fn durations_have_units() {
        for (ns, text) in [(7, "7 ns"), (1_500, "1.5 µs"), (2_300_000, "2.3 ms"), (1_234_000_000, "1.23 s")]
        {
            assert_eq!(duration_ns(ns), text);
        }
    }
}
