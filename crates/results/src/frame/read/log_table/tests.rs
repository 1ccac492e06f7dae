//! Tests of tables as text.

use std::io::Write;

use polars_core::prelude::{Column, DataFrame, PolarsResult};
use polars_core::utils::arrow::datatypes::ArrowSchema;
use polars_core::utils::arrow::io::ipc::write::{FileWriter, WriteOptions};
use polars_core::utils::arrow::record_batch::RecordBatchT;

use super::*;
use crate::frame::{FileFormat, write_to};

type Tested = Result<(), Box<dyn std::error::Error>>;

/// Returns the text of a file with these bytes.
fn text(bytes: &[u8]) -> Result<String, Box<dyn std::error::Error>> {
    let mut file = tempfile::tempfile()?;
    file.write_all(bytes)?;
    file.rewind()?;
    let mut text = String::new();
    csv_of(file)?.read_to_string(&mut text)?;
    Ok(text)
}

#[test]
fn frames_are_text_in_both_formats() -> Tested {
    let count = ROWS as i64 + 5;
    let columns = vec![
        Column::new("job".into(), (0..count).collect::<Vec<i64>>()),
        Column::new(
            "user name".into(),
            (0..count).map(|i| (i % 2 == 0).then_some("a,\"b\"")).collect::<Vec<_>>(),
        ),
        Column::new("load".into(), (0..count).map(|i| i as f64 / 2.0).collect::<Vec<f64>>()),
    ];
    let line = |i: i64| {
        let name = if i % 2 == 0 { "\"a,\"\"b\"\"\"" } else { "" };
        format!("{i},{name},{}\n", i as f64 / 2.0)
    };
    let expected = "job,\"user name\",load\n".to_owned() + &(0..count).map(line).collect::<String>();
    let mut frame = DataFrame::new_infer_height(columns)?;
    for format in [FileFormat::Parquet, FileFormat::Arrow] {
        let mut bytes = Vec::new();
        write_to(&mut bytes, &mut frame, format, "{}")?;
        assert!(text(&bytes)? == expected, "{format:?}");
        // A part of the file is an error and no panic.
        assert!(text(&bytes[..bytes.len() / 2]).is_err(), "{format:?}");
    }
    Ok(())
}

/// Returns the bytes of an Arrow file with one column.
fn arrow_file(array: Box<dyn Array>) -> PolarsResult<Vec<u8>> {
    let schema = ArrowSchema::from_iter([Field::new("x".into(), array.dtype().clone(), true)]);
    let mut bytes = Vec::new();
    let mut writer =
        FileWriter::new(&mut bytes, Arc::new(schema.clone()), None, WriteOptions { compression: None });
    writer.start()?;
    let batch = RecordBatchT::try_new(array.len(), Arc::new(schema), vec![array])?;
    writer.write(&batch, None)?;
    writer.finish()?;
    Ok(bytes)
}

#[test]
fn instants_and_durations_have_their_zone_and_unit() -> Tested {
    let millisecond = TimeUnit::Millisecond;
    for (dtype, value, expected) in [
        (ArrowDataType::Timestamp(millisecond, None), 1_714_564_800_500, "2024-05-01T12:00:00.5"),
        (
            ArrowDataType::Timestamp(TimeUnit::Second, Some("Europe/Berlin".into())),
            1_714_564_800,
            "2024-05-01T12:00:00Z",
        ),
        (
            ArrowDataType::Timestamp(TimeUnit::Nanosecond, Some("UTC".into())),
            1_500_000_000,
            "1970-01-01T00:00:01.5Z",
        ),
        (ArrowDataType::Duration(TimeUnit::Microsecond), 600_250_000, "600.25s"),
        (ArrowDataType::Duration(TimeUnit::Nanosecond), -1, "-0.000000001s"),
        (ArrowDataType::Date64, 1_714_564_800_000, "2024-05-01T12:00:00"),
        (ArrowDataType::Int64, -7, "-7"),
    ] {
        let array = PrimitiveArray::<i64>::from([Some(value), None]).to(dtype.clone());
        let found = text(&arrow_file(Box::new(array))?)?;
        assert_eq!(found, format!("x\n{expected}\n\n"), "{dtype:?}");
    }
    let days = PrimitiveArray::<i32>::from([Some(19_844)]).to(ArrowDataType::Date32);
    assert_eq!(text(&arrow_file(Box::new(days))?)?, "x\n2024-05-01T00:00:00\n");
    assert_eq!(decimal(-1234, 2), "-12.34");
    assert_eq!(decimal(500, 2), "5");
    assert_eq!(decimal(5, 3), "0.005");
    Ok(())
}

#[test]
fn categories_and_lists_are_text() -> Tested {
    let keys = PrimitiveArray::<i32>::from([Some(0), None, Some(1), Some(0)]);
    let names: Box<dyn Array> = Box::new(Utf8Array::<i32>::from_slice(["batch", "long"]));
    let found = text(&arrow_file(Box::new(DictionaryArray::try_from_keys(keys, names, false)?))?)?;
    assert_eq!(found, "x\nbatch\n\nlong\nbatch\n");
    let values: Box<dyn Array> = Box::new(PrimitiveArray::<i64>::from_vec(vec![1, 2, 7]));
    let dtype = ListArray::<i64>::default_datatype(ArrowDataType::Int64);
    let offsets = vec![0_i64, 2, 2, 3].try_into()?;
    let lists = ListArray::<i64>::new(dtype, offsets, values, None);
    assert_eq!(text(&arrow_file(Box::new(lists))?)?, "x\n\"1,2\"\n\n7\n");
    Ok(())
}
