//! Reads orders from files. Each line has one `node rank` pair, as in the simulator of P. Walker, D. Bunde
//! and V. Leung (2010).

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::{Mesh, Order};
use crate::machine::intervals::quote;

/// The reason why a file gives no order of a machine's nodes.
#[derive(Debug, thiserror::Error)]
pub enum OrderFileError {
    /// The file cannot be read.
    #[error("an order file, but {} cannot be read: {source}", .path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// A line, or the end of the file, is not as it must be.
    #[error("{}:{line}: found {found}, expected {expected}; {remedy}", .path.display())]
    Line {
        /// The path of the file.
        path: PathBuf,
        /// The number of the line, from 1.
        line: usize,
        /// The text or the value that was found.
        found: String,
        /// The text or the value that was expected.
        expected: String,
        /// The form that the file must have, in words.
        remedy: &'static str,
    },
}

const REMEDY: &str =
    "an order file has one line 'node rank' per node, nodes ascending from 0, each rank used once";

/// The number of bytes that an order file may have for each node. A line of two numbers has 18 at most.
const LINE_BYTES: u64 = 64;

/// The number of bytes that an order file may have for comments.
const COMMENT_BYTES: u64 = 1 << 20;

/// Returns the content of a file of at most `limit` bytes. A longer one is an error: a device such as
/// /dev/zero has no end.
fn content(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(limit + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit {
        return Err(io::Error::other(format!(
            "it has more than the {limit} bytes of an order of this machine"
        )));
    }
    Ok(bytes)
}

/// Reads the order of the nodes of `mesh` from the file at `path`.
///
/// Each line has the number of a node and its rank, both from 0, separated by blanks. Nodes must ascend.
/// Blank lines and lines that begin with `#` are skipped. The name of the order is the path. O(N).
pub fn from_file(path: &Path, mesh: &Mesh) -> Result<Order, OrderFileError> {
    let bytes = content(path, LINE_BYTES * u64::from(mesh.nodes()) + COMMENT_BYTES)
        .map_err(|source| OrderFileError::Unreadable { path: path.to_owned(), source })?;
    let fail = |line: usize, found: String, expected: String| OrderFileError::Line {
        path: path.to_owned(),
        line,
        found,
        expected,
        remedy: REMEDY,
    };
    let mut lines = 0;
    let mut ranks: Vec<u32> = Vec::new();
    let mut taken: Vec<Option<u32>> = vec![None; mesh.nodes() as usize];
    for (i, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let text = String::from_utf8_lossy(line);
        let text = text.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        lines = i + 1;
        let Some((node, rank)) = pair(text) else {
            return Err(fail(lines, quote(text), "two whole numbers, a node and its rank".to_owned()));
        };
        let next = ranks.len() as u32;
        if next == mesh.nodes() {
            return Err(fail(lines, quote(text), format!("no more than the {next} nodes of {mesh}")));
        }
        if node != next {
            return Err(fail(lines, format!("node {node}"), format!("node {next}")));
        }
        let Some(place) = taken.get_mut(rank as usize) else {
            return Err(fail(lines, format!("rank {rank}"), format!("a rank below {}", mesh.nodes())));
        };
        if let Some(other) = place.replace(node) {
            return Err(fail(
                lines,
                format!("rank {rank}, which node {other} has already"),
                "another rank".to_owned(),
            ));
        }
        ranks.push(rank);
    }
    let found = ranks.len();
    // If there are as many distinct ranks as nodes, every rank has a node.
    let nodes: Option<Vec<u32>> = taken.into_iter().collect();
    match nodes {
        Some(nodes) => Ok(Order { name: path.display().to_string(), nodes, ranks }),
        None => Err(fail(
            lines + 1,
            format!("the end after {found} nodes"),
            format!("the {} nodes of {mesh}", mesh.nodes()),
        )),
    }
}

/// Returns the node and the rank of a line; `None` if it has anything else than two whole numbers.
fn pair(text: &str) -> Option<(u32, u32)> {
    let mut fields = text.split_whitespace();
    let pair = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
    fields.next().is_none().then_some(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Order, String> {
        let file = tempfile::NamedTempFile::new().map_err(|error| error.to_string())?;
        std::fs::write(file.path(), text).map_err(|error| error.to_string())?;
        let mesh = Mesh::new(&[2, 2]).map_err(|error| error.to_string())?;
        from_file(file.path(), &mesh)
            .map_err(|error| error.to_string().replace(&file.path().display().to_string(), "FILE"))
    }

    #[test]
    fn pairs_in_any_layout_are_read() {
        let order = read("# a curve\n0 0\r\n1\t3\n\n  2   1 \n3 2").expect("a permutation");
        assert_eq!((order.nodes(), order.ranks()), (&[0, 2, 3, 1][..], &[0, 3, 1, 2][..]));
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        for (text, message) in [
            ("0 0\n1 x\n", "FILE:2: found '1 x', expected two whole numbers, a node and its rank; "),
            ("0 0 0\n", "FILE:1: found '0 0 0', expected two whole numbers"),
            ("0 0\n2 1\n", "FILE:2: found node 2, expected node 1; "),
            ("0 0\n1 4\n", "FILE:2: found rank 4, expected a rank below 4; "),
            ("0 1\n1 1\n", "FILE:2: found rank 1, which node 0 has already, expected another rank; "),
            ("0 0\n1 1\n2 2\n", "FILE:4: found the end after 3 nodes, expected the 4 nodes of 2x2; "),
            ("0 0\n1 1\n2 2\n3 3\n4 4\n", "FILE:5: found '4 4', expected no more than the 4 nodes of 2x2; "),
            ("\u{0}\u{1}ELF", "FILE:1: found '\\0\\u{1}ELF', expected two"),
        ] {
            let found = read(text).expect_err(text);
            assert!(found.starts_with(message), "{found}");
        }
    }
}
