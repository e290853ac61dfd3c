//! Hides names in errors if introspection is switched off. The rule: an error contains only names that the client has sent.
//!
//! The engine quotes other names too: the type of a selection, the expected type of a variable, a required field.

use async_graphql::Response;

use super::code_of;

/// Replaces a name that the client did not send.
const HIDDEN: &str = "…";

/// Replaces a message with an odd number of quotes: one of them is part of a value that the client sent, so the quoted parts cannot be identified.
const UNREADABLE: &str = "The request does not fit the schema.";

/// Hides names that are not in `document` in the errors without a code, which are those of the engine.
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

/// Names as the GraphQL specification defines them, and numbers.
fn names(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !character.is_ascii_alphanumeric() && character != '_').filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_the_client_did_not_send_are_hidden() {
        let document = "{ posts(filter: { tags: 1 }) { title } }";
        let cases = [
            (r#"Unknown field "title" on type "PostConnection""#, r#"Unknown field "title" on type "…""#),
            (r#"field "slug" of type "String!" is required"#, r#"field "…" of type "…" is required"#),
            (r#"Invalid value for argument "filter.tags""#, r#"Invalid value for argument "filter.tags""#),
            ("no quoted name", "no quoted name"),
            (r#"unknown field "q"" of type "PostFilter""#, UNREADABLE),
            (r#"unknown field "q"q"" of type "PostFilter""#, r#"unknown field "…"q"" of type "…""#),
        ];
        for (message, expected) in cases {
            assert_eq!(without_unsent_names(message, document), expected);
        }
    }
}
