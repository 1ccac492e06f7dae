//! Faulty allocators: the law that finds each fault, and the size of the counterexample.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use meshreplay_alloc::allocator::{
    Allocator, Built, Foresight, Memory, Placement, Promises, Request, Served, Strategy,
};
use meshreplay_alloc::laws::{Counterexample, LAWS, Subject, Trial, Verdict, with_holes};
use meshreplay_base::spec::Spec;
use meshreplay_machine::machine::{Machine, Mesh, NodeId};

use meshreplay_testing::Tested;

/// The fault of an allocator that otherwise takes the first free nodes.
#[derive(Clone, Debug)]
enum Wrong {
    /// Takes a node beyond the last one if the last nodes are free.
    OffByOne,
    /// Takes a busy node after this number of releases.
    AfterReleases(u32),
    /// Gives too few nodes instead of a refusal if only two nodes are free.
    Short,
    /// Takes one node more than requested.
    TooMany,
    /// Refuses if the row of the first free node is partly busy.
    Refuses,
    /// Chooses by a counter shared by all instances.
    Random(Arc<AtomicU32>),
    /// Depends on the number of proposals.
    CountsProposals,
    /// Begins after the last placement.
    Remembers,
    /// Takes unavailable nodes.
    TakesUnavailable,
    /// Refuses everything.
    Never,
}

/// An allocator of the first free nodes with a fault.
struct Mistaken {
    wrong: Wrong,
    proposals: u32,
    releases: u32,
    next: NodeId,
}

impl Allocator for Mistaken {
    fn propose(&mut self, request: &Request, machine: &Machine) -> Option<Placement> {
        self.proposals += 1;
        let (mesh, k) = (machine.mesh(), request.procs as usize);
        let mut free: Vec<NodeId> = machine.free().iter().collect();
        let count = free.len();
        match &self.wrong {
            Wrong::OffByOne if count == k && free.last() == Some(&(mesh.nodes() - 1)) => {
                for node in &mut free {
                    *node += 1;
                }
            }
            Wrong::AfterReleases(releases) if self.releases >= *releases => {
                free.splice(0..0, (0..mesh.nodes()).find(|&node| !machine.free().contains(node)));
            }
            Wrong::Short if count < k + 2 => free.truncate(k.saturating_sub(1).max(1)),
            Wrong::Never => return None,
            Wrong::Refuses if mesh.coord(free[0])[0] > 0 => return None,
            Wrong::Random(counter) => {
                free.rotate_left(counter.fetch_add(1, Ordering::Relaxed) as usize % 7 % count);
            }
            Wrong::CountsProposals => free.rotate_left(self.proposals as usize % count),
            Wrong::Remembers => {
                let first = free.partition_point(|&node| node < self.next);
                free.rotate_left(first % count);
            }
            Wrong::TakesUnavailable => {
                free.extend((0..mesh.nodes()).filter(|&node| !mesh.is_available(node)));
                free.sort_unstable();
            }
            _ => {}
        }
        free.truncate(if matches!(self.wrong, Wrong::TooMany) { k + 1 } else { k });
        Some(Placement::of(free))
    }

    fn taken(&mut self, placement: &Placement, _: &Machine) {
        self.next = placement.nodes.last().map_or(0, |last| last + 1);
    }

    fn released(&mut self, _: &Placement, _: &Machine) {
        self.releases += 1;
    }
}

/// Returns a subject with this fault that promises every law.
fn subject(wrong: Wrong) -> Subject<'static> {
    Subject::new(format!("{wrong:?}"), move |_, _| {
        let mistaken = Mistaken { wrong: wrong.clone(), proposals: 0, releases: 0, next: 0 };
        Ok(Built {
            spec: Spec::named("mistaken"),
            promises: Promises { exact: true, complete: true, memory: Memory::UntilIdle },
            strategy: Strategy::of(mistaken),
        })
    })
}

/// Returns the counterexample to the first law that is broken on a machine.
fn broken(subject: &Subject<'_>, mesh: &Mesh, seed: u64) -> Result<Counterexample, String> {
    for law in LAWS {
        match (Trial { subject, law, seed, events: 300 }).on(mesh).map_err(|error| error.to_string())? {
            Verdict::Broken(counterexample) => return Ok(*counterexample),
            Verdict::Kept(_) | Verdict::NotPromised | Verdict::Undecided => {}
        }
    }
    Err(format!("{}: no law is broken", subject.name))
}

