//! The indexed fields of a post or page. The rule: the field `all` has every word that can find the document; the others only raise its rank.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use tantivy::TantivyDocument;
use tantivy::schema::{FAST, Field, INDEXED, IndexRecordOption, STRING, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{PreTokenizedString, Token};

use crate::stems::{MARK, Stems};
use crate::words::{Kind, pairs, pieces};

/// The format of indexed documents. Increase it when words, forms or fields change, so that the documents of older indexes are indexed again.
const FORMAT: u32 = 1;

/// The indexed texts and labels of a post or page.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Document {
    /// Identifies the document: a new document with the same key replaces it.
    pub key: u64,
    /// If two documents have the same score, the one with the greater number is first.
    pub order: i64,
    /// A BCP 47 tag, which determines the word forms.
    pub language: Option<String>,
    pub title: String,
    /// The subtitle, the headings, and the names of terms.
    pub headings: Vec<String>,
    pub text: String,
    /// Values for a [`Condition`](crate::Condition), each compared as a whole.
    pub labels: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
pub(crate) struct Fields {
    pub key: Field,
    pub order: Field,
    /// A hash of the whole document.
    pub digest: Field,
    /// The words of title, headings and text.
    pub all: Field,
    pub title: Field,
    pub headings: Field,
    pub labels: Field,
    /// The codes of the languages whose forms are indexed.
    pub forms: Field,
    /// For each word that differs from its folded form: the folded word, [`MARK`], and the word in lower case.
    pub spellings: Field,
}

impl Fields {
    pub fn schema() -> (Schema, Self) {
        let words = |option| {
            let indexing = TextFieldIndexing::default().set_index_option(option);
            TextOptions::default().set_indexing_options(indexing)
        };
        let mut schema = Schema::builder();
        let fields = Self {
            key: schema.add_u64_field("key", FAST | INDEXED),
            order: schema.add_i64_field("order", FAST | INDEXED),
            digest: schema.add_u64_field("digest", FAST),
            all: schema.add_text_field("all", words(IndexRecordOption::WithFreqsAndPositions)),
            title: schema.add_text_field("title", words(IndexRecordOption::WithFreqs)),
            headings: schema.add_text_field("headings", words(IndexRecordOption::WithFreqs)),
            labels: schema.add_text_field("labels", STRING),
            forms: schema.add_text_field("forms", STRING),
            spellings: schema.add_text_field("spellings", STRING),
        };
        (schema.build(), fields)
    }
}

impl Document {
    /// A hash of the document and the format, equal for equal documents.
    pub fn digest(&self) -> u64 {
        // The hasher has fixed keys, so the digest is the same after a restart.
        let mut hasher = DefaultHasher::new();
        (FORMAT, self).hash(&mut hasher);
        hasher.finish()
    }

    pub(crate) fn to_indexed(&self, fields: Fields) -> TantivyDocument {
        let stems = self.language.as_deref().and_then(Stems::of);
        let mut document = TantivyDocument::new();
        document.add_u64(fields.key, self.key);
        document.add_i64(fields.order, self.order);
        document.add_u64(fields.digest, self.digest());
        document.add_pre_tokenized_text(fields.all, tokens(self.texts(), stems));
        document.add_pre_tokenized_text(fields.title, tokens([self.title.as_str()].into_iter(), stems));
        let headings = self.headings.iter().map(String::as_str);
        document.add_pre_tokenized_text(fields.headings, tokens(headings, stems));
        for label in &self.labels {
            document.add_text(fields.labels, label);
        }
        let spellings: BTreeSet<String> = self.texts().flat_map(spellings).collect();
        for spelling in spellings {
            document.add_text(fields.spellings, spelling);
        }
        if let Some(stems) = stems {
            document.add_text(fields.forms, stems.code);
        }
        document
    }

    fn texts(&self) -> impl Iterator<Item = &str> {
        let headings = self.headings.iter().map(String::as_str);
        [self.title.as_str()].into_iter().chain(headings).chain([self.text.as_str()])
    }
}

fn spellings(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = pieces(text).filter(|piece| piece.kind == Kind::Word);
    words.filter_map(|piece| {
        let written = &text[piece.place];
        (!written.is_ascii()).then(|| format!("{}{MARK}{}", piece.text, written.to_lowercase()))
    })
}

/// The terms of texts with their positions. There is a gap between two texts, so that no phrase spans both.
fn tokens<'a>(texts: impl Iterator<Item = &'a str>, stems: Option<Stems>) -> PreTokenizedString {
    let mut tokens = Vec::new();
    let mut position = 0;
    let token = |text: String, position| Token { text, position, ..Token::default() };
    for text in texts {
        for piece in pieces(text) {
            match piece.kind {
                Kind::Word => {
                    let stem = stems.and_then(|stems| Some(stems.term(&stems.stem(&piece.text)?)));
                    tokens.push(token(piece.text, position));
                    tokens.extend(stem.map(|stem| token(stem, position)));
                    position += 1;
                }
                Kind::Run => {
                    tokens.extend(pairs(&piece.text).map(|(at, text)| token(text.to_owned(), position + at)));
                    position += piece.text.chars().count();
                }
            }
        }
        position += 1;
    }
    PreTokenizedString { text: String::new(), tokens }
}
