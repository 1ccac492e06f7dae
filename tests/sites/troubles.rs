//! Sites: random jobs, the troubles of a site, and how their schedules would be under plain EASY.

use std::ops::Range;

use super::simulator::{Failure, Policy, Site, SiteJob, simulate};
use meshreplay_testing::Numbers;

/// What makes a recorded schedule differ from that of one scheduler on these jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// The dump of a month.
    Window,
    /// The jobs that were submitted in a month.
    BySubmission,
    Maintenance,
    /// Jobs that wait for others, and holds.
    Dependencies,
    Priorities,
    Failures,
    /// A third of the jobs without a time limit.
    Unlimited,
    /// At most three running jobs of a user.
    UserLimits,
    /// Two partitions with some nodes in common.
    Partitions,
    /// Jobs that users cancel while they wait.
    Cancelled,
}

/// A site after its jobs have run.
pub(crate) struct Laboratory {
    pub(crate) jobs: Vec<SiteJob>,
    site: Site,
    /// The jobs of a dump: all, or those of this period.
    pub(crate) window: Option<Range<i64>>,
    pub(crate) is_by_submission: bool,
}

/// Nodes of the machine.
const NODES: usize = 128;
/// Seconds of a day.
pub(crate) const DAY_S: i64 = 86_400;

/// Returns a number from 0 to below 1.
fn unit(numbers: &mut Numbers) -> f64 {
    f64::from(numbers.below(1 << 30)) / f64::from(1_u32 << 30)
}

/// Returns an exponential variate with this mean.
fn exponential(numbers: &mut Numbers, mean: f64) -> f64 {
    -mean * (1.0 - unit(numbers)).ln()
}

/// Returns jobs with a daily cycle of arrivals and this load.
fn jobs(numbers: &mut Numbers, count: usize, load: f64) -> Vec<SiteJob> {
    let mut jobs = Vec::new();
    for number in 0..count {
        let nodes = match numbers.below(20) {
            0..5 => 1,
            5..17 => 1 << (1 + numbers.below(6)),
            _ => 2 + numbers.below(63) as usize,
        };
        let run_s = ((7.6 + 1.2 * (unit(numbers) + unit(numbers) + unit(numbers) - 1.5) * 2.0).exp() as i64)
            .clamp(10, 3 * DAY_S);
        let factor = [1.1, 1.5, 2.0, 5.0, 10.0][numbers.below(5) as usize];
        let limit_s = if numbers.below(10) < 3 { 7 * DAY_S } else { (run_s as f64 * factor) as i64 };
        let limit_s = Some((limit_s + 899) / 900 * 900);
        let user = exponential(numbers, 6.0).min(29.0) as usize;
        jobs.push(SiteJob { number: 1000 + number, nodes, run_s, limit_s, user, ..SiteJob::default() });
    }
    let work: i64 = jobs.iter().map(|job| job.nodes as i64 * job.run_s).sum();
    let gap_s = work as f64 / (NODES as f64 * load) / count as f64;
    let mut now_s = 0.0;
    for job in &mut jobs {
        now_s += exponential(numbers, gap_s);
        let phase = now_s / DAY_S as f64 * std::f64::consts::TAU;
        job.submit_s = (now_s + 2_800.0 * phase.sin()).max(0.0) as i64;
    }
    jobs.sort_by_key(|job| job.submit_s);
    (0..).zip(&mut jobs).for_each(|(i, job)| job.number = 1000 + i);
    jobs
}

