//! The tools: what each is called, what it takes, and what it runs. The rule: what a tool takes is read from its GraphQL document and the schema.

use std::sync::{Arc, LazyLock};

use async_graphql::parser::types::OperationType;
use rmcp::model::{Tool as Definition, ToolAnnotations};
use serde_json::{Map, Value, json};

use super::schema::Types;
use crate::graphql::guard::{CheckedDocument, Limits};
use crate::graphql::outline::{Operation, Outline};
use crate::graphql::persisted::TrustedDocument;
use crate::http::settings::HttpSettings;

/// The documents of the tools of every site. A tool is named as its operation.
pub(super) const TEXT: &str = "\
query search($query: String!, $types: [ContentType!], $filter: PostFilter, $first: Int = 10, $after: String) {
  search(query: $query, types: $types, filter: $filter, first: $first, after: $after) {
    nodes { type: __typename id slug title status excerpt canonicalUrl ... on Post { publishedAt } ... on Page { path } }
    pageInfo { hasNextPage endCursor }
    suggestion
  }
}
query changes($after: String, $first: Int) {
  changes(after: $after, first: $first) {
    changes { nodeId nodeType slug formerSlug path formerPath version actions occurredAt }
    hasNextPage
    endCursor
  }
}
query viewer { viewer { role } }
mutation create_draft($input: CreatePostInput!) {
  createPost(input: $input) { post { ...Written } userErrors { ...Refused } }
}
mutation update($input: UpdatePostInput!) {
  updatePost(input: $input) { post { ...Written } userErrors { ...Refused } }
}
mutation create_page_draft($input: CreatePageInput!) {
  createPage(input: $input) { page { ...WrittenPage } userErrors { ...Refused } }
}
mutation update_page($input: UpdatePageInput!) {
  updatePage(input: $input) { page { ...WrittenPage } userErrors { ...Refused } }
}
fragment Written on Post { id slug version status title canonicalUrl }
fragment WrittenPage on Page { id path version status title canonicalUrl }
fragment Refused on UserError {
  code message field ... on ConflictError { current { id ... on Post { version } ... on Page { version } } }
}
";

pub(super) static DOCUMENT: LazyLock<Arc<CheckedDocument>> =
    LazyLock::new(|| Arc::new(CheckedDocument::of(TEXT, &Limits::default()).expect("a test calls each tool")));

/// The longest name that clients of the protocol accept.
const NAME_BYTES_MAX: usize = 128;
/// The most of a document that describes a tool.
const DESCRIPTION_BYTES_MAX: usize = 2_000;

pub(in crate::http) struct Tools {
    pub all: Vec<Tool>,
}

pub(in crate::http) struct Tool {
    pub definition: Definition,
    pub writes: bool,
    pub runs: Runs,
}

pub(in crate::http) enum Runs {
    /// The operation with its name, with the arguments as variables.
    Own,
    /// The same, with the arguments as the fields of `input`. `draft`: of a new post or page that is not published.
    OwnInput {
        draft: bool,
    },
    Changes,
    Read,
    /// An operation of the operator's manifests.
    Persisted {
        text: Arc<str>,
        operation: String,
    },
}

impl Tools {
    /// With `manifests_only`, the tools are those of the manifests. Of several operations with a name, the first is a tool.
    pub(in crate::http) fn of(sdl: &str, settings: &HttpSettings) -> Self {
        let types = Types::of(sdl);
        let mut all = if settings.trusted_only { Vec::new() } else { own(&types) };
        for document in settings.trusted.all() {
            let mut operations: Vec<&Operation> = document.checked.outline().operations().iter().collect();
            // The parser gives them no order, and clients cache the list.
            operations.sort_by_key(|operation| (operation.position.line, operation.position.column));
            for operation in operations {
                let tool = persisted(&types, document, operation, settings.limits.query.introspection);
                let is_new = |tool: &Tool| all.iter().all(|other: &Tool| other.definition.name != tool.definition.name);
                all.extend(tool.filter(is_new));
            }
        }
        Self { all }
    }

    pub(super) fn find(&self, name: &str) -> Option<&Tool> {
        self.all.iter().find(|tool| tool.definition.name == name)
    }
}

impl Tool {
    pub(super) fn arguments(&self) -> impl Iterator<Item = &str> {
        let properties = self.definition.input_schema.get("properties").and_then(Value::as_object);
        properties.into_iter().flat_map(Map::keys).map(String::as_str)
    }

