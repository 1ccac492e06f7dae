//! Every figure of every paper, and whether it can be regenerated.

use super::figure::Paper;
use super::{chang_mohapatra1998, diessel1996, gabl2006, qna2013, walker2010};

/// Every paper, by the breadth of what it asks.
pub const PAPERS: &[Paper] =
    &[walker2010::PAPER, chang_mohapatra1998::PAPER, diessel1996::PAPER, gabl2006::PAPER, qna2013::PAPER];
