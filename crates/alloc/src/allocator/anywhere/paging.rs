//! Paging: the machine is divided into square pages, and a job takes the first free pages.
//!
//! V. Lo, K. Windisch, W. Liu, B. Nitzberg, "Non-contiguous processor allocation algorithms for
//! mesh-connected multicomputers", IEEE TPDS 8(7), 1997.
//!
//! 1. Divide the machine into pages with sides of 2^`size` nodes, or of one node along a dimension of one
//!    node. Pages at the far borders are clipped if the machine's sides are not multiples of the page's side.
//! 2. Number the pages. By the parameter `order`:
//!    * `row-major`: row by row.
//!    * `snake`: row by row, every other row backwards.
//!    * `shuffled-row-major`: interleave the bits of row and column, each bit of the row above that of the
//!      column.
//!    * `shuffled-snake`: recurse into quadrants in the order SW, SE, NE, NW.
//! 3. A job that requests k processors gets the first free pages that have at least k nodes together, and all
//!    nodes of these pages.
//!
//! The parameter `list` gives the order of the free pages. `sorted`: by number, so a job gets the free pages
//! of the lowest numbers. `returned`: a FIFO list that is sorted only at the start. Jobs take pages at its
//! front, and the pages of a job that ends go to its back, in the order that they had been taken. S.
//! Zolfaghari, "Quick non-contiguous allocation", 2013, describes its Paging(0) in this way; pages of one
//! node (`size=0`) only.
//!
//! If the number of pages along a side is not a power of two, the shuffled orders skip the pages that do not
//! exist. In three dimensions layers are more significant than rows: in the whole number, or in each digit of
//! the shuffled orders. A snake runs every other layer backwards.
//!
//! A page with a node that is unavailable or down is not free. With pages of one node, paging never refuses
//! while k nodes are free and wastes no node. Time O(k + p·log₆₄ P) for p pages of a job and P pages of the
//! machine.

use std::cell::OnceCell;
use std::collections::VecDeque;

use crate::allocator::buddy::first_set::FirstSet;
use crate::allocator::seam::{
    Allocator, AllocatorEntry, Contiguity, Foresight, Memory, NodesFor, OnTori, OnTrees, Placement, Promises,
    Request, Served, Setup, Strategy,
};
use meshreplay_base::spec::{Params, SpecError};
use meshreplay_machine::machine::{Coord, Machine, Mesh, NodeId};

/// The allocator's row in the registry.
pub(crate) const ENTRY: AllocatorEntry = AllocatorEntry {
    name: "paging",
    summary: "the first free pages of 2^size nodes to a side",
    source: "Lo, Windisch, Liu, Nitzberg, IEEE TPDS 8(7), 1997",
    parameters: "size=0 (up to 12), order=row-major (snake, shuffled-row-major, shuffled-snake), \
                 list=sorted (returned)",
    max_dims: 3,
    trees: OnTrees::BY_COORDINATES,
    refuses_unavailable: None,
    kind: Contiguity::NonContiguous,
    tori: OnTori::NeverWraps("its order of pages has two ends"),
    promises: |spec| {
        let single = spec.params.get("size").is_none_or(|size| size == "0");
        let returned = spec.params.get("list").is_some_and(|list| list == "returned");
        let memory = if returned { Memory::Lasting } else { Memory::None };
        Promises { exact: single, complete: single, memory }
    },
    build,
};

/// The largest value of `size`. Pages of 2^12 = 4,096 nodes along each side are as large as the largest
/// square machine.
const LARGEST: u32 = 12;

/// The numbering of pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Indexing {
    /// Row by row.
    RowMajor,
    /// Row by row, every other row backwards.
    Snake,
    /// By the interleaved bits of the coordinates, also known as Morton order.
    ShuffledRowMajor,
    /// By the interleaved bits of the coordinates, read as a Gray code.
    ShuffledSnake,
}

/// The orders by name, the default first.
const INDEXINGS: &[(&str, Indexing)] = &[
    ("row-major", Indexing::RowMajor),
    ("snake", Indexing::Snake),
    ("shuffled-row-major", Indexing::ShuffledRowMajor),
    ("shuffled-snake", Indexing::ShuffledSnake),
];

