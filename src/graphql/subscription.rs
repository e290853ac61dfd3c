//! The subscriptions. The rule: an event is executed like a query, with its own context, so that it has the same price, access and limits; only the changes
//! come from [`Subscribed`], which the executions of one subscription share.
//!
//! A subscription reads the log from its position to the end, a page for each execution, and then waits for the changes that all subscribers share
//! (`content::read::change_feed`). It begins to wait before it reads, so that it misses nothing.

use std::any::TypeId;
use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_graphql::{Context, ID, Request, ServerError, SimpleObject, Subscription};
use futures_util::{Stream, stream};
use tokio::sync::Mutex;

use super::access;
use super::context;
use super::error::{Code, coded};
use super::failure::{Result, bad_input, with_code};
use super::filter::{PostFilter, list_of};
use super::list_size::{ListSize, Size};
use super::presence::Present;
use super::types::actor::ActorObject;
use super::types::change::{ChangeFeed, ChangedType};
use super::types::post::PostObject;
use crate::content::read::pages::{Scope, matches};
use crate::content::read::{Action, ChangesPage, ContentEvent, Ended, KIND_OF_POSTS, LiveChanges};
use crate::model::{Instant, NodeId, Post, PostId, Role};

/// The state of one subscription. The transport adds it to each of its requests, and waits before each.
#[derive(Default)]
pub struct Subscribed {
    state: Mutex<State>,
    /// Whether the operation is a live query, which waits for changes of its rows and not for events.
    is_live: AtomicBool,
    /// Whether the answer to the live query is only for this client.
    is_of_one: AtomicBool,
    /// Whether the answers to the live query are sent as patches.
    is_patched: AtomicBool,
}

#[derive(Default)]
struct State {
    live: Option<LiveChanges>,
    /// Whether pages are read until the end of the log.
    is_behind: bool,
    arrived: Option<ChangesPage>,
    /// The posts of a page that were published, each with the position after it.
    published: VecDeque<(PostId, String)>,
    /// Set for a subscription that waits for those who enter and leave, and not for changes.
    present: Option<Present>,
}

impl Subscribed {
    pub fn of(request: &Request) -> Option<&Arc<Self>> {
        request.data.get(&TypeId::of::<Arc<Self>>())?.downcast_ref()
    }

    /// Waits until an execution can have an event. Dropping the future loses nothing.
    ///
    /// # Errors
    /// POSITION_EXPIRED or SUBSCRIBER_TOO_SLOW: the subscription has ended.
    pub async fn wait(&self) -> Result<(), ServerError> {
        let mut state = self.state.lock().await;
        if let Some(present) = &mut state.present {
            present.changed().await;
        }
        let is_ready = state.is_behind || state.arrived.is_some() || !state.published.is_empty();
        let Some(live) = state.live.as_mut().filter(|_| !is_ready) else { return Ok(()) };
        let arrived = live.next().await.map_err(|ended| match ended {
            Ended::PositionExpired => {
                let message = "The changes after this position are not kept any more; read everything again.";
                coded(Code::PositionExpired, message, None)
            }
            Ended::TooSlow => {
                let message =
                    "The events were not taken as fast as they came; subscribe again after the last position.";
                coded(Code::SubscriberTooSlow, message, None)
            }
        })?;
        state.arrived = Some(arrived);
        Ok(())
    }

    pub fn is_live(&self) -> bool {
        self.is_live.load(Ordering::Relaxed)
    }

    /// Records that the operation is a live query. `is_of_one`: whether its answer is only for this client.
    pub fn begin_live(&self, is_of_one: bool, is_patched: bool) {
        self.is_patched.store(is_patched, Ordering::Relaxed);
        self.is_of_one.store(is_of_one, Ordering::Relaxed);
        self.is_live.store(true, Ordering::Relaxed);
    }

    pub fn is_patched(&self) -> bool {
        self.is_patched.load(Ordering::Relaxed)
    }

    pub fn is_of_one(&self) -> bool {
        self.is_of_one.load(Ordering::Relaxed)
    }

    /// Whether an execution has begun to wait for changes.
    pub fn has_begun(&self) -> bool {
        self.is_live() || self.state.try_lock().is_ok_and(|state| state.live.is_some() || state.present.is_some())
    }

    /// Whether the next execution needs no page of the log.
    pub fn has_event(&self) -> bool {
        self.state.try_lock().is_ok_and(|state| state.arrived.is_some() || !state.published.is_empty())
    }
}

impl State {
    /// The next page, and the position before it.
    async fn page(&mut self, ctx: &Context<'_>, after: Option<String>) -> Result<Option<(ChangesPage, String)>> {
        let request = context::of(ctx);
        if self.live.is_none() {
            let mut live = request.content.live_changes(&request.reader).await?;
            self.is_behind = after.is_some();
            live.position = after.unwrap_or(live.position);
            self.live = Some(live);
        }
        let Some(live) = &mut self.live else { return Ok(None) };
        let before = live.position.clone();
        if let Some(page) = self.arrived.take() {
            live.position.clone_from(&page.position);
            return Ok(Some((page, before)));
        }
        if !self.is_behind {
            return Ok(None);
        }
        let page = request.content.changes(&request.reader, None, Some(&before)).await?;
        self.is_behind = page.has_next;
        live.note_seen(&page);
        Ok(Some((page, before)))
    }

