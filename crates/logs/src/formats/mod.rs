//! The registry of log formats, and the ways to find the format of a log.
//!
//! A format is one row and one file. The file has the row and the parser, and [`FORMATS`] lists the row.
//! Readers, writers and commands know formats only by their rows.
#![expect(
    clippy::arithmetic_side_effects,
    reason = "columns and fields are positions in a line plus 1, and lines are counted one by one"
)]

mod batch;
mod cells;
mod clusters;
mod format;
mod json_text;
mod lsf;
mod nas_ipsc;
mod pbs;
mod premas;
mod sge;
mod slurm;
mod swf;
mod table;
mod unread;

use std::path::Path;

pub use clusters::OF_CLUSTER;
pub use format::{Format, LineParser, Parsed, Preview, Writing};
pub use swf::SHAPES;
pub use table::Columns;

use super::fields::{parsed, words};
use super::record::FIELDS;
use super::times::Clock;
pub use super::times::{DATES, POSIX, TIME_ZONE};
use super::unit::Unit;
use meshreplay_base::spec::{Params, Spec, SpecError, unknown};

/// Every log format.
pub const FORMATS: &[Format] = &[
    swf::FORMAT,
    premas::FORMAT,
    nas_ipsc::FORMAT,
    pbs::FORMAT,
    sge::FORMAT,
    lsf::FORMAT,
    slurm::sacct::FORMAT,
    slurm::json::FORMAT,
    slurm::jobcomp::FORMAT,
    table::COLUMNS,
    table::TABLE,
];

/// The Standard Workload Format: the format of models' logs, and the default if neither the file name nor the
/// first line identifies another.
pub const SWF: &Format = &swf::FORMAT;

/// Spec name for automatic recognition by file name or first line. Its parameters go to the recognised
/// format, as in `auto:time-zone=Europe/Berlin`. Formats without local dates ignore the time zone, so one
/// spec fits logs of several formats.
pub const AUTO: &str = "auto";

impl Format {
    /// Returns the format with this name, or an error that lists all names.
    pub fn find(name: &str) -> Result<&'static Self, SpecError> {
        let found = FORMATS.iter().find(|format| format.name == name);
        found.ok_or_else(|| unknown("log format", name, FORMATS.iter().map(|format| format.name)))
    }

    /// Returns the format of the extension of a file name (`.swf`, `.premas`, each with or without `.gz`);
    /// `None` if the extension is of no format.
    pub fn of_path(path: &Path) -> Option<&'static Self> {
        let stem = if is_gzip_name(path) { Path::new(path.file_stem()?) } else { path };
        let extension = stem.extension()?.to_str()?;
        FORMATS
            .iter()
            .find(|format| format.extensions.iter().any(|known| extension.eq_ignore_ascii_case(known)))
    }

    /// Returns the format that recognises `line`, the first line of a log that is neither blank nor a
    /// comment; `None` if no format does.
    pub fn of_line(line: &[u8]) -> Option<&'static Self> {
        FORMATS.iter().find(|format| format.recognises.is_some_and(|recognises| recognises(line)))
    }

    /// Returns whether logs of this format come from the accounting of a site: dumps and tables.
    pub fn is_of_site(&self) -> bool {
        self.records_starts || [&table::TABLE, &table::COLUMNS].contains(&self)
    }

    /// Returns whether logs of this format are read with a parameter of this name, such as `time-zone`.
    pub fn has_parameter(&self, name: &str) -> bool {
        self.parameters.split(' ').any(|parameter| parameter.split('=').next() == Some(name))
    }

    /// Returns the formats that can be written.
    pub fn writable() -> impl Iterator<Item = &'static Self> {
        FORMATS.iter().filter(|format| format.writing.is_some())
    }
}

/// Lines for recognising a format.
pub(super) struct FirstLines<'a> {
    /// First line that is neither blank nor a comment.
    pub(super) first: Option<&'a [u8]>,
    /// First such line without a `#`, which begins comments of some programs.
    pub(super) below: Option<&'a [u8]>,
    /// Whether the log is a table in a binary file, which was turned into CSV.
    pub(super) is_table: bool,
}

