//! The addresses of the files of Contentful. The rule: `--download-assets` writes each file below a folder with the name of its server.

use crate::markdown;

/// The file servers, before and after 2017.
const SERVERS: &[&str] = &[".ctfassets.net", ".contentful.com"];

/// The host and the decoded path of a file, which is also the path of its download.
pub(super) fn path_of(address: &str) -> Option<String> {
    let rest = ["https://", "http://", "//"].iter().find_map(|scheme| address.strip_prefix(scheme))?;
    let (host, path) = rest.split_once('/')?;
    let is_server = SERVERS.iter().any(|server| host.ends_with(server)) && !host.starts_with('.');
    is_server.then(|| format!("{host}/{}", markdown::path_of_address(path)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_below_the_name_of_its_server() {
        for (address, expected) in [
            ("https://images.ctfassets.net/s/a/h/a%20b.png?w=100", Some("images.ctfassets.net/s/a/h/a b.png")),
            ("//images.contentful.com/s/a/h/b.png", Some("images.contentful.com/s/a/h/b.png")),
            ("//assets.eu.ctfassets.net/s/a/h/b.pdf", Some("assets.eu.ctfassets.net/s/a/h/b.pdf")),
            ("https://images.example/a.png", None),
            ("https://ctfassets.net.example/a.png", None),
            ("/images.ctfassets.net/a.png", None),
            ("https://.ctfassets.net/a.png", None),
        ] {
            assert_eq!(path_of(address).as_deref(), expected, "{address}");
        }
    }
}
