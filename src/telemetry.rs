//! The log. The rule: it goes to the standard error, for a command's answer has the standard output; and it holds no secret.
//!
//! A line's message is `room.what_happened`. Of `content.changed`, which is one for each change that is made, the fields are `actor` and `role` (who),
//! `action` (what), and of what it was made to `post`, `slug` and `version`, `kind` and `slug`, or `token`, `name` and `granted`.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

/// For people on a terminal, JSON elsewhere. An unreadable `TIDINGS_LOG` is told, and taken as `info`.
#[expect(clippy::print_stderr, reason = "there is no log yet that could tell it")]
pub fn start(directives: &str) {
    let filter = EnvFilter::try_new(directives).unwrap_or_else(|error| {
        eprintln!("TIDINGS_LOG: {error}; write directives such as info or tidings=debug. Going on with info.");
        EnvFilter::new("info")
    });
    // At debug the SDK prints its Authorization headers and signed addresses.
    let quiet = ["azure_core=warn", "azure_storage=warn", "azure_identity=warn"];
    let filter = quiet.iter().fold(filter, |filter, directive| {
        filter.add_directive(directive.parse().expect("a directive as `tracing` takes it"))
    });
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started =
        if std::io::stderr().is_terminal() { builder.compact().try_init() } else { builder.json().try_init() };
    // A second start keeps the first log: in tests many servers share a process.
    drop(started);
}
