//! The records of all content, as `import::jsonl` defines them. The rule: every export consists of these records, so all exports have the same content.

use std::collections::HashMap;

use crate::content::maintenance::InventoryWalk;
use crate::content::{Content, Result};
use crate::import::ImportedCover;
use crate::import::jsonl::{PageRecord, PostRecord, Record, Status, TermRecord};
use crate::model::{Post, PostId, PostStatus, Slug, Term, TermKind, WholePost, WholeSitePage};

/// The records: first the terms, then the pages, then the posts. In memory are one page of rows, and the terms.
pub(super) struct Records<'a> {
    content: &'a Content,
    terms: std::vec::IntoIter<Term>,
    pages: std::vec::IntoIter<PostId>,
    walk: InventoryWalk,
    posts: std::vec::IntoIter<WholePost>,
    /// The current slug of each term by its first slug, which is stored in the posts.
    slugs: HashMap<(TermKind, Slug), Slug>,
    /// The positions, from 1 on, of the ordered posts of a series, by its first slug.
    places: HashMap<(Slug, PostId), i32>,
}

impl<'a> Records<'a> {
    pub(super) async fn of(content: &'a Content) -> Result<Self> {
        let (mut terms, mut slugs, mut places) = (Vec::new(), HashMap::new(), HashMap::new());
        for kind in TermKind::ALL {
            terms.extend(content.all_terms(kind).await?);
        }
        for Term { id, slug, order, .. } in &terms {
            slugs.insert((id.kind, id.first_slug.clone()), slug.clone());
            places.extend(order.iter().zip(1..).map(|(post, place)| ((id.first_slug.clone(), post.clone()), place)));
        }
        let (terms, pages) = (terms.into_iter(), content.site_page_ids().await?.into_iter());
        Ok(Self { content, terms, pages, walk: content.walk(), posts: Vec::new().into_iter(), slugs, places })
    }

    pub(super) async fn next(&mut self) -> Result<Option<Record>> {
        if let Some(term) = self.terms.next() {
            return Ok(Some(self.of_term(term)));
        }
        for id in self.pages.by_ref() {
            // A page that was deleted meanwhile is not exported.
            if let Some(page) = self.content.stored_site_page(&id).await? {
                return Ok(Some(Record::Page(Box::new(of_page(page)))));
            }
        }
        loop {
            if let Some(whole) = self.posts.next() {
                return Ok(Some(Record::Post(Box::new(self.of_post(whole)))));
            }
            match self.walk.next().await? {
                Some(posts) => self.posts = posts.into_iter(),
                None => return Ok(None),
            }
        }
    }

    fn slug(&self, kind: TermKind, first: &Slug) -> Slug {
        self.slugs.get(&(kind, first.clone())).unwrap_or(first).clone()
    }

    fn of_term(&self, term: Term) -> Record {
        let kind = term.kind();
        let record = TermRecord {
            node_id: Some(term.node_id().to_string()),
            version: term.version,
            slug: term.slug,
            former_slugs: term.former_slugs,
            name: term.name,
            description: term.description,
            parent: term.parent.map(|first| self.slug(kind, &first)),
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

    fn of_post(&self, whole: WholePost) -> PostRecord {
        let post = whole.post;
        let texts = |kind| post.terms(kind).iter().map(|first| self.slug(kind, first).to_string()).collect();
        PostRecord {
            authors: texts(TermKind::Author),
            categories: texts(TermKind::Category),
            tags: texts(TermKind::Tag),
            series: Some(texts(TermKind::Series)),
            series_position: self.place_in_series(&post),
            status: match post.status(self.content.clock().now()) {
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
            cover_id: post.cover.map_or(ImportedCover::None, ImportedCover::Asset),
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

    fn place_in_series(&self, post: &Post) -> Option<i32> {
        self.places.get(&(post.series.clone()?, post.id.clone())).copied()
    }
}

fn of_page(whole: WholeSitePage) -> PageRecord {
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
        cover_id: post.cover.map_or(ImportedCover::None, ImportedCover::Asset),
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
