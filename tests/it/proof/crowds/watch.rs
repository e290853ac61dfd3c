//! What a reader of one server can see at one moment. The rule: each post has one of its possible states. These are the state that this server
//! acknowledged last before the read began, or another server at least 2 s before (I1), and every state that was acknowledged or under way since.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::change::Change;
use super::client::Outcome;
use super::content::{Content, Expected, Shown, is_public, term_id};
use super::import;
use super::ledger::{DELETED, Ledger, Tracked};
use super::violations::Kind;

/// After this time, every server shows what one has acknowledged (I1).
const SEEN_BY_ALL_WITHIN: Duration = Duration::from_secs(2);

/// What was acknowledged when a read began.
#[derive(Debug)]
pub(super) struct Watch {
    server: usize,
    floors: BTreeMap<String, i32>,
    began: Duration,
}

/// Whether a published post of this content belongs to a list; `None` if its terms are not known.
pub(super) type Belongs<'a> = &'a (dyn Fn(&Expected) -> Option<bool> + Sync);

/// A list as one answer shows it.
pub(super) struct Listing<'a> {
    pub name: &'a str,
    /// The requested page size.
    pub first: usize,
    pub posts: Vec<Shown>,
    pub has_next: bool,
    pub has_previous: bool,
    pub belongs: Belongs<'a>,
}

/// The possible states of a post.
struct Possible {
    contents: Vec<(i32, Expected)>,
    may_be_absent: bool,
}

impl Possible {
    /// Whether a reader without a token may get the answer that there is no such post.
    fn may_be_hidden(&self) -> bool {
        self.may_be_absent || self.contents.iter().any(|(_, content)| !is_public(content.published_at.as_deref()))
    }

    fn is_moving(&self) -> bool {
        self.contents.windows(2).any(|pair| pair[0].1.published_at != pair[1].1.published_at)
    }
}

impl Ledger {
    pub(super) fn watch(&self, server: usize) -> Watch {
        self.watch_at(server, self.now())
    }

    pub(super) fn watch_at(&self, server: usize, now: Duration) -> Watch {
        let seen_by_all = now.checked_sub(SEEN_BY_ALL_WITHIN);
        let floor = |tracked: &Tracked| {
            let of_all = seen_by_all.map_or(0, |before| self.acknowledged_before(tracked, before));
            tracked.floors[server].max(of_all)
        };
        let floors = self.posts.iter().map(|(id, tracked)| (id.clone(), floor(tracked)));
        Watch { server, floors: floors.collect(), began: now }
    }

    /// The newest version that any server had acknowledged by then.
    fn acknowledged_before(&self, tracked: &Tracked, before: Duration) -> i32 {
        let deletion = tracked.deleted.and_then(|number| self.operations[number].ended);
        if deletion.is_some_and(|at| at <= before) {
            return DELETED;
        }
        let mut newest_first = tracked.versions.iter().rev();
        newest_first.find(|(_, version)| version.acknowledged_at <= before).map_or(0, |(number, _)| *number)
    }

    /// What every server must show after the editors have stopped.
    pub(super) fn watch_newest(&self) -> Watch {
        let floor = |tracked: &Tracked| tracked.floors.iter().copied().max().unwrap_or_default();
        let floors = self.all_posts().map(|(id, tracked)| (id.clone(), floor(tracked)));
        Watch { server: 0, floors: floors.collect(), began: self.now() }
    }

    fn possible(&self, id: &str, floor: i32) -> Possible {
        let Some(tracked) = self.posts.get(id) else {
            return Possible { contents: Vec::new(), may_be_absent: true };
        };
        let is_deletion = |number: &usize| matches!(self.operations[*number].change, Change::DeletePost { .. });
        let may_be_absent = floor == 0
            || tracked.deleted.is_some()
            || self.open_after(id, floor).any(|operation| is_deletion(&operation.number));
        let known = tracked.versions.range(floor..).map(|(number, version)| (*number, version.content.expected()));
        let open = self
            .open_after(id, floor)
            .filter_map(|operation| Some((operation.change.base()?.version + 1, self.expected(&operation.change)?)));
        Possible { contents: known.chain(open).collect(), may_be_absent }
    }

