//! `meshreplay show blocks`: draws the blocks into which buddy strategies divide a machine, and how the
//! blocks split.

use super::{Failure, Specs, flat, print};
use crate::cli::runner::options::UnavailableArgs;
use crate::cli::terminal::{Color, screen};
use crate::figure::show::blocks::{Size, blocks};
use crate::machine::Mesh;

/// Draw the hierarchy of blocks that a buddy strategy divides a machine into.
///
/// Each top-level block has a letter, the largest first, and with --color a colour. The highest y is the
/// top row; the layers of a three-dimensional machine are side by side, or below each other if allocators
/// are compared.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  meshreplay show blocks --machine 16x15 --allocator granular-mbs
  meshreplay show blocks --machine 16x15 --compare mbs,granular-mbs --size 8x8")]
pub(super) struct Args {
    /// Shape of the machine, such as 16x8, 8x8x4, 400 or torus:16x8
    #[arg(short, long, value_name = "MACHINE")]
    machine: Mesh,

    #[command(flatten)]
    unavailable: UnavailableArgs,

    /// Allocators that work by blocks, side by side
    #[arg(short, long, required = true, value_name = "SPEC", num_args = 1.., visible_alias = "compare")]
    allocator: Vec<Specs>,

    /// Draw all blocks of one size instead, such as 4x4 or 2x2x1
    #[arg(long, value_name = "SIZE")]
    size: Option<Size>,

    /// When letters have colours.
    #[arg(long, value_enum, default_value_t, value_name = "WHEN")]
    color: Color,
}

/// Prints the drawing and its table.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    print(&blocks(
        &args.unavailable.removed_from(&args.machine)?,
        &flat(&args.allocator),
        args.size,
        screen(),
        args.color.is_on(),
    )?)
}
