//! Explains a YAML error to the person who wrote the file. The rule: it names the line of the file, shows it, and says what to write instead if that
//! is known.

use granit_parser::ScanError;

use super::yaml_events::events;

/// The lines of a file before its front matter: the opening fence.
pub(super) const FENCE_LINES: usize = 1;
/// How many characters of the line are shown.
const SHOWN_CHARS: usize = 80;

/// `text`: the front matter without its fences.
pub(super) fn explain(text: &str, error: &ScanError) -> String {
    let lines: Vec<&str> = text.lines().collect();
    // The parser often notices an error one line late.
    let at = error.marker().line().clamp(1, lines.len().max(1));
    let candidates = [at, at.saturating_sub(1)].into_iter().filter(|line| *line > 0);
    let with_remedy = |number: usize| {
        let line = lines.get(number - 1).filter(|line| !is_valid_alone(line))?;
        Some((number, remedy(line)?))
    };
    match candidates.clone().find_map(with_remedy) {
        Some((line, remedy)) => format!("line {}, `{}`: {remedy}", line + FENCE_LINES, shown(lines[line - 1])),
        None => {
            let line = lines.get(at - 1).copied().unwrap_or_default();
            format!("line {}, `{}`: {}", at + FENCE_LINES, shown(line), in_one_line(&error.info()))
        }
    }
}

/// The error in a line and what to write instead, if that is known.
fn remedy(line: &str) -> Option<String> {
    if line.starts_with('\t') || line.trim_start_matches(' ').starts_with('\t') {
        return Some("YAML does not allow a tab at the beginning of a line; use spaces".to_owned());
    }
    let (key, value) = line.split_once(": ")?;
    let value = value.trim();
    let quoted = || format!("write `{}: '{}'`", key.trim_end(), value.replace('\'', "''"));
    let first = value.chars().next()?;
    match first {
        '"' | '\'' if !value[1..].contains(first) => Some("the quotation mark is never closed".to_owned()),
        '"' | '\'' => Some(format!("text follows the closing quotation mark: {}", quoted())),
        // A list or table may continue on the next lines.
        '[' if !value.contains(']') => None,
        '{' if !value.contains('}') => None,
        _ if value.contains(": ") || value.ends_with(':') => {
            Some(format!("a value that contains a colon needs quotes: {}", quoted()))
        }
        first if "@`%*&!{}[]|>,".contains(first) => {
            Some(format!("a value that begins with {first} needs quotes: {}", quoted()))
        }
        _ => None,
    }
}

/// Whether the line alone is valid, so that a remedy for it would mislead.
fn is_valid_alone(line: &str) -> bool {
    !line.contains('\t') && events(line).all(|event| event.is_ok())
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
    use crate::markdown::yaml;

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
                "line 2, `title: \"Rust\" for all`: text follows the closing quotation mark: write `title: '\"Rust\" for all'`",
            ),
            // The line before the error is valid, so it gets no remedy.
            ("title: \"Rust\"\nno colon here\ndate: 2020-01-01\n", "line "),
            ("tags: [a, b]\n  x\n y: z\n", "line "),
        ];
        for (text, expected) in cases {
            let error = yaml::parse(text).expect_err(text);
            assert!(error.starts_with(expected), "{text:?}: {error}");
            let has_remedy = ["quotes", "quotation", "spaces"].iter().any(|word| error.contains(word));
            assert_eq!(has_remedy, expected != "line ", "{text:?}: {error}");
        }
    }
}
