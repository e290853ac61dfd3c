//! The fields that a site declares: in the served schema, in answers and in inputs. The rule: each value is that of the metadata under its name, whatever wrote it.

mod filtering;
mod reading;
mod served;
mod writing;

use serde_json::{Value, json};
use tidings::graphql::schema;
use tidings::model::SiteFields;

use crate::support::graphql::EDITOR_TOKEN;
use crate::support::site::Site;

pub const BOOKS: &str = r#"
extend type PostFields {
  "A second title."
  subtitle: String
  rating: Int!
  price: Float
  sold: Boolean
  isbn: ID
  day: DateTime
  home: URL
  more: JSON
  formats: [Format!]
  scores: [Int]
  publisher: Publisher
  reviews: [Review!]
}
extend type PageFields { wide: Boolean!, publisher: Publisher }
enum Format { PAPER AUDIO }
type Publisher { name: String!, url: URL, parent: Owner }
type Owner { name: String! }
type Review { by: String!, stars: Int }
"#;

pub fn declared(sdl: &str) -> SiteFields {
    schema::site_fields(sdl).unwrap_or_else(|bad| panic!("{bad}: {sdl}"))
}

/// The same site with these fields.
pub fn with_fields(site: Site, sdl: &str) -> Site {
    Site { content: site.content.clone().with_fields(declared(sdl)), ..site }
}

/// The payload of a mutation with variables, as an editor.
async fn mutate(site: &Site, mutation: &str, variables: Value) -> Value {
    let answer = site.mutate(mutation, variables, Some(EDITOR_TOKEN)).await;
    assert_eq!(answer.body.get("errors"), None, "{mutation}");
    answer.body["data"].as_object().expect("data").values().next().cloned().expect("one field")
}

/// Creates a published post with this metadata, and returns its id.
async fn create(site: &Site, slug: &str, metadata: Value) -> String {
    let query = "mutation($metadata: JSON, $slug: String) { createPost(input: { title: \"A\", markdown: \"b\", slug: $slug, metadata: $metadata, publishAt: \"2026-05-01T00:00:00Z\" }) { post { id } userErrors { message } } }";
    let made = mutate(site, query, json!({ "metadata": metadata, "slug": slug })).await;
    assert_eq!(made["userErrors"], json!([]));
    made["post"]["id"].as_str().expect("an id").to_owned()
}
