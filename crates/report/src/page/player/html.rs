//! The HTML of the player: its controls, the machines and the strip below them.

use super::super::escape::html;
use super::played::PlayerData;
use meshreplay_figures::Span;

/// The legend of the player of replays with outages.
const LEGEND: &str = "<p class=\"legend\"><span class=\"state free\"></span> free\n\
    <span class=\"state down\">×</span> down\n\
    <span class=\"state draining\">×</span> down, while its job still runs</p>\n";

/// The speeds that readers can choose: seconds of the replay in one second, and words.
const SPEEDS: [(f64, &str); 9] = [
    (1.0, "1 s"),
    (10.0, "10 s"),
    (60.0, "1 min"),
    (600.0, "10 min"),
    (3600.0, "1 h"),
    (21_600.0, "6 h"),
    (86_400.0, "1 day"),
    (604_800.0, "1 week"),
    (2_592_000.0, "30 days"),
];
/// The overlays of the machines: the name, the label of the button, and the explanation.
const OVERLAYS: [(&str, &str, &str); 4] = [
    (
        "links",
        "Links",
        "Links: those that carry messages of the marked job if each of its nodes sends one to each other, \
         along x, then y, then z; the more messages, the wider. Dots are links to other layers, short lines \
         at an edge go round to the other one.",
    ),
    (
        "shells",
        "Shells",
        "Shells: the nodes at each distance (the longest of the ways along x, y and z) from the centre of \
         the marked job, which is the node where the sum of these distances to its nodes, the score of \
         MC1x1, is least. It follows from the nodes that the job has: mc1x1:fill=shells chose this very \
         centre, and with fill=nearest, the default, another one may have been chosen.",
    ),
    (
        "boxes",
        "Free boxes",
        "Free boxes: the largest rectangle or cuboid of free nodes, the largest one of those that it leaves, \
             and so on, up to five.",
    ),
    (
        "blocks",
        "Blocks",
        "Blocks: of an allocator that divides the machine into blocks, the largest ones that one job holds \
         as a whole or that are free.",
    ),
];

/// Approximate playing time of the whole window at the initial speed, in seconds.
const WHOLE_S: f64 = 90.0;

/// Returns the player: its controls, one canvas for each replay, the strip, and the data.
pub(in crate::page) fn player(played: &PlayerData) -> String {
    let Span { low: from, high: to } = played.window_s;
    let step = (to - from) / 2000.0;
    let mesh = |name: &str, colour: &str| {
        let name = html(name);
        // The colour of the replay's curves is an attribute of a drawing, as the policy of the page allows no
        // style here.
        format!(
            "<figure><figcaption><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect width=\"12\" \
             height=\"12\" fill=\"{colour}\"/></svg> {name}</figcaption><canvas tabindex=\"0\" role=\"img\" \
             aria-label=\"{name}\"></canvas><span class=\"load\"></span><span \
             class=\"said\"></span></figure>\n"
        )
    };
    let meshes: String = played.replays.iter().map(|replay| mesh(&replay.name, replay.colour)).collect();
    let has_outages = played.replays.iter().any(|replay| !replay.down.is_empty());
    let legend = if has_outages { LEGEND } else { "" };
    format!(
        "<p class=\"quiet\">{}</p>\n<div class=\"controls\"><button id=\"play\" type=\"button\" \
         aria-pressed=\"false\">Play</button>\n{}\n\
         <input id=\"time\" type=\"range\" min=\"{from}\" max=\"{to}\" step=\"{step}\" value=\"{from}\" \
         aria-label=\"time\">\n\
         <output id=\"clock\"></output></div>\n{}{}{legend}<div class=\"meshes\">\n{meshes}</div>\n\
         <canvas id=\"strip\" role=\"img\" aria-label=\"Waiting jobs and busy nodes over time\"></canvas>\n\
         <div class=\"controls\"><button id=\"congestion\" type=\"button\">Next congestion</button>\n\
         <button id=\"zoom\" type=\"button\">Half the time</button>\n\
         <button id=\"whole\" type=\"button\">Whole time</button>\n\
         <span id=\"reach\" class=\"quiet\"></span></div>\n{}<p id=\"facts\" aria-live=\"polite\"></p>\n\
         <script id=\"schedule\" type=\"application/json\">{}</script>\n",
        html(&played.note),
        speeds(to - from),
        choice(played),
        views(played),
        overlays(played),
        played.json()
    )
}

