//! Dependency cycles between the files of a module. A path counts as a dependency on the file that defines the item, also if a `mod.rs` offers
//! it under a shorter path; a `mod.rs` does not depend on what it only offers. Tests inside of a file do not count, and a call of a
//! method is not seen, because it is no path.

use std::collections::{BTreeMap, BTreeSet};

use super::files::source_files;
use super::reading::{children_of, paths};
use super::{assert_none, module_path_of};

/// The modules whose files have no dependency cycles except [`CYCLES`]: those with many files.
const WITHIN: &[&str] = &["content", "graphql", "http", "import", "store"];

/// Cycles that are allowed: the files of each, and the reason.
const CYCLES: &[(&[&str], &str)] = &[
    (
        &[
            "content/maintenance/repair/mod.rs",
            "content/maintenance/repair/terms.rs",
            "content/mod.rs",
            "content/read/change_feed/live.rs",
            "content/read/change_feed/mod.rs",
            "content/search/documents.rs",
            "content/search/follower.rs",
            "content/search/indexing.rs",
            "content/search/mod.rs",
            "content/search/view.rs",
        ],
        "a repair works on the whole `Content`, which offers it as a method; its plan calls a function of terms.rs. And `Content` has those who wait for \
         changes, and the search index, which its methods read and keep",
    ),
    (
        &[
            "graphql/connection.rs",
            "graphql/types/actor.rs",
            "graphql/types/content.rs",
            "graphql/types/revision.rs",
            "graphql/types/term.rs",
        ],
        "the types of the schema name each other: a post has lists of terms and versions by actors, and a term has posts",
    ),
    (
        &["graphql/types/audit_log.rs", "graphql/types/node.rs"],
        "an entry is a node, and names the node that was changed",
    ),
    (
        &["http/api.rs", "http/health.rs"],
        "the shared state contains what health.rs defines, and its handlers get the state",
    ),
    (
        &["import/old_addresses.rs", "import/post_slugs.rs"],
        "the old addresses are the last step of assigning slugs, and complete its result",
    ),
];

type Path = Vec<String>;

/// The files by their module paths, and what each offers under another path.
struct Sources {
    files: BTreeMap<Path, String>,
    offers: BTreeMap<Path, BTreeMap<String, Path>>,
    uses: BTreeMap<String, Vec<Path>>,
}

impl Sources {
    fn read(all: &[(String, String)]) -> Self {
        let sources = all.iter().filter(|(path, _)| !path.contains("tests"));
        let sources: Vec<_> = sources.map(|(path, text)| (path, module_path_of(path), text)).collect();
        let owned = |module: &[&str]| module.iter().map(|part| (*part).to_owned()).collect::<Path>();
        let files = sources.iter().map(|(path, module, _)| (owned(module), (*path).clone())).collect();
        let (mut offers, mut uses) = (BTreeMap::new(), BTreeMap::new());
        for (path, module, text) in &sources {
            let children = children_of(module, all);
            let (offered, used) = without_offers(text);
            let offered = paths(module, &children, &offered).into_iter().map(|used| (used.name, used.parts));
            offers.insert(owned(module), offered.collect());
            let used = paths(module, &children, &used).into_iter().map(|used| used.parts);
            uses.insert((*path).clone(), used.collect());
        }
        Self { files, offers, uses }
    }

    /// The file that defines what a path names. A path to a module is one to its file.
    fn file_of(&self, path: &[String]) -> Option<&String> {
        let known = (0..=path.len()).rev().find(|length| self.files.contains_key(&path[..*length]))?;
        let module = &path[..known];
        let offered = path.get(known).and_then(|name| self.offers[module].get(name)).filter(|target| *target != path);
        match offered {
            Some(target) => self.file_of(&[target, &path[known + 1..]].concat()),
            None => self.files.get(module),
        }
    }

