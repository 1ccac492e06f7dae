//! What may be said of recorded waits against simulated ones, by the causes of the recorded waits.
//!
//! A backfilling scheduler leaves little waiting that is free to start, whatever its order. With little of
//! it, recorded and simulated waits differ by the schedulers. With much of it, the recorded scheduler does
//! not backfill, and then no job overtakes another, or jobs were held for reasons that no replay has. The
//! thresholds are from simulated sites with planted reasons.

use super::cause::WhyShares;

/// Least share of the waiting, free to start, with another order, reservations or holds. Below 1 %, two of
/// 400 simulated sites had a difference that was wrong by more than 5 %.
const SOME: f64 = 0.005;
/// Largest share that an order of the queue explains.
const MUCH: f64 = 0.1;
/// Largest share of overtaking starts without backfilling.
const FEW_OVERTAKING: f64 = 0.01;

/// The meaning of a difference between recorded and simulated waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedWaits {
    /// Less than 0.5 % of the waiting was free to start: the difference is one of schedulers.
    Comparable,
    /// From 0.5 to 10 %: another order, reservations or holds are part of the difference.
    PartlyFree,
    /// More than 10 %, and at most 1 % of the starts overtook an older job: the recorded scheduler does not
    /// backfill, and the difference is one of schedulers.
    WithoutBackfilling,
    /// More than 10 %: jobs were held for other reasons, and a difference would count that as gain.
    Held,
    /// The size of the machine is not known, and more than 10 % were free to start on one of its bounds.
    Unclear,
}

impl RecordedWaits {
    /// Decides by the share of waiting that was free to start and the share of starts that overtook an older
    /// waiting job, both from 0 to 1.
    pub fn of_shares(free: f64, overtaking: f64) -> Self {
        if free < SOME {
            Self::Comparable
        } else if free <= MUCH {
            Self::PartlyFree
        } else if overtaking <= FEW_OVERTAKING {
            Self::WithoutBackfilling
        } else {
            Self::Held
        }
    }

    /// Decides by the shares on the machine and, if its size is not known, on the smallest one.
    pub fn of_bounds(machine: WhyShares, peak: Option<WhyShares>) -> Self {
        let decide = |shares: WhyShares| Self::of_shares(shares.free, shares.overtaking);
        let first = decide(machine);
        match peak.map_or(first, decide) {
            other if other == first => first,
            other if first.has_little_free() && other.has_little_free() => Self::PartlyFree,
            _ => Self::Unclear,
        }
    }

    /// Returns whether at most 10 % of the waiting was free to start.
    fn has_little_free(self) -> bool {
        matches!(self, Self::Comparable | Self::PartlyFree)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{JobRun, explain};
    use super::*;
    use meshreplay_base::job::Time;

    #[test]
    fn thresholds_decide_what_is_said() {
        for (free, overtaking, expected) in [
            (0.0, 0.5, RecordedWaits::Comparable),
            (0.0049, 0.0, RecordedWaits::Comparable),
            (0.005, 0.5, RecordedWaits::PartlyFree),
            (0.1, 0.0, RecordedWaits::PartlyFree),
            (0.11, 0.0, RecordedWaits::WithoutBackfilling),
            (0.11, 0.01, RecordedWaits::WithoutBackfilling),
            (0.11, 0.02, RecordedWaits::Held),
            (1.0, 1.0, RecordedWaits::Held),
        ] {
            assert_eq!(RecordedWaits::of_shares(free, overtaking), expected, "{free} {overtaking}");
        }
    }

    #[test]
    fn bounds_of_the_machine_have_to_agree() {
        // Job 1 fits beside job 0 on 10 nodes and waits, and job 2 overtakes it. On 9 nodes job 1 does not
        // fit.
        let run = |(submit, start, end, nodes)| {
            let [submit, start, end] = [submit, start, end].map(Time::from_seconds);
            JobRun { submit, start, end, nodes, limit: Some(end - start) }
        };
        let runs = [(0, 0, 50, 5), (10, 50, 60, 5), (20, 20, 30, 4)].map(run);
        let [large, small] = [10, 9].map(|nodes| explain(&runs, &[(Time::ZERO, nodes)], &[], None).shares());
        assert_eq!(RecordedWaits::of_bounds(large, None), RecordedWaits::Held);
        assert_eq!(RecordedWaits::of_bounds(small, None), RecordedWaits::Comparable);
        assert_eq!(RecordedWaits::of_bounds(large, Some(large)), RecordedWaits::Held);
        assert_eq!(RecordedWaits::of_bounds(large, Some(small)), RecordedWaits::Unclear);
    }
}
