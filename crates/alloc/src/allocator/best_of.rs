//! Best-of: several allocators choose nodes, and the choice with the smallest sum of pairwise distances is
//! taken.
//!
//! A hybrid of our own. It follows a remark in P. Walker, D. Bunde, V. Leung, "Faster high-quality processor
//! allocation", 2010, §V: which allocator is best depends on the job and on the free nodes.
//!
//! 1. Every member chooses nodes in the same state of the machine.
//! 2. The choice with the smallest sum of distances over all pairs of nodes wins; on a tie the first member
//!    wins. Distances are L1 distances, and on a tree of switches the links between nodes.
//! 3. All members learn which nodes were taken, so that each of them knows the true state of the machine.
//!
//! `best-of:a|b|c` names the members; each is a spec. Every member must take exactly as many nodes as
//! requested, and at least one member must never refuse while enough nodes are free. Best-of then keeps both
//! promises too. Every member must serve the machine, so a tree of switches has other default members:
//! `column-snake+bf|slurm-tree|kueue`. Members that move running jobs are refused. Members that remember
//! earlier choices when the machine is idle are refused as well, because a losing member would remember
//! choices that were never carried out. The time of a request is the sum of the members' times.

use crate::allocator::seam::{
    Allocator, AllocatorEntry, Builder, Built, Memory, OnTrees, Placement, Promises, Request, Setup, Strategy,
};
use meshreplay_base::spec::{Params, Spec, SpecError};
use meshreplay_machine::machine::{Machine, pairwise_sum};

const NAME: &str = "best-of";

/// Returns the registry's row of best-of. The registry passes the builder `build`, since the members are
/// built from the registry's rows.
pub(crate) const fn entry(build: Builder) -> AllocatorEntry {
    AllocatorEntry {
        name: NAME,
        summary: "several allocators asked, the placement of smallest pairwise sum taken",
        source: "after Walker, Bunde, Leung, 2010, §V",
        parameters: "the members: mc1x1|mm|column-snake+bf|granular-mbs (any specs, best-of:A|B|…)",
        trees: OnTrees::Serves,
        promises: |_| Promises { exact: true, complete: true, memory: Memory::UntilIdle },
        ..AllocatorEntry::non_contiguous(build)
    }
}

/// The members if the spec names none: one allocator of each of four families.
const DEFAULT_MEMBERS: &str = "mc1x1|mm|column-snake+bf|granular-mbs";

/// The same for a tree of switches.
const TREE_MEMBERS: &str = "column-snake+bf|slurm-tree|kueue";

/// A description of valid members, for the error message about fewer than two members.
const EXPECTED: &str = "at least two specs with | between them, such as best-of:mm|granular-mbs";

/// Returns the members that a spec of best-of names with this text; the default ones if it is `None`.
pub fn members(text: Option<&str>) -> Result<Vec<Spec>, SpecError> {
    text.unwrap_or(DEFAULT_MEMBERS).split('|').map(str::parse).collect()
}

