//! `meshreplay list`: what can be named in specs.

use clap::ValueEnum;

use super::{Failure, print};
use crate::allocator::ALLOCATORS;
use crate::execution::NETWORKS;
use crate::machine::order::ORDERS;
use crate::scheduler::SCHEDULERS;
use crate::text::{Align, Table};

/// List allocators, schedulers, networks or orders with their sources.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// What to list.
    #[arg(value_enum)]
    family: Family,
    /// As a Markdown table.
    #[arg(long)]
    markdown: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Family {
    Allocators,
    Schedulers,
    Networks,
    Orders,
}

const NAME: (&str, Align) = ("name", Align::Left);
const SOURCE: (&str, Align) = ("source", Align::Left);

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let column = |title| (title, Align::Left);
    let text = |text: &str| text.to_owned();
    let table = match args.family {
        Family::Allocators => {
            let titles =
                [NAME, column("what"), column("kind"), column("promises"), column("parameters"), SOURCE];
            let mut table = Table::new(&titles);
            for row in ALLOCATORS {
                let (kind, promises) = (row.kind.to_string(), row.usual_promises().to_string());
                table.add(vec![
                    text(row.name),
                    text(row.summary),
                    kind,
                    promises,
                    text(row.parameters),
                    text(row.source),
                ]);
            }
            table
        }
        Family::Schedulers => {
            let mut table =
                Table::new(&[NAME, column("what"), column("promises"), column("parameters"), SOURCE]);
            for row in SCHEDULERS {
                let cells = [row.name, row.summary, row.promises, row.parameters, row.source];
                table.add(cells.map(text).to_vec());
            }
            table
        }
        Family::Networks => {
            let mut table = Table::new(&[NAME, column("what"), column("parameters"), SOURCE]);
            for row in NETWORKS {
                table.add([row.name, row.summary, row.parameters, row.source].map(text).to_vec());
            }
            table
        }
        Family::Orders => {
            let mut table = Table::new(&[NAME, column("what"), SOURCE]);
            for row in ORDERS {
                table.add([row.name, row.summary, row.source].map(text).to_vec());
            }
            table
        }
    };
    print(&if args.markdown { table.markdown() } else { table.text() })
}
