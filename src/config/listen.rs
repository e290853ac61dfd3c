//! Where the server listens. The rule: a port without an address is one of this machine only, so that nothing becomes public by an omission.

const LOOPBACK: &str = "127.0.0.1";

/// The text with an address, if it is only a port: `8080` or `:8080`. Any other text is as it is.
pub(super) fn with_address(text: &str) -> String {
    let port = text.strip_prefix(':').unwrap_or(text);
    let is_port = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    if is_port { format!("{LOOPBACK}:{port}") } else { text.to_owned() }
}
