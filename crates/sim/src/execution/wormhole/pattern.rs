//! Communication patterns between the processes of a job.
//!
//! A *round* of a pattern is a list of messages for every process of a job. The processes are numbered 0 to k
//! − 1; `mapping` decides on which node each of them runs. The first two patterns are by S. Bani-Mohammad et
//! al., ICPADS 2006, and R. Zolfaghari, IJEAT 2013. The others are customary in such simulations: V. Lo, K.
//! Windisch, W. Liu, B. Nitzberg, "Noncontiguous processor allocation algorithms for mesh-connected
//! multicomputers", IEEE TPDS, 1997, has all-to-all, one-to-all, n-body and FFT.
//!
//! The sources leave the rounds undefined in part. Choices of this program are the order of the messages, the
//! single chord of n-body, the processes of an FFT beyond a power of two, and the sides of a job without a
//! shape.

use meshreplay_base::job::Shape;

/// A communication pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// One process, drawn at random, sends to all others.
    OneToAll,
    /// Every process sends to all others.
    AllToAll,
    /// Every process sends to its neighbours in the shape of the job, in the order x down, x up, y down, y
    /// up, z down, z up.
    NearNeighbour,
    /// Every process sends to the next one, and the last process to the first.
    Ring,
    /// Every process sends to a process drawn anew for each message.
    Random,
    /// Every process sends ⌊k/2⌋ times to the next one on the ring, then once to the process half way round.
    NBody,
    /// A butterfly: process i sends to i ⊕ 1, i ⊕ 2, i ⊕ 4, … among the first 2^m ≤ k processes. Each further
    /// process sends to the process 2^m below, which answers after its own messages.
    Fft,
    /// A matrix transposition, with the processes as a matrix of the job's shape: (x, y) sends to (y, x) of
    /// the transposed matrix.
    Transpose,
}

/// Every pattern with its name in specs. The first one is the default.
pub(super) const PATTERNS: &[(&str, Pattern)] = &[
    ("all-to-all", Pattern::AllToAll),
    ("one-to-all", Pattern::OneToAll),
    ("near-neighbour", Pattern::NearNeighbour),
    ("ring", Pattern::Ring),
    ("random", Pattern::Random),
    ("n-body", Pattern::NBody),
    ("fft", Pattern::Fft),
    ("transpose", Pattern::Transpose),
];

/// The processes of a job.
#[derive(Clone, Copy, Debug)]
pub(super) struct Processes {
    /// The number of processes.
    pub(super) count: u32,
    /// The only sender of one-to-all.
    pub(super) root: u32,
    /// The sides along which the processes are arranged: the sides of the job, or else of the rectangle of
    /// the same size nearest to a square, with the longer side along x.
    sides: [u32; 3],
}

impl Processes {
    /// Creates `count` processes arranged by `shape`, with `root` as the only sender of one-to-all.
    pub(super) fn new(count: u32, shape: Shape, root: u32) -> Self {
        let sides = match shape {
            Shape::Sides(sides)
                if sides.iter().map(|&side| u64::from(side)).product::<u64>() == u64::from(count) =>
            {
                sides
            }
            _ => {
                // The largest divisor up to the square root is the shorter side of the rectangle.
                let short = (1..=count.isqrt()).rev().find(|&side| count.is_multiple_of(side)).unwrap_or(1);
                [count / short, short, 1]
            }
        };
        Self { count, root, sides }
    }

    /// Returns the processes arranged along `sides`, if these are the present sides in another order.
    /// Otherwise unchanged.
    pub(super) fn turned(self, mut sides: [u32; 3]) -> Self {
        let placed = sides;
        let mut own = self.sides;
        sides.sort_unstable();
        own.sort_unstable();
        if sides == own { Self { sides: placed, ..self } } else { self }
    }

    /// Returns the position of process `rank` along the sides.
    pub(super) fn position(&self, rank: u32) -> [u32; 3] {
        let [width, length, _] = self.sides;
        [rank % width, rank / width % length, rank / width / length]
    }

    /// Returns the process at the position of `rank` in the transposed matrix.
    fn transposed(&self, rank: u32) -> u32 {
        let [width, length] = [self.sides[0], self.count / self.sides[0]];
        rank % width * length + rank / width
    }

    /// Returns the neighbours of `rank`, in the order of [`Pattern::NearNeighbour`].
    fn neighbours(&self, rank: u32) -> impl Iterator<Item = u32> {
        let (sides, mut stride) = (self.sides, 1);
        sides.into_iter().flat_map(move |side| {
            let at = rank / stride % side;
            let pair = [(at > 0).then(|| rank - stride), (at + 1 < side).then(|| rank + stride)];
            stride *= side;
            pair.into_iter().flatten()
        })
    }
}

