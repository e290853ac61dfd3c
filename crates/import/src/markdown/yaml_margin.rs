//! Quoted texts in YAML that go on at the margin of the next line, or after a tab. The rule: libyaml, go-yaml and js-yaml, which the generators use, read them, and the
//! specification wants them indented; so their lines are indented, and nothing else is changed.

/// The text with the lines of quoted texts indented; `None` if no quoted text has several lines.
pub(super) fn with_indented_quotes(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut open: Option<(char, usize)> = None;
    let mut has_several_lines = false;
    for line in text.split_inclusive('\n') {
        match open {
            Some((quote, indent)) => {
                has_several_lines = true;
                let inside = line.trim_start_matches([' ', '\t']);
                out.extend(std::iter::repeat_n(' ', indent));
                out.push_str(inside);
                open = (!is_closed(inside, quote)).then_some((quote, indent));
            }
            None => {
                out.push_str(line);
                open = opened(line);
            }
        }
    }
    (has_several_lines && open.is_none()).then_some(out)
}

/// The mark of the quoted text that begins as the value of a line and does not end there, and how far its next lines are to be indented.
fn opened(line: &str) -> Option<(char, usize)> {
    let start =
        line.find(['"', '\'']).filter(|at| line[..*at].ends_with([' ', '\t']) && is_before_value(&line[..*at]))?;
    let quote = line[start..].chars().next()?;
    (!is_closed(&line[start + 1..], quote)).then_some((quote, start + 1))
}

/// Whether a value follows: after a key, or as an item of a list.
fn is_before_value(text: &str) -> bool {
    text.trim_end().ends_with([':', '-'])
}

/// Whether a quoted text ends in what follows its beginning.
fn is_closed(text: &str, quote: char) -> bool {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quote == '"' => drop(chars.next()),
            // Two are one in the text.
            '\'' if c == quote && chars.peek() == Some(&quote) => drop(chars.next()),
            c if c == quote => return true,
            _ => {}
        }
    }
    false
}
