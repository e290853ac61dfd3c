//! Random texts for the tests of Markdown readers. The rule: the seed decides the text, so a failure can be repeated.

const TEXTS: usize = 20_000;

/// Each text consists of `length` parts.
pub(super) fn of(parts: &[&str], length: usize) -> impl Iterator<Item = String> {
    (0..TEXTS).map(move |seed| {
        let mut rest = seed.wrapping_mul(2_654_435_761);
        let next = || {
            rest = rest.wrapping_mul(31).wrapping_add(7);
            parts[(rest >> 8) % parts.len()]
        };
        std::iter::repeat_with(next).take(length).collect()
    })
}
