//! Machines that follow from a log: `auto`, `auto:1d`, `auto:3d`, `torus:auto`, `tree:auto:24` and so on.
//!
//! The machine has as many nodes as the log's machine had processors. Its sides are from the smallest
//! sufficient mesh whose longest side is at most twice the shortest, and among several the one closest to a
//! square or a cube. A tree has as many leaves of the given size as the nodes need. Surplus nodes are
//! unavailable: the last ones.

use std::fmt;
use std::str::FromStr;

use super::{MAX_NODES, Mesh};

/// A machine that is known once the log has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AutoMachine {
    /// A mesh or torus.
    Grid {
        /// The number of dimensions, 1 to 3.
        dims: u32,
        /// Whether every dimension wraps around.
        is_torus: bool,
    },
    /// A tree of leaves below one switch.
    Tree {
        /// Nodes of a leaf, at least 1.
        leaf: u32,
    },
}

/// The spellings, for messages.
const EXPECTED: &str = "auto (a mesh of two dimensions), auto:1d, auto:2d, auto:3d, torus:auto:3d and so on, \
                        or tree:auto:24 (leaves of 24 nodes)";

impl AutoMachine {
    /// Returns whether `text` stands for a machine that follows from the log, rightly spelt or not.
    #[inline]
    pub fn is_spec(text: &str) -> bool {
        let text = ["torus:", "tree:"].iter().find_map(|kind| text.strip_prefix(kind)).unwrap_or(text);
        text == "auto" || text.starts_with("auto:")
    }

    /// Returns the machine of `nodes` available nodes. `None` if there are none, or more than a machine can
    /// have.
    #[inline]
    pub fn on(self, nodes: u64) -> Option<Mesh> {
        let wanted = u32::try_from(nodes).ok().filter(|wanted| (1..=MAX_NODES).contains(wanted))?;
        let mesh = match self {
            Self::Grid { dims, is_torus: true } => Mesh::torus(&sides(wanted, dims)?).ok()?,
            Self::Grid { dims, is_torus: false } => Mesh::new(&sides(wanted, dims)?).ok()?,
            Self::Tree { leaf } => format!("tree:{}x{leaf}", wanted.div_ceil(leaf)).parse().ok()?,
        };
        let surplus = mesh.nodes() - wanted;
        if surplus == 0 { Some(mesh) } else { mesh.without(&[(wanted, mesh.nodes() - 1)]).ok() }
    }
}

/// Returns the sides of the mesh of `dims` dimensions for `nodes` nodes, ascending; `None` if it would be too
/// large.
fn sides(nodes: u32, dims: u32) -> Option<Vec<u32>> {
    if dims == 1 {
        return Some(vec![nodes]);
    }
    // The shortest side is at most the root of the number of nodes, and at least half of what rounding up
    // gives.
    let root = f64::from(nodes).powf(1.0 / f64::from(dims)).ceil() as u32;
    let mut best: Option<(u64, u32, Vec<u32>)> = None;
    for shortest in root.div_ceil(2).max(1)..=root {
        let middles = if dims == 2 { 1..=1 } else { shortest..=2 * shortest };
        for middle in middles {
            let longest = nodes.div_ceil(shortest * middle).max(shortest).max(middle);
            if longest > 2 * shortest {
                continue;
            }
            let found = u64::from(shortest) * u64::from(middle) * u64::from(longest);
            let sides = if dims == 2 { vec![shortest, longest] } else { vec![shortest, middle, longest] };
            let candidate = (found, longest - shortest, sides);
            if best.as_ref().is_none_or(|best| candidate < *best) {
                best = Some(candidate);
            }
        }
    }
    best.filter(|(found, ..)| *found <= u64::from(MAX_NODES)).map(|(.., sides)| sides)
}

/// Writes the spelling, such as `auto`, `torus:auto:3d` or `tree:auto:24`.
impl fmt::Display for AutoMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Tree { leaf } => write!(f, "tree:auto:{leaf}"),
            Self::Grid { dims, is_torus } => {
                let torus = if is_torus { "torus:" } else { "" };
                if dims == 2 { write!(f, "{torus}auto") } else { write!(f, "{torus}auto:{dims}d") }
            }
        }
    }
}

impl FromStr for AutoMachine {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(leaf) = text.strip_prefix("tree:auto:").and_then(|leaf| leaf.parse().ok())
            && (1..=MAX_NODES).contains(&leaf)
        {
            return Ok(Self::Tree { leaf });
        }
        let (is_torus, rest) = text.strip_prefix("torus:").map_or((false, text), |rest| (true, rest));
        let dims = match rest {
            "auto" | "auto:2d" => 2,
            "auto:1d" => 1,
            "auto:3d" => 3,
            _ => return Err(format!("machine '{text}': expected {EXPECTED}")),
        };
        Ok(Self::Grid { dims, is_torus })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_close_to_squares_and_cubes_and_have_exactly_as_many_nodes() {
        for (text, nodes, expected) in [
            ("auto", 4392, "61x72"),
            ("auto", 49_152, "192x256"),
            ("auto:3d", 49_152, "32x32x48"),
            ("torus:auto:3d", 49_152, "torus:32x32x48"),
            ("auto:1d", 400, "400"),
            ("auto", 128, "8x16"),
            ("auto", 400, "20x20"),
            ("auto", 4360, "49x89:without=4360"),
            ("auto", 1, "1x1"),
            ("auto:3d", 7, "2x2x2:without=7"),
            ("tree:auto:24", 432, "tree:18x24"),
            ("tree:auto:24", 100, "tree:5x24:without=100-119"),
            ("tree:auto:24", 5, "tree:1x24:without=5-23"),
        ] {
            let machine: Result<AutoMachine, String> = text.parse();
            let mesh = machine.ok().and_then(|machine| machine.on(nodes));
            assert_eq!(mesh.map(|mesh| mesh.to_string()).as_deref(), Some(expected), "{text}, {nodes}");
        }
    }

    #[test]
    fn every_number_of_nodes_has_a_machine_that_is_not_long() {
        for text in ["auto", "auto:3d", "torus:auto"] {
            let machine: AutoMachine = text.parse().expect("a machine");
            assert_eq!(machine.to_string(), text);
            for nodes in (1..3000).chain([MAX_NODES - 1, MAX_NODES]) {
                let mesh = machine.on(u64::from(nodes)).expect("a machine");
                assert_eq!(mesh.available(), nodes);
                let sides = &mesh.extents()[..mesh.dims()];
                let [least, most] =
                    [sides.iter().min(), sides.iter().max()].map(|side| side.copied().unwrap_or(0));
                assert!(most <= 2 * least.max(1), "{nodes}: {mesh}");
            }
        }
    }

    #[test]
    fn other_spellings_and_sizes_are_refused() {
        for text in ["auto:4d", "auto:", "auto:2x2", "tree:auto", "tree:auto:0", "tree:auto:3d"] {
            assert!(AutoMachine::is_spec(text));
            let message = text.parse::<AutoMachine>().expect_err("wrong");
            assert!(message.contains("expected auto (a mesh of two dimensions)"), "{message}");
        }
        assert!(!AutoMachine::is_spec("16x16") && !AutoMachine::is_spec("automatic"));
        let auto: Result<AutoMachine, String> = "auto".parse();
        assert!(auto.is_ok_and(|auto| auto.on(0).is_none() && auto.on(1 << 25).is_none()));
    }
}
