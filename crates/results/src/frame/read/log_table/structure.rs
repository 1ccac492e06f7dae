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
use polars_core::utils::arrow::io::ipc::read::FileMetadata;
use polars_io::parquet::metadata::FileMetadata as ParquetMetadata;

use super::broken;
use super::messages::check_message;

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
