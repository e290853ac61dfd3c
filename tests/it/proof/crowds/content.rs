//! A post, as an answer shows it and as an operation is expected to leave it. The rule: terms are compared by their kind and first slug, which no rename
//! changes and which are known before a term is created.

use serde_json::Value;
use tidings::model::{NodeId, TermKind};

/// The fields of a post that each query selects; the slugs of its terms and its body are among them so that the server must read the terms and the body.
pub(super) const FIELDS: &str = "id version slug title status publishedAt \
     language featured tags { id slug } categories { id slug } authors { id slug } series { series { id slug } } body { markdown }";

/// No test runs as late as this; a post with a later date is scheduled.
const FUTURE: &str = "2090";

pub(super) type TermIds = [Vec<String>; TermKind::ALL.len()];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Content {
    pub slug: String,
    pub title: String,
    /// Each version has the [`text_of`] its title.
    pub body: String,
    pub published_at: Option<String>,
    /// By [`TermKind::ALL`].
    pub terms: TermIds,
}

/// The content after an operation, as far as it is known before the operation is answered.
#[derive(Debug, Clone)]
pub(super) struct Expected {
    pub slug: String,
    pub title: String,
    pub published_at: Option<String>,
    /// `None`: the terms were named by slugs that may belong to any term.
    pub terms: [Option<Vec<String>>; TermKind::ALL.len()],
}

/// A post in an answer.
#[derive(Debug, Clone)]
pub(super) struct Shown {
    pub id: String,
    pub version: i32,
    pub status: String,
    pub content: Content,
}

/// The list of all terms of a kind; of the others than series, also the field of a post, of an input and of a filter.
pub(super) fn plural(kind: TermKind) -> &'static str {
    match kind {
        TermKind::Category => "categories",
        TermKind::Tag => "tags",
        TermKind::Author => "authors",
        TermKind::Series => "allSeries",
    }
}

/// The ids of the terms of a post.
fn terms_of(post: &Value, kind: TermKind) -> Vec<String> {
    match kind {
        // A version names the series itself, a post its place in the series.
        TermKind::Series => {
            let series = &post["series"];
            series.get("series").unwrap_or(series).get("id").map(id).into_iter().collect()
        }
        kind => ids(&post[plural(kind)]),
    }
}

pub(super) fn index(kind: TermKind) -> usize {
    TermKind::ALL.iter().position(|other| *other == kind).expect("it is one of all")
}

/// How the tests name a term: by its kind and the first slug that it had.
pub(super) fn term_id(kind: TermKind, first_slug: &str) -> String {
    format!("{}-{first_slug}", kind.noun())
}

pub(super) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// The id in an answer; of a term, what [`term_id`] says.
pub(super) fn id(value: &Value) -> String {
    match value.as_str().and_then(|id| id.parse().ok()) {
        Some(NodeId::Term(node)) => term_id(node.key.kind, node.key.first_slug.as_str()),
        _ => text(value),
    }
}

/// The ids of a list of objects.
pub(super) fn ids(nodes: &Value) -> Vec<String> {
    nodes.as_array().into_iter().flatten().map(|node| id(&node["id"])).collect()
}

/// The body and the language of a post with this title, and whether it is featured.
pub(super) fn text_of(title: &str) -> String {
    format!("{}{} {}", body_of(title), language_of(title), is_featured(title))
}

/// Whether editors feature a post with each title, so that the index of featured posts changes with many versions.
pub(super) fn is_featured(title: &str) -> bool {
    title.bytes().map(usize::from).sum::<usize>().is_multiple_of(2)
}

/// The language that editors give a post with each title, so that the indexes of languages change with most versions.
pub(super) fn language_of(title: &str) -> &'static str {
    let sum: usize = title.bytes().map(usize::from).sum();
    ["de", "", "pt-BR"][sum % 3]
}

/// The body that editors give a post with each title, so that a title with the body of another version, or of another post, is noticed.
pub(super) fn body_of(title: &str) -> String {
    format!("The text of {title}.\n")
}

impl Shown {
    /// `None` if the answer has null in its place.
    pub(super) fn of(post: &Value) -> Option<Self> {
        let version = i32::try_from(post["version"].as_i64()?).ok()?;
        let content = Content {
            slug: text(&post["slug"]),
            title: text(&post["title"]),
            body: format!("{}{} {}", text(&post["body"]["markdown"]), text(&post["language"]), post["featured"]),
            published_at: post["publishedAt"].as_str().map(ToOwned::to_owned),
            terms: TermKind::ALL.map(|kind| terms_of(post, kind)),
        };
        Some(Self { id: text(&post["id"]), version, status: text(&post["status"]), content })
    }

    pub(super) fn all_of(nodes: &Value) -> Vec<Self> {
        nodes.as_array().into_iter().flatten().filter_map(Self::of).collect()
    }
}

impl Content {
    pub(super) fn is_public(&self) -> bool {
        is_public(self.published_at.as_deref())
    }

    /// The month as `yyyy-MM`.
    pub(super) fn month(&self) -> &str {
        self.published_at.as_deref().and_then(|at| at.get(..7)).unwrap_or_default()
    }

    pub(super) fn has(&self, kind: TermKind, id: &str) -> bool {
        self.terms[index(kind)].iter().any(|term| term == id)
    }

    pub(super) fn expected(&self) -> Expected {
        Expected {
            slug: self.slug.clone(),
            title: self.title.clone(),
            published_at: self.published_at.clone(),
            terms: self.terms.clone().map(Some),
        }
    }
}

pub(super) fn is_public(published_at: Option<&str>) -> bool {
    published_at.is_some_and(|at| at < FUTURE)
}

impl Expected {
    /// The fields in which the content differs, with the expected values.
    pub(super) fn differences(&self, content: &Content) -> Vec<String> {
        let mut differing = Vec::new();
        let mut compare = |name: &str, expected: &dyn std::fmt::Debug, found: &dyn std::fmt::Debug| {
            let (expected, found) = (format!("{expected:?}"), format!("{found:?}"));
            if expected != found {
                differing.push(format!("{name} is {found}, expected {expected}"));
            }
        };
        compare("slug", &self.slug, &content.slug);
        compare("title", &self.title, &content.title);
        compare("body", &text_of(&self.title), &content.body);
        compare("publishedAt", &self.published_at, &content.published_at);
        for (kind, (expected, found)) in TermKind::ALL.iter().zip(self.terms.iter().zip(&content.terms)) {
            if let Some(expected) = expected {
                compare(plural(*kind), expected, found);
            }
        }
        differing
    }

    /// Whether the content differs only by terms that it lacks.
    pub(super) fn lacks_only_terms(&self, content: &Content) -> bool {
        let lacks = |(expected, found): (&Option<Vec<String>>, &Vec<String>)| {
            expected.as_ref().is_none_or(|expected| found.iter().all(|term| expected.contains(term)))
        };
        self.slug == content.slug
            && self.title == content.title
            && text_of(&self.title) == content.body
            && self.published_at == content.published_at
            && self.terms.iter().zip(&content.terms).all(lacks)
    }
}
