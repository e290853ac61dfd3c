//! The queries of the comparison with other servers. The rule: the server and the maps get the same document; only cursors and ids differ in form.

use async_graphql::{Request, Variables};
use serde_json::json;
use tidings::model::TermKind;

use crate::posts::{Generated, term_slug};

/// A post as a list shows it, with all its terms.
const CARD: &str =
    "id slug title excerpt publishedAt authors { name slug } categories { name slug } tags { name slug }";

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub enum Query {
    /// The fixed cost of a request.
    Typename,
    /// The latest 20 posts.
    Q1,
    /// One post with its body.
    Q2,
    /// The latest 20 posts of a tag, with their authors.
    Q3,
    /// 20 posts after half of all.
    Q4,
    /// The latest 5 posts of each of 10 authors, with their tags.
    Q5,
}

impl std::fmt::Display for Query {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Typename => "typename",
            Self::Q1 => "q1",
            Self::Q2 => "q2",
            Self::Q3 => "q3",
            Self::Q4 => "q4",
            Self::Q5 => "q5",
        })
    }
}

impl Query {
    pub const ALL: [Self; 6] = [Self::Typename, Self::Q1, Self::Q2, Self::Q3, Self::Q4, Self::Q5];

    /// The request, for a site of that many posts. `cursor`: the cursor of a post of the list of all posts.
    pub fn request(self, posts: u64, cursor: impl Fn(&Generated) -> String) -> Request {
        let page = format!("{{ edges {{ cursor node {{ {CARD} }} }} pageInfo {{ hasNextPage endCursor }} }}");
        let middle = Generated::new(posts / 2);
        let (document, variables) = match self {
            Self::Typename => ("{ __typename }".to_owned(), json!({})),
            Self::Q1 => (format!("{{ posts(first: 20) {page} }}"), json!({})),
            Self::Q2 => {
                let fields = format!("{CARD} body {{ markdown }}");
                (
                    format!("query Q2($slug: String!) {{ post(slug: $slug) {{ {fields} }} }}"),
                    json!({"slug": middle.slug.as_str()}),
                )
            }
            Self::Q3 => {
                let list = "posts(first: 20) { nodes { id slug title publishedAt authors { name slug } } }";
                let tag = term_slug(TermKind::Tag, 3);
                (
                    format!("query Q3($slug: String!) {{ tag(slug: $slug) {{ name {list} }} }}"),
                    json!({"slug": tag.as_str()}),
                )
            }
            Self::Q4 => {
                let after = cursor(&middle);
                (
                    format!("query Q4($after: String!) {{ posts(first: 20, after: $after) {page} }}"),
                    json!({"after": after}),
                )
            }
            Self::Q5 => {
                let list = "posts(first: 5) { nodes { slug title publishedAt tags { name slug } } }";
                (format!("{{ authors(first: 10) {{ nodes {{ name slug {list} }} }} }}"), json!({}))
            }
        };
        Request::new(document).variables(Variables::from_json(variables))
    }
}
