//! Random creations, moves, changes and deletions of pages, compared with a model that is two columns of paths. The rule: a path finds the page that has it, or else
//! the page that had it last, and no other; after each change, whichever paths the pages had before.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use tidings::model::page_path::PATH_DEPTH_MAX;

use super::{mutate, sites};
use crate::support::random::{Random, report_seed_on_failure, seeds};
use crate::support::site::Site;

const SEEDS: u64 = 4;
const STEPS: usize = 60;
/// A check after each step would take most of the time.
const STEPS_TO_CHECK: usize = 12;
const PAGES_MAX: usize = 12;

#[derive(Debug, Clone)]
struct ModelPage {
    path: String,
    former: BTreeSet<String>,
    version: i64,
}

/// The pages by their ids.
#[derive(Debug, Clone, Default)]
struct Model(BTreeMap<String, ModelPage>);

impl Model {
    fn with_path(&self, path: &str) -> Option<&String> {
        self.0.iter().find(|(_, page)| page.path == path).map(|(id, _)| id)
    }

    fn found_by(&self, path: &str) -> Option<&String> {
        let had = || self.0.iter().find(|(_, page)| page.former.contains(path)).map(|(id, _)| id);
        self.with_path(path).or_else(had)
    }

    fn below(&self, path: &str) -> Vec<String> {
        let above = format!("{path}/");
        self.0.iter().filter(|(_, page)| page.path.starts_with(&above)).map(|(id, _)| id.clone()).collect()
    }

    /// The code with which a page is refused that would have this path.
    fn refusal(&self, of: Option<&String>, path: &str) -> Option<&'static str> {
        if let Some((above, _)) = path.rsplit_once('/') {
            let Some(parent) = self.with_path(above) else { return Some("NOT_FOUND") };
            let own = of.map(|id| &self.0[id].path);
            if own.is_some_and(|own| self.0[parent].path == *own || above.starts_with(&format!("{own}/"))) {
                return Some("INVALID");
            }
        }
        self.with_path(path).is_some().then_some("TAKEN")
    }

    /// No other page is found by the path any more.
    fn free(&mut self, path: &str) {
        for page in self.0.values_mut() {
            page.former.remove(path);
        }
    }

    fn move_page(&mut self, id: &String, path: &str) -> Result<(), &'static str> {
        let old = self.0[id].path.clone();
        if old == path {
            return Ok(());
        }
        if let Some(code) = self.refusal(Some(id), path) {
            return Err(code);
        }
        let moved = [vec![id.clone()], self.below(&old)].concat();
        let new_path = |page: &ModelPage| format!("{path}{}", &page.path[old.len()..]);
        if moved.iter().any(|id| new_path(&self.0[id]).split('/').count() > PATH_DEPTH_MAX) {
            return Err("INVALID");
        }
        for id in &moved {
            let path = new_path(&self.0[id]);
            self.free(&path);
            let page = self.0.get_mut(id).expect("a page");
            page.former.insert(std::mem::replace(&mut page.path, path));
        }
        Ok(())
    }
}

/// A path that some page has or had, or one of few others, so that most changes meet a path of before.
fn path(random: &mut Random, model: &Model) -> String {
    let known: Vec<&String> = model.0.values().flat_map(|page| page.former.iter().chain([&page.path])).collect();
    let names = ["a", "b", "c", "d"];
    match random.below(10) {
        0..3 if !known.is_empty() => (*random.pick(&known)).clone(),
        3..8 if !known.is_empty() => format!("{}/{}", random.pick(&known), random.pick(&names)),
        _ => (*random.pick(&names)).to_owned(),
    }
}

fn codes(payload: &Value) -> Vec<String> {
    let errors = payload["userErrors"].as_array().expect("a list");
    errors.iter().map(|error| error["code"].as_str().expect("a code").to_owned()).collect()
}

