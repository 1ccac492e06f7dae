//! Puts the objects of a PDF file into one order.
//!
//! The crate that makes PDF files keeps fonts and other resources in hash maps, whose order is another one in every run.
//! Here the entries of each map are sorted, and objects are numbered in the order in which they are reached from the
//! root. So the same drawing gives the same bytes.

use std::collections::VecDeque;
use std::collections::btree_map::{BTreeMap, Entry};

/// The dictionaries of resources, whose entries were kept in hash maps.
const RESOURCES: [&str; 6] = ["/ColorSpace", "/ExtGState", "/Font", "/Pattern", "/Shading", "/XObject"];

/// An object of a PDF file.
struct Object<'a> {
    /// Its dictionary or value.
    head: String,
    /// Its stream with the words around it, and the end of the object.
    rest: &'a [u8],
}

/// Returns the file with its objects in order, and with a comment that says `mark` in its third line. Returns `None` if
/// the file does not have the form in which the crate `pdf-writer` writes files.
pub(super) fn ordered(file: &[u8], mark: &str) -> Option<Vec<u8>> {
    let table_at: usize = text_after(file, b"startxref\n")?.lines().next()?.parse().ok()?;
    let trailer = text_after(file.get(table_at..)?, b"trailer\n")?.split("\nstartxref").next()?;
    let offsets = offsets(file.get(table_at..)?)?;
    let mut objects = BTreeMap::new();
    let mut ends: Vec<usize> = offsets.values().copied().chain([table_at]).collect();
    ends.sort_unstable();
    for (number, &from) in &offsets {
        let end = ends.iter().find(|end| **end > from)?;
        objects.insert(*number, object(file.get(from..*end)?, *number)?);
    }
    // A breadth-first walk from the root: the first object that is referred to has the number 1.
    let (mut numbers, mut waiting) = (BTreeMap::new(), VecDeque::from([trailer]));
    let mut order = Vec::new();
    while let Some(text) = waiting.pop_front() {
        for number in references(text) {
            if let Entry::Vacant(unnumbered) = numbers.entry(number) {
                let object = objects.get(&number)?;
                order.push(object);
                unnumbered.insert(order.len());
                waiting.push_back(&object.head);
            }
        }
    }
    let header = file.get(..*ends.first()?)?.strip_suffix(b"\n")?;
    let mut out = [header, format!("%{mark}\n\n").as_bytes()].concat();
    let mut places = Vec::new();
    for (i, object) in order.iter().enumerate() {
        places.push(out.len());
        out.extend(format!("{} 0 obj\n{}", i + 1, renumbered(&object.head, &numbers)?).bytes());
        out.extend(object.rest);
    }
    let table_at = out.len();
    out.extend(format!("xref\n0 {}\n0000000000 65535 f\r\n", places.len() + 1).bytes());
    out.extend(places.iter().flat_map(|place| format!("{place:010} 00000 n\r\n").into_bytes()));
    let size = format!("/Size {}", 1 + offsets.last_key_value()?.0.max(&0));
    let trailer = trailer.replacen(&size, &format!("/Size {}", places.len() + 1), 1);
    out.extend(format!("trailer\n{}\nstartxref\n{table_at}\n%%EOF", renumbered(&trailer, &numbers)?).bytes());
    Some(out)
}

/// Returns the text after the last place at which `words` stand; `None` if they stand nowhere.
fn text_after<'a>(file: &'a [u8], words: &[u8]) -> Option<&'a str> {
    let at = file.windows(words.len()).rposition(|window| window == words)?;
    std::str::from_utf8(&file[at + words.len()..]).ok()
}

/// Returns the numbers of the objects and the bytes at which they begin, from the table of the file.
fn offsets(table: &[u8]) -> Option<BTreeMap<usize, usize>> {
    let mut lines = table.split(|byte| *byte == b'\n').skip(2);
    let mut offsets = BTreeMap::new();
    for number in 0.. {
        let line = std::str::from_utf8(lines.next()?).ok()?.trim_end();
        if line == "trailer" {
            break;
        }
        if line.ends_with('n') {
            offsets.insert(number, line.split(' ').next()?.parse().ok()?);
        }
    }
    Some(offsets)
}

/// Returns the object in these bytes, with its resources sorted.
fn object(bytes: &[u8], number: usize) -> Option<Object<'_>> {
    let body = bytes.strip_prefix(format!("{number} 0 obj\n").as_bytes())?;
    let find = |words: &[u8]| body.windows(words.len()).position(|window| window == words);
    let end = find(b"\nstream\n").or_else(|| find(b"\nendobj"))?;
    let head = std::str::from_utf8(&body[..end]).ok()?;
    Some(Object { head: sorted(head)?, rest: &body[end..] })
}

/// Returns a dictionary in which the entries of resources are sorted.
fn sorted(head: &str) -> Option<String> {
    let mut text = head.to_owned();
    for kind in RESOURCES {
        let start = format!("{kind} <<");
        let Some(from) = text.find(&start).map(|at| at + start.len()) else { continue };
        let until = from + closing(&text[from..])?;
        let mut entries = entries(&text[from..until])?;
        entries.sort_unstable();
        text = format!("{}\n{}\n{}", &text[..from], entries.join("\n"), &text[until..]);
    }
    Some(text)
}

