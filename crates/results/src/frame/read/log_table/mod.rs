//! Tables in Parquet and Arrow files as logs: turns them into CSV, one row group or batch at a time.
//!
//! The types of columns become text that readers of logs understand whatever the column is called: instants
//! are ISO 8601, with `Z` if they have a zone and without one if they are local; durations have the unit `s`;
//! missing values are empty. Lists of texts and whole numbers are joined by commas. Columns of other nested
//! types are empty, and their names say so: no field of a job has such a type.
//!
//! The arrays of Arrow are read, and not frames, as frames would need Polars with all of its types.

mod structure;

use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use jiff::tz::Offset;
use polars_core::prelude::{PolarsError, PolarsResult};
use polars_core::utils::arrow::array::{
    Array, BinaryArray, BinaryViewArray, BooleanArray, DictionaryArray, DictionaryKey, ListArray,
    PrimitiveArray, Utf8Array, Utf8ViewArray,
};
use polars_core::utils::arrow::compute::concatenate::concatenate;
use polars_core::utils::arrow::datatypes::{ArrowDataType, ArrowSchema, Field, IntegerType, TimeUnit};
use polars_core::utils::arrow::io::ipc::read::{
    FileReader, StreamReader, StreamState, read_file_metadata, read_stream_metadata,
};
use polars_core::utils::arrow::record_batch::RecordBatchT;
use polars_core::utils::arrow::types::{NativeType, i256};
use polars_io::parquet::metadata::FileMetadata as ParquetMetadata;
use polars_io::parquet::read::_internal::to_deserializer;
use polars_io::parquet::read::infer_schema;
use polars_io::prelude::{ParquetReader, SerReader};

use self::structure::{Positioned, check_arrow, check_message, check_pages, check_parquet};
use super::unpanicking;
use meshreplay_logs::set_table_converter;
use polars_utils::float16::pf16;

/// Lets logs be tables in Parquet and Arrow files, in all logs that this process opens from now on. Returns
/// whether they could not be before.
pub fn read_tables_of_logs() -> bool {
    set_table_converter(|file, _| text_of_table(file))
}

/// Some rows of a table.
struct RecordBatch {
    rows: usize,
    /// The columns; `None` for one that stays empty.
    columns: Vec<Option<Box<dyn Array>>>,
}

impl RecordBatch {
    /// Returns the rows of these columns. Fails if a column has more or fewer values than the table gives.
    fn new(rows: usize, columns: Vec<Option<Box<dyn Array>>>) -> PolarsResult<Self> {
        match columns.iter().flatten().find(|array| array.len() != rows) {
            Some(array) => Err(broken(format!("a column has {} values in {rows} rows", array.len()))),
            None => Ok(Self { rows, columns }),
        }
    }
}

/// Returns the error that the structure of a table is not that of its format.
fn broken(problem: String) -> PolarsError {
    PolarsError::ComputeError(problem.into())
}

/// Reads the next rows; `None` at the end of the table.
type Next = Box<dyn FnMut() -> PolarsResult<Option<RecordBatch>> + Send>;

/// The number of rows whose text is made at a time, and the bytes of text after which it is enough.
const ROWS: usize = 4096;
const ENOUGH_TEXT: usize = 1 << 20;

/// Returns the text of a Parquet or Arrow file, positioned at its start, as CSV with a heading.
///
/// The lengths of the footer and of the headers of pages and messages are compared with the file before
/// anything is decoded. Lengths inside of a compressed page are not: a damaged one may still end the process
/// for lack of memory.
pub fn text_of_table(mut file: File) -> io::Result<Box<dyn Read + Send>> {
    let mut magic = [0; 4];
    file.read_exact(&mut magic)?;
    file.rewind()?;
    let opened = unpanicking(|| match &magic {
        b"PAR1" => parquet(file),
        b"ARRO" => arrow(file),
        _ => stream(file),
    });
    let (fields, next) = opened.map_err(damaged)?;
    let mut text = Vec::new();
    for (at, field) in fields.iter().enumerate() {
        // A line end in a name would end the heading.
        let mut name: String = field.name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        if let Some(dtype) = unread(&field.dtype) {
            // The reader of tables makes a note of it.
            name = format!("{name} (type not read: {dtype})");
        }
        push_cell(&mut text, at, name.as_bytes());
    }
    text.push(b'\n');
    let fields = fields.into_iter().map(|field| field.dtype).collect();
    let batch = RecordBatch { rows: 0, columns: Vec::new() };
    Ok(Box::new(CsvText { fields, next, batch, row: 0, text, start: 0 }))
}

