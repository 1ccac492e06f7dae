//! `meshreplay show`: draws machines, orders, blocks, optimal placements, compactions and allocations, and
//! measures networks.

mod allocation;
mod blocks;
mod compaction;
mod curve;
mod machine;
mod network;
mod optimum;

use std::str::FromStr;

use clap::Subcommand;

use super::{Failure, print};
use crate::spec::{Spec, SpecError};

/// Draw what replays work with.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    Allocation(Box<allocation::Args>),
    Blocks(blocks::Args),
    Compaction(compaction::Args),
    Curve(curve::Args),
    Machine(machine::Args),
    Network(network::Args),
    Optimum(optimum::Args),
}

/// Runs one of the commands.
pub(super) fn run(args: &Args) -> Result<(), Failure> {
    match &args.what {
        What::Allocation(args) => allocation::run(args),
        What::Blocks(args) => blocks::run(args),
        What::Compaction(args) => compaction::run(args),
        What::Curve(args) => curve::run(args),
        What::Machine(args) => machine::run(args),
        What::Network(args) => network::run(args),
        What::Optimum(args) => optimum::run(args),
    }
}

/// One or more specs, separated by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Specs(Vec<Spec>);

impl FromStr for Specs {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let mut specs: Vec<String> = Vec::new();
        for part in text.split(',') {
            // A comma also separates the parameters of one spec.
            let is_parameter = part.split_once('=').is_some_and(|(key, _)| !key.contains([':', '|']));
            match specs.last_mut() {
                Some(spec) if is_parameter => *spec = format!("{spec},{part}"),
                _ => specs.push(part.to_owned()),
            }
        }
        Ok(Self(specs.iter().map(|spec| spec.parse()).collect::<Result<_, _>>()?))
    }
}

/// Returns all specs of an argument, in order.
fn flat(lists: &[Specs]) -> Vec<Spec> {
    lists.iter().flat_map(|list| &list.0).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_part_specs_and_parameters() -> Result<(), SpecError> {
        for (text, expected) in [
            ("mbs", vec!["mbs"]),
            ("mbs,hilbert+bf", vec!["mbs", "hilbert+bf"]),
            ("curve:order=hilbert,select=best-fit,mbs", vec!["curve:order=hilbert,select=best-fit", "mbs"]),
            ("mbs,paging:size=1,order=snake", vec!["mbs", "paging:size=1,order=snake"]),
            ("best-of:mm|paging:size=1,mbs", vec!["best-of:mm|paging:size=1", "mbs"]),
        ] {
            let expected = expected.into_iter().map(str::parse).collect::<Result<Vec<Spec>, _>>()?;
            assert_eq!(flat(&[text.parse()?]), expected, "{text}");
        }
        assert!("mbs,".parse::<Specs>().is_err());
        Ok(())
    }
}
