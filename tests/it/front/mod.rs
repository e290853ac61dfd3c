//! The binary serves the example blog to real GraphQL clients, a real browser, and attackers.

mod agents;
mod astro;
mod audits;
mod bench;
mod bodies;
mod clients;
mod drawings;
mod editor;
mod editor_login;
mod exhaustion;
mod introspection;
mod playground;
mod probes;
mod spa;
mod well_behaved;

use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};

use crate::support::command::{Blog, Serving};
use crate::support::folder::contents_of;
use crate::support::node::Package;

/// The menu of the examples, with the addresses of pages that both have.
const MENU: &str = r#"[{"label": "Contributions", "url": "/categories/field-notes", "children": [{"label": "Crew list", "url": "/authors/zoe-angstrom"}]},
    {"label": "Our friends", "url": "https://friends.example/"}]"#;

/// A server of the example blog, on a store of its own.
pub struct Example {
    pub serving: Serving,
    _blog: Blog,
}

impl Example {
    pub fn start(arguments: &[&str], settings: &[(&str, &str)]) -> Self {
        Self::of("examples/blog", arguments, settings)
    }

    /// A server of another sample.
    fn of(folder: &str, arguments: &[&str], settings: &[(&str, &str)]) -> Self {
        let blog = Blog::of(&[]);
        let posts = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder).display().to_string();
        let store = blog.store();
        let arguments = [&["--store", &store, "--import", &posts], arguments].concat();
        Self { serving: Serving::start_with(&arguments, settings), _blog: blog }
    }

    /// Without a trailing slash.
    pub fn origin(&self) -> String {
        format!("http://{}", self.serving.address)
    }
}

/// Only one run at a time, because each writes the generated types into the same folder.
fn building(package: &Package) -> File {
    let lock = File::create(package.path().join("node_modules/.building")).expect("a file");
    lock.lock().expect("a lock");
    lock
}

/// Builds the package with the command of its README, in a temporary folder, and compares the result with its folder `dist`.
fn assert_is_committed(package: &str) {
    let again = format!("build it again: npm run build --prefix {package}");
    let package = Package::at(package);
    let folder = tempfile::tempdir().expect("a folder");
    let output = folder.path().join("dist");
    package.script("build", &["--outDir", &output.display().to_string()], &[]);
    let (committed, built) = (contents_of(&package.path().join("dist")), contents_of(&output));
    let names = |files: &BTreeMap<PathBuf, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&committed), names(&built), "{again}");
    let differing: Vec<&PathBuf> =
        built.iter().filter(|(name, bytes)| committed[*name] != **bytes).map(|(name, _)| name).collect();
    assert_eq!(differing, [""; 0].map(Path::new), "{again}");
}
