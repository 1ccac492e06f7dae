//! What is asked of neighbouring centres.

use super::tables::Tables;
use crate::allocator::nearest::bounds::Lanes;

/// What neighbouring centres are looked at with.
pub(super) struct Question<'a> {
    pub(super) tables: &'a Tables,
    /// The first of the centres.
    pub(super) at: [usize; 3],
    /// Nodes nearer than this are the inner ones.
    pub(super) radius: usize,
    pub(super) k: u32,
    /// The radii that the centres need: the least ones within which k nodes are free, this one or larger.
    pub(super) needs: &'a Lanes,
    /// Lower bounds of the pairwise sums of 0, 1, … up to k nodes, divided.
    pub(super) apart: &'a [u32],
    /// The same for nodes at this distance from a centre, as far as there are so many.
    pub(super) apart_on_rim: &'a [u32],
    /// The offsets of the places at this distance along each axis; none if they are not to be looked at.
    pub(super) rim: &'a [[i32; 3]],
    /// The binary logarithm of the number by which sums are divided.
    pub(super) shift: u32,
    /// The greatest bound that is of use, divided.
    pub(super) limit: u32,
}