impl Laboratory {
    /// Runs a site with these troubles.
    pub(crate) fn new(seed: u64, policy: Policy, troubles: &[Trouble], count: usize) -> Self {
        let mut numbers = Numbers(seed.wrapping_mul(0x9E37_79B9) + 17);
        let has = |trouble: Trouble| troubles.contains(&trouble);
        let load = if policy == Policy::Fcfs { 0.55 } else { 0.8 };
        let mut jobs = jobs(&mut numbers, count, load);
        let span_s = jobs.last().map_or(0, |job| job.submit_s);
        if has(Trouble::Partitions) {
            for job in &mut jobs {
                job.partition = usize::from(numbers.below(3) == 0);
            }
        }
        let mut last_of = vec![None; 30];
        for i in 0..jobs.len() {
            if has(Trouble::Priorities) {
                jobs[i].is_urgent = numbers.below(4) == 0;
            }
            if has(Trouble::Unlimited) && numbers.below(3) == 0 {
                jobs[i].limit_s = None;
            }
            if has(Trouble::Cancelled) && numbers.below(7) == 0 {
                jobs[i].patience_s = Some(exponential(&mut numbers, 3.0 * 3600.0) as i64 + 1);
            }
            if has(Trouble::Dependencies) {
                let before: Option<usize> = last_of[jobs[i].user];
                let is_near = |&other: &usize| jobs[i].submit_s - jobs[other].submit_s < 2 * DAY_S;
                match before.filter(is_near) {
                    Some(other) if numbers.below(4) == 0 => jobs[i].after = Some(other),
                    _ if numbers.below(20) == 0 => {
                        jobs[i].hold_s = exponential(&mut numbers, 12.0 * 3600.0) as i64;
                    }
                    _ => {}
                }
                last_of[jobs[i].user] = Some(i);
            }
        }
        let third = span_s / 3;
        let maintenance = if has(Trouble::Maintenance) { vec![third..third + 4 * DAY_S] } else { Vec::new() };
        let mut failures = Vec::new();
        let mut at_s = 0;
        while has(Trouble::Failures) && at_s < span_s {
            at_s += exponential(&mut numbers, 6.0 * 3600.0) as i64;
            let repair_s = 3600 + exponential(&mut numbers, 2.0 * DAY_S as f64) as i64;
            failures.push(Failure { at_s, node: numbers.below(NODES as u32) as usize, repair_s });
        }
        let partitions = if has(Trouble::Partitions) { vec![0..96, 64..128] } else { vec![0..NODES; 1] };
        let site = Site {
            policy,
            has_priorities: has(Trouble::Priorities),
            maintenance,
            failures,
            most_running: if has(Trouble::UserLimits) { 3 } else { usize::MAX },
            partitions,
            nodes: NODES,
            from_s: i64::MIN,
        };
        simulate(&site, &mut jobs);
        let is_part = has(Trouble::Window) || has(Trouble::BySubmission);
        let window = is_part.then(|| span_s / 4..span_s * 3 / 4);
        Self { jobs, site, window, is_by_submission: has(Trouble::BySubmission) }
    }

    /// Returns the true difference of the waits under EASY in the order of arrival, with the same troubles
    /// but priorities, to the recorded ones: inside a period, from the recorded state at its beginning on, as
    /// a share of the recorded waits. `is_there` selects the jobs of the dump.
    pub(crate) fn truth(
        &self,
        from_eligible: bool,
        period: Option<&Range<i64>>,
        is_there: impl Fn(&SiteJob) -> bool,
    ) -> f64 {
        let from_s = period.map_or(i64::MIN, |period| period.start);
        let mut easy = self.jobs.clone();
        for (job, ran) in easy.iter_mut().zip(&self.jobs) {
            job.kept_start_s = ran.start_s.filter(|&start_s| start_s < from_s);
            // Arrivals are those of the log: a job is eligible when it was.
            if let Some(ready_s) = ran.ready_s {
                (job.after, job.hold_s) = (None, ready_s - job.submit_s);
            }
            // The question is about the jobs that ran.
            job.patience_s = job.patience_s.filter(|_| ran.start_s.is_none());
        }
        let site = Site { policy: Policy::Easy, has_priorities: false, from_s, ..self.site.clone() };
        simulate(&site, &mut easy);
        let waited_s = |jobs: &[SiteJob]| {
            let mut sum_s = 0;
            for (job, ran) in jobs.iter().zip(&self.jobs).filter(|(_, ran)| is_there(ran)) {
                let arrival_s = job.eligible_s.filter(|_| from_eligible).unwrap_or(job.submit_s);
                let start_s = job.start_s.or(ran.start_s).unwrap_or(arrival_s);
                let ends = period.map_or([arrival_s, start_s], |period| {
                    [arrival_s, start_s].map(|time_s| time_s.clamp(period.start, period.end))
                });
                sum_s += (ends[1] - ends[0]).max(0);
            }
            sum_s as f64
        };
        waited_s(&easy) / waited_s(&self.jobs) - 1.0
    }
}
