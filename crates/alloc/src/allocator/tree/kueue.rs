//! Kueue's topology-aware scheduling: the fewest groups at every height, by best fit.
//!
//! Kueue 0.19 (The Kubernetes Authors, 2026), KEP-2724. The rules below are ours, in our words; they agree
//! with Kueue's own test cases, as far as these parameters express them. Groups of a tree are Kueue's
//! topology domains, leaves its lowest level, and processors its pods.
//!
//! A *slice* is `slice` processors in one group of height `slice-level`. A higher group has the room of its
//! groups of that height together. By default a slice is one processor in one leaf. A job needs a multiple of
//! `slice` processors; others never start.
//!
//! 1. Of the groups of height `level` with room for the whole job, the tightest is chosen: with room for the
//!    fewest slices, then with the fewest free nodes, then the first.
//! 2. Without such a group, `mode=required` waits. `mode=preferred` goes one height up; the whole machine has
//!    room for every job of free nodes.
//! 3. `mode=unconstrained` begins with leaves, or with slices one height below the whole machine. If no group
//!    has room for the whole job, groups are taken as in step 4.
//! 4. Chosen groups are replaced by groups one height lower. All groups of this height below them are sorted:
//!    more room for slices first, then fewer free nodes, then by number. Groups are taken until the job has
//!    room; the last one is the tightest with room for the rest. Below the height of slices this happens in
//!    each chosen group for its share, with fewer free nodes first. The last groups are leaves.
//! 5. Nodes of a leaf are taken in the order of their numbers.
//!
//! With `profile=mixed`, Kueue's default, `mode=unconstrained` prefers full groups: less room for slices
//! first, and the first group with room for the rest. With `profile=best-fit` it sorts like the other modes.
//!
//! Balanced placement, several layers of slices and leaders are not imitated. Time O(N + G log G) for G
//! groups.

use super::first_of_leaves;
use crate::allocator::seam::{
    Allocator, AllocatorEntry, Foresight, Memory, OnTrees, Placement, Promises, Request, Served, Setup,
    Strategy,
};
use meshreplay_base::spec::{Params, Spec, SpecError};
use meshreplay_machine::machine::{Levels, Machine};

pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "kueue",
    summary: "the fewest groups at every height, by best fit, as Kueue's topology-aware scheduling",
    source: "Kueue 0.19, KEP-2724, 2026",
    parameters: "mode=preferred (required, unconstrained), level=1 (height of groups), profile=mixed \
                 (best-fit), slice=1 (processors), slice-level=1 (height)",
    trees: OnTrees::Only,
    promises,
    ..AllocatorEntry::non_contiguous(build)
};

/// The treatment of jobs for which no group of the asked height has room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    Preferred,
    Required,
    Unconstrained,
}

const MODES: [(&str, Mode); 3] =
    [("preferred", Mode::Preferred), ("required", Mode::Required), ("unconstrained", Mode::Unconstrained)];

/// The promises: a job waits only for nodes unless it needs a group or slices.
fn promises(spec: &Spec) -> Promises {
    let is = |key: &str, value: &str| spec.params.get(key).is_some_and(|given| given == value);
    let complete = !is("mode", "required") && (is("slice", "1") || !spec.params.contains_key("slice"));
    Promises { exact: true, complete, memory: Memory::None }
}

fn build(params: &mut Params, setup: &Setup<'_>) -> Result<Strategy, SpecError> {
    let heights = setup.mesh.levels().map_or(1, Levels::height);
    let mode = params.choose("mode", &MODES)?;
    let is_mixed = params.choose("profile", &[("mixed", true), ("best-fit", false)])?;
    let slice = params.take_if("slice", 1, "a number of processors, at least 1", |&slice| slice > 0)?;
    let expected = format!("a height of groups, from 1 for leaves to {heights} for the whole machine");
    let is_height = |height: &u32| (1..=heights).contains(height);
    let level = params.take_if("level", 1, &expected, is_height)?;
    let slice_level = params.take_if("slice-level", 1, &expected, is_height)?;
    if slice > 1 && slice_level > level && mode != Mode::Unconstrained {
        let expected = format!("a height of at most level={level}, as the groups there contain slices");
        return Err(params.bad_value("slice-level", &slice_level.to_string(), &expected));
    }
    let fullest_first = mode == Mode::Unconstrained && is_mixed;
    let slice_height = if slice > 1 { slice_level as usize - 1 } else { 0 };
    let kueue = Kueue { mode, level, fullest_first, slice, slice_height };
    let strategy = Strategy::of(kueue);
    let complete = mode != Mode::Required && slice == 1;
    Ok(if complete { strategy } else { strategy.served(Served::ByState(Foresight::Proposes)) })
}

struct Kueue {
    mode: Mode,
    /// Height of the groups that a job asks for, from 1.
    level: u32,
    /// Whether groups with room for fewer slices come first.
    fullest_first: bool,
    /// Processors of a slice.
    slice: u32,
    /// Height of the groups that contain whole slices, counted from 0.
    slice_height: usize,
}

