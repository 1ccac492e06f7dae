//! A list of numbers that spills to disk.

use std::io::{self, BufReader, Read, Write};

use meshreplay_base::disk::Scratch;

/// Numbers per write.
const CHUNK: usize = 1 << 13;

/// A list of numbers. Beyond a given length it is in an unnamed temporary file, which vanishes with the
/// process.
#[derive(Debug)]
pub(in crate::metrics) struct SpillingList {
    /// The last numbers.
    recent: Vec<f64>,
    /// The most numbers in memory.
    most: usize,
    /// The earlier numbers, eight bytes each, or `None` if all are in memory.
    file: Option<Scratch>,
    count: u64,
    /// The reason why numbers were lost.
    error: Option<io::Error>,
}

impl SpillingList {
    /// Creates an empty list with at most `most` numbers in memory.
    pub(in crate::metrics) fn new(most: usize) -> Self {
        Self { recent: Vec::new(), most, file: None, count: 0, error: None }
    }

    /// Appends a number. If it is lost, [`Self::for_each`] fails.
    pub(in crate::metrics) fn push(&mut self, value: f64) {
        self.recent.push(value);
        self.count += 1;
        if self.recent.len() >= self.most {
            // After an error further numbers are dropped, because they are useless and take memory.
            if self.error.is_none() {
                self.error = self.spill().err();
            }
            self.recent.clear();
        }
    }

    /// Appends the numbers in memory to the file.
    fn spill(&mut self) -> io::Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => Scratch::create()?,
        };
        let mut bytes = Vec::with_capacity(size_of::<f64>() * CHUNK);
        for values in self.recent.chunks(CHUNK) {
            bytes.clear();
            bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            file.write_all(&bytes)?;
        }
        self.file = Some(file);
        Ok(())
    }

    /// Returns the number of appended numbers.
    pub(in crate::metrics) fn count(&self) -> u64 {
        self.count
    }

    /// Calls `visit` with each number in order. Fails if numbers were lost or cannot be read back.
    pub(in crate::metrics) fn for_each(self, mut visit: impl FnMut(f64)) -> io::Result<()> {
        let Self { recent, file, count, error, .. } = self;
        if let Some(error) = error {
            return Err(error);
        }
        if let Some(file) = file {
            let mut file = BufReader::with_capacity(1 << 16, file.into_reader()?);
            let mut bytes = [0; 8];
            for _ in 0..count - recent.len() as u64 {
                file.read_exact(&mut bytes)?;
                visit(f64::from_le_bytes(bytes));
            }
        }
        recent.into_iter().for_each(visit);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::path::Path;

    use super::*;
    use meshreplay_base::disk::{Double, Operation, interpose};

    thread_local! {
        /// Remaining operations on files of this thread before failure, `None` for no failure.
        static LEFT: Cell<Option<usize>> = const { Cell::new(None) };
    }

    /// A disk that is full after some operations.
    struct SmallDisk;

    impl Double for SmallDisk {
        fn before(&self, _: Operation, _: &Path, bytes: usize) -> io::Result<usize> {
            match LEFT.get() {
                None => Ok(bytes),
                Some(0) => Err(io::ErrorKind::StorageFull.into()),
                Some(left) => {
                    LEFT.set(Some(left - 1));
                    // Writes are short, too.
                    Ok(bytes.min(13))
                }
            }
        }
    }

    /// Any operation on the temporary file may fail. Then no numbers are returned.
    #[test]
    fn numbers_that_cannot_be_kept_are_an_error() {
        assert!(interpose(Box::new(SmallDisk)), "another unit test has a double already");
        let mut done = 0;
        for left in 0.. {
            let mut values = SpillingList::new(7);
            LEFT.set(Some(left));
            (0..30).for_each(|i| values.push(f64::from(i)));
            assert!(values.recent.len() < 7);
            let mut found = Vec::new();
            let result = values.for_each(|value| found.push(value));
            let is_full = LEFT.replace(None) == Some(0);
            if result.is_ok() {
                assert_eq!(found, (0..30).map(f64::from).collect::<Vec<_>>());
                if !is_full {
                    break;
                }
            } else {
                assert_eq!(
                    (result.map_err(|error| error.kind()), found.len()),
                    (Err(io::ErrorKind::StorageFull), 0)
                );
                done += 1;
            }
        }
        // One is making the file, and 28 numbers of eight bytes take more than 17 writes of 13 bytes.
        assert!(done > 18, "{done}");
    }

    #[test]
    fn numbers_come_back_in_their_order() -> io::Result<()> {
        for count in [0, 1, 6, 7, 8, 20, 21] {
            let mut values = SpillingList::new(7);
            let given: Vec<f64> = (0..count).map(|i| f64::from(i) / 3.0).collect();
            for &value in &given {
                values.push(value);
            }
            assert_eq!(values.count(), given.len() as u64);
            let mut found = Vec::new();
            values.for_each(|value| found.push(value))?;
            assert!(found.iter().map(|value| value.to_bits()).eq(given.iter().map(|value| value.to_bits())));
        }
        Ok(())
    }
}
