//! The languages of code blocks. The rule: the class of a block is only the name of its language, because highlighters know nothing else; everything else in
//! the fence is omitted.

/// Keeps only the language of the text after a fence.
pub(super) fn shorten(info: &mut String) {
    if let Some(language) = language(info) {
        *info = language;
    }
}

/// The language of `rust,linenos` (Zola, rustdoc), `js{1,3}` and `js:a.js` (Gatsby, Qiita), `{.python .numbered}` (Pandoc) and `{r, echo=FALSE}` (R
/// Markdown); `None` if the text is already only the language.
fn language(info: &str) -> Option<String> {
    let text = info.trim_start();
    let named = match text.strip_prefix('{') {
        Some(inside) => {
            let inside = inside.split('}').next().unwrap_or_default();
            let mut words = inside.split(|c: char| c.is_whitespace() || c == ',');
            let class = inside.split_whitespace().find_map(|word| word.strip_prefix('.'));
            let first = || words.next().map(|word| word.trim_start_matches('='));
            class.or_else(first).filter(|word| !word.contains(['=', '#'])).unwrap_or_default()
        }
        None => {
            let word = text.split_whitespace().next().unwrap_or_default();
            word.split([',', ';', ':', '{']).next().filter(|name| !name.is_empty()).unwrap_or(word)
        }
    };
    let is_same = info.strip_prefix(named).is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    (!is_same || named.is_empty()).then(|| named.to_owned()).filter(|named| named != info)
}

#[cfg(test)]
mod tests {
    use crate::render;

    #[test]
    fn the_class_of_code_is_its_language_alone() {
        for (info, class) in [
            ("rust", "rust"),
            ("rust,linenos,hl_lines=1-2", "rust"),
            ("js {1,3} title=\"a\"", "js"),
            ("js{1,3}", "js"),
            ("js:src/app.js", "js"),
            (" {.python .numberLines}", "python"),
            ("{#a .haskell}", "haskell"),
            ("{r, echo=FALSE}", "r"),
            ("{=html}", "html"),
            ("C++", "C++"),
            ("objective-c", "objective-c"),
        ] {
            let html = render(&format!("```{info}\na\n```")).html;
            assert_eq!(html, format!("<pre><code class=\"language-{class}\">a\n</code></pre>\n"), "{info}");
        }
        assert!(render("```{echo=FALSE}\na\n```").html.starts_with("<pre><code>"));
    }
}
