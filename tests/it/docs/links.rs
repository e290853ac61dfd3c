//! Links between the pages. The rule: the file and the heading of a link exist. Links to the web are not checked.

use std::collections::HashSet;
use std::path::Path;

use super::block::prose;

/// The broken links of a page, a line for each.
pub fn dead_links(page: &Path, text: &str) -> Vec<String> {
    let mut dead = Vec::new();
    for (line, prose) in prose(text) {
        for target in targets(&prose) {
            if let Err(reason) = follow(page, text, &target) {
                dead.push(format!("{}:{line}: the link {target} is broken: {reason}", page.display()));
            }
        }
    }
    dead
}

/// The targets of `[…](target)`, `![…](target)` and `[…]: target`, except web and mail addresses.
fn targets(line: &str) -> Vec<String> {
    let inline = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let reference = line.strip_prefix('[').and_then(|rest| rest.split_once("]: ")).map(|(_, target)| target.trim());
    let all = inline.chain(reference).filter(|target| !target.contains("://") && !target.starts_with("mailto:"));
    all.map(|target| target.split(' ').next().unwrap_or_default().to_owned()).collect()
}

fn follow(page: &Path, text: &str, target: &str) -> Result<(), String> {
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let folder = page.parent().expect("a page in a folder");
    let (found, linked) = match path {
        "" => (page.to_owned(), text.to_owned()),
        path => {
            let file = folder.join(path);
            let exists = file.exists();
            (
                file.clone(),
                if exists {
                    std::fs::read_to_string(file).unwrap_or_default()
                } else {
                    return Err("no such file".into());
                },
            )
        }
    };
    if anchor.is_empty() || anchors(&linked).contains(anchor) {
        return Ok(());
    }
    Err(format!("{} has no heading of that name", found.display()))
}

/// The anchors of a page's headings, as GitHub generates them.
fn anchors(text: &str) -> HashSet<String> {
    let mut found = HashSet::new();
    let lines = prose_with_spans(text);
    for heading in lines.iter().filter_map(|line| line.strip_prefix('#')) {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let name: String = kept.map(|c| if c == ' ' { '-' } else { c }).collect();
        let numbered = (0..).map(|n| if n == 0 { name.clone() } else { format!("{name}-{n}") });
        let free = numbered.into_iter().find(|name| !found.contains(name)).expect("numbers do not end");
        found.insert(free);
    }
    found
}

/// The lines outside of code blocks, with their code spans.
fn prose_with_spans(text: &str) -> Vec<&str> {
    let numbers: HashSet<usize> = prose(text).into_iter().map(|(number, _)| number).collect();
    (1..).zip(text.lines()).filter(|(number, _)| numbers.contains(number)).map(|(_, line)| line).collect()
}

#[test]
fn dead_links_are_reported_with_their_line() {
    let page = super::root().join("docs/access.md");
    let text = "[a](http.md) [b](#tokens-1)\n`[c](none.md)`\n[d](none.md) ![e](../README.md#no-such)\n# Tokens!\n## `Tokens`\n[f]: none";
    let dead = dead_links(&page, text);
    let lines: Vec<_> = dead.iter().map(|line| line.rsplit_once("access.md:").expect("a page").1).collect();
    assert!(lines[0].starts_with("3: the link none.md is broken: no such file"), "{lines:?}");
    assert!(lines[1].starts_with("3: the link ../README.md#no-such is broken"), "{lines:?}");
    assert!(lines[2].starts_with("6: the link none is broken") && lines.len() == 3, "{lines:?}");
}
