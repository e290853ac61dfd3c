//! The types `Category`, `Tag`, `Author` and `Series`, and their interface `Term`. The rule: common fields are written once.

use std::sync::Arc;

use async_graphql::{Context, ID, Interface, Object, SimpleObject};

use crate::graphql::arguments::Paging;
use crate::graphql::connection::{CategoryConnection, PageOfTerms, PostConnection};
use crate::graphql::failure::Result;
use crate::graphql::filter::{self, PostFilter};
use crate::graphql::list_size::{ListSize, Size};
use crate::graphql::order::{self, PostOrder};
use crate::graphql::scalars::Url;
use crate::graphql::{access, context};
use crate::model::{NodeId, PostId, ProfileLink, Slug, Term, TermKind};

use super::asset::Image;
use super::site::address_of_term;

/// The term with this current or former slug.
pub async fn find(ctx: &Context<'_>, kind: TermKind, slug: &str) -> Result<Option<Arc<Term>>> {
    let Some(slug) = Slug::from_address(slug) else { return Ok(None) };
    Ok(context::of(ctx).reader.term(kind, &slug).await?)
}

/// Declares the type of one kind of term. Its own fields are before `version` and after `posts`.
macro_rules! term_type {
    (
        $(#[$doc:meta])* $type:ident { $($before_version:tt)* }
        $(#[$of_version:meta])* version;
        $(#[$of_posts:meta])* posts { $($after_posts:tt)* }
    ) => {
        pub struct $type(pub Arc<Term>);

        $(#[$doc])*
        #[Object]
        impl $type {
            /// Opaque, permanent, never reused.
            pub async fn id(&self) -> ID {
                self.0.node_id().to_string().into()
            }

            /// Unique within its type. It can change; a former slug still finds the object.
            pub async fn slug(&self) -> &str {
                self.0.slug.as_str()
            }

            /// The page with its posts on the web site; null if `Site.url` is null.
            pub async fn canonical_url(&self, ctx: &Context<'_>) -> Option<Url> {
                address_of_term(context::of(ctx), &self.0).map(Url)
            }

            /// The display name.
            pub async fn name(&self) -> &str {
                &self.0.name
            }

            /// Plain text; null if there is none.
            pub async fn description(&self) -> Option<&str> {
                self.0.description.as_deref()
            }

            $($before_version)*

            $(#[$of_version])*
            pub async fn version(&self) -> i32 {
                self.0.version
            }

            /// The number of its published posts.
            pub async fn post_count(&self, ctx: &Context<'_>) -> Result<i32> {
                let count = context::of(ctx).loaders.post_counts.load(self.0.id.clone()).await?;
                Ok(i32::try_from(count).unwrap_or(i32::MAX))
            }

            $(#[$of_posts])*
            #[graphql(directive = ListSize::apply(Size::Page))]
            pub async fn posts(
                &self,
                ctx: &Context<'_>,
                #[graphql(desc = "From the start: 0 to 100; 20 without `last`.")] first: Option<i32>,
                #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
                #[graphql(desc = "From the end: 0 to 100.")] last: Option<i32>,
                #[graphql(desc = "Before this cursor of the same list.")] before: Option<String>,
                #[graphql(desc = "If omitted, newest first; of a series, its own order.")] order_by: Option<PostOrder>,
                #[graphql(desc = "Only posts that match; all if omitted.")] filter: Option<PostFilter>,
            ) -> Result<PostConnection> {
                posts(ctx, &self.0, Paging { first, after, last, before }, order_by, filter).await
            }

            $($after_posts)*

            /// Whether this client can change the object.
            pub async fn viewer_can_update(&self, ctx: &Context<'_>) -> bool {
                context::of(ctx).reader.actor().is_some_and(|actor| actor.may_change_terms(self.0.kind()))
            }
        }
    };
}

async fn posts(
    ctx: &Context<'_>,
    term: &Term,
    paging: Paging,
    order_by: Option<PostOrder>,
    filter: Option<PostFilter>,
) -> Result<PostConnection> {
    let list = order::posts_in(order_by, filter::list_of(ctx, filter, order::scope_of(order_by, term)).await?);
    // The future is boxed, because the fields of an object share one future type, which this one would enlarge.
    Box::pin(PostConnection::read(ctx, list, paging)).await
}

term_type! {
    /// A category: a subject that groups posts.
    Category {}
    /// From 1; the `expectedVersion` of the next change.
    version;
    /// Its published posts, newest first unless `orderBy` says otherwise.
    posts {
        /// The category above this one; null at the top. Posts of this one do not count as posts of the parent.
        async fn parent(&self, ctx: &Context<'_>) -> Result<Option<Category>> {
            let Some(parent) = &self.0.parent else { return Ok(None) };
            let found = context::of(ctx).loaders.terms_of_post(TermKind::Category, std::slice::from_ref(parent)).await?;
            Ok(found.into_iter().next().map(Category))
        }

        /// The categories above this one, from the top; at most 9.
        #[graphql(directive = ListSize::apply(Size::Ancestors))]
        async fn breadcrumbs(&self, ctx: &Context<'_>) -> Result<Vec<Category>> {
            let above = context::of(ctx).loaders.categories_above(&self.0).await?;
            Ok(above.into_iter().map(Category).collect())
        }

        /// The categories directly below this one, by slug.
        #[graphql(directive = ListSize::apply(Size::PageForward))]
        async fn children(
            &self,
            ctx: &Context<'_>,
            #[graphql(desc = "0 to 100; 20 if omitted.")] first: Option<i32>,
            #[graphql(desc = "After this cursor of the same list.")] after: Option<String>,
        ) -> Result<CategoryConnection> {
            let page = Box::pin(PageOfTerms::read_below(ctx, &self.0, first, after)).await?;
            Ok(CategoryConnection(page))
        }
    }
}

term_type! {
    /// A tag: a keyword of posts.
    Tag {}
    /// From 1; the `expectedVersion` of the next change.
    version;
    /// Its published posts, newest first unless `orderBy` says otherwise.
    posts {}
}

term_type! {
    /// An author of posts.
    Author {
        /// The author's own web page, if one is given.
        async fn url(&self) -> Option<Url> {
            self.0.url.clone().map(Url)
        }

        /// Null if the author has no picture, or if it was deleted.
        async fn avatar(&self, ctx: &Context<'_>) -> Result<Option<Image>> {
            Image::named(ctx, self.0.profile.avatar.as_ref()).await
        }

        /// What the author does, such as "Editor"; plain text.
        async fn job_title(&self) -> Option<&str> {
            self.0.profile.job_title.as_deref()
        }

        /// At most 10 pages elsewhere about or by the author, in the order in which they were given.
        async fn links(&self) -> Vec<AuthorLink> {
            self.0.profile.links.iter().map(AuthorLink::of).collect()
        }
    }
    /// From 1; the `expectedVersion` of the next change.
    version;
    /// Its published posts, newest first unless `orderBy` says otherwise.
    posts {}
}

term_type! {
    /// Posts that belong together, in an order of their own, whenever they were published.
    Series {}
    /// From 1, one more with each change, but not if a post joins or leaves; the `expectedVersion` of mutations.
    version;
    /// Its published posts, in its own order unless `orderBy` says otherwise: first those that its editors have put in order, then the others, the earliest
    /// first.
    posts {
        /// The posts that come first, in their order, also if they are not published or not in the series. Requires a token of the role READER, EDITOR or ADMIN.
        async fn ordered_post_ids(&self, ctx: &Context<'_>) -> Result<Option<Vec<ID>>> {
            access::require_sight_of_series(ctx)?;
            let id = |post: &PostId| NodeId::Post(post.clone()).to_string().into();
            Ok(Some(self.0.order.iter().map(id).collect()))
        }
    }
}

/// A page elsewhere about or by an author. It has no id: it is a part of the author.
#[derive(SimpleObject)]
pub struct AuthorLink {
    /// The text of the link, such as "Mastodon".
    title: String,
    /// The address.
    url: Url,
}

impl AuthorLink {
    pub fn of(link: &ProfileLink) -> Self {
        Self { title: link.title.clone(), url: Url(link.url.clone()) }
    }
}

/// What groups posts: categories, tags, authors and series.
#[derive(Interface)]
#[graphql(
    name = "Term",
    field(name = "id", ty = "ID", desc = "Opaque, permanent, never reused."),
    field(
        name = "slug",
        ty = "&str",
        desc = "Unique within its type. It can change; a former slug still finds the object."
    ),
    field(
        name = "version",
        ty = "i32",
        desc = "From 1; the `expectedVersion` of the next change."
    ),
    field(
        name = "canonical_url",
        ty = "Option<Url>",
        desc = "The page with its posts on the web site; null if `Site.url` is null."
    ),
    field(name = "name", ty = "&str", desc = "The display name."),
    field(name = "description", ty = "Option<&str>", desc = "Plain text; null if there is none."),
    field(name = "post_count", ty = "i32", desc = "The number of its published posts."),
    field(
        name = "posts",
        ty = "PostConnection",
        desc = "Its published posts, newest first, those of a series in its own order, unless `orderBy` says otherwise.",
        directive = ListSize::apply(Size::Page),
        arg(name = "first", ty = "Option<i32>", desc = "From the start: 0 to 100; 20 without `last`."),
        arg(name = "after", ty = "Option<String>", desc = "After this cursor of the same list."),
        arg(name = "last", ty = "Option<i32>", desc = "From the end: 0 to 100."),
        arg(name = "before", ty = "Option<String>", desc = "Before this cursor of the same list."),
        arg(
            name = "order_by",
            ty = "Option<PostOrder>",
            desc = "If omitted, newest first; of a series, its own order."
        ),
        arg(name = "filter", ty = "Option<PostFilter>", desc = "Only posts that match; all if omitted.")
    ),
    field(name = "viewer_can_update", ty = "bool", desc = "Whether this client can change the object.")
)]
pub enum GroupingTerm {
    Category(Category),
    Tag(Tag),
    Author(Author),
    Series(Series),
}
