//! The bounds of documents that nobody has sent yet. The rule: they are computed as for a request, for the most expensive client and the
//! most expensive values of the variables without values.

use std::sync::Arc;

use async_graphql::Variables;
use async_graphql::parser::types::{OperationType, VariableDefinition};

use crate::graphql::cost::{self, Bound, Circumstances, CostModel, DearestField, Sizes};
use crate::graphql::guard::CheckedDocument;
use crate::graphql::outline::OperationOutline;
use crate::graphql::schema;
use crate::graphql::type_map::TypeMap;
use crate::model::SiteFields;

#[derive(Debug)]
pub struct OperationBound {
    /// `None` for an operation without a name.
    pub name: Option<String>,
    pub is_mutation: bool,
    pub bound: Bound,
    /// The most expensive part; `None` if nothing is read.
    pub dearest: Option<DearestField>,
    /// The variables whose values were assumed.
    pub assumed: Vec<String>,
    /// The variables that have their default values.
    pub defaulted: Vec<String>,
    pub variables: Vec<String>,
}

pub struct BoundModel {
    costs: CostModel,
}

impl BoundModel {
    /// `fields`: the declared fields of the site.
    pub fn new(fields: &SiteFields) -> Self {
        let types =
            TypeMap::of(&schema::sdl(&schema::build_with(fields))).expect("the engine's own SDL is well-formed");
        Self { costs: CostModel::new(Arc::new(types)) }
    }

    /// The bound of each operation, in the order of the document. `given`: the values of variables, by name.
    pub fn bounds(
        &self,
        document: &CheckedDocument,
        given: &serde_json::Map<String, serde_json::Value>,
        sizes: &Sizes,
    ) -> Vec<OperationBound> {
        let given = Variables::from_json(serde_json::Value::Object(given.clone()));
        let outline = document.outline();
        let operations = outline.operations().iter().filter_map(|operation| {
            let name = operation.name.as_ref().map(async_graphql::Name::as_str);
            OperationOutline::select(Arc::clone(outline), name).ok()
        });
        operations.map(|operation| self.bound(&operation, &given, sizes)).collect()
    }

