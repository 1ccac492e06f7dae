//! The command `show blocks`: the blocks into which buddy allocators divide a machine, and how blocks split.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::str::FromStr;

use super::{ShowError, picture};
use meshreplay_alloc::allocator::{self, ALLOCATORS, Block, Built, Setup};
use meshreplay_base::spec::Spec;
use meshreplay_base::words::counted;
use meshreplay_machine::machine::Mesh;
use meshreplay_results::text::{Align, Screen, TextTable, grouped};

/// The size of a block along x, y and z. The text may leave out the last ones, which are then 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Size([u32; 3]);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "expected the sizes of a block, such as 4x4 or 2x2x1".to_owned();
        let mut sizes = [1; 3];
        for (i, part) in text.split('x').enumerate() {
            let number = part.parse().ok().filter(|number| *number > 0);
            *sizes.get_mut(i).ok_or_else(wrong)? = number.ok_or_else(wrong)?;
        }
        Ok(Self(sizes))
    }
}

/// All blocks of one allocator.
struct Hierarchy {
    name: String,
    blocks: Vec<Block>,
}

/// Returns a drawing of the blocks of each allocator, side by side, above a table of all sizes. It shows the
/// blocks of one `size`, or the top-level blocks if `size` is `None`. Letters have colours if `is_coloured`.
/// The table fits the screen.
pub fn blocks(
    mesh: &Mesh,
    allocators: &[Spec],
    size: Option<Size>,
    screen: Screen,
    is_coloured: bool,
) -> Result<String, ShowError> {
    let hierarchies = allocators.iter().map(|spec| hierarchy(spec, mesh)).collect::<Result<Vec<_>, _>>()?;
    if let Some(size) = size {
        require(size, &hierarchies, mesh)?;
    }
    let (mut grids, mut facts) = (Vec::new(), String::new());
    for hierarchy in &hierarchies {
        let letters = letters(hierarchy, size, mesh);
        let grid = if hierarchies.len() == 1 {
            picture::layers(mesh, &letters, is_coloured)
        } else {
            picture::jobs(mesh, &letters, is_coloured)
        };
        grids.push((hierarchy.name.clone(), grid));
        let tops = hierarchy.blocks.iter().filter(|block| block.parent.is_none()).count();
        let tops = counted(grouped(tops as f64, 0), "top-level block");
        // Writing to a string cannot fail.
        let _ = writeln!(facts, "{}: {tops} on {mesh}", hierarchy.name);
    }
    let mut text = picture::side_by_side(&grids) + "\n" + &facts + &picture::line_of_unavailable(mesh);
    if let Some(Size(sizes)) = size {
        let name = size_name(sizes, mesh);
        let _ = writeln!(text, "drawn are the blocks of {name}; · is in none of that size");
    }
    Ok(text + "\n" + &screen.table_from_left(&table(&hierarchies, mesh), 3))
}

/// Returns the blocks of the allocator `spec`. Fails if this allocator does not work with blocks.
fn hierarchy(spec: &Spec, mesh: &Mesh) -> Result<Hierarchy, ShowError> {
    let Built { strategy, .. } = allocator::build(spec, &Setup::new(mesh, 0))?;
    let Some(blocks) = strategy.blocks.map(|blocks| blocks(mesh)) else {
        let known = known();
        return Err(ShowError::Option(format!(
            "'{spec}' does not work by blocks that split; expected one of {known}"
        )));
    };
    Ok(Hierarchy { name: spec.to_string(), blocks })
}

/// Returns the names of the allocators that work with blocks, separated by commas.
fn known() -> String {
    // Every allocator can be built for a machine with one node.
    let Ok(mesh) = Mesh::new(&[1]) else { return String::new() };
    let has_blocks = |name: &str| {
        let built = allocator::build(&Spec::named(name), &Setup::new(&mesh, 0));
        built.is_ok_and(|built| built.strategy.blocks.is_some())
    };
    let names = ALLOCATORS.iter().map(|entry| entry.name).filter(|name| has_blocks(name));
    names.collect::<Vec<_>>().join(", ")
}

