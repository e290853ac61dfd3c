//! Hostile files in a real browser. The rule: none of them runs or loads anything, and meanwhile the memory is bounded and another client is served.

use super::exhaustion::peak_memory;
use super::well_behaved::WellBehaved;
use crate::support::command::{Blog, Serving};
use crate::support::node::Package;

const TOKEN: &str = "an-editor-token-of-the-tests-of-drawings";
/// Three times what the files take.
const MEMORY_MAX: u64 = 384 << 20;

#[test]
fn no_hostile_file_runs_or_loads_anything_in_a_browser() {
    let blog = Blog::of(&[]);
    let serving = Serving::start_with(&["--create", "--store", &blog.store()], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    let client = WellBehaved::start(&serving.address);
    let origin = format!("http://{}", serving.address);
    let variables = [("ORIGIN", origin.as_str()), ("TOKEN", TOKEN)];
    Package::at("tests/browser").node(&["--test", "--test-reporter=tap", "drawings.test.js"], &variables);
    client.end();
    let peak = peak_memory(serving.id());
    assert!(peak.is_none_or(|peak| peak < MEMORY_MAX), "{peak:?} bytes");
}
