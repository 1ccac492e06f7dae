//! The free pages of paging, in the order in which jobs take them.

use std::collections::VecDeque;

use crate::allocator::buddy::first_set::FirstSet;

/// Where a page goes in the list of free pages when it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListOrder {
    /// To its place by number.
    Sorted,
    /// To the end, behind all other free pages.
    Returned,
}

/// The orders by name, the default first.
pub(super) const LIST_ORDERS: &[(&str, ListOrder)] =
    &[("sorted", ListOrder::Sorted), ("returned", ListOrder::Returned)];

/// The numbers of the free pages.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum FreePages {
    /// In ascending order.
    Sorted(FirstSet),
    /// A FIFO queue: taken at the front, released to the back.
    Returned(VecDeque<u32>),
}

impl FreePages {
    /// Returns a list of the pages below `count`, all of them free.
    pub(super) fn all(count: u32, order: ListOrder) -> Self {
        match order {
            ListOrder::Sorted => {
                let mut set = FirstSet::empty(count as usize);
                (0..count).for_each(|page| set.insert(page));
                Self::Sorted(set)
            }
            ListOrder::Returned => Self::Returned((0..count).collect()),
        }
    }

    /// Removes a free page. O(1) at the front of a queue, O(pages) elsewhere in it.
    pub(super) fn remove(&mut self, page: u32) {
        match self {
            Self::Sorted(set) => set.remove(page),
            Self::Returned(queue) => {
                if let Some(position) = queue.iter().position(|&free| free == page) {
                    queue.remove(position);
                }
            }
        }
    }

    /// Adds a page that was released.
    pub(super) fn insert(&mut self, page: u32) {
        match self {
            Self::Sorted(set) => set.insert(page),
            Self::Returned(queue) => queue.push_back(page),
        }
    }
}
