//! The rows of numbers about the causes of waiting.

use crate::metrics::gather::Compute::{MeanTime, Real};
use crate::metrics::metric::Better::Neither;
use crate::metrics::metric::Display::{Percent, Seconds};
use crate::metrics::metric::Group::Delays;
use crate::metrics::metric::{Metric, Needs, Shown, row};
use crate::metrics::why::WaitCause;

/// The rows, in the order of the columns of the `summary` frame.
pub(super) const ROWS: &[Metric] = &[
    cause::<0>("too large", "the job exceeded the machine"),
    in_tables("no room s", cause::<1>("no room", "the job exceeded the nodes that no job used")),
    cause::<2>(
        "outage",
        "nodes were down that the job needed, or it would by its limit have run into a known outage",
    )
    .terminal(Delays, "outage s", 4, Shown::If(Needs::Outages))
    .report(Delays, "outage s", Shown::If(Needs::Outages)),
    in_tables(
        "reserved s",
        cause::<3>("reserved", "the job would by its limit have delayed the oldest job that did not fit"),
    ),
    in_tables(
        "no place s",
        cause::<4>("no place", "the allocator refused the job although enough nodes were free"),
    ),
    in_tables(
        "free to start s",
        cause::<5>("free to start", "the job fitted, would have delayed no other, and was not started"),
    ),
    row("wait_free_share", Real(|of| of.replay.recording.share_of_waits("wait_free_share")))
        .needs(Needs::Why)
        .meaning("share of the waiting time of all jobs in which they were free to start"),
    row("wait_free_share_peak", Real(|of| of.replay.recording.share_of_waits("wait_free_share_peak")))
        .needs(Needs::Why)
        .meaning(
            "the same if the machine had only as many nodes as were in use at most within 3 hours; null \
             unless the recorded schedule of a machine of unknown size is replayed",
        ),
    row("overtaking_share", Real(|of| of.replay.recording.share_of_waits("overtaking_share")))
        .needs(Needs::Why)
        .meaning("share of the starts that overtook a waiting job with an earlier arrival")
        .better(Neither)
        .shown(Percent(1)),
];

/// Returns the row of the mean time waited for the cause at position `I`.
const fn cause<const I: usize>(title: &'static str, meaning: &'static str) -> Metric {
    row(
        WaitCause::ALL[I].mean_column(),
        MeanTime(|of, _| Some(of.measures.more().why?[WaitCause::ALL[I]].as_seconds())),
    )
    .needs(Needs::Why)
    .describe(title, "s", meaning)
    .shown(Seconds(1))
    .grouped()
}

/// Shows a row in tables for people under a title with its unit.
const fn in_tables(title: &'static str, metric: Metric) -> Metric {
    let shown = Shown::If(Needs::SimulatedWhy);
    metric.terminal(Delays, title, 4, shown).report(Delays, title, shown)
}
