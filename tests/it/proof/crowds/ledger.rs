//! The log of all operations, and what follows from it: which versions of each post were acknowledged by which server, and which changes may still be
//! made. The rule: it knows only the replies to the editors.

use std::collections::{BTreeMap, VecDeque};
use std::time::{Duration, Instant};

use super::change::Change;
use super::client::Outcome;
use super::content::{Content, Expected, Shown};
use super::violations::{Kind, Violation, Violations};

/// Readers check that this many of the last deleted posts stay deleted.
const RECENTLY_DELETED_MAX: usize = 10;

/// The floor of a post whose deletion a server has acknowledged.
pub(super) const DELETED: i32 = i32::MAX;

#[derive(Debug)]
pub(super) struct Operation {
    pub number: usize,
    pub editor: String,
    pub server: usize,
    pub began: Duration,
    pub ended: Option<Duration>,
    pub change: Change,
    pub outcome: Outcome,
}

/// A version that was acknowledged to its editor.
#[derive(Debug)]
pub(super) struct Version {
    pub operation: usize,
    pub content: Content,
    /// When the acknowledgement arrived.
    pub acknowledged_at: Duration,
}

/// What is known of one post.
#[derive(Debug)]
pub(super) struct Tracked {
    pub versions: BTreeMap<i32, Version>,
    /// The operation of the deletion that was acknowledged.
    pub deleted: Option<usize>,
    /// Operations that are under way or whose outcome is unknown.
    pub open: Vec<usize>,
    /// By server: the newest version that it has acknowledged; 0 for none.
    pub floors: Vec<i32>,
}

#[derive(Debug)]
pub(super) struct Ledger {
    began: Instant,
    servers: usize,
    pub operations: Vec<Operation>,
    pub posts: BTreeMap<String, Tracked>,
    /// Posts that were deleted some time ago; readers no longer look them up.
    pub past: BTreeMap<String, Tracked>,
    recently_deleted: VecDeque<String>,
    /// Creations of posts that are under way or whose outcome is unknown.
    pub open_creations: Vec<usize>,
    /// Versions that were shown, with their titles.
    pub seen: BTreeMap<(String, i32), String>,
    pub violations: Violations,
}

impl Ledger {
    pub(super) fn new(servers: usize) -> Self {
        Self {
            began: Instant::now(),
            servers,
            operations: Vec::new(),
            posts: BTreeMap::new(),
            past: BTreeMap::new(),
            recently_deleted: VecDeque::new(),
            open_creations: Vec::new(),
            seen: BTreeMap::new(),
            violations: Violations::default(),
        }
    }

    pub(super) fn now(&self) -> Duration {
        self.began.elapsed()
    }

    /// The post of this id, which may be one whose creation was never acknowledged.
    pub(super) fn track(&mut self, id: &str) -> &mut Tracked {
        let servers = self.servers;
        if let Some(past) = self.past.remove(id) {
            self.posts.insert(id.to_owned(), past);
            self.recently_deleted.push_back(id.to_owned());
        }
        self.posts.entry(id.to_owned()).or_insert_with(|| Tracked::new(servers))
    }

    pub(super) fn begin(&mut self, editor: &str, server: usize, change: Change) -> usize {
        let number = self.operations.len();
        match (&change, change.base()) {
            (_, Some(base)) => {
                let id = base.id.clone();
                self.track(&id).open.push(number);
            }
            (Change::CreatePost { .. }, None) => self.open_creations.push(number),
            _ => {}
        }
        let (editor, began) = (editor.to_owned(), self.now());
        let outcome = Outcome::UnderWay;
        self.operations.push(Operation { number, editor, server, began, ended: None, change, outcome });
        number
    }

    pub(super) fn end(&mut self, number: usize, outcome: Outcome) {
        let ended = self.now();
        let operation = &mut self.operations[number];
        operation.ended = Some(ended);
        operation.outcome = outcome.clone();
        let (server, change) = (operation.server, operation.change.clone());
        let base = change.base().cloned();
        match outcome {
            Outcome::UnderWay | Outcome::Unknown { .. } => {}
            Outcome::Refused { .. } | Outcome::NotSent => self.close(number, base.as_ref()),
            Outcome::Made { id, post } => {
                self.close(number, base.as_ref());
                match (post, &change) {
                    (Some(post), _) => self.acknowledge(number, server, &change, *post, ended),
                    (None, Change::DeletePost { .. }) => self.acknowledge_deletion(number, server, &id),
                    (None, _) => {}
                }
            }
        }
    }

    fn close(&mut self, number: usize, base: Option<&Shown>) {
        let open = match base {
            Some(base) => &mut self.track(&base.id).open,
            None => &mut self.open_creations,
        };
        open.retain(|other| *other != number);
    }

