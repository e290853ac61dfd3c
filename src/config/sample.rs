//! Recognizes the sample blog, whose costs are shown to every client. The rule: the cost of an answer can reveal a draft, so it is shown only for a folder that
//! is marked as a sample, in a file store, on a loopback address, and without the settings of a public server.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::serve::with_address;
use super::{Settings, table};

/// The hidden file in the folder of a sample blog. It is not imported.
const MARK: &str = ".sample";

/// Whether these settings serve a sample blog on a loopback address, without any setting of a public server, such as those of a proxy or of sign-in.
pub(super) fn is_served_locally(settings: &Settings<'_>) -> bool {
    let folder = settings.text(&table::IMPORT).map(PathBuf::from);
    let of_public_servers = [&table::CLIENT_ADDRESS_HEADER, &table::OIDC_ISSUER];
    folder.is_some_and(|folder| folder.join(MARK).is_file())
        && of_public_servers.iter().all(|setting| settings.text(setting).is_none())
        && settings.text(&table::STORE).is_none_or(|store| store.starts_with("file:"))
        && settings.text(&table::LISTEN).is_some_and(|address| is_loopback(&with_address(&address)))
}

fn is_loopback(address: &str) -> bool {
    match address.parse::<SocketAddr>() {
        Ok(address) => address.ip().is_loopback(),
        Err(_) => address.rsplit_once(':').is_some_and(|(host, _)| host.eq_ignore_ascii_case("localhost")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loopback_address_is_reached_from_the_same_machine_only() {
        for address in ["127.0.0.1:8080", "127.8.0.1:0", "[::1]:8080", "localhost:80", "LOCALHOST:80"] {
            assert!(is_loopback(address), "{address}");
        }
        for address in ["0.0.0.0:8080", "[::]:8080", "192.168.0.1:80", "localhost", "localhost.example:80", ""] {
            assert!(!is_loopback(address), "{address}");
        }
    }
}
