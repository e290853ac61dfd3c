//! Null and omitted fields of changes. The rule: each field is tried omitted, null and with a value, in a variable of its own and in an input that is
//! one variable; null clears the field or is refused, and an omitted field keeps its value.

use serde_json::{Value, json};
use tidings::model::TermKind;

use crate::support::graphql::{EDITOR_TOKEN, json_request};
use crate::support::site::Site;

const POST: &str =
    "post { id version slug title excerpt body { markdown } authors { slug } categories { slug } tags { slug } }";

/// A mutation whose input has some fixed fields and one that is tried.
struct Tried {
    mutation: &'static str,
    input: &'static str,
    answer: &'static str,
    fixed: Vec<(&'static str, &'static str, Value)>,
    field: &'static str,
    of: &'static str,
}

impl Tried {
    /// The payloads of the same change sent in two ways; `value`: `None` if the field is omitted.
    async fn change(&self, site: &Site, in_one_variable: bool, value: Option<Value>) -> Value {
        let Self { mutation, input, answer, fixed, field, of } = self;
        let payload = format!("{answer} userErrors {{ code field }}");
        let mut fields: serde_json::Map<String, Value> =
            fixed.iter().map(|(name, _, value)| ((*name).to_owned(), value.clone())).collect();
        fields.extend(value.map(|value| ((*field).to_owned(), value)));
        let (document, variables) = if in_one_variable {
            (
                format!("mutation($input: {input}!) {{ changed: {mutation}(input: $input) {{ {payload} }} }}"),
                json!({ "input": fields }),
            )
        } else {
            let typed = fixed.iter().map(|(name, of, _)| (*name, *of)).chain([(*field, *of)]);
            let (definitions, uses): (Vec<String>, Vec<String>) =
                typed.map(|(name, of)| (format!("${name}: {of}"), format!("{name}: ${name}"))).unzip();
            let document = format!(
                "mutation({}) {{ changed: {mutation}(input: {{ {} }}) {{ {payload} }} }}",
                definitions.join(", "),
                uses.join(", ")
            );
            (document, Value::Object(fields))
        };
        let answer = site.mutate(&document, variables, Some(EDITOR_TOKEN)).await;
        assert_eq!(answer.body.get("errors"), None, "{document}");
        answer.body["data"]["changed"].clone()
    }
}

fn refused(field: &str) -> Value {
    json!([{ "code": "INVALID", "field": ["input", field] }])
}

async fn site() -> Site {
    let site = Site::in_memory().await;
    for mutation in [
        "mutation { changed: createAuthor(input: { slug: \"ada\", name: \"Ada\", description: \"Counts.\", url: \"https://ada.example\" }) { userErrors { code } } }",
        "mutation { changed: createCategory(input: { slug: \"news\", name: \"News\", description: \"What is new.\" }) { userErrors { code } } }",
        "mutation { changed: createAuthor(input: { slug: \"bob\", name: \"bob\" }) { userErrors { code } } }",
        "mutation { changed: createCategory(input: { slug: \"old\", name: \"old\" }) { userErrors { code } } }",
        "mutation { changed: createTag(input: { slug: \"a\", name: \"a\" }) { userErrors { code } } }",
        "mutation { changed: createTag(input: { slug: \"rust\", name: \"Rust\", description: \"A language.\" }) { userErrors { code } } }",
    ] {
        let made = site.mutate(mutation, json!({}), Some(EDITOR_TOKEN)).await;
        assert_eq!(made.body["data"]["changed"]["userErrors"], json!([]), "{}", made.body);
    }
    site
}

async fn create_post(site: &Site) -> Value {
    let create = "mutation { changed: createPost(input: { title: \"First\", excerpt: \"Own.\", markdown: \"Body.\", authorSlugs: [\"ada\"], categorySlugs: [\"news\"], \
                  tagSlugs: [\"rust\"] }) { post { id version } userErrors { code } } }";
    let made = site.mutate(create, json!({}), Some(EDITOR_TOKEN)).await;
    made.body["data"]["changed"]["post"].clone()
}