#[test]
fn every_mistake_is_found_and_its_history_is_small() -> Tested {
    let counter = Arc::new(AtomicU32::new(0));
    // The law that finds the fault, and the maximum numbers of events and nodes in the counterexample.
    for (wrong, law, events, nodes) in [
        (Wrong::OffByOne, "free", 1, 1),
        // Seven placements and releases, then one more placement.
        (Wrong::AfterReleases(7), "free", 16, 2),
        (Wrong::Short, "size", 1, 2),
        (Wrong::TooMany, "size", 1, 2),
        (Wrong::Refuses, "serves", 2, 2),
        (Wrong::Random(counter), "repeats", 1, 2),
        (Wrong::CountsProposals, "proposes", 2, 2),
        (Wrong::Remembers, "forgets", 3, 2),
    ] {
        for (machine, seed) in [("8x5", 1), ("torus:4x3x3", 2), ("5x4:wrap=x", 3)] {
            let found = broken(&subject(wrong.clone()), &machine.parse()?, seed)?;
            println!("{found}\n");
            assert_eq!(found.law, law, "{found}");
            assert!(found.events.len() <= events, "{} events: {found}", found.events.len());
            assert!(found.mesh.nodes() <= nodes, "{} nodes: {found}", found.mesh.nodes());
        }
    }
    Ok(())
}

#[test]
fn an_allocator_that_places_nothing_breaks_a_law_though_it_promises_none() -> Tested {
    let never = Subject::new("Never".to_owned(), |_, _| {
        let mistaken = Mistaken { wrong: Wrong::Never, proposals: 0, releases: 0, next: 0 };
        Ok(Built {
            spec: Spec::named("mistaken"),
            promises: Promises { exact: true, complete: false, memory: Memory::None },
            strategy: Strategy::of(mistaken).served(Served::ByState(Foresight::Proposes)),
        })
    });
    let found = broken(&never, &"8x5".parse()?, 1)?;
    assert_eq!((found.law, found.mesh.nodes()), ("places", 1), "{found}");
    Ok(())
}

#[test]
fn unavailable_nodes_stay_in_the_counterexample_only_if_they_matter() -> Tested {
    let mut broken_on = 0;
    for mesh in with_holes(&"8x5".parse()?, 1) {
        // If the last node is unavailable, only a job of the whole machine takes it, and the history may have
        // none.
        let Ok(found) = broken(&subject(Wrong::TakesUnavailable), &mesh, 1) else { continue };
        broken_on += 1;
        assert_eq!(found.law, "free");
        assert!(found.mesh.nodes() <= 3 && found.events.len() == 1, "{found}");
    }
    assert!(broken_on >= 2, "{broken_on} machines");
    Ok(())
}

#[test]
fn the_same_seed_gives_the_same_counterexample() -> Tested {
    let text = |seed| -> Result<String, String> {
        let mesh = "torus:6x5".parse().map_err(|_| "a machine")?;
        Ok(broken(&subject(Wrong::AfterReleases(3)), &mesh, seed)?.to_string())
    };
    assert_eq!(text(4)?, text(4)?);
    Ok(())
}

#[test]
fn a_counterexample_says_the_law_the_history_and_draws_the_machine() -> Tested {
    let found = broken(&subject(Wrong::AfterReleases(1)), &"8x5".parse()?, 1)?;
    let expected = "\
AfterReleases(1) breaks the law 'free': a placement names nodes that exist and are free, each of them once, \
and the allocator does not fail.

The smallest history that was found, on the machine 2, 2 nodes:
  1. a job asks for 1 processor and gets node 0: a
  2. a is released
  3. a job asks for 1 processor and gets node 0: b
  4. a job asks for 1 processor, while 1 node is free
     the allocator proposes: node 0
  wrong: node 0 is not free

  in use   proposed
  b.       !.
  a letter: nodes in use   . free   @ proposed   ! proposed, but not free or named twice   ▒ unavailable";
    assert_eq!(found.to_string(), expected);
    Ok(())
}

#[test]
fn one_node_is_proposed_and_several_are() -> Tested {
    let found = broken(&subject(Wrong::CountsProposals), &"8x5".parse()?, 1)?.to_string();
    assert!(found.contains("  1. node 1 is proposed for 1 processor, and nobody takes it"), "{found}");
    Ok(())
}
