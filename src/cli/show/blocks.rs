//! `meshreplay show blocks`: the blocks that buddy strategies divide a machine into, and how those split.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, bail};

use super::listed::{Specs, flat};
use super::{Failure, coloured, print};
use crate::allocator::{self, ALLOCATORS, Block, Built, Setup};
use crate::figure::show::picture;
use crate::machine::Mesh;
use crate::spec::Spec;
use crate::text::{Align, Table, grouped};

/// Draws the hierarchy of blocks that a buddy strategy divides a machine into.
///
/// Each top-level block has a letter, the largest first, and a colour on a terminal unless `NO_COLOR` is set. The highest y is
/// the top row; the layers of a three-dimensional machine are side by side, or below each other if allocators are compared.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  meshreplay show blocks --machine 16x15 --allocator granular-mbs
  meshreplay show blocks --machine 16x15 --compare mbs,granular-mbs --size 8x8")]
pub(super) struct Args {
    /// Shape of the machine, such as 16x8, 8x8x4, 400 or torus:16x8
    #[arg(short, long, value_name = "MACHINE")]
    machine: Mesh,

    /// Allocators that work by blocks, side by side
    #[arg(short, long, required = true, value_name = "SPEC", num_args = 1.., visible_alias = "compare")]
    allocator: Vec<Specs>,

    /// Draw all blocks of one size instead, such as 4x4 or 2x2x1
    #[arg(long, value_name = "SIZE")]
    size: Option<Size>,
}

/// Sizes along x, y and z.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size([u32; 3]);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut sizes = [1; 3];
        let parts: Vec<&str> = text.split('x').collect();
        for (i, part) in parts.iter().enumerate() {
            match (sizes.get_mut(i), part.parse()) {
                (Some(size), Ok(number)) if number > 0 => *size = number,
                _ => return Err("expected the sizes of a block, such as 4x4 or 2x2x1".to_owned()),
            }
        }
        Ok(Self(sizes))
    }
}

/// The blocks of one allocator.
struct Hierarchy {
    name: String,
    blocks: Vec<Block>,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let mesh = &args.machine;
    let specs = flat(&args.allocator);
    let found = specs.iter().map(|spec| hierarchy(spec, mesh)).collect::<Result<Vec<_>>>();
    let found = found.map_err(Failure::Usage)?;
    if let Some(size) = args.size {
        require(size, &found, mesh).map_err(Failure::Usage)?;
    }
    let colours = coloured();
    let (mut grids, mut facts) = (Vec::new(), String::new());
    for hierarchy in &found {
        let letters = letters(hierarchy, args.size, mesh);
        let grid = if found.len() == 1 {
            picture::layers(mesh, &letters, colours)
        } else {
            picture::jobs(mesh, &letters, colours)
        };
        grids.push((hierarchy.name.clone(), grid));
        facts += &hierarchy.described(mesh);
    }
    let mut text = picture::side_by_side(&grids) + "\n" + &facts;
    if let Some(Size(sizes)) = args.size {
        let name = size_name(sizes, mesh);
        text += &["drawn are the blocks of ", &name, "; · is in none of that size\n"].concat();
    }
    print(&(text + "\n" + &table(&found, mesh).text()))
}

/// The blocks that the allocator of `spec` works with.
fn hierarchy(spec: &Spec, mesh: &Mesh) -> Result<Hierarchy> {
    let Built { spec: resolved, strategy, .. } = allocator::build(spec, &Setup { mesh, seed: 0 })?;
    let Some(blocks) = strategy.blocks.map(|blocks| blocks(mesh)) else {
        bail!("--allocator {spec}: it does not work by blocks that split; expected one of {}", known()?);
    };
    Ok(Hierarchy { name: allocator::short(&resolved), blocks })
}

/// Names of the allocators that work by blocks.
fn known() -> Result<String> {
    let smallest = Mesh::new(&[1])?;
    let mut names = Vec::new();
    for entry in ALLOCATORS {
        let spec = Spec::named(entry.name);
        let built = allocator::build(&spec, &Setup { mesh: &smallest, seed: 0 }).context(entry.name)?;
        if built.strategy.blocks.is_some() {
            names.push(entry.name);
        }
    }
    Ok(names.join(", "))
}

/// Some allocator has blocks of the size that is to be drawn.
fn require(size: Size, found: &[Hierarchy], mesh: &Mesh) -> Result<()> {
    let sizes: BTreeSet<(u32, [u32; 3])> =
        found.iter().flat_map(|hierarchy| &hierarchy.blocks).map(rank).collect();
    if sizes.iter().any(|&(_, sizes)| sizes == size.0) {
        return Ok(());
    }
    let known: Vec<String> = sizes.iter().rev().map(|&(_, sizes)| size_name(sizes, mesh)).collect();
    let wanted = size.0.map(|size| size.to_string()).join("x");
    let wanted = wanted.strip_suffix("x1").filter(|_| mesh.dims() < 3).unwrap_or(&wanted);
    Err(anyhow!("--size {wanted}: there is no such block; expected one of {}", known.join(", ")))
}

/// Its nodes and its sizes, by which blocks are listed.
fn rank(block: &Block) -> (u32, [u32; 3]) {
    (block.sizes.iter().product(), block.sizes)
}

/// `4x4`, with as many sizes as the machine has dimensions.
fn size_name(sizes: [u32; 3], mesh: &Mesh) -> String {
    sizes[..mesh.dims()].iter().map(u32::to_string).collect::<Vec<_>>().join("x")
}

impl Hierarchy {
    /// One line on what is seen.
    fn described(&self, mesh: &Mesh) -> String {
        let tops = self.blocks.iter().filter(|block| block.parent.is_none()).count();
        let (count, plural) = (grouped(tops as f64, 0), if tops == 1 { "" } else { "s" });
        format!("{}: {count} top-level block{plural} on {mesh}\n", self.name)
    }
}

/// A letter for each node: of its top-level block, or of its block of `size`, large blocks first.
fn letters(hierarchy: &Hierarchy, size: Option<Size>, mesh: &Mesh) -> Vec<Option<(char, usize)>> {
    let is_drawn = |block: &&Block| size.map_or(block.parent.is_none(), |Size(sizes)| block.sizes == sizes);
    let mut drawn: Vec<&Block> = hierarchy.blocks.iter().filter(is_drawn).collect();
    // Equal blocks stay in their own order.
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

/// How many blocks there are of each size, how many of those are top-level ones, and what they split into.
fn table(found: &[Hierarchy], mesh: &Mesh) -> Table {
    let mut table = Table::new(&[
        ("allocator", Align::Left),
        ("size", Align::Left),
        ("nodes", Align::Right),
        ("blocks", Align::Right),
        ("top-level", Align::Right),
        ("splits into", Align::Left),
    ]);
    for Hierarchy { name, blocks } in found {
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
            // The parts of a block are equal.
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
