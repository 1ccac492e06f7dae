//! Available memory of this process. Work that needs more is refused with a message, instead of being killed
//! halfway by the operating system. Files that are read whole have a size limit.

#[cfg(target_os = "linux")]
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;
#[cfg(target_os = "linux")]
use std::path::PathBuf;

/// Greatest size in bytes of files that are read whole: lists of outages, predictions or nodes, and studies.
/// Logs are streams without a limit.
const MOST_BYTES: u64 = 1 << 29;

/// Returns the content of the file at `path`. Fails if it cannot be read, or if it exceeds the size limit,
/// like an endless device.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_all(File::open(path)?)
}

/// Reads `source` to its end. Fails if the content exceeds the size limit, which a small compressed file can.
pub fn read_all(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        let problem = format!("it has more than the {MOST_BYTES} bytes that are read at most");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// Returns the memory in bytes that this process may still allocate: the minimum over the machine, its
/// control groups (of containers and cluster jobs) and its address-space limit. Returns `None` on systems
/// without these reports.
#[cfg(target_os = "linux")]
pub fn free_bytes() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| in_bytes(&text, "MemAvailable:"));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    [machine, left_to_groups(&groups, Path::new("/sys/fs/cgroup")), address_space()]
        .into_iter()
        .flatten()
        .min()
}

/// Returns the least memory that a control group of this process leaves; `None` without a limit. Limits of
/// parent groups count, too. `groups` is the content of `/proc/self/cgroup`, and `root` the directory of all
/// groups. In a container the group is the root itself and its path may not exist; the root is then used.
#[cfg(target_os = "linux")]
fn left_to_groups(groups: &str, root: &Path) -> Option<u64> {
    let number = |path: PathBuf| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    // A line is `0::PATH` (version 2), or `NUMBER:CONTROLLERS:PATH` with memory among the controllers
    // (version 1).
    let line = |line: &str| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
        let (root, files) = match controllers {
            "" => (root.to_owned(), ["memory.max", "memory.current"]),
            names if names.split(',').any(|name| name == "memory") => {
                (root.join("memory"), ["memory.limit_in_bytes", "memory.usage_in_bytes"])
            }
            _ => return None,
        };
        let around = Path::new(path).ancestors();
        let left = around.filter_map(|group| {
            let [most, taken] = files.map(|file| number(root.join(group).join(file)));
            Some(most?.saturating_sub(taken?))
        });
        left.min()
    };
    groups.lines().filter_map(line).min()
}

/// Returns `None`, so that nothing is refused on other systems.
#[cfg(not(target_os = "linux"))]
pub fn free_bytes() -> Option<u64> {
    None
}

/// Returns the available memory in bytes if it is less than `bytes`; `None` if it suffices or is unknown.
pub fn lacking(bytes: u64) -> Option<u64> {
    free_bytes().filter(|free| *free < bytes)
}

/// Returns the bytes in the line of `text` that begins with `name`. The kernel writes `12 kB`.
#[cfg(target_os = "linux")]
fn in_bytes(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Returns the rest of the address space under `ulimit -v`; `None` without a limit.
#[cfg(target_os = "linux")]
fn address_space() -> Option<u64> {
    let limits = fs::read_to_string("/proc/self/limits").ok()?;
    let rest = limits.lines().find_map(|line| line.strip_prefix("Max address space"))?;
    let most: u64 = rest.split_whitespace().next()?.parse().ok()?;
    let status = fs::read_to_string("/proc/self/status").ok()?;
    Some(most.saturating_sub(in_bytes(&status, "VmSize:")?))
}

#[cfg(test)]
mod tests {
    #[cfg(target_os = "linux")]
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn what_is_free_is_read_in_bytes() {
        assert_eq!(in_bytes("MemTotal: 9 kB\nMemAvailable:    12 kB\n", "MemAvailable:"), Some(12 * 1024));
        assert_eq!(in_bytes("MemTotal: 9 kB\n", "MemAvailable:"), None);
        assert!(free_bytes().is_some_and(|bytes| bytes > 1 << 20), "tests run");
        assert_eq!(lacking(1), None);
        assert!(lacking(u64::MAX).is_some());
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_narrowest_group_counts() -> io::Result<()> {
        let root = tempfile::tempdir()?;
        let group = |path: &str, files: [(&str, &str); 2]| {
            fs::create_dir_all(root.path().join(path))?;
            files.iter().try_for_each(|(name, text)| fs::write(root.path().join(path).join(name), text))
        };
        // A cluster job has a limit; its step has none.
        group("system/job_7", [("memory.max", "5000\n"), ("memory.current", "1000\n")])?;
        group("system/job_7/step_0", [("memory.max", "max\n"), ("memory.current", "900\n")])?;
        let left = |text: &str| left_to_groups(text, root.path());
        assert_eq!(left("0::/system/job_7/step_0\n"), Some(4000));
        assert_eq!(left("0::/system\n"), None);
        assert_eq!(left("3:cpu,cpuacct:/system/job_7\n"), None);
        let files = [("memory.limit_in_bytes", "700"), ("memory.usage_in_bytes", "800")];
        group("memory/slurm/job_8", files)?;
        assert_eq!(left("9:memory:/slurm/job_8\n0::/system/job_7\n"), Some(0));
        Ok(())
    }
}
