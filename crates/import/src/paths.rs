//! Addresses and paths: the part that names a post, and paths below a folder. The rule: old addresses, redirects and `path` fields use the same
//! function, so the same address always results in the same slug.

use percent_encoding::percent_decode_str;

use tidings_model::Slug;

/// The last part of a path or address that names something: `/2019/07/20/title/`, `2014/12/12/title.html` and
/// `https://example.com/title/index.html?x#y` all result in `title`.
pub(super) fn last_part(address: &str) -> Option<String> {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest.split_once('/').map_or("", |(_, path)| path));
    let mut parts = path.trim().split('/').filter(|part| !part.is_empty()).rev();
    let last = parts.find(|part| without_page_ending(part) != "index")?;
    Some(percent_decode_str(without_page_ending(last)).decode_utf8_lossy().into_owned())
}

pub(super) fn alias_slug(address: &str) -> Option<Slug> {
    Slug::from_name(&last_part(address)?)
}

/// The path of a file or folder below a folder; an empty one is the root.
pub(super) fn joined(folder: &str, name: &str) -> String {
    if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") }
}

fn without_page_ending(part: &str) -> &str {
    let endings = [".html", ".htm", ".md", ".markdown"];
    endings.iter().find_map(|ending| part.strip_suffix(ending)).unwrap_or(part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_names_the_post() {
        let cases = [
            ("/2019/07/20/title/", Some("title")),
            ("2014/12/12/1.0-Timeline.html", Some("1.0-Timeline")),
            ("https://example.com/a/index.html?x#y", Some("a")),
            ("releases/1.94.1", Some("1.94.1")),
            ("title", Some("title")),
            ("%E5%8C%97", Some("北")),
            ("https://example.com", None),
            ("/", None),
        ];
        for (address, part) in cases {
            assert_eq!(last_part(address).as_deref(), part, "{address}");
        }
    }
}
