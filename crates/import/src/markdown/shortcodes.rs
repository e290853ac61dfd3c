//! The shortcodes of Hugo, and the tags around code of all generators. The rule: code becomes a fenced block, `figure` an HTML figure, and a shortcode
//! that shows a page of a known site a link to it; any other stays text and is named.

use std::borrow::Cow;
use std::collections::BTreeSet;

use crate::html::attribute;

use super::addresses::attributes;
use super::templates::{Tag, split_word};
use super::walk;

/// The maximum number of shortcodes that are named.
const NAMES_MAX: usize = 10;

/// Shortcodes that show a page of another site (gohugo.io, "Embedded shortcodes"), and the start of its address.
const PAGES: &[(&str, &str)] = &[
    ("gist", "https://gist.github.com/"),
    ("instagram", "https://www.instagram.com/p/"),
    ("vimeo", "https://vimeo.com/"),
    ("youtube", "https://www.youtube.com/watch?v="),
];

/// The body with figures and links, and the names of its other shortcodes.
pub(super) fn replaced(markdown: &str) -> (Cow<'_, str>, BTreeSet<String>) {
    let (mut shown, mut others) = (Vec::new(), BTreeSet::new());
    walk::outside_code(markdown, &['{'], |block, at, _| {
        let Some((name, arguments, length)) = shortcode(&markdown[at..block.end]) else { return 1 };
        let html = if name == "figure" { figure(arguments) } else { link(name, arguments) };
        match html {
            Some(html) => shown.push((at..at + length, html)),
            None if others.len() < NAMES_MAX && !matches!(name, "ref" | "relref") => {
                others.insert(name.to_owned());
            }
            None => {}
        }
        length
    });
    (walk::replaced(markdown, shown), others)
}

/// The name, arguments and length of the shortcode at the start of the text; `None` for a closing one.
fn shortcode(text: &str) -> Option<(&str, &str, usize)> {
    let tag = Tag::of(text).filter(|tag| matches!(tag.open, "{{<" | "{{%"))?;
    let (name, arguments) = split_word(tag.inside.trim_end_matches('/').trim_end());
    name.starts_with(|c: char| c.is_ascii_alphabetic()).then_some((name, arguments, tag.length))
}

/// The value of `src="a.png" alt='B'` for a key.
fn parameter(arguments: &str, key: &str) -> Option<String> {
    let tag = format!("{arguments}>");
    let (_, value) = attributes(&tag, 0).find(|(name, _)| *name == key)?;
    Some(tag[value?].to_owned())
}

/// The figure with the parameters that Hugo's own template uses; `None` without a picture.
fn figure(arguments: &str) -> Option<String> {
    let get = |key: &str| parameter(arguments, key).map(|value| attribute(&value));
    let src = get("src").filter(|src| !src.is_empty())?;
    let sizes = ["width", "height"].into_iter().filter_map(|key| Some(format!(" {key}=\"{}\"", get(key)?)));
    let alt = get("alt").or_else(|| get("caption")).unwrap_or_default();
    let mut out = format!("<img src=\"{src}\" alt=\"{alt}\"{}>", sizes.collect::<String>());
    if let Some(link) = get("link") {
        out = format!("<a href=\"{link}\">{out}</a>");
    }
    let title = get("title").map(|title| format!("<h4>{title}</h4>"));
    let source = get("attr").map(|text| match get("attrlink") {
        Some(link) => format!("<a href=\"{link}\">{text}</a>"),
        None => text,
    });
    let caption: Vec<String> = get("caption").into_iter().chain(source).collect();
    let caption = (!caption.is_empty()).then(|| format!("<p>{}</p>", caption.join(" ")));
    let below: String = title.into_iter().chain(caption).collect();
    let below = if below.is_empty() { below } else { format!("<figcaption>{below}</figcaption>") };
    Some(format!("<figure>{out}{below}</figure>"))
}

