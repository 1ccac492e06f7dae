//! Keeps earlier files until new ones have replaced all of them, so that a failure in between can be undone.
//!
//! Each file gets a second name (a hard link) in its directory, which costs no copy. On file systems without
//! links nothing is kept.

use std::fs;
use std::path::{Path, PathBuf};

use super::new_file::{TEMPORARY, folder_of};

/// The earlier files of some paths.
#[derive(Debug)]
pub struct Earlier {
    files: Vec<EarlierFile>,
}

/// What was at a path.
#[derive(Debug)]
struct EarlierFile {
    path: PathBuf,
    /// The second name of the file; `None` without a link.
    link: Option<PathBuf>,
    was_there: bool,
}

impl Earlier {
    /// Gives the files at these paths a second name. Paths of devices are left alone.
    pub fn keep<'p>(paths: impl IntoIterator<Item = &'p Path>) -> Self {
        let keep = |(number, path): (usize, &Path)| {
            // A link to a file stays, and its target is replaced.
            let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
            let was_there = path.exists();
            let name = format!("{TEMPORARY}earlier-{}-{number}", std::process::id());
            let link = folder_of(&path).join(name);
            let _ = fs::remove_file(&link);
            let is_kept = path.is_file() && fs::hard_link(&path, &link).is_ok();
            EarlierFile { path, link: is_kept.then_some(link), was_there }
        };
        Self { files: paths.into_iter().enumerate().map(keep).collect() }
    }

    /// Puts the first `replaced` files back and removes those that were not there. Returns whether all are as
    /// they were.
    pub fn restore(mut self, replaced: usize) -> bool {
        let back = |file: &mut EarlierFile| match file.link.take() {
            Some(link) => fs::rename(&link, &file.path).inspect_err(|_| file.link = Some(link)).is_ok(),
            None => !file.was_there && fs::remove_file(&file.path).is_ok(),
        };
        // All are tried, whichever fails.
        let count = self.files.iter_mut().take(replaced).map(back).filter(|is_back| *is_back).count();
        count == replaced.min(self.files.len())
    }
}

impl Drop for Earlier {
    /// Removes the second names. A later command removes those that stay.
    fn drop(&mut self) {
        for link in self.files.iter().filter_map(|file| file.link.as_ref()) {
            let _ = fs::remove_file(link);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_put_back_and_no_link_stays() -> std::io::Result<()> {
        let folder = tempfile::tempdir()?;
        let paths = ["a", "b", "c"].map(|name| folder.path().join(name));
        fs::write(&paths[0], "old a")?;
        fs::write(&paths[2], "old c")?;
        let earlier = Earlier::keep(paths.iter().map(PathBuf::as_path));
        // The third file is not replaced.
        for path in &paths[..2] {
            let new = folder.path().join("new");
            fs::write(&new, "new")?;
            fs::rename(&new, path)?;
        }
        assert!(earlier.restore(2));
        assert_eq!((fs::read(&paths[0])?, fs::read(&paths[2])?), (b"old a".to_vec(), b"old c".to_vec()));
        assert_eq!(fs::read_dir(folder.path())?.count(), 2);
        drop(Earlier::keep([paths[0].as_path()]));
        assert_eq!(fs::read_dir(folder.path())?.count(), 2);
        Ok(())
    }
}
