//! Links between the posts and pages of one export, until the addresses of their targets are known. The rule: a reader writes the origin of the target, and the run
//! the address, because slugs are assigned after everything is read.

/// Encloses an origin and the address that the source has. Unicode reserves it for the use inside of a program, so that no text means it.
const MARK: char = '\u{fdd0}';

/// The address of a link for a body. `address`: what it is if the target is not imported.
pub(super) fn marked(origin: &str, address: &str) -> String {
    format!("{MARK}{origin}{MARK}{address}{MARK}")
}

/// A text of the source, in which nothing is read as such an address.
pub(super) fn unmarked(text: String) -> String {
    if text.contains(MARK) { text.replace(MARK, "") } else { text }
}

/// The origins that the links of a body point to.
pub(super) fn targets(body: &str) -> impl Iterator<Item = &str> {
    body.split(MARK).skip(1).step_by(3)
}

/// The body with the address of each target, or with that of the source if the target has no address.
pub(super) fn with_addresses<'a>(body: &str, address: impl Fn(&str) -> Option<&'a str>) -> String {
    let mut parts = body.split(MARK);
    let mut out = String::with_capacity(body.len());
    out.push_str(parts.next().unwrap_or_default());
    while let Some(origin) = parts.next() {
        let given = parts.next().unwrap_or_default();
        match address(origin) {
            Some(address) => out.push_str(address),
            None => out.push_str(given),
        }
        out.push_str(parts.next().unwrap_or_default());
    }
    out
}

/// The body with the addresses of the source.
pub(super) fn with_given_addresses(body: &str) -> String {
    with_addresses(body, |_| None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_gets_the_address_of_its_target_or_keeps_that_of_the_source() {
        let body = format!("[a]({}) ä [b]({})!", marked("x:1", "a%20b.md"), marked("x:2", "c.md"));
        assert_eq!(targets(&body).collect::<Vec<_>>(), ["x:1", "x:2"]);
        let known = |origin: &str| (origin == "x:1").then_some("/posts/a");
        assert_eq!(with_addresses(&body, known), "[a](/posts/a) ä [b](c.md)!");
        assert_eq!(with_given_addresses(&body), "[a](a%20b.md) ä [b](c.md)!");
        assert_eq!(with_given_addresses("no link"), "no link");
        assert_eq!(targets("no link").count(), 0);
    }

    #[test]
    fn a_mark_of_the_source_is_removed() {
        assert_eq!(unmarked(format!("a{}b", marked("x", "y"))), "axyb");
    }
}
