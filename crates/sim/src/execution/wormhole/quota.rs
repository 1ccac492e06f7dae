//! The messages of a job: their number, senders and receivers.

use rand::seq::index::sample;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp1};

use super::pattern::{Pattern, Processes};
use meshreplay_base::job::Job;

/// The unit of the drawn number of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quota {
    /// All packets of the job.
    Total,
    /// The packets of each process that sends any.
    PerProcessor,
    /// Rounds of the pattern.
    Rounds,
}

/// The distribution of the number of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Law {
    /// Exponential, rounded up to a whole number.
    Exponential,
    /// Always the mean, rounded up to a whole number.
    Constant,
}

/// The rule for drawing the messages of all jobs of a replay.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The communication pattern.
    pub(super) pattern: Pattern,
    /// The unit of the number of messages.
    pub(super) quota: Quota,
    /// The distribution of the number of messages.
    pub(super) law: Law,
    /// The mean number of messages.
    pub(super) messages: f64,
    /// The seed of the replay.
    pub(super) seed: u64,
}

/// The messages of one process: whole rounds, then drawn messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sender {
    /// The number of the process.
    pub(super) rank: u32,
    /// Messages in whole rounds.
    whole: u64,
    /// The range of its drawn messages in the list of the job: first, and one after the last.
    drawn: (u32, u32),
    /// Messages sent.
    sent: u64,
}

/// The messages of one job.
#[derive(Clone, Debug)]
pub(super) struct Messages {
    pattern: Pattern,
    pub(super) processes: Processes,
    /// The processes that send, by rank.
    pub(super) senders: Vec<Sender>,
    /// The receivers of the drawn messages, by sender.
    drawn: Vec<u32>,
    /// The random stream of the job, which gives the receivers of whole rounds of random traffic on demand.
    random: ChaCha8Rng,
    /// The number of all packets.
    pub(super) packets: u64,
}

/// Returns the random stream of a job. It depends on the seed and the log's number of the job only: not on
/// other jobs, the nodes or the start.
fn stream(seed: u64, job: &Job) -> ChaCha8Rng {
    let mut random = ChaCha8Rng::seed_from_u64(seed ^ u64::from_le_bytes(*b"messages"));
    random.set_stream(job.number as u64);
    random
}

/// The most messages drawn from a round of a job. They are in memory together with a part of the round.
const MOST_OF_A_ROUND: u64 = 1 << 24;

/// The most messages drawn for all processes of a job together. They are in memory.
const MOST_OF_ALL: u64 = 1 << 27;

impl Plan {
    /// Draws the messages of a job. `placed` has the sides of the bounding submesh of its placement, or is
    /// `None` if the placement has more nodes than processes. O(k) time and memory for whole rounds of k
    /// processes, plus O(messages) for a part of a round. Fails with a message if that part is too large.
    pub(super) fn draw(&self, job: &Job, placed: Option<[u32; 3]>) -> Result<Messages, String> {
        let mut random = stream(self.seed, job);
        let root = random.random_range(0..job.procs.max(1));
        let processes = Processes::new(job.procs, job.shape, root);
        let processes = placed.map_or(processes, |sides| processes.turned(sides));
        let quota = match self.law {
            Law::Exponential => {
                let unit: f64 = Exp1.sample(&mut random);
                (self.messages * unit).ceil()
            }
            Law::Constant => self.messages.ceil(),
        } as u64;
        let counts: Vec<u32> = (0..job.procs).map(|rank| self.pattern.messages(&processes, rank)).collect();
        self.check(job, &counts, quota)?;
        let mut messages = Messages {
            pattern: self.pattern,
            processes,
            senders: Vec::new(),
            drawn: Vec::new(),
            random: random.clone(),
            packets: 0,
        };
        match self.quota {
            Quota::Rounds => messages.whole_rounds(&counts, quota),
            Quota::Total => {
                let round: u64 = counts.iter().map(|&count| u64::from(count)).sum();
                if let Some(rounds) = quota.checked_div(round) {
                    messages.whole_rounds(&counts, rounds);
                    messages.part_of_a_round(&counts, round, quota % round, &mut random);
                }
            }
            Quota::PerProcessor => messages.same_for_all(&counts, quota, &mut random),
        }
        messages.packets = messages.senders.iter().map(Sender::messages).sum();
        Ok(messages)
    }

    /// Fails if too many messages of a job would have to be drawn. `counts` has the messages of each process
    /// in a round.
    fn check(&self, job: &Job, counts: &[u32], quota: u64) -> Result<(), String> {
        let counts = counts.iter().map(|&count| u64::from(count)).filter(|count| *count > 0);
        let (drawn, most) = match self.quota {
            Quota::Rounds => return Ok(()),
            Quota::Total => (quota.checked_rem(counts.sum()).unwrap_or(0), MOST_OF_A_ROUND),
            Quota::PerProcessor => (counts.map(|count| quota % count).sum(), MOST_OF_ALL),
        };
        if drawn <= most {
            return Ok(());
        }
        let (number, messages) = (job.number, self.messages);
        Err(format!(
            "job {number}: messages={messages} is {drawn} messages beyond whole rounds of its pattern, of \
             which {most} are kept in memory at most; expected fewer messages, or quota=rounds"
        ))
    }
}

