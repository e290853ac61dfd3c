//! The parts of a post that Ghost shows only to some readers. The rule: a part that a visitor did not see is omitted; if the marks of such parts
//! cannot be read, the post becomes a draft.

/// The start of the comments around such a part.
const MARK: &str = "kg-gated-block:";
const BEGIN: &str = "begin";
const END: &str = "end";
/// A part with this text is also for visitors.
const FOR_VISITORS: &str = "nonMember:true";
/// An attribute of parts that are in e-mails to some members.
const SEGMENT: &str = "data-gh-segment";

/// HTML without the parts for members.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Ungated {
    pub html: String,
    /// The number of omitted parts.
    pub left_out: usize,
    /// Whether it may contain other such parts, whose marks cannot be read.
    pub is_unclear: bool,
}

/// Searches the text, as Ghost does: no damage of the HTML makes a part public.
pub(super) fn without_gated(html: &str) -> Ungated {
    let mut ungated = Ungated { is_unclear: html.contains(SEGMENT), ..Ungated::default() };
    let mut rest = html;
    while let Some((before, begin, after)) = next_mark(rest) {
        let end = begin.strip_prefix(BEGIN).and_then(|readers| Some((readers, next_mark(after)?)));
        let Some((readers, (part, END, behind))) = end else { break };
        ungated.html.push_str(before);
        match readers.contains(FOR_VISITORS) {
            true => ungated.html.push_str(part),
            false => ungated.left_out += 1,
        }
        rest = behind;
    }
    ungated.html.push_str(rest);
    ungated.is_unclear |= ungated.html.contains(MARK);
    ungated
}

/// The text before the first comment with a mark, the content of the mark, and the text after it.
fn next_mark(html: &str) -> Option<(&str, &str, &str)> {
    let at = html.find(MARK)?;
    let start = html[..at].trim_end().strip_suffix("<!--")?;
    let (said, after) = html[at + MARK.len()..].split_once("-->")?;
    Some((start, said.trim(), after))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_parts_for_visitors_stay() {
        let part = |readers: &str, text: &str| {
            format!("<!--kg-gated-block:begin {readers} -->{text}<!--kg-gated-block:end-->")
        };
        let read = |html: &str| {
            let Ungated { html, left_out, is_unclear } = without_gated(html);
            (html, left_out, is_unclear)
        };
        let paid = part("nonMember:false memberSegment:\"status:-free\"", "b");
        let open = part("nonMember:true memberSegment:\"\"", "c");
        assert_eq!(read(&format!("a{paid}{open}d{paid}")), ("acd".to_owned(), 2, false));
        assert_eq!(read(&part("something:new", "b")), (String::new(), 1, false));
        for unclear in [
            "a<!--kg-gated-block:begin nonMember:false-->b".to_owned(),
            "a<!--kg-gated-block:end-->b".to_owned(),
            format!("<!--kg-gated-block:begin nonMember:true-->{paid}<!--kg-gated-block:end-->"),
            "a&lt;!--kg-gated-block:begin".to_owned(),
            "<p data-gh-segment=\"status:free\">a</p>".to_owned(),
        ] {
            assert!(read(&unclear).2, "{unclear}");
        }
    }
}
