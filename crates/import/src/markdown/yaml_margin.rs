//! Quoted texts in YAML that continue at the margin of the next line, or after a tab. The rule: the specification requires indentation, but libyaml,
//! go-yaml and js-yaml, which the generators use, accept them without; so their lines are indented here, and nothing else is changed.

/// Indents the lines of quoted texts.
pub(super) fn with_indented_quotes(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut open: Option<(char, usize)> = None;
    for line in text.split_inclusive('\n') {
        open = match open {
            Some((quote, indent)) => {
                let inside = line.trim_start_matches([' ', '\t']);
                out.extend(std::iter::repeat_n(' ', indent));
                out.push_str(inside);
                (!is_closed(inside, quote)).then_some((quote, indent))
            }
            None => {
                out.push_str(line);
                opened(line)
            }
        };
    }
    out
}

/// The mark of a quoted value that does not end in this line, and the indentation for its next lines.
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

/// Whether the quoted text ends in `text`, which follows its opening mark.
fn is_closed(text: &str, quote: char) -> bool {
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\\' if quote == '"' => drop(chars.next()),
            // Two of them mean one in the text.
            '\'' if c == quote && chars.peek() == Some(&quote) => drop(chars.next()),
            c if c == quote => return true,
            _ => {}
        }
    }
    false
}
