//! `meshreplay show compaction`: one compaction of a linear array, before, step by step, and after.

use std::fmt::Write;
use std::str::FromStr;

use anyhow::anyhow;
use clap::ValueEnum;

use super::{Failure, print};
use crate::allocator::compaction::array::{Array, Schedule, Shift, Task, Window};
use crate::machine::mesh::MAX_NODES;
use crate::text::{Align, Table};

/// Draws how tasks on a linear array move to make room for another one.
///
/// Without tasks it draws Fig. 3 of Diessel, ElGindy and Beresford-Smith, 1996.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:
  meshreplay show compaction --processors 20 --tasks 2-4 8-12 15-16 --request 6 --way right --check")]
pub(super) struct Args {
    /// Processors of the array
    #[arg(long, value_name = "N", default_value_t = 37, value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_NODES)))]
    processors: u32,

    /// Tasks: first and last processor, from 0, or one processor
    #[arg(long, value_name = "FIRST-LAST", num_args = 1.., default_values = FIGURE_3)]
    tasks: Vec<Range>,

    /// Processors that the incoming task asks for
    #[arg(long, value_name = "K", default_value_t = 13)]
    request: u32,

    /// Where tasks move to; both is the better of the two
    #[arg(long, value_enum, default_value = "left")]
    way: Way,

    /// Prove that the schedule is free of conflicts
    #[arg(long)]
    check: bool,
}

/// The tasks of the figure, the fixed ones as one.
const FIGURE_3: [&str; 6] = ["0-10", "15", "17-19", "21-24", "29-30", "31-33"];
/// Wider pictures would wrap.
const WIDEST: u32 = 200;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Way {
    Left,
    Right,
    Both,
}

/// `3-5` or `3`.
#[derive(Clone, Copy, Debug)]
struct Range {
    first: u32,
    last: u32,
}

impl FromStr for Range {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if first <= last => Ok(Self { first, last }),
            _ => Err("expected the first and the last processor, such as 3-5, or one, such as 3".to_owned()),
        }
    }
}

pub(super) fn run(args: &Args) -> Result<(), Failure> {
    let array = array(args).map_err(Failure::Usage)?;
    let free = array.free();
    if !(1..=free).contains(&args.request) {
        let (request, processors) = (args.request, args.processors);
        return Err(Failure::Usage(anyhow!(
            "--request {request} cannot be served: {free} of {processors} processors are free"
        )));
    }
    if let Some(base) = array.first_fit(args.request) {
        let last = base + args.request - 1;
        let text = format!(
            "{}\n nothing has to move: processors {base} to {last} are free\n",
            picture(&array, None)
        );
        return print(&text);
    }
    let (Some(left), Some(right)) = (Window::left(&array, args.request), Window::right(&array, args.request))
    else {
        return Err(anyhow!("no window was found").into());
    };
    let [left, right] = [left, right].map(|window| {
        let schedule = Schedule::best(&window);
        (window, schedule)
    });
    let key = |(window, schedule): &(Window, Schedule)| (window.covered, schedule.delay, schedule.length);
    let (window, schedule) = match args.way {
        Way::Right => right,
        Way::Both if key(&right) < key(&left) => right,
        Way::Left | Way::Both => left,
    };
    let mut text = described(&array, &window, &schedule);
    if args.check {
        schedule
            .check(&window, args.processors)
            .map_err(|problem| anyhow!("the schedule is wrong: {problem}"))?;
        text += "\n checked: no two transfers cross, no processor holds three elements, the window is free in time\n";
    }
    print(&text)
}

fn array(args: &Args) -> anyhow::Result<Array> {
    let mut ranges = args.tasks.clone();
    ranges.sort_by_key(|range| range.first);
    let mut array = Array::new(args.processors);
    let mut free_from = 0;
    for Range { first, last } in ranges {
        if first < free_from {
            return Err(anyhow!("--tasks {first}-{last}: processor {first} has a task already"));
        }
        if last >= args.processors {
            return Err(anyhow!(
                "--tasks {first}-{last}: the array has processors 0 to {} only",
                args.processors - 1
            ));
        }
        array.insert(Task { base: first, length: last + 1 - first });
        free_from = last + 1;
    }
    Ok(array)
}

/// The letter of a task by its position from the left.
fn letter(i: usize) -> char {
    char::from(b'A' + (i % 26) as u8)
}

/// A line of processors, and one below that marks a window.
fn picture(array: &Array, window: Option<(u32, u32, char)>) -> String {
    let width = array.processors();
    if width > WIDEST {
        return String::new();
    }
    let mut line = vec!['.'; width as usize];
    for (i, task) in array.tasks().iter().enumerate() {
        line[task.base as usize..task.end() as usize].fill(letter(i));
    }
    let mut text = format!(" {}\n", line.into_iter().collect::<String>());
    if let Some((base, length, mark)) = window {
        let blanks = " ".repeat(base as usize + 1);
        text += &[blanks, mark.to_string().repeat(length as usize), "\n".to_owned()].concat();
    }
    text
}

fn described(array: &Array, window: &Window, schedule: &Schedule) -> String {
    let Window { base, length, covered, .. } = *window;
    let last = base + length - 1;
    let mut text = format!(
        " before; the incoming task gets processors {base} to {last}, of which {covered} are busy\n\n"
    );
    text += &picture(array, Some((base, length, '^')));
    let mut table = Table::new(&[
        ("task", Align::Left),
        ("from", Align::Right),
        ("to", Align::Right),
        ("by", Align::Right),
        ("steps", Align::Right),
    ]);
    let name = |shift: &Shift| {
        array.tasks().iter().position(|task| *task == shift.task).map_or('?', letter).to_string()
    };
    for (shift, (first, last)) in window.shifts.iter().zip(&schedule.suspended) {
        let place = |base: u32| format!("{base}-{}", base + shift.task.length - 1);
        let cells = [
            place(shift.task.base),
            place(shift.target()),
            shift.distance.to_string(),
            format!("{first}-{last}"),
        ];
        table.add(std::iter::once(name(shift)).chain(cells).collect());
    }
    text += &["\n", &table.text(), "\n"].concat();
    let transfers = schedule.transfers(window);
    for step in 1..=schedule.length {
        let moves = transfers.iter().filter(|transfer| transfer.step == step);
        let words: Vec<String> = moves.map(|transfer| format!("{}→{}", transfer.from, transfer.to)).collect();
        // Writing to memory cannot fail.
        let _ = writeln!(text, " step {step}: {}", words.join(", "));
    }
    let Schedule { vacated, length, delay, candidates, .. } = schedule;
    // Writing to memory cannot fail.
    let _ = write!(
        text,
        "\n after; the incoming task starts after step {vacated}, all is done after {length}; tasks wait {delay} steps at \
         most\n (the best of {candidates} schedules)\n\n"
    );
    // The letters stay with the tasks.
    let mut line = vec!['.'; array.processors() as usize];
    for (i, task) in array.tasks().iter().enumerate() {
        let base = window.shifts.iter().find(|shift| shift.task == *task).map_or(task.base, Shift::target);
        line[base as usize..(base + task.length) as usize].fill(letter(i));
    }
    line[base as usize..(base + window.length) as usize].fill('*');
    if array.processors() <= WIDEST {
        text += &[" ", &line.into_iter().collect::<String>(), "\n"].concat();
    }
    text
}
