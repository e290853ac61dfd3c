//! Links between the posts and pages of one export, before the addresses of their targets are known. The rule: a reader writes the origin of the
//! target and the import run replaces it by the address, because slugs are assigned after everything is read.

/// Encloses an origin and the address in the source. Unicode reserves this noncharacter for internal use, so no text contains it on purpose.
const MARK: char = '\u{fdd0}';

/// Marks the address of a link. `address`: used if the target is not imported.
pub(super) fn marked(origin: &str, address: &str) -> String {
    format!("{MARK}{origin}{MARK}{address}{MARK}")
}

/// Removes marks from a text of the source, so that nothing in it is read as a marked address.
pub(super) fn unmarked(text: String) -> String {
    if text.contains(MARK) { text.replace(MARK, "") } else { text }
}

/// The origins of the link targets of a body.
pub(super) fn targets(body: &str) -> impl Iterator<Item = &str> {
    body.split(MARK).skip(1).step_by(3)
}

/// Writes the address of each target, or the address in the source if the target has none.
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
