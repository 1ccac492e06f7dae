//! What is known about the terminal that standard output goes to.

use std::io::{self, IsTerminal};

use terminal_size::{Width, terminal_size_of};

use crate::text::Screen;

/// Returns the width of lines and whether letters may be bold. The width is that of the variable COLUMNS, or
/// of the terminal. Lines in a pipe or a file have any length, so that programs find everything in them.
/// COLUMNS changes nothing there, because shells, editors and the readline of Python pass it on to programs
/// without a terminal.
pub(super) fn screen() -> Screen {
    if !io::stdout().is_terminal() {
        return Screen::default();
    }
    let columns = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    let measured = || terminal_size_of(io::stdout()).map(|(Width(width), _)| usize::from(width));
    Screen { width: columns.or_else(measured).filter(|&width| width > 0), is_bold: is_bold() }
}

/// When a drawing has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Color {
    /// On a terminal, unless the variable `NO_COLOR` is set
    #[default]
    Auto,
    /// Always, such as for a pager
    Always,
    /// Never
    Never,
}

impl Color {
    /// Returns whether what is printed on standard output has colours.
    pub(super) fn is_on(self) -> bool {
        match self {
            Self::Auto => is_bold(),
            Self::Always => true,
            Self::Never => false,
        }
    }
}

/// Returns whether letters on standard output may be bold: it is a terminal that has them, and `NO_COLOR` is
/// not set.
pub(super) fn is_bold() -> bool {
    let is_plain = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    io::stdout().is_terminal() && !is_plain && std::env::var_os("NO_COLOR").is_none_or(|set| set.is_empty())
}
