//! The binary serves the example blog to real GraphQL clients, a real browser, and attackers.

mod astro;
mod audits;
mod bench;
mod bodies;
mod clients;
mod exhaustion;
mod introspection;
mod playground;
mod probes;
mod spa;
mod well_behaved;

use std::path::Path;

use crate::support::command::{Blog, Serving};

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
