//! Schedules of moves: a step for each element of a task, so that no two moves of a step share a switch.
//!
//! An element is the part of a task on one processor. Elements move over a mesh of one row of switches. The
//! elements of a sequence move one per step, the rightmost first. Different sequences move in parallel. The
//! first element of a sequence is its *head*, and the goal of the head determines the head of the next
//! sequence (procedure `ComputeLeftOrderedSequences` of the paper):
//!
//! 1. If the goal is a free processor, the next head is the first element to the left of the goal.
//! 2. If the goal has an element of a task that moves no further than it is long, the next head is the
//!    element to the left of that element.
//! 3. If the goal has an element of a task that moves further, the next head is the last element of the task
//!    to the left of that one. The task at the goal has to wait.
//!
//! There is one candidate for each task that ends in the window: its first head is the last element of this
//! task. Tasks to the right of it form one more sequence, which starts late. It starts so that the window is
//! free after as many steps as processors are covered, and one step later if the processor next to the window
//! is busy. Candidates are compared by the largest delay of a task, then by the length of the schedule. The
//! smallest wins; of equals the leftmost.
//!
//! The goals follow from the order of the elements: the e-th element from the right goes to the e-th
//! processor left of the window. So the next head and the longest sequence behind each head are the same for
//! all candidates, and take time O(elements). Delays are computed for one candidate after another, the
//! shortest schedule first (branch and bound). A candidate is given up when a task waits as long as in the
//! best schedule. The search ends with a candidate without delay. It takes time O(elements · candidates) at
//! worst.

use super::window::{CompactionWindow, Shift};

/// A schedule for the tasks of a window; steps count from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// The number of steps until the window is free.
    pub vacated: u32,
    /// The number of steps until all tasks have moved: `S_L` in the paper. It is 0 if no task moves.
    pub length: u32,
    /// The longest suspension of a task beyond its moves, in steps.
    pub delay: u32,
    /// The suspension of each moving task, in the order of the window's shifts.
    pub suspended: Vec<Suspension>,
    /// The number of candidates among which the schedule was chosen.
    pub candidates: u32,
    /// The step of each element. The rightmost element comes first if tasks move left, and the leftmost if
    /// they move right.
    steps: Vec<u32>,
}

/// The steps in which a task that moves is suspended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Suspension {
    /// The first step.
    pub first: u32,
    /// The last step.
    pub last: u32,
    /// The number of steps from the first to the last in which no element of the task moves. By §3.3 of the
    /// paper the task is delayed if it is not 0.
    pub delay: u32,
}

/// The move of one element of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// The step of the move; the first step is 1.
    pub step: u32,
    /// The old processor.
    pub from: u32,
    /// The new processor.
    pub to: u32,
}

/// The elements that move, numbered from right to left. Moves to the right are treated as their mirror image,
/// so that everything moves left here.
struct Elements<'a> {
    shifts: &'a [Shift],
    /// The number of each task's first element; one more entry has the number of elements.
    first: Vec<u32>,
    /// For each element as a head, the head of the next sequence; the number of elements if there is none.
    next: Vec<u32>,
    /// For each element the number of the element at its goal; `None` if the goal is free.
    met: Vec<Option<u32>>,
    /// For each element as a head, the length of the longest sequence from it on, in elements.
    longest: Vec<u32>,
}

impl<'a> Elements<'a> {
    /// Returns the elements of the tasks that move, with the sequences that start at each of them.
    fn new(window: &'a CompactionWindow) -> Self {
        let shifts = window.shifts.as_slice();
        let mut first = vec![0];
        for shift in shifts {
            first.push(first[first.len() - 1] + shift.task.length);
        }
        let count = first[shifts.len()];
        let mut elements = Self { shifts, first, next: Vec::new(), met: Vec::new(), longest: Vec::new() };
        elements.link(count);
        elements.longest = vec![0; count as usize];
        // Dynamic programming from the last element back: the next head of each one comes later in the order.
        for head in (0..count).rev() {
            let next = elements.next[head as usize];
            let rest = elements.longest.get(next as usize).copied().unwrap_or(0);
            elements.longest[head as usize] = rest.max(next - head);
        }
        elements
    }

