//! The HTML of the player: its controls, the machines and the strip below them.

use super::escape::html;
use super::played::Played;

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
/// How long the player takes for the whole window at the speed that is chosen at first, in seconds, about.
const WHOLE_S: f64 = 90.0;

/// Returns the player: its controls, one canvas for each replay, the strip, and the data.
pub(super) fn player(played: &Played) -> String {
    let (from, to) = played.window_s;
    let step = (to - from) / 2000.0;
    let mesh = |name: &str, colour: &str| {
        let name = html(name);
        // The colour of the replay's curves is an attribute of a drawing, as the policy of the page allows no style here.
        format!(
            "<figure><figcaption><svg width=\"12\" height=\"12\" aria-hidden=\"true\"><rect width=\"12\" height=\"12\" \
             fill=\"{colour}\"/></svg> {name}</figcaption><canvas tabindex=\"0\" role=\"img\" aria-label=\"{name}\"></canvas>\
             <span class=\"load\"></span></figure>\n"
        )
    };
    let meshes: String = played.replays.iter().map(|replay| mesh(&replay.name, replay.colour)).collect();
    let has_outages = played.replays.iter().any(|replay| !replay.down.is_empty());
    let legend = if has_outages { LEGEND } else { "" };
    format!(
        "<p class=\"quiet\">{}</p>\n<div class=\"controls\">\
         <button id=\"play\" type=\"button\" aria-pressed=\"false\">Play</button>\n{}\n\
         <input id=\"time\" type=\"range\" min=\"{from}\" max=\"{to}\" step=\"{step}\" value=\"{from}\" aria-label=\"time\">\n\
         <output id=\"clock\"></output></div>\n{}{legend}<div class=\"meshes\">\n{meshes}</div>\n\
         <canvas id=\"strip\" role=\"img\" aria-label=\"Waiting jobs and busy nodes over time\"></canvas>\n\
         <div class=\"controls\"><button id=\"congestion\" type=\"button\">Next congestion</button>\n\
         <button id=\"zoom\" type=\"button\">Half the time</button>\n\
         <button id=\"whole\" type=\"button\">Whole time</button>\n\
         <span id=\"reach\" class=\"quiet\"></span></div>\n\
         <p id=\"facts\" aria-live=\"polite\"></p>\n\
         <script id=\"schedule\" type=\"application/json\">{}</script>\n",
        html(&played.note),
        speeds(to - from),
        choice(played),
        played.json()
    )
}

/// Returns the choice of speeds. At first it is the one that shows the window in about [`WHOLE_S`] seconds.
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

/// Returns the choice of the replays that are shown; empty if there is one.
fn choice(played: &Played) -> String {
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