impl Pattern {
    /// Returns the messages of process `rank` in a round, or 0 if it is alone.
    pub(super) fn messages(self, processes: &Processes, rank: u32) -> u32 {
        let count = processes.count;
        if count < 2 {
            return 0;
        }
        match self {
            Self::OneToAll => (count - 1) * u32::from(rank == processes.root),
            Self::AllToAll => count - 1,
            Self::NearNeighbour => processes.neighbours(rank).count() as u32,
            Self::Ring | Self::Random => 1,
            Self::NBody => count / 2 + 1,
            Self::Fft => {
                let (stages, half) = (count.ilog2(), 1 << count.ilog2());
                if rank < half { stages + u32::from(rank + half < count) } else { 1 }
            }
            Self::Transpose => u32::from(processes.transposed(rank) != rank),
        }
    }

    /// Returns the receiver of message `i` of process `rank` in a round. In random traffic the number
    /// `drawn`, from 0 to k − 2, selects one of the other processes. Other patterns ignore it.
    pub(super) fn target(self, processes: &Processes, rank: u32, i: u32, drawn: u32) -> u32 {
        let count = processes.count;
        // The process `steps` further on the ring, in 64 bits against overflow.
        let ahead = |steps: u32| ((u64::from(rank) + u64::from(steps)) % u64::from(count)) as u32;
        match self {
            Self::OneToAll | Self::AllToAll => ahead(1 + i),
            Self::NearNeighbour => processes.neighbours(rank).nth(i as usize).unwrap_or(rank),
            Self::Ring => ahead(1),
            Self::Random => ahead(1 + drawn),
            Self::NBody => ahead(if i < count / 2 { 1 } else { count / 2 }),
            Self::Fft => {
                let (stages, half) = (count.ilog2(), 1 << count.ilog2());
                match (rank < half, i < stages) {
                    (true, true) => rank ^ (1 << i),
                    (true, false) => rank + half,
                    (false, _) => rank - half,
                }
            }
            Self::Transpose => processes.transposed(rank),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the messages of a round as `source>target`, in the order of the processes.
    fn round(pattern: &str, count: u32, shape: Shape) -> String {
        let pattern = PATTERNS.iter().find(|(name, _)| *name == pattern).expect("a pattern").1;
        let processes = Processes::new(count, shape, 1);
        let mut messages = Vec::new();
        for rank in 0..count {
            for i in 0..pattern.messages(&processes, rank) {
                messages.push(format!("{rank}>{}", pattern.target(&processes, rank, i, 0)));
            }
        }
        messages.join(" ")
    }

    #[test]
    fn rounds_follow_their_definitions() {
        let any = Shape::NearSquare;
        for (pattern, count, shape, expected) in [
            ("one-to-all", 4, any, "1>2 1>3 1>0"),
            ("all-to-all", 3, any, "0>1 0>2 1>2 1>0 2>0 2>1"),
            ("near-neighbour", 6, any, "0>1 0>3 1>0 1>2 1>4 2>1 2>5 3>4 3>0 4>3 4>5 4>1 5>4 5>2"),
            ("near-neighbour", 4, Shape::Sides([1, 4, 1]), "0>1 1>0 1>2 2>1 2>3 3>2"),
            ("near-neighbour", 4, Shape::Sides([2, 1, 2]), "0>1 0>2 1>0 1>3 2>3 2>0 3>2 3>1"),
            ("ring", 3, any, "0>1 1>2 2>0"),
            ("n-body", 4, any, "0>1 0>1 0>2 1>2 1>2 1>3 2>3 2>3 2>0 3>0 3>0 3>1"),
            ("fft", 4, any, "0>1 0>2 1>0 1>3 2>3 2>0 3>2 3>1"),
            ("fft", 5, any, "0>1 0>2 0>4 1>0 1>3 2>3 2>0 3>2 3>1 4>0"),
            ("transpose", 6, any, "1>2 2>4 3>1 4>3"),
            ("transpose", 4, any, "1>2 2>1"),
            ("transpose", 5, any, ""),
        ] {
            assert_eq!(round(pattern, count, shape), expected, "{pattern} {count}");
        }
    }

    #[test]
    fn a_turned_rectangle_is_the_job_s() {
        let processes = Processes::new(6, Shape::Sides([3, 2, 1]), 0);
        assert_eq!(processes.turned([2, 3, 1]).sides, [2, 3, 1]);
        assert_eq!(processes.turned([6, 1, 1]).sides, [3, 2, 1]);
    }

    #[test]
    fn nobody_sends_to_himself_or_beyond_the_job() {
        for &(name, pattern) in PATTERNS {
            for count in 1..40 {
                let processes = Processes::new(count, Shape::NearSquare, count / 3);
                let mut received = vec![0; count as usize];
                for rank in 0..count {
                    let messages = pattern.messages(&processes, rank);
                    assert!(count > 1 || messages == 0, "{name}");
                    for i in 0..messages {
                        let target = pattern.target(&processes, rank, i, (rank * 7 + i) % (count - 1));
                        assert!(target < count && target != rank, "{name} {count} {rank} {i}");
                        received[target as usize] += 1;
                    }
                }
                // Except for one-to-all and random traffic, every process receives and sends the same number
                // of messages.
                if !matches!(pattern, Pattern::OneToAll | Pattern::Random) {
                    let sent = (0..count).map(|rank| pattern.messages(&processes, rank)).collect::<Vec<_>>();
                    assert_eq!(received, sent, "{name} {count}");
                }
            }
        }
    }
}
