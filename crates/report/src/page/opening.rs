//! The first screen of a report: what was replayed, the question, one job placed well and badly, and
//! the title of the page.

use std::fmt::Write;

use super::escape::html;
use meshreplay_alloc::allocator::short_label;
use meshreplay_base::spec::Spec;
use meshreplay_base::words::counted;
use meshreplay_figures::Results;
use meshreplay_figures::show::placed;
use meshreplay_machine::machine::{Machine, Mesh, NodeId, pairwise_sum};
use meshreplay_results::text::grouped;

/// Names that are listed before they are counted.
const NAMED: usize = 3;

const DAY_S: f64 = 86_400.0;

/// Returns the title of the page: the logs and the machines.
pub(super) fn title(results: &Results) -> String {
    let logs = values(results, "log");
    let machines = values(results, "machine");
    format!("{} on {}", listed(&logs, "log"), listed(&machines, "machine"))
}

pub(super) fn question(results: &Results) -> &'static str {
    let varies = |name: &str| results.varying.contains(&name);
    match (varies("allocator"), varies("scheduler")) {
        (true, true) => "When should a job start, and on which nodes?",
        (true, false) => "On which nodes should a job run?",
        (false, true) => "When should a job start?",
        (false, false) => "What happened to the jobs?",
    }
}

/// Returns what was replayed, as HTML.
pub(super) fn replayed(results: &Results) -> String {
    let logs = values(results, "log");
    let each = if logs.len() > 1 { " each" } else { "" };
    let jobs = range(results, "jobs", |jobs| counted(grouped(jobs, 0), "job"));
    let time = range(results, "makespan_s", duration).map(|time| format!(" over {time}"));
    let [jobs, time] = [jobs, time].map(Option::unwrap_or_default);
    let machines = values(results, "machine");
    let nodes = results.machine(0).map(|machine| counted(grouped(f64::from(machine.available()), 0), "node"));
    let machine = match (machines.as_slice(), nodes) {
        ([only], Ok(nodes)) => format!("a machine of {nodes} ({only})"),
        _ => listed(&machines, "machine"),
    };
    let [logs, jobs, machine, deciders] =
        [listed(&logs, "log"), format!("{jobs}{each}{time}"), machine, deciders(results)]
            .map(|text| html(&text));
    format!(
        "<p class=\"what\">The jobs of <strong>{logs}</strong> ({jobs}) run again, in simulation, on \
         {machine}. {deciders}</p>\n"
    )
}

/// Returns the sentence on the schedulers and the allocators.
fn deciders(results: &Results) -> String {
    let schedulers = values(results, "scheduler");
    let when = match schedulers.as_slice() {
        [only] if only == "recorded" => "Jobs start when the log says they did".to_owned(),
        [only] => format!("The scheduler {only} decides when each job starts"),
        many if many.len() > NAMED => format!("{} schedulers decide when each job starts", many.len()),
        few => format!("The schedulers {} decide when each job starts", listed(few, "scheduler")),
    };
    let allocators = values(results, "allocator");
    let nodes = match allocators.as_slice() {
        [only] => format!("the allocator {only} decides on which nodes"),
        many if many.len() > NAMED => format!("{} allocators decide on which nodes", many.len()),
        few => format!("the allocators {} decide on which nodes", listed(few, "allocator")),
    };
    let apart = if results.table.height() > 1 { ", each in a replay of its own" } else { "" };
    format!("{when}, and {nodes}{apart}.")
}

/// Returns the range of a number, each end in words; `None` without numbers.
fn range(results: &Results, name: &str, text: fn(f64) -> String) -> Option<String> {
    let numbers = results.table.numbers(name)?;
    let least = numbers.iter().flatten().reduce(f64::min)?;
    let most = numbers.iter().flatten().reduce(f64::max)?;
    Some(between([least, most].map(text)))
}

/// Returns the sentence on a single replay: the mean wait, and how busy the machine was.
pub(super) fn facts(results: &Results) -> Vec<String> {
    let fact = |row: usize| {
        let wait_s = results.table.number("wait_s_mean", row)?;
        let busy = 100.0 * results.table.number("utilization", row)?;
        Some(format!(
            "Jobs waited {} on average, and the machine was {} % busy.",
            duration(wait_s),
            grouped(busy, 1)
        ))
    };
    if results.table.height() == 1 { fact(0).into_iter().collect() } else { Vec::new() }
}

/// Returns the labels of a coordinate, each once, in the order of the results.
fn values(results: &Results, name: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for label in (0..results.table.height()).map(|row| results.label(row, name)) {
        if !values.contains(&label) {
            values.push(label);
        }
    }
    values
}

/// Returns a range, with the unit once if it is the same at both ends.
fn between([least, most]: [String; 2]) -> String {
    match (least.split_once(' '), most.split_once(' ')) {
        _ if least == most => least,
        (Some((number, unit)), Some((_, other))) if unit == other => format!("{number} to {most}"),
        _ => format!("{least} to {most}"),
    }
}

/// Returns names with commas, or their number if they are many.
fn listed(names: &[String], noun: &str) -> String {
    match names {
        [] => format!("no {noun}"),
        [only] => only.clone(),
        many if many.len() > NAMED => counted(many.len(), noun),
        [start @ .., last] => format!("{} and {last}", start.join(", ")),
    }
}

/// Returns a duration in the largest unit of which there are at least two.
fn duration(seconds: f64) -> String {
    let units = [(7.0 * DAY_S, "week"), (DAY_S, "day"), (3600.0, "hour"), (60.0, "minute")];
    let unit = units.into_iter().find(|(length, _)| seconds >= 2.0 * length);
    let (length, name) = unit.unwrap_or((1.0, "second"));
    counted(grouped((seconds / length).round(), 0), name)
}

