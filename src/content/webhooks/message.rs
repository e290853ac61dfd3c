//! Selects the changes of a webhook, and writes its messages. The rule: a message names the changed objects but not their new content, so it cannot be outdated
//! and reveals nothing that is not public; a message has the same id and body at each attempt.

use serde_json::{Value, json};

use crate::content::Content;
use crate::content::access::secret;
use crate::content::error::Result;
use crate::content::read::{ContentEvent, DeliveredEvent, KIND_OF_PAGES};
use crate::keys::{Table, tag, term};
use crate::model::{IndexKind, Instant, Language, Slug, TermKind, WebhookId};
use crate::store::Tag;

use super::{Message, Webhook, WebhookFilter};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The terms and languages of a filter, by which a change is matched.
pub(super) struct Wanted<'f> {
    filter: &'f WebhookFilter,
    lists: Vec<WantedList>,
}

/// The terms of one kind, or the languages.
struct WantedList {
    kind: Option<TermKind>,
    first_slugs: Vec<Slug>,
    /// The tags of the posts' lists: a change of a post has the tags of its lists before and after the change.
    tags: Vec<String>,
}

impl WantedList {
    fn of(kind: Option<TermKind>, first_slugs: Vec<Slug>) -> Self {
        let index = Table::PostsBy(kind.map_or(IndexKind::Language, IndexKind::Term));
        let tag_of = |slug: &Slug| tag::of_read(index.name(), &term::posts_partition(slug), None);
        let tags = first_slugs.iter().filter_map(tag_of).map(|tag| tag.to_string()).collect();
        Self { kind, first_slugs, tags }
    }

    fn has(&self, event: &ContentEvent) -> bool {
        let is_named = self.kind.is_some_and(|kind| kind.noun() == event.item.kind)
            && self.first_slugs.iter().any(|slug| slug.as_str() == event.item.id);
        // A change with too many tags has only the tag of everything.
        let everything = Tag::ALL.to_string();
        is_named || event.tags.iter().any(|tag| *tag == everything || self.tags.contains(tag))
    }
}

impl Content {
    /// Reads only the terms whose first slugs are unknown.
    pub(super) async fn wanted<'f>(&self, filter: &'f WebhookFilter) -> Result<Wanted<'f>> {
        let (reader, mut lists) = (self.reader(), Vec::new());
        for (kind, slugs) in filter.terms() {
            let mut first_slugs = Vec::with_capacity(slugs.len());
            for written in slugs {
                if let Some(known) = filter.first_slug(kind, written).and_then(Slug::from_address) {
                    first_slugs.push(known);
                    continue;
                }
                let Some(slug) = Slug::from_address(written) else { continue };
                let term = reader.term(kind, &slug).await?;
                first_slugs.push(term.map_or(slug, |term| term.id.first_slug.clone()));
            }
            lists.extend((!slugs.is_empty()).then(|| WantedList::of(Some(kind), first_slugs)));
        }
        let languages = filter.languages.iter().filter_map(|text| Some(text.parse::<Language>().ok()?.index_slug()));
        lists.extend((!filter.languages.is_empty()).then(|| WantedList::of(None, languages.collect())));
        Ok(Wanted { filter, lists })
    }

    /// A page is in no list of posts, so of the filters by slug, only the one by language can match: a page with this language, or a deleted page.
    pub(super) async fn is_wanted(&self, wanted: &Wanted<'_>, event: &ContentEvent) -> Result<bool> {
        let (filter, item) = (wanted.filter, &event.item);
        let is_of_kind = filter.kinds.is_empty() || filter.kinds.contains(&item.kind);
        let has_action = filter.actions.is_empty() || item.actions.iter().any(|done| filter.actions.contains(done));
        if !is_of_kind || !has_action {
            return Ok(false);
        }
        if item.kind != KIND_OF_PAGES || wanted.lists.is_empty() {
            return Ok(wanted.lists.iter().all(|list| list.has(event)));
        }
        if wanted.lists.iter().any(|list| list.kind.is_some()) {
            return Ok(false);
        }
        let Ok(id) = item.id.parse() else { return Ok(true) };
        let page = self.reader().whole_page_by_id(&id).await?;
        let has = |language: &Language| filter.languages.contains(&language.to_string());
        Ok(page.is_none_or(|page| page.page.post.language.as_ref().is_some_and(has)))
    }
}

impl Webhook {
    /// The message for one change or a digest. `omitted`: the number of further changes.
    pub(super) fn message(&self, events: &[DeliveredEvent], omitted: usize, position: String, now: Instant) -> Message {
        let id = match events {
            [one] if omitted == 0 => one.id.clone(),
            several => {
                let ids: Vec<&str> = several.iter().map(|event| event.id.as_str()).collect();
                let named = format!("{} {omitted}", ids.join(" "));
                URL_SAFE_NO_PAD.encode(&secret::hash(&named)[..18])
            }
        };
        let last = events.last().map_or(now, |last| last.event.at);
        let data = json!({
            "events": events.iter().map(|found| written(&found.event)).collect::<Vec<_>>(),
            "omittedEvents": omitted,
        });
        self.signed(format!("msg_{id}"), body("content.changed", last, &data), Some(position), now)
    }

    pub(super) fn test_message(&self, now: Instant) -> Message {
        let id = WebhookId::new(now, now.ticks().unsigned_abs());
        self.signed(format!("test_{id}"), body("webhook.test", now, &json!({ "events": [] })), None, now)
    }
}

fn body(of_type: &str, at: Instant, data: &Value) -> String {
    json!({ "type": of_type, "timestamp": at.to_string(), "data": data }).to_string()
}

/// The JSON has the form of the type `Change` in the schema; null fields are omitted.
fn written(event: &ContentEvent) -> Value {
    let item = &event.item;
    let (slug, path) = item.slug_and_path(&item.slug);
    let former = event.former_slug.as_deref().map(|former| item.slug_and_path(former));
    let actions: Vec<String> = item.actions.iter().map(|action| format!("{action:?}").to_uppercase()).collect();
    let mut written = json!({
        "nodeId": item.node_id(),
        "nodeType": item.node_type(),
        "slug": slug,
        "version": item.version,
        "actions": actions,
        "occurredAt": event.at.to_string(),
        "tags": event.tags,
    });
    let (former_slug, former_path) = (former.map(|of| of.0).filter(|of| *of != slug), former.and_then(|of| of.1));
    for (name, text) in [("formerSlug", former_slug), ("path", path), ("formerPath", former_path)] {
        if let Some(text) = text {
            written[name] = text.into();
        }
    }
    written
}
