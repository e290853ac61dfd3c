//! The form of a line of Markdown: its indentation and its list marker. The rule: columns are those of CommonMark, in which a tab goes to the next
//! multiple of four.

/// The column after a space or a tab.
fn after(column: usize, byte: u8) -> usize {
    if byte == b'\t' { column + 4 - column % 4 } else { column + 1 }
}

/// The column and the byte position of the first character that is not white space.
pub(in crate::markdown) fn indentation(line: &str) -> (usize, usize) {
    let (mut column, mut at) = (0, 0);
    for byte in line.bytes() {
        if !matches!(byte, b' ' | b'\t') {
            break;
        }
        (column, at) = (after(column, byte), at + 1);
    }
    (column, at)
}

/// The line without its first `columns` columns of white space.
pub(in crate::markdown) fn moved_left(line: &str, columns: usize) -> String {
    let mut column = 0;
    for (at, byte) in line.bytes().enumerate() {
        if column >= columns || !matches!(byte, b' ' | b'\t') {
            // A tab can span more columns than are removed.
            return " ".repeat(column.saturating_sub(columns)) + &line[at..];
        }
        column = after(column, byte);
    }
    String::new()
}

/// The width of a list marker and the white space after it, in bytes and columns. `column`: the column of the text.
pub(in crate::markdown) fn item_mark(text: &str, column: usize) -> Option<(usize, usize)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let width = match text.as_bytes().get(digits)? {
        b'-' | b'*' | b'+' if digits == 0 => 1,
        b'.' | b')' if (1..=9).contains(&digits) => digits + 1,
        _ => return None,
    };
    let rest = text[width..].split('\n').next().unwrap_or_default();
    if rest.trim().is_empty() {
        return Some((width, width + 1));
    }
    let others: Vec<u8> = rest.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    // Three or more are a thematic break.
    let is_break = digits == 0 && others.len() >= 2 && others.iter().all(|byte| *byte == text.as_bytes()[0]);
    let spaces = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    if spaces == 0 || is_break {
        return None;
    }
    let end = rest[..spaces].bytes().fold(column + width, after);
    // After more spaces, CommonMark reads code that begins one column after the marker.
    match end - column - width {
        0..=4 => Some((width + spaces, end - column)),
        _ => Some((width + 1, width + 1)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_moved_by_columns() {
        for (line, columns, expected) in [
            ("  a\n", 2, "a\n"),
            ("  a", 4, "a"),
            ("\t\ta", 4, "\ta"),
            ("\ta", 3, " a"),
            ("  \ta", 2, "\ta"),
            ("\n", 3, "\n"),
            ("    ", 2, "  "),
            ("a", 0, "a"),
        ] {
            assert_eq!(moved_left(line, columns), expected, "{line:?}");
        }
        assert_eq!(indentation(" \ta"), (4, 2));
    }

    #[test]
    fn the_marks_of_list_items_are_found() {
        for (text, expected) in [
            ("- a", Some((2, 2))),
            ("10)  a", Some((5, 5))),
            ("-\ta", Some((2, 4))),
            ("-", Some((1, 2))),
            ("1.\n", Some((2, 3))),
            ("- - -", None),
            ("* * *\n", None),
            ("**a**", None),
            ("-a", None),
            ("1 a", None),
            ("1234567890. a", None),
            ("", None),
        ] {
            assert_eq!(item_mark(text, 0), expected, "{text:?}");
        }
    }
}
