//! Syntax errors for the client. The rule: a short message names the unexpected token and the expected ones, in the words of the GraphQL
//! specification, however long the document is.

use async_graphql::Pos;
use async_graphql::parser;

use super::Refusal;
use crate::graphql::error::Code;

/// The maximum number of quoted characters of the document.
const QUOTED_CHARS: usize = 20;

/// The names in the parser's grammar (`async-graphql-parser`, `graphql.pest`) and in the specification. Other names are shown with spaces
/// for underscores.
const RULES: [(&str, &str); 28] = [
    ("EOI", "the end of the document"),
    ("executable_definition", "an operation or a fragment"),
    ("operation_type", "query, mutation or subscription"),
    ("selection_set", "a selection set in braces"),
    ("selection", "a field or a fragment"),
    ("field", "a field"),
    ("alias", "an alias"),
    ("name", "a name"),
    ("arguments", "arguments"),
    ("argument", "an argument"),
    ("directives", "directives"),
    ("directive", "a directive"),
    ("type_condition", "a type condition"),
    ("type_", "a type"),
    ("variable_definitions", "variable definitions"),
    ("variable_definition", "a variable definition"),
    ("variable", "a variable"),
    ("default_value", "a default value"),
    ("value", "a value"),
    ("const_value", "a value without variables"),
    ("string", "a string"),
    ("type_system_definition", "a type or an enum"),
    ("fields_definition", "fields in braces"),
    ("field_definition", "a field"),
    ("arguments_definition", "arguments"),
    ("enum_values", "values in braces"),
    ("enum_value_definition", "a value"),
    ("const_directives", "directives"),
];

pub(super) fn refuse(document: &str, error: &parser::Error) -> Refusal {
    let position = error.positions().next();
    let message = error.to_string();
    // The parser's message draws the faulty line, which may have 64 KB. Its last line names the expected rules.
    let last_line = message.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
    let reason = last_line.trim_start_matches([' ', '=']);
    let message = match (reason.strip_prefix("expected "), position) {
        (Some(rules), Some(position)) => {
            format!("Syntax error: found {}, expected {}.", found(document, position), in_words(rules))
        }
        _ => format!("Syntax error: {reason}."),
    };
    let refusal = Refusal::new(Code::GraphqlParseFailed, message);
    match position {
        Some(position) => refusal.at(position),
        None => refusal,
    }
}

/// The token at the position, quoted.
fn found(document: &str, position: Pos) -> String {
    let line = document.split('\n').nth(position.line.saturating_sub(1)).unwrap_or_default();
    let rest = line.chars().skip(position.column.saturating_sub(1)).skip_while(|c| c.is_whitespace() || *c == ',');
    let rest: String = rest.take(QUOTED_CHARS).collect();
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let token = match rest.chars().next() {
        Some(first) if is_name(first) => rest.split(|c| !is_name(c)).next().unwrap_or_default().to_owned(),
        Some(first) => first.to_string(),
        None if document.split('\n').nth(position.line).is_some() => return "the end of the line".to_owned(),
        None => return "the end of the document".to_owned(),
    };
    format!("{token:?}")
}

/// Translates the parser's `a, b, or c` into the specification's words.
fn in_words(rules: &str) -> String {
    let rules = rules.replace(", or ", ", ").replace(" or ", ", ");
    let mut words: Vec<String> = Vec::new();
    for rule in rules.split(", ") {
        let word = RULES.iter().find(|(name, _)| *name == rule).map(|(_, word)| (*word).to_owned());
        let word = word.unwrap_or_else(|| rule.replace('_', " "));
        if !words.contains(&word) {
            words.push(word);
        }
    }
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use async_graphql::parser::parse_query;

    use super::*;

    #[test]
    fn a_syntax_error_says_what_was_found_and_what_is_expected() {
        let cases = [
            ("{", "found the end of the document, expected a field or a fragment"),
            ("{ a( }", "found \"}\", expected a name"),
            ("{ a } b", "found \"b\", expected the end of the document or an operation or a fragment"),
            ("", "found the end of the document, expected an operation or a fragment"),
            ("query ($a) { b }", "found \"$\", expected a variable definition"),
            ("{ posts(first: ) }", "found \")\", expected a value"),
        ];
        for (document, expected) in cases {
            let refused = refuse(document, &parse_query(document).expect_err(document));
            assert!(
                refused.message.starts_with(&format!("Syntax error: {expected}")),
                "{document:?}: {}",
                refused.message
            );
            assert!(!refused.message.contains('_'), "{document:?}: {}", refused.message);
        }
    }
}