/// The field, its type, where it is in the answer, its value, the value after null (`None`: refused), and another value with its answer.
type FieldOfPost = (&'static str, &'static str, &'static str, Value, Option<Value>, Value, Value);

fn cases_of_posts() -> [FieldOfPost; 7] {
    let terms = |slug: &str| json!([{ "slug": slug }]);
    let none = || Some(json!([]));
    [
        ("title", "String", "/title", json!("First"), None, json!("Second"), json!("Second")),
        ("slug", "String", "/slug", json!("first"), None, json!("second"), json!("second")),
        ("markdown", "String", "/body/markdown", json!("Body."), None, json!(""), json!("")),
        ("excerpt", "String", "/excerpt", json!("Own."), Some(json!("Body.")), json!("Other."), json!("Other.")),
        ("authorSlugs", "[String!]", "/authors", terms("ada"), none(), json!(["bob"]), terms("bob")),
        ("categorySlugs", "[String!]", "/categories", terms("news"), none(), json!(["old"]), terms("old")),
        ("tagSlugs", "[String!]", "/tags", terms("rust"), none(), json!(["a"]), terms("a")),
    ]
}

#[tokio::test]
async fn null_clears_a_field_of_a_post_or_is_refused_and_an_omitted_field_keeps_its_value() {
    let site = site().await;
    let none = json!([]);
    for (field, of, place, before, cleared, other, after) in cases_of_posts() {
        for in_one_variable in [true, false] {
            let post = create_post(&site).await;
            let tried = |version: i32| Tried {
                mutation: "updatePost",
                input: "UpdatePostInput",
                answer: POST,
                fixed: vec![("id", "ID!", post["id"].clone()), ("expectedVersion", "Int!", json!(version))],
                field,
                of,
            };
            let kept = tried(1).change(&site, in_one_variable, None).await;
            assert_eq!((&kept["post"]["version"], kept["userErrors"].clone()), (&json!(1), none.clone()), "{field}");
            if field != "slug" {
                assert_eq!(kept["post"].pointer(place), Some(&before), "{field} omitted");
            }
            let null = tried(1).change(&site, in_one_variable, Some(Value::Null)).await;
            let version = match &cleared {
                Some(cleared) => {
                    assert_eq!(null["post"].pointer(place), Some(cleared), "{field}: null, {null}");
                    2
                }
                None => {
                    assert_eq!((&null["post"], &null["userErrors"]), (&Value::Null, &refused(field)), "{field}: null");
                    1
                }
            };
            let set = tried(version).change(&site, in_one_variable, Some(other.clone())).await;
            assert_eq!(set["post"].pointer(place), Some(&after), "{field}: {other}, {set}");
            let delete = "mutation($id: ID!, $version: Int!) { deletePost(input: { id: $id, expectedVersion: $version }) { deletedId } }";
            let last = json!({ "id": post["id"], "version": set["post"]["version"] });
            assert!(
                site.mutate(delete, last, Some(EDITOR_TOKEN)).await.body["data"]["deletePost"]["deletedId"].is_string()
            );
        }
    }
    site.assert_sound().await;
}

#[tokio::test]
async fn null_clears_a_text_of_a_term_and_its_name_and_slug_refuse_null() {
    let site = site().await;
    let (rust, ada, news) = (
        ("updateTag", "UpdateTagInput", "changed: tag { slug name description }", TermKind::Tag, "rust"),
        ("updateAuthor", "UpdateAuthorInput", "changed: author { slug name description url }", TermKind::Author, "ada"),
        (
            "updateCategory",
            "UpdateCategoryInput",
            "changed: category { slug name description }",
            TermKind::Category,
            "news",
        ),
    );
    let cases = [
        (rust, "description", "A language.", true),
        (news, "description", "What is new.", true),
        (ada, "description", "Counts.", true),
        (ada, "url", "https://ada.example", true),
        (rust, "name", "Rust", false),
        (rust, "slug", "rust", false),
    ];
    for ((mutation, input, answer, kind, slug), field, before, can_be_cleared) in cases {
        for in_one_variable in [true, false] {
            let tried = async || {
                let (id, version) = site.named(kind, slug).await;
                let fixed = vec![("id", "ID!", json!(id)), ("expectedVersion", "Int!", json!(version))];
                Tried { mutation, input, answer, fixed, field, of: "String" }
            };
            let kept = tried().await.change(&site, in_one_variable, None).await;
            assert_eq!(kept["changed"][field], before, "{field} omitted: {kept}");
            let null = tried().await.change(&site, in_one_variable, Some(Value::Null)).await;
            if can_be_cleared {
                assert_eq!((&null["changed"][field], &null["userErrors"]), (&Value::Null, &json!([])), "{field}: null");
                let set = tried().await.change(&site, in_one_variable, Some(json!(before))).await;
                assert_eq!(set["changed"][field], before, "{field}: {set}");
                let empty = tried().await.change(&site, in_one_variable, Some(json!(""))).await;
                assert_eq!(
                    (&empty["changed"][field], &empty["userErrors"]),
                    (&Value::Null, &json!([])),
                    "{field}: empty"
                );
                tried().await.change(&site, in_one_variable, Some(json!(before))).await;
            } else {
                assert_eq!((&null["changed"], &null["userErrors"]), (&Value::Null, &refused(field)), "{field}: null");
            }
        }
    }
    site.assert_sound().await;
}

/// Every fault of an input that can be found at once is reported at once.
#[tokio::test]
async fn several_nulls_are_refused_together_with_other_faults() {
    let site = site().await;
    let post = create_post(&site).await;
    let update = "mutation($id: ID!) { changed: updatePost(input: { id: $id, expectedVersion: 1, slug: null, title: null, markdown: null, authorSlugs: [\"nobody\"] }) \
                  { post { id } userErrors { code field } } }";
    let answer = site.mutate(update, json!({ "id": post["id"] }), Some(EDITOR_TOKEN)).await;
    let errors = answer.body["data"]["changed"]["userErrors"].as_array().expect("a list").clone();
    let fields: Vec<_> = errors.iter().map(|error| (error["code"].as_str(), error["field"][1].as_str())).collect();
    let expected = [("INVALID", "slug"), ("NOT_FOUND", "authorSlugs"), ("INVALID", "title"), ("INVALID", "markdown")];
    assert_eq!(fields, expected.map(|(code, field)| (Some(code), Some(field))));
}

/// The document is validated as it was sent before the variables are omitted: its refusal has the cost, as every other refusal of the engine has.
#[tokio::test]
async fn a_mutation_with_an_unsent_variable_that_is_not_valid_is_refused_with_its_cost() {
    let site = Site::in_memory().await;
    let fields = "updateTag(input: { id: \"x\", expectedVersion: 1, description: $text }) { nothing }";
    for variables in [json!({}), json!({ "text": "sent" })] {
        let query = format!("mutation($text: String) {{ {fields} }}");
        let body = json!({ "query": query, "variables": variables });
        let request = json_request("application/json").header("GraphQL-Cost", "report");
        let answer = site.send(request, Some(EDITOR_TOKEN), body.to_string()).await.body;
        assert!(answer.get("data").is_none() && answer["errors"][0]["message"].as_str().is_some(), "{answer}");
        assert_eq!(answer["extensions"]["operationCost"]["spent"]["pointReads"], 0, "{answer}");
    }
}
