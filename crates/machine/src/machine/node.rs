//! Numbers and coordinates of nodes.

/// The number of a node: `x + y·W + z·W·L` on a machine of `W × L × D` nodes.
pub type NodeId = u32;

/// The coordinates x, y, z of a node, each from 0. In dimensions that the machine does not have they are 0.
pub type Coord = [u32; 3];
