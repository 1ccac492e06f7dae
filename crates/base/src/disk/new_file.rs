//! New files. Content goes to a temporary file in the same directory, which is renamed when it is complete,
//! or directly to a device.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, PersistError};

use super::operations::{Operation, allowed, perform, remove_file};
use super::unfinished::Unfinished;

/// Prefix of the names of temporary files.
pub const TEMPORARY: &str = ".meshreplay-";

/// Attempts to make a temporary file. An attempt fails if another process removes the file before it is
/// locked.
const ATTEMPTS: usize = 8;

/// Symbolic links that are followed to a file that does not exist yet. A longer chain counts as a circle.
const MOST_LINKS: usize = 40;

/// A file that is being written. It appears under its name when [`put`](Self::put) succeeds. If it is dropped
/// before, the temporary file is removed. Only a device or a FIFO receives the content at once.
#[derive(Debug)]
pub struct NewFile {
    /// The final path, which is never a symbolic link.
    place: PathBuf,
    target: Target,
}

/// The file that receives the content.
#[derive(Debug)]
enum Target {
    /// A temporary file in the same directory, to be renamed to the final path.
    Beside(NamedTempFile, Unfinished),
    /// A device or a FIFO. No file may be renamed to its path.
    Stream(File),
}

impl NewFile {
    /// Begins the file at `path`. If `path` is a symbolic link, its target is written and the link stays. The
    /// name of the temporary file begins with `prefix`. Fails if `path` is a directory, or if the file cannot
    /// be made.
    pub fn create(path: &Path, prefix: &str) -> io::Result<Self> {
        let place = match fs::metadata(path) {
            Ok(there) if there.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(there) if !there.is_file() => {
                let open = || OpenOptions::new().write(true).open(path);
                let stream = perform(Operation::Create, path, open)?;
                return Ok(Self { place: path.to_owned(), target: Target::Stream(stream) });
            }
            // Redirected output of a shell has a path such as /dev/stdout. The operating system resolves it
            // to the file itself; reading its links one by one may not.
            Ok(_) => fs::canonicalize(path).or_else(|_| followed(path))?,
            Err(_) => followed(path)?,
        };
        let (file, unfinished) =
            Unfinished::make(|| temporary_beside(&place, prefix), |file: &NamedTempFile| file.path())?;
        Ok(Self { place, target: Target::Beside(file, unfinished) })
    }

    /// Returns the temporary file or the device, which can also be read.
    pub fn file(&self) -> &File {
        match &self.target {
            Target::Beside(file, _) => file.as_file(),
            Target::Stream(file) => file,
        }
    }

    /// Returns a writer for the content. It may outlive this value.
    pub fn handle(&self) -> io::Result<Handle> {
        Ok(Handle { place: self.place.clone(), file: self.file().try_clone()? })
    }

    /// Syncs the content to disk. Some file systems report only here that they are full. Also fails if
    /// another process has removed the temporary file.
    pub fn sync(&self) -> io::Result<()> {
        let Target::Beside(file, _) = &self.target else { return Ok(()) };
        perform(Operation::Sync, &self.place, || file.as_file().sync_all())?;
        if is_there(file.as_file()) {
            return Ok(());
        }
        Err(io::Error::new(io::ErrorKind::NotFound, "somebody has removed its temporary file"))
    }

    /// Gives the file its name, and replaces a file of that name.
    pub fn put(self) -> io::Result<()> {
        self.persist(NamedTempFile::persist)
    }

    /// Gives the file its name. Fails with the error kind `AlreadyExists` if there is a file of that name.
    pub fn put_new(self) -> io::Result<()> {
        self.persist(NamedTempFile::persist_noclobber)
    }