    /// Returns the position of element `e`, which belongs to task `i`, before it moves. Position 0 is the
    /// first processor outside the window, and positions grow away from it. Positions in the window are
    /// negative.
    fn place(&self, i: usize, e: u32) -> i64 {
        // Element e goes to position e, and it moves by the distance of its task.
        i64::from(e) - i64::from(self.shifts[i].distance)
    }

    /// Sets `met` and `next` for all `count` elements.
    fn link(&mut self, count: u32) {
        // Two pointers: `at`, of task `i`, is the first element at or beyond the goal of `e`. It never moves
        // back.
        let (mut i, mut at) = (0, 0);
        for e in 0..count {
            while at < count && self.place(i, at) < i64::from(e) {
                at += 1;
                while i + 1 < self.shifts.len() && at >= self.first[i + 1] {
                    i += 1;
                }
            }
            let is_occupied = at < count && self.place(i, at) == i64::from(e);
            self.met.push(is_occupied.then_some(at));
            let Shift { task, distance, .. } = self.shifts[i];
            self.next.push(match (is_occupied, distance <= task.length) {
                (false, _) => at,
                (true, true) => at + 1,
                (true, false) => self.first[i + 1],
            });
        }
    }

    /// Returns the schedule of a candidate; `None` if a task waits for `bound` steps or more. Task
    /// `candidate` has the first head. The elements of the tasks before it move one per step after `late`
    /// steps.
    fn trial(&self, candidate: usize, late: u32, bound: u32) -> Option<Trial> {
        let mut steps: Vec<u32> = (0..self.first[candidate]).map(|e| late + 1 + e).collect();
        let mut trial =
            Trial { delay: 0, suspended: Vec::with_capacity(self.shifts.len()), steps: Vec::new() };
        let (mut head, mut arriving) = (self.first[candidate], 0);
        for own in self.first.windows(2) {
            while steps.len() < own[1] as usize {
                // A sequence: one element per step, from step 1 on, up to the head of the next sequence.
                let next = self.next[head as usize];
                steps.extend((head..next).map(|e| 1 + e - head));
                head = next;
            }
            // All elements of the task have their steps now.
            let (mut first, last, moving) = moving(&steps[own[0] as usize..own[1] as usize]);
            // An element that arrives at a processor of this task comes from nearer to the window, so its
            // step is known.
            while let Some(met) = self.met.get(arriving).filter(|met| met.is_none_or(|met| met < own[1])) {
                if let Some(met) = *met
                    && steps[arriving] < steps[met as usize]
                {
                    // The processor is needed before its own element has left, so the task is suspended from
                    // then on.
                    first = first.min(steps[arriving]);
                }
                arriving += 1;
                if arriving >= own[1] as usize {
                    break;
                }
            }
            let delay = last + 1 - first - moving;
            if delay >= bound {
                return None;
            }
            trial.delay = trial.delay.max(delay);
            trial.suspended.push(Suspension { first, last, delay });
        }
        trial.steps = steps;
        Some(trial)
    }
}

/// The schedule of one candidate: the largest delay, the suspension of each task, and the step of each
/// element.
struct Trial {
    delay: u32,
    suspended: Vec<Suspension>,
    steps: Vec<u32>,
}

/// Returns the first and the last step with moves of a task, and the number of steps with a move. `steps` has
/// the step of each element; all results are 0 for no elements. Steps go up by one from element to element,
/// except that a new sequence begins with step 1 again.
fn moving(steps: &[u32]) -> (u32, u32, u32) {
    let mut pieces = steps.chunk_by(|a, b| a + 1 == *b);
    // Only the first piece may begin later than in step 1. Of the others the longest covers the steps of all.
    let Some(upper) = pieces.next() else { return (0, 0, 0) };
    let (start, end) = (upper[0], upper[upper.len() - 1]);
    let longest = pieces.map(<[u32]>::len).max().unwrap_or(0) as u32;
    let shared = (longest.min(end) + 1).saturating_sub(start);
    let first = if longest > 0 { 1 } else { start };
    (first, end.max(longest), upper.len() as u32 + longest - shared)
}

