//! Axes with ticks at round numbers and ends close to the data.

use super::text::{widest, width};
use crate::span::Span;
use meshreplay_results::text::grouped;

/// The spacing of values along an axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    #[default]
    Linear,
    /// Equal ratios have equal lengths. All values must be above 0.
    Log,
}

/// A tick: its value and its label.
pub(super) type Mark = (f64, String);

/// The settings of an axis.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// The title, with its unit.
    pub title: String,
    /// The scale of the axis.
    pub scale: Scale,
    /// A value that the axis must contain in addition to the data, such as 0 where lengths are compared;
    /// `None` if the data decide.
    pub shows: Option<f64>,
    /// The largest possible value, such as 100 %, which the axis does not pass unless the data do; `None` if
    /// there is none.
    pub most: Option<f64>,
    /// Ticks that replace round numbers, such as dates: their values and labels; empty for an axis of
    /// numbers.
    pub marks: Vec<(f64, String)>,
    /// Names that replace the numbers at 0, 1, 2 and so on; empty for an axis of numbers.
    pub names: Vec<String>,
    /// The seconds of the replay at 0 and in each unit, for the data of an axis of time; `None` for another
    /// quantity.
    pub seconds: Option<[f64; 2]>,
}

impl Axis {
    /// Returns a linear axis of numbers.
    pub fn titled(title: impl Into<String>) -> Self {
        Self { title: title.into(), ..Self::default() }
    }

    /// Returns an axis of shares from 0 % to 100 %.
    pub fn percent(title: &str) -> Self {
        Self { shows: Some(0.0), most: Some(100.0), ..Self::titled(title) }
    }

    /// Returns this vertical axis for data in `data`. It begins at 0 if 0 is not farther from the data than
    /// the data are long.
    pub(super) fn with_zero_if_near(&self, data: Span) -> Self {
        let is_free = self.scale == Scale::Linear && self.shows.is_none() && self.is_of_numbers();
        let is_near = data.low > 0.0 && data.low <= data.length();
        Self { shows: if is_free && is_near { Some(0.0) } else { self.shows }, ..self.clone() }
    }

    /// Splits the title into its text and the unit in parentheses at its end, which may be empty.
    pub(super) fn title_and_unit(&self) -> [&str; 2] {
        let parts = self.title.strip_suffix(')').and_then(|title| title.rsplit_once(" ("));
        parts.map_or([&self.title, ""], |(title, unit)| [title, unit])
    }

    fn is_of_numbers(&self) -> bool {
        self.marks.is_empty() && self.names.is_empty()
    }

    /// Returns the title of an axis with these ends, which says that a linear axis does not show 0.
    pub(super) fn title(&self, ends: Span) -> String {
        let hides_zero = self.scale == Scale::Linear && self.is_of_numbers() && !ends.contains(0.0);
        let is_said = hides_zero && !self.title.is_empty();
        if is_said { format!("{}, not from 0", self.title) } else { self.title.clone() }
    }

    /// Returns the span of the finite values, which on a logarithmic axis must be above 0, and of
    /// [`Self::shows`].
    pub(super) fn span(&self, values: impl Iterator<Item = f64>) -> Span {
        let fits = |value: &f64| value.is_finite() && (self.scale == Scale::Linear || *value > 0.0);
        Span::covering(values.chain(self.shows).filter(fits))
    }
}

/// The space at the right of the data of a panel, and the least space between two labels, in pixels.
const RIGHT: f64 = 13.0;
const BETWEEN: f64 = 9.0;

/// An axis with its ticks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ticks {
    /// The ends of the axis; above 0 on a logarithmic axis.
    pub(super) span: Span,
    /// The ticks in ascending order.
    pub(super) marks: Vec<Mark>,
    pub(super) scale: Scale,
}

impl Ticks {
    /// Returns an axis with about `wanted` ticks at round numbers. An axis around a single value becomes
    /// longer.
    pub(super) fn new(scale: Scale, span: Span, wanted: usize) -> Self {
        match scale {
            Scale::Linear => linear(span, wanted),
            Scale::Log => logarithmic(span, wanted),
        }
    }

    /// Drops every second tick until the labels on an axis of `wide` pixels do not meet.
    pub(super) fn thin(&mut self, wide: f64) {
        let position = |value: f64| wide * self.share(value);
        // The last label is moved into its drawing.
        let middle = |mark: &Mark| position(mark.0).min(wide + RIGHT - width(&mark.1) / 2.0);
        let meet =
            |a: &Mark, b: &Mark| middle(b) - middle(a) < f64::midpoint(width(&a.1), width(&b.1)) + BETWEEN;
        let mut kept = self.marks.clone();
        while kept.len() > 2 && kept.windows(2).any(|pair| meet(&pair[0], &pair[1])) {
            kept = kept.into_iter().step_by(2).collect();
        }
        self.marks = kept;
    }

    /// Returns the width of the widest label in pixels.
    pub(super) fn width(&self) -> f64 {
        widest(self.marks.iter().map(|(_, label)| &**label))
    }