/// Makes one random change of the site and of the model, and asserts that both have the same outcome.
async fn step(site: &Site, model: &mut Model, random: &mut Random) -> String {
    let ids: Vec<String> = model.0.keys().cloned().collect();
    let kind = if ids.is_empty() { 0 } else { random.below(10) };
    let to = path(random, model);
    match kind {
        0..4 if ids.len() < PAGES_MAX => {
            let input = json!({ "path": to, "title": to, "markdown": "", "publish": true });
            let payload = mutate(site, "createPage", input).await;
            let refusal: Vec<&str> = match to.split('/').count() {
                ..=PATH_DEPTH_MAX => model.refusal(None, &to).into_iter().collect(),
                _ => vec!["INVALID"],
            };
            assert_eq!(codes(&payload), refusal, "create {to}");
            if let Some(id) = payload["page"]["id"].as_str() {
                model.free(&to);
                let page = ModelPage { path: to.clone(), former: BTreeSet::new(), version: 1 };
                model.0.insert(id.to_owned(), page);
            }
            format!("create {to}")
        }
        0..9 => {
            let id = random.pick(&ids).clone();
            let page = model.0[&id].clone();
            let mut input = json!({ "id": id, "expectedVersion": page.version, "path": to });
            // A move that changes the text too.
            if random.chance(30) {
                input["order"] = json!(random.below(3));
            }
            let payload = mutate(site, "updatePage", input).await;
            let moved = match to.split('/').count() {
                ..=PATH_DEPTH_MAX => model.move_page(&id, &to),
                _ => Err("INVALID"),
            };
            assert_eq!(codes(&payload), moved.err().into_iter().collect::<Vec<_>>(), "move {} to {to}", page.path);
            if let Some(version) = payload["page"]["version"].as_i64() {
                assert_eq!(payload["page"]["path"], *model.0[&id].path);
                model.0.get_mut(&id).expect("the page").version = version;
            }
            format!("move {} to {to}", page.path)
        }
        _ => {
            let id = random.pick(&ids).clone();
            let page = model.0[&id].clone();
            let payload = mutate(site, "deletePage", json!({ "id": id, "expectedVersion": page.version })).await;
            let is_used = !model.below(&page.path).is_empty();
            assert_eq!(codes(&payload), if is_used { vec!["IN_USE"] } else { vec![] }, "delete {}", page.path);
            if !is_used {
                model.0.remove(&id);
            }
            format!("delete {}", page.path)
        }
    }
}

/// Each path that some page has or ever had finds what the model says.
async fn assert_equal(site: &Site, model: &Model, ever: &BTreeSet<String>, steps: &[String]) {
    let paths: Vec<&String> = ever.iter().collect();
    for part in paths.chunks(25) {
        let fields: Vec<String> =
            part.iter().enumerate().map(|(n, path)| format!("p{n}: page(path: \"{path}\") {{ id path }}")).collect();
        let found = site.query(&format!("{{ {} }}", fields.join(" "))).await;
        for (n, path) in part.iter().enumerate() {
            let expected = match model.found_by(path) {
                Some(id) => json!({ "id": id, "path": model.0[id].path }),
                None => Value::Null,
            };
            assert_eq!(found[format!("p{n}")], expected, "the path {path} after {steps:#?}");
        }
    }
    let listed = site.query("{ pageLinks { path } }").await;
    let mut listed: Vec<&str> =
        listed["pageLinks"].as_array().expect("a list").iter().filter_map(|page| page["path"].as_str()).collect();
    listed.sort_unstable();
    let mut present: Vec<&str> = model.0.values().map(|page| page.path.as_str()).collect();
    present.sort_unstable();
    assert_eq!(listed, present, "the list of all pages after {steps:#?}");
}

#[tokio::test]
async fn each_path_finds_the_page_that_has_it_or_had_it_last_whatever_was_moved() {
    for seed in seeds(SEEDS) {
        let _report = report_seed_on_failure(seed);
        for site in sites().await {
            let (mut model, mut random) = (Model::default(), Random::new(seed));
            let (mut ever, mut steps) = (BTreeSet::new(), Vec::new());
            for n in 1..=STEPS {
                steps.push(step(&site, &mut model, &mut random).await);
                ever.extend(model.0.values().map(|page| page.path.clone()));
                assert_equal(&site, &model, &ever, &steps).await;
                if n % STEPS_TO_CHECK == 0 {
                    site.assert_sound().await;
                }
            }
            assert!(ever.len() > 3, "only {} paths", ever.len());
        }
    }
}