    /// Examines a post in an answer. `is_reader`: the answer is for a client without a token.
    pub(super) fn examine_shown(&mut self, watch: &Watch, place: &str, shown: &Shown, is_reader: bool) {
        let (id, version) = (shown.id.clone(), shown.version);
        if is_reader && (shown.status != "PUBLISHED" || !shown.content.is_public()) {
            self.violate(
                Kind::Reading,
                format!("{place} shows version {version}, {}, to a reader", shown.status),
                vec![id.clone()],
            );
        }
        if shown.content.title.starts_with(import::TITLE) {
            return;
        }
        self.seen.entry((id.clone(), version)).or_insert_with(|| shown.content.title.clone());
        let floor = watch.floors.get(&id).copied().unwrap_or_default();
        if floor == DELETED {
            self.violate(
                Kind::Reading,
                format!("{place} shows version {version} after the deletion was acknowledged"),
                vec![id],
            );
            return;
        }
        if version < floor {
            let server = watch.server;
            let what =
                format!("{place} of server {server} shows version {version}; version {floor} was acknowledged before");
            self.violate(Kind::Reading, what, vec![id]);
            return;
        }
        if self.complete_answer(&id, version, &shown.content) {
            return;
        }
        let candidates = self.candidates(&id, version);
        let differing: Vec<Vec<String>> =
            candidates.iter().map(|expected| expected.differences(&shown.content)).collect();
        if differing.iter().any(Vec::is_empty) {
            return;
        }
        let lacks_only_terms = candidates.iter().any(|expected| expected.lacks_only_terms(&shown.content));
        if lacks_only_terms && !self.is_at_rest(watch, &id, version) {
            return;
        }
        let what = match differing.first() {
            None => format!("{place} shows version {version}, {:?}, which nobody has made", shown.content),
            Some(differing) => format!("{place} shows version {version} otherwise: {}", differing.join("; ")),
        };
        self.violate(Kind::Reading, what, vec![id]);
    }

    /// Whether a version is shown with terms that the answer to its editor lacked, and is otherwise as it was answered. From here on it is known with
    /// these terms.
    fn complete_answer(&mut self, id: &str, version: i32, content: &Content) -> bool {
        let Some(known) = self.posts.get_mut(id).and_then(|tracked| tracked.versions.get_mut(&version)) else {
            return false;
        };
        let lacks_only_terms = content.expected().lacks_only_terms(&known.content);
        if known.content == *content || known.content.body != content.body || !lacks_only_terms {
            return false;
        }
        let answered = std::mem::replace(&mut known.content, content.clone());
        let operation = known.operation;
        let mut lacked =
            content.terms.iter().flatten().filter(|id| !answered.terms.iter().any(|terms| terms.contains(id)));
        if lacked.any(|term| !self.may_be_deleted_during(operation, term)) {
            let differences = content.expected().differences(&answered).join("; ");
            let what = format!("operation {operation} was answered without terms of version {version}: {differences}");
            self.violate(Kind::Answer, what, vec![id.to_owned()]);
        }
        true
    }

    /// Whether another operation may have deleted the term after the change of this operation and before its answer was read.
    fn may_be_deleted_during(&self, operation: usize, term: &str) -> bool {
        let (began, ended) = (self.operations[operation].began, self.operations[operation].ended);
        self.operations.iter().any(|other| {
            let Change::DeleteTerm { kind, .. } = &other.change else { return false };
            let began_in_time = ended.is_none_or(|ended| other.began < ended);
            let may_delete = match &other.outcome {
                Outcome::Made { id, .. } => id == term && other.ended.is_none_or(|at| at > began),
                // It names the term by a slug that need not be its first one.
                Outcome::UnderWay | Outcome::Unknown { .. } => term.starts_with(&term_id(*kind, "")),
                Outcome::Refused { .. } | Outcome::NotSent => false,
            };
            began_in_time && may_delete
        })
    }

    /// Whether a version was acknowledged before the read began and no later one is made or under way.
    fn is_at_rest(&self, watch: &Watch, id: &str, version: i32) -> bool {
        let Some(tracked) = self.posts.get(id) else { return false };
        tracked
            .newest()
            .is_some_and(|(newest, acknowledged)| newest == version && acknowledged.acknowledged_at < watch.began)
            && tracked.deleted.is_none()
            && self.open_after(id, version).next().is_none()
    }

    /// Examines the answer of a look-up by id.
    pub(super) fn examine_lookup(&mut self, watch: &Watch, id: &str, found: Option<&Shown>, is_reader: bool) {
        if let Some(shown) = found {
            if shown.id != id {
                self.violate(
                    Kind::Reading,
                    format!("node(id: {id:?}) shows the post {}", shown.id),
                    vec![id.to_owned()],
                );
            }
            self.examine_shown(watch, "node", shown, is_reader);
            return;
        }
        let floor = watch.floors.get(id).copied().unwrap_or_default();
        let possible = self.possible(id, floor);
        let may_be_null = if is_reader { possible.may_be_hidden() } else { possible.may_be_absent };
        if !may_be_null {
            let what = format!("node of server {} is null; version {floor} was acknowledged before", watch.server);
            self.violate(Kind::Reading, what, vec![id.to_owned()]);
        }
    }

