//! Words counted. The rule: a word is what white space parts and what holds a letter or a digit, but Chinese characters and Japanese
//! kana, which are written without spaces, count one each. Korean is written with spaces, so its words count as words.

/// Words read in a minute.
const WORDS_PER_MINUTE: u32 = 200;

/// How many words the text has.
pub fn count(text: &str) -> u32 {
    let total: usize = text.split_whitespace().map(count_piece).sum();
    u32::try_from(total).unwrap_or(u32::MAX)
}

/// How long the text takes to read: rounded up, at least 1 where there is any text, a picture of signs alone included.
pub fn reading_minutes(text: &str, word_count: u32) -> u32 {
    let at_least = u32::from(!text.trim().is_empty());
    word_count.div_ceil(WORDS_PER_MINUTE).max(at_least)
}

/// A piece without white space: each Chinese or kana character, and each stretch between them that holds a letter or digit.
fn count_piece(piece: &str) -> usize {
    let characters = piece.chars().filter(|c| is_isolated(*c)).count();
    let stretches = piece.split(is_isolated).filter(|stretch| stretch.contains(char::is_alphanumeric)).count();
    characters + stretches
}

fn is_isolated(c: char) -> bool {
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
