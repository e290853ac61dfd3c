//! Parses the text that a user types. The rule: every text is a query, unless it is too long.
//!
//! Words between quotes are a phrase. A word after a minus must not occur. The last word may be unfinished, unless something follows it.

use std::ops::Range;

use crate::words::{Kind, pairs, pieces};

/// The longest query, in bytes.
pub const QUERY_BYTES_MAX: usize = 1_000;

/// The maximum number of words in a query; each pair of characters of Chinese, Japanese, Korean or Thai counts as one.
pub const WORDS_MAX: usize = 32;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadQuery {
    #[error("the query has {0} bytes; at most {QUERY_BYTES_MAX} are allowed")]
    TooLong(usize),
    #[error(
        "the query has {0} words; at most {WORDS_MAX} are allowed (each character of Chinese, Japanese, Korean or Thai counts as one)"
    )]
    TooManyWords(usize),
}

/// A part of a query that a document must or must not match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Clause {
    /// A word in any form. `text`: folded.
    Word {
        text: String,
        /// Whether longer words with this prefix match, too.
        is_unfinished: bool,
    },
    /// Terms with their positions, relative to the first.
    Phrase(Vec<(usize, String)>),
}

/// A word of the text that may be misspelt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Spelt {
    pub place: Range<usize>,
    /// The folded word.
    pub word: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    text: String,
    pub(crate) wanted: Vec<Clause>,
    pub(crate) unwanted: Vec<Clause>,
    pub(crate) spelt: Vec<Spelt>,
}