    /// The files of a module on which each of its files depends.
    fn dependencies(&self, within: &str) -> BTreeMap<&str, BTreeSet<&str>> {
        let is_within = |file: &str| file.split('/').next() == Some(within);
        let files = self.uses.iter().filter(|(file, _)| is_within(file));
        let used = |file: &str, paths: &'_ [Path]| {
            let used = paths.iter().filter_map(|path| self.file_of(path)).map(String::as_str);
            used.filter(|used| is_within(used) && *used != file).collect()
        };
        files.map(|(file, paths)| (file.as_str(), used(file, paths))).collect()
    }
}

/// The `pub use` declarations of a file, and everything else but its tests.
fn without_offers(text: &str) -> (String, String) {
    let text = text.split("\n#[cfg(test)]\nmod ").next().unwrap_or_default();
    let (mut offered, mut used, mut is_offer) = (String::new(), String::new(), false);
    for line in text.lines() {
        is_offer |= line.starts_with("pub") && line.contains(" use ");
        let kept = if is_offer { &mut offered } else { &mut used };
        kept.push_str(&without_restriction(line));
        kept.push('\n');
        is_offer &= !line.ends_with(';');
    }
    (offered, used)
}

/// A line without the path of `pub(in crate::content)`, which is no dependency.
fn without_restriction(line: &str) -> String {
    match line.split_once("pub(in ").and_then(|(before, rest)| Some((before, rest.split_once(')')?.1))) {
        Some((before, after)) => format!("{before}pub{after}"),
        None => line.to_owned(),
    }
}

/// The files that depend on each other, a set for each group of them.
fn cycles<'f>(dependencies: &BTreeMap<&'f str, BTreeSet<&'f str>>) -> BTreeSet<BTreeSet<&'f str>> {
    let reached = |from: &'f str| {
        let (mut reached, mut next) = (BTreeSet::new(), vec![from]);
        while let Some(file) = next.pop() {
            next.extend(dependencies[file].iter().filter(|file| reached.insert(**file)));
        }
        reached
    };
    let reached: BTreeMap<&str, BTreeSet<&str>> = dependencies.keys().map(|file| (*file, reached(file))).collect();
    let cyclic = reached.iter().filter(|(file, others)| others.contains(*file));
    cyclic
        .map(|(file, others)| others.iter().filter(|other| reached[*other].contains(file)).copied().collect())
        .collect()
}

#[test]
fn files_have_no_dependency_cycles() {
    let sources = source_files();
    let sources = Sources::read(&sources);
    let found: Vec<_> = WITHIN.iter().flat_map(|within| cycles(&sources.dependencies(within))).collect();
    let is_of = |cycle: &BTreeSet<&str>, allowed: &[&str]| cycle.iter().copied().eq(allowed.iter().copied());
    let new = found.iter().filter(|cycle| !CYCLES.iter().any(|(allowed, _)| is_of(cycle, allowed)));
    let gone = CYCLES.iter().filter(|(allowed, _)| !found.iter().any(|cycle| is_of(cycle, allowed)));
    let new = new.map(|cycle| format!("a dependency cycle of files: {cycle:?}"));
    assert_none(
        new.chain(gone.map(|(allowed, _)| format!("CYCLES lists files that are not a cycle any more: {allowed:?}")))
            .collect(),
    );
}

#[test]
fn a_dependency_cycle_through_an_offered_path_is_found() {
    let file = |path: &str, text: &str| (path.to_owned(), text.to_owned());
    let sources = [
        file("store/mod.rs", "mod one;\nmod two;\n\npub use one::{\n    One as First,\n};\n"),
        file("store/one.rs", "use super::two::Two;\n"),
        file(
            "store/two.rs",
            "use crate::store::First;\n\n#[cfg(test)]\nmod tests { use super::super::three::Three; }\n",
        ),
        file("store/three.rs", "fn f() { crate::store::two::run() }\n"),
    ];
    let sources = Sources::read(&sources);
    let found = cycles(&sources.dependencies("store"));
    assert_eq!(found, BTreeSet::from([BTreeSet::from(["store/one.rs", "store/two.rs"])]));
}
