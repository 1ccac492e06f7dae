//! Logs by the names that papers give them. Finds the file of a log in a directory, whichever version of it
//! is there.

use std::path::{Path, PathBuf};
use std::{fs, io};

use meshreplay_logs::Format;
use meshreplay_study::study::log_name;

/// A log of the Parallel Workloads Archive, whatever its version.
#[derive(Clone, Copy, Debug)]
pub struct Dataset {
    /// The name of the log without a version.
    pub name: &'static str,
    /// The version that the paper used; `None` if it is not known.
    pub used: Option<&'static str>,
    /// Whether the paper does not name that version, which is the one that the simulator of its authors comes
    /// with.
    pub is_of_simulator: bool,
    /// A version that can be downloaded from the archive.
    pub available: &'static str,
    /// The folder of the log in the archive; `None` if `scripts/fetch-traces.sh` knows the log.
    folder: Option<&'static str>,
}

const fn dataset(name: &'static str, used: Option<&'static str>, available: &'static str) -> Dataset {
    Dataset { name, used, is_of_simulator: false, available, folder: None }
}

/// All datasets that the figures of papers use.
pub const DATASETS: &[Dataset] = &[
    dataset("NASA-iPSC-1993", Some("2.1-cln"), "3.1-cln"),
    dataset("LANL-CM5-1994", Some("3.1-cln"), "4.1-cln"),
    Dataset { folder: Some("l_llnl_t3d"), ..dataset("LLNL-T3D-1996", Some("1"), "2") },
    dataset("SDSC-SP2-1998", Some("3.1-cln"), "4.2-cln"),
    Dataset { folder: Some("l_llnl_ubgl"), ..dataset("LLNL-uBGL-2006", Some("1"), "2") },
    Dataset { is_of_simulator: true, ..dataset("KTH-SP2-1996", Some("2"), "2") },
    dataset("HPC2N-2002", None, "2.2-cln"),
    dataset("SDSC-Par-1996", None, "3.1-cln"),
];

/// The file of a dataset in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Located {
    /// The path of the file.
    pub path: PathBuf,
    /// The file name without extensions.
    pub name: String,
    /// The version in the file name; empty if the name has none.
    pub version: String,
    /// The version that the paper used, if the file is another version; else `None`.
    pub used_instead_of: Option<&'static str>,
}

/// The error that a directory cannot be searched for logs.
#[derive(Debug, thiserror::Error)]
#[error("{} cannot be read as a directory of logs", .path.display())]
pub struct Locating {
    path: PathBuf,
    source: io::Error,
}

/// How well a file fits, compared from left to right: the version that the paper used, a known version,
/// cleaned as that version is, the numbers of the version, with a header, compressed.
type Rank = (bool, bool, bool, Vec<u32>, bool, bool);

