//! The Grafana dashboard in `packaging/`. The rule: it asks only for metrics and labels that docs/telemetry.md describes, and its panels do not overlap.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::repository;

/// Labels that Prometheus adds, and that of the buckets of a histogram.
const ADDED: [&str; 3] = ["job", "instance", "le"];

fn panels() -> Vec<Value> {
    let dashboard: Value = serde_json::from_str(&repository("packaging/grafana-dashboard.json")).expect("JSON");
    dashboard["panels"].as_array().expect("panels").clone()
}

fn expressions(panels: &[Value]) -> Vec<String> {
    let targets = panels.iter().filter_map(|panel| panel["targets"].as_array()).flatten();
    targets.map(|target| target["expr"].as_str().expect("an expression").to_owned()).collect()
}

/// The labels of each metric of docs/telemetry.md, by the name of its family.
fn described() -> BTreeMap<String, BTreeSet<String>> {
    let docs = repository("docs/telemetry.md");
    let rows = docs.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    rows.map(|(name, rest)| {
        let (labels, _) = rest.split_once('|').expect("a column of labels");
        (name.to_owned(), labels.split('`').skip(1).step_by(2).map(str::to_owned).collect())
    })
    .collect()
}

fn is_of_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The names of the metrics of an expression, each with the labels in its braces.
fn metrics(expression: &str) -> Vec<(String, Vec<String>)> {
    let starts = expression.match_indices(['t', 'p']).map(|(at, _)| at);
    let starts = starts.filter(|at| !expression[..*at].ends_with(is_of_name));
    let is_metric = |at: &usize| ["tidings_", "process_"].iter().any(|prefix| expression[*at..].starts_with(prefix));
    starts
        .filter(is_metric)
        .map(|at| {
            let (name, rest) = expression[at..].split_at(expression[at..].find(|c| !is_of_name(c)).expect("braces"));
            let (inside, _) = rest.strip_prefix('{').and_then(|rest| rest.split_once('}')).expect("braces");
            let labels = inside.split(',').map(|label| label.split(['=', '!']).next().expect("a label").to_owned());
            (name.to_owned(), labels.collect())
        })
        .collect()
}

/// The labels by which an expression groups.
fn groups(expression: &str) -> Vec<String> {
    let lists = expression.split(" by (").skip(1).map(|rest| rest.split_once(')').expect("a list").0);
    lists.flat_map(|list| list.split(", ").map(str::to_owned)).collect()
}

#[test]
fn the_dashboard_asks_for_metrics_and_labels_that_exist() {
    let described = described();
    let expressions = expressions(&panels());
    assert!(expressions.len() > 20, "{expressions:?}");
    for expression in expressions {
        let metrics = metrics(&expression);
        assert!(!metrics.is_empty(), "{expression}");
        for (name, labels) in metrics {
            let family = ["_bucket", "_sum", "_count"].iter().find_map(|end| name.strip_suffix(end));
            let known = family.and_then(|family| described.get(family)).or_else(|| described.get(&name));
            let known = known.unwrap_or_else(|| panic!("{name} of {expression}"));
            for label in labels.iter().chain(&groups(&expression)) {
                assert!(known.contains(label) || ADDED.contains(&label.as_str()), "{label} of {name} in {expression}");
            }
        }
        let count = |c: char| expression.matches(c).count();
        assert_eq!((count('('), count('{'), count('[')), (count(')'), count('}'), count(']')), "{expression}");
    }
}

#[test]
fn its_panels_have_titles_and_units_and_do_not_overlap() {
    let mut taken = BTreeSet::new();
    let mut ids = BTreeSet::new();
    for panel in panels() {
        assert!(ids.insert(panel["id"].as_i64().expect("an id")), "{panel}");
        assert!(panel["title"].as_str().is_some_and(|title| !title.is_empty()), "{panel}");
        let is_row = panel["type"] == "row";
        assert!(is_row || panel["fieldConfig"]["defaults"]["unit"].is_string(), "{panel}");
        let [x, y, w, h] = ["x", "y", "w", "h"].map(|side| panel["gridPos"][side].as_u64().expect("a number"));
        assert!(w > 0 && h > 0 && x + w <= 24, "{panel}");
        for cell in (x..x + w).flat_map(|x| (y..y + h).map(move |y| (x, y))) {
            assert!(taken.insert(cell), "{panel}");
        }
    }
}
