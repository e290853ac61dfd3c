//! Reads the files of `src/`, each with its path relative to `src/`. A crate below the server counts as a module of its name.

use std::path::{Path, PathBuf};

/// The path (with `/`, such as `content/write/plan/mod.rs`) and the text of each file, sorted by path.
pub fn source_files() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = files_below(&root.join("src"));
    for name in ["import", "model"] {
        let of_crate = files_below(&root.join("crates").join(name).join("src")).into_iter();
        files.extend(of_crate.map(|(path, text)| {
            let path = if path == "lib.rs" { "mod.rs" } else { &path };
            let text =
                text.replace("crate::", &format!("crate::{name}::")).replace("tidings_model::", "crate::model::");
            (format!("{name}/{path}"), text)
        }));
    }
    assert!(files.len() > 100, "only {} files were found", files.len());
    files.sort();
    files
}

fn files_below(root: &Path) -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push((below(root, path.clone()), std::fs::read_to_string(&path).expect("UTF-8")));
            }
        }
    }
    files
}

fn below(root: &Path, path: PathBuf) -> String {
    let parts = path.strip_prefix(root).expect("below the root").components();
    parts.map(|part| part.as_os_str().to_string_lossy().into_owned()).collect::<Vec<_>>().join("/")
}
