//! The editors: each reads, decides on what it has read, and sends one mutation after the other with a token of its own. The rule: an editor has one
//! mutation under way at a time.

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tidings::model::TermKind;

use crate::support::random::Random;

use super::change::{Change, Fields, Named};
use super::client::Outcome;
use super::content::{FIELDS, Shown, index};
use super::import;
use super::scene::Scene;
use super::workload::{CONTESTED_SLUGS, INSTANTS, Part, SLUGS_PER_POST, Workload, own_slug};

/// The pause of an editor while a server is down.
const DOWN_PAUSE: Duration = Duration::from_millis(50);
const LIST: usize = 30;
/// Restored revisions are among this many newest ones.
const RECENT_REVISIONS: usize = 20;
const MOVING_POSTS_MAX: usize = 8;

pub(super) struct Editor {
    pub name: String,
    pub token: String,
    pub part: Part,
    pub workload: Workload,
    pub scene: Arc<Scene>,
    pub random: Random,
    /// Mutations so far.
    pub count: usize,
}

impl Editor {
    pub(super) async fn edit_on(mut self) {
        while !self.scene.is_over() {
            let server = self.random.below(self.scene.servers);
            let change = match self.part {
                Part::ChangeSharedPosts => self.change_shared_post(server).await,
                Part::ChangeTerms => Some(self.change_term()),
                Part::GiveTerms => self.give_terms(server).await,
                Part::MovePosts => self.move_post(server).await,
            };
            let Some(change) = change else {
                tokio::time::sleep(DOWN_PAUSE).await;
                continue;
            };
            self.count += 1;
            // Mostly the server from which it has read.
            let server = if self.random.chance(80) { server } else { self.random.below(self.scene.servers) };
            let outcome = self.scene.mutate(&self.name, &self.token, server, change).await;
            if matches!(outcome, Outcome::NotSent) {
                tokio::time::sleep(DOWN_PAUSE).await;
            }
        }
    }

    fn title(&self) -> String {
        format!("{} {}", self.name, self.count)
    }

    /// A post as the editor sees it now.
    async fn read_post(&self, server: usize, id: &str) -> Option<Shown> {
        let watch = self.scene.ledger().watch(server);
        let query = format!("{{ node(id: {id:?}) {{ id ... on Post {{ {FIELDS} }} }} }}");
        let data = self.scene.read(server, Some(&self.token), &query, &Value::Null).await?;
        let shown = Shown::of(&data["node"]);
        self.scene.ledger().examine_lookup(&watch, id, shown.as_ref(), false);
        shown
    }

    /// All posts as the lists of an editor show them.
    async fn read_lists(&self, server: usize) -> Option<Vec<Shown>> {
        let watch = self.scene.ledger().watch(server);
        let list = |name: &str| format!("{name}(first: {LIST}) {{ nodes {{ {FIELDS} }} }}");
        let query = format!("{{ {} {} {} }}", list("posts"), list("draftPosts"), list("scheduledPosts"));
        let data = self.scene.read(server, Some(&self.token), &query, &json!({})).await?;
        let lists = ["posts", "draftPosts", "scheduledPosts"].map(|name| Shown::all_of(&data[name]["nodes"])).concat();
        let mut ledger = self.scene.ledger();
        for shown in &lists {
            ledger.examine_shown(&watch, "a list of an editor", shown, false);
        }
        Some(lists.into_iter().filter(|shown| !shown.content.title.starts_with(import::TITLE)).collect())
    }

    async fn any_known_post(&mut self, server: usize) -> Option<Shown> {
        let ids: Vec<String> = {
            let ledger = self.scene.ledger();
            ledger.posts.iter().filter(|(_, tracked)| tracked.deleted.is_none()).map(|(id, _)| id.clone()).collect()
        };
        if ids.is_empty() {
            return None;
        }
        let id = self.random.pick(&ids).clone();
        self.read_post(server, &id).await
    }

    async fn change_shared_post(&mut self, server: usize) -> Option<Change> {
        let base = self.any_known_post(server).await?;
        Some(match self.random.below(100) {
            0..60 => self.give_other_terms(base),
            60..72 => self.retitle(base),
            72..85 => {
                // The post's own slugs contain the number in its first slug.
                let post = self.own_number(&base);
                let slug = match self.random.chance(10) {
                    true => (*self.random.pick(&CONTESTED_SLUGS)).to_owned(),
                    false => own_slug(post, self.random.below(SLUGS_PER_POST)),
                };
                Change::UpdatePost { base, fields: Fields { slug: Some(slug), ..Fields::default() } }
            }
            _ => self.restore(base),
        })
    }

