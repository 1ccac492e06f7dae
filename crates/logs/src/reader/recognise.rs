//! Finds the format of a log by its first lines.

use std::cell::RefCell;

use crate::error::TraceError;
use crate::fields::skip_blanks;
use crate::formats::{FirstLines, Format, of_first_lines};
use crate::lines::Lines;

/// Recognises the format by the first lines, without consuming them. Fails for a known kind of unreadable
/// log.
pub(super) fn format_of(lines: &mut Lines) -> Result<&'static Format, TraceError> {
    let is_job = |line: &[u8]| !matches!(skip_blanks(line), [] | [b'\r'] | [b';', ..]);
    // One look, as another one would wait for more of a pipe.
    let first = RefCell::new(None);
    let below = lines.peek(|line| {
        let is_wanted = is_job(line);
        if is_wanted {
            first.borrow_mut().get_or_insert_with(|| line.to_vec());
        }
        is_wanted && !line.starts_with(b"#")
    })?;
    let (below, first) = (below.map(<[u8]>::to_vec), first.into_inner());
    let is_table = lines.source().is_table();
    let found = of_first_lines(&FirstLines { first: first.as_deref(), below: below.as_deref(), is_table });
    let path = || lines.source().path().to_owned();
    found.map_err(|(kind, remedy)| TraceError::OtherKind { path: path(), kind, remedy })
}