/// Returns the choice of speeds. The initial speed plays the window in about [`WHOLE_S`] seconds.
fn speeds(window_s: f64) -> String {
    let wanted = (window_s / WHOLE_S).max(1.0).ln();
    let distance = |&(speed, _): &(f64, &str)| (speed.ln() - wanted).abs();
    let nearest = SPEEDS.iter().min_by(|a, b| distance(a).total_cmp(&distance(b)));
    let option = |row: &(f64, &str)| {
        let selected = if nearest == Some(row) { " selected" } else { "" };
        format!("<option value=\"{}\"{selected}>{} per second</option>", row.0, row.1)
    };
    let options: String = SPEEDS.iter().map(option).collect();
    format!("<label>speed <select id=\"speed\">{options}</select></label>")
}

/// Returns the choice of replays; empty for a single replay.
fn choice(played: &PlayerData) -> String {
    if played.replays.len() < 2 {
        return String::new();
    }
    let option = |(i, name): (usize, &str)| {
        format!("<label><input type=\"checkbox\" value=\"{i}\" checked> {}</label>\n", html(name))
    };
    let names = played.replays.iter().map(|replay| replay.name.as_str());
    let options: String = names.enumerate().map(option).collect();
    format!("<fieldset id=\"shown\"><legend class=\"unseen\">Shown</legend>\n{options}</fieldset>\n")
}

/// Returns the search for a job, and the overlays with their explanations. Links are on at first. The overlay
/// of blocks is left out if no allocator has blocks, and the others if every machine is a tree of switches.
fn overlays(played: &PlayerData) -> String {
    let has_blocks = played.replays.iter().any(|replay| replay.blocks.is_some());
    let has_coordinates = played.replays.iter().any(|replay| replay.levels.is_none());
    let is_offered = |name: &str| if name == "blocks" { has_blocks } else { has_coordinates };
    let offered = || OVERLAYS.iter().filter(|(name, ..)| is_offered(name));
    let button = |(name, label, _): &(&str, &str, &str)| {
        let is_on = *name == "links";
        format!("<button type=\"button\" value=\"{name}\" aria-pressed=\"{is_on}\">{label}</button>\n")
    };
    let meaning = |(name, _, text): &(&str, &str, &str)| format!("<span data-of=\"{name}\">{text}</span>\n");
    let (buttons, meanings): (String, String) =
        (offered().map(button).collect(), offered().map(meaning).collect());
    let overlays = if buttons.is_empty() {
        String::new()
    } else {
        format!("<fieldset id=\"overlays\"><legend>Overlays</legend>\n{buttons}</fieldset>\n")
    };
    format!(
        "<div class=\"controls\"><label>job <input id=\"job\" type=\"number\" min=\"0\" step=\"1\"></label>\
         <button id=\"find\" type=\"button\">Go to job</button><output id=\"found\"></output></div>\n\
         {overlays}\
         <p id=\"meaning\" class=\"quiet\">{meanings}</p>\n"
    )
}

/// Returns the choice between layers and cubes; empty if no machine other than a tree has several layers.
fn views(played: &PlayerData) -> &'static str {
    if played.replays.iter().all(|replay| replay.extents[2] < 2 || replay.levels.is_some()) {
        return "";
    }
    "<fieldset id=\"views\"><legend>Drawn as</legend>\n\
     <button type=\"button\" value=\"layers\" aria-pressed=\"true\">Layers</button>\n\
     <button type=\"button\" value=\"cube\" aria-pressed=\"false\">Cube</button>\n\
     <button id=\"turn\" type=\"button\" aria-pressed=\"false\" disabled>Turn</button></fieldset>\n"
}