/// Returns the place of the brackets that end a dictionary whose content the text begins with.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut at = 0;
    loop {
        let rest = text.get(at..)?;
        if rest.starts_with("<<") {
            depth += 1;
            at += 2;
        } else if rest.starts_with(">>") {
            if depth == 0 {
                return Some(at);
            }
            depth -= 1;
            at += 2;
        } else {
            at += rest.chars().next()?.len_utf8();
        }
    }
}

/// Returns the entries of a dictionary of resources, each a name with a reference, or with an array that ends with one.
fn entries(content: &str) -> Option<Vec<&str>> {
    let (mut found, mut rest) = (Vec::new(), content.trim());
    while !rest.is_empty() {
        if !rest.starts_with('/') {
            return None;
        }
        let mut end = rest.find(" R")? + 2;
        if rest[..end].contains('[') {
            end += rest[end..].find(']')? + 1;
        }
        found.push(&rest[..end]);
        rest = rest[end..].trim_start();
    }
    Some(found)
}

/// Returns the numbers of the objects that a text refers to, as in `12 0 R`.
fn references(text: &str) -> impl Iterator<Item = usize> + '_ {
    text.match_indices(" 0 R").filter_map(|(at, _)| number_before(text, at)?.parse().ok())
}

/// Returns the digits that end at this place; `None` if there are none.
fn number_before(text: &str, at: usize) -> Option<&str> {
    let before = &text[..at];
    let number = &before[before.trim_end_matches(|c: char| c.is_ascii_digit()).len()..];
    (!number.is_empty()).then_some(number)
}

/// Returns the text with the new numbers of the objects that it refers to.
fn renumbered(text: &str, numbers: &BTreeMap<usize, usize>) -> Option<String> {
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for (at, _) in text.match_indices(" 0 R") {
        let Some(number) = number_before(text, at) else { continue };
        out += &text[done..at - number.len()];
        out += &numbers.get(&number.parse().ok()?)?.to_string();
        done = at;
    }
    out += &text[done..];
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::super::pdf;

    /// A drawing with two fonts and bands of two opacities.
    const DRAWING: &str = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"84mm\" height=\"60mm\" viewBox=\"0 0 420 300\" \
         font-family=\"DejaVu Sans\" font-size=\"12\"><text x=\"9\" y=\"20\">thin τ ≤ é</text>\
         <text x=\"9\" y=\"60\" font-weight=\"bold\">bold</text><path d=\"M0 0 L9 9 L9 0 Z\" fill=\"#ff0000\" fill-opacity=\"0.16\"/>\
         <path d=\"M0 0 L9 9 L9 0 Z\" fill=\"#0000ff\" fill-opacity=\"0.5\"/></svg>";

    #[test]
    fn the_same_drawing_gives_the_same_file() -> Result<(), Box<dyn std::error::Error>> {
        let first = pdf(DRAWING, "mark")?;
        for _ in 0..20 {
            assert!(pdf(DRAWING, "mark")? == first);
        }
        let text = String::from_utf8_lossy(&first).into_owned();
        // 84 by 60 mm in points, and both fonts embedded as parts of themselves.
        let of =
            |key: &str| text.split(key).nth(1).and_then(|rest| rest.split(']').next()).unwrap_or_default();
        let sides: Vec<f64> =
            of("/MediaBox [").split_whitespace().filter_map(|number| number.parse().ok()).collect();
        let points = [0.0, 0.0, 84.0 / 25.4 * 72.0, 60.0 / 25.4 * 72.0];
        assert_eq!(sides.len(), 4, "{text}");
        assert!(sides.iter().zip(points).all(|(side, wanted)| (side - wanted).abs() < 0.01), "{sides:?}");
        assert_eq!(
            (text.matches("/FontFile2").count(), text.matches("/ToUnicode").count()),
            (2, 2),
            "{text}"
        );
        assert!(text.contains("+DejaVuSans\n") && text.contains("+DejaVuSans-Bold\n"), "{text}");
        assert!(!text.contains("Date") && text[..64].contains("mark"), "{text}");
        Ok(())
    }

    #[test]
    fn every_object_is_where_the_table_says() -> Result<(), Box<dyn std::error::Error>> {
        let file = pdf(DRAWING, "mark")?;
        let text = super::text_after(&file, b"startxref\n").ok_or("no place of the table")?;
        let at: usize = text.lines().next().ok_or("no number")?.parse()?;
        assert!(file[at..].starts_with(b"xref\n"));
        let offsets = super::offsets(&file[at..]).ok_or("no table")?;
        assert!(offsets.keys().copied().eq(1..=offsets.len()) && offsets.len() > 8, "{offsets:?}");
        for (number, offset) in offsets {
            assert!(file[offset..].starts_with(format!("{number} 0 obj\n").as_bytes()), "{number}");
        }
        // Whatever is no such file is refused and not changed.
        assert_eq!(super::ordered(b"%PDF-1.7\n", "mark"), None);
        assert_eq!(super::ordered(&file[..file.len() / 2], "mark"), None);
        Ok(())
    }
}