impl Query {
    /// # Errors
    /// If the text is too long.
    pub fn parse(text: &str) -> Result<Self, BadQuery> {
        if text.len() > QUERY_BYTES_MAX {
            return Err(BadQuery::TooLong(text.len()));
        }
        let mut query = Self { text: text.to_owned(), ..Self::default() };
        let mut start = 0;
        while let Some(skipped) = text[start..].find(|c: char| !c.is_whitespace()) {
            start = query.read_part(start + skipped);
        }
        let count = query.wanted.iter().chain(&query.unwanted).map(Clause::terms).sum();
        if count > WORDS_MAX { Err(BadQuery::TooManyWords(count)) } else { Ok(query) }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether the query matches no document.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    /// The text with some words replaced, by their indices in `spelt`.
    pub(crate) fn with_words(&self, others: &[(usize, String)]) -> String {
        let mut text = String::new();
        let mut copied = 0;
        for (number, other) in others {
            let place = &self.spelt[*number].place;
            text.push_str(&self.text[copied..place.start]);
            text.push_str(other);
            copied = place.end;
        }
        text.push_str(&self.text[copied..]);
        text
    }

    /// Reads the phrase or word that begins at a byte. Returns its end.
    fn read_part(&mut self, start: usize) -> usize {
        let part = &self.text[start..];
        let signed = part
            .strip_prefix(['-', '\u{2212}'])
            .filter(|after| !after.is_empty() && !after.starts_with(char::is_whitespace));
        let is_unwanted = signed.is_some();
        let part = signed.unwrap_or(part);
        let start = self.text.len() - part.len();
        let mut clauses = Vec::new();
        let end = if let Some(inside) = part.strip_prefix(is_quote) {
            // An unclosed phrase extends to the end.
            let (inside, after) = inside.split_once(is_quote).unwrap_or((inside, ""));
            clauses.extend(phrase(inside));
            self.text.len() - after.len()
        } else {
            let end = part.find(|c: char| c.is_whitespace() || is_quote(c)).map_or(self.text.len(), |at| start + at);
            for piece in pieces(&self.text[start..end]) {
                let place = start + piece.place.start..start + piece.place.end;
                if piece.kind == Kind::Run {
                    clauses.extend(of_run(&piece.text));
                    continue;
                }
                let is_unfinished = place.end == self.text.len();
                if !is_unwanted {
                    self.spelt.push(Spelt { place, word: piece.text.clone() });
                }
                clauses.push(Clause::Word { text: piece.text, is_unfinished });
            }
            end
        };
        let of_kind = if is_unwanted { &mut self.unwanted } else { &mut self.wanted };
        of_kind.extend(clauses);
        end
    }
}

impl Clause {
    fn terms(&self) -> usize {
        match self {
            Self::Word { .. } => 1,
            Self::Phrase(terms) => terms.len(),
        }
    }
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\u{201c}' | '\u{201d}' | '\u{201e}' | '«' | '»')
}

/// Each pair is a separate clause, because word boundaries are unknown and an ending may differ.
fn of_run(run: &str) -> Vec<Clause> {
    let is_single = run.chars().nth(1).is_none();
    let terms = pairs(run).filter(|(_, term)| is_single || term.chars().count() == 2);
    terms.map(|(_, term)| Clause::Phrase(vec![(0, term.to_owned())])).collect()
}

fn phrase(text: &str) -> Option<Clause> {
    let mut terms = Vec::new();
    let mut position = 0;
    for piece in pieces(text) {
        let length = piece.text.chars().count();
        match piece.kind {
            Kind::Word => {
                terms.push((position, piece.text));
                position += 1;
            }
            Kind::Run => {
                let of_run = pairs(&piece.text).filter(|(_, term)| length == 1 || term.chars().count() == 2);
                terms.extend(of_run.map(|(at, term)| (position + at, term.to_owned())));
                position += length;
            }
        }
    }
    (!terms.is_empty()).then_some(Clause::Phrase(terms))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats the clauses as `word`, `word*` or `"a b"`, with a minus if unwanted.
    fn read(text: &str) -> String {
        let query = Query::parse(text).expect("it is short");
        let shown = |clause: &Clause| match clause {
            Clause::Word { text, is_unfinished: false } => text.clone(),
            Clause::Word { text, is_unfinished: true } => format!("{text}*"),
            Clause::Phrase(terms) => {
                let terms: Vec<&str> = terms.iter().map(|(_, term)| term.as_str()).collect();
                format!("\"{}\"", terms.join(" "))
            }
        };
        let unwanted = query.unwanted.iter().map(|clause| format!("-{}", shown(clause)));
        query.wanted.iter().map(shown).chain(unwanted).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn every_text_is_a_query() {
        let cases = [
            ("", ""),
            ("  -- - \" \"\" « »", ""),
            ("Wash mirr", "wash mirr*"),
            ("wash mirror ", "wash mirror"),
            ("wash mirror!", "wash mirror"),
            ("node.js -Deno", "node js -deno*"),
            ("\"wash a\" mirror", "\"wash a\" mirror*"),
            ("-\"wash a\" b ", "b -\"wash a\""),
            ("\"not closed", "\"not closed\""),
            ("„so“ ja ", "\"so\" ja"),
            ("日本語 猫", "\"日本\" \"本語\" \"猫\""),
            ("\"日本語\"", "\"日本 本語\""),
            ("a AND (b OR c:d)^2 *~ ", "a and b or c d 2"),
            ("e-mail ", "e mail"),
            ("\u{2212}x y ", "y -x"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text), expected, "{text}");
        }
    }

    #[test]
    fn long_queries_are_refused_with_the_limit() {
        assert_eq!(Query::parse(&"x".repeat(QUERY_BYTES_MAX + 1)), Err(BadQuery::TooLong(QUERY_BYTES_MAX + 1)));
        assert_eq!(Query::parse(&"a ".repeat(WORDS_MAX + 1)), Err(BadQuery::TooManyWords(WORDS_MAX + 1)));
        assert!(Query::parse(&"a ".repeat(WORDS_MAX)).is_ok());
    }

    #[test]
    fn words_are_replaced_at_their_places() {
        let query = Query::parse("Wahs \"a b\" miror!").expect("it is short");
        assert_eq!(query.with_words(&[(0, "wash".into()), (1, "mirror".into())]), "wash \"a b\" mirror!");
    }
}
