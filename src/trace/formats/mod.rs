//! The formats of logs, and how a file name tells them.

pub(in crate::trace) mod columns;
pub(in crate::trace) mod nas_ipsc;
pub mod premas;
pub(in crate::trace) mod swf;

use std::path::Path;

/// How the lines of a log are to be understood.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Standard Workload Format: 18 fields, header lines that begin with `;`.
    Swf,
    /// The four columns of the `PReMAS` simulator: arrival, processors, run time, estimate.
    Premas,
    /// The native log of the iPSC/860 at NASA Ames; it can be read only.
    NasIpsc,
    /// Columns that are told; they can be read only.
    Columns,
}

impl Format {
    /// Every format that has a name of its own.
    pub const ALL: [Self; 3] = [Self::Swf, Self::Premas, Self::NasIpsc];
    /// Those that can be written.
    pub const WRITABLE: [Self; 2] = [Self::Swf, Self::Premas];

    /// What the format is called on the command line, and its file name extension.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Swf => "swf",
            Self::Premas => "premas",
            Self::NasIpsc => "nas-ipsc",
            Self::Columns => "columns",
        }
    }

    /// The format that the name of a file tells (`.swf`, `.premas`, each with or without `.gz`), if any.
    pub fn of_path(path: &Path) -> Option<Self> {
        let stem = if is_gzip_name(path) { Path::new(path.file_stem()?) } else { path };
        let extension = stem.extension()?.to_str()?;
        Self::WRITABLE.into_iter().find(|format| extension.eq_ignore_ascii_case(format.name()))
    }
}

/// Whether a file of this name is to be compressed.
pub(in crate::trace) fn is_gzip_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_formats() {
        for (name, format) in [
            ("a.swf", Some(Format::Swf)),
            ("dir.premas/a.SWF.GZ", Some(Format::Swf)),
            ("a.b.premas", Some(Format::Premas)),
            ("a.premas.gz", Some(Format::Premas)),
            ("a.gz", None),
            ("swf", None),
            ("a.txt", None),
            ("-", None),
        ] {
            assert_eq!(Format::of_path(Path::new(name)), format, "{name}");
        }
    }
}
