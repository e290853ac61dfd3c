//! The type `PageLink`: an entry in the list of all pages. The rule: the list is read at once, so an entry has only what a row of the list
//! has.

use async_graphql::{Context, SimpleObject};

use crate::content::read::ListedPage;
use crate::graphql::context;
use crate::graphql::failure::{Result, bad_input};
use crate::graphql::scalars::DateTime;
use crate::graphql::text_scalars::Url;
use crate::model::site_page::{PAGE_LINKS_DEFAULT, PAGES_MAX};

/// The title and the address of a published page, for a menu, a sitemap or a site generator. `Query.page` with its `path` has the rest. It has no id of its own: it
/// is a part of the list.
#[derive(SimpleObject)]
pub struct PageLink {
    /// The path of the page, without a slash at its ends, such as `guide/install/linux`. A page is below another one if its path begins with that of the
    /// other and a slash.
    path: String,
    /// The title; plain text.
    title: String,
    /// The address of the page on the web site that shows it; null if the server does not know the site (`Query.site`).
    canonical_url: Option<Url>,
    /// When the page was last changed.
    updated_at: DateTime,
}

impl PageLink {
    /// All published pages, in the order of [`all_pages`](crate::content::Reader::all_pages).
    pub async fn all(ctx: &Context<'_>, at_most: Option<i32>) -> Result<Vec<Self>> {
        let at_most = at_most.map_or(Ok(PAGE_LINKS_DEFAULT), u64::try_from).unwrap_or_default() as usize;
        if !(1..=PAGES_MAX).contains(&at_most) {
            return Err(bad_input("atMost", format!("`atMost` must be 1 to {PAGES_MAX}")));
        }
        let request = context::of(ctx);
        let Some(pages) = request.reader.all_pages(at_most).await? else {
            let text = format!("the site has more than {at_most} published pages; `atMost` can be up to {PAGES_MAX}");
            return Err(bad_input("atMost", text));
        };
        let site = request.site.as_ref();
        let link = |ListedPage { path, title, updated_at }| Self {
            canonical_url: site.map(|site| Url(site.page(&path))),
            path: path.to_string(),
            title,
            updated_at: DateTime(updated_at),
        };
        Ok(pages.into_iter().map(link).collect())
    }
}
