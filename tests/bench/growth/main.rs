//! Measures how times grow: of allocator calls with the nodes of a machine and of a job, of replays with jobs
//! and the queue. `make bench-growth` writes docs/experiments/growth.csv.
//!
//! CSV goes to standard output, the row being measured to standard error. Arguments are names of allocators
//! and schedulers, by default all. `GROWTH_FAMILY` limits calls to a family of machines, such as `3D tori`,
//! without replays. `GROWTH_BUDGET_S` is the time per cell in seconds.

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
    let mut csv = io::stdout().lock();
    writeln!(csv, "machines,name,nodes,procs,median_s,spread_s,mark")?;
    calls::write(&plan, &mut csv)?;
    if plan.family.is_some() {
        return Ok(());
    }
    replays::write(&plan, &mut csv)
}
