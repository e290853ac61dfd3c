//! The façades inside `content`: a file outside of one of its modules names what the module's `mod.rs` offers, and nothing deeper. The modules that a
//! `mod.rs` offers as a whole are listed in [`OPEN`], each with the reason.

use std::collections::{BTreeMap, BTreeSet};

use super::files::source_files;
use super::reading::{children_of, paths};
use super::{assert_none, module_path_of};

/// A module behind a façade that others may name, and the reason.
const OPEN: &[(&str, &str)] = &[
    ("access::permission", "its functions are named for the module, as in `permission::require`"),
    ("access::secret", "its functions are named for the module, as in `secret::hash`"),
    ("maintenance::check", "`content` calls the function that the façade offers under the name of its module"),
    ("maintenance::repair", "`content` calls the function that the façade offers under the name of its module"),
    ("read::pages", "lists of posts and of terms have functions of the same names, each in a module"),
    ("tables::rows", "each kind of row has a module, with functions of the same names"),
];

/// The names of all modules behind each façade.
fn modules_behind_facades(files: &[(String, String)]) -> BTreeMap<&str, BTreeSet<&str>> {
    let mut behind: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for module in files.iter().map(|(path, _)| module_path_of(path)) {
        if let ["content", outer, inner @ ..] = module.as_slice() {
            behind.entry(outer).or_default().extend(inner);
        }
    }
    behind
}

/// The modules behind façades that a file names from outside: its line, and the module as in [`OPEN`].
fn modules_named_from_outside(
    path: &str,
    text: &str,
    files: &[(String, String)],
    behind: &BTreeMap<&str, BTreeSet<&str>>,
) -> Vec<(usize, String)> {
    let module = module_path_of(path);
    let named = paths(&module, &children_of(&module, files), text).into_iter().filter_map(|used| {
        let [content, outer, name, ..] = used.parts.as_slice() else { return None };
        let is_outside = content == "content" && !module.starts_with(&["content", outer]);
        let is_behind = behind.get(outer.as_str()).is_some_and(|names| names.contains(name.as_str()));
        (is_outside && is_behind).then(|| (used.line, format!("{outer}::{name}")))
    });
    named.collect()
}

fn is_open(named: &str) -> bool {
    OPEN.iter().any(|(open, _)| *open == named)
}

#[test]
fn modules_of_content_are_reached_through_their_facades() {
    let files = source_files();
    let behind = modules_behind_facades(&files);
    let mut used = BTreeSet::new();
    let mut bad = Vec::new();
    for (path, text) in &files {
        for (line, named) in modules_named_from_outside(path, text, &files, &behind) {
            if !is_open(&named) {
                bad.push(format!(
                    "src/{path}:{line}: content::{named} is behind a façade; let its mod.rs offer the item"
                ));
            }
            used.insert(named);
        }
    }
    let unused = OPEN.iter().filter(|(open, _)| !used.contains(*open));
    bad.extend(unused.map(|(open, _)| format!("OPEN lists {open}, but no file outside names it")));
    assert_none(bad);
}

#[test]
fn a_path_past_a_facade_is_found_in_every_form() {
    let files = source_files();
    let behind = modules_behind_facades(&files);
    let forms = [
        "use crate::content::write::atomic::posts::run;",
        "use crate::content::{read::Reader, write::{Writer, atomic}};",
        "use super::super::write::atomic::{self, posts};",
        "fn f() -> crate::content::write::atomic::Session { todo!() }",
        "mod tests { use super::super::super::write::atomic::Session; }",
    ];
    let missed = forms.into_iter().filter(|form| {
        let named = modules_named_from_outside("content/read/reader.rs", form, &files, &behind);
        !named.iter().any(|(line, named)| *line == 1 && named == "write::atomic")
    });
    assert_eq!(missed.collect::<Vec<_>>(), Vec::<&str>::new());
    let named = |path, text| modules_named_from_outside(path, text, &files, &behind);
    assert_eq!(named("content/write/posts.rs", forms[0]), []);
    assert_eq!(named("content/read/reader.rs", "use crate::content::write::{Change, Writer};"), []);
    let by_the_parent = named("content/mod.rs", "fn f() { write::record::write(); write::delete_old() }");
    assert_eq!(by_the_parent, [(1, "write::record".to_owned())]);
}
