//! The tie-break of MC1x1: decides which of several centres of the same score is best for later jobs.
//!
//! C. Johnson, D. Bunde, V. Leung, "A tie-breaking strategy for processor allocation in meshes", ICPP
//! Workshops 2010.
//!
//! Let o be the shell (L∞ distance from the centre) of its k-th nearest free node, and let s be the number of
//! shells beyond o that count. A node in shell d has the weight o + s − d + 1. The centre with the smallest
//! value wins:
//!
//! available · Σ weights of free nodes in shells up to o + s that are not taken
//! − wall · Σ weights of nodes taken that lie on a wall of the mesh, in a dimension of more than two nodes
//! − border · Σ weights of busy nodes in shell o + 1
//!
//! The placement then separates few free nodes from others, and walls and other jobs enclose it. A dimension
//! that wraps has no walls.

use std::fmt;
use std::str::FromStr;

use meshreplay_machine::machine::{Coord, Machine, NodeId};

/// The parameters of the tie-break. Without shells to look at, ties are not broken here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct TieBreak {
    /// The number of shells looked at beyond that of the k-th nearest free node; 0 for no tie-break.
    shells: u32,
    available: i64,
    wall: i64,
    border: i64,
}

/// The accepted texts of a [`TieBreak`], for error messages.
pub(crate) const EXPECTED: &str =
    "none, or SHELLS/AVAILABLE/WALL/BORDER such as 2/1/0/0, whole numbers up to 1000";

/// The largest number in such a text. With it, sums of weights over 2^24 nodes stay far within 64 bits.
const LARGEST: u32 = 1000;

impl TieBreak {
    /// Returns whether there is no tie-break, so that location decides.
    pub(crate) fn is_none(self) -> bool {
        self.shells == 0
    }

    /// Returns the value of a placement on `nodes` around `centre`; of equal scores the smallest value wins.
    /// `last` is the shell of the k-th nearest free node of the centre. O(N).
    pub(crate) fn value(self, machine: &Machine, centre: Coord, last: u32, nodes: &[NodeId]) -> i64 {
        let mesh = machine.mesh();
        let extents = mesh.extents();
        let reach = i64::from(last) + i64::from(self.shells);
        let shell = |node: NodeId| i64::from(mesh.l_inf(centre, mesh.coord(node)));
        let weight = |shell: i64| (reach - shell + 1).max(0);
        let on_wall = |node: NodeId| {
            let coord = mesh.coord(node);
            let ends = |d: usize| !mesh.wraps(d) && extents[d] > 2;
            (0..3).any(|d| ends(d) && (coord[d] == 0 || coord[d] + 1 == extents[d]))
        };
        let free: i64 = machine.free().iter().map(|node| weight(shell(node))).sum();
        let taken: i64 = nodes.iter().map(|&node| weight(shell(node))).sum();
        let walls: i64 =
            nodes.iter().filter(|&&node| on_wall(node)).map(|&node| reach - shell(node) + 1).sum();
        let next = i64::from(last) + 1;
        let busy = |node: &NodeId| !machine.free().contains(*node) && shell(*node) == next;
        let border = (0..mesh.nodes()).filter(busy).count() as i64 * weight(next);
        self.available * (free - taken) - self.wall * walls - self.border * border
    }
}

impl FromStr for TieBreak {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        if text == "none" {
            return Ok(Self::default());
        }
        let numbers: Vec<u32> =
            text.split('/').map(|part| part.parse().map_err(|_| ())).collect::<Result<_, ()>>()?;
        match numbers.as_slice() {
            &[shells, available, wall, border] if shells > 0 && numbers.iter().all(|&n| n <= LARGEST) => {
                let [available, wall, border] = [available, wall, border].map(i64::from);
                Ok(Self { shells, available, wall, border })
            }
            _ => Err(()),
        }
    }
}

impl fmt::Display for TieBreak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        write!(f, "{}/{}/{}/{}", self.shells, self.available, self.wall, self.border)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_worked_out_by_hand() -> Result<(), Box<dyn std::error::Error>> {
        // On 5×5 with the row y = 4 busy, (1, 1) takes itself and (0, 0) and (1, 0); o = 1.
        let mut machine = Machine::new("5x5".parse()?);
        machine.occupy(&[20, 21, 22, 23, 24])?;
        let value = |text: &str| {
            let tie: TieBreak = text.parse().map_err(|()| text.to_owned())?;
            Ok::<_, String>(tie.value(&machine, [1, 1, 0], 1, &[6, 0, 1]))
        };
        // Within shell 1 there are 9 free nodes, in shell 2 four of x = 3 and three of y = 3 besides.
        assert_eq!(value("1/1/0/0")?, (3 + 8 * 2 + 7) - (3 + 2 * 2));
        // Shell 3 holds x = 4, y = 0..3 and busy nodes.
        assert_eq!(value("2/1/0/0")?, (4 + 8 * 3 + 7 * 2 + 4) - (4 + 2 * 3));
        assert_eq!(value("1/0/1/0")?, -2 * 2);
        // Shell 2 has no busy node; had (1, 0) shell 3 as its last, y = 4 would border on it.
        assert_eq!(value("1/0/0/1")?, 0);
        let border: TieBreak = "1/0/0/1".parse().map_err(|()| "spelling")?;
        assert_eq!(border.value(&machine, [1, 0, 0], 3, &[1]), -5);
        Ok(())
    }

    #[test]
    fn spellings_are_read_back() {
        for text in ["none", "2/1/0/0", "1000/0/3/4"] {
            assert_eq!(text.parse::<TieBreak>().map(|tie| tie.to_string()).as_deref(), Ok(text));
        }
        for text in ["", "0/1/0/0", "1/2/3", "1/2/3/4/5", "1/1/1/1001", "a/b/c/d", "-1/0/0/0"] {
            assert!(text.parse::<TieBreak>().is_err(), "{text}");
        }
    }
}
