//! Raises the limit of open files and connections. The rule: it is raised as far as possible without privileges, because the usual limit of 1,024 is meant for
//! old programs, not for servers.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files that are open in addition to client connections: the store and its log, pictures in transfer, connections to a cloud and to an identity provider, and
/// those of the runtime.
const OTHER_FILES: u64 = 192;

/// Raises the soft limit to the hard one, which needs no privilege, and returns how many clients may be connected: `connections`, or as many as the
/// system allows.
pub(super) fn allow(connections: usize) -> usize {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, ..limit };
    let allowed = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    let needed = (connections as u64).saturating_add(OTHER_FILES);
    match allowed {
        Some(allowed) if allowed < needed => {
            let connections = allowed.saturating_sub(OTHER_FILES).max(allowed / 4);
            tracing::warn!(allowed, needed, connections, "files.too_few_allowed");
            usize::try_from(connections).unwrap_or(usize::MAX)
        }
        allowed => {
            tracing::debug!(allowed, before = limit.current, "files.allowed");
            connections
        }
    }
}
