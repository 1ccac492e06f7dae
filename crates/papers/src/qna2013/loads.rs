//! Figs. 2 to 5 and 8 to 11: turnaround and waiting times by load.
//!
//! The curves are drawn without numbers; the text gives a few ratios at one load each.

use super::{ALLOCATORS, NON_CONTIGUOUS, OTHERS};
use crate::comparisons::crossings;
use crate::estimate::Estimate;
use crate::finding::{Place, Tolerance, Verdict};
use crate::findings::{Findings, Load, item, pairs, rates};

/// Paging as §2.3 describes it, and the words that say so.
const RETURNED: &str = "paging:list=returned";
const RETURNED_WORDS: &str = "2.3: \"maintains free pages in a list [...]; it allocates from this \
     list and \
     returns it to the list when releasing the page\"; to which end of the list is not said";
/// MBS whose buddies are never joined. The paper describes splits and no joins.
const UNJOINED: &str = "mbs:join=no";
const UNJOINED_WORDS: &str = "2.3 says how blocks are split, and nothing of joining them or of their order";

/// A quantity that figures show by load.
pub(super) struct Quantity {
    column: &'static str,
    name: &'static str,
    title: &'static str,
}

pub(super) const TURNAROUND: Quantity = Quantity {
    column: "turnaround_s_mean",
    name: "turnaround",
    title: "average completion time (time units)",
};
pub(super) const WAIT: Quantity =
    Quantity { column: "wait_s_mean", name: "wait", title: "mean waiting time (time units)" };

