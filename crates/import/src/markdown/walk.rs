//! Finds places in Markdown without parsing it. The rule: nothing in a fenced block or between backticks is found, and the time is in proportion to
//! the length of the text.

use std::borrow::Cow;
use std::ops::Range;

/// The maximum number of backticks that begin code. CommonMark has no such limit, but the renderer does.
const BACKTICKS_MAX: usize = 80;

/// Calls `visit` at each of `marks` outside code: with the block, the position and the character; for `\n`, the position is that of the next line.
/// `visit` returns how many bytes to skip in the block (0: one character). If `\` is a mark, the escaped character is skipped.
pub(super) fn outside_code(markdown: &str, marks: &[char], mut visit: impl FnMut(&Range<usize>, usize, char) -> usize) {
    for block in blocks(markdown) {
        let (text, mut at) = (&markdown[..block.end], block.start);
        if marks.contains(&'\n') {
            visit(&block, at, '\n');
        }
        let is_mark = |(_, c): &(usize, char)| *c == '`' || marks.contains(c);
        while let Some((step, mark)) = text.get(at..).and_then(|rest| rest.char_indices().find(is_mark)) {
            at += step;
            at += match mark {
                '`' => code_length(&text[at..]),
                '\\' => 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
                '\n' => {
                    visit(&block, at + 1, mark);
                    1
                }
                _ => visit(&block, at, mark).max(1),
            };
        }
    }
}

/// Replaces these ranges, which are ascending and disjoint.
pub(super) fn replaced(text: &str, parts: impl IntoIterator<Item = (Range<usize>, String)>) -> Cow<'_, str> {
    let (mut out, mut copied) = (String::new(), 0);
    for (part, new) in parts {
        out.push_str(&text[copied..part.start]);
        out.push_str(&new);
        copied = part.end;
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The text outside fenced blocks, split at empty lines, because code between backticks ends there at the latest.
fn blocks(markdown: &str) -> Vec<Range<usize>> {
    let (mut blocks, mut start, mut at, mut code) = (Vec::new(), 0, 0, None);
    for line in markdown.split_inclusive('\n') {
        let (begin, end) = (at, at + line.len());
        at = end;
        // A fence may be in a list or a quote.
        let text = line.trim_start_matches([' ', '\t', '>', '-', '*', '+']);
        match code {
            Some((mark, length)) if closes(text, mark, length) => (code, start) = (None, end),
            Some(_) => {}
            None => {
                code = fence(text);
                if code.is_some() || line.trim().is_empty() {
                    blocks.push(start..begin);
                    start = end;
                }
            }
        }
    }
    if code.is_none() {
        blocks.push(start..markdown.len());
    }
    blocks
}

/// The length of the code that begins with these backticks, or of the backticks if it does not end.
pub(super) fn code_length(text: &str) -> usize {
    let marks = text.len() - text.trim_start_matches('`').len();
    // A block is searched only once for each length of a run that it does not contain, so a limit keeps the time in proportion to the text.
    if marks > BACKTICKS_MAX {
        return marks;
    }
    let mut at = marks;
    while let Some(step) = text[at..].find('`') {
        at += step;
        let closing = text[at..].len() - text[at..].trim_start_matches('`').len();
        at += closing;
        if closing == marks {
            return at;
        }
    }
    marks
}

/// The character and the length of a fence that begins code (CommonMark 0.31, section 4.5).
pub(super) fn fence(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    // A backtick in the info string means inline code.
    let is_fence = length >= 3 && (mark == '~' || !line[length..].contains('`'));
    is_fence.then_some((mark, length))
}

/// Whether the line ends code that a fence with this character and length began.
pub(super) fn closes(line: &str, mark: char, length: usize) -> bool {
    let line = line.trim();
    line.len() >= length && line.chars().all(|c| c == mark)
}
