//! `tidings check --links`, and the links in the report of an import. The rule: the exit code of the check is 0 only if no link points nowhere; that of an
//! import says nothing of links.

use serde_json::{Value, json};

use crate::support::command::{Blog, Ran, run};

const POSTS: [(&str, &str); 3] = [
    ("2025-01-10-one.md", "---\ntitle: One\n---\n[two](two) [gone](/posts/gone) [here](#there)\n"),
    ("2025-02-20-two.md", "---\ntitle: Two\n---\n[one](/posts/one) [elsewhere](https://example.com/gone)\n"),
    ("about.md", "---\ntitle: About\n---\n[one](/posts/one) [nothing](/nothing)\n"),
];

fn check(blog: &Blog) -> Ran {
    run(&["check", "--links", "--store", &blog.store()])
}

#[test]
fn an_import_and_a_check_name_the_links_that_point_nowhere() {
    let blog = Blog::of(&POSTS);
    let report = blog.path().join("report.json");
    let ran = blog.import_of(&blog.posts(), &["--report", report.to_str().expect("a path")]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.summary().ends_with("; links that point nowhere: 3"), "{ran:?}");
    let line = "link     post one, link /posts/gone: no post, page, picture or feed has this address";
    assert!(ran.err.lines().any(|found| found == line), "{ran:?}");
    let written: Value = serde_json::from_slice(&std::fs::read(report).expect("a report")).expect("JSON");
    let nothing = "no post, page, picture or feed has this address";
    let link = |of: &str, name: &str, link: &str, reason: &str| json!({ "nodeType": of, "name": name, "link": link, "reason": reason });
    let expected = json!([
        link("Page", "about", "/nothing", nothing),
        link("Post", "one", "/posts/gone", nothing),
        link("Post", "one", "#there", "nothing in the text has this id"),
    ]);
    assert_eq!((&written["brokenLinks"], &written["brokenLinksTotal"]), (&expected, &json!(3)));
    let ran = check(&blog);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let lines: Vec<_> = ran.out.lines().collect();
    let expected = [
        "page about, link /nothing: no post, page, picture or feed has this address",
        "post one, link /posts/gone: no post, page, picture or feed has this address",
        "post one, link #there: nothing in the text has this id",
        "2 posts, 1 pages with 6 links to this site: 3 point nowhere",
    ];
    assert_eq!(lines, expected);
    blog.write("2025-01-10-one.md", "---\ntitle: One\n---\n[two](two)\n");
    blog.write("about.md", "---\ntitle: About\n---\n[one](/posts/one)\n");
    let again = blog.import();
    assert!(again.code == Some(0) && !again.out.contains("point nowhere"), "{again:?}");
    let ran = check(&blog);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (Some(0), "2 posts, 1 pages with 3 links to this site: 0 point nowhere\n")
    );
}

#[test]
fn the_addresses_of_the_site_are_those_of_its_settings() {
    let blog = Blog::of(&[("2025-01-10-one.md", "---\ntitle: One\n---\n[self](/2025/one.html)\n")]);
    assert!(blog.import().out.contains("links that point nowhere: 1"));
    let config = blog.path().join("tidings.toml");
    std::fs::write(&config, "[site]\npost_path = \"/{year}/{slug}.html\"\n").expect("a file");
    let config = config.to_str().expect("a path");
    let ran = run(&["check", "--links", "--store", &blog.store(), "--config", config]);
    assert_eq!(
        (ran.code, ran.out.as_str()),
        (Some(0), "1 posts, 0 pages with 1 links to this site: 0 point nowhere\n")
    );
    let refused = run(&["check", "--links", "--repair", "--store", &blog.store()]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
}
