//! `{% raw %}` … `{% endraw %}` of Liquid and Nunjucks, between which nothing is a template. The rule: the two marks are removed, even in code, as
//! the template engines do, and the text between them stays byte for byte; a mark without the other one stays.

use std::borrow::Cow;

const RAW: &str = "raw";
const END: &str = "endraw";

pub(super) fn without_marks(markdown: &str) -> Cow<'_, str> {
    let (mut out, mut rest) = (String::new(), markdown);
    while let Some((start, inside)) = find(rest, RAW) {
        let Some((end, after)) = find(&rest[inside..], END) else { break };
        out.push_str(&rest[..start]);
        out.push_str(&rest[inside..inside + end]);
        rest = &rest[inside + after..];
    }
    if rest.len() == markdown.len() {
        return Cow::Borrowed(markdown);
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The start and end of the first tag with this name.
fn find(text: &str, name: &str) -> Option<(usize, usize)> {
    text.match_indices("{%").find_map(|(at, open)| {
        let rest = text[at + open.len()..].trim_start_matches('-').trim_start();
        let rest = rest.strip_prefix(name)?.trim_start();
        let rest = rest.strip_prefix('-').unwrap_or(rest).strip_prefix("%}")?;
        Some((at, text.len() - rest.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marks_are_removed_and_what_is_between_them_stays() {
        for (text, expected) in [
            ("a {% raw %}{{ b }}{% endraw %} c", "a {{ b }} c"),
            ("```\n{%- raw -%}\n{% if a %}\n{%endraw%}\n```\n", "```\n\n{% if a %}\n\n```\n"),
            ("{% raw %}{% raw %}{% endraw %} {% raw %}a", "{% raw %} {% raw %}a"),
            ("{% rawer %} {% endraw %}", "{% rawer %} {% endraw %}"),
        ] {
            assert_eq!(without_marks(text), expected, "{text}");
        }
    }
}
