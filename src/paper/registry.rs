//! Every paper whose figures are regenerated.

use std::sync::LazyLock;

use super::load::{Folder, Paper, PaperError};
use super::{chang_mohapatra1998, diessel1996, gabl2006, qna2013, walker2010};

/// The folder of every paper, by the breadth of what it asks.
const FOLDERS: &[Folder] = &[
    walker2010::FOLDER,
    chang_mohapatra1998::FOLDER,
    diessel1996::FOLDER,
    gabl2006::FOLDER,
    qna2013::FOLDER,
];

static PAPERS: LazyLock<Result<Vec<Paper>, PaperError>> =
    LazyLock::new(|| FOLDERS.iter().map(Folder::read).collect());

/// Every paper, read once from its folder.
pub fn papers() -> Result<&'static [Paper], &'static PaperError> {
    PAPERS.as_deref()
}
