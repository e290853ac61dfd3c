//! The lines that begin and end fenced code (CommonMark 0.31, section 4.5).

/// The character and the length of a fence that begins code.
pub(in crate::markdown) fn fence(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    // A backtick in the info string means inline code.
    let is_fence = length >= 3 && (mark == '~' || !line[length..].contains('`'));
    is_fence.then_some((mark, length))
}

/// Whether the line ends code that a fence with this character and length began.
pub(in crate::markdown) fn closes(line: &str, mark: char, length: usize) -> bool {
    let line = line.trim();
    line.len() >= length && line.chars().all(|c| c == mark)
}