/// The free nodes of a machine, and the room for slices, by height from leaves and by group.
struct Room {
    nodes: Vec<Vec<u32>>,
    slices: Vec<Vec<u32>>,
}

/// A group, with its free nodes and the slices for which it has room; or with its share of both.
#[derive(Clone, Copy)]
struct Domain {
    group: usize,
    slices: u32,
    nodes: u32,
}

impl Room {
    /// Returns the groups of `height`, counted from 0, in a group one height up.
    fn children(&self, height: usize, parent: usize) -> impl Iterator<Item = Domain> + '_ {
        let fan = self.nodes[height].len() / self.nodes[height + 1].len();
        (parent * fan..(parent + 1) * fan).map(move |group| self.domain(height, group))
    }

    fn domain(&self, height: usize, group: usize) -> Domain {
        Domain { group, slices: self.slices[height][group], nodes: self.nodes[height][group] }
    }
}

impl Kueue {
    fn room(&self, levels: &Levels, machine: &Machine) -> Room {
        let nodes = levels.count_by_group(machine.free().iter());
        let mut slices: Vec<Vec<u32>> = Vec::new();
        for (height, free) in nodes.iter().enumerate() {
            slices.push(if height <= self.slice_height {
                free.iter().map(|free| free / self.slice).collect()
            } else {
                let below = &slices[height - 1];
                below.chunks(below.len() / free.len()).map(|group| group.iter().sum()).collect()
            });
        }
        Room { nodes, slices }
    }

    /// Returns groups in the order in which they are taken.
    fn sorted(&self, domains: impl Iterator<Item = Domain>) -> Vec<Domain> {
        let mut domains: Vec<Domain> = domains.collect();
        let slices = |slices: u32| if self.fullest_first { slices } else { u32::MAX - slices };
        domains.sort_by_key(|domain| (slices(domain.slices), domain.nodes, domain.group));
        domains
    }

    /// Returns the group that has room for `rest` slices by itself, of sorted groups; `None` if none has.
    fn single(&self, domains: &[Domain], rest: u32) -> Option<Domain> {
        let mut sufficient = domains.iter().filter(|domain| domain.slices >= rest).copied();
        if self.fullest_first { sufficient.next() } else { sufficient.min_by_key(|domain| domain.slices) }
    }

    /// Takes `rest` slices of `size` nodes from sorted groups in order. Returns the share of each group;
    /// `None` if there is no room.
    fn take(&self, domains: &[Domain], mut rest: u32, size: u32) -> Option<Vec<Domain>> {
        let mut shares = Vec::new();
        for (i, &next) in domains.iter().enumerate() {
            let domain = if next.slices < rest { next } else { self.single(&domains[i..], rest)? };
            let slices = domain.slices.min(rest);
            shares.push(Domain { group: domain.group, slices, nodes: slices * size });
            rest -= slices;
            if rest == 0 {
                return Some(shares);
            }
        }
        None
    }

    /// Returns the height, counted from 0, and the groups of that height that get the job; `None` if it
    /// waits.
    fn top(&self, room: &Room, wanted: u32) -> Option<(usize, Vec<Domain>)> {
        let top = room.nodes.len() - 1;
        let mut height = match self.mode {
            Mode::Unconstrained if self.slice == 1 => 0,
            Mode::Unconstrained => top.saturating_sub(1),
            _ => self.level as usize - 1,
        };
        loop {
            let groups = self.sorted((0..room.nodes[height].len()).map(|group| room.domain(height, group)));
            if let Some(domain) = self.single(&groups, wanted) {
                return Some((height, self.take(&[domain], wanted, self.slice)?));
            }
            match self.mode {
                Mode::Unconstrained => return Some((height, self.take(&groups, wanted, self.slice)?)),
                Mode::Preferred if height < top => height += 1,
                _ => return None,
            }
        }
    }
}

impl Allocator for Kueue {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let levels = machine.mesh().levels()?;
        if !request.procs.is_multiple_of(self.slice) {
            return None;
        }
        let wanted = request.procs / self.slice;
        let room = self.room(levels, machine);
        let (top, mut shares) = self.top(&room, wanted)?;
        for height in (0..top).rev() {
            shares = if height >= self.slice_height {
                let children = shares.iter().flat_map(|share| room.children(height, share.group));
                self.take(&self.sorted(children), wanted, self.slice)?
            } else {
                let mut lower = Vec::new();
                for share in shares {
                    // Slices are whole one height up. Here each node is one of its own.
                    let alone = |child: Domain| Domain { slices: child.nodes, ..child };
                    let mut children: Vec<Domain> = room.children(height, share.group).map(alone).collect();
                    children.sort_by_key(|child| (child.nodes, child.group));
                    lower.extend(self.take(&children, share.nodes, 1)?);
                }
                lower
            };
        }
        let mut counts = vec![0; room.nodes[0].len()];
        for share in shares {
            counts[share.group] = share.nodes;
        }
        Some(first_of_leaves(levels, machine, &counts))
    }
}
