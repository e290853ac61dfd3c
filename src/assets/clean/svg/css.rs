//! Values, declarations and style sheets of CSS ("CSS Syntax Module Level 3", W3C). The rule: the result has no escapes and no comments, only closed strings
//! and known functions, so every browser reads it alike and it can load nothing. Everything else is omitted.

use super::names::is_property;

/// The allowed functions; `url()` is checked separately. All others could load something: `image()`, `image-set()`, `src()`, `element()`.
const FUNCTIONS: &str = "\
    blur brightness calc circle clamp color color-mix contrast cubic-bezier drop-shadow ellipse grayscale hsl \
    hsla hue-rotate hwb inset invert lab lch light-dark matrix matrix3d max min oklab oklch opacity path \
    perspective polygon rgb rgba rotate rotate3d rotatex rotatey rotatez saturate scale scale3d scalex scaley \
    scalez sepia skew skewx skewy steps translate translate3d translatex translatey translatez var";
/// The rules that contain other rules, or the steps of an animation.
const GROUPS: &[&str] = &["media", "supports", "keyframes", "-webkit-keyframes"];

/// Whether a value has only known functions, closed strings and brackets, and no escapes or comments.
pub(super) fn is_safe(value: &str) -> bool {
    let (mut rest, mut depth) = (value, 0_usize);
    while let Some(at) = rest.find(|character| !is_plain(character)) {
        let (before, from) = rest.split_at(at);
        let inside = &from[1..];
        rest = match from.as_bytes()[0] {
            quote @ (b'"' | b'\'') => match string_end(inside, char::from(quote)) {
                Some(end) => &inside[end + 1..],
                None => return false,
            },
            b'(' => {
                let name = before[function_start(before)..].to_ascii_lowercase();
                depth += 1;
                match name.as_str() {
                    "url" => match fragment_end(inside) {
                        Some(end) => &inside[end..],
                        None => return false,
                    },
                    name if name.is_empty() || FUNCTIONS.split(' ').any(|known| known == name) => inside,
                    _ => return false,
                }
            }
            b')' if depth > 0 => {
                depth -= 1;
                inside
            }
            _ => return false,
        };
    }
    depth == 0 && !value.contains("/*")
}

/// Whether a character has no special meaning in a value. `;` separates the steps of an animation in an attribute.
fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric()
        || matches!(character, ' ' | '\n' | '\t')
        || "-_.,%#+*/!:;=?&".contains(character)
        || !character.is_ascii()
}

/// The position at which the name of a function begins that ends here.
fn function_start(before: &str) -> usize {
    let is_name =
        |character: char| character.is_ascii_alphanumeric() || "-_".contains(character) || !character.is_ascii();
    before.trim_end_matches(is_name).len()
}

/// The end of a string after its first quote. A string with a character that has a meaning outside of strings is not one: `values` of an animation is divided
/// at each `;`, and a browser may see its end elsewhere.
fn string_end(text: &str, quote: char) -> Option<usize> {
    let ends = |character: char| character == quote || "\\\n\r\u{c}(){};@<".contains(character);
    text.find(ends).filter(|end| text[*end..].starts_with(quote))
}

/// The end of `#name` in `url(`, with or without quotes, before the bracket.
fn fragment_end(text: &str) -> Option<usize> {
    let end = text.find(')')?;
    let address = text[..end].trim();
    let unquoted = |quote| address.strip_prefix(quote)?.strip_suffix(quote);
    let address = unquoted('"').or_else(|| unquoted('\'')).unwrap_or(address);
    let is_name = |character: char| character.is_alphanumeric() || "-_.:".contains(character);
    address.strip_prefix('#').filter(|name| !name.is_empty() && name.chars().all(is_name)).map(|_| end)
}

/// The declarations of an attribute `style` or of a rule.
pub(super) fn declarations(text: &str) -> String {
    let text = without_comments(text);
    let mut kept: Vec<String> = Vec::new();
    let mut rest = text.as_str();
    while !rest.is_empty() {
        let end = find_outside(rest, &[';']).map_or(rest.len(), |(end, _)| end);
        let declared = rest[..end].split_once(':').map(|(name, value)| (name.trim(), value.trim()));
        if let Some((name, value)) = declared {
            let name = if name.starts_with("--") { name.to_owned() } else { name.to_ascii_lowercase() };
            let is_one = !value.is_empty() && !value.contains(';');
            if is_one && is_property(&name) && is_safe(value) {
                kept.push(format!("{name}:{value}"));
            }
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    kept.join(";")
}

/// The rules of a style sheet that select elements of a drawing, and the groups of such rules.
pub(super) fn sheet(text: &str) -> String {
    rules(&without_comments(text), true)
}

fn rules(text: &str, has_groups: bool) -> String {
    let (mut kept, mut rest) = (String::new(), text.trim());
    while let Some((end, mark)) = find_outside(rest, &['{', ';', '}']) {
        let head = rest[..end].trim();
        let inside = &rest[end + 1..];
        if mark != '{' {
            rest = inside;
            continue;
        }
        let length = block_length(inside);
        let block = &inside[..length];
        rest = inside.get(length + 1..).unwrap_or_default();
        let content = match head.strip_prefix('@') {
            Some(group) if has_groups && is_group(group) => rules(block, false),
            None if is_selector(head) => declarations(block),
            _ => continue,
        };
        if !content.is_empty() {
            kept.extend([head, "{", &content, "}"]);
        }
    }
    kept
}

/// The length of a block after its first brace, to its last one or to the end of the text.
fn block_length(text: &str) -> usize {
    let (mut depth, mut from) = (1_usize, 0);
    while let Some((at, mark)) = find_outside(&text[from..], &['{', '}']) {
        depth = if mark == '{' { depth + 1 } else { depth - 1 };
        if depth == 0 {
            return from + at;
        }
        from += at + 1;
    }
    text.len()
}

fn is_group(head: &str) -> bool {
    let (name, condition) = head.split_once([' ', '\n', '\t', '(']).unwrap_or((head, ""));
    let condition = if condition.is_empty() { "" } else { &head[name.len()..] };
    GROUPS.contains(&name.to_ascii_lowercase().as_str()) && !condition.contains([';', '!']) && is_safe(condition)
}

fn is_selector(text: &str) -> bool {
    let is_part = |character: char| {
        character.is_ascii_alphanumeric() || " \n\t-_.,%#*+~>:()".contains(character) || !character.is_ascii()
    };
    let opened = text.matches('(').count();
    !text.is_empty() && text.chars().all(is_part) && opened == text.matches(')').count()
}

/// The first of these characters that is not in a string or in brackets.
fn find_outside(text: &str, marks: &[char]) -> Option<(usize, char)> {
    let (mut quote, mut depth, mut is_escaped) = (None, 0_usize, false);
    for (at, character) in text.char_indices() {
        match (quote, character) {
            _ if is_escaped => is_escaped = false,
            (_, '\\') => is_escaped = true,
            (Some(open), character) if character == open || character == '\n' => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(character),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, mark) if depth == 0 && marks.contains(&mark) => return Some((at, mark)),
            _ => {}
        }
    }
    None
}

/// A comment becomes a space, because it separates tokens.
fn without_comments(text: &str) -> String {
    let (mut kept, mut rest) = (String::with_capacity(text.len()), text);
    while let Some((before, comment)) = rest.split_once("/*") {
        kept.push_str(before);
        kept.push(' ');
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}
