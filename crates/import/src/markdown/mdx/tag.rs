//! One tag of MDX. The rule: anything except a complete tag is text, so `1 < N`, `<https://a.b>` and `<a@b.c>` are not tags.

use crate::markdown::components::split_name;

/// The longest tag that is read, which bounds the time for each `<`.
const BYTES_MAX: usize = 4_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Tag<'t> {
    pub name: &'t str,
    pub form: Form,
    /// In bytes.
    pub length: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `<Card>`
    Opening,
    /// `</Card>`
    Closing,
    /// `<Card />`
    Empty,
}

impl<'t> Tag<'t> {
    /// The tag at the start of a text. It can span several lines, and contain any text in quotes and braces.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let inside = text.strip_prefix('<')?;
        let (is_closing, inside) = inside.strip_prefix('/').map_or((false, inside), |inside| (true, inside));
        let (name, attributes) = split_name(inside);
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
        if !is_name || !attributes.starts_with(|c: char| c.is_whitespace() || matches!(c, '/' | '>' | '{')) {
            return None;
        }
        let (length, is_empty) = attributes_length(attributes, is_closing)?;
        let form = match (is_closing, is_empty) {
            (true, _) => Form::Closing,
            (false, true) => Form::Empty,
            (false, false) => Form::Opening,
        };
        Some(Self { name, form, length: text.len() - attributes.len() + length })
    }
}

/// The length of the text after the name up to `>`, and whether it ends with `/>`.
fn attributes_length(text: &str, is_closing: bool) -> Option<(usize, bool)> {
    let (mut braces, mut quote, mut is_escaped, mut before) = (0_usize, None, false, ' ');
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < BYTES_MAX) {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            // Only strings in a program have escapes, quoted attributes do not.
            (Some(_), '\\') => is_escaped = braces > 0,
            (Some(mark), _) if mark == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') if braces > 0 => quote = Some(c),
            (None, '"' | '\'') if before == '=' => quote = Some(c),
            (None, '{') if !is_closing => braces += 1,
            (None, '}') if braces > 0 => braces -= 1,
            (None, _) if braces > 0 => {}
            (None, '>') => return Some((at + 1, before == '/')),
            (None, _) if c.is_whitespace() => continue,
            (None, '/') if !is_closing && text[at..].starts_with("/>") => {}
            (None, _) if !is_closing && is_of_attribute(c) => {}
            (None, _) => return None,
        }
        before = c;
    }
    None
}

fn is_of_attribute(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '$' | '@' | '=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_can_have_texts_programs_and_several_lines() {
        for (text, name, form) in [
            ("<Card>", "Card", Form::Opening),
            ("</Tabs.Item >", "Tabs.Item", Form::Closing),
            ("<br/>", "br", Form::Empty),
            ("<Card\n  title=\"1 > 0\"\n\tclient:load\n/>", "Card", Form::Empty),
            ("<A b='\"' c=\"'\\\" d={e > 'f}'} {...g}>", "A", Form::Opening),
            ("<Tabs values={[\n  {label: \"}\\\"\"},\n\n]}>", "Tabs", Form::Opening),
            ("<Code code={`<b>\n</b>`} />", "Code", Form::Empty),
            ("<A b={<C d=\"e\" />}>", "A", Form::Opening),
        ] {
            let expected = Tag { name, form, length: text.len() };
            assert_eq!(Tag::of(&format!("{text} > <b>")), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_complete_is_no_tag() {
        for text in [
            "",
            "<",
            "< a>",
            "<1>",
            "<>",
            "<https://a.b>",
            "<a@b.c>",
            "<a.b@c.d>",
            "<A",
            "<A b=\"c>",
            "<A b={c>",
            "</A b>",
            "<A <B>",
            "<A \"b\">",
            "<a/b>",
            "<!-- a -->",
            "a <A>",
            "<A, B>",
        ] {
            assert_eq!(Tag::of(text), None, "{text}");
        }
        assert_eq!(Tag::of(&format!("<A b=\"{}\">", "ä".repeat(BYTES_MAX))), None);
    }
}
