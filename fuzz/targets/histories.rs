//! Random histories of requests, releases and nodes that go down, on every allocator and every machine, held
//! to the laws.

use meshreplay::allocator::ALLOCATORS;
use meshreplay::laws::{LAWS, MACHINES, Subject, Trial, Verdict, with_holes};
use meshreplay::machine::Mesh;
use meshreplay::spec::Spec;

use super::Target;

pub(crate) const HISTORY: Target = Target {
    name: "history",
    seeds: || (0..64_u8).map(|i| vec![i, i.wrapping_mul(7), i.wrapping_mul(13), 0, i, 1, 2, 3]).collect(),
    words: &[],
    cost: 20,
    run: |bytes| {
        let byte = |i: usize| usize::from(bytes.get(i).copied().unwrap_or_default());
        let entry = &ALLOCATORS[byte(0) % ALLOCATORS.len()];
        let law = &LAWS[byte(1) % LAWS.len()];
        let whole: Mesh = MACHINES[byte(2) % MACHINES.len()].parse().expect("a machine");
        let seed =
            bytes.iter().fold(0_u64, |seed, &byte| seed.wrapping_mul(257).wrapping_add(u64::from(byte)));
        let mut machines = with_holes(&whole, seed);
        machines.push(whole);
        let mesh = &machines[byte(3) % machines.len()];
        let subject = Subject::of_spec(&Spec::named(entry.name));
        match (Trial { subject: &subject, law, seed, events: 20 + byte(4) % 100 }).on(mesh) {
            Ok(Verdict::Broken(counterexample)) => panic!("{counterexample}"),
            Ok(Verdict::Kept(_)) => format!("{} keeps {}", entry.name, law.name),
            Ok(Verdict::Undecided) => panic!("{} has failed", entry.name),
            Ok(Verdict::NotPromised) => format!("{} does not promise {}", entry.name, law.name),
            Err(error) => error.to_string(),
        }
    },
};
