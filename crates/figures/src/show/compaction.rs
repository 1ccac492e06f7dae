//! The command `show compaction`: one compaction of a linear array, with the state before it, each step, and
//! the state after it.

use std::fmt::Write;
use std::str::FromStr;

use super::ShowError;
use meshreplay_alloc::allocator::compaction::array::{
    Array, CompactionWindow, Schedule, Shift, Suspension, Task,
};
use meshreplay_results::text::{Align, TextTable};

/// Wider arrays are not drawn, because their lines would wrap.
const WIDEST: usize = 200;

/// A linear array with running tasks, and an incoming task.
#[derive(Clone, Debug, PartialEq)]
pub struct Compaction {
    /// The number of processors in the array.
    pub processors: u32,
    /// The processors of the running tasks.
    pub tasks: Vec<TaskRange>,
    /// The number of processors that the incoming task requests.
    pub request: u32,
    /// The direction of moves.
    pub way: Way,
    /// Whether the schedule of the moves is checked for conflicts.
    pub check: bool,
}

/// The direction of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To the left end of the array.
    Left,
    /// To the right end of the array.
    Right,
    /// To the side where the window for the incoming task covers fewer busy processors; if equal, to the side
    /// with the shorter delay; if equal, to the side with the shorter schedule.
    Better,
}

/// The range of processors of a task. As text it is `3-5`, or `3` for one processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TaskRange {
    first: u32,
    last: u32,
}

impl FromStr for TaskRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        match (first.parse(), last.parse()) {
            (Ok(first), Ok(last)) if first <= last => Ok(Self { first, last }),
            _ => Err("expected the first and the last processor, such as 3-5, or one, such as 3".to_owned()),
        }
    }
}

/// Returns a drawing of the moves that make room for the incoming task. Fails if the request or the tasks do
/// not fit into the array.
pub fn compaction(wanted: &Compaction) -> Result<String, ShowError> {
    let array = array(wanted)?;
    let (free, &Compaction { processors, request, .. }) = (array.free(), wanted);
    if !(1..=free).contains(&request) {
        return Err(ShowError::Option(format!(
            "--request {request} cannot be served: expected 1 to {free}, as {free} of {processors} \
                 processors are free"
        )));
    }
    if let Some(base) = array.first_fit(request) {
        let last = base + request - 1;
        let line = line(&letters(&array, |task| task.base));
        return Ok(format!("{line}\n nothing has to move: processors {base} to {last} are free\n"));
    }
    let (Some(left), Some(right)) =
        (CompactionWindow::left(&array, request, 0), CompactionWindow::right(&array, request, 0))
    else {
        return Err(ShowError::Schedule("no window was found".to_owned()));
    };
    let [left, right] = [left, right].map(|window| {
        let schedule = Schedule::best(&window);
        (window, schedule)
    });
    let key =
        |(window, schedule): &(CompactionWindow, Schedule)| (window.covered, schedule.delay, schedule.length);
    let (window, schedule) = match wanted.way {
        Way::Right => right,
        Way::Better if key(&right) < key(&left) => right,
        Way::Left | Way::Better => left,
    };
    let mut text = described(&array, &window, &schedule);
    if wanted.check {
        schedule.check(&window, processors).map_err(ShowError::Schedule)?;
        text += "\n checked: no two transfers cross, no processor holds three elements, the window is free \
             in time\n";
    }
    Ok(text)
}

/// Returns the array with its tasks. Fails if two tasks overlap, or if a task is not within the array.
fn array(wanted: &Compaction) -> Result<Array, ShowError> {
    let mut ranges = wanted.tasks.clone();
    ranges.sort_by_key(|range| range.first);
    let mut array = Array::new(wanted.processors);
    let mut free_from = 0;
    for TaskRange { first, last } in ranges {
        let problem = if first < free_from {
            format!("processor {first} has a task already")
        } else if last >= wanted.processors {
            format!("the array has processors 0 to {} only", wanted.processors - 1)
        } else {
            array.insert(Task { base: first, length: last + 1 - first });
            free_from = last + 1;
            continue;
        };
        return Err(ShowError::Option(format!("--tasks {first}-{last}: {problem}")));
    }
    Ok(array)
}

/// Returns the letter of the task at position `i` from the left. Letters repeat after Z.
fn letter(i: usize) -> char {
    char::from(b'A' + (i % 26) as u8)
}

/// Returns the letter of the task of each processor, or a dot. `base` returns where a task begins.
fn letters(array: &Array, base: impl Fn(&Task) -> u32) -> Vec<char> {
    let mut letters = vec!['.'; array.processors() as usize];
    for (i, task) in array.tasks().iter().enumerate() {
        let base = base(task);
        letters[base as usize..(base + task.length) as usize].fill(letter(i));
    }
    letters
}

/// Returns a line of characters, one for each processor; empty if the array is too wide.
fn line(letters: &[char]) -> String {
    if letters.len() > WIDEST { String::new() } else { format!(" {}\n", String::from_iter(letters)) }
}

/// Returns the text of a compaction: the state before it, a table of the moves, all transfers by step, and
/// the state after it.
fn described(array: &Array, window: &CompactionWindow, schedule: &Schedule) -> String {
    let CompactionWindow { base, length, covered, .. } = *window;
    let last = base + length - 1;
    let mut text = format!(
        " before; the incoming task gets processors {base} to {last}; {covered} of them are busy\n\n"
    );
    let before = line(&letters(array, |task| task.base));
    if !before.is_empty() {
        let marks = " ".repeat(base as usize) + &"^".repeat(length as usize);
        text += &[&before, " ", &marks, "\n"].concat();
    }
    let mut table = TextTable::new(&[
        ("task", Align::Left),
        ("from", Align::Right),
        ("to", Align::Right),
        ("by", Align::Right),
        ("steps", Align::Right),
    ]);
    let name = |shift: &Shift| {
        array.tasks().iter().position(|task| *task == shift.task).map_or('?', letter).to_string()
    };
    for (shift, Suspension { first, last, .. }) in window.shifts.iter().zip(&schedule.suspended) {
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
        // Writing to a string cannot fail.
        let _ = writeln!(text, " step {step}: {}", words.join(", "));
    }
    let Schedule { vacated, length, delay, candidates, .. } = schedule;
    // Writing to a string cannot fail.
    let _ = write!(
        text,
        "\n after; the incoming task starts after step {vacated}, all is done after {length}; tasks wait \
         {delay} steps at most\n (the best of {candidates} schedules)\n\n"
    );
    // Tasks keep their letters when they move.
    let shift = |task: &Task| window.shifts.iter().find(|shift| shift.task == *task);
    let mut after = letters(array, |task| shift(task).map_or(task.base, Shift::target));
    after[base as usize..(base + window.length) as usize].fill('*');
    text + &line(&after)
}
