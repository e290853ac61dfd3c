//! Counts words. The rule: a word is delimited by white space and contains a letter or a digit, except that each Chinese character and each Japanese
//! kana counts as one word, because these are written without spaces. Thai, Lao, Khmer and Burmese have words of several letters without spaces,
//! which only a dictionary can divide: their number is estimated from the letters.

use unicode_normalization::char::is_combining_mark;

const WORDS_PER_MINUTE: u32 = 200;

/// The average number of letters in a word of Thai, Lao, Khmer or Burmese, without combining marks for vowels and tones.
const LETTERS_PER_WORD: usize = 4;

pub fn count(text: &str) -> u32 {
    let total: usize = text.split_whitespace().map(count_piece).sum();
    u32::try_from(total).unwrap_or(u32::MAX)
}

/// The minutes at 200 words a minute, rounded up, and at least 1 if there is any text, even without a word.
pub fn reading_minutes(text: &str, word_count: u32) -> u32 {
    let at_least = u32::from(!text.trim().is_empty());
    word_count.div_ceil(WORDS_PER_MINUTE).max(at_least)
}

/// The words of a text without white space: each Chinese or kana character, the estimated words of each run in a script without spaces, and each part
/// between them that contains a letter or digit.
fn count_piece(piece: &str) -> usize {
    if piece.is_ascii() {
        return usize::from(piece.contains(|c: char| c.is_ascii_alphanumeric()));
    }
    let characters = piece.chars().filter(|c| counts_as_word(*c)).count();
    let of_run = |run: &str| run.chars().filter(|c| !is_combining_mark(*c)).count().div_ceil(LETTERS_PER_WORD);
    let estimated: usize = piece.split(|c| !is_of_words_without_spaces(c)).map(of_run).sum();
    let is_other = |c: char| counts_as_word(c) || is_of_words_without_spaces(c);
    let parts = piece.split(is_other).filter(|part| part.contains(char::is_alphanumeric)).count();
    characters + estimated + parts
}

/// Whether the script is Thai, Lao, Burmese or Khmer.
fn is_of_words_without_spaces(c: char) -> bool {
    matches!(c, '\u{e01}'..='\u{e3a}' | '\u{e40}'..='\u{e4e}' | '\u{e81}'..='\u{ece}' | '\u{edc}'..='\u{edf}'
        | '\u{1000}'..='\u{103f}' | '\u{1050}'..='\u{109d}' | '\u{1780}'..='\u{17d3}' | '\u{a9e0}'..='\u{a9fe}' | '\u{aa60}'..='\u{aa7f}')
}

fn counts_as_word(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}' | '\u{3041}'..='\u{309f}' | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}'
        | '\u{31f0}'..='\u{31ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9d}' | '\u{20000}'..='\u{323af}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_many_scripts() {
        let cases = [
            ("", 0),
            ("—", 0),
            ("don't stop", 2),
            ("a - b", 2),
            ("x_y.z", 1),
            ("日本語です。", 5),
            ("Rust言語 1.0", 4),
            ("안녕 세계", 2),
            ("ภาษาไทยไม่มีการเว้นวรรค", 5),
            ("ພາສາລາວ", 2),
            ("ភាសាខ្មែរ", 2),
            ("မြန်မာဘာသာ", 2),
            ("Rustภาษา 2.0", 3),
            ("—…", 0),
        ];
        for (text, words) in cases {
            assert_eq!(count(text), words, "{text}");
        }
    }

    #[test]
    fn minutes_are_rounded_up() {
        let minutes = |words: u32| reading_minutes("x", words);
        assert_eq!([0, 1, 200, 201].map(minutes), [1, 1, 1, 2]);
        assert_eq!(reading_minutes(" ", 0), 0);
    }
}
