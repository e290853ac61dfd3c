//! A post: [`Post`] for lists, [`PostDetails`] with its body and metadata, [`WholePost`] has both. The rule: lists read posts without their details.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use compact_str::CompactString;

use super::actor_snapshot::ActorSnapshot;
use super::asset::AssetHash;
use super::enclosure::Enclosure;
use super::instant::{Instant, Month};
use super::language::Language;
use super::metadata::Metadata;
use super::slug::Slug;
use super::term::TermKind;

/// The maximum number of terms of one kind on a post. Each is a row in an index, and a read if a query requests it.
pub const TERMS_MAX: usize = 100;

/// The maximum number of posts in the order of a series: one row, and each answer that changes it, contains all of them.
pub const ORDERED_POSTS_MAX: usize = 500;

/// The maximum number of versions of a post that are kept in addition to the current one.
pub const REVISIONS_MAX: i32 = 100;

/// Characters of a post id. The length is fixed so that the mirror key can contain the inverted id; 36^12 is 4.7e18 ids.
pub const POST_ID_CHARS: usize = 12;

/// The id of a post, which is never reused: 12 characters of `[0-9a-z]`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PostId(CompactString);

impl PostId {
    /// An id from random bits.
    pub fn from_bits(bits: u64) -> Self {
        let mut rest = bits;
        let digits: String = (0..POST_ID_CHARS)
            .map(|_| {
                let digit = char::from_digit((rest % 36) as u32, 36).expect("a digit below 36");
                rest /= 36;
                digit
            })
            .collect();
        Self(digits.into())
    }

    /// The bits from which [`from_bits`](Self::from_bits) makes the same id.
    pub fn bits(&self) -> u64 {
        self.0.chars().rev().filter_map(|digit| digit.to_digit(36)).fold(0, |bits, digit| bits * 36 + u64::from(digit))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl PostId {
    fn first() -> Self {
        Self("0".repeat(POST_ID_CHARS).into())
    }

    fn last() -> Self {
        Self("z".repeat(POST_ID_CHARS).into())
    }

    /// `None` after the last id.
    fn next(&self) -> Option<Self> {
        self.step(|digit| digit.checked_add(1).filter(|d| *d < 36), '0')
    }

    /// `None` before the first id.
    fn previous(&self) -> Option<Self> {
        self.step(|digit| digit.checked_sub(1), 'z')
    }

    /// Counts by one in base 36. If `step` returns `None`, the digit becomes `wrapped` and the next digit is counted.
    fn step(&self, step: impl Fn(u32) -> Option<u32>, wrapped: char) -> Option<Self> {
        let mut digits: Vec<char> = self.0.chars().collect();
        for digit in digits.iter_mut().rev() {
            match digit.to_digit(36).and_then(&step).and_then(|d| char::from_digit(d, 36)) {
                Some(stepped) => {
                    *digit = stepped;
                    return Some(Self(digits.into_iter().collect::<String>().into()));
                }
                None => *digit = wrapped,
            }
        }
        None
    }
}

/// The id of a term's creation: no two terms have the same one, even if one is deleted and another is created under its first slug.
pub type CreationId = PostId;

/// The id of a group: posts, or pages, that are one content in several languages.
pub type TranslationGroup = PostId;

/// The maximum number of posts or pages of a group.
pub const TRANSLATIONS_MAX: usize = 50;

/// Why a post or page cannot be in a group of translations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BadTranslation {
    #[error("another translation of this content has the same language; each needs a language of its own")]
    Language,
    #[error("a content has at most {TRANSLATIONS_MAX} translations")]
    TooMany,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a post id: 12 characters of 0-9 and a-z")]
pub struct BadPostId(pub String);

impl FromStr for PostId {
    type Err = BadPostId;

    fn from_str(text: &str) -> Result<Self, BadPostId> {
        let fits = text.len() == POST_ID_CHARS && text.bytes().all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
        if fits { Ok(Self(text.into())) } else { Err(BadPostId(text.chars().take(64).collect())) }
    }
}

impl fmt::Display for PostId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The position of a post in the order of all lists: newest first, ties by ascending id.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PostKey {
    /// The time of publication; for a draft, of creation.
    pub at: Instant,
    pub id: PostId,
}

impl PostKey {
    pub fn month(&self) -> Month {
        self.at.month()
    }

    /// The position directly after this one; `None` after the last of all.
    pub fn next(&self) -> Option<Self> {
        match self.id.next() {
            Some(id) => Some(Self { at: self.at, id }),
            None => Some(Self { at: self.at.previous()?, id: PostId::first() }),
        }
    }

    /// The position directly before this one; `None` before the first of all.
    pub fn previous(&self) -> Option<Self> {
        match self.id.previous() {
            Some(id) => Some(Self { at: self.at, id }),
            None => Some(Self { at: self.at.next()?, id: PostId::last() }),
        }
    }
}

impl Ord for PostKey {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        other.at.cmp(&self.at).then_with(|| self.id.cmp(&other.id))
    }
}

impl PartialOrd for PostKey {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PostStatus {
    Draft,
    Scheduled,
    Published,
}

/// A post without its body and its metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    pub id: PostId,
    pub slug: Slug,
    pub title: String,
    /// A line below the title.
    pub subtitle: Option<String>,
    /// The author's own text, or else the beginning of the body.
    pub excerpt: String,
    /// Whether the author wrote the excerpt.
    pub has_own_excerpt: bool,
    /// 1 for a new post; each change increments it.
    pub version: i32,
    pub created_at: Instant,
    pub updated_at: Instant,
    /// `None` for a draft.
    pub published_at: Option<Instant>,
    /// The instant at which it becomes a draft again, later than `published_at`; `None` for a draft.
    pub unpublish_at: Option<Instant>,
    /// In the author's order, without duplicates, as are categories and tags.
    pub authors: Vec<Slug>,
    pub categories: Vec<Slug>,
    pub tags: Vec<Slug>,
    pub series: Option<Slug>,
    /// Its translations have the same; `None` if it has never had one.
    pub translation_group: Option<TranslationGroup>,
    /// Former slugs that redirect to this post, oldest first.
    pub former_slugs: Vec<Slug>,
    /// The picture that represents the post. Deleting the picture does not change this field; readers then see no cover.
    pub cover: Option<AssetHash>,
    pub enclosure: Option<Enclosure>,
    /// The language of its text; `None` for that of the site.
    pub language: Option<Language>,
    /// Whether the site shows it first or highlighted.
    pub is_featured: bool,
    /// The partitions of the index of declared fields that contain the post while it is published or scheduled, sorted. Each write computes them from
    /// the metadata.
    pub field_index: Vec<Slug>,
    /// The source of an imported post, such as a path below the imported folder, by which the next import recognizes the post.
    pub origin: Option<String>,
}

/// A field of a post or page that a change can change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContentField {
    Title,
    Slug,
    Subtitle,
    Excerpt,
    Body,
    Metadata,
    Cover,
    Enclosure,
    Language,
    Featured,
    Authors,
    Categories,
    Tags,
    Series,
    Translations,
    PublishedAt,
    UnpublishAt,
}

