//! A small drawing of what an allocator does, for the command `list allocators NAME`.

use super::picture;
use super::state::placed;
use meshreplay_base::spec::Spec;
use meshreplay_machine::machine::{Machine, Mesh, NodeId};

/// The machines that are tried: most allocators serve the first one.
const MACHINES: [&str; 4] = ["8x8", "16", "4x4x4", "ocs:2x4x4x4"];
/// The number of processors of the job.
const PROCS: u32 = 7;

/// Returns a drawing of the nodes that the registered allocator of this name gives to a job of seven
/// processors on a small machine of which some nodes are in use. `None` if it is not registered, or places no
/// such job.
pub fn sample(name: &str) -> Option<String> {
    let spec = Spec::named(name);
    MACHINES.iter().find_map(|machine| {
        let mesh: Mesh = machine.parse().ok()?;
        let mut state = Machine::new(mesh.clone());
        state.occupy(&in_use(&mesh)).ok()?;
        let (_, nodes) = placed(&spec, &state, PROCS, 1).ok()?;
        let nodes = nodes?;
        let taken =
            if nodes.len() as u32 == PROCS { String::new() } else { format!(", and gets {}", nodes.len()) };
        let title =
            format!("A job of {PROCS} processors on {machine}, of which some nodes are in use{taken}:\n\n");
        Some(title + &picture::placement(&mesh, &nodes, state.free()))
    })
}

/// Returns the nodes in use: a square (or a row) of them, and single ones, so that neither all nor no
/// contiguous places are free.
fn in_use(mesh: &Mesh) -> Vec<NodeId> {
    let is_used = |&node: &NodeId| {
        let [x, y, z] = mesh.coord(node);
        let in_square = (1..=3).contains(&x) && y <= 2 && z == 0;
        in_square || [[6, 1, 0], [5, 5, 0], [0, 6, 0], [2, 3, 2]].contains(&[x, y, z])
    };
    (0..mesh.nodes()).filter(is_used).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use meshreplay_alloc::allocator::ALLOCATORS;

    #[test]
    fn every_allocator_has_a_drawing() {
        let lacking: Vec<&str> =
            ALLOCATORS.iter().map(|row| row.name).filter(|name| sample(name).is_none()).collect();
        assert!(lacking.is_empty(), "{lacking:?}");
        let text = sample("naive").unwrap_or_default();
        // The lowest row has node 0 free and nodes 1 to 3 in use.
        assert!(text.contains("\n■ × × × ■ ■ ■ ■\n"), "{text}");
        assert_eq!(text.matches('■').count(), 7 + 1, "seven nodes, and the legend");
    }
}