/// Fails if no allocator has blocks of this size.
fn require(size: Size, hierarchies: &[Hierarchy], mesh: &Mesh) -> Result<(), ShowError> {
    let sizes: BTreeSet<(u32, [u32; 3])> =
        hierarchies.iter().flat_map(|hierarchy| &hierarchy.blocks).map(rank).collect();
    if sizes.iter().any(|&(_, sizes)| sizes == size.0) {
        return Ok(());
    }
    let known: Vec<String> = sizes.iter().rev().map(|&(_, sizes)| size_name(sizes, mesh)).collect();
    let wanted = size.0.map(|size| size.to_string()).join("x");
    let wanted = wanted.strip_suffix("x1").filter(|_| mesh.dims() < 3).unwrap_or(&wanted);
    let known = known.join(", ");
    Err(ShowError::Option(format!("--size {wanted}: there is no such block; expected one of {known}")))
}

/// Returns the number of nodes and the size of a block, which is the order of the table.
fn rank(block: &Block) -> (u32, [u32; 3]) {
    (block.sizes.iter().product(), block.sizes)
}

/// Returns a size as text such as `4x4`, with one number for each dimension of the machine.
fn size_name(sizes: [u32; 3], mesh: &Mesh) -> String {
    sizes[..mesh.dims()].iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

/// Returns for each node a letter and the number of its colour; `None` for a node outside the drawn blocks.
/// Drawn are the blocks of `size`, or the top-level blocks. Larger blocks get the first letters.
fn letters(hierarchy: &Hierarchy, size: Option<Size>, mesh: &Mesh) -> Vec<Option<picture::Letter>> {
    let is_drawn = |block: &&Block| size.map_or(block.parent.is_none(), |Size(sizes)| block.sizes == sizes);
    let mut drawn: Vec<&Block> = hierarchy.blocks.iter().filter(is_drawn).collect();
    // The sort is stable: blocks of equal size keep their order.
    drawn.sort_by_key(|block| std::cmp::Reverse(rank(block).0));
    let mut letters = vec![None; mesh.nodes() as usize];
    for (i, block) in drawn.into_iter().enumerate() {
        let [x, y, z] = block.base;
        let [width, length, depth] = block.sizes;
        for (z, y) in (z..z + depth).flat_map(|z| (y..y + length).map(move |y| (z, y))) {
            let first = mesh.node([x, y, z]) as usize;
            letters[first..first + width as usize].fill(Some((picture::letter(i), i)));
        }
    }
    letters
}

/// Returns a table of the sizes: the number of blocks, the number of top-level blocks among them, and the
/// parts into which they split.
fn table(hierarchies: &[Hierarchy], mesh: &Mesh) -> TextTable {
    let mut table = TextTable::new(&[
        ("allocator", Align::Left),
        ("size", Align::Left),
        ("nodes", Align::Right),
        ("blocks", Align::Right),
        ("top-level", Align::Right),
        ("splits into", Align::Left),
    ]);
    for Hierarchy { name, blocks } in hierarchies {
        let mut parts: Vec<Vec<[u32; 3]>> = vec![Vec::new(); blocks.len()];
        for block in blocks {
            if let Some(parent) = block.parent {
                parts[parent as usize].push(block.sizes);
            }
        }
        let mut sizes: BTreeMap<_, (u32, u32, BTreeSet<String>)> = BTreeMap::new();
        for (block, parts) in blocks.iter().zip(&parts) {
            let (count, tops, splits) = sizes.entry(rank(block)).or_default();
            *count += 1;
            *tops += u32::from(block.parent.is_none());
            // All parts of a block have the same size.
            if let Some(part) = parts.first() {
                splits.insert(format!("{} of {}", parts.len(), size_name(*part, mesh)));
            }
        }
        for ((nodes, size), (count, tops, splits)) in sizes.into_iter().rev() {
            let number = |number: u32| grouped(f64::from(number), 0);
            let splits = splits.into_iter().collect::<Vec<_>>().join(" or ");
            let size = size_name(size, mesh);
            table.add(vec![name.clone(), size, number(nodes), number(count), number(tops), splits]);
        }
    }
    table.drop_constant(&["allocator"]);
    table
}
