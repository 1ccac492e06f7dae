//! Possible readings of the paper's network, tested by its printed loads.
//!
//! The paper leaves open how a node buffers flits, what the number of messages counts, and what of a hop the
//! 3 cycles of routing are. A reading is possible if first fit saturates below a printed load, and QNA not
//! far below it: the printed ratios occur nowhere else. With 200 or 1000 messages a job the printed load
//! means nothing, since the network saturates at a fraction of it: ratios are looked at where QNA is about to
//! saturate.

use super::OTHERS;
use super::loads::{FIG2, FIG4, FIG11, Printed, judge_lists};
use crate::estimate::Estimate;
use crate::evidence::Point;
use crate::finding::{Place, Tolerance};
use crate::findings::{Findings, Load, item, pairs};

/// The allocators whose saturation decides whether a reading is possible.
const SATURATING: [&str; 2] = ["first-fit", "qna"];

const EXPERIMENTS: [Printed; 3] = [FIG2, FIG4, FIG11];

/// The parameters of the network in each reading.
const READINGS: [&str; 8] = [
    "",
    "buffer=packet",
    "injection=blocking",
    "buffer=packet,injection=blocking",
    "ts=2",
    "law=constant",
    "quota=per-processor",
    "buffer=packet,quota=per-processor",
];

/// The numbers of messages that a job may send.
const MESSAGES: [&str; 3] = ["5", "200", "1000"];

impl Printed {
    /// Returns the replays of the experiment with these parameters of the network.
    fn at<'a>(&self, findings: &Findings<'a>, parameters: &str) -> Point<'a> {
        let comma = if parameters.is_empty() { "" } else { "," };
        let network = format!("wormhole:compute=none,pattern={}{comma}{parameters}", self.pattern);
        findings.at("synthetic").machine("16x16").scheduler("fcfs").network(&network)
    }

    /// Adds the ratios of QNA to the others at a load.
    fn judge_ratios(&self, findings: &mut Findings<'_>, name: &str, at: &Point<'_>, load: &Load) {
        for (other, percent) in OTHERS.into_iter().zip(self.percent) {
            let samples = |allocator| at.log(&load.log).allocator(allocator).by_workload(self.column);
            let words = format!("{}, {name}: qna by {other} in percent at {}", self.figure, load.rate);
            item(self.figure, words)
                .measured(samples("qna").share(&samples(other)).map(|share| 100.0 * share))
                .published(percent, Tolerance::Points(3.0))
                .add_to(findings);
        }
    }

    /// Adds the saturation loads of the allocators; `heavy` is the point where all jobs are waiting.
    fn list_saturation(&self, findings: &mut Findings<'_>, name: &str, heavy: &Point<'_>) {
        for allocator in SATURATING {
            let words = format!("{}, {name}: {allocator} saturates at", self.figure);
            item(self.figure, words).measured(saturation(heavy, allocator)).add_to(findings);
        }
    }
}

/// Returns the jobs per time unit that an allocator can serve.
fn saturation(heavy: &Point<'_>, allocator: &str) -> Option<Estimate> {
    let at = heavy.allocator(allocator);
    Some(at.number("jobs")? / at.mean("makespan_s")?)
}

/// Judges every reading of the network, then more messages.
pub(super) fn judge(findings: &mut Findings<'_>) {
    findings.about("", "16x16");
    for (experiment, reading) in pairs(&EXPERIMENTS, READINGS) {
        let at = experiment.at(findings, reading);
        let heavy = at.log(&experiment.log("1"));
        let name = if reading.is_empty() { "as usual" } else { reading };
        experiment.list_saturation(findings, name, &heavy);
        let Printed { figure, rate, .. } = experiment;
        findings.claim(figure, format!("{figure}, {name}: the printed load {rate} lies between"), |is| {
            let [first, own] = SATURATING.map(|allocator| saturation(&heavy, allocator));
            if let (Some(first), Some(own), Ok(rate)) = (first, own, rate.parse::<f64>()) {
                let words = format!("the printed load above first-fit ({:.5})", first.number());
                is.above(words, Some(rate - first), 0.0);
                let words = format!("qna ({:.5}) above the printed load", own.number());
                is.above(words, Some(own - rate), 0.0);
            }
        });
        let load = Load { rate: (*rate).to_owned(), log: experiment.log(rate) };
        experiment.judge_ratios(findings, name, &at, &load);
    }
    for (experiment, reading) in pairs(&EXPERIMENTS[1..], ["injection=blocking"]) {
        let Printed { figure, rate, column, percent: [_, paging, mbs], .. } = *experiment;
        let at = experiment.at(findings, reading).log(&experiment.log(rate));
        let samples = |allocator: &str| at.allocator(allocator).by_workload(column);
        let share = |other: &str| samples("qna").share(&samples(other));
        judge_lists(findings, &format!("{figure}, {reading}"), [paging, mbs], 1, &share);
    }
    for messages in MESSAGES {
        judge_messages(findings, messages);
    }
}

/// Judges the ratios of Fig. 4 if a job sends more messages, at loads up to where QNA saturates then.
fn judge_messages(findings: &mut Findings<'_>, messages: &str) {
    let at = FIG4.at(findings, &format!("messages={messages}"));
    let heavy = at.log(&FIG4.log("1"));
    for (name, quantity, column, unit) in [
        ("links used at saturation", "percent", "link_utilization", 100.0),
        ("cycles of a packet at saturation", "", "packet_latency_cycles_mean", 1.0),
        ("of which its header waits", "", "packet_blocked_cycles_mean", 1.0),
    ] {
        let comma = if quantity.is_empty() { "" } else { ", " };
        let curve = format!("{name}{comma}{quantity}");
        let place = Place::new(&curve, "messages a job, qna", messages).series(name).quantity(quantity);
        let number = heavy.allocator("qna").number(column).map(|number| unit * number);
        item("used", format!("{curve}, {messages}")).measured(number).place(place).add_to(findings);
    }
    if messages == "5" {
        return;
    }
    let name = format!("{messages} messages a job");
    FIG4.list_saturation(findings, &name, &heavy);
    let loads = findings.loads_of(&format!("messages-{messages}"));
    for load in loads.iter().filter(|load| load.rate.parse().is_ok_and(|rate: f64| rate < 1.0)) {
        FIG4.judge_ratios(findings, &name, &at, load);
    }
}
