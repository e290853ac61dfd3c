//! Rows of `Categories`, `Tags` and `Authors`. The rule: a slug that a term once had keeps a row, which leads to the term.

use crate::keys::term as keys;
use crate::model::{Slug, Term, TermId, TermKind};
use crate::store::{Entity, Properties, StoreError, Value};

use super::{Fields, NewRow};

const PENDING_FROM: &str = "PendingFrom";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TermRow {
    Term(Term),
    /// The slug that the term has now, and the first that it had.
    ForwardTo {
        slug: Slug,
        first_slug: Slug,
    },
    /// The term as it is to be once the row of its old slug leads here.
    PendingFrom {
        term: Term,
        old: Slug,
    },
}

impl TermRow {
    /// What posts bear and index partitions are named by, whatever the term is called now.
    pub fn first_slug(&self) -> &Slug {
        match self {
            Self::Term(term) | Self::PendingFrom { term, .. } => &term.id.first_slug,
            Self::ForwardTo { first_slug, .. } => first_slug,
        }
    }
}

pub fn row(term: &Term) -> Properties {
    NewRow::default()
        .text("FirstSlug", &term.id.first_slug)
        .text("Name", &term.name)
        .optional_text("Description", term.description.as_deref())
        .optional_text("Url", term.url.as_deref())
        .slugs("FormerSlugs", &term.former_slugs)
        .build()
}

pub fn pending(term: &Term, old: &Slug) -> Properties {
    let mut properties = row(term);
    properties.set(PENDING_FROM, Value::String(old.as_str().into()));
    properties
}

/// Of a slug that the term no longer has.
pub fn forward(term: &Term) -> Properties {
    NewRow::default().text("ForwardTo", &term.slug).text("FirstSlug", &term.id.first_slug).build()
}

pub fn read(kind: TermKind, row: &Entity) -> Result<TermRow, StoreError> {
    let fields = Fields(row);
    let first_slug = fields.parsed("FirstSlug")?;
    if fields.optional_text("ForwardTo")?.is_some() {
        return Ok(TermRow::ForwardTo { slug: fields.parsed("ForwardTo")?, first_slug });
    }
    let (slug, _) = keys::parse_row(row.key.row()).ok_or_else(|| fields.damaged("RowKey"))?;
    let term = Term {
        id: TermId { kind, first_slug },
        slug,
        name: fields.text("Name")?.to_string(),
        description: fields.optional_text("Description")?.map(ToString::to_string),
        url: fields.optional_text("Url")?.map(ToString::to_string),
        former_slugs: fields.slugs("FormerSlugs")?,
    };
    Ok(match fields.optional_text(PENDING_FROM)? {
        Some(_) => TermRow::PendingFrom { term, old: fields.parsed(PENDING_FROM)? },
        None => TermRow::Term(term),
    })
}