    /// Renames the temporary file by `rename`, again after each interruption by a signal.
    fn persist(self, rename: Rename) -> io::Result<()> {
        let Target::Beside(file, unfinished) = self.target else { return Ok(()) };
        let mut file = Some(file);
        unfinished.put(|| {
            perform(Operation::Put, &self.place, || {
                // `file` is `Some`, because a failed attempt returns it.
                let Some(taken) = file.take() else { return Ok(()) };
                rename(taken, self.place.clone()).map(drop).map_err(|PersistError { error, file: back }| {
                    file = Some(back);
                    error
                })
            })
        })
    }
}

/// Renames a temporary file to a path.
type Rename = fn(NamedTempFile, PathBuf) -> Result<File, PersistError>;

/// A writer for the content of a [`NewFile`].
#[derive(Debug)]
pub struct Handle {
    place: PathBuf,
    file: File,
}

impl Write for Handle {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = allowed(Operation::Write, &self.place, bytes.len())?;
        self.file.write(&bytes[..length])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Write for NewFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let length = allowed(Operation::Write, &self.place, bytes.len())?;
        self.file().write(&bytes[..length])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

/// Returns whether `path` is a device or a FIFO, or a link to one. Writing to it destroys no data.
pub fn is_stream(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|there| !there.is_file() && !there.is_dir())
}

/// Follows symbolic links, even to a file that does not exist yet. Returns `path` itself if it is no link.
/// Fails if the links form a circle.
fn followed(path: &Path) -> io::Result<PathBuf> {
    let mut place = path.to_owned();
    for _ in 0..MOST_LINKS {
        if !place.is_symlink() {
            return Ok(place);
        }
        place = folder_of(&place).join(fs::read_link(&place)?);
    }
    Err(io::Error::other("its symbolic links lead in a circle"))
}

/// Returns the directory of `place`; `.` if its path has only a name.
pub(super) fn folder_of(place: &Path) -> &Path {
    place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Returns a temporary file in the directory of `place`, with the permissions of an ordinary file. Its writer
/// holds a lock on it, which distinguishes it from a leftover.
fn temporary_beside(place: &Path, prefix: &str) -> io::Result<NamedTempFile> {
    let folder = folder_of(place);
    if !folder.is_dir() {
        let problem = format!("there is no directory {}", folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, problem));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666)); // less what the umask takes
    }
    for _ in 1..ATTEMPTS {
        let file = perform(Operation::Create, place, || builder.tempfile_in(folder).map_err(unnamed))?;
        if is_kept(file.as_file()) {
            return Ok(file);
        }
    }
    perform(Operation::Create, place, || builder.tempfile_in(folder).map_err(unnamed))
}

/// Removes the name of the temporary file from an error of the operating system, because users do not know
/// the name.
fn unnamed(error: io::Error) -> io::Error {
    let cause =
        error.get_ref().and_then(|error| error.source()).and_then(|cause| cause.downcast_ref::<io::Error>());
    match cause.and_then(io::Error::raw_os_error) {
        Some(code) => io::Error::from_raw_os_error(code),
        None => error,
    }
}

/// Locks a new temporary file. Returns false if another process took it for a leftover and removed it before
/// it was locked.
fn is_kept(file: &File) -> bool {
    // On other systems a lock would keep other handles of this process from writing, and leftovers stay. On a
    // file system without locks no process removes leftovers, so a failure does no harm.
    if cfg!(unix) {
        let _ = file.lock();
    }
    is_there(file)
}

/// Returns whether an open file still has a name.
#[cfg(unix)]
fn is_there(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|there| there.nlink() > 0)
}

/// Returns true: on other systems open files cannot be removed.
#[cfg(not(unix))]
fn is_there(_file: &File) -> bool {
    true
}

/// Removes the temporary files in the directory of `path` whose processes no longer run. Commands that write
/// a single file without a claim call it first.
pub fn remove_leftovers_beside(path: &Path) {
    if !is_stream(path) {
        remove_leftovers(folder_of(path));
    }
}