impl Sender {
    /// Returns the number of messages of this process.
    fn messages(&self) -> u64 {
        self.whole + u64::from(self.drawn.1 - self.drawn.0)
    }
}

impl Messages {
    /// Assigns `rounds` whole rounds to every process. `counts` has the messages of each process in a round.
    fn whole_rounds(&mut self, counts: &[u32], rounds: u64) {
        let senders = (0..).zip(counts).map(|(rank, &count)| Sender {
            rank,
            whole: u64::from(count) * rounds,
            ..Sender::default()
        });
        self.senders = senders.filter(|sender| sender.whole > 0).collect();
    }

    /// Adds `some` of the `round` messages of a round, drawn without replacement. The messages of each sender
    /// keep the order of the draws.
    fn part_of_a_round(&mut self, counts: &[u32], round: u64, some: u64, random: &mut ChaCha8Rng) {
        // Prefix sums: message `at` of a round belongs to the last process whose start is at most `at`.
        let starts: Vec<u64> = counts
            .iter()
            .scan(0, |sum, &count| {
                *sum += u64::from(count);
                Some(*sum - u64::from(count))
            })
            .collect();
        let mut drawn: Vec<(u32, u32)> = Vec::with_capacity(some as usize);
        for at in sample(random, round as usize, some as usize) {
            let at = at as u64;
            // Binary search. Of several processes with the same start, only the last one sends.
            let rank = starts.partition_point(|&start| start <= at) - 1;
            drawn.push((rank as u32, self.target(rank as u32, (at - starts[rank]) as u32, random)));
        }
        drawn.sort_by_key(|&(rank, _)| rank);
        self.add(&drawn);
    }

    /// Assigns `quota` messages to every process that sends in a round: whole rounds, and a drawn part of one
    /// more round.
    fn same_for_all(&mut self, counts: &[u32], quota: u64, random: &mut ChaCha8Rng) {
        let mut drawn = Vec::new();
        for (rank, &count) in (0..).zip(counts).filter(|(_, count)| **count > 0) {
            let rest = quota % u64::from(count);
            let whole = quota - rest;
            if whole > 0 {
                self.senders.push(Sender { rank, whole, ..Sender::default() });
            }
            for i in sample(random, count as usize, rest as usize) {
                drawn.push((rank, self.target(rank, i as u32, random)));
            }
        }
        self.add(&drawn);
    }

    /// Adds drawn messages as pairs of sender and receiver, sorted by sender.
    fn add(&mut self, drawn: &[(u32, u32)]) {
        let mut senders = Vec::with_capacity(self.senders.len().max(drawn.len().min(64)));
        let mut whole = std::mem::take(&mut self.senders).into_iter().peekable();
        let mut at = 0;
        // Merges two sorted lists: the senders of whole rounds and of drawn messages.
        for part in drawn.chunk_by(|a, b| a.0 == b.0) {
            let (rank, end) = (part[0].0, at + part.len() as u32);
            while let Some(sender) = whole.next_if(|sender| sender.rank < rank) {
                senders.push(sender);
            }
            let sender = whole.next_if(|sender| sender.rank == rank);
            let sender = sender.unwrap_or(Sender { rank, ..Sender::default() });
            senders.push(Sender { drawn: (at, end), ..sender });
            at = end;
        }
        senders.extend(whole);
        self.senders = senders;
        self.drawn = drawn.iter().map(|&(_, target)| target).collect();
    }

    /// Returns the receiver of message `i` of process `rank` in a round.
    fn target(&self, rank: u32, i: u32, random: &mut impl Rng) -> u32 {
        let drawn = match self.pattern {
            Pattern::Random => random.random_range(0..self.processes.count - 1),
            _ => 0,
        };
        self.pattern.target(&self.processes, rank, i, drawn)
    }

    /// Returns the rank of sender `i` and the number of its last message, from 0.
    pub(super) fn last_sent(&self, i: u32) -> (u32, u64) {
        let sender = &self.senders[i as usize];
        (sender.rank, sender.sent.saturating_sub(1))
    }

