//! YAML as a sequence of events, for the value and for the explanation of an error. The rule: nesting is bounded.

use granit_parser::{Event, Options, Parser, ScanError};

const DEPTH_MAX: usize = 64;

/// Reads YAML as a sequence of events with bounded nesting.
pub(super) fn events(text: &str) -> impl Iterator<Item = Result<Event<'_>, ScanError>> {
    let mut options = Options::default();
    options.flow_nesting_limit = DEPTH_MAX;
    options.block_nesting_limit = DEPTH_MAX;
    Parser::new_from_str_with_options(text, options).map(|event| event.map(|(event, _)| event))
}
