//! `meshreplay show curve`: an order of a machine's nodes, as ranks or as a drawn line.

use std::path::PathBuf;

use clap::ValueEnum;

use super::picture;
use super::{Failure, print};
use crate::machine::Mesh;
use crate::machine::order;

/// Shows a linear order of a machine's nodes.
///
/// The highest y is the top row; a three-dimensional machine is shown layer by layer.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Name of the order, such as hilbert or column-snake
    #[arg(required_unless_present = "order_file", conflicts_with = "order_file")]
    order: Option<String>,

    /// Read the order from a file instead: one line 'node rank' per node, nodes ascending from 0
    #[arg(long, value_name = "FILE")]
    order_file: Option<PathBuf>,

    /// Shape of the machine, such as 16x8, 8x8x4, 400 or torus:16x8
    #[arg(long, value_name = "SHAPE")]
    machine: Mesh,

    /// What to draw at each node
    #[arg(long, value_enum, default_value_t = Style::Ranks)]
    style: Style,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Style {
    /// Its rank
    Ranks,
    /// Its piece of the line
    Line,
    /// An arrow towards the next node
    Arrows,
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let mesh = &args.machine;
    let order = match (&args.order_file, &args.order) {
        (Some(path), _) => order::from_file(path, mesh)?,
        (None, name) => order::build(name.as_deref().unwrap_or_default(), mesh)
            .map_err(|error| Failure::Usage(error.into()))?,
    };
    print(&match args.style {
        Style::Ranks => picture::ranks(&order, mesh),
        Style::Line => picture::line(&order, mesh),
        Style::Arrows => picture::arrows(&order, mesh),
    })
}