/// Returns the format of a log with an unknown file name: by its first lines, or else SWF. A first line that
/// neither begins with a number nor has 18 fields is a table, so error messages explain tables. The error
/// gives the kind of an unreadable log and a remedy.
pub(super) fn of_first_lines(lines: &FirstLines) -> Result<&'static Format, (&'static str, &'static str)> {
    let Some(first) = lines.first else { return Ok(SWF) };
    let of_batch_system = |format: &&'static Format| format.records_starts && **format != slurm::json::FORMAT;
    let below = lines.below.filter(|_| first.starts_with(b"#")).and_then(Format::of_line);
    let known = below.filter(of_batch_system).or_else(|| Format::of_line(first).filter(of_batch_system));
    if let Some(format) = known {
        return Ok(format);
    }
    if let Some(unread) = unread::unread(first) {
        return Err(unread);
    }
    if lines.is_table || table::is_json(first) {
        return Ok(&table::TABLE);
    }
    let mut words = words(first);
    let is_number = |word: &[u8]| parsed::<f64>(word).is_some();
    let is_swf = words.next().is_none_or(is_number) || words.count() + 1 >= FIELDS;
    Ok(Format::of_line(first).unwrap_or(if is_swf { SWF } else { &table::TABLE }))
}

/// Returns the format of a log whose name is that of `named`, by its first line: names of JSON files do not
/// tell records from the output of `sacct --json`.
pub(super) fn of_content(named: &'static Format, first: &[u8]) -> &'static Format {
    if *named == slurm::json::FORMAT && table::is_json(first) { &table::TABLE } else { named }
}

/// Returns the format and the parser for a spec such as `nas-ipsc` or `columns:submit=3,run=5,procs=2`. Fails
/// for an unknown format or a wrong parameter.
/// Parameters of dates are idle where the format has no such dates; see `idle`.
pub fn build(spec: &Spec) -> Result<(&'static Format, Box<dyn LineParser>), SpecError> {
    let format = Format::find(&spec.name)?;
    let (mut spec, idle) = (spec.clone(), idle(format, spec));
    let dates = idle.iter().filter_map(|key| Some(((*key).to_owned(), spec.params.remove(*key)?)));
    let dates = Spec { params: dates.collect(), ..Spec::named(AUTO) };
    Clock::take(&mut Params::new(&dates))?;
    let spec = &spec;
    if format.parameters.is_empty() {
        Params::new(spec).finish()?;
    }
    Ok((format, (format.parser)(spec)?))
}

/// Returns the parameters of dates in a spec that the format does not have. They change nothing, so that the
/// same arguments suit several logs.
pub(super) fn idle(format: &Format, spec: &Spec) -> Vec<&'static str> {
    let is_idle = |key: &&'static str| !format.has_parameter(key) && spec.params.contains_key(*key);
    // A table by numbers of columns becomes one of the newer kind with such a parameter.
    let keys = if *format == table::COLUMNS { &[][..] } else { &[TIME_ZONE, DATES][..] };
    keys.iter().copied().filter(is_idle).collect()
}

/// Parses a spec of a format, or of [`AUTO`]. Fails for an unknown format, or for a wrong or missing
/// parameter.
pub fn parse(text: &str) -> Result<Spec, SpecError> {
    let spec: Spec = text.parse()?;
    if spec.name == AUTO {
        // The parameters that more than one format has.
        let mut params = Params::new(&spec);
        Clock::take(&mut params)?;
        if spec.params.contains_key("unit") {
            Unit::take(&mut params)?;
        }
        clusters::Clusters::take(&mut params);
        params.finish()?;
    } else {
        build(&spec)?;
    }
    Ok(spec)
}

/// Returns the spec of a format with one more parameter, such as `table:time-zone=UTC`. Without a format it
/// is a parameter of [`AUTO`]. A table by numbers of columns has no parameters; as a table of the newer kind
/// it has them.
#[must_use]
pub fn with_parameter(format: Option<Spec>, key: &str, value: &str) -> Spec {
    let base = format.unwrap_or_else(|| Spec::named(AUTO));
    let name = if base.name == table::COLUMNS.name { table::TABLE.name.to_owned() } else { base.name };
    Spec { name, ..base }.with(key, value)
}

