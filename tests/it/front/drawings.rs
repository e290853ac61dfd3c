//! Hostile SVGs in a real browser.

use crate::support::command::{Blog, Serving};
use crate::support::node::Package;

const TOKEN: &str = "an-editor-token-of-the-tests-of-drawings";

#[test]
fn no_stored_svg_runs_or_loads_anything_in_a_browser() {
    let blog = Blog::of(&[]);
    let serving = Serving::start_with(&["--create", "--store", &blog.store()], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    let origin = format!("http://{}", serving.address);
    let variables = [("ORIGIN", origin.as_str()), ("TOKEN", TOKEN)];
    Package::at("tests/browser").node(&["--test", "--test-reporter=tap", "drawings.test.js"], &variables);
}