/// Returns the error of a table that cannot be decoded.
#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn damaged(error: PolarsError) -> io::Error {
    let text = format!("the table cannot be decoded: {error}");
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// Opens a Parquet file.
fn parquet(mut file: File) -> PolarsResult<(Vec<Field>, Next)> {
    let mut reader = ParquetReader::new(file.try_clone()?);
    let schema: Arc<ArrowSchema> = reader.schema()?;
    let metadata = Arc::clone(reader.get_metadata()?);
    check_parquet(&metadata, &mut file)?;
    let mut fields: Vec<Field> = schema.iter_values().cloned().map(without_dictionary).collect();
    take_kept_units(&mut fields, &metadata)?;
    let columns = fields.clone();
    let mut group = 0;
    let next = move || {
        let Some(rows) = metadata.row_groups.get(group) else { return Ok(None) };
        group += 1;
        let mut batch = Vec::with_capacity(columns.len());
        for field in &columns {
            let parts = rows.columns_under_root_iter(&field.name).filter(|_| is_read(&field.dtype));
            let Some(parts) = parts else {
                batch.push(None);
                continue;
            };
            let mut pieces = Vec::new();
            for part in parts {
                let range = part.byte_range();
                let mut bytes = Vec::new();
                file.seek(SeekFrom::Start(range.start))?;
                Read::by_ref(&mut file).take(range.end - range.start).read_to_end(&mut bytes)?;
                check_pages(&bytes, part.num_values(), part.uncompressed_size())?;
                pieces.push((part, bytes.into()));
            }
            let (arrays, _) = to_deserializer(pieces, field.clone(), None)?;
            let arrays: Vec<&dyn Array> = arrays.iter().map(|array| &**array).collect();
            batch.push(Some(concatenate(&arrays)?));
        }
        RecordBatch::new(rows.num_rows(), batch).map(Some)
    };
    Ok((fields, Box::new(next)))
}

/// Returns a column of texts in place of one with a dictionary of texts. A dictionary would be built anew, in
/// time for each row that is proportional to its text, and a few bytes can encode many rows with a long one.
fn without_dictionary(field: Field) -> Field {
    use ArrowDataType::{Dictionary, LargeUtf8, Utf8, Utf8View};
    let is_text = |values: &ArrowDataType| [Utf8, LargeUtf8, Utf8View].contains(values);
    match &field.dtype {
        Dictionary(_, values, _) if is_text(values) => Field { dtype: Utf8View, ..field },
        _ => field,
    }
}

/// Takes times of day in the unit that the file keeps them in. Its writer may have had them in seconds, which
/// the schema of Arrow still says, although Parquet has no such unit and the file keeps milliseconds.
fn take_kept_units(fields: &mut [Field], metadata: &ParquetMetadata) -> PolarsResult<()> {
    let in_seconds = ArrowDataType::Time32(TimeUnit::Second);
    if fields.iter().all(|field| field.dtype != in_seconds) {
        return Ok(());
    }
    let kept = infer_schema(&ParquetMetadata { key_value_metadata: None, ..metadata.clone() })?;
    for field in fields.iter_mut().filter(|field| field.dtype == in_seconds) {
        // Without a unit, the file keeps the numbers as its writer had them.
        if let Some(dtype @ ArrowDataType::Time32(_)) = kept.get(&field.name).map(|field| &field.dtype) {
            field.dtype = dtype.clone();
        }
    }
    Ok(())
}

/// Opens an Arrow file.
fn arrow(file: File) -> PolarsResult<(Vec<Field>, Next)> {
    let mut file = BufReader::new(file);
    let metadata = read_file_metadata(&mut file)?;
    check_arrow(&metadata, &mut file)?;
    let fields = metadata.schema.iter_values().cloned().collect();
    let mut reader = FileReader::new(file, metadata, None, None);
    let next = move || reader.next().transpose()?.map(record_batch).transpose();
    Ok((fields, Box::new(next)))
}