    /// Returns the receiver of the next message of sender `i`, or `None` after its last message.
    pub(super) fn next(&mut self, i: u32) -> Option<u32> {
        let sender = &mut self.senders[i as usize];
        let (at, rank) = (sender.sent, sender.rank);
        sender.sent += 1;
        if at < sender.whole {
            let in_round = u64::from(self.pattern.messages(&self.processes, rank));
            let drawn = if self.pattern == Pattern::Random {
                // Each message has its own position in the stream (counter-based random numbers), so its
                // receiver does not depend on the order in which the processes send.
                self.random.set_word_pos((u128::from(rank) << 40 | u128::from(at)) << 4);
                self.random.random_range(0..self.processes.count - 1)
            } else {
                0
            };
            return Some(self.pattern.target(&self.processes, rank, (at % in_round) as u32, drawn));
        }
        let (first, end) = sender.drawn;
        let at = u64::from(first) + (at - sender.whole);
        (at < u64::from(end)).then(|| self.drawn[at as usize])
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use meshreplay_base::job::{Shape, Time};

    fn job(procs: u32) -> Job {
        numbered(1, procs)
    }

    fn numbered(number: i64, procs: u32) -> Job {
        let run = Time::from_seconds(1);
        Job { number, submit: run, run, estimate: run, procs, shape: Shape::NearSquare, ..Job::default() }
    }

    fn plan(pattern: Pattern, quota: Quota, messages: f64) -> Plan {
        Plan { pattern, quota, law: Law::Constant, messages, seed: 3 }
    }

    /// Counts the messages of each pair of processes.
    fn sent(messages: &mut Messages) -> BTreeMap<(u32, u32), u64> {
        let mut pairs = BTreeMap::new();
        for i in 0..messages.senders.len() as u32 {
            let rank = messages.senders[i as usize].rank;
            while let Some(target) = messages.next(i) {
                *pairs.entry((rank, target)).or_default() += 1;
            }
        }
        assert_eq!(pairs.values().sum::<u64>(), messages.packets);
        pairs
    }

    #[test]
    fn pairs_repeat_only_when_they_are_exhausted() {
        for k in 2..9_u32 {
            let pairs = u64::from(k * (k - 1));
            for quota in 0..3 * pairs {
                let found = sent(
                    &mut plan(Pattern::AllToAll, Quota::Total, quota as f64)
                        .draw(&job(k), None)
                        .expect("few messages"),
                );
                assert_eq!(found.values().sum::<u64>(), quota);
                let least =
                    if (found.len() as u64) < pairs { 0 } else { *found.values().min().unwrap_or(&0) };
                assert_eq!(least, quota / pairs);
                assert!(found.values().all(|&count| count <= quota.div_ceil(pairs)), "{k} {quota}");
            }
        }
    }

    #[test]
    fn quotas_count_what_they_say() {
        for (quota, packets) in [(Quota::Total, 7), (Quota::PerProcessor, 42), (Quota::Rounds, 210)] {
            assert_eq!(
                plan(Pattern::AllToAll, quota, 7.0).draw(&job(6), None).expect("few messages").packets,
                packets
            );
        }
        let mut one = plan(Pattern::OneToAll, Quota::Total, 9.0).draw(&job(6), None).expect("few messages");
        let root = one.processes.root;
        let found = sent(&mut one);
        assert!(found.keys().all(|&(source, _)| source == root) && found.len() == 5, "{found:?}");
        for pattern in [Pattern::Transpose, Pattern::AllToAll, Pattern::Random] {
            for quota in [Quota::Total, Quota::PerProcessor, Quota::Rounds] {
                assert_eq!(plan(pattern, quota, 7.0).draw(&job(1), None).expect("few messages").packets, 0);
                assert_eq!(plan(pattern, quota, 0.0).draw(&job(6), None).expect("few messages").packets, 0);
            }
        }
    }

    #[test]
    fn drawn_numbers_have_their_mean_and_depend_on_the_job_alone() {
        let plan = Plan { law: Law::Exponential, ..plan(Pattern::Random, Quota::Total, 5.0) };
        let total: u64 =
            (0..20_000).map(|id| plan.draw(&numbered(id, 9), None).expect("few messages").packets).sum();
        // ⌈Exp(5)⌉ is geometric with mean 1 / (1 − e^(−1/5)).
        let (mean, expected) = (total as f64 / 20_000.0, 1.0 / (1.0 - (-0.2_f64).exp()));
        assert!((mean - expected).abs() < 0.1, "{mean} {expected}");
        let twice = [0, 1].map(|_| sent(&mut plan.draw(&job(9), None).expect("few messages")));
        assert_eq!(twice[0], twice[1]);
        let rounds = Plan { quota: Quota::Rounds, ..plan };
        let mut messages = rounds.draw(&job(9), None).expect("few messages");
        let mut backwards = messages.clone();
        let forwards: Vec<_> = (0..9).map(|i| messages.next(i)).collect();
        let mut found: Vec<_> = (0..9).rev().map(|i| backwards.next(i)).collect();
        found.reverse();
        assert_eq!(found, forwards);
    }

    #[test]
    fn every_pair_comes_up_as_often() {
        for pattern in [Pattern::AllToAll, Pattern::Random] {
            let plan = plan(pattern, Quota::Total, 3.0);
            let mut pairs: BTreeMap<(u32, u32), u64> = BTreeMap::new();
            for id in 0..20_000 {
                for (pair, count) in sent(&mut plan.draw(&numbered(id, 5), None).expect("few messages")) {
                    *pairs.entry(pair).or_default() += count;
                }
            }
            assert_eq!(pairs.len(), 20);
            // 3,000 each, give or take four standard deviations.
            assert!(pairs.values().all(|count| count.abs_diff(3000) < 220), "{pattern:?} {pairs:?}");
        }
    }
}
