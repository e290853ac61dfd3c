//! The snapshots of posts and terms in an intent: the fields that decide which rows they have. The rule: plain data; a damaged snapshot yields
//! `None`, never a default.

use serde::{Deserialize, Serialize};

use crate::keys::PostPlace;
use crate::model::{CreationId, CreationKey, Instant, Language, Post, PostId, Profile, Slug, Term, TermId, TermKind};

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
    /// Absent in an intent of an earlier version, and for a post without a language.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// Absent in an intent of an earlier version, and for a post that is not featured.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_featured: bool,
    /// Absent in an intent of an earlier version, and for a post that is in no series.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub series: Option<String>,
    /// Absent in an intent of an earlier version, and for a post that is in no index of declared fields.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub field_index: Vec<String>,
    /// Whether the change to this version replaces a text; a snapshot has no texts to compare. Absent in an intent of an earlier version.
    #[serde(default)]
    pub replaces_text: bool,
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
    /// Absent if it is empty, and in an intent of an earlier version.
    #[serde(default, skip_serializing_if = "Profile::is_empty")]
    profile: Profile,
    former_slugs: Vec<String>,
    /// Absent if it is empty, and in an intent of an earlier version.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    order: Vec<String>,
    /// Absent for a term that an earlier version created, and in an intent of an earlier version.
    #[serde(default)]
    creation: Option<String>,
    /// Absent for a term that was created without an idempotency key, and in an intent of an earlier version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    creation_key: Option<String>,
    /// Absent in an intent of an earlier version.
    #[serde(default = "first_version")]
    version: i32,
    /// Absent in an intent of an earlier version, and for a term without a parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
}

fn first_version() -> i32 {
    1
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
            language: post.language.as_ref().map(Language::to_string),
            is_featured: post.is_featured,
            series: post.series.as_ref().map(Slug::to_string),
            field_index: texts(&post.field_index),
            replaces_text: false,
        }
    }

    /// A post with the same row keys; its texts are empty, and it has no cover. `None` if the intent is damaged.
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
            series: self.series.as_ref().map(|slug| slug.parse()).transpose().ok()?,
            former_slugs: slugs(&self.former_slugs)?,
            cover: None,
            language: self.language.as_ref().map(|tag| tag.parse()).transpose().ok()?,
            is_featured: self.is_featured,
            field_index: slugs(&self.field_index)?,
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
            profile: term.profile.clone(),
            former_slugs: term.former_slugs.iter().map(Slug::to_string).collect(),
            order: term.order.iter().map(PostId::to_string).collect(),
            creation: term.creation.as_ref().and_then(CreationId::stored).map(ToOwned::to_owned),
            creation_key: term.creation_key.as_ref().map(CreationKey::to_string),
            version: term.version,
            parent: term.parent.as_ref().map(Slug::to_string),
        }
    }

    /// `None` if the intent is damaged.
    pub fn to_term(&self) -> Option<Term> {
        let id = TermId { kind: TermKind::of_noun(&self.kind)?, first_slug: self.first_slug.parse().ok()? };
        let former_slugs = self.former_slugs.iter().map(|slug| slug.parse().ok()).collect::<Option<_>>()?;
        let (name, description, url) = (self.name.clone(), self.description.clone(), self.url.clone());
        let profile = self.profile.clone();
        let (creation, version) = (CreationId::of_stored(self.creation.as_deref()).ok()?, self.version);
        let creation_key = self.creation_key.as_ref().map(|text| text.parse()).transpose().ok()?;
        let slug = self.slug.parse().ok()?;
        let parent = self.parent.as_ref().map(|slug| slug.parse()).transpose().ok()?;
        let creation = Some(creation);
        let order = self.order.iter().map(|id| id.parse().ok()).collect::<Option<_>>()?;
        Some(Term {
            id,
            creation,
            creation_key,
            version,
            slug,
            name,
            description,
            url,
            profile,
            former_slugs,
            parent,
            order,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_of_an_earlier_version_can_be_read_and_a_term_is_read_as_it_was_written() {
        let earlier = r#"{"kind":"tag","first_slug":"rust","slug":"crab","name":"Rust","description":null,"url":null,"former_slugs":["rust"]}"#;
        let term = serde_json::from_str::<TermSnapshot>(earlier).expect("a snapshot").to_term().expect("a term");
        assert_eq!((&term.creation, term.version), (&Some(CreationId::EARLIER), 1));
        let key = CreationKey::new([7; 32]);
        for (creation, creation_key) in [(CreationId::EARLIER, None), (CreationId::from_bits(7), Some(key))] {
            let parent = creation_key.is_some().then(|| term.slug.clone());
            let order = vec![PostId::from_bits(1), PostId::from_bits(2)];
            let term = Term { creation: Some(creation), creation_key, version: 3, parent, order, ..term.clone() };
            let written = serde_json::to_string(&TermSnapshot::of(&term)).expect("JSON");
            assert_eq!(serde_json::from_str::<TermSnapshot>(&written).expect("a snapshot").to_term(), Some(term));
        }
    }
}
