//! Errors of a server whose introspection is switched off. The rule: an error repeats names that the client has sent, and tells no other.
//!
//! The engine quotes names: of the type that a field was asked of, of the type that a variable should have, of a field that is required.

use async_graphql::Response;

use super::code_of;

/// In place of a name that the client did not send.
const HIDDEN: &str = "…";

/// In place of a message whose quotes are not paired: one of them stands in a value of the client's, and what is quoted cannot be told.
const UNREADABLE: &str = "The request does not fit the schema.";

/// Takes the names that `document` does not hold out of the engine's own errors, which are those without a code.
pub fn hide_unsent_names(response: &mut Response, document: &str) {
    for error in response.errors.iter_mut().filter(|error| code_of(error).is_none()) {
        error.message = without_unsent_names(&error.message, document);
    }
}

fn without_unsent_names(message: &str, document: &str) -> String {
    if message.matches('"').count() % 2 == 1 {
        return UNREADABLE.to_owned();
    }
    let parts = message.split('"').enumerate();
    let kept = parts.map(|(at, part)| if at % 2 == 1 && !holds_all_names(document, part) { HIDDEN } else { part });
    kept.collect::<Vec<_>>().join("\"")
}

fn holds_all_names(document: &str, quoted: &str) -> bool {
    names(quoted).all(|name| names(document).any(|sent| sent == name))
}

/// Names as the GraphQL specification has them, numbers among them.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_').filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_were_sent_stay_and_others_go() {
        let document = "{ posts(filter: { tags: 1 }) { title } }";
        let cases = [
            (r#"Unknown field "title" on type "PostConnection""#, r#"Unknown field "title" on type "…""#),
            (r#"field "slug" of type "String!" is required"#, r#"field "…" of type "…" is required"#),
            (r#"Invalid value for argument "filter.tags""#, r#"Invalid value for argument "filter.tags""#),
            ("nothing is quoted", "nothing is quoted"),
            (r#"unknown field "q"" of type "PostFilter""#, UNREADABLE),
            (r#"unknown field "q"q"" of type "PostFilter""#, r#"unknown field "…"q"" of type "…""#),
        ];
        for (message, expected) in cases {
            assert_eq!(without_unsent_names(message, document), expected);
        }
    }
}