    /// The number that the setup gave to a post.
    fn own_number(&self, base: &Shown) -> usize {
        let ledger = self.scene.ledger();
        let first = ledger.posts.get(&base.id).and_then(|tracked| tracked.versions.get(&1));
        let slug = first.map(|version| version.content.slug.as_str()).unwrap_or_default();
        slug.split('-').nth(1).and_then(|number| number.parse().ok()).unwrap_or_default()
    }

    fn retitle(&self, base: Shown) -> Change {
        Change::UpdatePost { base, fields: Fields { title: Some(self.title()), ..Fields::default() } }
    }

    /// Restores the text and terms of an acknowledged version.
    fn restore(&mut self, base: Shown) -> Change {
        let revisions: Vec<_> = {
            let ledger = self.scene.ledger();
            let versions = ledger.posts.get(&base.id).map(|tracked| tracked.versions.range(..base.version));
            let recent = versions.into_iter().flatten().rev().take(RECENT_REVISIONS);
            recent.map(|(revision, version)| (*revision, version.content.clone())).collect()
        };
        if revisions.is_empty() {
            return self.retitle(base);
        }
        let (revision, content) = self.random.pick(&revisions).clone();
        Change::RestoreRevision { base, revision, content }
    }

    /// Other terms of one kind, or of all; sometimes with another title.
    fn give_other_terms(&mut self, base: Shown) -> Change {
        let sent = self.scene.sent();
        let mut terms = Named { are_fixed: self.workload.has_fixed_terms(), ..Named::default() };
        for kind in TermKind::ALL {
            if self.random.chance(if kind == TermKind::Tag { 85 } else { 30 }) {
                terms.slugs[index(kind)] = Some(self.workload.any_terms(&mut self.random, kind, sent));
            }
        }
        let names_none = terms.slugs.iter().all(Option::is_none);
        let title = (names_none || self.random.chance(30)).then(|| self.title());
        Change::UpdatePost { base, fields: Fields { title, terms, ..Fields::default() } }
    }

    fn change_term(&mut self) -> Change {
        let (kind, slug) = self.workload.any_term(&mut self.random, 0);
        let name = self.title();
        match self.random.below(100) {
            0..25 => Change::SaveTerm { kind, slug, new_slug: None, name },
            25..60 => {
                let new_slug = Some(self.workload.any_slug(&mut self.random, kind, 0));
                Change::SaveTerm { kind, slug, new_slug, name }
            }
            _ => Change::DeleteTerm { kind, slug },
        }
    }

    async fn give_terms(&mut self, server: usize) -> Option<Change> {
        let base = self.any_known_post(server).await?;
        if self.random.chance(40) {
            return Some(self.take_terms_away(base));
        }
        Some(self.give_other_terms(base))
    }

    fn take_terms_away(&mut self, base: Shown) -> Change {
        let mut terms = Named::default();
        for kind in TermKind::ALL {
            if self.random.chance(60) {
                terms.slugs[index(kind)] = Some(Vec::new());
            }
        }
        let names_none = terms.slugs.iter().all(Option::is_none);
        let title = (names_none || self.random.chance(20)).then(|| self.title());
        Change::UpdatePost { base, fields: Fields { title, terms, ..Fields::default() } }
    }

    async fn move_post(&mut self, server: usize) -> Option<Change> {
        let posts = self.read_lists(server).await?;
        if posts.is_empty() || (posts.len() < MOVING_POSTS_MAX && self.random.chance(15)) {
            return Some(self.create());
        }
        let listed = self.random.pick(&posts).clone();
        let base = if self.random.chance(50) { listed } else { self.read_post(server, &listed.id).await? };
        Some(match self.random.below(100) {
            0..35 => Change::PublishPost { base, at: (*self.random.pick(&INSTANTS)).to_owned() },
            35..45 => {
                let publish_at = Some((*self.random.pick(&INSTANTS)).to_owned());
                Change::UpdatePost {
                    base,
                    fields: Fields { title: Some(self.title()), publish_at, ..Fields::default() },
                }
            }
            45..55 => Change::UnpublishPost { base },
            55..70 => {
                let slug = Some(self.workload.any_post_slug(&mut self.random));
                Change::UpdatePost { base, fields: Fields { slug, ..Fields::default() } }
            }
            70..82 => self.give_other_terms(base),
            82..90 => self.restore(base),
            _ => Change::DeletePost { base },
        })
    }

    fn create(&mut self) -> Change {
        let sent = self.scene.sent();
        let mut terms = Named { are_fixed: true, ..Named::default() };
        for kind in TermKind::ALL {
            terms.slugs[index(kind)] = Some(self.workload.any_terms(&mut self.random, kind, sent));
        }
        let publish_at = self.random.chance(70).then(|| (*self.random.pick(&INSTANTS)).to_owned());
        let slug = self.workload.any_post_slug(&mut self.random);
        Change::CreatePost { slug, title: self.title(), publish_at, terms }
    }
}
