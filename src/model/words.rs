//! Counts words. The rule: a word is delimited by white space and contains a letter or a digit, except that each Chinese character and
//! each Japanese kana counts as one word, because these are written without spaces. Korean is written with spaces, so its words count as words.

/// The number of words that a reader reads in a minute.
const WORDS_PER_MINUTE: u32 = 200;

/// The number of words in the text.
pub fn count(text: &str) -> u32 {
    let total: usize = text.split_whitespace().map(count_piece).sum();
    u32::try_from(total).unwrap_or(u32::MAX)
}

/// The reading time of the text in minutes: rounded up, and at least 1 if there is any text, even without a word.
pub fn reading_minutes(text: &str, word_count: u32) -> u32 {
    let at_least = u32::from(!text.trim().is_empty());
    word_count.div_ceil(WORDS_PER_MINUTE).max(at_least)
}

/// The words of a text without white space: each Chinese or kana character, and each part between them that contains a letter or digit.
fn count_piece(piece: &str) -> usize {
    let characters = piece.chars().filter(|c| counts_as_word(*c)).count();
    let parts = piece.split(counts_as_word).filter(|part| part.contains(char::is_alphanumeric)).count();
    characters + parts
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
