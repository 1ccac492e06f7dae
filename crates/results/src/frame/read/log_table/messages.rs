//! Checks of the messages of Arrow's files and streams, before one is decoded: the decoder reserves memory
//! for as many bytes as a message gives, and a damaged number would end the process.

use std::io::{Read, Seek, SeekFrom};

use polars_core::prelude::PolarsResult;
use polars_core::utils::arrow::io::ipc::format::ipc::planus::{self, ReadAsRoot};
use polars_core::utils::arrow::io::ipc::format::ipc::{MessageHeaderRef, MessageRef, RecordBatchRef};

use super::broken;

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
