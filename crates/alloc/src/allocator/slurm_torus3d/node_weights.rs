//! The weights of nodes, as Slurm's file slurm.conf gives them.

use std::collections::HashMap;

use meshreplay_machine::machine::topology::{host_list, yaml::Flaw};

/// The weight of a node without a weight in the file.
pub(super) const DEFAULT: u32 = 1;

/// Returns the weight of every node that a text in the form of slurm.conf names.
///
/// Only lines that begin with `NodeName=` count, and of them only the values of `NodeName` and `Weight`. A
/// node without a weight has that of the last line `NodeName=DEFAULT`, at first 1. Letters of keys may be
/// large or small. `#` begins a comment, and a line that ends with `\` goes on in the next one.
pub(super) fn parse(text: &str) -> Result<HashMap<String, u32>, Flaw> {
    let (mut weights, mut default) = (HashMap::new(), DEFAULT);
    for (number, line) in joined(text) {
        let mut fields = line.split_whitespace().filter_map(|field| field.split_once('='));
        let Some((key, names)) = fields.next() else { continue };
        if !key.eq_ignore_ascii_case("NodeName") {
            continue;
        }
        let given = fields.find(|(key, _)| key.eq_ignore_ascii_case("Weight"));
        let weight = match given {
            None => default,
            Some((_, text)) => text.parse().map_err(|_| {
                Flaw::new(
                    number,
                    format!("found Weight='{text}', expected a whole number from 0 to {}", u32::MAX),
                )
            })?,
        };
        if names == "DEFAULT" {
            default = weight;
            continue;
        }
        for name in host_list::names(names).map_err(|problem| Flaw::new(number, problem))? {
            if weights.insert(name.clone(), weight).is_some() {
                return Err(Flaw::new(number, format!("found node '{name}' again, expected each node once")));
            }
        }
    }
    Ok(weights)
}

/// Returns the lines without comments, each with the number of its first line; a line that ends with `\` is
/// joined with the next one.
fn joined(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut goes_on = false;
    for (i, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or("").trim_end();
        let (line, more) = line.strip_suffix('\\').map_or((line, false), |line| (line, true));
        match lines.last_mut() {
            Some((_, last)) if goes_on => {
                last.push(' ');
                last.push_str(line);
            }
            _ => lines.push((i + 1, line.to_owned())),
        }
        goes_on = more;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_of_nodes_are_read() -> Result<(), Flaw> {
        let text = "ClusterName=a\nNodeName=n[1-2] CPUs=4 Weight=7 # comment\nnodename=DEFAULT \\\n \
             weight=3\n\
                    NodeName=n3\nPartitionName=p Nodes=n[1-3]\n";
        let weights = parse(text)?;
        let found: Vec<_> = ["n1", "n2", "n3", "n4"].map(|name| weights.get(name).copied()).into();
        assert_eq!(found, [Some(7), Some(7), Some(3), None]);
        Ok(())
    }

    #[test]
    fn wrong_lines_are_named() {
        for (text, line, problem) in [
            ("\nNodeName=n1 Weight=x\n", 2, "found Weight='x', expected a whole number from 0 to 4294967295"),
            ("NodeName=n[1\n", 1, "'n[1' has brackets that do not match"),
            ("NodeName=n1\nNodeName=n[1-2]\n", 2, "found node 'n1' again, expected each node once"),
        ] {
            let flaw = parse(text).expect_err(text);
            assert!(flaw.line == line && flaw.problem.starts_with(problem), "{flaw:?}");
        }
    }
}
