//! An item of the site's menu. The rule: the menu is a setting of the operator, so it costs no storage request.

use async_graphql::Object;

use crate::graphql::list_size::{ListSize, Size};
use crate::model::navigation;

pub struct NavigationItem(navigation::NavigationItem);

impl NavigationItem {
    pub fn all(items: &[navigation::NavigationItem]) -> Vec<Self> {
        items.iter().cloned().map(Self).collect()
    }
}

/// A link in the menu of the site. It has no id of its own: it is a part of the site.
#[Object]
impl NavigationItem {
    /// The text of the link; plain text.
    async fn label(&self) -> &str {
        &self.0.label
    }

    /// Where the link points to: an absolute URL with `http` or `https`, or a path that begins with a slash, such as `/tags/moon`. A path is below
    /// `Site.url`, as the path of each `canonicalUrl` is. It is not checked whether a page exists there.
    async fn url(&self) -> &str {
        &self.0.url
    }

    /// The items below this one, in their order. An item that is below another has none.
    #[graphql(directive = ListSize::apply(Size::Navigation))]
    async fn children(&self) -> Vec<NavigationItem> {
        Self::all(&self.0.children)
    }
}