/// Reads the parameters and builds paging for the machine. Fails if `size` is too large or `order` is
/// unknown.
fn build(params: &mut Params, setup: &Setup<'_>) -> Result<Strategy, SpecError> {
    let expected = format!("a whole number up to {LARGEST}");
    let size = params.take("size", 0, &expected)?;
    if size > LARGEST {
        return Err(params.bad_value("size", &size.to_string(), &expected));
    }
    let indexing = params.choose("order", INDEXINGS)?;
    let list = params.choose_unwritten("list", LIST_ORDERS)?;
    if list == ListOrder::Returned && size > 0 {
        return Err(params.bad_value("list", "returned", "sorted, or size=0"));
    }
    let paging = Paging::new(setup.mesh, size, indexing, list);
    let page_sizes = paging.page_sizes();
    let strategy =
        Strategy::of(paging).with_nodes_for(move |request, mesh| nodes_for(page_sizes, request, mesh));
    if size == 0 {
        return Ok(strategy);
    }
    // A page with a node that is down or always unavailable is not free, so its other nodes serve nobody
    // although they are free: a number of free nodes promises nothing.
    let (mesh, layout) = (setup.mesh.clone(), OnceCell::new());
    let served = Served::ByState(Foresight::Function(Box::new(move |request, machine| {
        // The pages are listed again, without an index, when they are first needed.
        let layout = layout.get_or_init(|| Paging::new(&mesh, size, indexing, ListOrder::Sorted));
        let free =
            |page: &u32| layout.pages[*page as usize].iter().all(|&node| machine.free().contains(node));
        layout.first((0..layout.pages.len() as u32).filter(free), request)
    })));
    let has_holes = !setup.mesh.unavailable().is_empty();
    Ok(if has_holes { strategy.served(served) } else { strategy.served_when_down(served) })
}

/// The pages of a machine, and which of them are free.
#[derive(Debug, PartialEq, Eq)]
struct Paging {
    /// The nodes of each page, row by row. The index is the page's number.
    pages: Vec<Vec<NodeId>>,
    /// The page of each node.
    page_of: Vec<u32>,
    /// The number of nodes in use in each page.
    busy: Vec<u32>,
    /// The numbers of the pages that have no node in use.
    free: FreePages,
}

impl Paging {
    /// Divides the machine into pages with sides of 2^`size` nodes, all of them free.
    fn new(mesh: &Mesh, size: u32, indexing: Indexing, list: ListOrder) -> Self {
        let grid = mesh.extents().map(|extent| extent.div_ceil(1 << size));
        let [columns, rows, layers] = grid;
        let mut places: Vec<Coord> = (0..layers)
            .flat_map(|z| (0..rows).flat_map(move |y| (0..columns).map(move |x| [x, y, z])))
            .collect();
        places.sort_by_key(|&place| number(place, grid, indexing));
        // The number of each page is its position in the sorted list; `flat` is the position of a page in the
        // grid.
        let mut numbers = vec![0; places.len()];
        let flat = |[x, y, z]: Coord| (x + columns * (y + rows * z)) as usize;
        for (page, &place) in (0..).zip(&places) {
            numbers[flat(place)] = page;
        }
        let mut pages = vec![Vec::new(); places.len()];
        let mut page_of = Vec::with_capacity(mesh.nodes() as usize);
        for node in 0..mesh.nodes() {
            let page = numbers[flat(mesh.coord(node).map(|c| c >> size))];
            pages[page as usize].push(node);
            page_of.push(page);
        }
        let free = FreePages::all(pages.len() as u32, list);
        Self { busy: vec![0; pages.len()], pages, page_of, free }
    }

    /// Returns the first of the pages `free` that have enough nodes together; `None` if they have fewer.
    fn first(&self, free: impl Iterator<Item = u32>, request: &Request) -> Option<Placement> {
        let wanted = request.procs as usize;
        let mut nodes = Vec::with_capacity(wanted);
        for page in free {
            nodes.extend_from_slice(&self.pages[page as usize]);
            if nodes.len() >= wanted {
                return Some(Placement::of(nodes));
            }
        }
        None
    }

    /// Returns the numbers of nodes of the smallest and of the largest page.
    fn page_sizes(&self) -> [u32; 2] {
        let sizes = || self.pages.iter().map(|page| page.len() as u32);
        [sizes().min().unwrap_or(1), sizes().max().unwrap_or(1)]
    }
}

/// Returns the sort key of the page at column x, row y and layer z of the grid of pages. Pages with smaller
/// keys come first.
fn number([x, y, z]: Coord, [columns, rows, _]: [u32; 3], indexing: Indexing) -> u128 {
    let backwards = |odd: u32, at: u32, count: u32| if odd % 2 == 1 { count - 1 - at } else { at };
    let flat = |x: u32, row: u32| u128::from(row) * u128::from(columns) + u128::from(x);
    match indexing {
        Indexing::RowMajor => flat(x, z * rows + y),
        Indexing::Snake => {
            let row = z * rows + backwards(z, y, rows);
            flat(backwards(row, x, columns), row)
        }
        Indexing::ShuffledRowMajor | Indexing::ShuffledSnake => {
            // From the highest bit down: each step appends one octal digit made of a bit of z, of y and of x.
            (0..=LARGEST * 2).rev().fold(0, |number, bit| {
                let [x, y, z] = [x, y, z].map(|at| u128::from(at >> bit & 1));
                let digit = z << 2 | y << 1 | x;
                // In a snake the digits follow a Gray code: consecutive quadrants differ in one bit.
                let digit =
                    if indexing == Indexing::ShuffledSnake { digit ^ digit >> 1 ^ digit >> 2 } else { digit };
                number << 3 | digit
            })
        }
    }
}

