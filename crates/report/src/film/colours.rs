//! The colours of films.

/// The number of different colours of jobs. Jobs whose numbers differ by it look the same.
pub(super) const JOBS: usize = 240;

/// The background, letters, free nodes, nodes that are down, unavailable nodes, and the part of the film that has passed.
pub(super) const PAPER: [u8; 3] = [255, 255, 255];
pub(super) const INK: [u8; 3] = [29, 35, 39];
pub(super) const FREE: [u8; 3] = [236, 239, 242];
pub(super) const DOWN: [u8; 3] = [74, 79, 85];
pub(super) const OUTLINE: [u8; 3] = [185, 193, 201];
pub(super) const PASSED: [u8; 3] = [0, 103, 163];

/// Returns which of the [`JOBS`] colours a job has.
pub(super) fn of_job(number: i64) -> usize {
    number.rem_euclid(JOBS as i64) as usize
}

/// Returns a colour of jobs. Neighbouring numbers get far hues, and three lightnesses keep them apart without colours, as in
/// the player of reports.
pub(super) fn job(i: usize) -> [u8; 3] {
    let hue = (i as f64 * 137.508) % 360.0;
    let light = (42.0 + (i % 3) as f64 * 12.0) / 100.0;
    let spread = 0.62 * light.min(1.0 - light);
    // The usual way from hue, saturation and lightness to red, green and blue.
    let channel = |n: f64| {
        let k = (n + hue / 30.0) % 12.0;
        (255.0 * (light - spread * (k - 3.0).min(9.0 - k).clamp(-1.0, 1.0))).round() as u8
    };
    [channel(0.0), channel(8.0), channel(4.0)]
}

/// Returns a colour between the background and the letters; a share of 1 is that of letters.
pub(super) fn grey(share: f64) -> [u8; 3] {
    [0, 1, 2].map(|i| (f64::from(PAPER[i]) + share * (f64::from(INK[i]) - f64::from(PAPER[i]))).round() as u8)
}

/// Returns a colour as it is written in drawings.
pub(super) fn named([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}
