//! Links from file to file in a folder of Markdown: `[a](b.md)`, `@/b.md`, `{{< ref "b.md" >}}`, `{% post_url b %}`. The rule: a link is found by the
//! names that generators give to a file, and gets the address of its post or page; a link to any other file stays byte for byte. Nothing in a fenced
//! block or between backticks is a link.

use std::borrow::Cow;
use std::ops::Range;

use tidings_model::composed::composed;

use super::addresses::{self, Address, Form};
use super::name::folder_of;
use super::templates::{Tag, Template, template};
use super::{page, walk};

pub const ENDINGS: &[&str] = &[".md", ".mdx", ".markdown"];

/// A link in a body whose address is a file, or a template that becomes one.
#[derive(Debug, PartialEq, Eq)]
struct FileLink {
    span: Range<usize>,
    /// The names under which the file is looked up, in this order.
    names: Vec<String>,
    /// The path that a template writes, used if no file is found.
    path: Option<String>,
    /// The query and fragment of the address, such as `#id`.
    rest: String,
    is_template: bool,
}

/// The files to which a file links.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// The names under which they are looked up.
    pub names: Vec<String>,
    pub templates: Vec<FileTemplate>,
}

/// A template in place of an address.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FileTemplate {
    pub text: String,
    /// The names under which its file is looked up.
    pub names: Vec<String>,
}

/// Writes the address of each file that has one. `address`: returns the address for a name.
pub(crate) fn with_addresses<'m, 'a>(
    origin: &str,
    markdown: &'m str,
    address: impl Fn(&str) -> Option<&'a str>,
) -> Cow<'m, str> {
    let written = |FileLink { span, names, path, rest, .. }| {
        let found = names.iter().find_map(|name| address(name)).or(path.as_deref())?;
        Some((span, format!("{found}{rest}")))
    };
    walk::replaced(markdown, all(origin, markdown).into_iter().filter_map(written))
}

/// Replaces templates by the paths that they write. This happens when the body is read, because a picture can have such an address, too.
pub(super) fn with_paths(markdown: &str) -> Cow<'_, str> {
    with_addresses("", markdown, |_| None)
}

pub(super) fn targets(origin: &str, markdown: &str) -> Targets {
    let mut targets = Targets::default();
    for link in all(origin, markdown) {
        if link.is_template && link.path.is_none() {
            targets.templates.push(FileTemplate { text: markdown[link.span].to_owned(), names: link.names.clone() });
        }
        targets.names.extend(link.names);
    }
    targets
}

