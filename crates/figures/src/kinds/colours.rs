//! Colours of jobs, by greedy graph colouring (DSATUR): neighbours differ in lightness, so that they stay
//! distinct in grey print and with any colour vision. Shades of values.

use std::collections::BTreeMap;

use crate::draw::colour_of_hue;
use crate::span::Span;
use meshreplay_machine::machine::NodeId;

/// The luminances of jobs. Each step, and the step from the lightest to white paper, is a contrast of at
/// least 1.5 to 1.
const LEVELS: [f64; 5] = [0.0544, 0.125, 0.239, 0.407, 0.640];

/// Jobs that start within this part of the shown time after another job has ended are its neighbours.
const NEAR: f64 = 0.004;

/// A stretch of nodes that a job holds for a time.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rectangle {
    /// The number of the job.
    pub(super) job: i64,
    /// The start and the end, in seconds.
    pub(super) times_s: Span,
    /// The first and the last node.
    pub(super) nodes: (NodeId, NodeId),
}

/// The colours of jobs: a hue from the number of the job, and a luminance that differs between neighbours.
pub(super) struct JobColours {
    levels: BTreeMap<i64, usize>,
}

impl JobColours {
    /// Chooses the luminances for pictures of the same jobs over `span_s` seconds, by Brélaz's DSATUR: the
    /// job whose neighbours have the most different levels chooses next, ties go to the job with the most
    /// neighbours, and at the end each job chooses again. A job with neighbours of every level, as on a
    /// machine with scattered jobs, shares its level with some of them. O(rectangles² + jobs²).
    pub(super) fn new(pictures: &[Vec<Rectangle>], span_s: f64) -> Self {
        let neighbours = neighbours(pictures, NEAR * span_s);
        let mut levels: BTreeMap<i64, usize> = BTreeMap::new();
        // The levels of the neighbours of each job that has not chosen yet, as bits.
        let mut seen: BTreeMap<i64, u8> = neighbours.keys().map(|job| (*job, 0)).collect();
        while let Some(job) = seen
            .iter()
            .max_by_key(|(job, seen)| (seen.count_ones(), neighbours[job].len(), -**job))
            .map(|(job, _)| *job)
        {
            seen.remove(&job);
            let level = best(job, &neighbours[&job], &levels);
            levels.insert(job, level);
            for other in neighbours[&job].keys() {
                seen.entry(*other).and_modify(|seen| *seen |= 1 << level);
            }
        }
        for job in neighbours.keys() {
            levels.insert(*job, best(*job, &neighbours[job], &levels));
        }
        Self { levels }
    }

    /// Returns the colour of a job as `#rrggbb`. The hue turns by the golden angle from number to number, so
    /// that jobs with close numbers have very different hues.
    pub(super) fn colour(&self, job: i64) -> String {
        let hue = (job.rem_euclid(360) as f64 * 137.508).rem_euclid(360.0);
        colour_of_hue(hue, LEVELS[self.levels.get(&job).copied().unwrap_or_default()])
    }
}

/// The neighbours of each job, with the number of common borders.
type Neighbours = BTreeMap<i64, BTreeMap<i64, usize>>;

/// Returns the neighbours of each job in any of the pictures.
fn neighbours(pictures: &[Vec<Rectangle>], near_s: f64) -> Neighbours {
    let mut neighbours = Neighbours::new();
    for rectangles in pictures {
        for (i, one) in rectangles.iter().enumerate() {
            neighbours.entry(one.job).or_default();
            for other in rectangles[..i].iter().filter(|other| touch(one, other, near_s)) {
                for (a, b) in [(one.job, other.job), (other.job, one.job)] {
                    *neighbours.entry(a).or_default().entry(b).or_default() += 1;
                }
            }
        }
    }
    neighbours
}

/// Returns the level that a job shares with the fewest neighbours. Ties go to the level whose adjacent levels
/// are shared least.
fn best(job: i64, neighbours: &BTreeMap<i64, usize>, levels: &BTreeMap<i64, usize>) -> usize {
    let mut shared = [0; LEVELS.len()];
    let mut close = [0; LEVELS.len()];
    for (other, touches) in neighbours {
        let Some(&level) = levels.get(other) else { continue };
        shared[level] += touches;
        for next in [level.wrapping_sub(1), level + 1] {
            if let Some(count) = close.get_mut(next) {
                *count += touches;
            }
        }
    }
    // Of equally good levels, the number of the job chooses, so that all of them are seen.
    let turned = |level: usize| (level + job.rem_euclid(LEVELS.len() as i64) as usize) % LEVELS.len();
    (0..LEVELS.len()).min_by_key(|&level| (shared[level], close[level], turned(level))).unwrap_or_default()
}