/// Opens a stream of Arrow. It has to end with its end marker, as nothing else shows that its writer was not
/// stopped between two batches.
fn stream(file: File) -> PolarsResult<(Vec<Field>, Next)> {
    let length = file.metadata()?.len();
    let mut file = BufReader::new(file);
    let mut at = 0;
    while at < length
        && let Some(end) = check_message(&mut file, at, length)?
    {
        at = end;
    }
    file.rewind()?;
    let metadata = read_stream_metadata(&mut file)?;
    let fields = metadata.schema.iter_values().cloned().collect();
    let at = Arc::new(AtomicU64::new(file.stream_position()?));
    let mut reader = StreamReader::new(Positioned { inner: file, at: Arc::clone(&at) }, metadata, None);
    let next = move || match reader.next().transpose()? {
        Some(StreamState::Some(batch)) => record_batch(batch).map(Some),
        Some(StreamState::Waiting) => Err(broken(
            "the stream ends without its end marker, so its writer was stopped or the file is cut".to_owned(),
        )),
        None if at.load(Ordering::Relaxed) < length => Err(broken(
            "something follows the end marker of the stream; read one stream at a time".to_owned(),
        )),
        None => Ok(None),
    };
    Ok((fields, Box::new(next)))
}

/// Returns the rows of a batch of Arrow.
fn record_batch(batch: RecordBatchT<Box<dyn Array>>) -> PolarsResult<RecordBatch> {
    let rows = batch.len();
    RecordBatch::new(rows, batch.into_arrays().into_iter().map(Some).collect())
}

/// Returns whether values of a type become text.
fn is_read(dtype: &ArrowDataType) -> bool {
    unread(dtype).is_none()
}

/// Returns what a type is called whose values do not become text; `None` if they do.
fn unread(dtype: &ArrowDataType) -> Option<&'static str> {
    match dtype {
        ArrowDataType::Struct(_) => Some("struct"),
        ArrowDataType::Map(..) => Some("map"),
        ArrowDataType::Union(_) => Some("union"),
        ArrowDataType::FixedSizeList(..) => Some("fixed-size list"),
        ArrowDataType::FixedSizeBinary(_) => Some("fixed-size binary"),
        ArrowDataType::Interval(_) => Some("interval"),
        ArrowDataType::List(inner) | ArrowDataType::LargeList(inner) => {
            Some("list of neither texts nor whole numbers").filter(|_| !is_item(&inner.dtype))
        }
        ArrowDataType::Dictionary(_, values, _) => unread(values),
        ArrowDataType::Extension(extension) => unread(&extension.inner),
        _ => None,
    }
}

/// Returns whether values of a type are joined as items of a list: names, or numbers of nodes.
fn is_item(dtype: &ArrowDataType) -> bool {
    use ArrowDataType::{
        Dictionary, Int8, Int16, Int32, Int64, LargeUtf8, UInt8, UInt16, UInt32, UInt64, Utf8, Utf8View,
    };
    let plain = [Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Utf8, LargeUtf8, Utf8View];
    plain.contains(dtype) || matches!(dtype, Dictionary(..))
}

/// The text of a table.
struct CsvText {
    fields: Vec<ArrowDataType>,
    next: Next,
    /// The rows that were read, and the first of them that is not text yet.
    batch: RecordBatch,
    row: usize,
    /// The text that was made, and where the part begins that was not handed out.
    text: Vec<u8>,
    start: usize,
}

impl CsvText {
    /// Makes the text of some more rows. Returns false if there are none.
    fn make(&mut self) -> PolarsResult<bool> {
        while self.row == self.batch.rows {
            let Some(batch) = (self.next)()? else { return Ok(false) };
            (self.batch, self.row) = (batch, 0);
        }
        self.text.clear();
        self.start = 0;
        let end = self.batch.rows.min(self.row.saturating_add(ROWS));
        let mut cell = Vec::new();
        while self.row < end && self.text.len() < ENOUGH_TEXT {
            for (at, (array, dtype)) in self.batch.columns.iter().zip(&self.fields).enumerate() {
                cell.clear();
                if let Some(array) = array {
                    write_value(&mut cell, &**array, dtype, self.row);
                }
                push_cell(&mut self.text, at, &cell);
            }
            self.text.push(b'\n');
            self.row += 1;
        }
        Ok(true)
    }
}

impl Read for CsvText {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.start == self.text.len() {
            if !unpanicking(|| self.make()).map_err(damaged)? {
                return Ok(0);
            }
        }
        let rest = &self.text[self.start..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.start += count;
        Ok(count)
    }
}

