//! Reads a folder of a site generator for the comparison: the front matter, the pictures and the links of each file. The rule: it shares no code with the
//! importer, and searches for plain texts.

use std::path::Path;

use serde_json::{Map, Value};

use super::front;

/// A file of Markdown.
pub struct SourceFile {
    /// Its path below the folder.
    pub origin: String,
    pub front: Option<Map<String, Value>>,
    /// The addresses of the pictures in the body.
    pub pictures: Vec<String>,
    /// The text and the address of each link in the body.
    pub links: Vec<(String, String)>,
}

/// The paths of the files of Markdown below a folder, without hidden ones, in their order.
pub fn origins(root: &Path) -> Vec<String> {
    let mut files = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            if name.starts_with('.') || path.is_symlink() {
                continue;
            }
            match path.is_dir() {
                true => folders.push(path),
                false if [".md", ".mdx", ".markdown"].iter().any(|ending| name.ends_with(ending)) => files.push(path),
                false => {}
            }
        }
    }
    files.sort();
    let origin = |path: &Path| path.strip_prefix(root).expect("below").to_string_lossy().into_owned();
    files.iter().map(|path| origin(path)).collect()
}

/// Reads one of them.
pub fn read(root: &Path, origin: String) -> SourceFile {
    let text = std::fs::read_to_string(root.join(&origin)).expect("a file");
    let (front, body) = match front::split(&text) {
        Some((front, body)) => (Some(front), body),
        None => (None, text.as_str()),
    };
    let body = without_code(body, origin.ends_with(".mdx"));
    SourceFile { front, pictures: pictures(&body), links: links(&body), origin }
}

/// The text without fenced blocks, comments, and what only a program of MDX runs; of code between backticks only the letters and digits are left.
fn without_code(body: &str, is_mdx: bool) -> String {
    let (mut kept, mut fence, mut is_program) = (String::new(), None::<String>, false);
    let mut is_first = true;
    for line in body.lines() {
        let marks: String =
            line.trim_start_matches([' ', '>', '-']).chars().take_while(|c| matches!(c, '`' | '~')).collect();
        let is_fence = marks.len() >= 3 && marks.chars().all(|c| marks.starts_with(c));
        match &fence {
            Some(open) if is_fence && marks.len() >= open.len() && marks[..1] == open[..1] => fence = None,
            Some(_) => {}
            None if is_fence && !line[line.find(&marks).unwrap_or(0) + marks.len()..].contains('`') => {
                fence = Some(marks);
            }
            None => {
                is_program = !line.trim().is_empty()
                    && (is_program
                        || (is_mdx && is_first && (line.starts_with("import ") || line.starts_with("export "))));
                if !is_program {
                    kept.push_str(line);
                    kept.push('\n');
                }
            }
        }
        is_first = line.trim().is_empty();
    }
    let mut out = String::new();
    for (at, part) in kept.split("<!--").enumerate() {
        let part = if at == 0 { part } else { part.split_once("-->").map_or("", |(_, rest)| rest) };
        out.push_str(part);
    }
    let is_code = |at: usize| at % 2 == 1;
    let of_part = |(at, part): (usize, &str)| -> String {
        part.chars().filter(|c| !is_code(at) || c.is_alphanumeric()).collect()
    };
    let lines = out.split('\n').map(|line| match line.matches('`').count() % 2 {
        0 => line.split('`').enumerate().map(of_part).collect::<String>() + "\n",
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// What is between `start` and `end`, for each `start`.
fn between<'t>(text: &'t str, start: &str, end: char) -> Vec<&'t str> {
    text.split(start).skip(1).filter_map(|rest| rest.split(end).next()).collect()
}

/// The address at the beginning of a destination, which a title can follow.
fn address(destination: &str) -> String {
    let destination = destination.trim();
    if destination.starts_with("{{")
        || destination.starts_with("{%")
        || destination.contains("{{")
        || destination.contains("{%")
    {
        return destination.to_owned();
    }
    destination.split_whitespace().next().unwrap_or_default().trim_matches(['<', '>']).to_owned()
}

fn pictures(body: &str) -> Vec<String> {
    let mut found = Vec::new();
    for rest in body.split("![").skip(1) {
        if let Some((_, rest)) =
            rest.split_once("](").filter(|(label, _)| !label.contains('\n') && !label.contains(']'))
        {
            found.push(without_template(&address(&rest[..end_of_destination(rest)])));
        }
    }
    for tag in ["<img", "figure"] {
        for tag in between(body, tag, '>') {
            found.extend(between(tag, "src=\"", '"').first().map(|src| without_template(src)));
        }
    }
    found
}

/// The path that a template of Jekyll or Eleventy writes.
fn without_template(address: &str) -> String {
    match address.strip_prefix("{{").and_then(|rest| rest.split(['\'', '"']).nth(1)) {
        Some(path) if address.ends_with("}}") => path.to_owned(),
        _ => address.replace("{{ site.baseurl }}", "").replace("{{site.baseurl}}", ""),
    }
}

/// The links in Markdown, by reference too, and in HTML.
fn links(body: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let definitions: Vec<(&str, String)> = body
        .lines()
        .filter_map(|line| line.strip_prefix('[')?.split_once("]:"))
        .filter(|(label, _)| !label.starts_with('^'))
        .map(|(label, rest)| (label, address(rest)))
        .collect();
    for (at, _) in body.match_indices(']') {
        let Some(open) = body[..at].rfind('[').filter(|open| !body[..*open].ends_with(['!', '\\'])) else { continue };
        let (label, rest) = (&body[open + 1..at], &body[at + 1..]);
        if let Some(destination) = rest.strip_prefix('(') {
            found.push((label.to_owned(), address(&destination[..end_of_destination(destination)])));
        } else if let Some(inside) = rest.strip_prefix('[') {
            let reference = inside.split(']').next().unwrap_or_default();
            let reference = if reference.is_empty() { label } else { reference };
            found.extend(
                definitions
                    .iter()
                    .find(|(label, _)| *label == reference)
                    .map(|(_, address)| (label.to_owned(), address.clone())),
            );
        }
    }
    for rest in body.split("<a ").skip(1) {
        let Some((_, href)) = rest.split_once("href=\"") else { continue };
        let end = if href.starts_with("{{") {
            href.find("}}").map(|at| at + 2 + href[at + 2..].find('"').unwrap_or(0))
        } else {
            href.find('"')
        };
        let Some(end) = end else { continue };
        let label = rest.split_once('>').map_or("", |(_, rest)| rest).split("</a>").next().unwrap_or_default();
        found.push((label.to_owned(), href[..end].to_owned()));
    }
    found
}

/// A template can have brackets.
fn end_of_destination(text: &str) -> usize {
    let from = ["}}", "%}"]
        .iter()
        .filter(|_| text.trim_start().starts_with('{'))
        .filter_map(|close| text.find(close))
        .min()
        .unwrap_or(0);
    from + text[from..].find(')').unwrap_or(0)
}
