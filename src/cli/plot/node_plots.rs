//! Plots of nodes: how busy each was, and who held them when. They need results whose jobs were kept with their nodes.

use anyhow::anyhow;

use super::View;
use crate::cli::Failure;
use crate::cli::results::Results;
use crate::figure::draw::{Axis, Grid, GridCell};
use crate::frame::{Sheet, SheetValues};
use crate::machine::{Mesh, NodeId, parse_intervals};

/// A job of the replay that is drawn: number, start, end, nodes.
struct Held {
    number: i64,
    start_s: f64,
    end_s: f64,
    nodes: Vec<(NodeId, NodeId)>,
}

/// The jobs of the replay that is meant, or else of the first one, of its first seed; its machine, and what it is called;
/// `None` if nodes were not kept.
fn one_replay(view: &View<'_>, results: &Results) -> Result<Option<(Mesh, String, Vec<Held>)>, Failure> {
    let wanted = ["replay", "seed", "job", "start_s", "end_s", "nodes"];
    let replays = results.numbers("", "replay")?;
    let replay =
        view.replay.map_or_else(|| replays.first().copied().flatten(), |replay| Some(f64::from(replay)));
    let Some(row) = replays.iter().position(|other| *other == replay) else {
        let last = replays.iter().flatten().copied().fold(0.0, f64::max);
        let text = format!(
            "--replay {} is not among the results, whose replays are 0 to {last}",
            replay.unwrap_or(0.0)
        );
        return Err(Failure::Usage(anyhow!(text)));
    };
    let is_meant = |number: u64| Some(number as f64) == replay;
    let Some(sheet) = Sheet::read_jobs(view.folder, &wanted, &is_meant)? else { return Ok(None) };
    let mut numbers = Vec::new();
    for name in &wanted[..5] {
        let Some(SheetValues::Number { numbers: found, .. }) =
            sheet.column(name).map(|column| &column.values)
        else {
            return Ok(None);
        };
        numbers.push(found);
    }
    let Some(SheetValues::Text(nodes)) = sheet.column("nodes").map(|column| &column.values) else {
        return Ok(None);
    };
    let first = numbers[0].iter().position(|other| *other == replay).unwrap_or_default();
    let is_first = |i: usize| {
        wanted[..2].iter().all(|name| sheet.column(name).is_some_and(|column| column.is_same(i, first)))
    };
    let wrong = |problem: String| anyhow!("{}: {problem}", sheet.path.display());
    let machine: Mesh = results
        .label(row, "machine")
        .parse()
        .map_err(|error| wrong(format!("the summary's machine: {error}")))?;
    let mut jobs = Vec::new();
    for (i, text) in nodes.iter().enumerate() {
        let of = |column: usize| numbers[column][i].unwrap_or_default();
        if !is_first(i) {
            continue;
        }
        let nodes =
            parse_intervals(text).ok().filter(|runs| runs.iter().all(|(_, last)| *last < machine.nodes()));
        let number = of(2) as i64;
        let expected =
            || wrong(format!("job {number}, column 'nodes': found '{text}', expected nodes such as 0-3 7"));
        jobs.push(Held { number, start_s: of(3), end_s: of(4), nodes: nodes.ok_or_else(expected)? });
    }
    Ok(Some((machine, results.name(row, &[]), jobs)))
}

/// How busy each node was, from the first start to the last end.
pub(super) fn nodes(view: &View<'_>, results: &Results) -> Result<Option<String>, Failure> {
    let Some((machine, name, jobs)) = one_replay(view, results)? else { return Ok(None) };
    let from = jobs.iter().map(|job| job.start_s).fold(f64::INFINITY, f64::min);
    let to = jobs.iter().map(|job| job.end_s).fold(f64::NEG_INFINITY, f64::max);
    if to <= from || machine.nodes() > MOST_CELLS {
        return Ok(None);
    }
    let mut busy_s = vec![0.0; machine.nodes() as usize];
    for job in &jobs {
        for node in job.nodes.iter().flat_map(|&(first, last)| first..=last) {
            busy_s[node as usize] += job.end_s - job.start_s;
        }
    }
    let [width, length, depth] = machine.extents();
    // Layers beside each other, a column between them.
    let cell = |(node, busy_s): (usize, &f64)| {
        let [x, y, z] = machine.coord(node as NodeId);
        let share = busy_s / (to - from);
        GridCell {
            place: [f64::from(z * (width + 1) + x), f64::from(y), 1.0, 1.0],
            colour: shade(share),
            words: format!("({x}, {y}, {z}): {:.1} %", 100.0 * share),
        }
    };
    let across = depth * (width + 1) - 1;
    // Coordinates stand in the middle of their nodes, as many as there is room for.
    let unit = (640.0 / f64::from(across)).min(400.0 / f64::from(length));
    let step = |room: f64| (room / unit).ceil().max(1.0) as u32;
    let some = |at: u32, step: u32| if at.is_multiple_of(step) { at.to_string() } else { String::new() };
    let coordinate = |at: u32| match at % (width + 1) {
        x if x < width => some(x, step(28.0)),
        _ => String::new(),
    };
    let names_x = (0..across).map(coordinate).collect();
    let names_y = (0..length).map(|y| some(y, step(16.0))).collect();
    let title_x = if depth > 1 {
        format!("x in layers z = 0 to {} from left to right", depth - 1)
    } else {
        "x".to_owned()
    };
    let grid = Grid {
        title: "Share of the time that each node is busy".to_owned(),
        subtitle: format!("{name} · {}", results.shared()),
        x: (Axis { names: names_x, ..titled(&title_x) }, [0.0, f64::from(across)]),
        y: (Axis { names: names_y, ..titled("y") }, [0.0, f64::from(length)]),
        square: true,
        cells: busy_s.iter().enumerate().map(cell).collect(),
        legend: [0.0, 0.25, 0.5, 0.75, 1.0]
            .map(|share| (format!("{:.0} %", 100.0 * share), shade(share)))
            .to_vec(),
    };
    Ok(Some(grid.svg()))
}

