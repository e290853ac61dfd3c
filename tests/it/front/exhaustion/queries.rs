//! Queries that are admitted and take much processor time.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use serde_json::json;

use super::attack::{Attack, CACHES, is_measured, outcome};
use crate::front::well_behaved::{ask, post};
use crate::support::command::{Blog, Serving};

const TAGS: usize = 20;

/// So many tags from one on, as a list.
fn tags(first: usize, count: usize) -> String {
    (first..first + count).map(|tag| format!("\"tag-{}\"", tag % TAGS)).collect::<Vec<_>>().join(", ")
}

/// Twelve pages of posts with any of many tags and none of two others, each with its count. No two have the same lists, so that no list is cached.
fn dear_query(number: usize) -> String {
    let list = |alias: usize| {
        let n = 12 * number + alias;
        let (minute, second) = (n / 60 % 60, n % 60);
        let (any, none) = (tags(n, 17), tags(7 * n, 2));
        let filter = format!(
            "publishedAt: {{ gte: \"1990-01-01T00:{minute:02}:{second:02}Z\" }}, tags: {{ any: [{any}], none: [{none}] }}"
        );
        format!(
            "a{alias}: posts(first: 100, filter: {{ {filter} }}) {{ totalCount nodes {{ title tags {{ name }} }} }} "
        )
    };
    format!("{{ {} }}", (0..12).map(list).collect::<String>())
}

/// Sixteen clients send such queries again and again. No answer is cached, so the well-behaved client needs the processors too.
#[test]
fn dear_queries_do_not_delay_others() {
    let posts = if is_measured() { 10_000 } else { 200 };
    let blog = Blog::of(&[]);
    for n in 0..posts {
        let (day, month, year) = (n % 28 + 1, n / 28 % 12 + 1, 1990 + n / 336);
        let tags: Vec<String> = (0..3).map(|k| format!("tag-{}", (n * (k + 1) + k) % TAGS)).collect();
        let head = format!("title: Post {n}\ndate: {year}-{month:02}-{day:02}\ntags: [{}]", tags.join(", "));
        blog.write(&format!("post-{n}.md"), &format!("---\n{head}\n---\nText {n}.\n"));
    }
    let imported = blog.import();
    assert_eq!(imported.code, Some(0), "{imported:?}");
    let settings = [("TIDINGS_LIMITS_ANSWER_CACHE_BYTES", "0"), CACHES[1]];
    let serving = Serving::start_with(&["--store", &blog.store()], &settings);
    let attack = Attack::on("10: queries that take much processor time", &serving);
    let sent = AtomicUsize::new(0);
    attack.repeat(|| {
        thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    let query = dear_query(sent.fetch_add(1, Ordering::Relaxed));
                    let answer = ask(&serving.address, &post(json!({ "query": query })));
                    // On a slow machine, some of them take longer than a request may.
                    assert!(matches!(outcome(&answer), (200, "") | (504, "TIMEOUT")), "{:?}", outcome(&answer));
                });
            }
        });
    });
    attack.end();
    assert_eq!(serving.stop().0, Some(0));
}
