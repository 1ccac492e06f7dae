//! Deviation of a log from the order of arrival.

use std::collections::VecDeque;

use meshreplay_base::job::Time;

/// Largest reorder buffer of a streamed log, in jobs.
const LARGEST_BUFFER: usize = 1 << 16;

/// Finds, while a log is read, the size of the reorder buffer that restores the order of arrival.
#[derive(Clone, Debug)]
pub(in crate::study) struct Lateness {
    /// The running maximum of arrivals after each of the last jobs, so a non-decreasing list.
    latest: VecDeque<Time>,
    largest_buffer: usize,
    buffer_size: Option<usize>,
}

impl Default for Lateness {
    fn default() -> Self {
        Self::within(LARGEST_BUFFER)
    }
}

impl Lateness {
    /// For a buffer of at most `largest_buffer` jobs.
    fn within(largest_buffer: usize) -> Self {
        Self { latest: VecDeque::new(), largest_buffer, buffer_size: Some(0) }
    }

    /// Adds the arrival of the next job. O(1), or O(log `largest_buffer`) for a job that arrived before an
    /// earlier one of the log.
    pub(in crate::study) fn add(&mut self, submit: Time) {
        let Some(buffer_size) = self.buffer_size else { return };
        let latest = self.latest.back().copied().unwrap_or(submit);
        if submit < latest {
            // The job comes before all of these, so the first of them waits for it in the buffer.
            let overtaken = self.latest.len() - self.latest.partition_point(|&latest| latest <= submit);
            self.buffer_size = (overtaken <= self.largest_buffer).then(|| buffer_size.max(overtaken));
        }
        if self.latest.len() > self.largest_buffer {
            self.latest.pop_front();
        }
        self.latest.push_back(latest.max(submit));
    }

    /// Returns the size of the buffer, 0 if the log has the order of arrival; `None` if it exceeds the limit.
    pub(in crate::study) fn buffer_size(&self) -> Option<usize> {
        self.buffer_size
    }
}

#[cfg(test)]
mod tests {
    use std::cmp::Reverse;
    use std::collections::BinaryHeap;

    use super::*;

    /// Returns the times as they leave a buffer of `buffer_size` jobs.
    fn handed_out(times: &[i64], buffer_size: usize) -> Vec<(i64, usize)> {
        let (mut heap, mut out) = (BinaryHeap::new(), Vec::new());
        for (at, &time) in times.iter().enumerate() {
            heap.push(Reverse((time, at)));
            if heap.len() > buffer_size {
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
            let least = (0..6).find(|&buffer_size| handed_out(&times, buffer_size) == sorted);
            for most in 0..6 {
                let mut lateness = Lateness::within(most);
                for &time in &times {
                    lateness.add(Time::from_seconds(time));
                }
                match lateness.buffer_size() {
                    Some(buffer_size) => {
                        assert!(
                            buffer_size <= most && handed_out(&times, buffer_size) == sorted,
                            "{times:?} {most}"
                        );
                        assert_eq!(buffer_size == 0, least == Some(0), "{times:?}");
                    }
                    None => assert!(times.windows(2).any(|pair| pair[0] > pair[1]), "{times:?}"),
                }
                assert!(most < 5 || lateness.buffer_size().is_some(), "{times:?}");
            }
        }
    }
}