/// Builds best-of, and each member by `build_member`. Fails if there are fewer than two members or if a
/// member lacks a promise that best-of needs.
pub(crate) fn build(
    params: &mut Params,
    setup: &Setup<'_>,
    build_member: fn(&Spec, &Setup<'_>) -> Result<Built, SpecError>,
) -> Result<Strategy, SpecError> {
    let given = params.take_members();
    let default = if setup.mesh.levels().is_some() { TREE_MEMBERS } else { DEFAULT_MEMBERS };
    let text = given.as_deref().unwrap_or(default);
    let specs = members(Some(text))?;
    let bad = |expected: &str| params.bad_members(text, expected);
    let (mut members, mut resolved) = (Vec::new(), Vec::new());
    let mut complete = false;
    for spec in &specs {
        if spec.name == NAME {
            return Err(bad("members other than itself"));
        }
        let Built { spec, promises, strategy } = build_member(spec, setup)?;
        if !promises.exact {
            return Err(bad("members that take exactly as many nodes as requested"));
        }
        if !promises.memory.ends_when_idle() {
            return Err(bad("members that decide alike whenever the machine is idle"));
        }
        complete |= promises.complete;
        if strategy.moves_jobs {
            return Err(bad("members that leave running jobs where they are"));
        }
        members.push(strategy);
        resolved.push(spec.to_string());
    }
    if members.len() < 2 {
        return Err(bad(EXPECTED));
    }
    if !complete {
        return Err(bad("at least one member that never refuses while enough nodes are free"));
    }
    params.resolve_members(&resolved.join("|"));
    Ok(Strategy::of(BestOf { members, winner: 0 }))
}

/// Takes the proposal with the smallest sum of pairwise distances.
struct BestOf {
    members: Vec<Strategy>,
    /// The index in `members` of the allocator that made the last proposal.
    winner: usize,
}

impl Allocator for BestOf {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        let mut best: Option<(u64, Placement)> = None;
        for (i, member) in self.members.iter_mut().enumerate() {
            let Some(placement) = member.propose(request, machine) else { continue };
            let sum = pairwise_sum(machine.mesh(), &placement.nodes);
            // The strict comparison keeps the first member on a tie.
            if best.as_ref().is_none_or(|(least, _)| sum < *least) {
                best = Some((sum, placement));
                self.winner = i;
            }
        }
        best.map(|(_, placement)| placement)
    }

    fn accepted(&mut self, placement: &Placement, machine: &Machine) {
        for (i, member) in self.members.iter_mut().enumerate() {
            if i == self.winner {
                member.accepted(placement, machine);
            } else {
                // This member proposed other nodes, or none.
                member.taken(placement, machine);
            }
        }
    }

    fn taken(&mut self, placement: &Placement, machine: &Machine) {
        self.members.iter_mut().for_each(|member| member.taken(placement, machine));
    }

    fn released(&mut self, placement: &Placement, machine: &Machine) {
        self.members.iter_mut().for_each(|member| member.released(placement, machine));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::allocator::build as build_allocator;
    use meshreplay_machine::machine::Mesh;

    fn outcome(text: &str, mesh: &Mesh) -> Result<String, SpecError> {
        build_allocator(&text.parse()?, &Setup::new(mesh, 1)).map(|built| built.spec.to_string())
    }

    #[test]
    fn members_are_written_out_and_read_back() -> Result<(), Box<dyn std::error::Error>> {
        let mesh = "4x4".parse()?;
        let resolved = outcome("best-of:mm:ties=location|hilbert+bf|naive", &mesh)?;
        assert_eq!(resolved, "best-of:mm:ties=location|curve:order=hilbert,select=best-fit|naive");
        assert_eq!(outcome(&resolved, &mesh)?, resolved);
        for (machine, members) in [("4x4", DEFAULT_MEMBERS), ("tree:4x4", TREE_MEMBERS)] {
            let mesh = machine.parse()?;
            assert_eq!(outcome("best-of", &mesh)?, outcome(&format!("best-of:{members}"), &mesh)?);
        }
        Ok(())
    }

    #[test]
    fn wrong_members_are_named() -> Result<(), Box<dyn std::error::Error>> {
        let mesh = "4x4x4".parse()?;
        for (text, message) in [
            ("best-of:mm|nave", "unknown allocator 'nave', did you mean 'naive'?"),
            ("best-of:mm|", "malformed spec '': the name is missing"),
            ("best-of:naive|mbs", "'mbs' cannot serve machine 4x4x4"),
            ("best-of:mm:ties=both|naive", "parameter 'ties' of 'mm' is 'both'"),
            ("best-of:mm|best-of", "members of 'best-of' are 'mm|best-of': expected members other"),
            ("best-of:mm|random", "members of 'best-of' are 'mm|random': expected members that decide alike"),
            ("best-of:of=mm", "'best-of' has no parameter 'of' (it has none)"),
        ] {
            let found = outcome(text, &mesh).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(found.starts_with(message), "{text}: {found}");
        }
        Ok(())
    }

    #[test]
    fn the_smallest_sum_wins_and_the_others_follow() -> Result<(), Box<dyn std::error::Error>> {
        let mesh: Mesh = "5x5".parse()?;
        let setup = Setup::new(&mesh, 1);
        let specs = ["naive", "row-snake+ff", "granular-mbs", "mm"];
        let mut best_of = build_allocator(&format!("best-of:{}", specs.join("|")).parse()?, &setup)?.strategy;
        let mut machine = Machine::new(mesh.clone());
        machine.occupy(&[6, 7, 18, 20, 4])?;
        let nodes = best_of.propose(&Request::of(6), &machine).ok_or("refused")?.nodes;
        // The choice of `mm`, with a sum of 26, is the smallest of the four.
        assert_eq!(pairwise_sum(&mesh, &nodes), 26);
        Ok(())
    }
}