impl ContentField {
    /// Whether it is neither a slug nor a term nor an instant.
    pub fn is_text(self) -> bool {
        use ContentField::{Authors, Categories, PublishedAt, Series, Slug, Tags, UnpublishAt};
        !matches!(self, Slug | Authors | Categories | Tags | Series | PublishedAt | UnpublishAt)
    }
}

impl Post {
    /// A draft without a text, before its first version.
    pub fn new(id: PostId, slug: Slug, created_at: Instant) -> Self {
        Self {
            id,
            slug,
            title: String::new(),
            subtitle: None,
            excerpt: String::new(),
            has_own_excerpt: false,
            version: 0,
            created_at,
            updated_at: created_at,
            published_at: None,
            unpublish_at: None,
            authors: Vec::new(),
            categories: Vec::new(),
            tags: Vec::new(),
            series: None,
            translation_group: None,
            former_slugs: Vec::new(),
            cover: None,
            enclosure: None,
            language: None,
            is_featured: false,
            field_index: Vec::new(),
            origin: None,
        }
    }

    /// The fields in which it differs from an earlier version.
    pub fn changed_since(&self, old: &Self) -> impl Iterator<Item = ContentField> {
        let fields = [
            (ContentField::Title, self.title != old.title),
            (ContentField::Slug, self.slug != old.slug),
            (ContentField::Subtitle, self.subtitle != old.subtitle),
            (ContentField::Excerpt, (&self.excerpt, self.has_own_excerpt) != (&old.excerpt, old.has_own_excerpt)),
            (ContentField::Cover, self.cover != old.cover),
            (ContentField::Enclosure, self.enclosure != old.enclosure),
            (ContentField::Language, self.language != old.language),
            (ContentField::Featured, self.is_featured != old.is_featured),
            (ContentField::Authors, self.authors != old.authors),
            (ContentField::Categories, self.categories != old.categories),
            (ContentField::Tags, self.tags != old.tags),
            (ContentField::Series, self.series != old.series),
            (ContentField::Translations, self.translation_group != old.translation_group),
            (ContentField::PublishedAt, self.published_at != old.published_at),
            (ContentField::UnpublishAt, self.unpublish_at != old.unpublish_at),
        ];
        fields.into_iter().filter_map(|(field, differs)| differs.then_some(field))
    }

