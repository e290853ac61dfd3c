//! Code between the tags of a generator: `{% highlight ruby %}` of Jekyll, `{% codeblock lang:ruby %}` of Hexo, `{{< highlight go >}}` of Hugo. The
//! rule: it becomes a fenced block with the same code, because nothing between the tags is Markdown.

use std::borrow::Cow;

use super::templates::{Tag, split_word};
use super::walk::{closes, fence, replaced};

/// The mark that opens a tag, and the names of the tags that begin and end code.
const TAGS: &[(&str, &str, &str)] = &[
    ("{%", "highlight", "endhighlight"),
    ("{%", "codeblock", "endcodeblock"),
    ("{{<", "highlight", "/highlight"),
    ("{{%", "highlight", "/highlight"),
];

pub(super) fn as_fences(markdown: &str) -> Cow<'_, str> {
    if !TAGS.iter().any(|(open, name, _)| markdown.contains(open) && markdown.contains(name)) {
        return Cow::Borrowed(markdown);
    }
    let (mut found, mut at, mut code) = (Vec::new(), 0, None);
    // The tags that do not end in the rest of the text.
    let mut endless = Vec::new();
    while at < markdown.len() {
        let rest = &markdown[at..];
        let line = rest.split_inclusive('\n').next().unwrap_or_default();
        code = match code {
            Some((mark, length)) if closes(line, mark, length) => None,
            Some(open) => Some(open),
            None => fence(line),
        };
        let tagged = if code.is_none() { fenced(rest, line, &mut endless) } else { None };
        let length = tagged.as_ref().map_or(line.len(), |(length, _)| *length);
        found.extend(tagged.map(|(length, block)| (at..at + length, block)));
        at += length;
    }
    replaced(markdown, found)
}

/// The code whose tag is first in the line: its length from the start of the line to the end of the last tag, and its fenced block. `rest`: the text
/// from this line on.
fn fenced(rest: &str, line: &str, endless: &mut Vec<(&'static str, &'static str)>) -> Option<(usize, String)> {
    let text = line.trim_start_matches([' ', '\t']);
    let indentation = &line[..line.len() - text.len()];
    let tag = Tag::of(text)?;
    let (name, arguments) = split_word(tag.inside);
    let &(open, _, end) = TAGS.iter().find(|(open, known, _)| *open == tag.open && *known == name)?;
    if endless.contains(&(open, end)) {
        return None;
    }
    let start = indentation.len() + tag.length;
    let mut ends = rest[start..].match_indices(open).filter_map(|(at, _)| {
        let last = Tag::of(&rest[start + at..]).filter(|last| last.open == open && last.inside == end)?;
        Some((start + at, last.length))
    });
    let Some((at, length)) = ends.next() else {
        endless.push((open, end));
        return None;
    };
    let inside = &rest[start..at];
    let inside = inside.strip_prefix("\r\n").or_else(|| inside.strip_prefix('\n')).unwrap_or(inside).trim_end();
    let runs = inside.split(|c| c != '`').map(str::len);
    let fence = "`".repeat(runs.max().unwrap_or_default().saturating_add(1).max(3));
    let mut block = format!("{indentation}{fence}{}\n", language(arguments));
    if !inside.is_empty() {
        block.extend([inside, "\n"]);
    }
    block.extend([indentation, fence.as_str()]);
    let ends_line = rest[at + length..].lines().next().is_none_or(|after| after.trim().is_empty());
    if !ends_line {
        block.push('\n');
    }
    Some((at + length, block))
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
