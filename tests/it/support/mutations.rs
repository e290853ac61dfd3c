//! Commands as GraphQL mutations over HTTP, and the reply in the answer. The rule: an answer that is not complete leaves the outcome open.

use serde_json::{Map, Value, json};
use tidings::model::{NodeId, PostId};

use super::asking::Reply;
use super::graphql::EDITOR_TOKEN;
use super::model::{Command, Refusal, body_of};

/// Sends a command to a server at `host:port`.
pub async fn send(client: &reqwest::Client, address: &str, command: &Command) -> Reply {
    let (field, kind, input) = mutation(command);
    let answer = match field {
        "deletePost" | "saveTag" | "deleteTag" => "__typename",
        _ => "post { id }",
    };
    let query = format!("mutation($input: {kind}!) {{ {field}(input: $input) {{ {answer} userErrors {{ code }} }} }}");
    let body = json!({ "query": query, "variables": { "input": input } }).to_string();
    let request = client
        .post(format!("http://{address}/graphql"))
        .header("content-type", "application/json")
        .header("authorization", format!("Bearer {EDITOR_TOKEN}"))
        .body(body);
    let answered = async { request.send().await?.text().await }.await;
    match answered {
        Ok(text) => reply_of(field, &text),
        Err(error) => Reply::Unknown(error.to_string()),
    }
}

fn mutation(command: &Command) -> (&'static str, &'static str, Value) {
    let node = |id: &str| NodeId::Post(id.parse::<PostId>().expect("an id")).to_string();
    match command {
        Command::Create { slug, title, tags, publish_at } => {
            let mut input = json!({ "slug": slug, "title": title, "markdown": body_of(title), "tags": tags });
            if let Some(at) = publish_at {
                input["publishAt"] = json!(at.to_string());
            }
            ("createPost", "CreatePostInput", input)
        }
        Command::Update { id, version, changes } => {
            let mut input =
                Map::from_iter([("id".to_owned(), json!(node(id))), ("expectedVersion".to_owned(), json!(version))]);
            let texts = [("slug", &changes.slug), ("title", &changes.title), ("markdown", &changes.markdown)];
            for (name, text) in texts {
                input.extend(text.as_ref().map(|text| (name.to_owned(), json!(text))));
            }
            input.extend(changes.tags.as_ref().map(|tags| ("tags".to_owned(), json!(tags))));
            ("updatePost", "UpdatePostInput", Value::Object(input))
        }
        Command::Publish { id, version, at } => {
            let input = json!({ "id": node(id), "expectedVersion": version, "publishAt": at.to_string() });
            ("publishPost", "PublishPostInput", input)
        }
        Command::Unpublish { id, version } => {
            ("unpublishPost", "UnpublishPostInput", json!({ "id": node(id), "expectedVersion": version }))
        }
        Command::Delete { id, version } => {
            ("deletePost", "DeletePostInput", json!({ "id": node(id), "expectedVersion": version }))
        }
        Command::SaveTag { slug, name } => ("saveTag", "SaveTagInput", json!({ "slug": slug, "name": name })),
        Command::RenameTag { slug, new_slug } => {
            ("saveTag", "SaveTagInput", json!({ "slug": slug, "newSlug": new_slug }))
        }
        Command::DeleteTag { slug } => ("deleteTag", "DeleteTermInput", json!({ "slug": slug })),
    }
}

fn reply_of(field: &str, text: &str) -> Reply {
    let Ok(answer) = serde_json::from_str::<Value>(text) else { return Reply::Unknown(format!("no JSON: {text}")) };
    if answer["errors"][0]["extensions"]["code"] == "CHANGE_IN_PROGRESS" {
        return Reply::Refused(Refusal::Busy);
    }
    let payload = &answer["data"][field];
    let Some(errors) = payload["userErrors"].as_array().filter(|_| answer.get("errors").is_none()) else {
        return Reply::Unknown(text.to_owned());
    };
    match errors.first().and_then(|error| error["code"].as_str()) {
        None => {
            let id = payload["post"]["id"].as_str().unwrap_or_default();
            Reply::Done(id.strip_prefix("post-").unwrap_or_default().to_owned())
        }
        Some("TAKEN") => Reply::Refused(Refusal::Taken),
        Some("CONFLICT") => Reply::Refused(Refusal::Conflict),
        Some("NOT_FOUND") => Reply::Refused(Refusal::NotFound),
        Some("IN_USE") => Reply::Refused(Refusal::InUse),
        Some(_) => panic!("no command here is refused with this code: {text}"),
    }
}
