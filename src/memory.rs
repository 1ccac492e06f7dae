//! How much memory this process may still take, so that what would need more is refused with a message before it begins,
//! and not killed by the operating system in the middle of it. Files that are read whole are read up to a limit.

#[cfg(target_os = "linux")]
use std::fs;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The greatest length in bytes of a file that is read whole: lists of outages, of predictions or of nodes, and studies. Logs
/// are streams, and have no limit.
const MOST_BYTES: u64 = 1 << 29;

/// Returns the content of the file at `path`. Fails if it cannot be read, or if it is too long to be read whole, as a device
/// without end is.
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    read_all(File::open(path)?)
}

/// Returns what `source` gives up to its end. Fails if that is too much, as a small compressed file may hold it.
pub fn read_all(source: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source.take(MOST_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MOST_BYTES {
        let problem = format!("it has more than the {MOST_BYTES} bytes that are read at most");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, problem));
    }
    Ok(bytes)
}

/// Returns how many more bytes of memory this process may take: the least of what the machine has left, what the limits
/// of its control group leave (containers and jobs of clusters have such limits), and what its own limit of address space
/// leaves. Returns `None` on systems that do not tell.
#[cfg(target_os = "linux")]
pub fn free_bytes() -> Option<u64> {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| in_bytes(&text, "MemAvailable:"));
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok();
    let group = number("/sys/fs/cgroup/memory.max")
        .zip(number("/sys/fs/cgroup/memory.current"))
        .map(|(most, taken)| most.saturating_sub(taken));
    [machine, group, address_space()].into_iter().flatten().min()
}

/// Returns `None`: other systems tell it in other ways, and there nothing is refused.
#[cfg(not(target_os = "linux"))]
pub fn free_bytes() -> Option<u64> {
    None
}

/// Returns how many bytes of memory can be had if these are fewer than `bytes`; `None` if they are enough, or if it is
/// unknown how many there are.
pub fn lacking(bytes: u64) -> Option<u64> {
    free_bytes().filter(|free| *free < bytes)
}

/// Returns the number of bytes in the line of `text` that begins with `name`. The kernel writes them as `12 kB`.
#[cfg(target_os = "linux")]
fn in_bytes(text: &str, name: &str) -> Option<u64> {
    let rest = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = rest.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kibibytes.checked_mul(1024)
}

/// Returns what the limit of address space (`ulimit -v`) leaves; `None` without such a limit.
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
}
