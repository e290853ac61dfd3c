//! The data of each post that is kept between the two readings of a source. The rule: an entry needs one allocation, as long as its texts; a site of
//! a million posts has a million entries.

use tidings_model::{Instant, Language, Slug};

use super::jsonl::{id_of_origin, origin_of_id};

#[derive(Clone, PartialEq, Eq)]
pub struct Entry {
    /// The origin, followed by the slug unless the origin contains it, as most file paths do.
    text: Box<str>,
    origin_bytes: usize,
    slug_start: usize,
    body_bytes: u32,
    slug_bytes: u8,
    has_id_in_origin: bool,
    published_at: Option<Instant>,
    names: Option<Box<OtherNames>>,
}

/// The fields that few posts have.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OtherNames {
    id: Option<String>,
    former_slugs: Vec<Slug>,
    aliases: Vec<String>,
    language: Option<Language>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryFields {
    pub origin: String,
    pub id: Option<String>,
    pub slug: Slug,
    pub published_at: Option<Instant>,
    pub former_slugs: Vec<Slug>,
    pub aliases: Vec<String>,
    pub language: Option<Language>,
    pub body_bytes: usize,
}

impl Entry {
    pub fn new(fields: EntryFields) -> Self {
        let EntryFields { origin: mut text, id, slug, published_at, former_slugs, aliases, language, body_bytes } =
            fields;
        let origin_bytes = text.len();
        let has_id_in_origin = id.as_ref().is_some_and(|id| text == origin_of_id(id));
        let id = id.filter(|_| !has_id_in_origin);
        let slug_start = text.find(slug.as_str()).unwrap_or_else(|| {
            text.push_str(slug.as_str());
            text.len() - slug.as_str().len()
        });
        let has_names = id.is_some() || !former_slugs.is_empty() || !aliases.is_empty() || language.is_some();
        Self {
            text: text.into_boxed_str(),
            origin_bytes,
            slug_start,
            body_bytes: u32::try_from(body_bytes).unwrap_or(u32::MAX),
            slug_bytes: u8::try_from(slug.as_str().len()).expect("a slug has at most 200 bytes"),
            has_id_in_origin,
            published_at,
            names: has_names.then(|| Box::new(OtherNames { id, former_slugs, aliases, language })),
        }
    }

    /// Identifies the post in later imports: the path of a file below the import's root, separated by `/`; the address of a WordPress site with the
    /// post's number; `ghost:` and the post's UUID; `substack:`, `medium:`, `notion:` or `contentful:` and the id; or the origin in an export from
    /// Tidings, else `tidings:` and the id.
    pub fn origin(&self) -> &str {
        &self.text[..self.origin_bytes]
    }

    /// The id of a post from an export of Tidings.
    pub fn id(&self) -> Option<&str> {
        match self.has_id_in_origin {
            true => id_of_origin(self.origin()),
            false => self.names.as_ref()?.id.as_deref(),
        }
    }

    /// The preferred slug.
    pub fn slug(&self) -> Slug {
        self.slug_text().parse().expect("the text of a slug is a slug")
    }

    pub fn slug_text(&self) -> &str {
        &self.text[self.slug_start..self.slug_start + usize::from(self.slug_bytes)]
    }

    /// `None` for a draft.
    pub fn published_at(&self) -> Option<Instant> {
        self.published_at
    }

    /// From an export of Tidings.
    pub fn former_slugs(&self) -> &[Slug] {
        self.names.as_ref().map_or(&[], |names| &names.former_slugs)
    }

    /// Former slugs or paths of the post, as written in the source.
    pub fn aliases(&self) -> &[String] {
        self.names.as_ref().map_or(&[], |names| &names.aliases)
    }

    pub fn language(&self) -> Option<&Language> {
        self.names.as_ref()?.language.as_ref()
    }

    /// The length of the body, at most 4 GiB.
    pub fn body_bytes(&self) -> usize {
        self.body_bytes as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_returns_the_fields_that_it_was_made_of() {
        let slug = |text: &str| text.parse::<Slug>().expect("a slug");
        for (origin, id, own) in [
            ("2020/a-b.md", None, "a-b"),
            ("a.md", None, "other"),
            ("tidings:0123456789ab", Some("0123456789ab"), "c"),
            ("0123456789ab", Some("0123456789ab"), "c"),
            ("tidings:x", None, "x"),
        ] {
            let fields = EntryFields {
                origin: origin.to_owned(),
                id: id.map(str::to_owned),
                slug: slug(own),
                published_at: "2020-01-01T00:00:00Z".parse().ok(),
                former_slugs: vec![slug("old")],
                aliases: vec!["/old/".to_owned()],
                language: "pt-BR".parse().ok(),
                body_bytes: 7,
            };
            let entry = Entry::new(fields.clone());
            let read = EntryFields {
                origin: entry.origin().to_owned(),
                id: entry.id().map(str::to_owned),
                slug: entry.slug(),
                published_at: entry.published_at(),
                former_slugs: entry.former_slugs().to_vec(),
                aliases: entry.aliases().to_vec(),
                language: entry.language().cloned(),
                body_bytes: entry.body_bytes(),
            };
            assert_eq!(read, fields);
        }
    }
}
