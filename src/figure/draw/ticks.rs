//! Ticks at round numbers along an axis.

/// The spacing of values along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    #[default]
    Linear,
    /// Equal ratios have equal lengths. All values must be above 0.
    Log,
}

/// The range of an axis with its ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ticks {
    /// The value at the beginning of the axis; above 0 on a logarithmic axis.
    pub(super) low: f64,
    /// The value at the end of the axis.
    pub(super) high: f64,
    /// The values and labels of the ticks, in ascending order.
    pub(super) at: Vec<(f64, String)>,
    scale: Scale,
}

impl Ticks {
    /// Returns an axis with about `wanted` ticks at round numbers. Its ends enclose the values from `low` to `high`. A
    /// logarithmic axis ignores `wanted`.
    pub(super) fn new(scale: Scale, (low, high): (f64, f64), wanted: usize) -> Self {
        match scale {
            Scale::Linear => linear(low, high, wanted),
            Scale::Log => logarithmic(low, high),
        }
    }

    /// Returns the position of a value between the ends of the axis: 0 at `low` and 1 at `high`.
    pub(super) fn share(&self, value: f64) -> f64 {
        let along = |value: f64| match self.scale {
            Scale::Linear => value,
            Scale::Log => value.max(f64::MIN_POSITIVE).log10(),
        };
        (along(value) - along(self.low)) / (along(self.high) - along(self.low))
    }
}

/// A range is treated as a single value if it is shorter than `SMALLEST`, or than `FINEST` times its values.
const SMALLEST: f64 = 1e-300;
const FINEST: f64 = 1e-12;

/// Returns a linear axis with about `wanted` ticks. Their distance is 1, 2, 2.5 or 5 times a power of ten.
fn linear(low: f64, high: f64, wanted: usize) -> Ticks {
    // A single value gets an axis around it. So do values that are too close for floating-point steps between them.
    let is_range = high - low > SMALLEST.max(low.abs().max(high.abs()) * FINEST);
    let spread = if is_range { high - low } else { low.abs().max(1.0) };
    let (low, high) = if is_range { (low, high) } else { (low - spread / 2.0, high + spread / 2.0) };
    let rough = (high - low) / wanted.max(1) as f64;
    let power = 10.0_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= rough * 0.999);
    let step = step.unwrap_or(10.0 * power);
    // The small tolerance keeps rounding errors from adding a tick beyond the data.
    let (first, last) = ((low / step + 1e-9).floor() as i64, (high / step - 1e-9).ceil() as i64);
    let decimals = (0..9).find(|&d| is_whole(step * 10.0_f64.powi(d))).unwrap_or(9) as usize;
    let at: Vec<(f64, String)> = (first..=last)
        .map(|i| i as f64 * step)
        // Adding 0.0 turns −0.0 into 0.0.
        .map(|value| (value, crate::text::grouped(value + 0.0, decimals)))
        .collect();
    Ticks { low: first as f64 * step, high: last as f64 * step, at, scale: Scale::Linear }
}

/// Returns whether a value is an integer up to rounding errors.
fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-6
}

/// Returns a logarithmic axis with ticks at powers of ten. If there are few of them, it also has ticks at 2 and 5 times
/// these powers.
fn logarithmic(low: f64, high: f64) -> Ticks {
    let low = if low > 0.0 { low.max(SMALLEST) } else { 1e-9 };
    let high = if high > low { high } else { low * 10.0 };
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let factors: &[f64] = if last - first <= 2 { &[1.0, 2.0, 5.0] } else { &[1.0] };
    let values =
        (first..=last).flat_map(|power| factors.iter().map(move |factor| factor * 10.0_f64.powi(power)));
    let values: Vec<f64> = values.collect();
    let from = values.iter().copied().filter(|value| *value <= low * 1.000_001).fold(f64::NAN, f64::max);
    let to = values.iter().copied().filter(|value| *value >= high * 0.999_999).fold(f64::NAN, f64::min);
    let inside = |value: &f64| *value >= from * 0.999_999 && *value <= to * 1.000_001;
    let at = values.into_iter().filter(inside).map(|value| (value, short(value))).collect();
    Ticks { low: from, high: to, at, scale: Scale::Log }
}

/// Returns a number as a short label, such as `0.02`, `500`, `20k` or `1M`.
fn short(value: f64) -> String {
    // Rounding to six decimals removes the errors of the division.
    let of = |unit: f64, letter: &str| format!("{}{letter}", (value / unit * 1e6).round() / 1e6);
    match value {
        value if value >= 1e9 => of(1e9, "G"),
        value if value >= 1e6 => of(1e6, "M"),
        value if value >= 1e4 => of(1e3, "k"),
        _ => of(1.0, ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, low: f64, high: f64) -> String {
        let ticks = Ticks::new(scale, (low, high), 5);
        assert!(ticks.share(low) >= -1e-9 && ticks.share(high) <= 1.0 + 1e-9);
        ticks.at.into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_round_and_enclose_the_data() {
        for (low, high, expected) in [
            (0.0, 1.0, "0.0 0.2 0.4 0.6 0.8 1.0"),
            (3.1, 7.4, "3 4 5 6 7 8"),
            (0.0, 12_345.0, "0 2,500 5,000 7,500 10,000 12,500"),
            (-1.0, 1.0, "-1.0 -0.5 0.0 0.5 1.0"),
            (5.0, 5.0, "2 3 4 5 6 7 8"),
            (0.0123, 0.0201, "0.012 0.014 0.016 0.018 0.020 0.022"),
        ] {
            assert_eq!(labels(Scale::Linear, low, high), expected);
        }
        // The smallest positive number, and numbers that differ only in their last digit.
        for (low, high) in
            [(0.0, 5e-324), (5e-324, 5e-324), (1e300, 1e300_f64.next_up()), (1e15, 1e15_f64.next_up())]
        {
            for scale in [Scale::Linear, Scale::Log] {
                let count = Ticks::new(scale, (low, high), 5).at.len();
                assert!((1..=20).contains(&count), "{low} to {high}: {count}");
            }
        }
        assert_eq!(labels(Scale::Log, 30.0, 2e6), "10 100 1000 10k 100k 1M 10M");
        assert_eq!(labels(Scale::Log, 30.0, 400.0), "20 50 100 200 500");
    }
}
