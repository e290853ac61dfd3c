//! Word forms. The rule: the stem of a word is indexed beside the word, under the language of its text, so that forms of different languages do not mix.

use frostem::{Algorithm, Stemmer};

/// Before the language and the stem, so that no beginning of a word is one of them; no word has it.
pub(crate) const MARK: char = '\u{1f}';

/// A language whose word forms are known.
#[derive(Clone, Copy)]
pub(crate) struct Stems {
    /// Of ISO 639-1, which begins each of its terms.
    pub code: &'static str,
    stemmer: Stemmer,
}

impl Stems {
    /// By a tag of BCP 47, such as `pt-BR`; `None` if the forms of its language are not known.
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