    pub(super) fn takes(&self, name: &str) -> bool {
        self.arguments().any(|argument| argument == name)
    }

    fn new(name: &str, description: String, schema: Map<String, Value>, (writes, runs): (bool, Runs)) -> Self {
        let hints = ToolAnnotations::new().read_only(!writes).open_world(false);
        let hints = if writes { hints.destructive(!matches!(runs, Runs::OwnInput { draft: true })) } else { hints };
        let definition = Definition::new(name.to_owned(), description, schema).with_annotations(hints);
        Self { definition, writes, runs }
    }
}

fn own(types: &Types) -> Vec<Tool> {
    let outline = DOCUMENT.outline();
    let of_variables = |name: &str| {
        let operation =
            outline.operations().iter().find(|operation| operation.name.as_ref().is_some_and(|of| of.as_str() == name));
        operation.map(|operation| types.of_variables(outline, operation)).unwrap_or_default()
    };
    let mut changes = of_variables("changes");
    changes["properties"]["types"] = json!({
        "type": "array",
        "items": types.of_named("ChangedType"),
        "description": "Only changes of objects of these types.",
    });
    let draft = |input: &str| types.of_fields(input, &["publish", "publishAt", "unpublishAt"]);
    let update = |input: &str| types.of_fields(input, &[]);
    [
        (
            "search",
            "Finds posts and pages by words. It needs words: it does not list everything.",
            of_variables("search"),
            (false, Runs::Own),
        ),
        (
            "read",
            "A post or page as Markdown, below a head with its facts. Give one argument.",
            arguments_of_read(),
            (false, Runs::Read),
        ),
        (
            "changes",
            "What has changed after a position; without `after`, the position of now.",
            changes,
            (false, Runs::Changes),
        ),
        (
            "create_draft",
            "Creates a post that is a draft. A person publishes it.",
            draft("CreatePostInput"),
            (true, Runs::OwnInput { draft: true }),
        ),
        (
            "update",
            "Changes a post; a change of a published one is public at once. What you give replaces what was there: repeat the tags, categories, authors and \
             metadata that are to stay, as `read` shows them. `markdown` is the text without the head of `read`. If the post was changed since \
             `expectedVersion`, the result is CONFLICT: read it again.",
            update("UpdatePostInput"),
            (true, Runs::OwnInput { draft: false }),
        ),
        (
            "create_page_draft",
            "Creates a page that is a draft, at `path`, below a page that exists. A person publishes it.",
            draft("CreatePageInput"),
            (true, Runs::OwnInput { draft: true }),
        ),
        (
            "update_page",
            "Changes a page as `update` changes a post. Another `path` moves it, with the pages below it.",
            update("UpdatePageInput"),
            (true, Runs::OwnInput { draft: false }),
        ),
    ]
    .map(|(name, about, schema, runs)| Tool::new(name, about.to_owned(), schema, runs))
    .into()
}

fn arguments_of_read() -> Map<String, Value> {
    let text = |description: &str| json!({ "type": "string", "description": description });
    object(json!({
        "type": "object",
        "properties": {
            "slug": text("Of a post, such as `hello`; a former one finds it too."),
            "path": text("Of a page, such as `docs/install`; a former one finds it too."),
            "id": text("Of a post or page, from another tool."),
        },
        "additionalProperties": false,
    }))
}

/// `None` for what cannot be called with one answer, and for an operation without a name.
fn persisted(types: &Types, document: &TrustedDocument, operation: &Operation, shows_text: bool) -> Option<Tool> {
    let TrustedDocument { text, checked } = document;
    let name = operation.name.as_ref()?.as_str();
    let is_one_answer = operation.kind != OperationType::Subscription && !operation.is_live();
    if !is_one_answer || name.len() > NAME_BYTES_MAX {
        return None;
    }
    let outline: &Outline = checked.outline();
    let shown = if shows_text { &text[..text.floor_char_boundary(DESCRIPTION_BYTES_MAX)] } else { "" };
    let description = format!("A GraphQL document of this site. {shown}").trim_end().to_owned();
    let runs = Runs::Persisted { text: Arc::clone(text), operation: name.to_owned() };
    let writes = operation.kind == OperationType::Mutation;
    Some(Tool::new(name, description, types.of_variables(outline, operation), (writes, runs)))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        _ => Map::new(),
    }
}