impl Schedule {
    /// Returns the schedule of least delay, then of least length, for the tasks of a window. If no task has
    /// to move, the schedule is empty, and all its numbers are 0.
    pub fn best(window: &CompactionWindow) -> Self {
        let elements = Elements::new(window);
        let vacated = window.covered + u32::from(window.next_is_busy);
        // A task ends in the window if its rightmost element is at a negative position.
        let ends_inside = |i: &usize| elements.place(*i, elements.first[*i]) < 0;
        let mut candidates: Vec<(u32, usize)> = (0..window.shifts.len())
            .take_while(ends_inside)
            .map(|i| {
                let behind = if i > 0 { vacated } else { 0 };
                (behind.max(elements.longest[elements.first[i] as usize]), i)
            })
            .collect();
        let considered = candidates.len() as u32;
        // The shortest comes first, and of equals the one whose task is farthest in the direction of the
        // moves.
        candidates.sort_unstable_by_key(|&(length, i)| (length, std::cmp::Reverse(i)));
        let mut best: Option<Self> = None;
        for (length, i) in candidates {
            let bound = best.as_ref().map_or(u32::MAX, |best| best.delay);
            let Some(trial) = elements.trial(i, vacated - elements.first[i], bound) else { continue };
            let Trial { delay, suspended, steps } = trial;
            best = Some(Self { vacated, length, delay, suspended, candidates: considered, steps });
            if delay == 0 {
                break;
            }
        }
        best.unwrap_or_default()
    }

    /// Returns the moves of all elements, task by task in the order of the shifts of `window`, which must be
    /// the window of the schedule.
    pub fn transfers(&self, window: &CompactionWindow) -> Vec<Transfer> {
        let mut transfers = Vec::with_capacity(self.steps.len());
        for shift in &window.shifts {
            let target = shift.target();
            for v in 0..shift.task.length {
                // The element nearest to the window comes first.
                let v = if shift.rightwards { v } else { shift.task.length - 1 - v };
                let step = self.steps[transfers.len()];
                transfers.push(Transfer { step, from: shift.task.base + v, to: target + v });
            }
        }
        transfers
    }

