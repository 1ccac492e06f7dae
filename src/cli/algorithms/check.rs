//! `meshreplay check`: holds allocators to the laws that every allocator keeps.

use anyhow::anyhow;

use super::{Failure, print};
use crate::allocator::{ALLOCATORS, BuildError};
use crate::guest;
use crate::laws::{MACHINES, Subject, Survey};
use crate::machine::Mesh;
use crate::report::laws_table;
use crate::spec::Spec;
use crate::study::ALL;

/// Check allocators against the laws of every allocator, and show the smallest history that breaks one.
///
/// Random histories have arriving and departing jobs, nodes taken by others, and nodes that go down and
/// come up, on each machine that the allocator serves. Exit code 1 if a law is broken.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  meshreplay check hilbert+bf mc1x1
  meshreplay check mbs gabl snug -m 16x16 torus:8x8x4 --events 1000
  meshreplay check 'exec:python3 mine.py'")]
pub(in crate::cli) struct Args {
    /// Allocators; all stands for every registered one, and exec:COMMAND for a program.
    #[arg(value_name = "ALLOCATOR", required = true)]
    allocators: Vec<Spec>,

    /// Machines [default: sixteen small ones: arrays, meshes, tori, joined cubes and trees].
    #[arg(short, long, value_name = "MACHINE", num_args = 1..)]
    machine: Vec<Mesh>,

    /// Seed of the random histories.
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// Number of events of each history.
    #[arg(long, default_value_t = 300)]
    events: usize,
}

/// Prints the table, and the counterexamples below it.
pub(in crate::cli) fn run(args: &Args) -> Result<(), Failure> {
    let named = args.allocators.iter().flat_map(|spec| {
        if spec.to_string() == ALL {
            ALLOCATORS.iter().map(|row| Spec::named(row.name)).collect()
        } else {
            vec![spec.clone()]
        }
    });
    let subjects: Vec<Subject<'_>> = named.map(|spec| guest::subject(&spec)).collect();
    let machines = if args.machine.is_empty() {
        MACHINES.iter().map(|text| text.parse()).collect::<Result<_, _>>()?
    } else {
        args.machine.clone()
    };
    let survey = Survey { subjects: &subjects, machines: &machines, seed: args.seed, events: args.events };
    let findings = survey.findings().map_err(|error| match error {
        BuildError::Spec(error) => Failure::Usage(error.into()),
        error => Failure::Failed(anyhow!(error)),
    })?;
    let broken: Vec<String> =
        findings.iter().filter_map(|finding| Some(format!("\n{}\n", finding.broken.as_ref()?))).collect();
    print(&(laws_table(&findings).text() + &broken.concat()))?;
    if broken.is_empty() { Ok(()) } else { Err(Failure::Reported) }
}