/// Returns whether two rectangles of different jobs have a common border, or a gap of at most `near_s`
/// seconds between them.
fn touch(a: &Rectangle, b: &Rectangle, near_s: f64) -> bool {
    let share_time = a.times_s.low < b.times_s.high && b.times_s.low < a.times_s.high;
    let share_nodes = a.nodes.0 <= b.nodes.1 && b.nodes.0 <= a.nodes.1;
    let are_beside = a.nodes.1 + 1 == b.nodes.0 || b.nodes.1 + 1 == a.nodes.0;
    let follows = |a: &Rectangle, b: &Rectangle| (0.0..=near_s).contains(&(b.times_s.low - a.times_s.high));
    a.job != b.job && (share_time && are_beside || share_nodes && (follows(a, b) || follows(b, a)))
}

/// Colours from light for the least value to dark for the largest. The order is also visible in grey.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shades {
    /// The values of the lightest and of the darkest colour.
    pub(super) span: Span,
    /// Whether equal ratios, and not equal differences, are equal steps of colour.
    pub(super) is_log: bool,
}

impl Shades {
    /// Returns the colour of a value as `#rrggbb`.
    pub(super) fn colour(&self, value: f64) -> String {
        let along = |value: f64| if self.is_log { value.ln() } else { value };
        let [value, low, high] = [value, self.span.low, self.span.high].map(along);
        let share = if high > low { ((value - low) / (high - low)).clamp(0.0, 1.0) } else { 0.5 };
        let between = |light: f64, dark: f64| (light + share * (dark - light)).round() as u8;
        format!("#{:02x}{:02x}{:02x}", between(225.0, 8.0), between(236.0, 48.0), between(246.0, 107.0))
    }

    /// Returns five values at equal steps of colour.
    pub(super) fn steps(&self) -> [f64; 5] {
        let Span { low, high } = self.span;
        let value =
            |part| if self.is_log { low * (high / low).powf(part) } else { low + part * (high - low) };
        [0.0, 0.25, 0.5, 0.75, 1.0].map(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{contrast, luminance};

    /// Returns the luminance of a colour as perceived with protanopia or deuteranopia (matrices of Machado,
    /// Oliveira and Fernandes, 2009).
    fn seen(colour: &str, matrix: [[f64; 3]; 3]) -> f64 {
        let linear = [1, 3, 5].map(|at| {
            let part = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).expect("two digits")) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        });
        let light = matrix.map(|row| row.iter().zip(linear).map(|(a, b)| a * b).sum::<f64>().clamp(0.0, 1.0));
        0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2]
    }

    const PROTANOPIA: [[f64; 3]; 3] = [
        [0.152_286, 1.052_583, -0.204_868],
        [0.114_503, 0.786_281, 0.099_216],
        [-0.003_882, -0.048_116, 1.051_998],
    ];
    const DEUTERANOPIA: [[f64; 3]; 3] = [
        [0.367_322, 0.860_646, -0.227_968],
        [0.280_085, 0.672_501, 0.047_413],
        [-0.011_820, 0.042_940, 0.968_881],
    ];

    /// A wall of bricks: each brick has six neighbours.
    fn wall(rows: u32, columns: u32) -> Vec<Rectangle> {
        let brick = |i: u32| {
            let (row, column) = (i / columns, i % columns);
            let start_s = f64::from(column * 10 + 5 * (row % 2));
            let (first, job) = (4 * row, i64::from(i * 37 % (rows * columns)));
            Rectangle { job, times_s: Span::new(start_s, start_s + 10.0), nodes: (first, first + 3) }
        };
        (0..rows * columns).map(brick).collect()
    }

    #[test]
    fn neighbours_differ_in_lightness() {
        // 37 has no factor in common with the number of bricks.
        let wall = wall(20, 30);
        let colours = JobColours::new(std::slice::from_ref(&wall), 300.0);
        let mut borders = 0;
        for (i, one) in wall.iter().enumerate() {
            for other in wall[..i].iter().filter(|other| touch(one, other, 1.0)) {
                let pair = [colours.colour(one.job), colours.colour(other.job)];
                let grey = contrast(luminance(&pair[0]), luminance(&pair[1]));
                assert!(grey >= 2.0, "{pair:?}: {grey:.2} in grey");
                for matrix in [PROTANOPIA, DEUTERANOPIA] {
                    let found = contrast(seen(&pair[0], matrix), seen(&pair[1], matrix));
                    assert!(found >= 1.5, "{pair:?}: {found:.2}");
                }
                borders += 1;
            }
        }
        assert!(borders > 1500, "{borders}");
    }

    #[test]
    fn a_job_has_one_colour_in_all_pictures() {
        let one = |job, nodes| Rectangle { job, times_s: Span::new(0.0, 9.0), nodes };
        let pictures =
            [vec![one(1, (0, 3)), one(2, (4, 7))], vec![one(2, (0, 3)), one(3, (4, 7)), one(1, (8, 9))]];
        let colours = JobColours::new(&pictures, 9.0);
        let of = |job| luminance(&colours.colour(job));
        for (a, b) in [(1, 2), (2, 3), (1, 3)] {
            assert!(contrast(of(a), of(b)) > 1.4, "{a} {b}");
        }
        // A job that is in no picture has a colour, too.
        assert!(colours.colour(-7).starts_with('#'));
    }
}
