//! The memory that is available to the process; the caches take a share of it. The rule: the lowest limit of the machine and its cgroups counts; if none is
//! known, as on systems other than Linux, a small machine is assumed.

use std::fs;
use std::path::Path;

const MIB: u64 = 1 << 20;
/// The assumed memory if it is unknown.
const ASSUMED: u64 = 512 * MIB;

/// The default size of the cache of answers: a fortieth of the memory. Together with the [cache of values](value_cache_bytes), that is an eighth. An ordinary
/// site of 10,000 posts fills some 200 MiB of both.
pub(super) fn answer_cache_bytes() -> u64 {
    (memory() / 40).clamp(16 * MIB, 256 * MIB)
}

/// The default size of the cache of posts, terms, pages and counts: a tenth of the memory.
pub(super) fn value_cache_bytes() -> u64 {
    (memory() / 10).clamp(48 * MIB, 1024 * MIB)
}

fn memory() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| of_machine(&text));
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    let of_group = groups.lines().filter_map(|line| of_cgroup(line, Path::new("/sys/fs/cgroup")));
    machine.into_iter().chain(of_group).min().unwrap_or(ASSUMED)
}

/// `MemTotal` of "proc_meminfo(5)".
fn of_machine(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// The lowest limit of a cgroup and its ancestors. `line`: as in "cgroups(7)", `0::PATH` for version 2 and `N:memory:PATH` for version 1. In a container, the
/// path can be the host's, and the container sees its own cgroup at the root.
fn of_cgroup(line: &str, root: &Path) -> Option<u64> {
    let mut parts = line.splitn(3, ':').skip(1);
    let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
    let (root, file) = match controllers {
        "" => (root.to_owned(), "memory.max"),
        _ if controllers.split(',').any(|controller| controller == "memory") => {
            (root.join("memory"), "memory.limit_in_bytes")
        }
        _ => return None,
    };
    let own = root.join(path);
    let folders = own.ancestors().take_while(|folder| folder.starts_with(&root));
    // The text `max`, which means no limit, is not a number.
    folders.filter_map(|folder| fs::read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok()).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memory_is_the_least_that_the_machine_and_the_cgroups_allow() {
        assert_eq!(of_machine("MemTotal:       2048 kB\nMemFree: 1 kB\n"), Some(2048 * 1024));
        assert_eq!(of_machine("MemFree: 1 kB\n"), None);
        let folder = tempfile::tempdir().expect("a folder");
        let write = |path: &str, text: &str| {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(path, text).expect("it is written");
        };
        write("memory.max", "max\n");
        write("a/memory.max", "3000\n");
        write("a/b/memory.max", "4000\n");
        write("memory/c/memory.limit_in_bytes", "9223372036854771712\n");
        write("memory/memory.limit_in_bytes", "5000\n");
        for (line, expected) in [
            ("0::/a/b", Some(3000)),
            ("0::/", None),
            ("0::/of/the/host", None),
            ("4:cpu,memory:/c", Some(5000)),
            ("4:cpu:/c", None),
            ("", None),
            ("0:", None),
        ] {
            assert_eq!(of_cgroup(line, folder.path()), expected, "{line}");
        }
    }

    #[test]
    fn the_caches_take_an_eighth_of_the_memory_within_their_bounds() {
        let (answers, values) = (answer_cache_bytes(), value_cache_bytes());
        assert!(answers + values >= 64 * MIB && answers <= 256 * MIB && values <= 1024 * MIB);
        assert!(answers + values <= (memory() / 8).max(64 * MIB));
    }
}
