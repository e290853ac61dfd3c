//! Runs the `graphql` blocks of a page against the sample blog, in their order. The rule: an answer has no errors, unless the block names the code.

use serde_json::{Value, json};

use super::block::{Block, Mark};
use crate::front::Example;

/// The token of an admin, which is sent with mutations.
const TOKEN: &str = "a token of 24 characters or more";

pub fn run(page: &str, blocks: &[&Block]) {
    if !blocks.iter().any(|block| block.language == "graphql") {
        return;
    }
    let example = Example::start(&["--report-storage"], &[("TIDINGS_EDITOR_TOKEN", TOKEN)]);
    for (at, block) in blocks.iter().enumerate().filter(|(_, block)| block.language == "graphql") {
        let beneath = |mark: &Mark| {
            let mut json = blocks[at + 1..].iter().take_while(|next| next.language == "json");
            let found = json.find(|next| next.mark == *mark)?;
            Some(serde_json::from_str::<Value>(&found.text).expect("the page's JSON was read before"))
        };
        let variables = beneath(&Mark::Variables).unwrap_or_else(|| json!({}));
        let request = json!({ "query": block.text, "variables": variables });
        let is_signed = block.mark == Mark::WithToken || block.text.starts_with("mutation");
        let bearer = format!("Bearer {TOKEN}");
        let headers: &[(&str, &str)] = if is_signed { &[("authorization", &bearer)] } else { &[] };
        let mut answer = example.serving.post(headers, &request).1;
        // The index is built beside the first requests.
        while answer["errors"][0]["extensions"]["code"] == "SEARCH_NOT_READY" {
            answer = example.serving.post(headers, &request).1;
        }
        let place = format!("{page}:{}\n{}\n{variables}\nwas answered\n{answer:#}", block.line, block.text);
        assert_answer(block, &answer, &place);
        if let Some(expected) = beneath(&Mark::Answer) {
            assert_eq!(json!({ "data": answer["data"] }), expected, "{place}");
        }
    }
}

fn assert_answer(block: &Block, answer: &Value, place: &str) {
    let mut codes = Vec::new();
    codes_of(answer, &mut codes);
    match &block.mark {
        Mark::Refused(code) => assert!(codes.contains(code), "no error of the code {code}: {place}"),
        _ => assert!(answer.get("errors").is_none() && codes.is_empty(), "errors: {place}"),
    }
}

/// The codes of all `errors` and `userErrors`.
fn codes_of(value: &Value, codes: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            let errors = ["errors", "userErrors"].iter().filter_map(|name| fields.get(*name)?.as_array()).flatten();
            let code = |error: &Value| {
                error.get("code").or(error.pointer("/extensions/code")).and_then(Value::as_str).map(str::to_owned)
            };
            codes.extend(errors.map(|error| code(error).unwrap_or_else(|| "none".to_owned())));
            fields.values().for_each(|inner| codes_of(inner, codes));
        }
        Value::Array(items) => items.iter().for_each(|inner| codes_of(inner, codes)),
        _ => {}
    }
}
