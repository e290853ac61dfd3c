//! The directive `@listSize` of the cost specification (<https://ibm.github.io/graphql-specs/cost-spec.html>), which informs clients and gateways of the
//! maximum number of objects in a list. The rule: the sizes are the constants by which the server computes the cost of a query; `cost/tests/list_sizes.rs`
//! compares them.

use std::borrow::Cow;

use async_graphql::TypeDirective;
use async_graphql::registry::location_traits::Directive_At_FIELD_DEFINITION;
use async_graphql::registry::{MetaDirectiveInvocation, Registry};

use super::cost::{ANCESTORS, HIGHLIGHTS_MAX, MONTHS_ASSUMED, NODES_MAX, TERMS_OF_POST, TRANSLATIONS};
use super::presence::OTHERS_MAX;
use crate::content::read::VIEW_DAYS_MAX;
use crate::content::read::pages::PAGE_SIZE_DEFAULT;
use crate::content::read::pages::total::LANGUAGES_MAX;
use crate::content::search::{RELATED_MAX, TERMS_MAX};
use crate::content::webhooks::{DELIVERIES_MAX, WEBHOOKS_MAX};
use crate::model::navigation::ITEMS_MAX;
use crate::model::site_page::PAGES_MAX;

/// The most objects of a list, of a connection those in `sizedFields`, for tools that compute costs: https://ibm.github.io/graphql-specs/cost-spec.html.
#[TypeDirective(name = "listSize", location = "FieldDefinition")]
fn definition(
    assumed_size: Option<i32>,
    slicing_arguments: Option<Vec<String>>,
    sized_fields: Option<Vec<String>>,
    #[graphql(default_with = "Some(true)")] require_one_slicing_argument: Option<bool>,
) {
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Size {
    /// A page of the size in `first` or `last`, or of the default size.
    Page,
    /// A page of the size in `first`, or of the default size.
    PageForward,
    /// The list has the length in `first`, or the default length.
    First,
    /// Days with views.
    Days,
    /// Changes after a position: the number in `first`, or the default.
    ChangesForward,
    /// The changes of one event.
    Changes,
    /// The categories, tags or authors of a post.
    TermsOfPost,
    /// The translations of a post or page.
    Translations,
    /// The ancestors of a page.
    Ancestors,
    /// All pages of the site.
    AllPages,
    /// The items of one list of the menu.
    Navigation,
    /// The languages of posts.
    Languages,
    /// One object for each id of an argument.
    Ids,
    /// The highlights of a search result.
    Highlights,
    Related,
    /// Words for a search box.
    SearchTerms,
    /// Those who have a text open.
    Editors,
    /// All webhooks.
    Webhooks,
    /// The deliveries of a webhook.
    Deliveries,
    /// Months of the archive: those of a century. The server itself counts the months that exist.
    Months,
}

/// `@listSize` on a field.
pub(super) struct ListSize;

impl ListSize {
    /// The engine requires a function of this name.
    pub(super) fn apply(size: Size) -> MetaDirectiveInvocation {
        match size {
            Size::Page => page(&["first", "last"], &["edges", "nodes"]),
            Size::PageForward => page(&["first"], &["edges", "nodes"]),
            Size::ChangesForward => page(&["first"], &["changes"]),
            Size::Translations => at_most(TRANSLATIONS),
            Size::Changes => page(&[], &["changes"]),
            Size::First => {
                definition::apply(number(PAGE_SIZE_DEFAULT as u64), Some(vec!["first".to_owned()]), None, Some(false))
            }
            Size::Days => at_most(VIEW_DAYS_MAX.into()),
            Size::Ancestors => at_most(ANCESTORS),
            Size::TermsOfPost => at_most(TERMS_OF_POST),
            Size::AllPages => at_most(PAGES_MAX as u64),
            Size::Navigation => at_most(ITEMS_MAX as u64),
            Size::Languages => at_most(LANGUAGES_MAX as u64),
            Size::Ids => at_most(NODES_MAX as u64),
            Size::Highlights => at_most(HIGHLIGHTS_MAX),
            Size::Related => at_most(RELATED_MAX as u64),
            Size::SearchTerms => at_most(TERMS_MAX as u64),
            Size::Editors => at_most(OTHERS_MAX as u64),
            Size::Webhooks => at_most(WEBHOOKS_MAX as u64),
            Size::Deliveries => at_most(DELIVERIES_MAX as u64),
            Size::Months => at_most(MONTHS_ASSUMED),
        }
    }
}

impl TypeDirective for ListSize {
    fn name(&self) -> Cow<'static, str> {
        definition.name()
    }

    fn register(&self, registry: &mut Registry) {
        definition.register(registry);
    }
}

impl Directive_At_FIELD_DEFINITION for ListSize {}

/// `assumedSize` is the size if the argument is omitted.
fn page(arguments: &[&str], lists: &[&str]) -> MetaDirectiveInvocation {
    let names = |names: &[&str]| names.iter().copied().map(str::to_owned).collect();
    definition::apply(number(PAGE_SIZE_DEFAULT as u64), Some(names(arguments)), Some(names(lists)), Some(false))
}

fn at_most(size: u64) -> MetaDirectiveInvocation {
    definition::apply(number(size), None, None, None)
}

fn number(size: u64) -> Option<i32> {
    Some(i32::try_from(size).unwrap_or(i32::MAX))
}