impl Dataset {
    /// Returns the dataset of this name; `None` if there is none.
    pub fn find(name: &str) -> Option<&'static Self> {
        DATASETS.iter().find(|dataset| dataset.name == name)
    }

    /// Returns the file in `folder` that is this dataset; `None` if there is none. Any format with a file
    /// extension of its own will do, with or without year and version in the name. The version that the paper
    /// used comes first. After it come the versions that are cleaned if that one is, the latest first. Of one
    /// version, formats that may have a header come before those without one, and gzip before plain text.
    pub fn locate(&self, folder: &Path) -> Result<Option<Located>, Locating> {
        let unreadable = |source| Locating { path: folder.to_owned(), source };
        let mut best: Option<(Rank, Located)> = None;
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let path = entry.map_err(unreadable)?.path();
            let Some(format) = Format::of_path(&path) else { continue };
            let name = log_name(&path);
            let Some(version) = self.version_of(&name) else { continue };
            let cleaned = |version: &str| version.ends_with("-cln");
            let alike = self.used.is_none_or(|used| cleaned(used) == cleaned(&version));
            let numbers = version.split(|c: char| !c.is_ascii_digit());
            let rank: Rank = (
                self.used == Some(version.as_str()),
                !version.is_empty(),
                alike,
                numbers.filter_map(|number| number.parse().ok()).collect(),
                format.writing.is_some_and(|writing| writing.has_comments),
                path.extension().is_some_and(|extension| extension == "gz"),
            );
            let used_instead_of = self.used.filter(|used| *used != version);
            if best.as_ref().is_none_or(|(other, _)| rank > *other) {
                best = Some((rank, Located { path, name, version, used_instead_of }));
            }
        }
        Ok(best.map(|(_, located)| located))
    }

    /// Returns the version in a file name: `3.1-cln` for `NASA-iPSC-1993-3.1-cln` and `NASA-iPSC-3.1-cln`, an
    /// empty text for `NASA-iPSC-1993` and `NASA-iPSC`. Returns `None` for names of other logs, also of the
    /// same log in another year. Upper and lower case are equal.
    fn version_of(&self, name: &str) -> Option<String> {
        let machine = self.name.rsplit_once('-').map_or(self.name, |(machine, _)| machine);
        let version = |prefix: &str| {
            let (start, rest) = name.split_at_checked(prefix.len())?;
            let version = if rest.is_empty() { rest } else { rest.strip_prefix('-')? };
            let first = version.split(|c: char| !c.is_ascii_digit()).next()?;
            let is_version = rest.is_empty() || (1..4).contains(&first.len());
            (start.eq_ignore_ascii_case(prefix) && is_version).then(|| version.to_owned())
        };
        version(self.name).or_else(|| version(machine))
    }

    /// Returns the shell command that fetches the log into `folder`.
    pub fn fetch_command(&self, folder: &Path) -> String {
        let (log, into) = (format!("{}-{}", self.name, self.available), folder.display());
        match self.folder {
            None => format!("scripts/fetch-traces.sh --into {into} {log}"),
            Some(archive) => format!(
                "curl -fL --create-dirs -o {into}/{log}.swf.gz \
                 https://www.cs.huji.ac.il/labs/parallel/workload/{archive}/{log}.swf.gz"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_the_paper_comes_first_then_the_latest_alike() -> Result<(), Box<dyn std::error::Error>>
    {
        let dataset = Dataset::find("SDSC-SP2-1998").ok_or("unknown")?;
        let folder = tempfile::tempdir()?;
        let found = || -> Result<Option<(String, Option<&str>)>, Locating> {
            let located = dataset.locate(folder.path())?;
            Ok(located.map(|located| (located.version, located.used_instead_of)))
        };
        assert_eq!(found()?, None);
        for (file, version) in [
            ("SDSC-SP2-1998-x.swf", None),
            ("SDSC-SP2-1998-2.txt", None),
            ("NASA-iPSC-1993-3.1-cln.swf", None),
            ("SDSC-SP2-2001-3.1-cln.swf", None),
            ("sdsc-sp2.premas", Some("")),
            ("SDSC-SP2-4.swf", Some("4")),
            ("SDSC-SP2-1998-5.swf", Some("5")),
            ("SDSC-SP2-1998-2.1-cln.swf", Some("2.1-cln")),
            ("SDSC-SP2-1998-10.2-cln.swf", Some("10.2-cln")),
            ("SDSC-SP2-1998-4.2-cln.swf.gz", Some("10.2-cln")),
        ] {
            fs::write(folder.path().join(file), "")?;
            let expected = version.map(|version| (version.to_owned(), Some("3.1-cln")));
            assert_eq!(found()?, expected, "{file}");
        }
        fs::write(folder.path().join("SDSC-SP2-1998-3.1-cln.swf"), "")?;
        assert_eq!(found()?, Some(("3.1-cln".to_owned(), None)));
        assert!(dataset.locate(&folder.path().join("none")).is_err());
        Ok(())
    }

    #[test]
    fn a_log_is_found_in_every_format_under_its_usual_names() -> Result<(), Box<dyn std::error::Error>> {
        let dataset = Dataset::find("LLNL-T3D-1996").ok_or("unknown")?;
        for (file, version, used_instead_of) in [
            ("LLNL-T3D-1996-2.swf.gz", "2", Some("1")),
            ("LLNL-T3D-1996-1.premas", "1", None),
            ("LLNL-T3D-1996.swf", "", Some("1")),
            ("LLNL-T3D.swf", "", Some("1")),
            ("LLNL-T3D.premas.gz", "", Some("1")),
            ("llnl-t3d-2.swf", "2", Some("1")),
        ] {
            let folder = tempfile::tempdir()?;
            fs::write(folder.path().join(file), "")?;
            let found = dataset.locate(folder.path())?.ok_or(file)?;
            assert_eq!((found.version.as_str(), found.used_instead_of), (version, used_instead_of), "{file}");
            assert!(file.starts_with(&found.name) && !found.name.contains('.'), "{file}: {}", found.name);
        }
        Ok(())
    }

    #[test]
    fn every_dataset_can_be_fetched() {
        for dataset in DATASETS {
            let command = dataset.fetch_command(Path::new("logs"));
            assert!(command.contains(dataset.name) && command.contains("logs"), "{command}");
        }
    }
}