    /// Returns the position of a value between the ends of the axis: 0 at the beginning and 1 at the end.
    pub(super) fn share(&self, value: f64) -> f64 {
        let along = |value: f64| match self.scale {
            Scale::Linear => value,
            Scale::Log => value.max(f64::MIN_POSITIVE).log10(),
        };
        (along(value) - along(self.span.low)) / (along(self.span.high) - along(self.span.low))
    }
}

/// Margin at each end of an axis, as a share of the data's length, which keeps markers off the border.
const MARGIN: f64 = 0.04;

/// Returns the ends of an axis for data in `data`: a little farther out, except at an end equal to `fixed`.
/// The ends of data of one sign stay on its side of 0, and no end passes `most` if the data do not. Data that
/// are all 0 get an axis from 0 to 1.
pub(super) fn ends(scale: Scale, data: Span, fixed: Option<f64>, most: Option<f64>) -> Span {
    let Span { low, high } = data;
    let is_fixed = |end: f64| fixed.is_some_and(|fixed| fixed.total_cmp(&end).is_eq());
    if scale == Scale::Log {
        let low = if low > 0.0 { low.max(SMALLEST) } else { 1e-9 };
        let factor = if high > low { (high / low).powf(MARGIN) } else { 1.5 };
        return Span::new(low / factor, high.max(low) * factor);
    }
    if low.abs().max(high.abs()) < SMALLEST {
        return Span::new(0.0, 1.0);
    }
    // A single value gets an axis around it.
    let margin = if is_range(low, high) { (high - low) * MARGIN } else { around(low) };
    let below = if is_fixed(low) && high > low { low } else { low - margin };
    let above = if is_fixed(high) && high > low { high } else { high + margin };
    let below = if low >= 0.0 { below.max(0.0) } else { below };
    let above = if high <= 0.0 { above.min(0.0) } else { above };
    Span::new(below, most.filter(|most| high <= *most).map_or(above, |most| above.min(most)))
}

/// A range is treated as a single value if it is shorter than `SMALLEST`, or than `FINEST` times its values.
const SMALLEST: f64 = 1e-300;
const FINEST: f64 = 1e-12;

/// Returns the length of an axis on each side of a single value.
fn around(value: f64) -> f64 {
    value.abs().max(1.0) / 2.0
}

/// Returns true if two values are far enough apart for floating-point steps between them.
fn is_range(low: f64, high: f64) -> bool {
    high - low > SMALLEST.max(low.abs().max(high.abs()) * FINEST)
}

/// Returns a linear axis with about `wanted` ticks, and at least `wanted.min(3)`. Their distance is 1, 2, 2.5
/// or 5 times a power of ten.
fn linear(span: Span, wanted: usize) -> Ticks {
    let Span { low, high } = span;
    let (low, high) = if is_range(low, high) { (low, high) } else { (low - around(low), high + around(low)) };
    let rough = (high - low) / wanted.max(1) as f64;
    let power = 10.0_f64.powf(rough.log10().floor());
    let steps = [0.5, 1.0, 2.0, 2.5, 5.0, 10.0].map(|factor| factor * power);
    // The small tolerance keeps rounding errors from losing a tick at an end.
    let between = |step: f64| ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    let usual = steps.iter().position(|step| *step >= rough * 0.999).unwrap_or(steps.len() - 1);
    // Fewer than three ticks do not show the scale.
    let is_enough = |step: &f64| between(*step).1 - between(*step).0 + 1 >= wanted.min(3) as i64;
    let step = steps[..=usual].iter().rev().copied().find(is_enough).unwrap_or(steps[usual]);
    let (first, last) = between(step);
    let decimals = (0..9).find(|&d| is_whole(step * 10.0_f64.powi(d))).unwrap_or(9) as usize;
    let values = (first..=last).map(|i| i as f64 * step);
    // Adding 0.0 turns −0.0 into 0.0.
    let marks = values.map(|value| (value, grouped(value + 0.0, decimals))).collect();
    Ticks { span: Span::new(low, high), marks, scale: Scale::Linear }
}

/// Returns whether a value is an integer up to rounding errors.
fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-6
}

/// Returns a logarithmic axis with ticks at powers of ten, or at every second, third … power if there are
/// more than 1.5 × `wanted`. Up to two powers get ticks at 2 and 5 times a power, too; an axis with fewer
/// than two such ticks gets the round numbers of a linear axis.
fn logarithmic(span: Span, wanted: usize) -> Ticks {
    let Span { low, high } = span;
    let low = if low > 0.0 { low.max(SMALLEST) } else { 1e-9 };
    let high = if high > low { high } else { low * 10.0 };
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let inside = |value: &f64| *value >= low * 0.999_999 && *value <= high * 1.000_001;
    let ticks = |factors: &'static [f64], each: usize| -> Vec<f64> {
        let powers = (first..=last).step_by(each);
        let values = powers
            .flat_map(|power| factors.iter().map(move |factor| (factor * 1e6 * 10.0_f64.powi(power)) / 1e6));
        values.filter(inside).collect()
    };
    let powers = ticks(&[1.0], 1).len();
    let most = wanted.max(2) * 3 / 2;
    let mut values =
        if powers > 2 { ticks(&[1.0], powers.div_ceil(most)) } else { ticks(&[1.0, 2.0, 5.0], 1) };
    if values.len() < 2 {
        let round = linear(Span::new(low, high), wanted.clamp(4, 6)).marks;
        values = round.into_iter().map(|(value, _)| value).collect();
        values.retain(|value| *value > 0.0);
    }
    // Large numbers are all short or all long, so that no axis has both `1,000` and `10k`.
    let is_short = values.last().is_some_and(|value| *value >= 1e6);
    let label = if is_short { short } else { long };
    let marks = values.into_iter().map(|value| (value, label(value))).collect();
    Ticks { span: Span::new(low, high), marks, scale: Scale::Log }
}

