//! Checks of binary tables against the places that their footers give, before anything is decoded.
//!
//! Each part of the file belongs to the table, and to one column of it: places that overlap, that lie beyond
//! the data, or that leave out data are those of a damaged file, or of two files that were put together.
#![expect(clippy::arithmetic_side_effects, reason = "places are sorted, so that differences are in range")]

use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use polars_core::prelude::PolarsResult;
use polars_core::utils::arrow::io::ipc::format::ipc::planus::{self, ReadAsRoot};
use polars_core::utils::arrow::io::ipc::format::ipc::{MessageHeaderRef, MessageRef, RecordBatchRef};
use polars_core::utils::arrow::io::ipc::read::FileMetadata;
use polars_io::parquet::metadata::FileMetadata as ParquetMetadata;

use super::broken;

/// A reader whose position others can see.
pub(super) struct Positioned<R> {
    pub(super) inner: R,
    pub(super) at: Arc<AtomicU64>,
}

impl<R: Read> Read for Positioned<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(buffer)?;
        self.at.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

impl<R: Seek> Seek for Positioned<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = self.inner.seek(to)?;
        self.at.store(at, Ordering::Relaxed);
        Ok(at)
    }
}

/// Sorts places of data and fails if two of them overlap, or if one ends behind `end`. Returns the places.
fn sorted(mut places: Vec<Range<u64>>, end: u64) -> PolarsResult<Vec<Range<u64>>> {
    places.sort_by_key(|place| place.start);
    let is_wrong = |place: &Range<u64>| place.end < place.start || place.end > end;
    if places.iter().any(is_wrong) {
        return Err(broken(
            "its footer names data behind the end of the file; get the file again".to_owned(),
        ));
    }
    if places.windows(2).any(|pair| pair[0].end > pair[1].start) {
        return Err(broken("its footer names the same data twice; get the file again".to_owned()));
    }
    Ok(places)
}

/// Returns where the footer of a file begins: before its length, which stands before the magic number.
fn footer_start(file: &mut (impl Read + Seek), magic: u64) -> io::Result<u64> {
    let end = file.seek(SeekFrom::End(0))?.saturating_sub(magic + 4);
    file.seek(SeekFrom::Start(end))?;
    let mut length = [0; 4];
    file.read_exact(&mut length)?;
    Ok(end.saturating_sub(u32::from_le_bytes(length).into()))
}

/// Checks the row groups of a Parquet file.
pub(super) fn check_parquet(metadata: &ParquetMetadata, file: &mut (impl Read + Seek)) -> PolarsResult<()> {
    const MAGIC: &[u8] = b"PAR1PAR1";
    /// Indexes between the data and the footer of a file are smaller than this.
    const MOST_INDEX: u64 = 64 << 20;
    let (begin, end) = (file.stream_position()?, footer_start(file, 4)?);
    let rows = metadata.row_groups.iter().fold(0_usize, |sum, group| sum.saturating_add(group.num_rows()));
    if rows != metadata.num_rows {
        return Err(broken(format!("its footer has {} rows and its row groups {rows}", metadata.num_rows)));
    }
    let mut places = Vec::new();
    for group in &metadata.row_groups {
        for column in group.parquet_columns() {
            places.push(column.byte_range());
        }
    }
    let places = sorted(places, end)?;
    // A second file would begin behind the end of the first one.
    let last = places.last().map_or(0, |place| place.end);
    file.seek(SeekFrom::Start(last))?;
    let mut behind = Vec::new();
    Read::by_ref(file).take((end - last).min(MOST_INDEX)).read_to_end(&mut behind)?;
    if behind.windows(MAGIC.len()).any(|bytes| bytes == MAGIC) {
        return Err(broken("it is several files put together; read one at a time".to_owned()));
    }
    file.seek(SeekFrom::Start(begin))?;
    Ok(())
}