    pub fn key(&self) -> PostKey {
        PostKey { at: self.published_at.unwrap_or(self.created_at), id: self.id.clone() }
    }

    pub fn status(&self, now: Instant) -> PostStatus {
        match self.published_at {
            None => PostStatus::Draft,
            Some(at) if at > now => PostStatus::Scheduled,
            Some(_) => PostStatus::Published,
        }
    }

    pub fn terms(&self, kind: TermKind) -> &[Slug] {
        match kind {
            TermKind::Category => &self.categories,
            TermKind::Tag => &self.tags,
            TermKind::Author => &self.authors,
            TermKind::Series => self.series.as_slice(),
        }
    }

    pub fn has_term(&self, kind: TermKind, slug: &Slug) -> bool {
        self.terms(kind).contains(slug)
    }

    /// Puts a term in the place of another one, which the post loses if it has both.
    pub fn replace_term(&mut self, kind: TermKind, from: &Slug, into: &Slug) {
        let terms = match kind {
            TermKind::Category => &mut self.categories,
            TermKind::Tag => &mut self.tags,
            TermKind::Author => &mut self.authors,
            TermKind::Series => {
                self.series = self.series.take().map(|series| if series == *from { into.clone() } else { series });
                return;
            }
        };
        let has_both = terms.contains(into);
        match terms.iter().position(|slug| slug == from) {
            Some(place) if has_both => drop(terms.remove(place)),
            Some(place) => terms[place] = into.clone(),
            None => {}
        }
    }

    /// Whether the post has the slug, now or formerly.
    pub fn has_slug(&self, slug: &Slug) -> bool {
        self.slug == *slug || self.former_slugs.contains(slug)
    }
}

/// The parts of a post that no list reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostDetails {
    /// See [`WholePost::markdown`].
    pub markdown: Arc<str>,
    pub metadata: Metadata,
}

/// A post with its body, as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WholePost {
    pub post: Post,
    /// The Markdown source, exactly as it was written.
    pub markdown: Arc<str>,
    pub metadata: Metadata,
    /// The creator of this version.
    pub changed_by: Option<ActorSnapshot>,
}

impl PostDetails {
    pub fn bytes(&self) -> usize {
        self.markdown.len() + self.metadata.shared_text().map_or(0, |text| text.len())
    }
}

impl WholePost {
    /// The fields in which it differs from an earlier version.
    pub fn changed_since(&self, old: &Self) -> Vec<ContentField> {
        let body = (self.markdown != old.markdown).then_some(ContentField::Body);
        let metadata = (self.metadata != old.metadata).then_some(ContentField::Metadata);
        let mut fields: Vec<_> = self.post.changed_since(&old.post).chain(body).chain(metadata).collect();
        fields.sort_unstable();
        fields
    }

    pub fn details(&self) -> PostDetails {
        PostDetails { markdown: Arc::clone(&self.markdown), metadata: self.metadata.clone() }
    }

    pub fn into_parts(self) -> (Arc<Post>, PostDetails) {
        (Arc::new(self.post), PostDetails { markdown: self.markdown, metadata: self.metadata })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_posts_sort_first_and_ties_by_id() {
        let key = |ticks, bits| PostKey { at: Instant::from_ticks(ticks).expect("valid"), id: PostId::from_bits(bits) };
        let mut keys = vec![key(1, 1), key(2, 2), key(2, 1)];
        keys.sort();
        assert_eq!(keys, [key(2, 1), key(2, 2), key(1, 1)]);
    }

    #[test]
    fn an_id_has_twelve_characters_for_any_bits() {
        for bits in [0, 35, u64::MAX] {
            assert!(PostId::from_bits(bits).as_str().parse::<PostId>().is_ok());
        }
    }
}
