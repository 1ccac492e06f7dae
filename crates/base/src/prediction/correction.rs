//! Corrections of predictions that running jobs outlive.

use crate::job::Time;

/// The rule that corrects a prediction when a running job outlives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// Steps of growing length: the first prediction plus 1 minute, then plus 5, 15 or 30 minutes, 1, 2, 5,
    /// 10, 20, 50 or 100 hours, each replacing the step before. The requested time is the upper bound and
    /// follows the last step. D. Tsafrir, Y. Etsion, D. Feitelson, "Backfilling using system-generated
    /// predictions rather than user runtime estimates", IEEE TPDS 18(6), 2007.
    Tsafrir,
    /// The requested time at once.
    Request,
    /// No correction: the replay fails.
    Error,
}

/// The names of all corrections.
pub const CORRECTIONS: &[(&str, Correction)] =
    &[("tsafrir", Correction::Tsafrir), ("request", Correction::Request), ("error", Correction::Error)];

/// Seconds that [`Correction::Tsafrir`] adds to the first prediction.
const STEPS_S: [i64; 11] = [60, 300, 900, 1_800, 3_600, 7_200, 18_000, 36_000, 72_000, 180_000, 360_000];

impl Correction {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        CORRECTIONS.iter().find(|(_, other)| *other == self).map_or("", |(name, _)| *name)
    }

    /// Returns the prediction after correction number `number`, from 0; `None` if the rule has no correction.
    /// `first` is the prediction made on arrival, `request` the requested time.
    pub fn corrected(self, first: Time, number: u32, request: Time) -> Option<Time> {
        match self {
            Self::Tsafrir => {
                let step_s = STEPS_S.get(number as usize);
                Some(step_s.map_or(request, |&step_s| request.min(first + Time::from_seconds(step_s))))
            }
            Self::Request => Some(request),
            Self::Error => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_replace_each_other_up_to_the_requested_time() {
        let at = Time::from_seconds;
        let steps = |first, request: i64, count| -> Vec<i64> {
            let corrected = |number| Correction::Tsafrir.corrected(at(first), number, at(request));
            (0..count).filter_map(corrected).map(|time| time.as_micros() / 1_000_000).collect()
        };
        assert_eq!(steps(100, 10_000, 7), [160, 400, 1000, 1900, 3700, 7300, 10_000]);
        assert_eq!(steps(0, 1_000_000, 13)[9..], [180_000, 360_000, 1_000_000, 1_000_000]);
        assert_eq!(Correction::Request.corrected(at(5), 0, at(50)), Some(at(50)));
        assert_eq!(Correction::Error.corrected(at(5), 0, at(50)), None);
    }
}