    /// The next post that was published, and the position after it.
    async fn published(&mut self, ctx: &Context<'_>, after: Option<String>) -> Result<Option<(PostId, String)>> {
        if self.published.is_empty()
            && let Some((page, before)) = self.page(ctx, after).await?
        {
            // The position after the whole page applies only after its last event.
            self.published = page.events.iter().filter_map(published).map(|id| (id, before.clone())).collect();
            if let Some((_, position)) = self.published.back_mut() {
                *position = page.position;
            }
        }
        Ok(self.published.pop_front())
    }
}

fn published(event: &ContentEvent) -> Option<PostId> {
    let is_published = event.item.kind == KIND_OF_POSTS && event.item.actions.contains(&Action::Published);
    event.item.id.parse().ok().filter(|_| is_published)
}

/// A post that was published, for a client that waits for it.
#[derive(SimpleObject)]
pub struct PublishedPost {
    /// The post as it is now.
    post: PostObject,
    /// The position after this event: an opaque text for `after`, also of `changes`. It is valid for 30 days. Events that were sent before can come again.
    end_cursor: String,
}

pub struct Subscription;

/// What clients can wait for, over Server-Sent Events or a WebSocket. An event costs what a query for it costs.
#[Subscription]
impl Subscription {
    /// What changes from now on, or has changed since a position, as `Query.changes` returns it to the same role; those of one object come in the order of its
    /// versions. If the changes after `after` are not kept any more, the error is POSITION_EXPIRED.
    #[graphql(directive = ListSize::apply(Size::Changes))]
    async fn changes(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The last `endCursor`: nothing after it is missed. If omitted, the changes from now on.")]
        after: Option<String>,
        #[graphql(desc = "Only changes of objects of these types; if omitted or null, of all.")] types: Option<
            Vec<ChangedType>,
        >,
    ) -> Result<impl Stream<Item = ChangeFeed>> {
        let page = subscribed(ctx)?.state.lock().await.page(ctx, after).await?;
        let page = page.map(|(mut page, _)| {
            page.events.retain(|event| types.as_ref().is_none_or(|types| types.iter().any(|of| of.is_of(event))));
            page
        });
        Ok(stream::iter(page.filter(|page| !page.events.is_empty()).map(ChangeFeed)))
    }

    /// Each post that is published from now on, or was since a position: at once, or at the instant for which it was scheduled. One that is not public any more
    /// is left out.
    async fn post_published(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "Only posts that match; if omitted or null, all.")] filter: Option<PostFilter>,
        #[graphql(desc = "The last `endCursor`: nothing after it is missed. If omitted, the posts from now on.")]
        after: Option<String>,
    ) -> Result<impl Stream<Item = PublishedPost>> {
        let (request, list) = (context::of(ctx), list_of(ctx, filter, Scope::All).await?);
        let mut event = None;
        if let Some((id, end_cursor)) = subscribed(ctx)?.state.lock().await.published(ctx, after).await?
            && let Some(post) =
                request.loaders.posts.load(id).await?.filter(|post| is_public(post, request.reader.now()))
            && matches(&request.reader, &list, &post).await?
        {
            event = Some(PublishedPost { post: PostObject::new(post), end_cursor });
        }
        Ok(stream::iter(event))
    }

    /// The others who have a post or page open in an editor: when it begins, and each time that somebody opens or leaves it. They subscribe to this field at the
    /// same server. Requires the role AUTHOR, EDITOR or ADMIN.
    #[graphql(directive = ListSize::apply(Size::Editors))]
    async fn editing(
        &self,
        ctx: &Context<'_>,
        #[graphql(desc = "The id of a post or page.")] id: ID,
    ) -> Result<impl Stream<Item = Vec<ActorObject>>> {
        let (request, actor) = (context::of(ctx), access::require(ctx, Role::Author)?);
        let content = id.parse::<NodeId>().ok();
        let is_found = match &content {
            Some(NodeId::Post(id)) => request.loaders.posts.load(id.clone()).await?.is_some(),
            Some(NodeId::Page(id)) => request.loaders.site_pages.load(id.clone()).await?.is_some(),
            Some(_) | None => false,
        };
        let message = "there is no such post or page, or your token may not read it";
        let content = content.filter(|_| is_found).ok_or_else(|| bad_input("id", message))?;
        let mut state = subscribed(ctx)?.state.lock().await;
        let present = state.present.get_or_insert_with(|| request.presence.enter(content, actor.clone()));
        Ok(stream::iter([present.others().into_iter().map(ActorObject).collect()]))
    }
}

fn is_public(post: &Post, now: Instant) -> bool {
    post.published_at.is_some_and(|at| at <= now)
}

fn subscribed<'a>(ctx: &Context<'a>) -> Result<&'a Arc<Subscribed>> {
    let no_events = || with_code("a subscription needs a stream of events".to_owned(), Code::NotAcceptable);
    Ok(ctx.data_opt().ok_or_else(no_events)?)
}
