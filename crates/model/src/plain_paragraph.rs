//! Finds the first paragraph of a text without rendering the text. The rule: it returns a paragraph only if the rendered text certainly begins with
//! it, perhaps after headings; otherwise it returns `None`, and the caller renders.

/// The longest text that is examined; the other bounds rely on it.
const TEXT_BYTES_MAX: usize = 4 << 10;

/// The maximum number of characters that can open a list, a quote, an emphasis or a link. Each nests the HTML by at most two levels, and HTML with
/// more than 256 levels is shown as text.
const MARKS_MAX: usize = 100;

/// The maximum number of starts of links and math: with many more, the renderer does not search for their ends.
const SEARCHES_MAX: usize = 100;

pub(super) fn first(text: &str) -> Option<&str> {
    if text.len() > TEXT_BYTES_MAX || !is_harmless(text) {
        return None;
    }
    let mut lines = text.split_inclusive('\n').scan(0, |end, line| {
        *end += line.len();
        Some((*end - line.len(), line))
    });
    let (start, first) = lines.find(|(_, line)| !is_blank(line) && !is_heading(line))?;
    let rest = std::iter::once((start, first)).chain(lines);
    let mut end = start;
    for (at, line) in rest {
        if is_blank(line) {
            let next = text[at..].trim_start();
            // The paragraph before a list of descriptions is a term.
            return (!next.starts_with([':', '~'])).then(|| &text[start..end]);
        }
        if !continues_paragraph(line) {
            return None;
        }
        end = at + line.len();
    }
    Some(&text[start..end])
}

/// Whether the text has no raw HTML and no table (a parser may move their content), no definitions of links and footnotes (they act at a distance),
/// and not so many marks that the renderer refuses it. Its lines must end with a newline.
fn is_harmless(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_mark = |at: usize| match bytes[at] {
        b'>' | b'*' | b'_' | b'~' | b'[' => true,
        b'-' | b'+' | b'.' | b')' => bytes.get(at + 1).is_none_or(u8::is_ascii_whitespace),
        _ => false,
    };
    let searches = ["://", "www.", "$"].into_iter().map(|start| text.matches(start).count());
    let is_lone_return = |at: usize| bytes[at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    !bytes.iter().any(|byte| matches!(byte, b'<' | b'|'))
        && !(0..bytes.len()).any(is_lone_return)
        && !text.contains("]:")
        && (0..bytes.len()).filter(|at| is_mark(*at)).count() <= MARKS_MAX
        && searches.sum::<usize>() <= SEARCHES_MAX
}

fn is_blank(line: &str) -> bool {
    line.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n'))
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with([' ', '\t', '\r', '\n'])
}

/// Whether the beginning of the line shows that it can only be in a paragraph, not a heading, a list, a quote, code or a rule.
fn continues_paragraph(line: &str) -> bool {
    let inner = line.trim_start_matches(['*', '_']);
    let is_word = |text: &str| text.starts_with(char::is_alphabetic);
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    match line.chars().next() {
        Some('*' | '_') => is_word(inner),
        Some('`') => is_word(&line[1..]),
        Some('0'..='9') => !digits.starts_with(['.', ')']),
        Some(first) => {
            first.is_alphabetic() || matches!(first, '[' | '!' | '(' | '"' | '\'' | '“' | '‘' | '«' | '„' | '¿' | '¡')
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_paragraph_is_found_after_headings() {
        assert_eq!(first("One *two*\nthree.\n\nFour."), Some("One *two*\nthree.\n"));
        assert_eq!(first("\n# A\n## B\r\n\n**One** [two](/x).\n\n"), Some("**One** [two](/x).\n"));
        assert_eq!(first("2024 was\n1999"), Some("2024 was\n1999"));
    }

    #[test]
    fn what_may_be_something_else_is_not_found() {
        for text in [
            "",
            "# A\n",
            "- One\n\nTwo",
            "One\n---\n\nTwo",
            "One\n: two\n",
            "One\n\n: two\n",
            "One <b>two</b>\n",
            "One\n\n<p>\n",
            "1. One\n",
            "1) One\n",
            "One [two].\n\n[two]: /x\n",
            "    code\n\nOne",
            "```\ncode\n```\n\nOne",
            "*** \n\nOne",
            "One\n- two\n",
            "One\rtwo\n",
        ] {
            assert_eq!(first(text), None, "{text:?}");
        }
    }
}