/// The names by which other files link to a file: its path, its path below the content as `/a/b`, and `name:b`, each without extension; for `index`,
/// `_index` and `README` also the names of their folder.
pub(crate) fn names_of(origin: &str) -> Vec<String> {
    let origin = composed(origin);
    let path = without_ending(&origin);
    let described = |path: &str| {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        page::is_index(file).then(|| folder.to_owned())
    };
    let inner = page::below_content(path);
    let mut names = vec![path.to_owned(), format!("/{inner}")];
    if let (Some(folder), Some(below)) = (described(path), described(inner)) {
        let last = folder.rsplit('/').next().unwrap_or_default();
        names.extend([format!("/{below}"), name(last)]);
        names.push(folder);
    } else {
        names.push(name(path));
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Whether a name means no file if several files have it.
pub(crate) fn is_ambiguous_if_repeated(name: &str) -> bool {
    name.starts_with(NAME)
}

/// The prefix of a file name without its folders.
const NAME: &str = "name:";

fn name(path: &str) -> String {
    format!("{NAME}{}", path.rsplit('/').next().unwrap_or(path))
}

fn without_ending(path: &str) -> &str {
    ENDINGS.iter().find_map(|ending| path.strip_suffix(ending)).unwrap_or(path)
}

/// The links of the file `origin`, ascending and disjoint.
fn all(origin: &str, markdown: &str) -> Vec<FileLink> {
    let addresses = addresses::found(markdown).into_iter();
    let mut found: Vec<FileLink> = addresses.filter_map(|address| of_address(origin, markdown, address)).collect();
    // The end of the last template in place of an address.
    let mut address_end = None;
    walk::outside_code(markdown, &['\\', '{'], |block, at, _| {
        let text = &markdown[..block.end];
        let Some(tag) = Tag::of(&text[at..]) else { return 1 };
        let span = at..at + tag.length;
        let is_address = is_address_place(&text[..at], address_end);
        if is_address && tag.open.starts_with("{{") {
            address_end = Some(span.end);
        }
        let link = of_template(origin, template(&tag), is_address);
        found.extend(link.map(|(names, path, rest)| FileLink { span, names, path, rest, is_template: true }));
        tag.length
    });
    found.sort_by_key(|link| link.span.start);
    found.dedup_by(|next, before| next.span.start < before.span.end);
    found
}

fn of_address(origin: &str, text: &str, Address { span, form }: Address) -> Option<FileLink> {
    let address = &text[span.clone()];
    let path = composed(&addresses::path_of(address)).into_owned();
    let is_link = matches!(form, Form::Link | Form::Definition) && addresses::is_local(address);
    if !is_link || !ENDINGS.iter().any(|ending| path.ends_with(ending)) {
        return None;
    }
    let names = names_of_path(origin, without_ending(&path), false);
    Some(FileLink { span, names, path: None, rest: rest_of(address).to_owned(), is_template: false })
}

fn rest_of(address: &str) -> &str {
    address.find(['?', '#']).map_or("", |at| &address[at..])
}

/// The names under which a path in a file is looked up. `by_name`: whether the generator also finds a file without its folder.
fn names_of_path(origin: &str, path: &str, by_name: bool) -> Vec<String> {
    if let Some(path) = path.strip_prefix("@/") {
        return vec![format!("/{path}")];
    }
    if let Some(below) = path.strip_prefix('/') {
        return vec![path.to_owned(), below.to_owned()];
    }
    let origin = composed(origin);
    let folder = folder_of(&origin);
    let mut names: Vec<String> = joined(folder, path).into_iter().filter(|path| !path.is_empty()).collect();
    names.extend(joined("", path).filter(|path| !path.is_empty()).map(|path| format!("/{path}")));
    if by_name && !path.contains('/') {
        names.push(name(path));
    }
    names
}

/// A relative path below a folder; `None` if it leaves the root.
pub(super) fn joined(folder: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

/// Resolves a template: the names under which the file is looked up, the path if no file is found, and what follows the path. `is_address`: whether it is in
/// place of an address.
fn of_template(origin: &str, template: Template, is_address: bool) -> Option<(Vec<String>, Option<String>, String)> {
    match template {
        Template::Ref(target) => {
            let path = composed(&addresses::path_of(&target)).into_owned();
            let path = without_ending(path.trim_end_matches('/'));
            let rest = rest_of(&target).to_owned();
            Some(match path.is_empty() {
                // The home page, or with `{{< ref "#id" >}}` a place in the same file.
                true => (Vec::new(), Some(target.chars().take_while(|c| *c == '/').collect()), rest),
                false => (names_of_path(origin, path, true), None, rest),
            })
        }
        Template::PostUrl(target) => Some((vec![name(without_ending(&target))], None, String::new())),
        Template::Link(target) => {
            let path = without_ending(target.trim_start_matches('/')).to_owned();
            // The site can be in a folder below the root.
            let folders = origin.match_indices('/').rev().map(|(at, _)| &origin[..at]);
            let below: Vec<String> = folders.map(|folder| format!("{folder}/{path}")).collect();
            Some(([vec![path.clone(), format!("/{path}")], below].concat(), None, String::new()))
        }
        Template::Path(path) => is_address.then(|| (Vec::new(), Some(path), String::new())),
        Template::Other => is_address.then(|| (Vec::new(), None, String::new())),
    }
}

/// Whether an address begins after this text: in a link, in an attribute, or after a template in such a place.
fn is_address_place(before: &str, address_end: Option<usize>) -> bool {
    let before = before.trim_end_matches(' ');
    ["](", "](<", "]:", "href=\"", "href='", "src=\"", "src='"].iter().any(|place| before.ends_with(place))
        || address_end == Some(before.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::random_texts;

    /// The body, if the address of each of these files is its path.
    fn written(origin: &str, body: &str, files: &[&str]) -> String {
        let known: Vec<(String, String)> = files
            .iter()
            .flat_map(|file| names_of(file).into_iter().map(move |name| (name, format!("<{file}>"))))
            .collect();
        let address = |name: &str| known.iter().find(|(known, _)| known == name).map(|(_, file)| file.as_str());
        with_addresses(origin, body, address).into_owned()
    }

    #[test]
    fn a_file_of_a_site_below_the_root_is_found_by_the_template_link() {
        let body = "[x]({% link _docs/a.md %}#y) [x]({% link _docs/b.md %})";
        let expected = "[x](<docs/_docs/a.md>#y) [x]({% link _docs/b.md %})";
        assert_eq!(written("docs/_posts/2024-01-02-c.md", body, &["docs/_docs/a.md", "_docs/c.md"]), expected);
    }

    #[test]
    fn each_form_of_a_link_finds_its_file() {
        let files = ["content/posts/a.md", "content/posts/b/index.md", "content/_index.md", "_posts/2024-01-02-c.md"];
        for (body, expected) in [
            (
                "[x](a.md) [x](./a.md#y) [x](b/index.md?z)",
                "[x](<content/posts/a.md>) [x](<content/posts/a.md>#y) [x](<content/posts/b/index.md>?z)",
            ),
            ("[x](@/posts/a.md) [x](/posts/a.md)", "[x](<content/posts/a.md>) [x](<content/posts/a.md>)"),
            ("[x][y]\n\n[y]: a.md \"T\"\n", "[x][y]\n\n[y]: <content/posts/a.md> \"T\"\n"),
            ("<a class=b href=\"posts/a.md\">x</a>", "<a class=b href=\"<content/posts/a.md>\">x</a>"),
            (
                "[x]({{< ref \"a.md\" >}}) [x]({{% relref \"/posts/b#y\" %}})",
                "[x](<content/posts/a.md>) [x](<content/posts/b/index.md>#y)",
            ),
            (
                "[x]({{< ref path=\"b\" >}}) {{< relref a >}} [x]({{< ref \"#y\" >}})",
                "[x](<content/posts/b/index.md>) <content/posts/a.md> [x](#y)",
            ),
            ("[x]({% post_url 2024-01-02-c %})", "[x](<_posts/2024-01-02-c.md>)"),
            ("[x]({{ site.baseurl }}{% link _posts/2024-01-02-c.md %})", "[x](<_posts/2024-01-02-c.md>)"),
            ("[x]({{ '/y/' | relative_url }}) <a href=\"{{ site.baseurl }}/z\">", "[x](/y/) <a href=\"/z\">"),
            ("[x]({{ \"/y/\" | url }})\n[z]: {{ site.url }}/z", "[x](/y/)\n[z]: /z"),
        ] {
            assert_eq!(written("content/posts/x.md", body, &files), expected, "{body}");
        }
    }

    #[test]
    fn what_is_no_link_to_a_known_file_stays_as_it_is() {
        for body in [
            "[x](gone.md) ![x](a.md) `[x](a.md)` \\[x](https://b.example/a.md) [x](//b/a.md) a.md",
            "```\n[x](a.md) {{< ref \"a.md\" >}}\n```\n",
            "[x]({{< ref \"gone.md\" >}}) [x]({{ page.url }}) {{ '/y' | relative_url }} {{ site.url }}",
            "{{< youtube a >}} {% include a.html %} {{ a ",
        ] {
            assert_eq!(written("x.md", body, &["a.md"]), body);
        }
    }

    #[test]
    fn templates_in_place_of_an_address_are_named() {
        let body = "[x]({{< ref \"a\" >}}) [x]({{ site.repository }}/issues) {{ site.title }} [y]({{ '/y' | url }})";
        let template = |text: &str, names: &[&str]| FileTemplate {
            text: text.to_owned(),
            names: names.iter().map(|name| (*name).to_owned()).collect(),
        };
        let expected = [template("{{< ref \"a\" >}}", &["a", "/a", "name:a"]), template("{{ site.repository }}", &[])];
        assert_eq!(targets("x.md", body).templates, expected);
    }

    #[test]
    fn no_text_panics() {
        let parts = [
            "[", "](", ")", "]: ", "`", "\n", "ä", "\\", "<a href=", ">", "\"", "{{", "{%", "ref ", "}}", "%}", "a.md",
            " | url",
        ];
        for text in random_texts::of(&parts, 9) {
            written("x.md", &text, &["a.md"]);
        }
    }
}