/// A link to the page that a shortcode shows: `{{< youtube abc >}}`, `{{< youtube id="abc" >}}`, `{{< gist ada 1f >}}`.
fn link(name: &str, arguments: &str) -> Option<String> {
    let (_, address) = PAGES.iter().find(|(shortcode, _)| *shortcode == name)?;
    let id = match parameter(arguments, "id") {
        Some(id) => id,
        None => {
            let parts = if name == "gist" { 2 } else { 1 };
            let words: Vec<&str> =
                arguments.split_whitespace().map(|word| word.trim_matches(['"', '\'', '`'])).collect();
            words.get(..parts)?.join("/")
        }
    };
    let is_id = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '/'));
    is_id.then(|| format!("<{address}{id}>"))
}

/// The mark that opens a tag around code, and the names of the tags that begin and end it.
const CODE: &[(&str, &str, &str)] = &[
    ("{%", "highlight", "endhighlight"),
    ("{%", "codeblock", "endcodeblock"),
    ("{{<", "highlight", "/highlight"),
    ("{{%", "highlight", "/highlight"),
];

/// Code between the tags of a generator as fenced blocks, because nothing between them is Markdown: `{% highlight ruby %}` of Jekyll,
/// `{% codeblock lang:ruby %}` of Hexo, `{{< highlight go >}}` of Hugo.
pub(super) fn as_fences(markdown: &str) -> Cow<'_, str> {
    let (mut found, mut last) = (Vec::new(), 0);
    // The tags that do not end in the rest of the text.
    let mut endless = Vec::new();
    walk::outside_code(markdown, &['{'], |_, at, _| {
        let Some((start, end, block)) = fenced(markdown, at, &mut endless).filter(|_| at >= last) else { return 1 };
        found.push((start..end, block));
        last = end;
        end - at
    });
    walk::replaced(markdown, found)
}

/// The code whose tag begins here and is first in its line: where the line and the last tag end, and its fenced block.
fn fenced(
    markdown: &str,
    at: usize,
    endless: &mut Vec<(&'static str, &'static str)>,
) -> Option<(usize, usize, String)> {
    let tag = Tag::of(&markdown[at..])?;
    let (name, arguments) = split_word(tag.inside);
    let &(open, _, end) = CODE.iter().find(|(open, known, _)| *open == tag.open && *known == name)?;
    let line = markdown[..at].rfind('\n').map_or(0, |end| end + 1);
    let indentation = &markdown[line..at];
    if endless.contains(&(open, end)) || !indentation.trim_matches([' ', '\t']).is_empty() {
        return None;
    }
    let rest = &markdown[at + tag.length..];
    let mut ends = rest.match_indices(open).filter_map(|(at, _)| {
        let last = Tag::of(&rest[at..]).filter(|last| last.open == open && last.inside == end)?;
        Some((at, at + last.length))
    });
    let Some((length, last)) = ends.next() else {
        endless.push((open, end));
        return None;
    };
    let inside = &rest[..length];
    let inside = inside.strip_prefix("\r\n").or_else(|| inside.strip_prefix('\n')).unwrap_or(inside).trim_end();
    let runs = inside.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default().saturating_add(1).max(3));
    let mut block = format!("{indentation}{fence}{}\n", language(arguments));
    if !inside.is_empty() {
        block.extend([inside, "\n"]);
    }
    block.extend([indentation, fence.as_str()]);
    let ends_line = rest[last..].lines().next().is_none_or(|after| after.trim().is_empty());
    if !ends_line {
        block.push('\n');
    }
    Some((line, at + tag.length + last, block))
}

