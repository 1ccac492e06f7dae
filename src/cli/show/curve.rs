//! `meshreplay show curve`: draws a linear order of the nodes of a machine, as ranks or as a line.

use std::path::PathBuf;

use clap::ValueEnum;

use super::{Failure, print};
use crate::cli::runner::options::UnavailableArgs;
use crate::figure::show::picture;
use crate::machine::Mesh;
use crate::machine::order::{self, Order};

/// Show a linear order of a machine's nodes.
///
/// The highest y is the top row; a three-dimensional machine is shown layer by layer.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  meshreplay show curve hilbert --machine 16x8 --style line
  meshreplay show curve --compare hilbert,column-snake --machine 8x8 \\
    --style line")]
pub(super) struct Args {
    /// Name of the order, such as hilbert or column-snake
    #[arg(required_unless_present_any = ["order_file", "compare"], conflicts_with = "order_file")]
    order: Option<String>,

    /// Read the order from a file instead: one line 'node rank' per node, nodes ascending from 0
    #[arg(long, value_name = "FILE")]
    order_file: Option<PathBuf>,

    /// Orders to draw side by side, after the one named or read
    #[arg(long, value_name = "ORDER", num_args = 1.., value_delimiter = ',')]
    compare: Vec<String>,

    /// Shape of the machine, such as 16x8, 8x8x4, 400 or torus:16x8
    #[arg(short, long, value_name = "SHAPE")]
    machine: Mesh,

    #[command(flatten)]
    unavailable: UnavailableArgs,

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

/// Prints the drawings.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let mesh = &args.unavailable.removed_from(&args.machine)?;
    let mut orders = Vec::new();
    if let Some(path) = &args.order_file {
        orders.push((path.display().to_string(), order::from_file(path, mesh)?));
    }
    for name in args.order.iter().chain(&args.compare) {
        let order = order::build(name, mesh).map_err(|error| Failure::Usage(error.into()))?;
        orders.push((name.clone(), order));
    }
    let draw = |order: &Order| match args.style {
        Style::Ranks => picture::ranks(order, mesh),
        Style::Line => picture::line(order, mesh),
        Style::Arrows => picture::arrows(order, mesh),
    };
    if let [(_, order)] = &orders[..] {
        return print(&draw(order));
    }
    let pictures: Vec<_> = orders.iter().map(|(name, order)| (name.clone(), draw(order))).collect();
    print(&picture::side_by_side(&pictures))
}
