//! Code between the tags of a generator: `{% highlight ruby %}` of Jekyll, `{% codeblock lang:ruby %}` of Hexo, `{{< highlight go >}}` of Hugo. The
//! rule: it becomes a fenced block with the same code, because nothing between the tags is Markdown.

use std::borrow::Cow;

use super::mdx::{closes, fence};

/// The opening and closing marks of a tag, and the names of the tags that begin and end code.
const TAGS: &[(&str, &str, &str, &str)] = &[
    ("{%", "%}", "highlight", "endhighlight"),
    ("{%", "%}", "codeblock", "endcodeblock"),
    ("{{<", ">}}", "highlight", "/highlight"),
    ("{{%", "%}}", "highlight", "/highlight"),
];

const TAG_BYTES_MAX: usize = 1_000;

pub(super) fn as_fences(markdown: &str) -> Cow<'_, str> {
    if !TAGS.iter().any(|(open, _, name, _)| markdown.contains(open) && markdown.contains(name)) {
        return Cow::Borrowed(markdown);
    }
    let (mut out, mut copied, mut at, mut code) = (String::new(), 0, 0, None);
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
        let found = if code.is_none() { Code::of(rest, line, &mut endless) } else { None };
        match found {
            Some(found) => {
                out.push_str(&markdown[copied..at]);
                found.write(&mut out);
                at += found.length;
                copied = at;
            }
            None => at += line.len(),
        }
    }
    if copied == 0 {
        return Cow::Borrowed(markdown);
    }
    out.push_str(&markdown[copied..]);
    Cow::Owned(out)
}

struct Code<'m> {
    indentation: &'m str,
    language: &'m str,
    text: &'m str,
    /// From the start of the line to the end of the last tag.
    length: usize,
    /// Whether the last tag is at the end of its line.
    ends_line: bool,
}

impl<'m> Code<'m> {
    /// Reads the code whose tag is first in the line. `rest`: the text from this line on.
    fn of(rest: &'m str, line: &'m str, endless: &mut Vec<(&'static str, &'static str)>) -> Option<Self> {
        let text = line.trim_start_matches([' ', '\t']);
        let indentation = &line[..line.len() - text.len()];
        let (tag, arguments, (open, close, _, end)) = TAGS.iter().find_map(|tag| {
            let (length, arguments) = tag_of(text, *tag)?;
            Some((length, arguments, *tag))
        })?;
        let start = indentation.len() + tag;
        if endless.contains(&(open, end)) {
            return None;
        }
        let ends = rest[start..].match_indices(open).map(|(at, _)| start + at);
        let found = ends.filter_map(|at| Some((at, end_tag(&rest[at..], (open, close, end))?))).next();
        let Some((at, length)) = found else {
            endless.push((open, end));
            return None;
        };
        let text = rest[start..at]
            .strip_prefix("\r\n")
            .or_else(|| rest[start..at].strip_prefix('\n'))
            .unwrap_or(&rest[start..at]);
        let ends_line = rest[at + length..].lines().next().is_none_or(|after| after.trim().is_empty());
        Some(Self { indentation, language: language(arguments), text: text.trim_end(), length: at + length, ends_line })
    }

    fn write(&self, out: &mut String) {
        let runs = self.text.split(|c| c != '`').map(str::len);
        let fence = "`".repeat(runs.max().unwrap_or_default().saturating_add(1).max(3));
        let Self { indentation, language, text, ends_line, .. } = self;
        out.extend([indentation, fence.as_str(), language, "\n"]);
        if !text.is_empty() {
            out.extend([text, "\n"]);
        }
        out.extend([indentation, fence.as_str()]);
        if !ends_line {
            out.push('\n');
        }
    }
}

/// The length and the arguments of the tag at the start of the line.
fn tag_of<'l>(line: &'l str, (open, close, name, _): (&str, &str, &str, &str)) -> Option<(usize, &'l str)> {
    let inside = line.strip_prefix(open)?;
    let inside = &inside[..inside.floor_char_boundary(TAG_BYTES_MAX)];
    let length = inside.find(close)?;
    let arguments = inside[..length].trim_matches(['-', ' ', '\t']).strip_prefix(name)?;
    let is_name = arguments.is_empty() || arguments.starts_with(char::is_whitespace);
    is_name.then_some((open.len() + length + close.len(), arguments))
}

/// The length of the end tag at the start of the text.
fn end_tag(text: &str, (open, close, name): (&str, &str, &str)) -> Option<usize> {
    let rest = text.strip_prefix(open)?.trim_start_matches(['-', ' ', '\t']);
    let rest = rest.strip_prefix(name)?.trim_start_matches(['-', ' ', '\t']).strip_prefix(close)?;
    Some(text.len() - rest.len())
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
