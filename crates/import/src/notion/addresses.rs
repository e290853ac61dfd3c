//! The links and pictures in the text of a page. The rule: a link to another page of the export gets its address on the site, a picture in the export
//! gets the address of its file; every other address stays unchanged, and an address of a file is reported.

use std::collections::{BTreeSet, HashSet};
use std::path::Path;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::{link_marks, markdown};

use super::name::{self, PageId};

/// The characters that an address contains unencoded.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

#[derive(Debug, Default)]
pub(super) struct LinkedBody {
    pub text: String,
    /// The picture addresses without a file, with the reason.
    pub missing: Vec<(String, String)>,
    /// The linked files that are not imported.
    pub files: BTreeSet<String>,
}

/// `folder`: the folder of the file. `has_page`: whether the export contains the page with this id.
pub(super) fn read(root: &Path, folder: &str, body: &str, has_page: impl Fn(PageId) -> bool) -> LinkedBody {
    let mut linked = LinkedBody::default();
    for address in markdown::picture_addresses(body) {
        if let Some(Err(reason)) = file_of(root, folder, address) {
            linked.missing.push((address.to_owned(), reason));
        }
    }
    let text = markdown::with_picture_addresses(body, |address| picture(root, folder, address));
    let missing: HashSet<&str> = linked.missing.iter().map(|(address, _)| address.as_str()).collect();
    let files = &mut linked.files;
    let text = markdown::with_destinations(&text, |address| {
        if let Some(id) = name::id_of_address(address).filter(|id| has_page(*id)) {
            return Some(link_marks::marked(&name::origin(id), address));
        }
        if is_relative(address) && !missing.contains(address) {
            files.insert(markdown::path_of_address(address));
        }
        None
    });
    LinkedBody { text, ..linked }
}

/// The address of a picture's file, relative to the folder of the export.
pub(super) fn picture(root: &Path, folder: &str, address: &str) -> Option<String> {
    let file = file_of(root, folder, address)?.ok()?;
    Some(format!("/{}", utf8_percent_encode(&file, PLAIN)))
}

/// The path of such an address below the folder of the export.
pub(super) fn path_of(address: &str) -> Option<String> {
    let path = address.strip_prefix('/').filter(|path| !path.starts_with('/'))?;
    Some(markdown::path_of_address(path))
}

/// The file of a picture address, or the reason why there is none; `None` for any other address.
fn file_of(root: &Path, folder: &str, address: &str) -> Option<Result<String, String>> {
    if !is_relative(address) || !markdown::is_picture_name(address) {
        return None;
    }
    Some(match markdown::file_below(root, folder, &markdown::path_of_address(address)) {
        Ok(Some(file)) => Ok(file),
        Ok(None) => Err("there is no such file in the export".to_owned()),
        Err(outside) => Err(outside.to_owned()),
    })
}

fn is_relative(address: &str) -> bool {
    let has_scheme = address.split(['/', '?', '#']).next().is_some_and(|start| start.contains(':'));
    !(address.is_empty() || has_scheme || address.starts_with(['/', '#', '?']))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "00112233445566778899aabbccddeeff";

    #[test]
    fn links_to_pages_and_pictures_of_the_export_are_replaced() {
        let root = tempfile::tempdir().expect("a folder");
        std::fs::create_dir_all(root.path().join("Blog/On time")).expect("folders");
        std::fs::write(root.path().join("Blog/On time/a b.png"), b"x").expect("a file");
        let other = ID.replace('0', "1");
        let body = format!(
            "![a](On%20time/a%20b.png) ![](gone.png) ![](https://a.example/b.png) [b](../Two%20{ID}.md) [c](Three%20{other}.md) \
             [d](https://www.notion.so/Two-{ID}?pvs=21) [e](Blog%20{ID}.csv) [f](#x) [g](mailto:a@b.example) `[h](Two%20{ID}.md)` ![](../../../x.png) [i](On%20time/a%20b.png)"
        );
        let linked = read(root.path(), "Blog", &body, |id| name::origin(id) == format!("notion:{ID}"));
        let two = |address: &str| link_marks::marked(&format!("notion:{ID}"), address);
        let expected = body
            .replace("![a](On%20time/a%20b.png)", "![a](/Blog/On%20time/a%20b.png)")
            .replace(&format!("[b](../Two%20{ID}.md)"), &format!("[b]({})", two(&format!("../Two%20{ID}.md"))))
            .replace(
                &format!("(https://www.notion.so/Two-{ID}?pvs=21)"),
                &format!("({})", two(&format!("https://www.notion.so/Two-{ID}?pvs=21"))),
            );
        assert_eq!(linked.text, expected);
        let missing: Vec<_> = linked.missing.iter().map(|(address, _)| address.as_str()).collect();
        assert_eq!(missing, ["gone.png", "../../../x.png"]);
        let files = [format!("Blog {ID}.csv"), "On time/a b.png".to_owned(), format!("Three {other}.md")];
        assert_eq!(linked.files.into_iter().collect::<Vec<_>>(), files);
        assert_eq!(path_of("/Blog/On%20time/a%20b.png").as_deref(), Some("Blog/On time/a b.png"));
        assert_eq!((path_of("a.png"), path_of("//a.example/b.png")), (None, None));
    }
}
