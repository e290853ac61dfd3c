//! The lists of a tree of categories: the categories above one and below one, in pages; and what is cached of them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{change, create, delete, place, sites, slugs_of};
use crate::support::site::Site;

async fn children(site: &Site, arguments: &str) -> Value {
    let page = "nodes { slug } edges { cursor node { slug } } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }";
    let query = format!("{{ category(slug: \"top\") {{ children{arguments} {{ {page} }} }} }}");
    site.query(&query).await["category"]["children"].clone()
}

#[tokio::test]
async fn the_children_are_pages_by_slug_with_exact_counts() {
    for site in sites().await {
        let top = create(&site, "top", None).await;
        assert_eq!(children(&site, "").await["totalCount"], json!(0));
        for n in [3, 1, 4, 0, 2] {
            create(&site, &format!("c{n}"), Some(&top)).await;
        }
        let (mut found, mut after) = (Vec::new(), Value::Null);
        loop {
            let arguments =
                if after.is_null() { "(first: 2)".to_owned() } else { format!("(first: 2, after: {after})") };
            let page = children(&site, &arguments).await;
            assert_eq!(page["totalCount"], json!(5));
            let nodes: Vec<String> = slugs_of(&page["nodes"]).into_iter().map(str::to_owned).collect();
            let edges = page["edges"].as_array().expect("edges").iter().map(|edge| edge["node"]["slug"].as_str());
            assert!(edges.eq(nodes.iter().map(|slug| Some(slug.as_str()))));
            found.extend(nodes);
            let info = &page["pageInfo"];
            assert_eq!(
                (&info["hasNextPage"], &info["hasPreviousPage"]),
                (&json!(found.len() < 5), &json!(!after.is_null()))
            );
            after = info["endCursor"].clone();
            if found.len() >= 5 {
                break;
            }
        }
        assert_eq!(found, ["c0", "c1", "c2", "c3", "c4"]);
        // A cursor of a category that has left the list continues at its place.
        let page = children(&site, "(first: 2)").await;
        place(&site, "c1", &Value::Null).await;
        let after = page["pageInfo"]["endCursor"].clone();
        assert_eq!(
            slugs_of(&children(&site, &format!("(first: 9, after: {after})")).await["nodes"]),
            ["c2", "c3", "c4"]
        );
        site.assert_sound().await;
    }
}

#[tokio::test]
async fn a_cursor_of_another_list_and_a_size_out_of_range_are_refused() {
    for site in sites().await {
        let top = create(&site, "top", None).await;
        create(&site, "a", Some(&top)).await;
        let all = site.query("{ categories { pageInfo { endCursor } } }").await;
        let other = all["categories"]["pageInfo"]["endCursor"].clone();
        for (arguments, code) in [
            (format!("after: {other}"), "BAD_CURSOR"),
            ("first: 101".to_owned(), "BAD_USER_INPUT"),
            ("first: -1".to_owned(), "BAD_USER_INPUT"),
        ] {
            let query = format!("{{ category(slug: \"top\") {{ children({arguments}) {{ nodes {{ slug }} }} }} }}");
            let answer = site.ask_as(None, &query).await;
            assert_eq!(answer["errors"][0]["extensions"]["code"], code, "{answer}");
        }
        assert_eq!(slugs_of(&children(&site, "(first: 0)").await["nodes"]), [""; 0]);
    }
}

#[tokio::test]
async fn the_breadcrumbs_are_the_categories_above_from_the_top() {
    for site in sites().await {
        let mut above = create(&site, "c0", None).await;
        for level in 1..10 {
            above = create(&site, &format!("c{level}"), Some(&above)).await;
        }
        let query = "{ category(slug: \"c9\") { breadcrumbs { slug } parent { slug parent { slug } } } first: category(slug: \"c0\") { parent { slug } breadcrumbs { slug } } }";
        let data = site.query(query).await;
        let expected: Vec<String> = (0..9).map(|level| format!("c{level}")).collect();
        assert_eq!(slugs_of(&data["category"]["breadcrumbs"]), expected);
        assert_eq!(data["category"]["parent"], json!({ "slug": "c8", "parent": { "slug": "c7" } }));
        assert_eq!(data["first"], json!({ "parent": null, "breadcrumbs": [] }));
    }
}

/// What is cached is never older than the last change: each answer equals that of a server that holds nothing.
#[tokio::test]
async fn what_is_cached_of_a_tree_is_dropped_by_each_change_of_it() {
    for site in sites().await {
        let [a, b] = [create(&site, "a", None).await, create(&site, "b", None).await];
        create(&site, "inner", None).await;
        let list = "children { totalCount nodes { slug name parent { slug } } } breadcrumbs { slug } parent { slug }";
        let query = format!("{{ categories(first: 10) {{ nodes {{ slug {list} }} }} }}");
        let mut seen = BTreeSet::new();
        for step in 0..7 {
            match step {
                0 => drop(place(&site, "inner", &a).await),
                1 => drop(place(&site, "inner", &b).await),
                2 => drop(change(&site, "inner", json!({ "name": "Other" })).await),
                3 => drop(change(&site, "inner", json!({ "slug": "renamed" })).await),
                4 => drop(place(&site, "b", &a).await),
                5 => drop(change(&site, "a", json!({ "slug": "first" })).await),
                _ => drop(delete(&site, "renamed").await),
            }
            let first = site.query(&query).await;
            assert_eq!(site.query(&query).await, first, "step {step}");
            site.invalidate_cached();
            assert_eq!(site.query(&query).await, first, "step {step}");
            assert!(seen.insert(first.to_string()), "step {step} changes what is seen");
        }
        site.assert_sound().await;
    }
}