/// Appends cell `at` of a line, in quotes unless it has only letters, digits and a few signs. Readers then
/// find no separator and no comment in it.
fn push_cell(text: &mut Vec<u8>, at: usize, cell: &[u8]) {
    if at > 0 {
        text.push(b',');
    }
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-.:+/".contains(byte) || !byte.is_ascii();
    if cell.iter().all(is_plain) {
        text.extend_from_slice(cell);
        return;
    }
    text.push(b'"');
    for &byte in cell {
        match byte {
            b'"' => text.extend_from_slice(b"\"\""),
            // No text of a log has zero bytes.
            0 => text.push(b' '),
            _ => text.push(byte),
        }
    }
    text.push(b'"');
}

/// Returns the array as one of type `A`.
fn downcast<A: 'static>(array: &dyn Array) -> Option<&A> {
    array.as_any().downcast_ref()
}

/// Appends the value in `row`; nothing if it is missing.
fn write_value(cell: &mut Vec<u8>, array: &dyn Array, dtype: &ArrowDataType, row: usize) {
    use ArrowDataType as Type;
    if array.is_null(row) {
        return;
    }
    match dtype {
        Type::Boolean => push(cell, downcast::<BooleanArray>(array).map(|array| array.value(row))),
        Type::Int8 => push(cell, number::<i8>(array, row)),
        Type::Int16 => push(cell, number::<i16>(array, row)),
        Type::Int32 => push(cell, number::<i32>(array, row)),
        Type::Int64 => push(cell, number::<i64>(array, row)),
        Type::UInt8 => push(cell, number::<u8>(array, row)),
        Type::UInt16 => push(cell, number::<u16>(array, row)),
        Type::UInt32 => push(cell, number::<u32>(array, row)),
        Type::UInt64 => push(cell, number::<u64>(array, row)),
        Type::Float32 => push(cell, number::<f32>(array, row).filter(|value| value.is_finite())),
        Type::Float64 => push(cell, number::<f64>(array, row).filter(|value| value.is_finite())),
        Type::Utf8 => push(cell, downcast::<Utf8Array<i32>>(array).map(|array| array.value(row))),
        Type::LargeUtf8 => push(cell, downcast::<Utf8Array<i64>>(array).map(|array| array.value(row))),
        Type::Utf8View => push(cell, downcast::<Utf8ViewArray>(array).map(|array| array.value(row))),
        Type::Binary => push_bytes(cell, downcast::<BinaryArray<i32>>(array).map(|array| array.value(row))),
        Type::LargeBinary => {
            push_bytes(cell, downcast::<BinaryArray<i64>>(array).map(|array| array.value(row)));
        }
        Type::BinaryView => {
            push_bytes(cell, downcast::<BinaryViewArray>(array).map(|array| array.value(row)));
        }
        Type::Float16 => {
            let value = number::<pf16>(array, row).map(|value| value.0.to_f32());
            push(cell, value.filter(|value| value.is_finite()));
        }
        Type::Decimal(_, scale) => push(cell, number::<i128>(array, row).map(|value| decimal(value, *scale))),
        Type::Decimal32(_, scale) => {
            push(cell, number::<i32>(array, row).map(|value| decimal(value.into(), *scale)));
        }
        Type::Decimal64(_, scale) => {
            push(cell, number::<i64>(array, row).map(|value| decimal(value.into(), *scale)));
        }
        Type::Decimal256(_, scale) => {
            let digits = number::<i256>(array, row).map(|value| value.0.to_string());
            push(cell, digits.map(|digits| decimal_of(&digits, *scale)));
        }
        Type::Dictionary(keys, values, _) => write_entry(cell, array, *keys, values, row),
        Type::List(item) => {
            write_list(cell, downcast::<ListArray<i32>>(array).map(|array| array.value(row)), &item.dtype);
        }
        Type::LargeList(item) => {
            write_list(cell, downcast::<ListArray<i64>>(array).map(|array| array.value(row)), &item.dtype);
        }
        Type::Extension(extension) => write_value(cell, array, &extension.inner, row),
        time => write_time(cell, array, time, row),
    }
}