    /// Examines the answer of `post(slug:)` to a reader.
    pub(super) fn examine_slug(&mut self, watch: &Watch, slug: &str, found: Option<&Shown>) {
        let place = format!("post(slug: {slug:?})");
        if let Some(shown) = found {
            self.examine_shown(watch, &place, shown, true);
            if !self.may_have_slug(&shown.id, slug) {
                self.violate(
                    Kind::Reading,
                    format!("{place} shows a post that never had this slug"),
                    vec![shown.id.clone()],
                );
            }
        }
        let found = found.map(|shown| shown.id.as_str());
        for (id, floor) in &watch.floors {
            let Some(acknowledged) = self.posts.get(id).and_then(|tracked| tracked.versions.get(floor)) else {
                continue;
            };
            let possible = self.possible(id, *floor);
            if acknowledged.content.slug == slug && found != Some(id) && !possible.may_be_hidden() {
                let what = format!("{place} shows {}; version {floor} has it", found.unwrap_or("nothing"));
                self.violate(Kind::Reading, what, vec![id.clone()]);
            }
        }
    }

    /// Whether some version of the post, or a change under way, has this slug.
    pub(super) fn may_have_slug(&self, id: &str, slug: &str) -> bool {
        let Some(tracked) = self.posts.get(id) else { return true };
        // A creation without an answer may have given the slug to it.
        !tracked.versions.contains_key(&1)
            || tracked.versions.values().any(|version| version.content.slug == slug)
            || self.open_after(id, 0).any(|operation| operation.change.requested_slug() == Some(slug))
    }

    /// Examines a page of a list that readers see.
    pub(super) fn examine_list(&mut self, watch: &Watch, listing: &Listing<'_>) {
        let name = listing.name;
        let mut ids = BTreeSet::new();
        for shown in &listing.posts {
            if !ids.insert(shown.id.clone()) {
                self.violate(Kind::Reading, format!("{name} shows a post twice on a page"), vec![shown.id.clone()]);
            }
            self.examine_shown(watch, name, shown, true);
            self.examine_place(listing, shown);
        }
        if listing.has_next && listing.posts.len() < listing.first {
            let what = format!("{name} has a next page after {} of {} posts", listing.posts.len(), listing.first);
            self.violate(Kind::Reading, what, ids.iter().cloned().collect());
        }
        if listing.has_next || listing.has_previous {
            return;
        }
        for (id, floor) in watch.floors.iter().filter(|(id, _)| !ids.contains(*id)) {
            let possible = self.possible(id, *floor);
            let is_elsewhere =
                |(_, content): &(i32, Expected)| (listing.belongs)(content).is_none_or(|belongs| !belongs);
            if !possible.may_be_hidden() && !possible.is_moving() && !possible.contents.iter().any(is_elsewhere) {
                let versions: Vec<i32> = possible.contents.iter().map(|(version, _)| *version).collect();
                let what =
                    format!("{name} lacks a post that belongs to it in each of its possible versions {versions:?}");
                self.violate(Kind::Reading, what, vec![id.clone()]);
            }
        }
    }

    /// Checks that a post is shown only in a list that it belongs to, as it is shown. Terms that it lacks in the answer are another violation.
    fn examine_place(&mut self, listing: &Listing<'_>, shown: &Shown) {
        let is_in_place = |content: &Expected| (listing.belongs)(content).unwrap_or(true);
        let as_made = |ledger: &Self| ledger.candidates(&shown.id, shown.version).iter().any(is_in_place);
        if !is_in_place(&shown.content.expected()) && !as_made(self) {
            let what = format!(
                "{} shows version {}, which does not belong to it: {:?}",
                listing.name, shown.version, shown.content
            );
            self.violate(Kind::Reading, what, vec![shown.id.clone()]);
        }
    }
}

/// As [`Belongs`] for a term.
pub(super) fn has_term(content: &Expected, kind: usize, id: &str) -> Option<bool> {
    content.terms[kind].as_ref().map(|terms| terms.iter().any(|term| term == id))
}

/// As [`Belongs`] for a month, `yyyy-MM`.
pub(super) fn is_in_month(content: &Expected, month: &str) -> Option<bool> {
    Some(content.published_at.as_deref().is_some_and(|at| at.starts_with(month)))
}

impl Content {
    pub(super) fn is_in(&self, month: &str) -> bool {
        self.published_at.as_deref().is_some_and(|at| at.starts_with(month))
    }
}
