//! `meshreplay show network`: measures a network under a steady load.

use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::{Failure, print};
use crate::cli::terminal::screen;
use crate::execution::Windows;
use crate::figure::show::network::{Curves, Measurements, Rates, network};
use crate::figure::{PictureFormat, check_overwrite, format_of_file};
use crate::frame::{TEMPORARY, write_whole};
use crate::machine::Mesh;
use crate::spec::Spec;

/// Measure latencies and the accepted load of a network under a steady load, without jobs.
///
/// Every node creates packets at random times, whatever the network does (an open loop), so that it offers
/// the given number of flits per cycle. Beyond saturation the accepted load stays below the offered one,
/// packets queue at their nodes, and latencies grow with the cycles of the measurement.
///
/// Columns: loads in flits per cycle and node that sends; mean, median and 99th percentile of the latencies
/// in cycles, from the creation of a packet to the arrival of its last flit; the accepted load of the node
/// with the smallest and of that with the largest one; hops of a packet.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  meshreplay show network --machine 8x8 --pattern random --rate 0.01..0.2
  meshreplay show network --machine 8x8 torus:8x8 \\
    --network wormhole wormhole:buffer=packet --rate 0.01..0.4 -o curves.svg
  meshreplay show network --machine torus:8x8 --pattern transpose ring \\
    --rate 0.1,0.2 --replications 5 --format csv")]
pub(super) struct Args {
    /// Shapes of the machines, such as 16x8, 8x8x4 or torus:16x8.
    #[arg(short, long, required = true, value_name = "SHAPE", num_args = 1..)]
    machine: Vec<Mesh>,

    /// Networks, with the parameters that say how packets move: length, ts, buffer, and on tori halfway
    /// and vc.
    #[arg(long, default_value = "wormhole", value_name = "SPEC", num_args = 1..)]
    network: Vec<Spec>,

    /// Who sends to whom: the patterns of network wormhole, with the whole machine as one job.
    #[arg(long, default_value = "random", value_name = "NAME", num_args = 1.., value_delimiter = ',')]
    pattern: Vec<String>,

    /// Offered loads in flits per node and cycle: 0.05 or a list, 0.01..0.2 (20 loads) or 0.01..0.2:0.005.
    #[arg(long, default_value = "0.01..0.2", value_name = "RATES")]
    rate: Rates,

    /// Cycles before the measurement.
    #[arg(
        long,
        default_value_t = 10_000,
        value_name = "CYCLES",
        value_parser = clap::value_parser!(u32).range(..=MOST_CYCLES)
    )]
    warm_up: u32,

    /// Cycles of the measurement.
    #[arg(
        long,
        default_value_t = 50_000,
        value_name = "CYCLES",
        value_parser = clap::value_parser!(u32).range(1..=MOST_CYCLES)
    )]
    cycles: u32,

    /// Seed of everything random.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Number of seeds; with several, means have half widths of their 95 % confidence intervals.
    #[arg(
        long,
        default_value_t = 1,
        value_name = "N",
        value_parser = clap::value_parser!(u32).range(1..=1000)
    )]
    replications: u32,

    /// How the table is written.
    #[arg(long, value_enum, default_value = "text")]
    format: Format,

    /// Draw the curves to this file too, .svg, .png or .pdf.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Overwrite the file even if it is not an earlier picture.
    #[arg(long)]
    force: bool,
}

/// The greatest number of cycles of a warm-up or of a measurement.
const MOST_CYCLES: i64 = 1_000_000_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Markdown,
    Latex,
    Csv,
}

/// Prints the table, and draws the curves if a file is given.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let picture = args.output.as_deref().map(|path| picture(path, args.force)).transpose()?;
    let Measurements { shared, table, csv, drawing } = network(&Curves {
        machines: args.machine.clone(),
        networks: args.network.clone(),
        patterns: args.pattern.clone(),
        rates: args.rate.clone(),
        windows: Windows { warm_up: args.warm_up, measured: args.cycles },
        seed: args.seed,
        replications: args.replications,
    })?;
    if let Some((path, format)) = picture {
        write_whole(path, &(format.write)(&drawing.svg(), 2.0)?, TEMPORARY)?;
    }
    print(&match args.format {
        Format::Text => {
            let shared: Vec<String> = shared.split(" · ").map(str::to_owned).collect();
            format!("{}\n{}", screen().items(&shared), screen().table_from_left(&table, 1))
        }
        Format::Markdown => table.markdown(),
        Format::Latex => table.latex(&shared, &[]),
        Format::Csv => csv,
    })
}

/// Returns the file of the picture and its format. Fails if its name has no known ending, or if there is a
/// file that is no earlier picture.
fn picture(path: &Path, force: bool) -> Result<(&Path, &'static PictureFormat), Failure> {
    let format = format_of_file(path).map_err(|error| Failure::Usage(anyhow::anyhow!("--output {error}")))?;
    check_overwrite(path, force)?;
    Ok((path, format))
}
