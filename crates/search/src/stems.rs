//! Word forms. The rule: the stem of a word is indexed in addition to the word, separately for each language, so that forms of different languages do not mix.

use frostem::{Algorithm, Stemmer};

/// Precedes the language and the stem in a term. No word contains it, so no prefix of a word matches a stem.
pub(crate) const MARK: char = '\u{1f}';

/// A language whose word forms are known.
#[derive(Clone, Copy)]
pub(crate) struct Stems {
    /// The ISO 639-1 code, with which each of its terms begins.
    pub code: &'static str,
    stemmer: Stemmer,
}

impl Stems {
    /// `tag`: a BCP 47 tag such as `pt-BR`. `None` if the forms of the language are not known.
    pub fn of(tag: &str) -> Option<Self> {
        let language = tag.split('-').next().unwrap_or_default();
        let (code, algorithm) = KNOWN.iter().find(|(code, _)| language.eq_ignore_ascii_case(code)).copied()?;
        let code = if matches!(code, "nb" | "nn") { "no" } else { code };
        Some(Self { code, stemmer: Stemmer::new(algorithm) })
    }

    /// The stem of a folded word, if it differs from the word.
    pub fn stem(&self, word: &str) -> Option<String> {
        let stem = self.stemmer.stem(word);
        (stem != word && !stem.is_empty()).then(|| stem.into_owned())
    }

    /// The term of a stem.
    pub fn term(&self, stem: &str) -> String {
        format!("{MARK}{}{stem}", self.code)
    }
}

const KNOWN: [(&str, Algorithm); 20] = [
    ("ar", Algorithm::Arabic),
    ("da", Algorithm::Danish),
    ("de", Algorithm::German),
    ("el", Algorithm::Greek),
    ("en", Algorithm::English),
    ("es", Algorithm::Spanish),
    ("fi", Algorithm::Finnish),
    ("fr", Algorithm::French),
    ("hu", Algorithm::Hungarian),
    ("it", Algorithm::Italian),
    ("nb", Algorithm::Norwegian),
    ("nl", Algorithm::Dutch),
    ("nn", Algorithm::Norwegian),
    ("no", Algorithm::Norwegian),
    ("pt", Algorithm::Portuguese),
    ("ro", Algorithm::Romanian),
    ("ru", Algorithm::Russian),
    ("sv", Algorithm::Swedish),
    ("ta", Algorithm::Tamil),
    ("tr", Algorithm::Turkish),
];