/// Checks the blocks of an Arrow file.
pub(super) fn check_arrow(metadata: &FileMetadata, file: &mut (impl Read + Seek)) -> PolarsResult<()> {
    /// Bytes between blocks, and between the last one and the footer: an end marker and padding.
    const MOST_PADDING: u64 = 128;
    let end = footer_start(file, 6)?;
    let mut places = Vec::new();
    for block in metadata.blocks.iter().chain(metadata.dictionaries.iter().flatten()) {
        let length = i64::from(block.meta_data_length).checked_add(block.body_length);
        let place = length.and_then(|length| {
            let start = u64::try_from(block.offset).ok()?;
            Some(start..start.checked_add(u64::try_from(length).ok()?)?)
        });
        places.push(place.ok_or_else(|| broken("a block has no place in the file".to_owned()))?);
    }
    let places = sorted(places, end)?;
    let ends = places.iter().map(|place| place.end);
    let starts = places.iter().map(|place| place.start).skip(1).chain([end]);
    if ends.zip(starts).any(|(end, start)| start - end > MOST_PADDING) {
        let problem = "its footer leaves out data: it is damaged, or several files put together";
        return Err(broken(problem.to_owned()));
    }
    places.iter().try_for_each(|place| check_message(file, place.start, place.end).map(|_| ()))
}

// Checks of the messages of Arrow's files and streams, before one is decoded: the decoder reserves memory
// for as many bytes as a message gives, and a damaged number would end the process.

/// The most bytes of a buffer when it is decompressed: the memory in which the command decodes tables.
const MOST_BYTES: i64 = 4 << 30;

/// Checks the message that begins at `start` and ends at `end` or before. Returns where it ends; `None` for
/// an end marker.
pub(super) fn check_message(
    file: &mut (impl Read + Seek),
    start: u64,
    end: u64,
) -> PolarsResult<Option<u64>> {
    let beyond = || broken("a message ends behind the data of the table".to_owned());
    file.seek(SeekFrom::Start(start))?;
    let mut prefix = [0; 4];
    file.read_exact(&mut prefix)?;
    if prefix == [u8::MAX; 4] {
        file.read_exact(&mut prefix)?;
    }
    let head_bytes = u32::from_le_bytes(prefix);
    if head_bytes == 0 {
        return Ok(None);
    }
    let head_start = file.stream_position()?;
    let body = head_start.checked_add(head_bytes.into()).filter(|&body| body <= end).ok_or_else(beyond)?;
    let mut head = Vec::new();
    Read::by_ref(file).take(head_bytes.into()).read_to_end(&mut head)?;
    let message = read(MessageRef::read_as_root(&head))?;
    let body_bytes = read(message.body_length())?;
    let body_end = u64::try_from(body_bytes).ok().and_then(|bytes| body.checked_add(bytes));
    let body_end = body_end.filter(|&body_end| body_end <= end).ok_or_else(beyond)?;
    let batch = match read(message.header())? {
        Some(MessageHeaderRef::RecordBatch(batch)) => Some(batch),
        Some(MessageHeaderRef::DictionaryBatch(dictionary)) => read(dictionary.data())?,
        _ => None,
    };
    if let Some(batch) = batch {
        check_buffers(file, &batch, body, body_bytes)?;
    }
    Ok(Some(body_end))
}

/// Checks that the buffers of a batch are in its body, which begins at `body`, also when decompressed.
fn check_buffers(
    file: &mut (impl Read + Seek),
    batch: &RecordBatchRef<'_>,
    body: u64,
    body_bytes: i64,
) -> PolarsResult<()> {
    let is_compressed = read(batch.compression())?.is_some();
    for buffer in read(batch.buffers())?.into_iter().flatten() {
        let (offset, length) = (buffer.offset(), buffer.length());
        let is_inside = length >= 0 && offset.checked_add(length).is_some_and(|end| end <= body_bytes);
        let offset = u64::try_from(offset).ok().filter(|_| is_inside);
        let offset = offset.ok_or_else(|| broken("a buffer lies outside of its message".to_owned()))?;
        if is_compressed && length > 0 {
            let mut bytes = [0; 8];
            file.seek(SeekFrom::Start(body.saturating_add(offset)))?;
            file.read_exact(&mut bytes)?;
            if i64::from_le_bytes(bytes) > MOST_BYTES {
                return Err(broken("a buffer is too large when it is decompressed".to_owned()));
            }
        }
    }
    Ok(())
}

/// Returns a part of a message, or an error if it is not there.
fn read<T>(part: Result<T, planus::Error>) -> PolarsResult<T> {
    part.map_err(|error| broken(error.to_string()))
}

// Checks of the headers of Parquet's pages, before a page is decoded: the decoder reserves memory for as
// many values and bytes as a header gives, and a damaged number would end the process.
//
// A header is a struct in Thrift's compact protocol: fields with the difference of their numbers and a type,
// and integers as variable-length ones in zigzag order. O(bytes of headers).

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