/// The language among the arguments: `lang:ruby` of Hexo, or else the first word that is not an option.
fn language(arguments: &str) -> &str {
    let mut words = arguments.split_whitespace().map(|word| word.trim_matches(['"', '\'']));
    if let Some(named) = words.clone().find_map(|word| word.strip_prefix("lang:")) {
        return named;
    }
    let is_name = |word: &&str| *word != "linenos" && !word.contains(['=', ':', '/', '.', '`']);
    words.next().filter(is_name).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_is_a_picture_with_what_the_shortcode_says() {
        for (text, expected) in [
            ("a {{< figure src=\"/a.png\" >}} b", "a <figure><img src=\"/a.png\" alt=\"\"></figure> b"),
            (
                "{{< figure src=a.png alt='A \"b\"' title=\"T\" caption=\"C & d\" width=20 />}}",
                "<figure><img src=\"a.png\" alt=\"A &quot;b&quot;\" width=\"20\"><figcaption><h4>T</h4><p>C &amp; d</p></figcaption></figure>",
            ),
            (
                "{{% figure src=\"a.png\" link=\"/b\" attr=\"By C\" attrlink=\"/c\" %}}",
                "<figure><a href=\"/b\"><img src=\"a.png\" alt=\"\"></a><figcaption><p><a href=\"/c\">By C</a></p></figcaption></figure>",
            ),
        ] {
            assert_eq!(replaced(text).0, expected);
        }
    }

    #[test]
    fn a_shortcode_that_shows_a_page_is_a_link_to_it() {
        for (text, expected) in [
            ("a {{< youtube \"a_b-c\" >}} b", "a <https://www.youtube.com/watch?v=a_b-c> b"),
            ("{{< youtube id=abc autoplay=true >}}", "<https://www.youtube.com/watch?v=abc>"),
            ("{{% vimeo 12 %}}", "<https://vimeo.com/12>"),
            ("{{< gist ada 1f \"a.rs\" >}}", "<https://gist.github.com/ada/1f>"),
            ("{{< gist ada >}} {{< youtube >}}", "{{< gist ada >}} {{< youtube >}}"),
            ("{{< youtube \"a>b\" >}}", "{{< youtube \"a>b\" >}}"),
        ] {
            assert_eq!(replaced(text).0, expected);
        }
    }

    #[test]
    fn other_shortcodes_stay_and_are_named() {
        let text = "`{{< figure src=\"a.png\" >}}` {{< quiz a >}} {{< /quote >}} {{< figure alt=a >}} {{< ref \"a\" >}} {{ a }} {{< b\n```\n{{< c >}}\n```\n";
        let (markdown, others) = replaced(text);
        assert_eq!(markdown, text);
        assert_eq!(others.into_iter().collect::<Vec<_>>(), ["figure", "quiz"]);
    }

    #[test]
    fn code_between_tags_is_a_fenced_block() {
        for (text, expected) in [
            (
                "A\n\n{% highlight ruby linenos %}\n*a*\n\n  b\n{% endhighlight %}\n\nB",
                "A\n\n```ruby\n*a*\n\n  b\n```\n\nB",
            ),
            ("{%- highlight c++ -%}\na\n{%- endhighlight -%}", "```c++\na\n```"),
            ("{% highlight sh %}a{% endhighlight %} B\n", "```sh\na\n```\n B\n"),
            ("{% codeblock Title lang:js %}\na\n{% endcodeblock %}\n", "```js\na\n```\n"),
            ("{{< highlight go \"linenos=table\" >}}\na\n{{< /highlight >}}\n", "```go\na\n```\n"),
            ("  {{% highlight \"go\" %}}\n  a\n  {{% /highlight %}}\n", "  ```go\n  a\n  ```\n"),
            ("{% highlight md %}\n```js\na\n```\n{% endhighlight %}\n", "````md\n```js\na\n```\n````\n"),
            ("{% highlight %}\n{% endhighlight %}\n", "```\n```\n"),
        ] {
            assert_eq!(as_fences(text), expected, "{text}");
        }
    }

    #[test]
    fn other_tags_stay() {
        for text in [
            "```\n{% highlight ruby %}\na\n{% endhighlight %}\n```\n",
            "{% highlight ruby %}\nwithout an end\n",
            "{% highlighted %}\n{% endhighlight %}\n",
            "A {% highlight ruby %} in a line {% endhighlight %}\n",
            "{{< figure src=\"highlight\" >}}\n",
        ] {
            assert_eq!(as_fences(text), text);
        }
    }
}
