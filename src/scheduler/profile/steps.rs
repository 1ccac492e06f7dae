//! The steps of a profile in chunks, so that a search passes over a chunk at a time and a change touches few steps.
//!
//! Each chunk knows the least and the most free nodes of its steps. A number that is added to all steps of a chunk is kept
//! beside them. With P steps and chunks of B steps, every operation is O(P / B + B) instead of O(P). This is sqrt
//! decomposition, which is simpler than a balanced tree, and as fast for the thousands of steps that a profile has.

use crate::job::Time;

/// The most steps of a chunk. It is small in tests, so that these have many chunks.
const MOST: usize = if cfg!(test) { 5 } else { 64 };

/// Consecutive steps; at least one.
#[derive(Clone, Debug)]
struct Chunk {
    /// The time at which each step begins, and its number of free nodes without `added`.
    steps: Vec<(Time, i64)>,
    /// The number that is added to all steps.
    added: i64,
    /// The least and the most free nodes of a step, with `added`.
    least: i64,
    most: i64,
}

impl Chunk {
    fn new(steps: Vec<(Time, i64)>, added: i64) -> Self {
        let mut chunk = Self { steps, added, least: 0, most: 0 };
        chunk.survey();
        chunk
    }

    /// Returns when the chunk begins.
    fn since(&self) -> Time {
        self.steps[0].0
    }

    /// Finds the least and the most free nodes anew.
    fn survey(&mut self) {
        let free = || self.steps.iter().map(|step| step.1);
        self.least = free().min().unwrap_or(0) + self.added;
        self.most = free().max().unwrap_or(0) + self.added;
    }

    /// Adds `nodes` to the steps from index `first` to before `after`.
    fn add(&mut self, first: usize, after: usize, nodes: i64) {
        if first == 0 && after == self.steps.len() {
            (self.added, self.least, self.most) = (self.added + nodes, self.least + nodes, self.most + nodes);
            return;
        }
        self.steps[first..after].iter_mut().for_each(|step| step.1 += nodes);
        self.survey();
    }
}

/// The place of a step: its chunk, and its index there. The place behind the last step is the first one of a chunk that does
/// not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    chunk: usize,
    step: usize,
}

/// The steps of a profile, in the order of time.
#[derive(Clone, Debug, Default)]
pub(super) struct Steps {
    chunks: Vec<Chunk>,
}

impl Steps {
    /// Returns steps that are given by the time at which each begins and its number of free nodes.
    pub(super) fn new(steps: &[(Time, i64)]) -> Self {
        Self { chunks: steps.chunks(MOST.div_ceil(2)).map(|steps| Chunk::new(steps.to_vec(), 0)).collect() }
    }

    /// Returns all steps.
    #[cfg(test)]
    pub(super) fn all(&self) -> Vec<(Time, i64)> {
        let of =
            |chunk: &Chunk| chunk.steps.iter().map(|step| (step.0, step.1 + chunk.added)).collect::<Vec<_>>();
        self.chunks.iter().flat_map(of).collect()
    }

    /// Returns the place of the step at `time`. A time before the first step belongs to the first step.
    pub(super) fn at(&self, time: Time) -> Place {
        let chunk = self.chunks.partition_point(|chunk| chunk.since() <= time).saturating_sub(1);
        let step = self
            .chunks
            .get(chunk)
            .map_or(0, |chunk| chunk.steps.partition_point(|step| step.0 <= time).saturating_sub(1));
        Place { chunk, step }
    }

    /// Returns the place of the first step that begins at `time` or later.
    pub(super) fn from(&self, time: Time) -> Place {
        let place = self.at(time);
        if self.step(place).is_some_and(|(since, _)| since < time) { self.after(place) } else { place }
    }

    /// Returns the step at a place: when it begins, and its free nodes. `None` behind the last step.
    pub(super) fn step(&self, Place { chunk, step }: Place) -> Option<(Time, i64)> {
        let chunk = self.chunks.get(chunk)?;
        chunk.steps.get(step).map(|&(since, free)| (since, free + chunk.added))
    }

    /// Returns the place behind this one.
    pub(super) fn after(&self, Place { chunk, step }: Place) -> Place {
        if step + 1 < self.chunks[chunk].steps.len() {
            Place { chunk, step: step + 1 }
        } else {
            Place { chunk: chunk + 1, step: 0 }
        }
    }

    /// Returns the place before this one; `None` before the first step.
    pub(super) fn before(&self, Place { chunk, step }: Place) -> Option<Place> {
        match step.checked_sub(1) {
            Some(step) => Some(Place { chunk, step }),
            None => {
                let chunk = chunk.checked_sub(1)?;
                Some(Place { chunk, step: self.chunks[chunk].steps.len() - 1 })
            }
        }
    }

    /// Removes the steps before a place. The first one that stays begins at `now` at the earliest.
    pub(super) fn drop_before(&mut self, Place { chunk, step }: Place, now: Time) {
        self.chunks.drain(..chunk);
        if let Some(first) = self.chunks.first_mut() {
            if step > 0 {
                first.steps.drain(..step);
                first.survey();
            }
            first.steps[0].0 = first.steps[0].0.max(now);
        }
    }

