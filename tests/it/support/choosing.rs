//! Random commands as editors send them: most make sense, some are based on an old version or ask for a taken slug. The rule: they depend on the seed
//! and on the replies, and on nothing else.

use tidings::model::Instant;

use super::model::{Command, Fields, LANGUAGES, Model};
use super::random::Random;

/// Few, so that lists and counts are shared and become empty.
const TAGS: [&str; 5] = ["a", "b", "c", "rust", "sea"];
/// In a few months, one of them in the future; two are the same instant.
const INSTANTS: [&str; 7] = [
    "2026-05-01T00:00:00Z",
    "2026-05-01T00:00:00Z",
    "2026-05-20T10:00:00.001Z",
    "2026-04-30T23:59:59.999Z",
    "2025-12-31T00:00:00Z",
    "2026-06-01T00:00:00Z",
    "2099-01-01T00:00:00Z",
];
/// More posts than slugs would be useless; more of either only makes the tests slower.
const POSTS_MAX: usize = 8;
const SLUGS: usize = 12;

/// Makes commands for posts whose slugs begin with `prefix`: the posts of one client, or all posts if it is empty.
pub struct Chooser {
    random: Random,
    prefix: String,
    asked: usize,
}

impl Chooser {
    pub fn new(random: Random, prefix: impl Into<String>) -> Self {
        Self { random, prefix: prefix.into(), asked: 0 }
    }

    pub fn next(&mut self, model: &Model) -> Command {
        self.asked += 1;
        if model.posts.is_empty() || (model.posts.len() < POSTS_MAX && self.random.chance(20)) {
            return self.create();
        }
        let posts: Vec<_> = model.posts.iter().collect();
        let (id, post) = *self.random.pick(&posts);
        let is_late = self.random.chance(6);
        let (id, version) = (id.clone(), post.version - i32::from(is_late));
        let delete_percent = if posts.len() >= POSTS_MAX { 25 } else { 8 };
        match self.random.below(100) {
            percent if percent < delete_percent => Command::Delete { id, version },
            percent if percent < 45 => Command::Publish { id, version, at: self.instant() },
            percent if percent < 52 => Command::Unpublish { id, version },
            percent if percent < 56 => Command::SaveTag { slug: self.tag(), name: format!("Tag {}", self.asked) },
            _ => Command::Update { id, version, changes: self.fields() },
        }
    }

    fn create(&mut self) -> Command {
        let publish_at = if self.random.chance(70) { Some(self.instant()) } else { None };
        let title = format!("Made at {}", self.asked);
        Command::Create { slug: self.slug(), title, tags: self.tags(), publish_at }
    }

    fn fields(&mut self) -> Fields {
        let mut fields = Fields::default();
        if self.random.chance(25) {
            fields.slug = Some(self.slug());
        }
        if self.random.chance(50) {
            fields.tags = Some(self.tags());
        }
        if self.random.chance(30) {
            fields.title = Some(format!("Changed at {}", self.asked));
        }
        if self.random.chance(30) {
            let times = if self.random.chance(10) { 3_000 } else { 1 };
            fields.markdown = Some(format!("Text {}.\n\n", self.asked).repeat(times));
        }
        if self.random.chance(30) {
            let asked = self.asked;
            let some = format!("{{\"asked\":{asked},\"cover\":{{\"image\":\"a.png\"}},\"rating\":{}}}", asked % 3);
            fields.metadata = Some(if self.random.chance(30) { "{}".to_owned() } else { some });
        }
        if self.random.chance(25) {
            fields.language = Some((*self.random.pick(&LANGUAGES)).to_owned());
        }
        if self.random.chance(25) {
            fields.is_featured = Some(self.random.chance(50));
        }
        if self.random.chance(15) {
            fields.publish_at = Some(self.instant());
        }
        fields
    }

    fn slug(&mut self) -> String {
        format!("{}post-{}", self.prefix, self.random.below(SLUGS))
    }

    fn tag(&mut self) -> String {
        (*self.random.pick(&TAGS)).to_owned()
    }

    /// In any order, each once.
    fn tags(&mut self) -> Vec<String> {
        let mut tags: Vec<String> = Vec::new();
        for _ in 0..self.random.below(4) {
            let tag = self.tag();
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        tags
    }

    fn instant(&mut self) -> Instant {
        self.random.instant(&INSTANTS)
    }
}
