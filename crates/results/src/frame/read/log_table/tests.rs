//! Tests of tables as text.

use std::io::Write;

use polars_core::prelude::{Column, DataFrame, PolarsResult};
use polars_core::utils::arrow::array::FixedSizeListArray;
use polars_core::utils::arrow::datatypes::ArrowSchema;
use polars_core::utils::arrow::io::ipc::write::{FileWriter, StreamWriter, WriteOptions};
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
    text_of_table(file)?.read_to_string(&mut text)?;
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

/// pyarrow 26 made the file of 3600 s, nothing and 5 s, by its defaults. Its schema of Arrow says seconds.
#[test]
fn times_of_day_in_parquet_have_the_unit_of_the_file() -> Tested {
    assert_eq!(text(include_bytes!("seconds.parquet"))?, "x\n3600s\n\n5s\n");
    let times = PrimitiveArray::<i32>::from([Some(3600)]).to(ArrowDataType::Time32(TimeUnit::Second));
    assert_eq!(text(&arrow_file(Box::new(times))?)?, "x\n3600s\n");
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

#[test]
fn a_damaged_length_ends_no_process() -> Tested {
    let columns = vec![
        Column::new("job".into(), (0..40_i64).collect::<Vec<_>>()),
        Column::new("user".into(), (0..40).map(|at| (at % 3 > 0).then_some("ann")).collect::<Vec<_>>()),
        Column::new("load".into(), vec![0.5_f64; 40]),
    ];
    let mut frame = DataFrame::new_infer_height(columns)?;
    let (mut parquet, mut arrow) = (Vec::new(), Vec::new());
    write_to(&mut parquet, &mut frame, FileFormat::Parquet, "{}")?;
    write_to(&mut arrow, &mut frame, FileFormat::Arrow, "{}")?;
    for whole in [parquet, arrow, arrow_stream()?] {
        for at in 4..whole.len() {
            for mask in [1, 4, 32, 64, 128, 255] {
                let mut bytes = whole.clone();
                bytes[at] ^= mask;
                // An error or a table; an allocation that fails would end this process.
                let _ = text(&bytes);
            }
        }
    }
    Ok(())
}

/// Returns the bytes of an Arrow stream with two batches of three rows.
fn arrow_stream() -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let array: Box<dyn Array> = Box::new(PrimitiveArray::<i64>::from_vec(vec![1, 2, 3]));
    let schema = ArrowSchema::from_iter([Field::new("x".into(), array.dtype().clone(), true)]);
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::new(&mut bytes, WriteOptions { compression: None });
    writer.start(&schema, None)?;
    for _ in 0..2 {
        let batch = RecordBatchT::try_new(3, Arc::new(schema.clone()), vec![array.clone()])?;
        writer.write(&batch, None)?;
    }
    writer.finish()?;
    Ok(bytes)
}

#[test]
fn tables_that_are_cut_or_put_together_are_errors() -> Tested {
    let stream = arrow_stream()?;
    assert_eq!(text(&stream)?, "x\n1\n2\n3\n1\n2\n3\n");
    for length in 0..stream.len() {
        assert!(text(&stream[..length]).is_err(), "{length} of {} bytes", stream.len());
    }
    let array = || Box::new(PrimitiveArray::<i64>::from_vec(vec![1, 2, 3]));
    let file = arrow_file(array())?;
    let mut frame = DataFrame::new_infer_height(vec![Column::new("x".into(), vec![1_i64, 2, 3])])?;
    let mut parquet = Vec::new();
    write_to(&mut parquet, &mut frame, FileFormat::Parquet, "{}")?;
    for (bytes, problem) in
        [(&stream, "follows the end marker"), (&file, "put together"), (&parquet, "put together")]
    {
        let found = text(&[&bytes[..], &bytes[..]].concat()).expect_err("two").to_string();
        assert!(found.contains(problem), "{found}");
    }
    Ok(())
}

#[test]
fn decimals_of_all_widths_and_small_floats_are_numbers() {
    let narrow = PrimitiveArray::<i32>::from_vec(vec![-1234]).to(ArrowDataType::Decimal32(9, 2));
    let wide = PrimitiveArray::<i64>::from_vec(vec![-1234]).to(ArrowDataType::Decimal64(18, 2));
    let widest = i256::from_words(0, 7);
    let widest = PrimitiveArray::<i256>::from_vec(vec![widest]).to(ArrowDataType::Decimal256(76, 2));
    let half = PrimitiveArray::<pf16>::from_vec(vec![pf16::from(1.5_f32)]);
    let arrays: [(Box<dyn Array>, &str); 4] = [
        (Box::new(narrow), "-12.34"),
        (Box::new(wide), "-12.34"),
        (Box::new(widest), "0.07"),
        (Box::new(half), "1.5"),
    ];
    for (array, expected) in arrays {
        let mut cell = Vec::new();
        write_value(&mut cell, &*array, array.dtype(), 0);
        assert_eq!(String::from_utf8_lossy(&cell), expected, "{:?}", array.dtype());
    }
    for scale in [0, 1, 100, 101, 65_535, usize::MAX] {
        assert!(decimal(7, scale).parse::<f64>().is_ok_and(f64::is_finite), "{scale}");
    }
}

#[test]
fn names_of_columns_say_that_they_are_not_read() -> Tested {
    let item = Field::new("item".into(), ArrowDataType::Int64, true);
    let values: Box<dyn Array> = Box::new(PrimitiveArray::<i64>::from_vec(vec![1, 2]));
    let lists = FixedSizeListArray::new(ArrowDataType::FixedSizeList(Box::new(item), 1), 2, values, None);
    assert_eq!(text(&arrow_file(Box::new(lists))?)?, "\"x (type not read: fixed-size list)\"\n\n\n");
    let bytes = BinaryArray::<i32>::from_slice([&b"n1"[..], b"n\xff"]);
    assert_eq!(text(&arrow_file(Box::new(bytes))?)?, "x\nn1\nn\u{fffd}\n");
    Ok(())
}

#[test]
fn columns_of_different_lengths_are_errors() {
    let column = |values: Vec<i64>| Some(Box::new(PrimitiveArray::<i64>::from_vec(values)) as Box<dyn Array>);
    assert!(RecordBatch::new(2, vec![column(vec![1, 2]), None]).is_ok());
    let found = RecordBatch::new(2, vec![column(vec![1, 2]), column(vec![1])]).map(|_| ()).expect_err("one");
    assert!(found.to_string().contains("a column has 1 values in 2 rows"), "{found}");
}
