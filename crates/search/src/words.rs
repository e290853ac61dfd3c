//! The words of a text. The rule: texts and queries are split by the same function, and two spellings that differ only in case, accents or ligatures are the
//! same word.
//!
//! Chinese, Japanese, Korean and Thai (and its neighbours) are written without spaces, or with endings that belong to the word before them. A run of such
//! characters is indexed as its single characters and its pairs, so that any part of it can be found.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// Longer words, such as addresses and hashes, are cut to this length.
pub(crate) const WORD_CHARS_MAX: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Word,
    /// Characters of a script without spaces between words.
    Run,
}

/// A word or run of a text, and its byte range.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub kind: Kind,
    pub place: Range<usize>,
    /// The folded text; see [`fold`].
    pub text: String,
}

/// The words and runs of a text, in order.
pub(crate) fn pieces(text: &str) -> impl Iterator<Item = Piece> + '_ {
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let start = rest + text[rest..].find(|c: char| kind_of(c).is_some())?;
            let kind = text[start..].chars().next().and_then(kind_of)?;
            let end = end_of(text, start, kind);
            rest = end;
            let mut folded = fold(&without_apostrophes(&text[start..end]));
            if kind == Kind::Word
                && let Some((longest, _)) = folded.char_indices().nth(WORD_CHARS_MAX)
            {
                folded.truncate(longest);
            }
            if !folded.is_empty() {
                return Some(Piece { kind, place: start..end, text: folded });
            }
        }
    })
}

/// The terms of a run at its positions: each character, and each pair that begins with it.
pub(crate) fn pairs(run: &str) -> impl Iterator<Item = (usize, &str)> {
    let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    let count = starts.len() - 1;
    (0..count).flat_map(move |at| {
        let single = &run[starts[at]..starts[at + 1]];
        let pair = (at + 2 <= count).then(|| &run[starts[at]..starts[at + 2]]);
        [Some((at, single)), pair.map(|pair| (at, pair))].into_iter().flatten()
    })
}

/// Lower case without accents.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let letters = text.nfkd().filter(|c| !is_accent(*c)).flat_map(char::to_lowercase);
    // The letters are composed again, because the parts of a Korean syllable are not letters themselves.
    letters.flat_map(without_ligature).nfc().collect()
}

fn kind_of(c: char) -> Option<Kind> {
    if c.is_ascii() {
        return c.is_ascii_alphanumeric().then_some(Kind::Word);
    }
    match c {
        _ if is_without_spaces(c) => Some(Kind::Run),
        _ if c.is_alphanumeric() => Some(Kind::Word),
        _ => None,
    }
}

fn end_of(text: &str, start: usize, kind: Kind) -> usize {
    let mut end = start;
    for (at, c) in text[start..].char_indices() {
        let continues = kind_of(c) == Some(kind) || is_combining_mark(c) || matches!(c, '\u{ad}' | '\u{200d}');
        let joins = kind == Kind::Word && is_apostrophe(c) && is_ending(&text[start + at + c.len_utf8()..]);
        if !continues && !joins {
            break;
        }
        end = start + at + c.len_utf8();
    }
    // C++, C# and F# are words.
    let is_short = text[start..end].chars().count() <= 2 && text[start..end].is_ascii();
    let signs = text[end..].bytes().take_while(|b| matches!(b, b'+' | b'#')).count();
    let follows_word = text[end + signs..].chars().next().and_then(kind_of).is_some();
    if is_short && (1..=2).contains(&signs) && !follows_word { end + signs } else { end }
}

/// Whether the text after an apostrophe is an ending of one or two letters, as in "don't" and "we'll"; the French "l'homme" is two words.
fn is_ending(text: &str) -> bool {
    let letters = text.chars().take_while(|c| kind_of(*c) == Some(Kind::Word)).count();
    (1..=2).contains(&letters)
}

fn without_apostrophes(word: &str) -> String {
    let word = match word.char_indices().rev().nth(1) {
        Some((at, c)) if is_apostrophe(c) && word.ends_with(['s', 'S']) => &word[..at],
        _ => word,
    };
    word.chars().filter(|c| !is_apostrophe(*c) && !matches!(c, '\u{ad}' | '\u{200d}')).collect()
}

fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '\u{2019}' | '\u{2bc}')
}

/// Whether it is an accent of Latin, Greek or Cyrillic, or a vowel point of Hebrew or Arabic, which is usually not written.
fn is_accent(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}')
}

/// Splits ligatures that Unicode does not decompose.
fn without_ligature(c: char) -> impl Iterator<Item = char> {
    let (first, second) = match c {
        'ß' => ('s', Some('s')),
        'æ' => ('a', Some('e')),
        'œ' => ('o', Some('e')),
        'þ' => ('t', Some('h')),
        'ø' => ('o', None),
        'ł' => ('l', None),
        'đ' | 'ð' => ('d', None),
        'ħ' => ('h', None),
        'ı' => ('i', None),
        'ς' => ('σ', None),
        'أ' | 'إ' | 'آ' => ('ا', None),
        'ى' => ('ي', None),
        other => (other, None),
    };
    [Some(first), second].into_iter().flatten()
}

/// Whether the script is Chinese, Japanese, Korean, Thai, Lao, Burmese or Khmer.
fn is_without_spaces(c: char) -> bool {
    matches!(c, '\u{e01}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{1000}'..='\u{109f}' | '\u{1100}'..='\u{11ff}' | '\u{1780}'..='\u{17d3}'
        | '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{30ff}' | '\u{3130}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        pieces(text).map(|piece| piece.text).collect()
    }

    #[test]
    fn texts_of_many_scripts_are_divided_into_folded_words() {
        let cases: [(&str, &[&str]); 16] = [
            ("", &[]),
            ("— … !", &[]),
            ("How to wash a Mirror", &["how", "to", "wash", "a", "mirror"]),
            ("Don't; James's, we’ll", &["dont", "james", "well"]),
            ("l'homme qu’il", &["l", "homme", "quil"]),
            ("Ärger ärger A\u{308}rger", &["arger", "arger", "arger"]),
            ("Straße, cœur, Øre, Łódź", &["strasse", "coeur", "ore", "lodz"]),
            ("C++ and C# in node.js, a+b", &["c++", "and", "c#", "in", "node", "js", "a", "b"]),
            ("ΌΔΟΣ όδος", &["οδοσ", "οδοσ"]),
            ("Ёлка йод", &["елка", "иод"]),
            ("Rust言語 1.0", &["rust", "言語", "1", "0"]),
            ("안녕하세요 세계", &["안녕하세요", "세계"]),
            ("ภาษาไทย", &["ภาษาไทย"]),
            ("हिन्दी भाषा", &["हिन्दी", "भाषा"]),
            ("مُحَمَّد أحمد", &["محمد", "احمد"]),
            ("ﬁle ＡＢＣ ｶﾞ", &["file", "abc", "ガ"]),
        ];
        for (text, expected) in cases {
            assert_eq!(words(text), expected, "{text}");
        }
    }

    #[test]
    fn a_piece_has_its_place_in_the_text() {
        let text = "«Ärger» über 日本";
        let places: Vec<&str> = pieces(text).map(|piece| &text[piece.place]).collect();
        assert_eq!(places, ["Ärger", "über", "日本"]);
    }

    #[test]
    fn each_part_of_a_run_can_be_found() {
        let terms: Vec<(usize, &str)> = pairs("日本語").collect();
        assert_eq!(terms, [(0, "日"), (0, "日本"), (1, "本"), (1, "本語"), (2, "語")]);
        assert_eq!(pairs("").count(), 0);
    }

    #[test]
    fn long_words_count_by_their_beginning() {
        assert_eq!(words(&"x".repeat(1_000)), ["x".repeat(WORD_CHARS_MAX)]);
        assert_eq!(words(&"é".repeat(1_000)), ["e".repeat(WORD_CHARS_MAX)]);
        assert_eq!(words(&"語".repeat(1_000)), ["語".repeat(1_000)], "of a run, each part is a word");
    }
}
