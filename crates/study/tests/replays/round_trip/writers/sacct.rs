//! Dumps of `sacct -P`: fields in any order, several delimiters, with and without steps.

use rand::RngExt;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use super::{NEVER, RUNNING, TWICE, WAITING, bracketed, clock, comes_twice, local};
use crate::round_trip::cluster::{Cluster, Fate, How, Job, one_of, seconds};
use crate::round_trip::truth::{FAILED, Stated, Want, Written, once};

/// The style of a dump.
struct Look {
    delimiter: &'static str,
    ends_with_delimiter: bool,
    /// The fields, in their order.
    fields: Vec<&'static str>,
    in_cpus: bool,
    has_steps: bool,
    /// The format of times (`SLURM_TIME_FORMAT`).
    times: &'static str,
    /// The text for the start of a job that never started. Empty for older versions, which print the end.
    no_start: &'static str,
}

/// Marks columns of fixed width with a line of dashes below the heading.
const FIXED: &str = " ";

const ISO: &str = "%Y-%m-%dT%H:%M:%S";

fn look(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Look {
    let in_cpus = cluster.is_shared || rng.random_range(0..4) == 0;
    let mut fields = vec!["Submit", "Start", "End", "State", "User", "Account", "QOS", "Partition"];
    fields.extend(one_of(rng, &[&["JobID"][..], &["JobIDRaw"], &["JobID", "JobIDRaw"]]));
    let nodes =
        [&["NNodes"][..], &["AllocTRES"], &["NNodes", "NodeList"], &["NodeList"], &["NNodes", "AllocCPUS"]];
    fields.extend(if in_cpus {
        one_of(
            rng,
            &[&["AllocCPUS"][..], &["AllocTRES"], &["AllocCPUS", "NodeList"], &["NNodes", "AllocCPUS"]],
        )
    } else {
        one_of(rng, &nodes)
    });
    fields.extend(one_of(rng, &[&[][..], &["Elapsed"], &["ElapsedRaw"], &["Elapsed", "ElapsedRaw"]]));
    fields.extend(one_of(rng, &[&["Timelimit"][..], &["TimelimitRaw"], &["Timelimit", "TimelimitRaw"]]));
    fields.extend(one_of(
        rng,
        &[&[][..], &["JobName"], &["Eligible", "JobName"], &["ReqCPUS", "ExitCode"], &["JobName", "Comment"]],
    ));
    fields.shuffle(rng);
    // Dumps of Slurm begin with the column of the job.
    if let (true, Some(place)) =
        (rng.random_range(0..3) > 0, fields.iter().position(|f| f.starts_with("JobID")))
    {
        fields.swap(0, place);
    }
    let delimiter = one_of(rng, &["|", "|", "|", "\t", ";", ",", "^|^", FIXED]);
    Look {
        delimiter,
        ends_with_delimiter: rng.random_range(0..3) == 0,
        in_cpus,
        has_steps: rng.random_range(0..2) == 0,
        times: one_of(rng, &[ISO, ISO, ISO, "%s", "%Y-%m-%dT%H:%M:%S%z"]),
        no_start: one_of(rng, &["None", "Unknown", ""]),
        fields,
    }
}

pub(super) fn write(cluster: &Cluster, rng: &mut ChaCha8Rng) -> Option<Written> {
    let look = look(cluster, rng);
    let heading: Vec<String> = look.fields.iter().map(|&field| field.to_owned()).collect();
    let mut rows = Vec::new();
    for dump in cluster.dumps() {
        rows.push(heading.clone());
        for (job, _) in dump {
            let cells = |step: &str| {
                look.fields.iter().map(|&field| cell(cluster, job, &look, field, step)).collect()
            };
            let steps =
                if look.has_steps && job.start_ms().is_some() { 1 + job.dice as usize % 3 } else { 0 };
            let steps = [".batch", ".extern", ".0"].into_iter().take(steps);
            rows.extend([""].into_iter().chain(steps).map(cells));
        }
    }
    let text = if look.delimiter == FIXED {
        in_columns(&rows)
    } else {
        rows.iter().map(|row| line(&look, row)).collect()
    };
    let (jobs, twice) = once(cluster, &|_| true);
    let has = |field: &str| look.fields.contains(&field);
    let wants: Vec<Want> = jobs
        .iter()
        .map(|job| {
            let want = slurm(cluster, job, look.in_cpus);
            let times = [Some(want.submit_s), want.start_s, job.end_ms().map(seconds)];
            let twice = |time_s: &Option<i64>| time_s.is_some_and(|time_s| comes_twice(time_s, cluster.zone));
            Want {
                id: if has("JobIDRaw") { (job.number, None) } else { want.id },
                nodes: want.nodes.filter(|_| has("NodeList")),
                names: want.names.map(|name| name.map(|name| spelt(&name, &look))),
                is_ambiguous: look.times == ISO && times.iter().any(twice),
                ..want
            }
        })
        .collect();
    let unit = if look.in_cpus { ",unit=cpus" } else { "" };
    let format = format!("sacct:time-zone={}{unit}", cluster.zone);
    Some(Written {
        stated: stated(&jobs, twice),
        has_lists: has("NodeList") && !look.in_cpus && !cluster.is_shared,
        is_shared: cluster.is_shared,
        // With bars in two texts, the fields of a line may be ambiguous.
        refusals: if has("Comment") { &["one reading"] } else { &[] },
        ..Written::new("log.sacct", format, text, wants)
    })
}

/// The fields of a job in Slurm's accounting. Limits are minutes. A job that was cancelled within its first
/// second has equal start and end, like a job that was cancelled while waiting.
pub(super) fn slurm(cluster: &Cluster, job: &Job, in_cpus: bool) -> Want {
    let want = Want::of(cluster, job);
    let is_void = is_void(job);
    Want {
        start_s: want.start_s.filter(|_| !is_void),
        end_s: want.end_s.filter(|_| !is_void),
        nodes: want.nodes.filter(|_| !is_void),
        procs: want
            .procs
            .filter(|_| !is_void)
            .map(|nodes| if in_cpus { Cluster::cpus_of(job) } else { nodes }),
        status: Some(match job.fate {
            Fate::Ended { how: How::Requeued, .. } => FAILED,
            _ => want.status.unwrap_or(-1),
        }),
        ..want
    }
}

/// Whether a job was cancelled in the second of its start.
fn is_void(job: &Job) -> bool {
    let is_cancelled = matches!(job.fate, Fate::Ended { how: How::Cancelled, .. });
    is_cancelled && job.run_ms().is_some_and(|(start_ms, end_ms)| seconds(start_ms) == seconds(end_ms))
}

/// The required counts of skipped jobs and of repeated lines.
pub(super) fn stated(jobs: &[&Job], twice: u64) -> Vec<Stated> {
    let count = |is: &dyn Fn(&Job) -> bool| jobs.iter().filter(|job| is(job)).count() as u64;
    // Repeated lines may be counted twice.
    let about = |words, count| (words, count, count + twice);
    let never = count(&|job| matches!(job.fate, Fate::Cancelled { .. }));
    vec![
        (NEVER, never, never + count(&is_void) + twice),
        about(WAITING, count(&|job| matches!(job.fate, Fate::Waits))),
        about(RUNNING, count(&|job| matches!(job.fate, Fate::Runs { .. }))),
        (TWICE, twice, twice),
    ]
}

/// A line of cells. Quotes are used only with delimiters of spreadsheets.
fn line(look: &Look, cells: &[String]) -> String {
    let quoted = |cell: &String| {
        let has_quotes = !look.delimiter.contains('|');
        let needs = has_quotes && (cell.contains(look.delimiter) || cell.contains(['"', '\n']));
        if needs { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.clone() }
    };
    let line = cells.iter().map(quoted).collect::<Vec<_>>().join(look.delimiter);
    line + if look.ends_with_delimiter { look.delimiter } else { "" } + "\n"
}

/// Rows in columns as wide as their widest cell, with a line of dashes below each heading.
fn in_columns(rows: &[Vec<String>]) -> String {
    let plain = |cell: &String| -> String { cell.chars().filter(|c| c.is_ascii() && *c != '\n').collect() };
    let rows: Vec<Vec<String>> = rows.iter().map(|row| row.iter().map(plain).collect()).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let dashes: String = widths.iter().map(|&width| "-".repeat(width) + " ").collect();
    let mut lines: Vec<String> = Vec::new();
    for row in &rows {
        lines.push(row.iter().zip(&widths).map(|(cell, &width)| format!("{cell:>width$} ")).collect());
        lines.extend((row == &rows[0]).then(|| dashes.clone()));
    }
    lines.join("\n") + "\n"
}

/// The name of a user without bars, which would separate fields, and in fixed columns without letters of two
/// bytes.
fn spelt(name: &str, look: &Look) -> String {
    let is_kept = |c: &char| look.delimiter != FIXED || c.is_ascii();
    name.replace('|', "_").chars().filter(is_kept).collect()
}

/// The word of a state.
pub(super) fn state(job: &Job) -> String {
    match job.fate {
        Fate::Ended { how, .. } => match how {
            How::Completed => "COMPLETED".to_owned(),
            How::Failed => ["FAILED", "NODE_FAIL", "OUT_OF_MEMORY"][job.dice as usize % 3].to_owned(),
            How::TimedOut => "TIMEOUT".to_owned(),
            How::Cancelled => format!("CANCELLED by {}", 1000 + job.dice % 9),
            How::Requeued => ["REQUEUED", "NODE_FAIL", "PREEMPTED"][job.dice as usize % 3].to_owned(),
        },
        Fate::Cancelled { .. } => "CANCELLED by 1000".to_owned(),
        Fate::Runs { .. } => "RUNNING".to_owned(),
        Fate::Waits => "PENDING".to_owned(),
    }
}

/// A cell of a job or of a step.
fn cell(cluster: &Cluster, job: &Job, look: &Look, field: &str, step: &str) -> String {
    let time = |time_ms: Option<i64>| {
        time_ms.map_or("Unknown".to_owned(), |time_ms| local(seconds(time_ms), cluster.zone, look.times))
    };
    let is_step = !step.is_empty();
    let (nodes, cpus) = (job.nodes.len(), Cluster::cpus_of(job));
    let has_started = job.start_ms().is_some();
    let run_s = job.run_ms().map_or(0, |(start_ms, end_ms)| seconds(end_ms) - seconds(start_ms));
    match field {
        "JobID" => job.task.map_or(job.number.to_string(), |(array, task)| format!("{array}_{task}")) + step,
        "JobIDRaw" => job.number.to_string() + step,
        "Submit" | "Eligible" => time(Some(job.submit_ms)),
        "Start" => match job.fate {
            // Jobs cancelled within their first second keep the start.
            Fate::Cancelled { end_ms } if look.no_start.is_empty() => time(Some(end_ms)),
            Fate::Cancelled { .. } => look.no_start.to_owned(),
            _ => time(job.start_ms()),
        },
        "End" => time(job.end_ms()),
        "State" => state(job),
        "Elapsed" => clock(run_s),
        "ElapsedRaw" => run_s.to_string(),
        "User" | "QOS" | "Partition" | "Timelimit" | "TimelimitRaw" | "Comment" if is_step => String::new(),
        "User" => spelt(job.user, look),
        "Account" => spelt(job.group, look),
        "QOS" => job.queue.to_owned(),
        "Partition" => cluster.partitions[job.partition].0.to_owned(),
        "Timelimit" => job.limit_s.map_or("UNLIMITED".to_owned(), clock),
        "TimelimitRaw" => job.limit_s.map_or(String::new(), |limit_s| (limit_s / 60).to_string()),
        "NNodes" => nodes.to_string(),
        "AllocCPUS" if has_started => cpus.to_string(),
        "AllocCPUS" => "0".to_owned(),
        "ReqCPUS" => cpus.to_string(),
        "AllocTRES" if has_started => format!("billing={cpus},cpu={cpus},mem=4G,node={nodes}"),
        "NodeList" if has_started => bracketed(&cluster.node_names(job)),
        "NodeList" => "None assigned".to_owned(),
        "JobName" if is_step => step[1..].to_owned(),
        "Comment" => {
            if job.dice.is_multiple_of(3) {
                "see a|b|c".to_owned()
            } else {
                String::new()
            }
        }
        "JobName" => job.name.to_owned(),
        "ExitCode" => "0:0".to_owned(),
        _ => String::new(),
    }
}