/// The machine, and the number of nodes of the job.
const SIDES: [u32; 2] = [8, 8];
const PROCS: u32 = 9;
/// The side of a node in pixels.
const NODE: u32 = 15;
/// The allocators that are shown if those of the results place jobs alike or do not serve the machine.
const USUAL: [&str; 2] = ["snug", "random"];

/// Returns the drawing as HTML, with these allocators if they serve the machine; `None` if nothing can be
/// placed.
pub(super) fn example(allocators: Option<&[String; 2]>) -> Option<String> {
    let names = allocators.map(|names| names.each_ref().map(|name| short_label(name)));
    names.and_then(|names| drawn(&names)).or_else(|| drawn(&USUAL.map(str::to_owned)))
}

fn drawn(names: &[String; 2]) -> Option<String> {
    let mesh = Mesh::new(&SIDES).ok()?;
    let mut state = Machine::new(mesh.clone());
    state.occupy(&busy(&mesh)).ok()?;
    let place = |name: &String| {
        let spec: Spec = name.parse().ok().filter(|spec: &Spec| !spec.is_guest())?;
        let nodes = placed(&spec, &state, PROCS, 1).ok()?.1?;
        let sum = pairwise_sum(&mesh, &nodes);
        Some((nodes, sum))
    };
    let [well, badly] = [place(&names[0])?, place(&names[1])?];
    if well.1 >= badly.1 {
        return None;
    }
    let part = |(name, (nodes, sum)): (&String, &(Vec<NodeId>, u64))| {
        format!(
            "<div>{}<p><strong>{}</strong><br>pairwise sum {} hops</p></div>\n",
            picture(&mesh, &state, nodes),
            html(name),
            grouped(*sum as f64, 0)
        )
    };
    let parts: String = names.iter().zip([&well, &badly]).map(part).collect();
    Some(format!(
        "<figure class=\"example\"><div>\n{parts}</div><figcaption>An example: a job of {PROCS} nodes on the \
         same machine, placed by two allocators. Grey nodes are busy. The <em>pairwise sum</em> is the \
         number of hops between two nodes of the job, added up over all pairs: the smaller it is, the fewer \
         links lie between them.</figcaption></figure>\n"
    ))
}

/// Returns the busy nodes: a few jobs, and single nodes that ended up between them.
fn busy(mesh: &Mesh) -> Vec<NodeId> {
    let is_busy = |&node: &NodeId| {
        let [x, y, _] = mesh.coord(node);
        let in_job = x < 3 && y < 2 || x > 5 && (2..5).contains(&y) || x < 2 && y > 5;
        in_job || [[5, 0], [7, 0], [0, 4], [4, 7], [6, 6], [7, 7], [3, 6], [1, 3]].contains(&[x, y])
    };
    (0..mesh.nodes()).filter(is_busy).collect()
}

/// Returns the machine with the nodes of the job as SVG.
fn picture(mesh: &Mesh, state: &Machine, nodes: &[NodeId]) -> String {
    let (wide, high) = (SIDES[0] * NODE, SIDES[1] * NODE);
    let mut squares = String::new();
    for node in 0..mesh.nodes() {
        let [x, y, _] = mesh.coord(node);
        let class = match (nodes.contains(&node), state.free().contains(node)) {
            (true, _) => "job",
            (false, true) => "free",
            (false, false) => "busy",
        };
        // Node 0 is at the lower left. Writing to a string cannot fail.
        let (left, top) = (x * NODE + 1, (SIDES[1] - 1 - y) * NODE + 1);
        let side = NODE - 2;
        let _ = write!(
            squares,
            "<rect class=\"{class}\" x=\"{left}\" y=\"{top}\" width=\"{side}\" height=\"{side}\"/>"
        );
    }
    format!(
        "<svg viewBox=\"0 0 {wide} {high}\" width=\"{wide}\" height=\"{high}\" role=\"img\" \
         aria-label=\"Nodes of a job on a machine\">{squares}</svg>"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_units_of_a_reader() {
        let found = [1.0, 90.0, 7200.0, 86_400.0, 1.3e6, 6.6e6].map(duration);
        assert_eq!(found, ["1 second", "90 seconds", "2 hours", "24 hours", "2 weeks", "11 weeks"]);
    }

    #[test]
    fn ranges_have_their_unit_once() {
        let found = [[5e6, 5e6], [5e6, 6e6], [86_400.0, 5e6]].map(|ends| between(ends.map(duration)));
        assert_eq!(found, ["8 weeks", "8 to 10 weeks", "24 hours to 8 weeks"]);
    }

    #[test]
    fn many_names_are_counted() {
        let names = |count: usize| (0..count).map(|i| format!("l{i}")).collect::<Vec<_>>();
        let found = [1, 2, 3, 4].map(|count| listed(&names(count), "log"));
        assert_eq!(found, ["l0", "l0 and l1", "l0, l1 and l2", "4 logs"]);
    }

    #[test]
    fn the_sums_are_those_of_the_drawn_nodes() {
        let text = example(None).expect("a drawing");
        assert_eq!(text.matches("class=\"job\"").count(), 2 * PROCS as usize);
        assert!(text.contains("snug") && text.contains("random"));
        let other = ["hilbert+bf".to_owned(), "naive".to_owned()];
        assert!(example(Some(&other)).is_some());
        // Guests cannot be asked, and equal placements show nothing.
        for names in [["guest:a", "random"], ["naive", "naive"]] {
            assert_eq!(example(Some(&names.map(str::to_owned))).as_ref(), Some(&text));
        }
    }
}
