//! The targets of links. The rule: everything that exists is a target, with its state for a reader, so that a link to a draft is not reported as
//! a link to nothing.

use std::collections::{HashMap, HashSet};

use crate::content::Content;
use crate::content::error::Result;
use crate::content::tables::Scan;
use crate::content::tables::rows::site_page as rows;
use crate::content::write::is_whole_page;
use crate::keys::Table;
use crate::model::{Instant, Slug, TermKind};

/// The publication state of a post or page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// The instant is not used for a page.
    Published(Instant),
    Scheduled,
    Draft,
}

/// All possible targets of links, except pictures.
#[derive(Debug, Default)]
pub(super) struct Targets {
    /// The states by current and former slugs.
    posts: HashMap<Slug, State>,
    /// The states by current and former paths.
    pages: HashMap<String, State>,
    /// Posts and pages by the file that they were imported from.
    files: HashMap<String, State>,
    /// The current and former slugs of categories, tags, authors and series.
    terms: [HashSet<Slug>; TermKind::ALL.len()],
}

impl Targets {
    /// Scans the tables of look-ups, pages and terms.
    pub(super) async fn read(content: &Content, now: Instant) -> Result<Self> {
        let mut targets = Self::default();
        let inventory = content.inventory().await?;
        let state = |published_at: Option<Instant>| match published_at {
            None => State::Draft,
            Some(at) if at > now => State::Scheduled,
            Some(at) => State::Published(at),
        };
        for (slug, id) in inventory.slugs {
            if let Some(post) = inventory.posts.get(&id) {
                targets.posts.insert(slug, state(post.published_at()));
            }
        }
        for post in inventory.posts.into_values() {
            let state = state(post.published_at());
            targets.files.extend(post.origin.map(|origin| (origin, state)));
        }
        targets.read_pages(content, now).await?;
        for kind in TermKind::ALL {
            let terms = content.all_terms(kind).await?;
            let slugs = terms.into_iter().flat_map(|term| term.former_slugs.into_iter().chain([term.slug]));
            targets.terms[kind as usize] = slugs.collect();
        }
        Ok(targets)
    }

    async fn read_pages(&mut self, content: &Content, now: Instant) -> Result<()> {
        let mut pages = Scan::of(&content.store, Table::Pages);
        while let Some(found) = pages.next().await? {
            for row in found.iter().filter(|row| is_whole_page(row)) {
                let page = rows::read_page(row)?;
                let state = match page.post.published_at {
                    Some(at) if page.is_public(now) => State::Published(at),
                    Some(_) => State::Scheduled,
                    None => State::Draft,
                };
                for former in rows::read_former_paths(row)? {
                    // The page that has the path now wins.
                    self.pages.entry(former.to_string()).or_insert(state);
                }
                self.pages.insert(page.path.to_string(), state);
                self.files.extend(page.post.origin.map(|origin| (origin, state)));
            }
        }
        Ok(())
    }

    pub(super) fn post(&self, slug: &str) -> Option<State> {
        self.posts.get(&slug.parse::<Slug>().ok()?).copied()
    }

    pub(super) fn page(&self, path: &str) -> Option<State> {
        self.pages.get(path).copied()
    }

    pub(super) fn file(&self, path: &str) -> Option<State> {
        self.files.get(path).copied()
    }

    pub(super) fn has_term(&self, kind: TermKind, slug: &str) -> bool {
        slug.parse::<Slug>().is_ok_and(|slug| self.terms[kind as usize].contains(&slug))
    }
}