/// More would be a drawing that nobody can open.
const MOST_CELLS: u32 = 65_536;
/// Rectangles of a Gantt chart.
const MOST_BARS: usize = 4000;

/// Who held which nodes when, by node, from the first start until so many jobs are drawn.
pub(super) fn gantt(view: &View<'_>, results: &Results) -> Result<Option<String>, Failure> {
    let Some((machine, name, mut jobs)) = one_replay(view, results)? else { return Ok(None) };
    jobs.sort_by(|a, b| a.start_s.total_cmp(&b.start_s));
    let Some(from) = jobs.first().map(|job| job.start_s) else { return Ok(None) };
    let (mut bars, mut shown) = (0, 0);
    for job in &jobs {
        bars += job.nodes.len();
        if bars > MOST_BARS {
            break;
        }
        shown += 1;
    }
    let to = jobs.get(shown).map_or_else(
        || jobs.iter().map(|job| job.end_s).fold(f64::NEG_INFINITY, f64::max),
        |next| next.start_s,
    );
    let (unit_s, unit) = if to - from > 4.0 * 3600.0 { (3600.0, "hours") } else { (1.0, "s") };
    let bars = |job: &Held| {
        let (start, end) = ((job.start_s - from) / unit_s, (job.end_s.min(to) - from) / unit_s);
        let words = format!("job {}: {:.0} s to {:.0} s", job.number, job.start_s, job.end_s);
        let colour = colour(job.number);
        let bar = move |&(first, last): &(NodeId, NodeId)| GridCell {
            place: [start, f64::from(first), end - start, f64::from(last - first + 1)],
            colour: colour.clone(),
            words: words.clone(),
        };
        job.nodes.iter().map(bar).collect::<Vec<_>>()
    };
    let grid = Grid {
        title: "Who holds which nodes".to_owned(),
        subtitle: format!("{name} · {} · the first {shown} of {} jobs", results.shared(), jobs.len()),
        x: (titled(&format!("time since the first start ({unit})")), [0.0, ((to - from) / unit_s).max(1e-6)]),
        y: (titled("node"), [0.0, f64::from(machine.nodes())]),
        square: false,
        cells: jobs[..shown].iter().flat_map(bars).collect(),
        legend: Vec::new(),
    };
    Ok(Some(grid.svg()))
}

fn titled(title: &str) -> Axis {
    Axis { title: title.to_owned(), ..Axis::default() }
}

/// From light to dark: the same order in colour and in grey.
fn shade(share: f64) -> String {
    let share = share.clamp(0.0, 1.0);
    let between = |light: f64, dark: f64| (light + share * (dark - light)).round() as u8;
    format!("#{:02x}{:02x}{:02x}", between(240.0, 8.0), between(246.0, 48.0), between(252.0, 107.0))
}

/// A colour for each job; neighbours in number are far apart.
fn colour(number: i64) -> String {
    let hue = (number.rem_euclid(360) as f64 * 137.508).rem_euclid(360.0);
    let light = 0.42 + 0.1 * number.rem_euclid(3) as f64;
    let channel = |shift: f64| {
        let k = (shift + hue / 30.0).rem_euclid(12.0);
        let a = 0.6 * light.min(1.0 - light);
        (255.0 * (light - a * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0))).round() as u8
    };
    format!("#{:02x}{:02x}{:02x}", channel(0.0), channel(8.0), channel(4.0))
}