/// Appends an instant, a day or a duration; nothing if the type is another one.
fn write_time(cell: &mut Vec<u8>, array: &dyn Array, dtype: &ArrowDataType, row: usize) {
    use ArrowDataType as Type;
    const DAY_NS: i128 = 86_400_000_000_000;
    let long = || number::<i64>(array, row).map(i128::from);
    let short = || number::<i32>(array, row).map(i128::from);
    match dtype {
        Type::Timestamp(unit, zone) => {
            push(cell, long().map(|value| instant(value * nanoseconds(*unit), zone.is_some())));
        }
        Type::Date32 => push(cell, short().map(|days| instant(days * DAY_NS, false))),
        Type::Date64 => push(cell, long().map(|value| instant(value * 1_000_000, false))),
        Type::Duration(unit) | Type::Time64(unit) => {
            push(cell, long().map(|value| seconds(value * nanoseconds(*unit))));
        }
        Type::Time32(unit) => push(cell, short().map(|value| seconds(value * nanoseconds(*unit)))),
        _ => {}
    }
}

fn number<T: NativeType>(array: &dyn Array, row: usize) -> Option<T> {
    downcast::<PrimitiveArray<T>>(array).map(|array| array.value(row))
}

/// Appends a value; nothing if there is none.
fn push(cell: &mut Vec<u8>, value: Option<impl ToString>) {
    if let Some(value) = value {
        cell.extend_from_slice(value.to_string().as_bytes());
    }
}

/// Appends bytes as text.
fn push_bytes(cell: &mut Vec<u8>, value: Option<&[u8]>) {
    push(cell, value.map(String::from_utf8_lossy));
}

/// Appends the entry of a dictionary that stands for the value in `row`.
fn write_entry(cell: &mut Vec<u8>, array: &dyn Array, keys: IntegerType, values: &ArrowDataType, row: usize) {
    fn entry<K: DictionaryKey>(array: &dyn Array, row: usize) -> Option<(&dyn Array, usize)> {
        let array = downcast::<DictionaryArray<K>>(array)?;
        Some((&**array.values(), array.keys().value(row).try_into().ok()?))
    }
    let found = match keys {
        IntegerType::Int8 => entry::<i8>(array, row),
        IntegerType::Int16 => entry::<i16>(array, row),
        IntegerType::Int32 => entry::<i32>(array, row),
        IntegerType::Int64 => entry::<i64>(array, row),
        IntegerType::UInt8 => entry::<u8>(array, row),
        IntegerType::UInt16 => entry::<u16>(array, row),
        IntegerType::UInt32 => entry::<u32>(array, row),
        IntegerType::UInt64 => entry::<u64>(array, row),
        _ => None,
    };
    if let Some((array, key)) = found.filter(|(array, key)| *key < array.len()) {
        write_value(cell, array, values, key);
    }
}

/// Appends the items of a list with commas.
fn write_list(cell: &mut Vec<u8>, items: Option<Box<dyn Array>>, dtype: &ArrowDataType) {
    let Some(items) = items.filter(|_| is_item(dtype)) else { return };
    for row in 0..items.len() {
        if row > 0 {
            cell.push(b',');
        }
        write_value(cell, &*items, dtype, row);
    }
}

fn nanoseconds(unit: TimeUnit) -> i128 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1000,
        TimeUnit::Nanosecond => 1,
    }
}

/// Formats the instant `time_ns` nanoseconds after 1970, in UTC or on a clock without a known zone.
fn instant(time_ns: i128, has_zone: bool) -> String {
    match Timestamp::from_nanosecond(time_ns) {
        Ok(time) if has_zone => time.to_string(),
        Ok(time) => Offset::UTC.to_datetime(time).to_string(),
        Err(_) => format!("{time_ns} ns, which no calendar has"),
    }
}

/// Returns a duration in seconds, with their unit.
fn seconds(duration_ns: i128) -> String {
    format!("{}s", decimal(duration_ns, 9))
}

/// Returns `value` / 10^`scale`, without zeros at its end.
fn decimal(value: i128, scale: usize) -> String {
    decimal_of(&value.to_string(), scale)
}

/// Returns the number with these digits and perhaps a minus, divided by 10^`scale`, without zeros at its end.
fn decimal_of(value: &str, scale: usize) -> String {
    /// More digits than any type of decimals has. A file with a greater scale is damaged.
    const MOST: usize = 100;
    if scale > MOST {
        return format!("{value}e-{scale}");
    }
    let (sign, digits) = value.strip_prefix('-').map_or(("", value), |digits| ("-", digits));
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{sign}{whole}{point}{fraction}")
}

#[cfg(test)]
mod tests;
