//! The paths of pages whose rows contradict each other, as a repair corrects them. The rule: no page loses its text or its place below its parent; of two
//! pages with one path, the one that readers find keeps it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::model::site_page::FORMER_PATHS_MAX;
use crate::model::{PagePath, PostId, SitePage};

/// Each page with its former paths.
pub(in crate::content::maintenance) type Pages = BTreeMap<PostId, (SitePage, Vec<PagePath>)>;

/// The pages with a path for each, and each path with one page. `named`: the page that the row of a path names, which is the one that readers find.
pub(super) fn resolved(pages: &Pages, named: &BTreeMap<PagePath, PostId>) -> Pages {
    let mut resolved = pages.clone();
    give_each_its_path(&mut resolved, pages, named);
    let present: HashMap<PagePath, PostId> =
        resolved.iter().map(|(id, (page, _))| (page.path.clone(), id.clone())).collect();
    let mut claims: BTreeMap<PagePath, Vec<PostId>> = BTreeMap::new();
    for (id, (_, former)) in &resolved {
        for path in former {
            claims.entry(path.clone()).or_default().push(id.clone());
        }
    }
    for (id, (_, former)) in &mut resolved {
        former.retain(|path| {
            let holder = claims.get(path).and_then(|ids| keeper(ids, named.get(path)));
            !present.contains_key(path) && holder == Some(id)
        });
        let mut seen = BTreeSet::new();
        former.retain(|path| seen.insert(path.clone()));
    }
    resolved
}

/// The page that keeps a path that several pages have.
fn keeper<'p>(ids: &'p [PostId], named: Option<&PostId>) -> Option<&'p PostId> {
    ids.iter().find(|id| Some(*id) == named).or(ids.first())
}

/// Works from the top down, because the path of a page contains that of its parent.
fn give_each_its_path(resolved: &mut Pages, pages: &Pages, named: &BTreeMap<PagePath, PostId>) {
    let mut taken: BTreeSet<PagePath> = pages.values().map(|(page, _)| page.path.clone()).collect();
    let deepest = pages.values().map(|(page, _)| page.ancestors.len()).max().unwrap_or(0);
    for depth in 0..=deepest {
        let mut by_path: BTreeMap<PagePath, Vec<PostId>> = BTreeMap::new();
        for (id, (page, _)) in pages.iter().filter(|(_, (page, _))| page.ancestors.len() == depth) {
            by_path.entry(path_below(page, pages, resolved)).or_default().push(id.clone());
        }
        for (path, ids) in by_path {
            let kept = keeper(&ids, named.get(&path)).cloned();
            for id in ids {
                let path = match kept.as_ref() == Some(&id) {
                    true => Some(path.clone()),
                    false => numbered(&path, &taken),
                };
                let Some((page, former)) = resolved.get_mut(&id) else { continue };
                let Some(path) = path.filter(|path| *path != page.path) else { continue };
                taken.insert(path.clone());
                page.post.slug = path.slug().clone();
                let old = std::mem::replace(&mut page.path, path);
                // The old path still finds the page if no other page has it.
                if former.len() < FORMER_PATHS_MAX {
                    former.push(old);
                }
            }
        }
    }
}

/// The path of a page below its parent, whose path may have been corrected. A page that is not below the page that its path names keeps its
/// path.
fn path_below(page: &SitePage, pages: &Pages, resolved: &Pages) -> PagePath {
    let parent = page.parent().and_then(|parent| Some((pages.get(parent)?, resolved.get(parent)?)));
    let moved = parent.and_then(|((before, _), (after, _))| {
        let is_below = page.path.parent().as_ref() == Some(&before.path);
        if is_below { after.path.child(page.path.slug().clone()).ok() } else { None }
    });
    moved.unwrap_or_else(|| page.path.clone())
}

/// A path that no page has; `None` if it would be too long.
fn numbered(path: &PagePath, taken: &BTreeSet<PagePath>) -> Option<PagePath> {
    (2..)
        .map_while(|n| {
            let slug = path.slug().numbered(n);
            match path.parent() {
                Some(above) => above.child(slug).ok(),
                None => PagePath::of(vec![slug]).ok(),
            }
        })
        .find(|path| !taken.contains(path))
}
