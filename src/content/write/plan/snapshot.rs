//! The snapshots of posts and terms in an intent: the fields that decide which rows they have. The rule: plain data; a damaged snapshot yields
//! `None`, never a default.

use serde::{Deserialize, Serialize};

use crate::keys::PostPlace;
use crate::model::{Instant, Post, Slug, Term, TermId, TermKind};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PostSnapshot {
    pub id: String,
    pub is_draft: bool,
    pub ticks: i64,
    pub slug: String,
    pub version: i32,
    pub former_slugs: Vec<String>,
    pub categories: Vec<String>,
    pub tags: Vec<String>,
    pub authors: Vec<String>,
    pub origin: Option<String>,
}

/// All fields of a term.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TermSnapshot {
    pub kind: String,
    pub first_slug: String,
    pub slug: String,
    name: String,
    description: Option<String>,
    url: Option<String>,
    former_slugs: Vec<String>,
}

impl PostSnapshot {
    pub fn of(post: &Post) -> Self {
        let texts = |slugs: &[Slug]| slugs.iter().map(Slug::to_string).collect();
        Self {
            id: post.id.to_string(),
            is_draft: post.published_at.is_none(),
            ticks: post.key().at.ticks(),
            slug: post.slug.to_string(),
            version: post.version,
            former_slugs: texts(&post.former_slugs),
            categories: texts(&post.categories),
            tags: texts(&post.tags),
            authors: texts(&post.authors),
            origin: post.origin.clone(),
        }
    }

    /// A post with the same row keys; its texts are empty. `None` if the intent is damaged.
    pub fn to_post(&self) -> Option<Post> {
        let slugs = |texts: &[String]| texts.iter().map(|text| text.parse().ok()).collect::<Option<Vec<Slug>>>();
        let at = Instant::from_ticks(self.ticks)?;
        Some(Post {
            id: self.id.parse().ok()?,
            slug: self.slug.parse().ok()?,
            title: String::new(),
            excerpt: String::new(),
            has_own_excerpt: false,
            version: self.version,
            created_at: at,
            updated_at: at,
            published_at: (!self.is_draft).then_some(at),
            authors: slugs(&self.authors)?,
            categories: slugs(&self.categories)?,
            tags: slugs(&self.tags)?,
            former_slugs: slugs(&self.former_slugs)?,
            origin: self.origin.clone(),
        })
    }

    pub fn place(&self) -> Option<PostPlace> {
        self.to_post().as_ref().map(PostPlace::of)
    }
}

impl TermSnapshot {
    pub fn of(term: &Term) -> Self {
        Self {
            kind: term.kind().noun().to_owned(),
            first_slug: term.id.first_slug.to_string(),
            slug: term.slug.to_string(),
            name: term.name.clone(),
            description: term.description.clone(),
            url: term.url.clone(),
            former_slugs: term.former_slugs.iter().map(Slug::to_string).collect(),
        }
    }

    /// `None` if the intent is damaged.
    pub fn to_term(&self) -> Option<Term> {
        let id = TermId { kind: TermKind::of_noun(&self.kind)?, first_slug: self.first_slug.parse().ok()? };
        let former_slugs = self.former_slugs.iter().map(|slug| slug.parse().ok()).collect::<Option<_>>()?;
        let (name, description, url) = (self.name.clone(), self.description.clone(), self.url.clone());
        Some(Term { id, slug: self.slug.parse().ok()?, name, description, url, former_slugs })
    }
}
