//! Deviation of a log from the order of arrival.

use std::collections::VecDeque;

use meshreplay_base::job::Time;

/// Largest reorder buffer of a streamed log, in jobs.
const MOST_BUFFERED: usize = 1 << 16;

/// Finds, while a log is read, the size of the reorder buffer that restores the order of arrival.
#[derive(Clone, Debug)]
pub(in crate::study) struct Lateness {
    /// The running maximum of arrivals after each of the last jobs, so a non-decreasing list.
    latest: VecDeque<Time>,
    most_buffered: usize,
    buffered: Option<usize>,
}

impl Default for Lateness {
    fn default() -> Self {
        Self::within(MOST_BUFFERED)
    }
}

impl Lateness {
    /// For a buffer of at most `most_buffered` jobs.
    fn within(most_buffered: usize) -> Self {
        Self { latest: VecDeque::new(), most_buffered, buffered: Some(0) }
    }

    /// Adds the arrival of the next job. O(1), or O(log `most_buffered`) for a job that arrived before an
    /// earlier one of the log.
    pub(in crate::study) fn add(&mut self, submit: Time) {
        let Some(buffered) = self.buffered else { return };
        let latest = self.latest.back().copied().unwrap_or(submit);
        if submit < latest {
            // The job comes before all of these, so the first of them waits for it in the buffer.
            let overtaken = self.latest.len() - self.latest.partition_point(|&latest| latest <= submit);
            self.buffered = (overtaken <= self.most_buffered).then(|| buffered.max(overtaken));
        }
        if self.latest.len() > self.most_buffered {
            self.latest.pop_front();
        }
        self.latest.push_back(latest.max(submit));
    }

    /// Returns the size of the buffer, 0 if the log has the order of arrival; `None` if it exceeds the limit.
    pub(in crate::study) fn buffered(&self) -> Option<usize> {
        self.buffered
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use super::*;

    /// Returns the times as they leave a buffer of `buffered` jobs.
    fn handed_out(times: &[i64], buffered: usize) -> Vec<(i64, usize)> {
        let (mut heap, mut out) = (BinaryHeap::new(), Vec::new());
        for (at, &time) in times.iter().enumerate() {
            heap.push(Reverse((time, at)));
            if heap.len() > buffered {
                out.extend(heap.pop().map(|Reverse(next)| next));
            }
        }
        out.extend(std::iter::from_fn(|| heap.pop().map(|Reverse(next)| next)));
        out
    }

    /// All logs of six jobs with four different arrivals: the buffer is large enough and as small as
    /// possible.
    #[test]
    fn as_many_jobs_are_held_back_as_the_order_takes() {
        for code in 0..4_u32.pow(6) {
            let times: Vec<i64> = (0..6).map(|i| i64::from(code / 4_u32.pow(i) % 4)).collect();
            let mut sorted: Vec<(i64, usize)> = times.iter().copied().zip(0..).collect();
            sorted.sort_unstable();
            let least = (0..6).find(|&buffered| handed_out(&times, buffered) == sorted);
            for most in 0..6 {
                let mut lateness = Lateness::within(most);
                for &time in &times {
                    lateness.add(Time::from_seconds(time));
                }
                match lateness.buffered() {
                    Some(buffered) => {
                        assert!(
                            buffered <= most && handed_out(&times, buffered) == sorted,
                            "{times:?} {most}"
                        );
                        assert_eq!(buffered == 0, least == Some(0), "{times:?}");
                    }
                    None => assert!(times.windows(2).any(|pair| pair[0] > pair[1]), "{times:?}"),
                }
                assert!(most < 5 || lateness.buffered().is_some(), "{times:?}");
            }
        }
    }
}
