//! Makes new inputs of known ones.

use rand::seq::IndexedRandom;
use rand::{Rng, RngExt};

/// The greatest length of an input in bytes.
const LONGEST: usize = 1 << 14;

/// Texts on which readers of numbers, times and lists go wrong.
const TEXTS: [&str; 40] = [
    "0",
    "-1",
    "1",
    "2",
    "-0",
    "255",
    "65536",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "-9223372036854775808",
    "18446744073709551615",
    "1e308",
    "5e-324",
    "-1e999",
    "nan",
    "inf",
    "0x10",
    "1.5",
    ".",
    ",",
    ";",
    ":",
    "|",
    "\t",
    "\n",
    "\r\n",
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    "\u{feff}",
    "é",
    "\0",
    "\u{1b}[31m",
];

/// Returns a mutation of an input of `pool`. `words` are texts that mean something to the reader.
pub(crate) fn mutated(pool: &[Vec<u8>], words: &[&str], random: &mut impl Rng) -> Vec<u8> {
    let mut bytes = pool.choose(random).cloned().unwrap_or_default();
    for _ in 0..1 + random.random_range(0..6_u32) {
        step(&mut bytes, pool, words, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

/// A range of `bytes`, which may be empty, of at most `most` bytes.
fn range(bytes: &[u8], most: usize, random: &mut impl Rng) -> std::ops::Range<usize> {
    let from = random.random_range(0..=bytes.len());
    let length = random.random_range(0..=most.min(bytes.len() - from));
    from..from + length
}

fn step(bytes: &mut Vec<u8>, pool: &[Vec<u8>], words: &[&str], random: &mut impl Rng) {
    match random.random_range(0..11_u32) {
        0 if !bytes.is_empty() => {
            let at = random.random_range(0..bytes.len());
            bytes[at] ^= 1 << random.random_range(0..8_u32);
        }
        1 if !bytes.is_empty() => {
            let at = random.random_range(0..bytes.len());
            bytes[at] = random.random();
        }
        2 => drop(bytes.drain(range(bytes, 16, random))),
        3 => drop(bytes.drain(range(bytes, 4096, random))),
        4 => {
            let part = bytes[range(bytes, 256, random)].to_vec();
            insert(bytes, &part, random);
        }
        5 | 6 => {
            let text = TEXTS.choose(random).copied().unwrap_or_default();
            replace_word(bytes, text.as_bytes(), random);
        }
        7 => {
            let word = words.choose(random).or_else(|| TEXTS.choose(random)).copied().unwrap_or_default();
            insert(bytes, word.as_bytes(), random);
        }
        8 => {
            let word = words.choose(random).or_else(|| TEXTS.choose(random)).copied().unwrap_or_default();
            replace_word(bytes, word.as_bytes(), random);
        }
        9 => {
            let other = pool.choose(random).map(Vec::as_slice).unwrap_or_default();
            let part = &other[range(other, 1024, random)];
            insert(bytes, part, random);
        }
        _ => swap_lines(bytes, random),
    }
}

fn insert(bytes: &mut Vec<u8>, part: &[u8], random: &mut impl Rng) {
    let at = random.random_range(0..=bytes.len());
    bytes.splice(at..at, part.iter().copied());
}

/// Puts `text` in place of a run of letters and digits.
fn replace_word(bytes: &mut Vec<u8>, text: &[u8], random: &mut impl Rng) {
    let is_of_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
    let near = random.random_range(0..=bytes.len());
    let Some(from) = bytes[near..].iter().position(is_of_word).map(|at| near + at) else { return };
    let length = bytes[from..].iter().take_while(|byte| is_of_word(byte)).count();
    bytes.splice(from..from + length, text.iter().copied());
}

fn swap_lines(bytes: &mut Vec<u8>, random: &mut impl Rng) {
    let mut lines: Vec<Vec<u8>> = bytes.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect();
    if lines.len() > 1 {
        let (a, b) = (random.random_range(0..lines.len()), random.random_range(0..lines.len()));
        lines.swap(a, b);
        *bytes = lines.concat();
    }
}
