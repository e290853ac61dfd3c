//! Marks the words of a query in a text. The rule: the result is HTML in which everything but `<mark>` is escaped.

use std::collections::HashSet;
use std::ops::Range;

use crate::stems::Stems;
use crate::words::{Kind, fold, pieces};

/// How many bytes of text are shown before the first mark of a part.
const BEFORE: usize = 60;

/// Finds the words of a query in a text.
#[derive(Clone, Default)]
pub struct Matcher {
    /// The words, the pairs of characters, and the stems with their languages.
    pub(crate) terms: HashSet<String>,
    pub(crate) languages: Vec<Stems>,
}

impl Matcher {
    /// The whole text with its marks; `None` if there are none.
    pub fn whole(&self, text: &str) -> Option<String> {
        let marks = self.marks(text);
        (!marks.is_empty()).then(|| marked(text, 0..text.len(), &marks))
    }

    /// The part of the text, about this many bytes long, that has most words of the query, with its marks; `None` if there are none.
    pub fn part(&self, text: &str, bytes: usize) -> Option<String> {
        let marks = self.marks(text);
        let best = best_start(text, &marks, bytes)?;
        let start = word_start(text, best.saturating_sub(BEFORE)).min(best);
        let end = word_end(text, (start + bytes).min(text.len()));
        let shown = marked(text, start..end, &marks);
        let (before, after) = (if start > 0 { "… " } else { "" }, if end < text.len() { " …" } else { "" });
        Some(format!("{before}{shown}{after}"))
    }

    fn marks(&self, text: &str) -> Vec<Range<usize>> {
        let mut marks: Vec<Range<usize>> = Vec::new();
        let mut add = |place: Range<usize>| match marks.last_mut() {
            Some(last) if last.end >= place.start => last.end = last.end.max(place.end),
            _ => marks.push(place),
        };
        for piece in pieces(text) {
            match piece.kind {
                Kind::Word if self.has(&piece.text) => add(piece.place),
                Kind::Word => {}
                Kind::Run => self.pairs_of(&text[piece.place.clone()]).for_each(|place| {
                    add(piece.place.start + place.start..piece.place.start + place.end);
                }),
            }
        }
        marks
    }

    fn has(&self, word: &str) -> bool {
        let has_stem = |stems: &Stems| stems.stem(word).is_some_and(|stem| self.terms.contains(&stems.term(&stem)));
        self.terms.contains(word) || self.languages.iter().any(has_stem)
    }

    /// The characters and pairs of a run that the query contains.
    fn pairs_of(&self, run: &str) -> impl Iterator<Item = Range<usize>> {
        let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
        (0..starts.len() - 1).flat_map(move |at| {
            let of_length = |length: usize| Some(starts[at]..*starts.get(at + length)?);
            let found = [of_length(1), of_length(2)].into_iter().flatten();
            found.filter(|place| self.terms.contains(&fold(&run[place.clone()]))).collect::<Vec<_>>()
        })
    }
}

/// The first mark that is followed by most different words within this many bytes.
fn best_start(text: &str, marks: &[Range<usize>], bytes: usize) -> Option<usize> {
    let words: Vec<String> = marks.iter().map(|place| fold(&text[place.clone()])).collect();
    let count = |from: usize| {
        let end = marks[from].start + bytes.saturating_sub(BEFORE);
        let within = marks[from..].iter().take_while(|place| place.end <= end).count();
        words[from..from + within].iter().collect::<HashSet<_>>().len()
    };
    // Only the first 1,000 marks of a text are examined, which bounds the time.
    let best = (0..marks.len().min(1_000)).max_by_key(|from| (count(*from), std::cmp::Reverse(*from)))?;
    Some(marks[best].start)
}

fn word_start(text: &str, near: usize) -> usize {
    if near == 0 {
        return 0;
    }
    let near = text.floor_char_boundary(near);
    text[near..]
        .char_indices()
        .take(20)
        .find(|(_, c)| c.is_whitespace())
        .map_or(near, |(at, c)| near + at + c.len_utf8())
}

fn word_end(text: &str, near: usize) -> usize {
    if near >= text.len() {
        return text.len();
    }
    let near = text.ceil_char_boundary(near);
    text[..near].char_indices().rev().take(20).find(|(_, c)| c.is_whitespace()).map_or(near, |(at, _)| at)
}

fn marked(text: &str, part: Range<usize>, marks: &[Range<usize>]) -> String {
    let mut out = String::with_capacity(part.len() * 2);
    let mut written = part.start;
    for mark in marks.iter().filter(|mark| mark.start < part.end && mark.end > part.start) {
        let mark = mark.start.max(part.start)..mark.end.min(part.end);
        escape(&text[written..mark.start], &mut out);
        out.push_str("<mark>");
        escape(&text[mark.clone()], &mut out);
        out.push_str("</mark>");
        written = mark.end;
    }
    escape(&text[written..part.end], &mut out);
    out
}

fn escape(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' => out.push(' '),
            other => out.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matcher(terms: &[&str]) -> Matcher {
        let languages = vec![Stems::of("en").expect("it is known")];
        Matcher { terms: terms.iter().map(|term| (*term).to_owned()).collect(), languages }
    }

    #[test]
    fn words_forms_and_pairs_are_marked_and_all_else_is_escaped() {
        let matcher = matcher(&["arger", "\u{1f}enwash", "日本", "<script>"]);
        let cases = [
            ("Kein Ärger!", Some("Kein <mark>Ärger</mark>!")),
            ("<b>Washing</b> & \"more\"", Some("&lt;b&gt;<mark>Washing</mark>&lt;/b&gt; &amp; &quot;more&quot;")),
            ("日本語の日本", Some("<mark>日本</mark>語の<mark>日本</mark>")),
            ("nothing <script>", None),
            ("", None),
        ];
        for (text, expected) in cases {
            assert_eq!(matcher.whole(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_part_is_where_most_words_are() {
        let filler = "lorem ipsum dolor ".repeat(50);
        let text = format!("one {filler}two {filler}one two three {filler}");
        let shown = matcher(&["one", "two", "three"]).part(&text, 200).expect("there are marks");
        assert!(shown.contains("<mark>one</mark> <mark>two</mark> <mark>three</mark>"), "{shown}");
        assert!(shown.starts_with("… ") && shown.ends_with(" …") && shown.len() < 300, "{shown}");
    }

    #[test]
    fn a_part_never_cuts_a_character() {
        let text = "日本語テキスト".repeat(200) + "猫" + &"日本語テキスト".repeat(200);
        let shown = matcher(&["猫"]).part(&text, 100).expect("there is a mark");
        assert!(shown.contains("<mark>猫</mark>"), "{shown}");
        let shown = matcher(&["日本"]).part(&"日本".repeat(500), 100).expect("there are marks");
        assert!(shown.starts_with("<mark>日本日本") && shown.ends_with("</mark> …"), "{shown}");
    }
}
