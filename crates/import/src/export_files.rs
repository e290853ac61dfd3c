//! The files of an export that is a folder. The rule: a folder has the same list, sorted by path, on every machine; hidden files are omitted, and
//! links are not followed.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The limit is the same as for a folder of Markdown.
const FILE_BYTES_MAX: u64 = 16 << 20;
const DEPTH_MAX: usize = 64;

/// The paths of all files below the root, separated by `/`.
///
/// # Errors
/// If a folder cannot be read.
pub(super) fn list(root: &Path) -> io::Result<Vec<String>> {
    let (mut files, mut folders) = (Vec::new(), vec![String::new()]);
    while let Some(folder) = folders.pop() {
        for child in fs::read_dir(root.join(&folder))? {
            let child = child?;
            let name = child.file_name().to_string_lossy().into_owned();
            if name.starts_with('.') {
                continue;
            }
            let path = format!("{folder}{name}");
            match child.file_type()?.is_dir() {
                true if folder.matches('/').count() < DEPTH_MAX => folders.push(path + "/"),
                _ => files.push(path),
            }
        }
    }
    files.sort();
    Ok(files)
}

/// The text of a file, without a byte order mark.
pub(super) fn text(path: &Path) -> Result<String, String> {
    // Opening a FIFO waits for a writer.
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => Err("is no regular file".to_owned()),
        _ => whole(path, FILE_BYTES_MAX),
    }
}

/// Like [`text`], for a file whose kind the caller has checked.
pub(super) fn whole(path: &Path, bytes_max: u64) -> Result<String, String> {
    let bytes = beginning(path, bytes_max + 1).map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > bytes_max {
        return Err(format!("longer than {bytes_max} bytes"));
    }
    let text = String::from_utf8(bytes)
        .map_err(|error| format!("is not UTF-8, from byte {} on; is it damaged?", error.utf8_error().valid_up_to()))?;
    Ok(text.trim_start_matches('\u{feff}').to_owned())
}

/// The first bytes of a file.
pub(super) fn beginning(path: &Path, bytes: u64) -> io::Result<Vec<u8>> {
    let mut beginning = Vec::new();
    File::open(path)?.take(bytes).read_to_end(&mut beginning)?;
    Ok(beginning)
}

/// The first bytes of a file as text; `None` if it cannot be read.
pub(super) fn opening(path: &Path, bytes: u64) -> Option<String> {
    if !fs::symlink_metadata(path).ok()?.is_file() {
        return None;
    }
    let opening = beginning(path, bytes).ok()?;
    Some(String::from_utf8_lossy(&opening).trim_start_matches('\u{feff}').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_listed_by_path_and_read_as_text() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path();
        fs::create_dir_all(root.join("b/c")).expect("folders");
        fs::create_dir_all(root.join(".git")).expect("folders");
        for (name, bytes) in [
            ("b/c/a.html", &b"\xef\xbb\xbfx"[..]),
            ("a.html", b"\xff"),
            (".git/a.html", b"x"),
            ("b/.a.html", b"x"),
            ("b/a.html", b"x"),
        ] {
            fs::write(root.join(name), bytes).expect("a file");
        }
        assert_eq!(list(root).expect("a list"), ["a.html", "b/a.html", "b/c/a.html"]);
        assert_eq!(text(&root.join("b/c/a.html")).as_deref(), Ok("x"));
        assert_eq!(opening(&root.join("b/c/a.html"), 4).as_deref(), Some("x"));
        let failed = |name: &str| text(&root.join(name)).expect_err("no text");
        assert!(failed("a.html").starts_with("is not UTF-8, from byte 0 on"));
        assert!(failed("b").contains("no regular file") && failed("gone").starts_with("cannot be read"));
    }
}
