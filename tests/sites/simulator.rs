//! The batch system of a site, apart from the program's own engine: events in a heap, a pass after each
//! instant, nodes by number.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::ops::Range;

/// A job of a site. Times are in seconds.
#[derive(Clone, Debug, Default)]
pub(crate) struct SiteJob {
    pub(crate) number: usize,
    pub(crate) submit_s: i64,
    pub(crate) nodes: usize,
    pub(crate) run_s: i64,
    /// The time limit; `None` for UNLIMITED.
    pub(crate) limit_s: Option<i64>,
    pub(crate) user: usize,
    pub(crate) is_urgent: bool,
    pub(crate) partition: usize,
    /// The job that has to end first.
    pub(crate) after: Option<usize>,
    /// A hold from the submission on.
    pub(crate) hold_s: i64,
    /// The user cancels the job if it waits that long.
    pub(crate) patience_s: Option<i64>,
    /// When the job was eligible first, and last.
    pub(crate) ready_s: Option<i64>,
    pub(crate) eligible_s: Option<i64>,
    pub(crate) start_s: Option<i64>,
    pub(crate) end_s: Option<i64>,
    /// The nodes of the last run.
    pub(crate) on: Vec<usize>,
    /// The recorded start of a job that keeps it.
    pub(crate) kept_start_s: Option<i64>,
}

/// The order of the queue, and whether jobs are backfilled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Policy {
    Easy,
    Fcfs,
    /// EASY with the shortest limit first.
    Shortest,
}

/// A failure of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Failure {
    pub(crate) at_s: i64,
    pub(crate) node: usize,
    pub(crate) repair_s: i64,
}

/// The rules of a site.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    pub(crate) policy: Policy,
    pub(crate) has_priorities: bool,
    /// Spans in which nothing runs, known in advance.
    pub(crate) maintenance: Vec<Range<i64>>,
    pub(crate) failures: Vec<Failure>,
    /// Most running jobs of a user.
    pub(crate) most_running: usize,
    /// The nodes of each partition.
    pub(crate) partitions: Vec<Range<usize>>,
    pub(crate) nodes: usize,
    /// The first instant with a pass. Jobs that started before keep their starts.
    pub(crate) from_s: i64,
}

/// The events of an instant, in their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// The run with this number of a job ends.
    End(usize, u32),
    /// A job starts that keeps its start and its nodes.
    Kept(usize),
    Up(usize),
    Down(usize),
    Eligible(usize),
    Cancel(usize),
    /// A pass is due.
    Pass,
}

/// A limit that no event is beyond.
const NEVER_S: i64 = 1 << 40;
/// Seconds from the failure of a node to the return of its job to the queue.
const REQUEUE_S: i64 = 120;

struct Simulation<'a> {
    site: &'a Site,
    jobs: &'a mut [SiteJob],
    events: BinaryHeap<Reverse<(i64, Event)>>,
    /// The failures that each node has now, and the job on it.
    down: Vec<u32>,
    holder: Vec<Option<usize>>,
    queue: Vec<usize>,
    running: Vec<usize>,
    runs: Vec<u32>,
    /// The jobs that wait for the end of each job.
    followers: BTreeMap<usize, Vec<usize>>,
}

/// Runs the jobs: fills in when each was eligible, started and ended, and on which nodes.
pub(crate) fn simulate(site: &Site, jobs: &mut [SiteJob]) {
    let mut events = BinaryHeap::new();
    let mut followers = BTreeMap::<usize, Vec<usize>>::new();
    for (i, job) in jobs.iter_mut().enumerate() {
        (job.ready_s, job.eligible_s, job.start_s, job.end_s) = (None, None, None, None);
        if let Some(start_s) = job.kept_start_s {
            events.push(Reverse((start_s, Event::Kept(i))));
            continue;
        }
        match job.after {
            Some(first) => followers.entry(first).or_default().push(i),
            None => events.push(Reverse((job.submit_s + job.hold_s, Event::Eligible(i)))),
        }
        events.extend(job.patience_s.map(|after_s| Reverse((job.submit_s + after_s, Event::Cancel(i)))));
    }
    events.push(Reverse((site.from_s, Event::Pass)));
    events.extend(site.maintenance.iter().map(|span| Reverse((span.end, Event::Pass))));
    for failure in &site.failures {
        events.push(Reverse((failure.at_s, Event::Down(failure.node))));
        events.push(Reverse((failure.at_s + failure.repair_s, Event::Up(failure.node))));
    }
    let count = jobs.len();
    let mut simulation = Simulation {
        site,
        jobs,
        events,
        down: vec![0; site.nodes],
        holder: vec![None; site.nodes],
        queue: Vec::new(),
        running: Vec::new(),
        runs: vec![0; count],
        followers,
    };
    while let Some(&Reverse((now, _))) = simulation.events.peek() {
        while simulation.events.peek().is_some_and(|next| next.0.0 == now) {
            if let Some(Reverse((_, event))) = simulation.events.pop() {
                simulation.happen(event, now);
            }
        }
        if now >= site.from_s && !site.maintenance.iter().any(|span| span.contains(&now)) {
            simulation.pass(now);
        }
    }
}

