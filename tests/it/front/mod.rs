//! The binary serves the example blog to real GraphQL clients, a real browser, and attackers.

mod astro;
mod audits;
mod bench;
mod bodies;
mod clients;
mod drawings;
mod exhaustion;
mod introspection;
mod playground;
mod probes;
mod spa;
mod well_behaved;

use std::fs::File;
use std::path::Path;

use crate::support::command::{Blog, Serving};
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
        let blog = Blog::of(&[]);
        let posts = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/blog").display().to_string();
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
