//! Machine states for tests.

use meshreplay_machine::machine::{Machine, NodeId};

/// Returns a machine on which `quarters` of four patches are busy, by a multiplicative hash that `seed`
/// changes. A patch has `side` nodes along each dimension.
pub(super) fn patchy(
    text: &str,
    side: u32,
    quarters: u32,
    seed: u32,
) -> Result<Machine, Box<dyn std::error::Error>> {
    let mut machine = Machine::new(text.parse()?);
    let mesh = machine.mesh().clone();
    let is_busy = |node: &NodeId| {
        let at = mesh.coord(*node).map(|c| c / side);
        let hash = (at[0] * 31 + at[1] * 37 + at[2] * 41 + seed).wrapping_mul(0x9e37_79b1);
        hash >> 30 < quarters
    };
    machine.occupy(&(0..mesh.nodes()).filter(is_busy).collect::<Vec<_>>())?;
    Ok(machine)
}