impl Simulation<'_> {
    fn happen(&mut self, event: Event, now: i64) {
        match event {
            Event::End(job, run) if self.runs[job] == run && self.running.contains(&job) => {
                self.end(job, now);
                for follower in self.followers.remove(&job).unwrap_or_default() {
                    let at = now.max(self.jobs[follower].submit_s + self.jobs[follower].hold_s);
                    self.events.push(Reverse((at, Event::Eligible(follower))));
                }
            }
            Event::End(..) | Event::Pass => {}
            Event::Kept(job) => {
                let on = self.jobs[job].on.clone();
                self.start(job, now, on);
            }
            Event::Up(node) => self.down[node] -= 1,
            Event::Down(node) => {
                self.down[node] += 1;
                if let Some(job) = self.holder[node] {
                    self.end(job, now);
                    (self.jobs[job].start_s, self.jobs[job].end_s) = (None, None);
                    self.events.push(Reverse((now + REQUEUE_S, Event::Eligible(job))));
                }
            }
            Event::Eligible(job) => {
                // A cancelled job has an end.
                if self.jobs[job].end_s.is_none() {
                    self.jobs[job].eligible_s = Some(now);
                    self.jobs[job].ready_s.get_or_insert(now);
                    self.queue.push(job);
                }
            }
            Event::Cancel(job) => {
                if self.jobs[job].start_s.is_none() {
                    self.jobs[job].end_s = Some(now);
                    self.queue.retain(|&other| other != job);
                }
            }
        }
    }

    fn end(&mut self, job: usize, now: i64) {
        for &node in &self.jobs[job].on {
            self.holder[node] = None;
        }
        self.running.retain(|&other| other != job);
        self.jobs[job].end_s = Some(now);
    }

    fn start(&mut self, job: usize, now: i64, on: Vec<usize>) {
        for &node in &on {
            self.holder[node] = Some(job);
        }
        self.running.push(job);
        self.runs[job] += 1;
        self.events.push(Reverse((now + self.jobs[job].run_s, Event::End(job, self.runs[job]))));
        (self.jobs[job].start_s, self.jobs[job].on) = (Some(now), on);
    }

    fn is_free(&self, node: usize) -> bool {
        self.down[node] == 0 && self.holder[node].is_none()
    }

    fn limit_s(&self, job: usize) -> i64 {
        self.jobs[job].limit_s.unwrap_or(NEVER_S)
    }

    /// Starts jobs by the policy, with a reservation for the first blocked job of each partition.
    fn pass(&mut self, now: i64) {
        let Site { policy, has_priorities, maintenance, most_running, partitions, .. } = self.site;
        let next = maintenance.iter().map(|span| span.start).filter(|&start| start > now).min();
        let key = |&job: &usize| {
            let SiteJob { is_urgent, eligible_s, .. } = self.jobs[job];
            let length = if *policy == Policy::Shortest { self.limit_s(job) } else { 0 };
            (*has_priorities && !is_urgent, length, eligible_s, job)
        };
        let mut queue = self.queue.clone();
        queue.sort_by_key(key);
        self.queue.clear();
        // By partition: the shadow time, and the nodes free then beyond the need of the head.
        let mut heads: Vec<Option<(i64, usize)>> = vec![None; partitions.len()];
        for job in queue {
            let SiteJob { nodes, user, partition, .. } = self.jobs[job];
            let of_user = self.running.iter().filter(|&&other| self.jobs[other].user == user).count();
            let free: Vec<usize> = partitions[partition].clone().filter(|&node| self.is_free(node)).collect();
            let runs_into = next.is_some_and(|next| now + self.limit_s(job) > next);
            let fits = nodes <= free.len() && !runs_into;
            let may_start = match heads[partition] {
                _ if !fits || of_user >= *most_running => false,
                None => true,
                Some(_) if *policy == Policy::Fcfs => false,
                Some((shadow, extra)) => now + self.limit_s(job) <= shadow || nodes <= extra,
            };
            if may_start {
                if let Some((shadow, extra)) = &mut heads[partition]
                    && now + self.limit_s(job) > *shadow
                {
                    *extra -= nodes;
                }
                self.start(job, now, free[..nodes].to_vec());
                continue;
            }
            self.queue.push(job);
            if heads[partition].is_none() && of_user < *most_running {
                heads[partition] = Some(self.reservation(job, now, free.len(), runs_into));
            }
        }
    }

    /// Returns the shadow time of a blocked job and the extra nodes then.
    fn reservation(&self, job: usize, now: i64, free: usize, runs_into: bool) -> (i64, usize) {
        if runs_into {
            return (NEVER_S, self.site.nodes);
        }
        let SiteJob { nodes, partition, .. } = self.jobs[job];
        let within = &self.site.partitions[partition];
        let end = |&other: &usize| (self.jobs[other].start_s.unwrap_or(now) + self.limit_s(other)).max(now);
        let mut ends: Vec<(i64, usize)> = self
            .running
            .iter()
            .map(|other| {
                (end(other), self.jobs[*other].on.iter().filter(|node| within.contains(node)).count())
            })
            .collect();
        ends.sort_unstable();
        let (mut free, mut shadow) = (free, NEVER_S);
        for (end, count) in ends {
            if free >= nodes && end > shadow {
                break;
            }
            free += count;
            if free >= nodes && shadow == NEVER_S {
                shadow = end;
            }
        }
        (shadow, free.saturating_sub(nodes))
    }
}
