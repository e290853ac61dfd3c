//! Scans the bytes of a document before the parser gets them. The rule: the scan never recurses. The parser does, and a document of 4 KB
//! with 2,000 nested brackets would overflow its stack and abort the process.
//!
//! The scan must recognize strings and comments exactly as the parser does, or brackets could be hidden in them. So it refuses a string
//! without an end, after which the two could differ. Test: `scan_agrees_with_the_parser`.

use super::{limits::Limits, refusal::Refusal};
use crate::graphql::error::Code;
use crate::graphql::lexemes::{Lexeme, lexemes, position};

/// Checks `document` against the limits on bytes, nesting, tokens and directives. Returns the number of tokens.
pub(super) fn scan(document: &str, limits: &Limits) -> Result<usize, Refusal> {
    if document.len() > limits.document_bytes {
        let found = document.len() as u64;
        return Err(Refusal::found_over(Code::QueryTooLarge, "bytes", found, limits.document_bytes));
    }
    let (mut tokens, mut nesting, mut directives) = (0_usize, 0_usize, 0_usize);
    for (range, lexeme) in lexemes(document) {
        let refuse = |refusal: Refusal| Err(refusal.at(position(document.as_bytes(), range.start)));
        tokens += 1;
        if tokens > limits.tokens {
            return refuse(Refusal::over(Code::QueryTooLarge, "tokens", limits.tokens));
        }
        match lexeme {
            Lexeme::Unended => {
                return refuse(Refusal::new(Code::GraphqlParseFailed, "Syntax error: this string does not end."));
            }
            Lexeme::Mark(b'{' | b'(' | b'[') => {
                nesting += 1;
                if nesting > limits.nesting {
                    return refuse(Refusal::over(Code::QueryTooDeep, "brackets open at once", limits.nesting));
                }
            }
            // The parser stops at a closing bracket without an opening one, so nothing after it can nest.
            Lexeme::Mark(b'}' | b')' | b']') => nesting = nesting.saturating_sub(1),
            Lexeme::Mark(b'@') => {
                directives += 1;
                if directives > limits.directives {
                    return refuse(Refusal::over(Code::QueryTooComplex, "directives", limits.directives));
                }
            }
            Lexeme::Mark(_) | Lexeme::Name | Lexeme::Number | Lexeme::Text { .. } => {}
        }
    }
    Ok(tokens)
}

#[cfg(test)]
mod tests {
    use async_graphql::Pos;
    use async_graphql::parser::parse_query;
    use proptest::prelude::*;

    use super::*;

    fn refused(document: &str) -> (Code, String, Option<Pos>) {
        let refusal = scan(document, &Limits::default()).expect_err("the document exceeds a limit");
        (refusal.code, refusal.message, refusal.at)
    }

    #[test]
    fn an_everyday_document_passes() {
        let document = r#"query Page($n: Int = 20) @live { posts(first: $n, after: "a\"}") { nodes { ...Post } } } # {{{{
            fragment Post on Post { title excerpt(text: """[[[ \""" ]""") }"#;
        assert_eq!(scan(document, &Limits::default()), Ok(44));
    }

    #[test]
    fn nested_lists_are_refused_at_the_position_of_the_limit() {
        let document = format!("{{ a(x: {}{}) }}", "[".repeat(2000), "]".repeat(2000));
        let (code, message, at) = refused(&document);
        assert_eq!(code, Code::QueryTooDeep);
        assert_eq!(message, "The document has more than 32 brackets open at once; 32 is the limit.");
        assert_eq!(at, Some(Pos { line: 1, column: 38 }));
    }

    #[test]
    fn nested_types_are_refused() {
        let document = format!("query($x: {}Int{}) {{ a }}", "[".repeat(40), "]".repeat(40));
        assert_eq!(refused(&document).0, Code::QueryTooDeep);
    }

    #[test]
    fn tokens_directives_and_bytes_are_counted() {
        let limits = Limits { tokens: 5, directives: 1, document_bytes: 30, ..Limits::default() };
        assert_eq!(scan("{ a b c }", &limits), Ok(5));
        assert_eq!(scan("{ a b c d }", &limits).unwrap_err().code, Code::QueryTooLarge);
        assert_eq!(scan("{ a @b @c", &limits).unwrap_err().code, Code::QueryTooComplex);
        assert_eq!(scan(&" ".repeat(31), &limits).unwrap_err().code, Code::QueryTooLarge);
    }

    #[test]
    fn a_number_with_its_parts_and_a_spread_are_one_token_each() {
        let limits = Limits { tokens: 8, ..Limits::default() };
        assert_eq!(scan("{ a(b: -1.5e+3) ...c", &Limits { tokens: 9, ..limits.clone() }), Ok(9));
        assert!(scan("{ a(b: -1.5e+3) ...c", &limits).is_err());
    }

    #[test]
    fn a_string_that_does_not_end_is_refused_with_its_position() {
        for document in
            ["{ a(b: \"x", "{ a(b: \"x\n\") }", "{ a(b: \"x\\\n\") }", "{ a(b: \"\"\"x\"\" \\\"\"\"", "{ é(b:\"\\"]
        {
            let (code, _, at) = refused(document);
            assert_eq!((code, at.map(|at| at.line)), (Code::GraphqlParseFailed, Some(1)), "{document}");
        }
        assert_eq!(refused("\n{ é: \"").2, Some(Pos { line: 2, column: 6 }));
    }

    /// The nesting of a `document` without strings and comments.
    fn nesting_of(document: &str) -> usize {
        let mut open = 0_usize;
        let deepest = document.chars().map(|character| {
            match character {
                '{' | '(' | '[' => open += 1,
                '}' | ')' | ']' => open = open.saturating_sub(1),
                _ => {}
            }
            open
        });
        deepest.max().unwrap_or(0)
    }

    proptest! {
        #[test]
        fn scan_never_panics(document in any::<String>()) {
            let _ = scan(&document, &Limits::default());
        }

        #[test]
        fn scan_never_panics_on_quotes_and_brackets(document in r#"["\\#\n\r{}()\[\]a@.é \u{feff}]{0,60}"#) {
            let _ = scan(&document, &Limits::default());
        }

        /// Brackets in strings and comments of the parser never count. The scan refuses a block string without an end, as the specification
        /// requires; the parser would continue after an empty string.
        #[test]
        fn scan_agrees_with_the_parser(inside in r#"[\[{( "\\n]{0,12}"#, block in any::<bool>()) {
            let quotes = if block { "\"\"\"" } else { "\"" };
            let document = format!("{{ a(b: [{quotes}{inside}{quotes}]) }} # {inside}");
            let limits = Limits { nesting: 3, ..Limits::default() };
            if parse_query(&document).is_ok() {
                let refused = scan(&document, &limits).err().map(|refusal| refusal.code);
                prop_assert!(matches!(refused, None | Some(Code::GraphqlParseFailed)));
            }
        }

        #[test]
        fn the_scan_counts_the_same_nesting_as_a_naive_count(document in r"[{}()\[\]a ]{0,40}", bound in 1_usize..6) {
            let limits = Limits { nesting: bound, ..Limits::default() };
            prop_assert_eq!(scan(&document, &limits).is_ok(), nesting_of(&document) <= bound);
        }
    }
}