/// Returns the zone of dates without a zone in `format`; `None` if not given.
pub fn time_zone(format: &Spec) -> Option<&str> {
    format.params.get(TIME_ZONE).map(String::as_str)
}

/// Returns the file name of a log without `.gz` and without the extension of its format.
pub fn without_extensions(file_name: &str) -> &str {
    let plain = file_name.strip_suffix(".gz").unwrap_or(file_name);
    let mut extensions = FORMATS.iter().flat_map(|format| format.extensions);
    let stem = extensions.find_map(|extension| plain.strip_suffix(extension)?.strip_suffix('.'));
    stem.unwrap_or(plain)
}

/// Returns whether a name ends in `.gz`, so that the file is to be compressed.
pub fn is_gzip_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_formats() {
        for (name, format) in [
            ("a.swf", Some("swf")),
            ("dir.premas/a.SWF.GZ", Some("swf")),
            ("a.b.premas", Some("premas")),
            ("a.premas.gz", Some("premas")),
            ("a.gz", None),
            ("swf", None),
            ("a.txt", None),
            ("-", None),
        ] {
            assert_eq!(Format::of_path(Path::new(name)).map(|format| format.name), format, "{name}");
        }
    }

    #[test]
    fn lines_tell_only_formats_that_look_like_no_other() {
        for (line, format) in [
            ("user0 nqs0 128 1451 10/01/93 00:00:03", Some("nas-ipsc")),
            ("1 0 -1 60 4 -1 -1 4 90 -1 1 1 1 -1 -1 -1 -1 -1", None),
            ("0\t4\t60\t-1", None),
            ("anna q4s 4 100 160", None),
            ("Date User Host Node Day Hour", None),
            ("Submit,Start,End,Nodes", Some("table")),
            ("id\tsubmit_time\trun_time\tprocs", Some("table")),
            ("submit run procs", Some("table")),
            ("\"JOB_FINISH\" \"10.1\" 1389645000 501", Some("lsf")),
            ("Submit,Start,Nodes", None),
        ] {
            assert_eq!(Format::of_line(line.as_bytes()).map(|format| format.name), format, "{line}");
        }
    }

    #[test]
    fn comments_and_binary_tables_are_told_by_what_they_hold() {
        let of = |first: &'static str, below: &'static str, is_table| {
            let [first, below] = [first, below].map(|line| Some(line.as_bytes()));
            of_first_lines(&FirstLines { first, below, is_table }).map(|format| format.name)
        };
        let pbs = "05/13/2024 10:00:00;E;1.srv;x=1";
        assert_eq!(of("# written by hand", pbs, false), Ok("pbs"));
        assert_eq!(of("# submit run procs", "1 2 3", false), Ok("table"));
        assert_eq!(
            of(
                "a name with more words than a job of swf has fields, which are eighteen in all of them",
                "",
                true
            ),
            Ok("table")
        );
        assert_eq!(of("{", "{", false), Ok("slurm-json"));
        assert!(of("ClusterId = 12", "ClusterId = 12", false).is_err());
    }

    #[test]
    fn rows_are_whole_and_their_names_and_extensions_their_own() {
        let mut seen = std::collections::HashSet::new();
        for format in FORMATS {
            assert!(seen.insert(format.name), "{} is there twice", format.name);
            assert!(!format.summary.is_empty() && !format.source.is_empty(), "{}", format.name);
            assert!(format.writing.is_none() || !format.extensions.is_empty(), "{}", format.name);
            for extension in format.extensions {
                assert!(*extension == format.name || seen.insert(extension), "{extension} is there twice");
            }
        }
    }

    #[test]
    fn wrong_specs_say_what_was_expected() -> Result<(), SpecError> {
        for (text, problem) in [
            ("cwf", "unknown log format 'cwf', did you mean 'swf'? (one of: "),
            ("swf:shapes=yes", "'swf' has no parameter 'shapes'"),
            ("columns:submit=1,run=2", "field 'procs' is missing; submit, run and procs are needed"),
            ("columns", "columns are missing, such as columns:submit=3,run=5,procs=2"),
        ] {
            let Err(error) = build(&text.parse()?) else { panic!("{text} is no format") };
            assert!(error.to_string().contains(problem), "{text}: {error}");
        }
        Ok(())
    }
}