    fn acknowledge(&mut self, number: usize, server: usize, change: &Change, post: Shown, acknowledged_at: Duration) {
        let based_on = change.base().map_or(0, |base| base.version);
        let subjects = vec![post.id.clone()];
        let name = format!("operation {number}");
        if let Some(expected) = self.expected(change) {
            let differences = expected.differences(&post.content);
            // The terms of an answer are read after the change: other editors may have removed them from the post and deleted them meanwhile.
            let is_excused = expected.lacks_only_terms(&post.content);
            if !differences.is_empty() && !is_excused {
                self.violate(
                    Kind::Answer,
                    format!("{name} was made otherwise: {}", differences.join("; ")),
                    subjects.clone(),
                );
            }
        }
        let version = post.version;
        // A change that changes nothing makes no version.
        if version == based_on {
            return;
        }
        if version != based_on + 1 {
            self.violate(
                Kind::Answer,
                format!("{name} on version {based_on} made version {version}"),
                subjects.clone(),
            );
        }
        let tracked = self.track(&post.id);
        let earlier = tracked.versions.get(&version).map(|earlier| earlier.operation);
        tracked.floors[server] = tracked.floors[server].max(version);
        tracked.versions.entry(version).or_insert(Version {
            operation: number,
            content: post.content,
            acknowledged_at,
        });
        if let Some(earlier) = earlier {
            self.violate(
                Kind::Answer,
                format!("version {version} was made by operation {earlier} and by {name}"),
                subjects,
            );
        }
    }

    fn acknowledge_deletion(&mut self, number: usize, server: usize, id: &str) {
        let tracked = self.track(id);
        let earlier = tracked.deleted.replace(number);
        tracked.floors[server] = DELETED;
        if let Some(earlier) = earlier {
            let what = format!("the post was deleted by operation {earlier} and by operation {number}");
            self.violate(Kind::Answer, what, vec![id.to_owned()]);
        }
        self.recently_deleted.push_back(id.to_owned());
        while self.recently_deleted.len() > RECENTLY_DELETED_MAX {
            let oldest = self.recently_deleted.pop_front();
            if let Some((id, tracked)) = oldest.and_then(|id| self.posts.remove_entry(&id)) {
                self.past.insert(id, tracked);
            }
        }
    }

    /// All posts that were ever acknowledged or changed.
    pub(super) fn all_posts(&self) -> impl Iterator<Item = (&String, &Tracked)> {
        self.posts.iter().chain(&self.past)
    }

    pub(super) fn violate(&mut self, kind: Kind, what: String, subjects: Vec<String>) {
        let at = self.now();
        self.violations.add(Violation { kind, what, subjects, at });
    }

    /// Operations on a post that may still make a version after `floor`, or may have made one without a reply.
    pub(super) fn open_after(&self, id: &str, floor: i32) -> impl Iterator<Item = &Operation> {
        let open = self.posts.get(id).map_or(&[][..], |tracked| &tracked.open);
        let is_after = move |operation: &&Operation| operation.change.base().is_some_and(|base| base.version >= floor);
        open.iter().map(|number| &self.operations[*number]).filter(is_after)
    }

    /// The post after the change; `None` if no post is left.
    pub(super) fn expected(&self, change: &Change) -> Option<Expected> {
        let acknowledged = change.base().and_then(|base| self.posts.get(&base.id)?.versions.get(&base.version));
        change.expected(acknowledged.map(|version| &version.content))
    }

    /// The expected contents of this version, one for each operation that may have made it: only the acknowledged one, or all that are open.
    pub(super) fn candidates(&self, id: &str, version: i32) -> Vec<Expected> {
        let tracked = self.posts.get(id);
        if let Some(version) = tracked.and_then(|tracked| tracked.versions.get(&version)) {
            return vec![version.content.expected()];
        }
        let makes = |operation: &&Operation| operation.change.base().map_or(0, |base| base.version) == version - 1;
        let open = self.open_after(id, 0).chain(self.open_creations.iter().map(|number| &self.operations[*number]));
        open.filter(makes).filter_map(|operation| self.expected(&operation.change)).collect()
    }
}

impl Operation {
    /// Whether it was acknowledged and changed nothing.
    pub(super) fn changed_nothing(&self) -> bool {
        let Outcome::Made { post: Some(post), .. } = &self.outcome else { return false };
        self.change.base().is_some_and(|base| base.version == post.version)
    }
}

impl Tracked {
    fn new(servers: usize) -> Self {
        Self { versions: BTreeMap::new(), deleted: None, open: Vec::new(), floors: vec![0; servers] }
    }

    pub(super) fn newest(&self) -> Option<(i32, &Version)> {
        self.versions.last_key_value().map(|(number, version)| (*number, version))
    }
}
