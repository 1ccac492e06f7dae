//! `meshreplay completions` and `meshreplay man`: write shell completions and man pages.

use std::fs;
use std::path::PathBuf;

use anyhow::Context;
use clap::CommandFactory;
use clap_complete::Shell;

use super::help::arranged;
use super::{Arguments, Failure, print};
use crate::frame::{TEMPORARY, write_whole};

/// Print the completions of a shell.
///
/// For bash: meshreplay completions bash > ~/.local/share/bash-completion/completions/meshreplay
#[derive(Debug, clap::Args)]
pub(super) struct CompletionArgs {
    /// The shell.
    #[arg(value_enum)]
    shell: Shell,
}

/// Write a man page for each command.
#[derive(Debug, clap::Args)]
pub(super) struct ManArgs {
    /// Directory of the pages, meshreplay.1 and the like.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Prints the completions of a shell.
pub(super) fn completions(args: &CompletionArgs) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut arranged(Arguments::command()), "meshreplay", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Writes the man pages into a directory.
pub(super) fn man(args: &ManArgs) -> Result<(), Failure> {
    fs::create_dir_all(&args.folder).with_context(|| format!("{} cannot be made", args.folder.display()))?;
    let mut command = arranged(Arguments::command());
    command.build();
    let (mut pages, mut names) = (vec![command], String::new());
    while let Some(command) = pages.pop() {
        pages.extend(command.get_subcommands().filter(|below| below.get_name() != "help").cloned());
        let page = clap_mangen::Man::new(command);
        let path = args.folder.join(page.get_filename());
        let mut text = Vec::new();
        page.render(&mut text)?;
        write_whole(&path, &text, TEMPORARY)?;
        names += &path.display().to_string();
        names.push('\n');
    }
    print(&names)
}