    fn bound(&self, operation: &OperationOutline, given: &Variables, sizes: &Sizes) -> OperationBound {
        let parsed = operation.operation();
        let is_mutation = parsed.kind == OperationType::Mutation;
        let sizes = cost::known_of(operation, (given, true), sizes.clone());
        // An anonymous client is admitted by the figures that it is allowed to know.
        let coarse = sizes.coarse();
        let [exact, hidden] = [&sizes, &coarse].map(|sizes| {
            let cost = self.costs.cost(operation, Circumstances { variables: given, assumes_any: true, sizes });
            (cost.bound(), cost.dearest_field())
        });
        let values = exact.0.values.max(hidden.0.values);
        let (bound, dearest) = if hidden.0.requests() > exact.0.requests() { hidden } else { exact };
        let unset = parsed.variables.iter().map(|variable| &variable.node);
        let unset = unset.filter(|variable| !given.contains_key(&variable.name.node));
        let (defaulted, assumed): (Vec<_>, Vec<_>) = unset.partition(|variable| variable.default_value.is_some());
        let name = |variable: &VariableDefinition| variable.name.node.to_string();
        OperationBound {
            name: parsed.name.as_ref().map(ToString::to_string),
            is_mutation,
            bound: Bound { values, ..bound },
            dearest,
            assumed: assumed.into_iter().map(name).collect(),
            defaulted: defaulted.into_iter().map(name).collect(),
            variables: parsed.variables.iter().map(|variable| name(&variable.node)).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::graphql::guard::Limits;
    use crate::model::{Instant, TermKind};

    fn requests(text: &str, given: serde_json::Value) -> u64 {
        let now: Instant = "2026-06-15T12:00:00Z".parse().expect("an instant");
        let sizes = Sizes::assumed(now, &[30; 60], [100; TermKind::ALL.len()]);
        let document = CheckedDocument::of(text, &Limits::default()).expect("within the limits");
        let given = given.as_object().expect("an object").clone();
        BoundModel::new(&SiteFields::default()).bounds(&document, &given, &sizes)[0].bound.requests()
    }

    #[test]
    fn a_variable_without_a_value_has_the_dearest_one() {
        let written = |size: u64| format!("{{ posts(first: {size}) {{ nodes {{ tags {{ name }} }} }} }}");
        let sized = "query($first: Int!) { posts(first: $first) { nodes { tags { name } } } }";
        let defaulted = "query($first: Int = 7) { posts(first: $first) { nodes { tags { name } } } }";
        assert_eq!(requests(sized, json!({})), requests(&written(100), json!({})));
        assert_eq!(requests(sized, json!({ "first": 7 })), requests(&written(7), json!({})));
        assert_eq!(requests(defaulted, json!({})), requests(&written(7), json!({})));
        let archive = "query($year: Int) { archive(year: $year) { posts { nodes { id } } } }";
        assert_eq!(requests(archive, json!({})), requests("{ archive { posts { nodes { id } } } }", json!({})));
        let filtered = "query($filter: PostFilter) { posts(filter: $filter) { nodes { id } } }";
        for filter in
            [json!(null), json!({ "tags": { "all": ["a", "b"], "none": ["c"] } }), json!({ "tags": { "any": ["a"] } })]
        {
            assert!(requests(filtered, json!({})) >= requests(filtered, json!({ "filter": filter })), "{filter}");
        }
    }

    fn assert_dearest(text: &str, values: &[serde_json::Value]) {
        let bound = requests(text, json!({}));
        for given in values {
            let of_given = requests(text, given.clone());
            assert!(bound >= of_given, "{bound} < {of_given}: {text:.100} {given:.100}");
        }
    }

    #[test]
    fn no_ids_cost_more_than_those_that_are_assumed() {
        let [tag, category, author, post] =
            ["tag-0123456789abcnVzdA", "category-0123456789abcnVzdA", "author-0123456789abcnVzdA", "post-0123456789ab"];
        let posts = "posts(first: 100) { nodes { id tags { name } } }";
        let node = format!(
            "query($id: ID!) {{ node(id: $id) {{ ... on Token {{ author {{ {posts} }} }} ... on Tag {{ {posts} }} }} }}"
        );
        assert_dearest(&node, &[json!({ "id": tag }), json!({ "id": "token-0123456789yz" }), json!({ "id": post })]);
        let two = format!(
            "query($a: ID!, $b: ID!) {{ a: node(id: $a) {{ ... on Tag {{ {posts} }} }} b: node(id: $b) {{ ... on Category {{ {posts} }} }} }}"
        );
        assert_dearest(&two, &[json!({ "a": tag, "b": category }), json!({ "a": category, "b": tag })]);
        let list = format!(
            "query($ids: [ID!]!) {{ nodes(ids: $ids) {{ ... on Tag {{ {posts} }} ... on Category {{ {posts} }} ... on Author {{ {posts} }} \
             ... on Post {{ categories {{ name }} tags {{ name }} }} }} }}"
        );
        let all_of = |ids: &[&str]| json!({ "ids": ids.iter().cycle().take(100).collect::<Vec<_>>() });
        assert_dearest(
            &list,
            &[all_of(&[tag]), all_of(&[post]), all_of(&[tag, category, author]), all_of(&[tag, post])],
        );
    }

    #[test]
    fn no_input_and_no_page_costs_more_than_those_that_are_assumed() {
        let create = "mutation($input: CreatePostInput!) { createPost(input: $input) { post { id } } }";
        let terms = vec!["a"; 100];
        let without_slug =
            json!({ "title": "x", "markdown": "x", "tagSlugs": terms, "categorySlugs": terms, "authorSlugs": terms });
        let mut with_slug = without_slug.clone();
        with_slug["slug"] = "x".into();
        assert_dearest(create, &[json!({ "input": without_slug }), json!({ "input": with_slug })]);
        let slug = "mutation($slug: String) { createPost(input: { title: \"x\", markdown: \"x\", slug: $slug }) { post { id } } }";
        assert_dearest(slug, &[json!({ "slug": "x" }), json!({ "slug": null })]);
        let both = "query($first: Int, $last: Int, $after: String, $before: String) { posts(first: 100) { nodes { \
                    revisions(first: $first, last: $last, after: $after, before: $before) { nodes { id } } } } }";
        let sizes = [
            json!({ "first": 100 }),
            json!({ "last": 100 }),
            json!({ "last": 100, "before": "x" }),
            json!({ "first": 9, "after": "x" }),
        ];
        assert_dearest(both, &sizes);
        let filtered = "query($filter: PostFilter, $order: PostOrder, $last: Int) { posts(filter: $filter, orderBy: $order, last: $last) \
                        { nodes { id } totalCount pageInfo { hasPreviousPage } } }";
        let order = json!({ "field": "PUBLISHED_AT", "direction": "ASC" });
        let dates = json!({ "publishedAt": { "gt": "2026-01-01T00:00:00Z" } });
        let filters = [
            json!({ "filter": { "tags": { "any": ["a", "b"] } } }),
            json!({ "order": order, "last": 50 }),
            json!({ "filter": dates }),
        ];
        assert_dearest(filtered, &filters);
        let of_series =
            "query($order: PostOrder) { series(slug: \"a\") { posts(first: 1, orderBy: $order) { nodes { id } } } }";
        assert_dearest(of_series, &[json!({ "order": null }), json!({ "order": order })]);
    }

    /// Each list has its own variables, so one may cost most from its end and another from its beginning.
    const PAGES: &str = "query($f: Int, $l: Int, $a: String, $o: PostOrder, $g: Int, $m: Int, $b: String, $t: TermOrder, $s: Boolean = true) { \
         posts(first: $f, last: $l, after: $a, orderBy: $o) { totalCount pageInfo { hasNextPage hasPreviousPage } \
           nodes { authors { name } revisions(first: $g, last: $m, before: $b) { nodes { version } totalCount } } } \
         tags(first: $g, last: $m, orderBy: $t) { nodes { posts(first: $f, last: $l, orderBy: $o) { nodes { older { title } } } } \
           pageInfo @include(if: $s) { hasPreviousPage } } }";

    #[test]
    fn no_values_of_the_variables_cost_more_than_the_bound_without_values() {
        let mut state = 11_u64;
        let mut below = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as usize % end
        };
        let (model, bound, mut dearest) = (BoundModel::new(&SiteFields::default()), requests(PAGES, json!({})), 0);
        for _ in 0..300 {
            let mut given = serde_json::Map::new();
            for name in ["f", "l", "g", "m"] {
                if below(2) == 0 {
                    given.insert(
                        name.to_owned(),
                        [json!(null), json!(1), json!(7), json!(50), json!(100)][below(5)].clone(),
                    );
                }
            }
            for name in ["a", "b"] {
                if below(2) == 0 {
                    given.insert(name.to_owned(), json!("x"));
                }
            }
            for (name, field) in [("o", "PUBLISHED_AT"), ("t", "SLUG")] {
                let direction = if below(2) == 0 { "ASC" } else { "DESC" };
                if below(2) == 0 {
                    given.insert(name.to_owned(), json!({ "field": field, "direction": direction }));
                }
            }
            let of_given = of_request(&model, PAGES, &given);
            dearest = dearest.max(of_given);
            assert!(bound >= of_given, "{bound} < {of_given}: {given:?}");
        }
        assert!(dearest > bound / 10, "{bound} is far above the dearest of all, {dearest}");
    }

    /// The bound of a request with these variables, as a server computes it.
    fn of_request(model: &BoundModel, text: &str, given: &serde_json::Map<String, serde_json::Value>) -> u64 {
        let now: Instant = "2026-06-15T12:00:00Z".parse().expect("an instant");
        let sizes = Sizes::assumed(now, &[30; 60], [100; TermKind::ALL.len()]);
        let document = CheckedDocument::of(text, &Limits::default()).expect("within the limits");
        let operation = OperationOutline::select(Arc::clone(document.outline()), None).expect("an operation");
        let variables = Variables::from_json(serde_json::Value::Object(given.clone()));
        let circumstances = Circumstances { variables: &variables, assumes_any: false, sizes: &sizes };
        model.costs.cost(&operation, circumstances).bound().requests()
    }
}