/// Removes the temporary files in `folder` whose processes no longer run. Files that cannot be opened stay,
/// and so do all files on systems without locks.
pub(super) fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    let is_temporary = |entry: &fs::DirEntry| {
        entry.file_name().to_string_lossy().starts_with(TEMPORARY)
            && entry.file_type().is_ok_and(|kind| kind.is_file())
    };
    for entry in entries.flatten().filter(|entry| cfg!(unix) && is_temporary(entry)) {
        let file = OpenOptions::new().write(true).open(entry.path());
        if file.as_ref().is_ok_and(|file| file.try_lock().is_ok()) {
            let _ = remove_file(&entry.path());
        }
    }
}

/// Removes the temporary files in `folder` whose names begin with `prefix`, which belongs to one part of a
/// study. Files of a running process stay where files can be locked, because the same part may run twice at a
/// time. Fails if a file cannot be removed.
pub fn remove_own_leftovers(folder: &Path, prefix: &str) -> io::Result<()> {
    for entry in fs::read_dir(folder)?.flatten() {
        let path = entry.path();
        if !entry.file_name().to_string_lossy().starts_with(prefix) || is_being_written(&path) {
            continue;
        }
        match remove_file(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Returns whether a running process writes the temporary file at `path`: it holds a lock until it ends.
fn is_being_written(path: &Path) -> bool {
    let file = OpenOptions::new().write(true).open(path);
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

/// Syncs the names in a directory to disk. Does nothing on systems where directories cannot be opened.
pub fn sync_directory(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        perform(Operation::SyncFolder, folder, || File::open(folder)?.sync_all())?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    type Tested = io::Result<()>;

    fn write(path: &Path) -> io::Result<()> {
        let mut file = NewFile::create(path, TEMPORARY)?;
        file.write_all(b"new")?;
        file.sync()?;
        file.put()
    }

    #[test]
    fn nothing_is_there_until_it_is_whole() -> Tested {
        let directory = tempfile::tempdir()?;
        let path = directory.path().join("a");
        let mut file = NewFile::create(&path, TEMPORARY)?;
        file.write_all(b"ne")?;
        assert!(!path.exists());
        drop(file);
        assert_eq!(fs::read_dir(directory.path())?.count(), 0);
        write(&path)?;
        assert_eq!(fs::read(&path)?, b"new");
        let refused = NewFile::create(&path, TEMPORARY)?.put_new();
        assert_eq!(refused.map_err(|error| error.kind()), Err(io::ErrorKind::AlreadyExists));
        assert_eq!(fs::read_dir(directory.path())?.count(), 1);
        assert!(NewFile::create(directory.path(), TEMPORARY).is_err(), "a directory is no file");
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_and_stay() -> Tested {
        use std::os::unix::fs::symlink;
        let directory = tempfile::tempdir()?;
        let at = |name: &str| directory.path().join(name);
        fs::create_dir(at("far"))?;
        fs::write(at("far/old"), "old")?;
        symlink("far/old", at("link"))?;
        symlink("link", at("second"))?;
        symlink("far/missing", at("dangling"))?;
        symlink("circle", at("circle"))?;
        for (link, target) in [("second", "far/old"), ("dangling", "far/missing")] {
            write(&at(link))?;
            assert!(fs::symlink_metadata(at(link))?.is_symlink(), "{link}");
            assert_eq!(fs::read(at(target))?, b"new", "{link}");
        }
        assert!(write(&at("circle")).is_err());
        Ok(())
    }

    #[cfg(unix)]
    #[test]
    fn leftovers_go_and_files_of_the_living_stay() -> Tested {
        let directory = tempfile::tempdir()?;
        let at = |name: &str| directory.path().join(name);
        fs::write(at(".meshreplay-dead"), "half")?;
        fs::write(at("other"), "")?;
        let mut living = NewFile::create(&at("a"), TEMPORARY)?;
        remove_leftovers(directory.path());
        assert!(!at(".meshreplay-dead").exists() && at("other").exists());
        living.write_all(b"new")?;
        living.put()?;
        assert_eq!(fs::read(at("a"))?, b"new");
        Ok(())
    }
}