/// Returns the number of nodes of a placement, given the sizes of the smallest and of the largest page. If
/// all pages have the same size, the number is exact. Otherwise it depends on the free pages, so it is a
/// range.
fn nodes_for([least, most]: [u32; 2], request: &Request, mesh: &Mesh) -> NodesFor {
    if least == most {
        return NodesFor::exactly(request.procs.div_ceil(most).saturating_mul(most));
    }
    let spare = request.procs.saturating_add(most - 1);
    NodesFor { least: request.procs, most: spare.min(mesh.available()).max(request.procs) }
}

impl Allocator for Paging {
    fn propose(&mut self, request: &Request, _machine: &Machine) -> Option<Placement> {
        match &self.free {
            FreePages::Sorted(set) => self.first(set.iter(), request),
            FreePages::Returned(queue) => self.first(queue.iter().copied(), request),
        }
    }

    fn taken(&mut self, placement: &Placement, _machine: &Machine) {
        for &node in &placement.nodes {
            let page = self.page_of[node as usize];
            let busy = &mut self.busy[page as usize];
            if *busy == 0 {
                self.free.remove(page);
            }
            *busy += 1;
        }
    }

    fn released(&mut self, placement: &Placement, _machine: &Machine) {
        for &node in &placement.nodes {
            let page = self.page_of[node as usize];
            self.busy[page as usize] -= 1;
            if self.busy[page as usize] == 0 {
                self.free.insert(page);
            }
        }
    }
}

/// Where a page goes in the list of free pages when it is released.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ListOrder {
    /// To its place by number.
    Sorted,
    /// To the end, behind all other free pages.
    Returned,
}

/// The orders by name, the default first.
const LIST_ORDERS: &[(&str, ListOrder)] = &[("sorted", ListOrder::Sorted), ("returned", ListOrder::Returned)];

/// The numbers of the free pages.
#[derive(Debug, PartialEq, Eq)]
enum FreePages {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the lowest coordinates of the first six pages of an idle machine.
    fn first_pages(
        machine: &str,
        size: u32,
        indexing: Indexing,
    ) -> Result<Vec<Coord>, Box<dyn std::error::Error>> {
        let mesh: Mesh = machine.parse()?;
        let paging = Paging::new(&mesh, size, indexing, ListOrder::Sorted);
        Ok(paging.pages.iter().take(6).map(|page| mesh.coord(page[0])).collect())
    }

    #[test]
    fn pages_are_numbered_as_published() -> Result<(), Box<dyn std::error::Error>> {
        let flat = |places: [[u32; 2]; 6]| places.map(|[x, y]| [x, y, 0]);
        for (indexing, expected) in [
            (Indexing::RowMajor, [[0, 0], [1, 0], [2, 0], [3, 0], [0, 1], [1, 1]]),
            (Indexing::Snake, [[0, 0], [1, 0], [2, 0], [3, 0], [3, 1], [2, 1]]),
            (Indexing::ShuffledRowMajor, [[0, 0], [1, 0], [0, 1], [1, 1], [2, 0], [3, 0]]),
            (Indexing::ShuffledSnake, [[0, 0], [1, 0], [1, 1], [0, 1], [2, 0], [3, 0]]),
        ] {
            assert_eq!(first_pages("4x4", 0, indexing)?, flat(expected), "{indexing:?}");
        }
        let clipped = first_pages("5x3", 1, Indexing::ShuffledRowMajor)?;
        assert_eq!(clipped, flat([[0, 0], [2, 0], [0, 2], [2, 2], [4, 0], [4, 2]]));
        let snake = first_pages("2x2x2", 0, Indexing::Snake)?;
        assert_eq!(snake, [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [1, 1, 1]]);
        Ok(())
    }

    #[test]
    fn whole_pages_are_given_and_come_back() -> Result<(), Box<dyn std::error::Error>> {
        let machine = Machine::new("4x4".parse()?);
        let fresh = || Paging::new(machine.mesh(), 1, Indexing::RowMajor, ListOrder::Sorted);
        let mut paging = fresh();
        let placement = paging.propose(&Request::of(5), &machine).ok_or("refused")?;
        assert_eq!(placement.nodes, [0, 1, 4, 5, 2, 3, 6, 7]);
        assert_eq!(paging, fresh(), "nothing is in use yet");
        paging.taken(&placement, &machine);
        // Two free pages are left. They have eight nodes together.
        assert_eq!(paging.propose(&Request::of(9), &machine), None);
        let rest = paging.propose(&Request::of(8), &machine).ok_or("refused")?;
        paging.taken(&rest, &machine);
        paging.released(&placement, &machine);
        paging.released(&rest, &machine);
        assert_eq!(paging, fresh());
        Ok(())
    }
}
