//! An error as one line for the operator. The rule: a cause is written once, even if the error repeats it.

use std::error::Error;

/// The error, followed by each of its causes that it does not already contain.
pub fn with_causes(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        let text = inner.to_string();
        if !line.contains(&text) {
            line = format!("{line}: {text}");
        }
        cause = inner.source();
    }
    line
}
