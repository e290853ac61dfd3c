//! The data of each post that is kept between the two readings of a source. The rule: an entry is small, because a site of a million posts has a
//! million of them.

use compact_str::CompactString;
use tidings_model::{Instant, Language, Slug};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Identifies the post in later imports: the path of a file below the import's root, separated by `/`; the address of a WordPress site with the
    /// post's number; `ghost:` and the post's UUID; `substack:`, `medium:`, `notion:` or `contentful:` and the id; or the origin in an export from
    /// Tidings, else `tidings:` and the id.
    pub origin: CompactString,
    /// The id of a post from an export of Tidings.
    pub id: Option<CompactString>,
    /// The preferred slug.
    pub slug: Slug,
    /// `None` for a draft.
    pub published_at: Option<Instant>,
    /// Set only by an export of Tidings.
    pub former_slugs: Box<[Slug]>,
    /// Former slugs or paths of the post, as written in the source.
    pub aliases: Box<[String]>,
    pub language: Option<Language>,
    /// The length of the body.
    pub body_bytes: usize,
}