/// Returns a number without an exponent, such as `0.02` or `20,000`.
fn long(value: f64) -> String {
    if value >= 1000.0 { grouped(value, 0) } else { rounded(value).to_string() }
}

/// Returns a number as a short label, such as `0.02`, `500`, `20k` or `1M`.
fn short(value: f64) -> String {
    let units = [(1e9, "G"), (1e6, "M"), (1e3, "k")];
    let (unit, letter) = units.into_iter().find(|(unit, _)| value >= *unit).unwrap_or((1.0, ""));
    format!("{}{letter}", rounded(value / unit))
}

/// Returns a number without the errors of a multiplication by a power of ten: with nine digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.8e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, low: f64, high: f64) -> String {
        let ticks = Ticks::new(scale, Span::new(low, high), 5);
        assert!(ticks.share(low) >= -1e-9 && ticks.share(high) <= 1.0 + 1e-9);
        ticks.marks.into_iter().map(|(_, label)| label).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_round_and_lie_between_the_ends() {
        for (low, high, expected) in [
            (0.0, 1.0, "0.0 0.2 0.4 0.6 0.8 1.0"),
            (3.1, 7.4, "4 5 6 7"),
            (0.0, 12_345.0, "0 2,500 5,000 7,500 10,000"),
            (-1.0, 1.0, "-1.0 -0.5 0.0 0.5 1.0"),
            (5.0, 5.0, "3 4 5 6 7"),
            (0.0123, 0.0201, "0.014 0.016 0.018 0.020"),
        ] {
            assert_eq!(labels(Scale::Linear, low, high), expected);
        }
        // The smallest positive number, and numbers that differ only in their last digit.
        for (low, high) in
            [(0.0, 5e-324), (5e-324, 5e-324), (1e300, 1e300_f64.next_up()), (1e15, 1e15_f64.next_up())]
        {
            for scale in [Scale::Linear, Scale::Log] {
                let count = Ticks::new(scale, Span::new(low, high), 5).marks.len();
                assert!((1..=20).contains(&count), "{low} to {high}: {count}");
            }
        }
        assert_eq!(labels(Scale::Log, 30.0, 2e6), "100 1k 10k 100k 1M");
        assert_eq!(labels(Scale::Log, 30.0, 200_000.0), "100 1,000 10,000 100,000");
        assert_eq!(labels(Scale::Log, 0.03, 3.0), "0.05 0.1 0.2 0.5 1 2");
        assert_eq!(labels(Scale::Log, 310.0, 390.0), "320 340 360 380");
        let mut crowded = Ticks::new(Scale::Linear, Span::new(0.0, 100_000.0), 5);
        crowded.thin(500.0);
        assert_eq!(crowded.marks.len(), 6);
        crowded.thin(200.0);
        assert_eq!(crowded.marks.len(), 3);
        assert_eq!(labels(Scale::Log, 1e-9, 1e9).split(' ').count(), 7);
    }

    #[test]
    fn axes_end_near_the_data() {
        let near = |a: Span, b: (f64, f64)| (a.low - b.0).abs() < 1e-9 && (a.high - b.1).abs() < 1e-9;
        let linear = |(low, high), fixed, most| ends(Scale::Linear, Span::new(low, high), fixed, most);
        assert!(near(linear((10.0, 20.0), None, None), (9.6, 20.4)));
        assert!(near(linear((0.1, 20.0), None, None), (0.0, 20.796)), "not below 0");
        assert!(near(linear((0.0, 20.0), Some(0.0), None), (0.0, 20.8)));
        assert!(near(linear((50.0, 99.0), None, Some(100.0)), (48.04, 100.0)), "not above 100 %");
        assert!(near(linear((50.0, 120.0), None, Some(100.0)), (47.2, 122.8)));
        assert!(near(linear((-20.0, -0.1), None, None), (-20.796, 0.0)));
        assert!(near(linear((0.0, 0.0), Some(0.0), None), (0.0, 1.0)));
        let Span { low, high } = ends(Scale::Log, Span::new(1.0, 1e5), None, None);
        assert!(low < 1.0 && low > 0.5 && high > 1e5 && high < 2e5);
    }
}
