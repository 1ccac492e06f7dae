//! Files that are put back as they were if something that needed them is refused.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::frame::{TEMPORARY, write_whole};

/// What a directory held before files were written into it.
#[derive(Debug)]
pub(super) struct Undo {
    /// Each file with what it held; `None` if it was not there.
    files: Vec<(PathBuf, Option<Vec<u8>>)>,
    /// Directories that were made, the innermost first.
    made: Vec<PathBuf>,
}

impl Undo {
    /// Writes files into `folder`, which is made if need be. Whatever fails, nothing of it stays.
    pub(super) fn write(folder: &Path, files: &[(PathBuf, String)]) -> Result<Self> {
        let made = folder.ancestors().filter(|above| !above.as_os_str().is_empty() && !above.exists());
        let mut undo = Self { files: Vec::new(), made: made.map(Path::to_owned).collect() };
        match undo.write_all(folder, files) {
            Ok(()) => Ok(undo),
            Err(error) => {
                undo.back();
                Err(error)
            }
        }
    }

    fn write_all(&mut self, folder: &Path, files: &[(PathBuf, String)]) -> Result<()> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        for (path, text) in files {
            let held = match fs::read(path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => None,
                read => Some(read.with_context(|| format!("{} cannot be read", path.display()))?),
            };
            if held.as_deref() != Some(text.as_bytes()) {
                self.files.push((path.clone(), held));
                write_whole(path, text.as_bytes(), TEMPORARY)?;
            }
        }
        Ok(())
    }

    /// Puts everything back. What cannot be put back stays: the reason for this is told, and it matters more.
    pub(super) fn back(self) {
        for (path, held) in self.files {
            let _ = match held {
                Some(bytes) => write_whole(&path, &bytes, TEMPORARY).map_err(drop),
                None => fs::remove_file(path).map_err(drop),
            };
        }
        for folder in self.made {
            let _ = fs::remove_dir(folder);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_put_back() -> Result<()> {
        let directory = tempfile::tempdir()?;
        let (old, folder) = (directory.path().join("old"), directory.path().join("a/b"));
        fs::write(&old, "before")?;
        let files = [(old.clone(), "after".to_owned()), (folder.join("new"), "new".to_owned())];
        let undo = Undo::write(&folder, &files)?;
        assert_eq!(
            (fs::read_to_string(&old)?, fs::read_to_string(folder.join("new"))?),
            ("after".into(), "new".into())
        );
        undo.back();
        assert_eq!(fs::read_to_string(&old)?, "before");
        assert!(!directory.path().join("a").exists());
        // A file where a directory should be made.
        assert!(Undo::write(&old.join("c"), &files).is_err());
        assert_eq!(fs::read_to_string(&old)?, "before");
        Ok(())
    }
}
