//! A YAML error for the person who wrote the file. The rule: it names the line of the file, shows it, and says what to write instead if that is known.

use granit_parser::ScanError;

/// Lines of a file before its front matter: the opening fence.
pub(super) const FENCE_LINES: usize = 1;
/// Characters of the line that are shown.
const SHOWN_CHARS: usize = 80;

/// `text` is the front matter, without its fences.
pub(super) fn explain(text: &str, error: &ScanError) -> String {
    let lines: Vec<&str> = text.lines().collect();
    // The parser often notices the fault one line later.
    let at = error.marker().line().clamp(1, lines.len().max(1));
    let candidates = [at, at.saturating_sub(1)].into_iter().filter(|line| *line > 0);
    let with_remedy = |line: usize| Some((line, remedy(lines.get(line - 1)?)?));
    match candidates.clone().find_map(with_remedy) {
        Some((line, remedy)) => format!("line {}, `{}`: {remedy}", line + FENCE_LINES, shown(lines[line - 1])),
        None => {
            let line = lines.get(at - 1).copied().unwrap_or_default();
            format!("line {}, `{}`: {}", at + FENCE_LINES, shown(line), in_one_line(&error.info()))
        }
    }
}

/// What is wrong with a line whose fault has a known remedy, and what to write instead.
fn remedy(line: &str) -> Option<String> {
    if line.starts_with('\t') || line.trim_start_matches(' ').starts_with('\t') {
        return Some("YAML does not allow a tab at the beginning of a line; use spaces".to_owned());
    }
    let (key, value) = line.split_once(": ")?;
    let value = value.trim();
    let quoted = || format!("write `{}: '{}'`", key.trim_end(), value.replace('\'', "''"));
    let opens_with = |quote: char| value.starts_with(quote);
    match value.chars().next()? {
        '"' | '\''
            if opens_with('"') && !value[1..].contains('"') || opens_with('\'') && !value[1..].contains('\'') =>
        {
            Some("the quotation mark is never closed".to_owned())
        }
        '"' | '\'' => {
            let text = value.trim_matches(['"', '\'']);
            Some(format!("text follows the closing quotation mark; write `{}: '{}'`", key, text.replace('\'', "''")))
        }
        _ if value.contains(": ") || value.ends_with(':') => {
            Some(format!("a value that contains a colon needs quotes: {}", quoted()))
        }
        first if "@`%*&!{}[]|>,".contains(first) => {
            Some(format!("a value that begins with {first} needs quotes: {}", quoted()))
        }
        _ => None,
    }
}

fn shown(line: &str) -> String {
    let line = line.trim_end();
    match line.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use crate::import::yaml;

    #[test]
    fn an_error_names_the_line_of_the_file_and_the_remedy() {
        let cases = [
            (
                "title: Rust: a love story\n",
                "line 2, `title: Rust: a love story`: a value that contains a colon needs quotes: write `title: 'Rust: a love story'`",
            ),
            (
                "date: 2020-01-01\ntitle: It's: b\ntags: [a]\n",
                "line 3, `title: It's: b`: a value that contains a colon needs quotes: write `title: 'It''s: b'`",
            ),
            (
                "title: @home\n",
                "line 2, `title: @home`: a value that begins with @ needs quotes: write `title: '@home'`",
            ),
            ("tags:\n\t- a\n", "line 3, `\t- a`: YAML does not allow a tab at the beginning of a line; use spaces"),
            ("title: \"a\ndate: 2020-01-01\n", "line 2, `title: \"a`: the quotation mark is never closed"),
            (
                "title: \"Rust\" for all\n",
                "line 2, `title: \"Rust\" for all`: text follows the closing quotation mark; write `title: 'Rust\" for all'`",
            ),
        ];
        for (text, expected) in cases {
            let error = yaml::parse(text).expect_err(text);
            assert!(error.starts_with(expected), "{text:?}: {error}");
        }
    }
}