    /// Carries the schedule out step by step, and fails with a message at the first problem: two transfers of
    /// a step that cross, a third element on a processor, a window that is not free when it should be, a
    /// length other than announced, or a schedule longer than twice the number of processors covered.
    /// `processors` is the number of processors of the array.
    pub fn check(&self, window: &CompactionWindow, processors: u32) -> Result<(), String> {
        let mut transfers = self.transfers(window);
        transfers.sort_unstable_by_key(|transfer| (transfer.step, transfer.from.min(transfer.to)));
        let mut held = vec![0_u8; processors as usize];
        for shift in &window.shifts {
            held[shift.task.base as usize..shift.task.end() as usize].fill(1);
        }
        for moves in transfers.chunk_by(|a, b| a.step == b.step) {
            let step = moves[0].step;
            let mut reached = 0;
            for transfer in moves {
                let (low, high) = (transfer.from.min(transfer.to), transfer.from.max(transfer.to));
                if low < reached {
                    return Err(format!("step {step}: {transfer:?} crosses another transfer"));
                }
                reached = high;
                held[transfer.from as usize] -= 1;
            }
            for transfer in moves {
                held[transfer.to as usize] += 1;
            }
            if held.iter().any(|&elements| elements > 2) {
                return Err(format!("step {step}: three elements on a processor"));
            }
            let inside = window.base as usize..(window.base + window.length) as usize;
            if step >= self.vacated && held[inside].iter().any(|&elements| elements > 0) {
                return Err(format!("step {step}: the window should be free after {}", self.vacated));
            }
        }
        let last = transfers.last().map_or(0, |transfer| transfer.step);
        if last != self.length || self.length > 2 * window.covered {
            return Err(format!("{last} steps, {} announced, {} covered", self.length, window.covered));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Array, Task};
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    fn array(processors: u32, tasks: &[(u32, u32)]) -> Array {
        let mut array = Array::new(processors);
        for &(first, last) in tasks {
            array.insert(Task { base: first, length: last + 1 - first });
        }
        array
    }

    /// Returns the window and the schedule of Fig. 3 of the paper, where the tasks E, D, A, B and C move.
    fn figure_3() -> (CompactionWindow, Schedule) {
        let array = array(37, &[(0, 10), (15, 15), (17, 19), (21, 24), (29, 30), (31, 33)]);
        let window = CompactionWindow::left(&array, 13, 0).expect("enough are free");
        let schedule = Schedule::best(&window);
        (window, schedule)
    }

    #[test]
    fn figure_3_comes_out() {
        let (window, schedule) = figure_3();
        assert_eq!((window.base, window.covered, window.next_is_busy), (24, 6, true));
        let shifts: Vec<(u32, u32)> =
            window.shifts.iter().map(|shift| (shift.task.base, shift.distance)).collect();
        assert_eq!(shifts, [(31, 10), (29, 10), (21, 6), (17, 5), (15, 4)]);
        assert_eq!((schedule.vacated, schedule.length, schedule.delay), (7, 7, 0));
        assert_eq!(schedule.candidates, 3);
        let mut steps: Vec<(u32, u32)> =
            schedule.transfers(&window).iter().map(|transfer| (transfer.from, transfer.step)).collect();
        steps.sort_unstable_by(|a, b| b.cmp(a));
        let expected = [
            (33, 5),
            (32, 6),
            (31, 7),
            (30, 1),
            (29, 2),
            (24, 3),
            (23, 4),
            (22, 5),
            (21, 6),
            (19, 1),
            (18, 2),
            (17, 3),
            (15, 4),
        ];
        assert_eq!(steps, expected);
        assert_eq!(schedule.check(&window, 37), Ok(()));
    }

    #[test]
    fn the_other_candidates_of_figure_3_come_out() {
        let (window, _) = figure_3();
        let elements = Elements::new(&window);
        for (candidate, heads, length, delay) in
            [(2, vec![24, 15], 7, 4), (1, vec![30, 19], 7, 0), (0, vec![33, 19], 9, 5)]
        {
            let Trial { delay: most, steps, .. } =
                elements.trial(candidate, 7 - elements.first[candidate], u32::MAX).expect("no bound");
            let places: Vec<u32> =
                window.shifts.iter().flat_map(|shift| (shift.task.base..shift.task.end()).rev()).collect();
            let start = elements.first[candidate] as usize;
            let found: Vec<u32> =
                (start..steps.len()).filter(|&e| steps[e] == 1).map(|e| places[e]).collect();
            assert_eq!(found, heads, "candidate {candidate}");
            assert_eq!(steps.iter().copied().max(), Some(length), "candidate {candidate}");
            assert_eq!(most, delay, "candidate {candidate}");
        }
    }

    struct Numbers(ChaCha8Rng);

    impl Numbers {
        fn below(&mut self, bound: u32) -> u32 {
            self.0.random_range(0..bound)
        }
    }

    fn random(numbers: &mut Numbers) -> Array {
        let processors = 4 + numbers.below(60);
        let (longest, widest) = (1 + numbers.below(8), 1 + numbers.below(4));
        let mut array = Array::new(processors);
        let mut at = numbers.below(widest + 1);
        while at < processors {
            let length = (1 + numbers.below(longest)).min(processors - at);
            array.insert(Task { base: at, length });
            at += length + numbers.below(widest + 1);
        }
        array
    }

    /// Returns the first and the last step of the suspension of each task, and its delay, found step by step.
    fn naive(window: &CompactionWindow, schedule: &Schedule) -> Vec<(u32, u32, u32)> {
        let transfers = schedule.transfers(window);
        let mut own = 0;
        let span = |shift: &Shift| {
            let mine = &transfers[own..own + shift.task.length as usize];
            own += shift.task.length as usize;
            let moves = |step: u32| mine.iter().any(|transfer| transfer.step == step);
            let gives_way = |step: u32| {
                let lost = |at: u32| mine.iter().any(|transfer| transfer.from == at && transfer.step > step);
                transfers.iter().any(|transfer| transfer.step == step && lost(transfer.to))
            };
            let last = (1..=schedule.length).filter(|&step| moves(step)).max().unwrap_or(0);
            let first = (1..=last).find(|&step| moves(step) || gives_way(step)).unwrap_or(0);
            (first, last, (first..=last).filter(|&step| !moves(step)).count() as u32)
        };
        window.shifts.iter().map(span).collect()
    }

    #[test]
    fn random_schedules_are_free_of_conflicts_and_keep_the_bounds() {
        let mut numbers = Numbers(ChaCha8Rng::seed_from_u64(3));
        let mut instances = 0;
        while instances < 100_000 {
            let array = random(&mut numbers);
            if array.free() == 0 {
                continue;
            }
            let length = 1 + numbers.below(array.free());
            if array.first_fit(length).is_some() {
                continue;
            }
            for window in
                [CompactionWindow::left(&array, length, 0), CompactionWindow::right(&array, length, 0)]
                    .into_iter()
                    .flatten()
            {
                let schedule = Schedule::best(&window);
                let label = format!("{array:?} {length} {window:?} {schedule:?}");
                assert_eq!(schedule.check(&window, array.processors()), Ok(()), "{label}");
                assert!((window.covered..=window.covered + 1).contains(&schedule.vacated), "{label}");
                assert!(schedule.delay <= window.covered, "{label}");
                if instances % 50 == 0 {
                    let naive = naive(&window, &schedule);
                    let spans: Vec<Suspension> =
                        naive.iter().map(|&(first, last, delay)| Suspension { first, last, delay }).collect();
                    assert_eq!(spans, schedule.suspended, "{label}");
                    assert_eq!(naive.iter().map(|(.., delay)| *delay).max(), Some(schedule.delay), "{label}");
                }
                instances += 1;
            }
        }
    }

    #[test]
    fn no_candidate_is_better_than_the_one_taken() {
        let mut numbers = Numbers(ChaCha8Rng::seed_from_u64(9));
        for _ in 0..5000 {
            let array = random(&mut numbers);
            let length = 1 + numbers.below(array.free().max(1));
            let Some(window) =
                CompactionWindow::left(&array, length, 0).filter(|_| array.first_fit(length).is_none())
            else {
                continue;
            };
            let (schedule, elements) = (Schedule::best(&window), Elements::new(&window));
            let vacated = window.covered + u32::from(window.next_is_busy);
            let all: Vec<(u32, u32)> = (0..schedule.candidates as usize)
                .map(|i| {
                    let trial = elements.trial(i, vacated - elements.first[i], u32::MAX).expect("no bound");
                    (trial.delay, trial.steps.iter().copied().max().unwrap_or(0))
                })
                .collect();
            assert_eq!(all.iter().min(), Some(&(schedule.delay, schedule.length)), "{array:?} {length}");
        }
    }

    #[test]
    fn a_schedule_with_a_conflict_is_found_out() {
        let (window, schedule) = figure_3();
        let mut wrong = schedule.clone();
        wrong.steps[0] = 1;
        assert!(wrong.check(&window, 37).is_err());
        let mut slow = schedule.clone();
        slow.vacated = 6;
        assert!(slow.check(&window, 37).is_err_and(|problem| problem.contains("should be free after 6")));
    }
}
