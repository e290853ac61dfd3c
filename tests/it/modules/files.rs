//! Reads the files of `src/`, each with its path relative to `src/`.

use std::path::{Path, PathBuf};

/// The path (with `/`, such as `content/write/plan/mod.rs`) and the text of each file, sorted by path.
pub fn source_files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of src") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push((below(&root, path.clone()), std::fs::read_to_string(&path).expect("UTF-8")));
            }
        }
    }
    assert!(files.len() > 100, "only {} files of src were found", files.len());
    files.sort();
    files
}

fn below(root: &Path, path: PathBuf) -> String {
    let parts = path.strip_prefix(root).expect("below src").components();
    parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}
