//! Commands as GraphQL mutations over HTTP, and the reply in the answer. The rule: an answer that is not complete leaves the outcome open.

use serde_json::{Map, Value, json};
use tidings::model::{NodeId, PostId};

use super::asking::{Reply, TRIES_MAX};
use super::graphql::EDITOR_TOKEN;
use super::model::{Command, Refusal, body_of, is_featured, language_of, metadata_of};

/// Sends a command to a server at `host:port`; the change of a tag as [`super::asking`] does.
pub async fn send(client: &reqwest::Client, address: &str, command: &Command) -> Reply {
    for _ in 0..TRIES_MAX {
        let tag = match command.tag() {
            None => None,
            Some(slug) => {
                let query = format!("{{ tag(slug: \"{slug}\") {{ id version }} }}");
                match post(client, address, &query, &json!({})).await {
                    // Nothing was sent that changes anything, but a server that does not answer is a lost one.
                    Err(error) => return Reply::Unknown(error),
                    Ok(text) => serde_json::from_str::<Value>(&text).ok().map(|answer| answer["data"]["tag"].clone()),
                }
            }
        };
        let Some((field, kind, input)) = mutation(command, tag.as_ref()) else {
            return Reply::Refused(Refusal::NotFound);
        };
        let answer = match field {
            "deletePost" | "createTag" | "updateTag" | "deleteTag" => "__typename",
            _ => "post { id }",
        };
        let query =
            format!("mutation($input: {kind}!) {{ {field}(input: $input) {{ {answer} userErrors {{ code }} }} }}");
        let reply = match post(client, address, &query, &json!({ "input": input })).await {
            Ok(text) => reply_of(field, &text),
            Err(error) => Reply::Unknown(error),
        };
        let is_raced = match &reply {
            Reply::Refused(Refusal::Conflict | Refusal::NotFound) => tag.is_some(),
            Reply::Refused(Refusal::Taken) => field == "createTag",
            _ => false,
        };
        if !is_raced {
            return reply;
        }
    }
    Reply::Refused(Refusal::Busy)
}

async fn post(client: &reqwest::Client, address: &str, query: &str, variables: &Value) -> Result<String, String> {
    let request = client
        .post(format!("http://{address}/graphql"))
        .header("content-type", "application/json")
        .header("authorization", format!("Bearer {EDITOR_TOKEN}"))
        .body(json!({ "query": query, "variables": variables }).to_string());
    let answered = async { request.send().await?.text().await }.await;
    answered.map_err(|error| error.to_string())
}

/// `tag`: the tag that the command names, or null. `None` if the command needs a tag that does not exist.
fn mutation(command: &Command, tag: Option<&Value>) -> Option<(&'static str, &'static str, Value)> {
    let named = || {
        let tag = tag.filter(|tag| !tag.is_null())?;
        Some(json!({ "id": tag["id"], "expectedVersion": tag["version"] }))
    };

    let node = |id: &str| NodeId::Post(id.parse::<PostId>().expect("an id")).to_string();
    Some(match command {
        Command::Create { slug, title, tags, publish_at } => {
            let mut input = json!({ "slug": slug, "title": title, "markdown": body_of(title), "tagSlugs": tags });
            input["createMissingTags"] = json!(true);
            input["metadata"] = json_of(&metadata_of(title));
            input["language"] = json!(language_of(title));
            input["featured"] = json!(is_featured(title));
            if let Some(at) = publish_at {
                input["publishAt"] = json!(at.to_string());
            }
            ("createPost", "CreatePostInput", input)
        }
        Command::Update { id, version, changes } => {
            let mut input =
                Map::from_iter([("id".to_owned(), json!(node(id))), ("expectedVersion".to_owned(), json!(version))]);
            let texts = [
                ("slug", &changes.slug),
                ("title", &changes.title),
                ("markdown", &changes.markdown),
                ("language", &changes.language),
            ];
            for (name, text) in texts {
                input.extend(text.as_ref().map(|text| (name.to_owned(), json!(text))));
            }
            input.extend(changes.is_featured.map(|is_featured| ("featured".to_owned(), json!(is_featured))));
            let series = changes.series.as_ref().map(|series| Some(series).filter(|series| !series.is_empty()));
            input.extend(series.map(|series| ("seriesSlug".to_owned(), json!(series))));
            input.extend(changes.metadata.as_ref().map(|text| ("metadata".to_owned(), json_of(text))));
            input.extend(changes.publish_at.map(|at| ("publishAt".to_owned(), json!(at.to_string()))));
            input.extend(changes.tags.as_ref().map(|tags| ("tagSlugs".to_owned(), json!(tags))));
            input.insert("createMissingTags".to_owned(), json!(true));
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
            ("deletePost", "DeleteInput", json!({ "id": node(id), "expectedVersion": version }))
        }
        Command::SaveTag { slug, name } => match named() {
            None => ("createTag", "CreateTagInput", json!({ "slug": slug, "name": name })),
            Some(mut input) => {
                input["name"] = json!(name);
                ("updateTag", "UpdateTagInput", input)
            }
        },
        Command::RenameTag { new_slug, .. } => {
            let mut input = named()?;
            input["slug"] = json!(new_slug);
            ("updateTag", "UpdateTagInput", input)
        }
        Command::DeleteTag { .. } => ("deleteTag", "DeleteInput", named()?),
        Command::MergeTag { .. } => {
            unreachable!("only histories of one client have merges, and ask the editor for them")
        }
    })
}

fn json_of(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
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
