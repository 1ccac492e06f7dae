//! The command `show machine`: the nodes of a machine, and the groups of a tree of switches.

use std::fmt::Write;

use meshreplay_base::words::counted;
use meshreplay_machine::machine::Mesh;
use meshreplay_results::text::{Align, Screen, TextTable, grouped};

/// Returns the canonical spelling of a machine, its nodes, and for a tree of switches a table of its levels.
pub fn machine(mesh: &Mesh, screen: Screen) -> String {
    let mut text = format!("{mesh}\n\n{}", counted(mesh.available(), "node"));
    let unavailable = mesh.nodes() - mesh.available();
    if unavailable > 0 {
        // Writing to a string cannot fail.
        let _ = write!(text, ", and {} that no job can have", counted(unavailable, "number"));
    }
    text.push('\n');
    let Some(levels) = mesh.levels() else { return text };
    let columns = ["height", "groups", "nodes of a group", "links between two nodes that meet there"];
    let mut table = TextTable::new(&columns.map(|title| (title, Align::Right)));
    for (height, &size) in (1_u32..).zip(levels.sizes()) {
        let name = match height {
            1 => "1 (leaf)".to_owned(),
            _ => height.to_string(),
        };
        let number = |number: u32| grouped(f64::from(number), 0);
        table.add(vec![name, number(mesh.nodes() / size), number(size), number(2 * height)]);
    }
    text + "\n" + &screen.table_from_left(&table, columns.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_of_a_tree_are_listed() -> Result<(), Box<dyn std::error::Error>> {
        let text = machine(&"tree:2x3x4:without=23".parse()?, Screen::default());
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(lines[..3], ["tree:2x3x4:without=23", "", "23 nodes, and 1 number that no job can have"]);
        let cells = |line: &&str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let rows: Vec<Vec<String>> = lines.iter().skip(5).map(cells).collect();
        assert_eq!(
            rows,
            [vec!["1", "(leaf)", "6", "4", "2"], vec!["2", "2", "12", "4"], vec!["3", "1", "24", "6"]]
        );
        Ok(())
    }
}
