//! Measures how times grow: of allocator calls with the nodes of a machine and of a job, of replays with jobs
//! and the queue. `make bench-growth` writes a page of docs of it.
//!
//! The page goes to standard output, and the row that is being measured to standard error. Arguments are
//! names of allocators and schedulers; without any, all are measured. `GROWTH_FAMILY` has the title of the
//! only family of machines whose calls are measured, such as `3D tori`, and no replays are measured then.
//! `GROWTH_BUDGET_S` is the time for each cell in seconds, and `GROWTH_NOTE` a sentence about the machine
//! that the page shows.

mod calls;
mod cells;
mod replays;
mod states;

use std::io::{self, Write};
use std::time::Duration;

/// What is measured, and for how long.
pub(crate) struct Plan {
    /// The names of the rows to measure; all if there are none.
    names: Vec<String>,
    /// The title of the only family of machines to measure; all, and replays, if there is none.
    family: Option<String>,
    /// The time for each cell.
    budget: Duration,
}

impl Plan {
    /// Returns whether the row of this name is to be measured.
    fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|wanted| wanted == name)
    }

    /// Returns whether calls on the family of machines of this title are to be measured.
    fn wants_family(&self, title: &str) -> bool {
        self.family.as_ref().is_none_or(|wanted| wanted == title)
    }

    /// Says on standard error what is being measured.
    fn note(&self, what: &str) -> io::Result<()> {
        writeln!(io::stderr(), "measuring {what}, up to {:.1} s a cell", self.budget.as_secs_f64())
    }
}

fn main() -> io::Result<()> {
    // The harness of benches is called with options of its own, such as `--bench`.
    let names = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let given = std::env::var("GROWTH_BUDGET_S").ok().and_then(|text| text.parse().ok());
    let budget = Duration::try_from_secs_f64(given.unwrap_or(2.0)).unwrap_or(Duration::from_secs(2));
    let family = std::env::var("GROWTH_FAMILY").ok().filter(|title| !title.is_empty());
    if let Some(wanted) =
        family.as_ref().filter(|wanted| !states::FAMILIES.iter().any(|family| family.title == **wanted))
    {
        let titles: Vec<&str> = states::FAMILIES.iter().map(|family| family.title).collect();
        let problem = format!("GROWTH_FAMILY: found '{wanted}', expected one of: {}", titles.join(", "));
        return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
    }
    let plan = Plan { names, family, budget };
    let mut page = io::stdout().lock();
    writeln!(page, "{}", introduction(budget))?;
    calls::write(&plan, &mut page)?;
    if plan.family.is_some() {
        return Ok(());
    }
    replays::write(&plan, &mut page)
}

/// Returns the first paragraphs of the page.
fn introduction(budget: Duration) -> String {
    let note = std::env::var("GROWTH_NOTE").map_or_else(|_| String::new(), |note| format!("{note}\n\n"));
    format!(
        "# How times grow\n\n`make bench-growth` measures this page on your machine and writes it anew. \
         Times are those of the clock, so the machine should have nothing else to do.\n\n{note}Each cell is \
         the median of several calls or replays. The *exponent* is the slope of a straight line through the \
         logarithms: a time that grows as n² has the exponent 2, and one that does not grow has 0. It is \
         fitted to cells of at least 4,096 nodes, 16 processors or 1,000 jobs. *Spread* is the largest half \
         distance between the quartiles of a cell in the row, as a share of its median.\n\n\
         A cell has {:.1} s, one of a replay five times as long. `>` marks a single call or replay that took \
         longer, and may have been stopped then. A cell is empty if this was to be expected from the cell \
         before it, or if the allocator does not serve the machine.\n",
        budget.as_secs_f64()
    )
}
