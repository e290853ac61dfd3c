//! Compares the output of a page's commands with its `printed` block. The rule: the output contains the lines of the block in their order;
//! `…` matches any text, and other lines may come between.

/// The error is the first line of the block that is missing in the output, or not in its order.
pub fn compare(expected: &str, out: &str) -> Result<(), String> {
    let mut lines = out.lines();
    let missing = expected
        .lines()
        .filter(|line| !line.trim().is_empty())
        .find(|line| !lines.any(|found| is_like(line.trim(), found.trim())));
    missing.map_or(Ok(()), |line| Err(line.to_owned()))
}

/// Whether a line of the output matches a line of the page, in which `…` matches any text.
fn is_like(expected: &str, found: &str) -> bool {
    let parts: Vec<&str> = expected.split('…').collect();
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    let Some(mut rest) = found.strip_prefix(first) else { return false };
    if parts.len() == 1 {
        return rest.is_empty();
    }
    for part in &parts[1..parts.len() - 1] {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[test]
fn an_ellipsis_matches_any_text() {
    assert!(is_like("a … c … e", "a b c d e") && is_like("x", "x") && is_like("…", ""));
    assert!(!is_like("a … c", "a b d") && !is_like("a", "ab") && !is_like("…b", "a"));
    assert_eq!(compare("a\n…z\n", "x\na\nyz\n"), Ok(()));
    assert_eq!(compare("b\na\n", "a\nb\n"), Err("a".to_owned()));
}
