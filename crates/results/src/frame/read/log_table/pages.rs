//! Checks of the headers of Parquet's pages, before a page is decoded: the decoder reserves memory for as
//! many values and bytes as a header gives, and a damaged number would end the process.
//!
//! A header is a struct in Thrift's compact protocol: fields with the difference of their numbers and a type,
//! and integers as variable-length ones in zigzag order. O(bytes of headers).

use polars_core::prelude::PolarsResult;

use super::broken;

/// The integers of a header by the numbers of their fields. For a struct within the header it is the first
/// field, the number of values. Fields that are not there are 0.
type Header = [i64; 9];

/// Checks the pages of a column. Its footer gives its values and its bytes before compression.
pub(super) fn check_pages(mut pages: &[u8], values: i64, bytes: i64) -> PolarsResult<()> {
    /// Writers that leave something out of the size in the footer are forgiven that much.
    const TOLERATED: i64 = 16 << 20;
    let (mut values_left, mut bytes_left) = (values, bytes.saturating_add(TOLERATED));
    while values_left > 0 {
        let mut header = Header::default();
        read_struct(&mut pages, &mut header, 0, 0)
            .ok_or_else(|| broken("the header of a page is cut or damaged".to_owned()))?;
        let [_, _, bytes, compressed_bytes, _, values_1, _, values_of_dictionary, values_2] = header;
        values_left = values_left.saturating_sub(values_1.saturating_add(values_2));
        bytes_left = bytes_left.saturating_sub(bytes);
        // Each value of a dictionary takes a byte at least.
        let is_possible = values_1 >= 0 && values_2 >= 0 && (0..=bytes).contains(&values_of_dictionary);
        if !is_possible || values_left < 0 || bytes_left < 0 {
            return Err(broken("a page has more values or bytes than the footer gives".to_owned()));
        }
        let length = usize::try_from(compressed_bytes).ok();
        let rest = length.and_then(|length| pages.get(length..));
        pages = rest.ok_or_else(|| broken("a page ends behind the end of its column".to_owned()))?;
    }
    Ok(())
}

/// Reads a struct, which is field `parent` of the header if `depth` is 1.
fn read_struct(text: &mut &[u8], header: &mut Header, parent: i64, depth: usize) -> Option<()> {
    const DEEPEST: usize = 8;
    let mut number = 0_i64;
    loop {
        let head = *text.split_off_first()?;
        if head == 0 {
            return Some(());
        }
        let step = i64::from(head >> 4);
        number = if step == 0 { integer(text)? } else { number.checked_add(step)? };
        match head & 15 {
            // True or false.
            1 | 2 => {}
            3 => drop(text.split_off(..1)?),
            4..=6 => {
                let value = integer(text)?;
                let field = if depth == 0 { number } else { parent };
                if (depth == 0 || depth == 1 && number == 1)
                    && let Some(known) = usize::try_from(field).ok().and_then(|field| header.get_mut(field))
                {
                    *known = value;
                }
            }
            7 => drop(text.split_off(..8)?),
            8 => {
                let length = usize::try_from(variable_length(text)?).ok()?;
                text.split_off(..length)?;
            }
            12 if depth < DEEPEST => read_struct(text, header, number, depth.saturating_add(1))?,
            // Lists and maps, which headers of pages do not have.
            _ => return None,
        }
    }
}

/// Reads an integer in zigzag order.
fn integer(text: &mut &[u8]) -> Option<i64> {
    let value = variable_length(text)?;
    let half = i64::try_from(value >> 1).ok()?;
    Some(if value & 1 == 0 { half } else { !half })
}

/// Reads a variable-length integer: seven bits a byte, the lowest ones first.
fn variable_length(text: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for at in 0..10 {
        let byte = *text.split_off_first()?;
        value |= u64::from(byte & 127) << (7 * at);
        if byte < 128 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_with_other_values_and_bytes_than_the_footer_are_errors() {
        // A page of data with 3 values in 4 bytes, 2 when compressed.
        let page = |bytes: u8, compressed: u8, values: u8| {
            vec![0x15, 0, 0x15, bytes, 0x15, compressed, 0x2c, 0x15, values, 0x15, 16, 0, 0, 9, 9]
        };
        let check = |page: &[u8], values| check_pages(page, values, 30);
        assert!(
            check(&page(8, 4, 6), 3).is_ok() && check(&[page(8, 4, 6), page(8, 4, 6)].concat(), 6).is_ok()
        );
        for (page, values, problem) in [
            (page(8, 4, 6), 2, "more values"),
            (page(8, 4, 5), 3, "more values"),
            (page(8, 6, 6), 3, "behind the end"),
            (page(8, 4, 6), 4, "cut or damaged"),
            (vec![0x15, 0, 0x19], 3, "cut or damaged"),
        ] {
            let found = check(&page, values).expect_err(problem).to_string();
            assert!(found.contains(problem), "{found}");
        }
    }
}
