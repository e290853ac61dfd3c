//! "Input Object Field Uniqueness" of the GraphQL specification. The rule: it is checked in the text, because the parser silently keeps the
//! last of two fields with the same name.

use std::collections::HashSet;

use super::refusal::Refusal;
use crate::graphql::error::Code;
use crate::graphql::lexemes::{Lexeme, lexemes, position};

/// An open bracket.
enum Open<'a> {
    /// An input object, with the field names so far.
    Object(HashSet<&'a str>),
    Other,
}

/// Checks a text that the parser accepts.
pub(super) fn are_unique(text: &str) -> Result<(), Refusal> {
    let (mut open, mut arguments, mut last) = (Vec::new(), 0_usize, None);
    for (range, lexeme) in lexemes(text) {
        let name = last.take();
        match lexeme {
            Lexeme::Name => last = Some(range),
            Lexeme::Mark(mark @ (b'(' | b'{' | b'[')) => {
                arguments += usize::from(mark == b'(');
                // Braces inside parentheses belong to a value.
                let is_object = mark == b'{' && arguments > 0;
                open.push(if is_object { Open::Object(HashSet::new()) } else { Open::Other });
            }
            Lexeme::Mark(mark @ (b')' | b'}' | b']')) => {
                arguments -= usize::from(mark == b')').min(arguments);
                open.pop();
            }
            Lexeme::Mark(b':') => {
                if let (Some(range), Some(Open::Object(names))) = (name, open.last_mut())
                    && !names.insert(&text[range.clone()])
                {
                    let message = format!("There can be only one input field named \"{}\".", &text[range.clone()]);
                    let at = position(text.as_bytes(), range.start);
                    return Err(Refusal::new(Code::GraphqlValidationFailed, message).at(at));
                }
            }
            _ => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use async_graphql::Pos;

    use super::*;

    fn found(text: &str) -> Option<(String, Pos)> {
        are_unique(text).err().map(|refusal| (refusal.message, refusal.at.expect("a position")))
    }

    #[test]
    fn a_name_that_is_given_twice_in_one_object_is_found_and_nothing_else() {
        for text in [
            "{ a { a: b a: b } }",
            "{ a(b: { c: 1, d: { c: 1 } }, b2: { c: 1 }) { c: d } }",
            "{ a(b: [{ c: 1 }, { c: 1 }]) }",
            "query($c: In = { c: \"c: 1\" }) { a(b: $c) @include(if: { c: $c }) }",
            "{ a(b: { c: c # c: 1\n }) }",
            "{ a(b: { c: \"\"\" c: \\\"\"\" \"\"\" }) { b } }",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
        for (text, column) in [
            ("{ a(b: { c: 1, c: 1 }) }", 16),
            ("{ a(b: { é: [{ x: 1 }] c: c c: 1 }) }", 29),
            ("query($c: In = { c: \"c: 1\" c : 2 }) { a }", 28),
            ("{ a @b(c: { c: { } c: 1 }) }", 20),
        ] {
            let (message, at) = found(text).expect(text);
            assert_eq!(
                (message.as_str(), at.column),
                ("There can be only one input field named \"c\".", column),
                "{text}"
            );
        }
    }
}
