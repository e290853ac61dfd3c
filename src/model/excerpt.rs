//! The excerpt of a post whose writer gave none. The rule: it is the opening of the text, plain, on one line, never longer than
//! [`EXCERPT_CHARS_MAX`].

use super::{Rendered, html_text, render};

/// The longest excerpt that is made, its `…` included, in characters.
pub const EXCERPT_CHARS_MAX: usize = 280;

/// How much of a long text its excerpt is looked for in.
const OPENING_BYTES: usize = 8 << 10;

/// The first paragraph that has text, or else the first line of any text, cut at a word.
pub fn excerpt(body: &Rendered) -> String {
    let opening = paragraphs(&body.html).find(|text| !text.is_empty());
    let opening = opening.unwrap_or_else(|| body.text.lines().next().unwrap_or_default().to_owned());
    cut(&opening.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// The excerpt of a text, at the cost of rendering its opening: 8 KiB, with the link definitions that stand behind it.
pub fn excerpt_of(markdown: &str) -> String {
    let start = markdown.floor_char_boundary(OPENING_BYTES);
    let Some(end) = markdown[start..].find("\n\n").map(|at| start + at) else { return excerpt(&render(markdown)) };
    let definitions = markdown[end..].lines().filter(|line| line.starts_with('[') && line.contains("]: "));
    let opening = definitions.fold(format!("{}\n\n", &markdown[..end]), |text, line| text + line + "\n");
    let made = excerpt(&render(&opening));
    // An opening of pictures alone says nothing; the text behind it may.
    if made.is_empty() { excerpt(&render(markdown)) } else { made }
}

/// The texts of the paragraphs of cleaned HTML, in order.
fn paragraphs(html: &str) -> impl Iterator<Item = String> {
    html.split("<p").skip(1).filter(|rest| rest.starts_with(['>', ' '])).map(|rest| {
        let inner = rest.split("</p>").next().unwrap_or_default();
        html_text::from_clean(&format!("<p{inner}"))
    })
}

fn cut(text: &str) -> String {
    if text.chars().nth(EXCERPT_CHARS_MAX).is_none() {
        return text.to_owned();
    }
    let head: String = text.chars().take(EXCERPT_CHARS_MAX).collect();
    // The last word may be whole only by chance, so it is left out; a text without spaces is cut inside.
    let end = head.rfind(' ').unwrap_or_else(|| head.char_indices().next_back().map_or(0, |(at, _)| at));
    format!("{}…", head[..end].trim_end_matches([',', ';', ':', '-', '–', '—', ' ']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::render;

    fn excerpt_of(markdown: &str) -> String {
        excerpt(&render(markdown))
    }

    #[test]
    fn it_is_the_first_paragraph_that_has_text() {
        assert_eq!(excerpt_of("# Title\n\n![a](b.png)\n\nOne *two*\nthree.\n\nFour."), "One two three.");
        assert_eq!(excerpt_of("<pre>code</pre><p class=\"x\">A</p>"), "A");
    }

    #[test]
    fn without_a_paragraph_it_is_the_first_line() {
        assert_eq!(excerpt_of("- one\n- two"), "one");
        assert_eq!(excerpt_of(""), "");
    }

    #[test]
    fn a_long_one_is_cut_at_a_word() {
        let cut = excerpt_of(&"word, ".repeat(100));
        assert!(cut.ends_with("word…") && cut.chars().count() <= EXCERPT_CHARS_MAX, "{cut}");
        assert_eq!(excerpt_of(&"字".repeat(1000)).chars().count(), EXCERPT_CHARS_MAX);
        assert_eq!(excerpt_of(&"字".repeat(280)).chars().count(), 280);
    }
}
