//! The inputs of mutations, and what `content` takes of them. The rule: what is left out, or null, stays as it is.

use async_graphql::{ID, InputObject};

use crate::content::commands::{NewPost, PostChanges};
use crate::content::editor::{NamedTerms, TermChanges};
use crate::graphql::scalars::DateTime;
use crate::model::Instant;

/// A new post.
#[derive(InputObject)]
pub struct CreatePostInput {
    /// Plain text, not empty.
    title: String,
    /// Made from the title where it is left out.
    slug: Option<String>,
    /// Plain text; made from the opening of the body where it is left out.
    excerpt: Option<String>,
    /// The text: CommonMark with GitHub's extensions.
    markdown: String,
    /// Slugs; they must exist.
    authors: Option<Vec<String>>,
    /// Slugs; they must exist.
    categories: Option<Vec<String>>,
    /// Slugs; a tag that does not exist is made.
    tags: Option<Vec<String>>,
    /// Publish at once, at this instant; left out: a draft.
    publish_at: Option<DateTime>,
    /// Makes it safe to send the same input again if an answer was lost: the same key with the same input, by the same caller within 24 hours,
    /// creates no second post and returns the first as it is now. Another input with the same key is INVALID. 1 to 255 printable ASCII characters,
    /// such as a UUID. Only a post that was created uses up a key.
    idempotency_key: Option<String>,
}

impl CreatePostInput {
    /// The key, the slug, the post and its terms.
    pub fn into_parts(self) -> (Option<String>, Option<String>, NewPost, NamedTerms) {
        let terms = NamedTerms { authors: self.authors, categories: self.categories, tags: self.tags };
        let new = NewPost {
            title: self.title,
            excerpt: self.excerpt,
            markdown: self.markdown,
            publish_at: self.publish_at.map(|at| at.0),
            ..NewPost::default()
        };
        (self.idempotency_key, self.slug, new, terms)
    }
}

/// Changes to a post. What is left out stays as it is.
#[derive(InputObject)]
pub struct UpdatePostInput {
    /// The post's id.
    id: ID,
    /// The version that the change was made on; where the post has moved on, userErrors says CONFLICT and nothing changes.
    version: i32,
    /// Plain text, not empty.
    title: Option<String>,
    /// The old one goes on leading to the post.
    slug: Option<String>,
    /// Plain text; an empty one is made from the body again.
    excerpt: Option<String>,
    /// The whole text.
    markdown: Option<String>,
    /// Slugs, all that the post is to have; they must exist.
    authors: Option<Vec<String>>,
    /// Slugs, all that the post is to have; they must exist.
    categories: Option<Vec<String>>,
    /// Slugs, all that the post is to have; a tag that does not exist is made.
    tags: Option<Vec<String>>,
}

impl UpdatePostInput {
    pub fn into_parts(self) -> (String, i32, Option<String>, PostChanges, NamedTerms) {
        let terms = NamedTerms { authors: self.authors, categories: self.categories, tags: self.tags };
        let changes =
            PostChanges { title: self.title, excerpt: self.excerpt, markdown: self.markdown, ..PostChanges::default() };
        (self.id.0, self.version, self.slug, changes, terms)
    }
}

/// When a post is published.
#[derive(InputObject)]
pub struct PublishPostInput {
    /// The post's id.
    id: ID,
    /// The version that the decision was made on.
    version: i32,
    /// Left out: now; a post that is published already keeps its instant.
    at: Option<DateTime>,
}

impl PublishPostInput {
    pub fn into_parts(self) -> (String, i32, Option<Instant>) {
        (self.id.0, self.version, self.at.map(|at| at.0))
    }
}

/// An earlier version of a post that is to be its text again.
#[derive(InputObject)]
pub struct RestoreRevisionInput {
    /// The post's id.
    id: ID,
    /// The version that the decision was made on; where the post has moved on, userErrors says CONFLICT and nothing changes.
    version: i32,
    /// The version to restore, as `revisions` tells it.
    revision: i32,
}

impl RestoreRevisionInput {
    pub fn into_parts(self) -> (String, i32, i32) {
        (self.id.0, self.version, self.revision)
    }
}

/// A post as it was when the decision was made.
#[derive(InputObject)]
pub struct VersionedPostInput {
    /// The post's id.
    id: ID,
    /// The version that the decision was made on.
    version: i32,
}

impl VersionedPostInput {
    pub fn into_parts(self) -> (String, i32) {
        (self.id.0, self.version)
    }
}

/// Made where the slug is new, changed where it stands; what is left out stays as it is.
#[derive(InputObject)]
pub struct SaveCategoryInput {
    /// Its name in addresses.
    slug: String,
    /// Another slug for it from now on; the old one goes on leading to it.
    new_slug: Option<String>,
    /// As it is shown; a new one is shown as its slug where this is left out.
    name: Option<String>,
    /// What it is about; plain text.
    description: Option<String>,
}

/// Made where the slug is new, changed where it stands; what is left out stays as it is.
#[derive(InputObject)]
pub struct SaveTagInput {
    /// Its name in addresses.
    slug: String,
    /// Another slug for it from now on; the old one goes on leading to it.
    new_slug: Option<String>,
    /// As it is shown; a new one is shown as its slug where this is left out.
    name: Option<String>,
    /// What it is about; plain text.
    description: Option<String>,
}

/// Made where the slug is new, changed where it stands; what is left out stays as it is.
#[derive(InputObject)]
pub struct SaveAuthorInput {
    /// The name in addresses.
    slug: String,
    /// Another slug for it from now on; the old one goes on leading to it.
    new_slug: Option<String>,
    /// As it is shown; a new one is shown as its slug where this is left out.
    name: Option<String>,
    /// About the author; plain text.
    bio: Option<String>,
    /// The author's own page elsewhere.
    url: Option<String>,
}

impl SaveCategoryInput {
    pub fn into_parts(self) -> (String, TermChanges) {
        (self.slug, TermChanges { name: self.name, description: self.description, url: None, new_slug: self.new_slug })
    }
}

impl SaveTagInput {
    pub fn into_parts(self) -> (String, TermChanges) {
        (self.slug, TermChanges { name: self.name, description: self.description, url: None, new_slug: self.new_slug })
    }
}

impl SaveAuthorInput {
    pub fn into_parts(self) -> (String, TermChanges) {
        (self.slug, TermChanges { name: self.name, description: self.bio, url: self.url, new_slug: self.new_slug })
    }
}

/// A category, tag or author, by its slug.
#[derive(InputObject)]
pub struct DeleteTermInput {
    /// The slug that it has now, or one that it had before.
    slug: String,
}

impl DeleteTermInput {
    pub fn into_slug(self) -> String {
        self.slug
    }
}
