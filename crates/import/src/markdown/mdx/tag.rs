//! One tag of MDX. The rule: anything except a complete tag is text, so `1 < N`, `<https://a.b>` and `<a@b.c>` are not tags.

use crate::markdown::components::split_name;

/// The longest tag that is read, which bounds the time for each `<`.
const BYTES_MAX: usize = 4_000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Tag<'t> {
    pub name: &'t str,
    pub form: Form,
    /// In bytes.
    pub length: usize,
    /// Only the attributes with a value.
    pub attributes: Vec<(&'t str, Value<'t>)>,
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

/// The value of an attribute as written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Value<'t> {
    Text(&'t str),
    /// Between braces, also without a name: `{...props}`.
    Program(&'t str),
}

impl<'t> Tag<'t> {
    /// The tag at the start of a text. It can span several lines, and contain any text in quotes and braces.
    pub(super) fn of(text: &'t str) -> Option<Self> {
        let inside = text.strip_prefix('<')?;
        let (is_closing, inside) = inside.strip_prefix('/').map_or((false, inside), |inside| (true, inside));
        let (name, rest) = split_name(inside);
        let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic());
        if !is_name || !rest.starts_with(|c: char| c.is_whitespace() || matches!(c, '/' | '>' | '{')) {
            return None;
        }
        let start = text.len() - rest.len();
        let head = &rest[..rest.floor_char_boundary(BYTES_MAX)];
        let (mut rest, mut attributes) = (head, Vec::new());
        let form = loop {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('>') {
                rest = after;
                break if is_closing { Form::Closing } else { Form::Opening };
            }
            if is_closing {
                return None;
            }
            if let Some(after) = rest.strip_prefix("/>") {
                rest = after;
                break Form::Empty;
            }
            let end = rest.find(|c: char| !is_of_attribute(c)).unwrap_or(rest.len());
            let (name, after) = rest.split_at(end);
            let value = match after.trim_start().strip_prefix('=') {
                Some(value) if !name.is_empty() => value.trim_start(),
                _ if rest.starts_with('{') => rest,
                _ if name.is_empty() => return None,
                _ => {
                    rest = after;
                    continue;
                }
            };
            let (value, after) = Value::of(value)?;
            attributes.push((name, value));
            rest = after;
        };
        Some(Self { name, form, length: start + head.len() - rest.len(), attributes })
    }
}

impl<'t> Value<'t> {
    /// The value at the start of the text, and the rest.
    fn of(text: &'t str) -> Option<(Self, &'t str)> {
        match text.chars().next()? {
            '{' => {
                let length = braces_length(text)?;
                Some((Self::Program(text[1..length - 1].trim()), &text[length..]))
            }
            quote @ ('"' | '\'') => {
                let (value, rest) = text[1..].split_once(quote)?;
                Some((Self::Text(value.trim()), rest))
            }
            _ => {
                let (value, rest) = text.split_at(text.find(|c: char| !is_of_attribute(c)).unwrap_or(text.len()));
                (!value.is_empty()).then_some((Self::Text(value), rest))
            }
        }
    }
}

/// The length of the text in braces at the start, with them.
fn braces_length(text: &str) -> Option<usize> {
    let (mut open, mut quote, mut is_escaped) = (0_usize, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if is_escaped => is_escaped = false,
            (Some(_), '\\') => is_escaped = true,
            (Some(of), _) if of == c => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'' | '`') => quote = Some(c),
            (None, '{') => open += 1,
            (None, '}') if open == 1 => return Some(at + 1),
            (None, '}') => open -= 1,
            _ => {}
        }
    }
    None
}

fn is_of_attribute(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.' | '$' | '@')
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
            let after = format!("{text} > <b>");
            let tag = Tag::of(&after).unwrap_or_else(|| panic!("{text}"));
            assert_eq!((tag.name, tag.form, tag.length), (name, form, text.len()), "{text}");
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