    /// Adds `nodes` to the steps from the place `first` to before `after`.
    pub(super) fn add(&mut self, first: Place, after: Place, nodes: i64) {
        for chunk in first.chunk..=after.chunk.min(self.chunks.len().saturating_sub(1)) {
            let from = if chunk == first.chunk { first.step } else { 0 };
            let to = if chunk == after.chunk { after.step } else { self.chunks[chunk].steps.len() };
            if from < to {
                self.chunks[chunk].add(from, to, nodes);
            }
        }
    }

    /// Makes a step begin at `time` if none does.
    pub(super) fn split(&mut self, time: Time) {
        let place = self.at(time);
        let Some((since, _)) = self.step(place).filter(|&(since, _)| since != time) else { return };
        let chunk = &mut self.chunks[place.chunk];
        // A time before the first step gets the free nodes of the first step.
        let at = place.step + usize::from(since < time);
        let free = chunk.steps[place.step].1;
        chunk.steps.insert(at, (time, free));
        if chunk.steps.len() > MOST {
            let rest = chunk.steps.split_off(chunk.steps.len() / 2);
            let added = chunk.added;
            chunk.survey();
            self.chunks.insert(place.chunk + 1, Chunk::new(rest, added));
        }
    }

    /// Removes the step that begins at `time` if it has the same number of free nodes as the one before it.
    pub(super) fn join(&mut self, time: Time) {
        let place = self.at(time);
        let (Some((since, free)), Some(before)) = (self.step(place), self.before(place)) else { return };
        if since != time || self.step(before).is_none_or(|(_, other)| other != free) {
            return;
        }
        let Place { chunk: at, step } = place;
        let chunk = &mut self.chunks[at];
        chunk.steps.remove(step);
        if chunk.steps.is_empty() {
            self.chunks.remove(at);
            return;
        }
        chunk.survey();
        // Small neighbours become one, so that there are never many.
        let length = |chunk: Option<&Chunk>| chunk.map_or(MOST, |chunk| chunk.steps.len());
        if length(self.chunks.get(at)) + length(self.chunks.get(at + 1)) <= MOST / 2 {
            let next = self.chunks.remove(at + 1);
            let chunk = &mut self.chunks[at];
            let shift = next.added - chunk.added;
            chunk.steps.extend(next.steps.into_iter().map(|(since, free)| (since, free + shift)));
            chunk.survey();
        }
    }

    /// Calls `visit` with groups of steps from a place on, as long as it returns true. A group is a chunk, or what of it lies
    /// behind the place: when it begins, and the least and the most free nodes. If `visit` returns `None`, it is called with
    /// each step of the group.
    pub(super) fn walk(&self, from: Place, mut visit: impl FnMut(Time, i64, i64) -> Option<bool>) {
        for (at, chunk) in self.chunks.iter().enumerate().skip(from.chunk) {
            let first = if at == from.chunk { from.step } else { 0 };
            match visit(chunk.steps[first].0, chunk.least, chunk.most) {
                Some(true) => continue,
                Some(false) => return,
                None => {}
            }
            for &(since, free) in &chunk.steps[first..] {
                let free = free + chunk.added;
                if visit(since, free, free) == Some(false) {
                    return;
                }
            }
        }
    }

    /// Returns the first place before `place` up to which all steps have at least `nodes` free nodes. The search ends at a step
    /// that begins at `earliest` or before.
    pub(super) fn back(&self, mut place: Place, nodes: i64, earliest: Time) -> Place {
        while self.step(place).is_none_or(|(since, _)| since > earliest) {
            let Some(before) = self.before(place) else { break };
            let whole = Place { step: 0, ..before };
            let chunk = &self.chunks[before.chunk];
            if place.step == 0 && chunk.least >= nodes && chunk.since() > earliest {
                place = whole;
            } else if self.step(before).is_some_and(|(_, free)| free >= nodes) {
                place = before;
            } else {
                break;
            }
        }
        place
    }

    /// Returns the place behind the last of the steps from `place` on that have at least `nodes` free nodes and begin before
    /// `latest`.
    pub(super) fn ahead(&self, mut place: Place, nodes: i64, latest: Time) -> Place {
        while let Some(chunk) = self.chunks.get(place.chunk) {
            let is_whole = place.step == 0 && chunk.least >= nodes;
            if is_whole && chunk.steps.last().is_some_and(|last| last.0 < latest) {
                place = Place { chunk: place.chunk + 1, step: 0 };
            } else if self.step(place).is_some_and(|(since, free)| since < latest && free >= nodes) {
                place = self.after(place);
            } else {
                break;
            }
        }
        place
    }

    /// Returns the most free nodes of a step from the place `first` to before `after`; `None` if there is no step.
    pub(super) fn most(&self, first: Place, after: Place) -> Option<i64> {
        let of = |at: usize| {
            let chunk = &self.chunks[at];
            let from = if at == first.chunk { first.step } else { 0 };
            let to = if at == after.chunk { after.step } else { chunk.steps.len() };
            if from == 0 && to == chunk.steps.len() {
                return Some(chunk.most);
            }
            let steps = chunk.steps.get(from..to)?;
            steps.iter().map(|step| step.1 + chunk.added).max()
        };
        (first.chunk..=after.chunk).filter(|&at| at < self.chunks.len()).filter_map(of).max()
    }
}
