//! The lines that begin and end fenced code (CommonMark 0.31, section 4.5).

/// The character and the length of a fence that begins code.
pub(in crate::markdown) fn fence(line: &str) -> Option<(char, usize)> {
    let line = line.trim_start();
    let mark = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    // An info string with a backtick is code in a line.
    let is_fence = length >= 3 && (mark == '~' || !line[length..].contains('`'));
    is_fence.then_some((mark, length))
}

/// Whether the line ends code that a fence of this character and length has begun.
pub(in crate::markdown) fn closes(line: &str, mark: char, length: usize) -> bool {
    let line = line.trim();
    line.len() >= length && line.chars().all(|c| c == mark)
}
