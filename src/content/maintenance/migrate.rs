//! Migrates a store of an earlier version when it is opened. The rule: a migration can be stopped anywhere and run again; a store of this version is
//! only read.
//!
//! Earlier versions stored a renamed term in the row of its current slug, to which the row of its first slug redirected; now the row of the first
//! slug holds the term. A repair corrects changes that an earlier version left unfinished, and their effects on lists and counts.

use std::collections::BTreeMap;

use crate::content::Content;
use crate::content::error::Result;
use crate::content::tables::rows::{RowFields, term as rows};
use crate::content::tables::scan_all;
use crate::content::write::{StoredIntent, intent};
use crate::keys::time::Direction;
use crate::keys::{Table, term};
use crate::model::{CreationId, Profile, Slug, Term, TermId, TermKind};
use crate::store::{Batch, Entity, Operation, Precondition, Properties};

use super::{RepairOptions, repair};

const FORWARD_TO: &str = "ForwardTo";
const PENDING_FROM: &str = "PendingFrom";
const NAME: &str = "Name";

/// What a migration has changed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Migrated {
    pub terms: usize,
    /// Differences that a repair has fixed after changes of an earlier version.
    pub repaired: usize,
}

impl Content {
    /// Migrates the store. On a store of this version it only scans three small tables and the intents.
    ///
    /// # Errors
    /// If the store fails, or a row is damaged.
    pub async fn migrate(&self) -> Result<Migrated> {
        let mut migrated = Migrated { terms: self.migrate_all_terms().await?, repaired: 0 };
        let intents = scan_all(&self.store, Table::Intents).await?;
        let now = self.clock.now();
        let is_left = |row: &Entity| {
            let is_old_format = row.properties.get(intent::FORMAT_NAME).is_none();
            let is_at_work = !self.is_alone() && intent::is_leased(row, now);
            is_old_format && !is_at_work && matches!(intent::read(row), Ok(StoredIntent::Foreign))
        };
        if migrated.terms > 0 || intents.iter().any(is_left) {
            let done = repair(self, RepairOptions::default(), |line| tracing::info!(line, "store.repaired"));
            migrated.repaired = done.await?.fixed;
            tracing::info!(terms = migrated.terms, repaired = migrated.repaired, "store.migrated");
        }
        Ok(migrated)
    }

    /// Migrates the terms of all kinds. Returns how many had rows of an earlier version.
    pub(in crate::content) async fn migrate_all_terms(&self) -> Result<usize> {
        let mut migrated = 0;
        for kind in TermKind::ALL {
            migrated += self.migrate_terms(kind).await?;
        }
        Ok(migrated)
    }

    async fn migrate_terms(&self, kind: TermKind) -> Result<usize> {
        let old = OldTerms::of(kind, scan_all(&self.store, Table::Terms(kind)).await?)?;
        let count = old.terms.len();
        for term in old.terms.values() {
            // The identity row is written first, because the others are valid only if it has their slugs.
            self.put(kind, &term.id.first_slug, &rows::identity(term), false).await?;
            for slug in [&term.slug].into_iter().chain(&term.former_slugs).filter(|slug| **slug != term.id.first_slug) {
                let is_current = *slug == term.slug;
                self.put(kind, slug, &rows::slug_row(&term.id.first_slug, is_current, ""), is_current).await?;
            }
        }
        for row in &old.dangling {
            let delete = Operation::Delete { row: row.key.row().to_owned(), precondition: Precondition::None };
            let batch = Batch::new(row.key.partition(), vec![delete])?;
            self.store.commit(Table::Terms(kind).name(), &batch).await?;
        }
        Ok(count + old.dangling.len())
    }

    async fn put(&self, kind: TermKind, slug: &Slug, properties: &Properties, has_mirror: bool) -> Result<()> {
        let put = |direction| Operation::Put {
            row: term::row(slug, direction),
            properties: properties.clone(),
            precondition: Precondition::None,
        };
        let mut operations = vec![put(Direction::Forward)];
        operations.extend(has_mirror.then(|| put(Direction::Backward)));
        self.store.commit(Table::Terms(kind).name(), &Batch::new(term::partition(slug), operations)?).await?;
        Ok(())
    }
}

/// The terms of one kind whose rows are those of an earlier version.
#[derive(Default)]
struct OldTerms {
    /// By their first slugs.
    terms: BTreeMap<Slug, Term>,
    /// Redirect rows without a term, and rows of a rename that was not made.
    dangling: Vec<Entity>,
}

impl OldTerms {
    fn of(kind: TermKind, found: Vec<Entity>) -> Result<Self> {
        let mut old = Self::default();
        let (mut redirects, mut pending) = (BTreeMap::new(), Vec::new());
        for row in found {
            let Some((slug, direction)) = term::parse_row(row.key.row()) else { continue };
            // Damaged rows are skipped; `check` reports them.
            if row.key.partition() != term::partition(&slug) || row.properties.get("Slug").is_some() {
                continue;
            }
            if row.properties.get(FORWARD_TO).is_some() {
                redirects.insert(slug, row);
            } else if row.properties.get(PENDING_FROM).is_some() {
                pending.push((slug, direction, row));
            } else if direction == Direction::Forward && row.properties.get(NAME).is_some() {
                let fields = RowFields(&row);
                let first_slug: Slug = fields.parsed("FirstSlug")?;
                if first_slug != slug {
                    old.terms.insert(first_slug.clone(), read(kind, &fields, slug, first_slug)?);
                }
            }
        }
        for (slug, direction, row) in pending {
            let fields = RowFields(&row);
            let from: Slug = fields.parsed(PENDING_FROM)?;
            let redirects_here = |row: &Entity| RowFields(row).parsed::<Slug>(FORWARD_TO).is_ok_and(|to| to == slug);
            match redirects.get(&from).is_some_and(redirects_here) {
                true if direction == Direction::Forward => {
                    let first_slug: Slug = fields.parsed("FirstSlug")?;
                    old.terms.insert(first_slug.clone(), read(kind, &fields, slug, first_slug)?);
                }
                true => {}
                false => old.dangling.push(row),
            }
        }
        for (slug, row) in redirects {
            let first_slug: Slug = RowFields(&row).parsed("FirstSlug")?;
            let is_known = old
                .terms
                .get(&first_slug)
                .is_some_and(|term| term.id.first_slug == slug || term.former_slugs.contains(&slug));
            if !is_known {
                old.dangling.push(row);
            }
        }
        Ok(old)
    }
}

fn read(kind: TermKind, fields: &RowFields<'_>, slug: Slug, first_slug: Slug) -> Result<Term> {
    Ok(Term {
        id: TermId { kind, first_slug },
        creation: Some(CreationId::EARLIER),
        creation_key: None,
        version: 1,
        slug,
        name: fields.text(NAME)?.to_string(),
        description: fields.optional_text("Description")?.map(ToString::to_string),
        url: fields.optional_text("Url")?.map(ToString::to_string),
        profile: Profile::default(),
        former_slugs: fields.slugs("FormerSlugs")?,
        parent: None,
        order: Vec::new(),
    })
}