/// Ratios that the text prints of a figure, at one load.
pub(super) struct Printed {
    pub(super) figure: &'static str,
    pub(super) pattern: &'static str,
    /// The distribution of sides in the spec of the workload.
    pub(super) sides: &'static str,
    pub(super) column: &'static str,
    pub(super) rate: &'static str,
    /// QNA by first fit, by paging and by MBS, in percent.
    pub(super) percent: [&'static str; 3],
    /// What the text prints instead, for each of them.
    in_words: [&'static str; 3],
}

impl Printed {
    /// Returns the workload with this rate. At a rate of 1 all jobs are waiting from the beginning on.
    pub(super) fn log(&self, rate: &str) -> String {
        format!("synthetic:jobs=1000,rate={rate}{}", self.sides)
    }
}

/// For this figure the paper prints that QNA is 65, 36 and 30 % more efficient; for Fig. 8, that it takes 35,
/// 64 and 70 % of the time.
pub(super) const FIG2: Printed = Printed {
    figure: "fig2",
    column: TURNAROUND.column,
    in_words: [
        " (printed: 65 % more efficient)",
        " (printed: 36 % more efficient)",
        " (printed: 30 % more efficient)",
    ],
    ..FIG8
};
pub(super) const FIG4: Printed = Printed {
    figure: "fig4",
    column: TURNAROUND.column,
    rate: "0.0305",
    percent: ["20", "24", "38"],
    sides: "",
    ..FIG11
};
pub(super) const FIG8: Printed = Printed {
    figure: "fig8",
    pattern: "one-to-all",
    rate: "0.0205",
    percent: ["35", "64", "70"],
    sides: "",
    ..FIG11
};
pub(super) const FIG11: Printed = Printed {
    figure: "fig11",
    pattern: "all-to-all",
    sides: ",sides=exponential",
    column: WAIT.column,
    rate: "0.05",
    percent: ["19", "27", "50"],
    in_words: [""; 3],
};

/// Judges a figure of a quantity for messages in this pattern; `printed` are the ratios of the text, if it
/// has any.
pub(super) fn judge(
    findings: &mut Findings<'_>,
    quantity: &Quantity,
    pattern: &str,
    printed: Option<&Printed>,
) {
    let Quantity { column, name, title } = quantity;
    let network = format!("wormhole:compute=none,pattern={pattern}");
    let at = findings.at("synthetic").machine("16x16").scheduler("fcfs").network(&network);
    let at = |allocator: &str, log: &str| at.log(log).allocator(allocator);
    let samples = |allocator: &str, load: &Load| at(allocator, &load.log).by_workload(column);
    let place = |curve, rate| Place::new(curve, "system load (jobs per time unit)", rate).quantity(title);
    let mut loads = findings.loads();
    // Another reading of the sides has rows of its own (`redrawn`).
    loads.retain(|load| !load.log.contains("outside="));
    let high = &loads[7..];
    findings.about("", "16x16");
    for (allocator, Load { rate, log }) in pairs(ALLOCATORS, &loads) {
        let words = format!("{allocator}, {name}, load {rate}");
        let mean = at(allocator, log).mean(column);
        item("curves", words).log(log).measured(mean).place(place(allocator, rate)).add_to(findings);
    }
    for (words, loads) in [("every load".to_owned(), &loads[..]), (rates(high), high)] {
        findings.claim("below", format!("qna is below the others, at {words}"), |is| {
            for (other, load) in pairs(OTHERS, loads) {
                let low = format!("qna at {}", load.rate);
                is.clearly_below(low, &samples("qna", load), other, &samples(other, load));
            }
        });
    }
    let words = format!("first-fit is far above (twice the others), at {}", rates(high));
    findings.claim("far-above", words, |is| {
        for Load { rate, log } in high {
            let number = |allocator| at(allocator, log).number(column);
            for other in NON_CONTIGUOUS {
                let twice = number(other).map(|number| 2.0 * number);
                is.below(format!("twice {other} at {rate}"), twice, "first-fit", number("first-fit"));
            }
        }
    });
    let Some(printed) = printed else { return };
    let Printed { rate, percent, in_words, .. } = printed;
    let printed_load = Load { rate: (*rate).to_owned(), log: printed.log(rate) };
    let share = |other: &str, load: &Load| samples("qna", load).share(&samples(other, load));
    for ((other, percent), in_words) in OTHERS.into_iter().zip(percent).zip(in_words) {
        let share = |load: &Load| share(other, load);
        item("ratios", format!("qna by {other} in percent, load {rate}{in_words}"))
            .measured(share(&printed_load).map(|share| 100.0 * share))
            .published(percent, Tolerance::Points(3.0))
            .add_to(findings);
        let number: f64 = percent.parse().unwrap_or(f64::NAN);
        let ratio = |load: &Load| Some((load.rate.parse().ok()?, share(load)?.number()));
        let words = format!("load at which qna by {other} is {percent} percent (printed: {rate})");
        add_crossings(findings, &words, &loads.iter().filter_map(ratio).collect::<Vec<_>>(), number / 100.0);
        // Theirs follow from what was measured of QNA.
        let theirs = at("qna", &printed_load.log).number(column).map(|qna| qna / (number / 100.0));
        let words = format!("what the printed ratios at {rate} make of qna as measured");
        findings.mark(place(other, rate), theirs, &words);
    }
    let [_, paging, mbs] = *percent;
    judge_lists(findings, &format!("load {rate}"), [paging, mbs], 0, &|other| share(other, &printed_load));
}

/// Adds the ratios to paging and MBS with unsorted lists. Paging's is judged by the paper's description;
/// MBS's, which rests on silence, is only shown, and so is everything if the network is fitted, too, with
/// `chosen` parameters. The printed ratios to paging and to MBS are given.
pub(super) fn judge_lists(
    findings: &mut Findings<'_>,
    name: &str,
    [paging, mbs]: [&str; 2],
    chosen: u32,
    share: &dyn Fn(&str) -> Option<Estimate>,
) {
    let row = |other: &str, percent| {
        item("lists", format!("qna by {other} in percent, {name}"))
            .measured(share(other).map(|share| 100.0 * share))
            .published(percent, Tolerance::Points(3.0))
    };
    let of_paging = row(RETURNED, paging);
    let of_paging = if chosen == 0 { of_paging } else { of_paging.fitted(chosen, "") };
    of_paging.add_to(findings);
    row(UNJOINED, mbs).fitted(chosen + 2, UNJOINED_WORDS).add_to(findings);
    if share(RETURNED).is_some() {
        let words = Verdict::Note(RETURNED_WORDS.to_owned());
        item("lists", format!("{RETURNED}, {name}: what it rests on")).verdict(words).add_to(findings);
    }
}

/// Adds the loads where a ratio has the published value, or else the load where it is nearest. `ratios` are
/// pairs (load, ratio).
fn add_crossings(findings: &mut Findings<'_>, words: &str, ratios: &[(f64, f64)], target: f64) {
    let loads = crossings(ratios, target);
    for load in &loads {
        item("ratios", words).measured(Some(*load)).add_to(findings);
    }
    let nearest = ratios.iter().min_by(|a, b| (a.1 - target).abs().total_cmp(&(b.1 - target).abs()));
    if let (true, Some((load, ratio))) = (loads.is_empty(), nearest) {
        let never = Verdict::Differs(format!("never; {:.1} percent is nearest", 100.0 * ratio));
        item("ratios", words).measured(Some(*load)).verdict(never).add_to(findings);
    }
}
