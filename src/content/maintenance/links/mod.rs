//! Finds the links of published posts and pages that point nowhere. The rule: links are checked as the site shows them: the addresses and ids of
//! the rendered body, against the posts, pages, terms, pictures and feeds that are published now. Links to other sites are not checked.
//!
//! The bodies are read page by page of rows and rendered on all cores, so the time is proportional to the content. The slugs and origins of all
//! posts ([`targets`]) are in memory, as for an import, and the bodies of one page of rows.

mod body;
mod resolve;
mod targets;

use std::collections::{HashMap, HashSet};
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use crate::content::Content;
use crate::content::error::Result;
use crate::content::tables::Scan;
use crate::content::tables::rows::site_page;
use crate::content::write::is_whole_page;
use crate::keys::{Table, asset};
use crate::model::site::SiteAddresses;
use crate::model::{AssetHash, BrokenLink, Instant, LinkSource, PostStatus, SitePage, WholePost, WholeSitePage};

use body::{BodyLinks, Source};
use resolve::{Judged, Resolver};
use targets::Targets;

/// The number of checked posts, pages and links.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LinkCounts {
    /// Published posts.
    pub posts: u64,
    /// Published pages.
    pub pages: u64,
    /// Links to this site; the same link in one body counts once.
    pub links: u64,
    pub broken: u64,
}

impl Content {
    /// Calls `report` for each link of a published post or page that points nowhere on this site: those of the pages first. Scans the content.
    ///
    /// # Errors
    /// If the store fails.
    pub async fn check_links(&self, addresses: &SiteAddresses, report: impl FnMut(BrokenLink)) -> Result<LinkCounts> {
        let now = self.clock().now();
        let targets = Targets::read(self, now).await?;
        let resolver = Arc::new(Resolver::new(addresses.clone(), targets));
        let mut checking = Checking { content: self, resolver, report, counts: LinkCounts::default() };
        let mut pages = Scan::of(&self.store, Table::Pages);
        while let Some(rows) = pages.next().await? {
            let mut sources = Vec::new();
            for row in rows.iter().filter(|row| is_whole_page(row)) {
                let whole = site_page::read_whole(row)?;
                sources.extend(whole.page.is_public(now).then(|| checking.of_page(whole)));
            }
            checking.counts.pages += sources.len() as u64;
            checking.check(sources).await?;
        }
        let mut posts = self.walk();
        while let Some(found) = posts.next().await? {
            let sources: Vec<Source> = found.into_iter().filter_map(|whole| checking.of_post(whole, now)).collect();
            checking.counts.posts += sources.len() as u64;
            checking.check(sources).await?;
        }
        Ok(checking.counts)
    }
}

struct Checking<'a, R> {
    content: &'a Content,
    resolver: Arc<Resolver>,
    report: R,
    counts: LinkCounts,
}

impl<R: FnMut(BrokenLink)> Checking<'_, R> {
    /// `None` if the post is not published.
    fn of_post(&self, whole: WholePost, now: Instant) -> Option<Source> {
        let WholePost { post, markdown, .. } = whole;
        let published_at = post.published_at.filter(|_| post.status(now) == PostStatus::Published)?;
        let path = self.resolver.paths().path_of_post(post.slug.as_str(), published_at.to_chrono());
        let enclosure = post.enclosure.filter(|enclosure| enclosure.asset().is_some()).map(|enclosure| enclosure.url);
        Some(Source { from: LinkSource::Post(post.slug.to_string()), path, origin: post.origin, markdown, enclosure })
    }

    fn of_page(&self, whole: WholeSitePage) -> Source {
        let WholeSitePage { page: SitePage { post, path, .. }, markdown, .. } = whole;
        let on_site = self.resolver.paths().path_of_page(&path);
        Source {
            from: LinkSource::Page(path.to_string()),
            path: on_site,
            origin: post.origin,
            markdown,
            enclosure: None,
        }
    }

    /// Checks some bodies on all cores, and looks up the pictures that they name.
    async fn check(&mut self, sources: Vec<Source>) -> Result<()> {
        let resolver = Arc::clone(&self.resolver);
        let judged = match tokio::task::spawn_blocking(move || links_of_all(&sources, &resolver)).await {
            Ok(judged) => judged,
            Err(panicked) => resume_unwind(panicked.into_panic()),
        };
        self.counts.links += judged.len() as u64;
        let pictures = self.missing_pictures(&judged).await?;
        for (from, link, judged) in judged {
            let reason = match judged {
                Judged::Found => continue,
                Judged::Picture(hash) if !pictures.contains(&hash) => continue,
                Judged::Picture(_) => "there is no picture or file with this name".to_owned(),
                Judged::Nowhere(reason) => reason,
            };
            self.counts.broken += 1;
            (self.report)(BrokenLink { from, link, reason });
        }
        Ok(())
    }

    /// The pictures that do not exist. Costs a point read for each different picture.
    async fn missing_pictures(&self, judged: &[(LinkSource, String, Judged)]) -> Result<HashSet<AssetHash>> {
        let named = judged.iter().filter_map(|(_, _, judged)| match judged {
            Judged::Picture(hash) => Some((hash, asset::asset(hash))),
            Judged::Found | Judged::Nowhere(_) => None,
        });
        let named: HashMap<_, _> = named.collect();
        let (hashes, keys): (Vec<_>, Vec<_>) = named.into_iter().unzip();
        let mut missing = HashSet::new();
        for (hashes, keys) in hashes.chunks(PICTURES_AT_ONCE).zip(keys.chunks(PICTURES_AT_ONCE)) {
            let found = self.content.store.get_many(Table::Assets.name(), keys).await;
            for (hash, row) in hashes.iter().zip(found) {
                if row?.is_none() {
                    missing.insert((*hash).clone());
                }
            }
        }
        Ok(missing)
    }
}

const PICTURES_AT_ONCE: usize = 100;

fn links_of_all(sources: &[Source], resolver: &Resolver) -> Vec<(LinkSource, String, Judged)> {
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let links_of_part = |part: &[Source]| part.iter().flat_map(|source| links_of(source, resolver)).collect::<Vec<_>>();
    thread::scope(|scope| {
        let parts = sources.chunks(sources.len().div_ceil(workers).max(1));
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || links_of_part(part))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

/// The links of a body to this site, each once.
fn links_of(source: &Source, resolver: &Resolver) -> Vec<(LinkSource, String, Judged)> {
    let BodyLinks { links, ids } = body::read(&source.markdown);
    let mut seen = HashSet::new();
    let links = links.into_iter().chain(source.enclosure.clone()).filter(|link| seen.insert(link.clone()));
    let judged = links.filter_map(|link| Some((resolver.judge(source, &link, &ids)?, link)));
    judged.map(|(judged, link)| (source.from.clone(), link, judged)).collect()
}
