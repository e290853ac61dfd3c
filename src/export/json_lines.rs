//! The export as JSON Lines. The rule: it writes the records that `import::jsonl` defines and reads.

use std::collections::HashMap;
use std::io::Write;

use crate::content::Content;
use crate::import::ImportedCover;
use crate::import::jsonl::{Header, PageRecord, PostRecord, Record, Status, TermRecord, VERSION};
use crate::model::{AssetHash, PostStatus, Slug, Term, TermKind, WholePost, WholeSitePage};

use super::ExportError;
use super::series::SeriesPlaces;

/// The current slug of each term by its first slug, which is stored in the posts.
type Slugs = HashMap<(TermKind, Slug), Slug>;

/// How much an export has written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exported {
    pub posts: usize,
    pub pages: usize,
    /// Categories, tags, authors and series.
    pub terms: usize,
}

/// Writes a header, every term, page and post. Holds one page of rows in memory, and the terms.
///
/// # Errors
/// If the store cannot be read or `out` cannot be written.
pub async fn export(content: &Content, out: &mut impl Write) -> Result<Exported, ExportError> {
    write_line(out, &Header { tidings: VERSION })?;
    let (mut slugs, mut places, mut exported) = (Slugs::default(), SeriesPlaces::default(), Exported::default());
    for kind in TermKind::ALL {
        let terms = content.all_terms(kind).await?;
        slugs.extend(terms.iter().map(|term| ((kind, term.id.first_slug.clone()), term.slug.clone())));
        for term in terms {
            places.add(&term);
            write_line(out, &record_of_term(term, &slugs))?;
            exported.terms += 1;
        }
    }
    for id in content.site_page_ids().await? {
        // A page that was deleted meanwhile is not exported.
        if let Some(page) = content.stored_site_page(&id).await? {
            write_line(out, &Record::Page(Box::new(record_of_page(page))))?;
            exported.pages += 1;
        }
    }
    let mut walk = content.walk();
    while let Some(page) = walk.next().await? {
        for whole in page {
            write_line(out, &Record::Post(Box::new(record_of_post(content, (&slugs, &places), whole))))?;
            exported.posts += 1;
        }
    }
    Ok(exported)
}

pub(super) fn write_line(out: &mut impl Write, line: &impl serde::Serialize) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    out.write_all(b"\n")
}

fn record_of_term(term: Term, slugs: &Slugs) -> Record {
    let kind = term.kind();
    let parent = term.parent.clone().map(|first| slugs.get(&(kind, first.clone())).cloned().unwrap_or(first));
    let record = TermRecord {
        node_id: Some(term.node_id().to_string()),
        version: term.version,
        slug: term.slug,
        former_slugs: term.former_slugs,
        name: term.name,
        description: term.description,
        parent,
        url: term.url,
        avatar_id: term.profile.avatar,
        job_title: term.profile.job_title,
        links: term.profile.links,
    };
    match kind {
        TermKind::Category => Record::Category(record),
        TermKind::Tag => Record::Tag(record),
        TermKind::Author => Record::Author(record),
        TermKind::Series => Record::Series(record),
    }
}

fn record_of_page(whole: WholeSitePage) -> PageRecord {
    let post = whole.page.post;
    PageRecord {
        id: post.id.to_string(),
        path: whole.page.path,
        former_paths: whole.former_paths,
        title: post.title,
        subtitle: post.subtitle,
        excerpt: Some(post.excerpt).filter(|_| post.has_own_excerpt),
        markdown: whole.markdown.to_string(),
        metadata: Some(whole.metadata),
        cover_id: record_of_cover(post.cover),
        language: post.language.into(),
        translation_group: post.translation_group.map(|group| group.to_string()),
        order: whole.page.order,
        version: post.version,
        created_at: post.created_at,
        updated_at: post.updated_at,
        published_at: post.published_at,
        unpublish_at: post.unpublish_at,
        origin: post.origin,
    }
}

fn record_of_cover(cover: Option<AssetHash>) -> ImportedCover {
    cover.map_or(ImportedCover::None, ImportedCover::Asset)
}

fn record_of_post(content: &Content, (slugs, places): (&Slugs, &SeriesPlaces), whole: WholePost) -> PostRecord {
    let post = whole.post;
    let texts = |kind| {
        let now = |first: &Slug| slugs.get(&(kind, first.clone())).unwrap_or(first).to_string();
        post.terms(kind).iter().map(now).collect()
    };
    PostRecord {
        authors: texts(TermKind::Author),
        categories: texts(TermKind::Category),
        tags: texts(TermKind::Tag),
        series: Some(texts(TermKind::Series)),
        series_position: places.of(&post),
        status: match post.status(content.clock().now()) {
            PostStatus::Draft => Status::Draft,
            PostStatus::Scheduled => Status::Scheduled,
            PostStatus::Published => Status::Published,
        },
        id: post.id.to_string(),
        slug: post.slug,
        former_slugs: post.former_slugs,
        title: post.title,
        subtitle: post.subtitle,
        excerpt: Some(post.excerpt).filter(|_| post.has_own_excerpt),
        markdown: whole.markdown.to_string(),
        metadata: Some(whole.metadata),
        cover_id: record_of_cover(post.cover),
        enclosure: post.enclosure,
        language: post.language.into(),
        translation_group: post.translation_group.map(|group| group.to_string()),
        featured: Some(post.is_featured),
        version: post.version,
        created_at: post.created_at,
        updated_at: post.updated_at,
        published_at: post.published_at,
        unpublish_at: post.unpublish_at,
        origin: post.origin,
    }
}
