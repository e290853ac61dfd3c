//! The time that a long body takes to be read. The rule: a body of four times the length takes less than six times the time, whatever it is made of, for every
//! format.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;
use tidings::import::open;

use crate::support::folder::{folder, write};

/// What passes over a body look for.
const PARTS: &[&str] = &[
    "{{< a >}}",
    "{{< a",
    "{{ a }} ",
    "{% a %}",
    "{% highlight a %}\n",
    "{{< highlight a >}}\n",
    "{{< figure src=a.png >}}",
    "[a](b.md)",
    "](",
    "![](",
    "![a](b.png) ",
    "[a]: b.md\n",
    "<a href=\"b.md\">",
    "<img src=a.png ",
    "<iframe src=\"https://a.b/c\">",
    "<script>",
    "<a",
    "</a>",
    "<A>\n",
    "<A>\n\n",
    "</A>\n",
    "- <A>\n  ",
    "<pre>\n",
    "`{/*",
    "{/* */}",
    "{/*",
    ":::note\n",
    ":::\n",
    "  :::tip\n",
    "::: a\n",
    "$",
    "$a$ ",
    "$a$b",
    "$$",
    "<!--more ",
    "```\n",
    "\\",
    "# a\n",
    "import a from 'a'\n\n",
    "[shortcode]",
    "[caption]",
    "<p>a</p>",
    "<div>",
    "<b>",
    "&amp;",
    "href=\"",
    "__GHOST_URL__/",
    "a\n\n",
    " ",
];

/// A source whose only body is this text.
struct Form {
    name: &'static str,
    write: fn(&Path, &str),
    /// What is opened, below the folder.
    path: &'static str,
}

const FORMS: &[Form] = &[
    Form { name: "Markdown", write: |root, body| write(root, "a.md", &post(body)), path: "" },
    Form { name: "MDX", write: |root, body| write(root, "a.mdx", &post(body)), path: "" },
    Form {
        name: "Notion",
        write: |root, body| {
            let name = format!("A {}.md", "0123456789abcdef".repeat(2));
            write(root, &name, &format!("# A\n\nDate: January 2, 2024\n\n{body}"));
        },
        path: "",
    },
    Form {
        name: "WordPress",
        write: |root, body| {
            let body = body.replace("]]>", "");
            let item = format!(
                "<item><title>A</title><link>https://a.example/a</link><pubDate>Tue, 27 Jan 2015 14:56:57 +0000</pubDate><content:encoded><![CDATA[{body}]]></content:encoded>\
                 <wp:post_id>1</wp:post_id><wp:post_date>2015-01-27 14:56:57</wp:post_date><wp:post_date_gmt>2015-01-27 14:56:57</wp:post_date_gmt><wp:post_name>a</wp:post_name>\
                 <wp:status>publish</wp:status><wp:post_type>post</wp:post_type></item>"
            );
            let text = format!(
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?><rss version=\"2.0\" xmlns:content=\"http://purl.org/rss/1.0/modules/content/\" xmlns:wp=\"http://wordpress.org/export/1.2/\">\
                 <channel><wp:wxr_version>1.2</wp:wxr_version><wp:base_site_url>https://a.example</wp:base_site_url>{item}</channel></rss>"
            );
            write(root, "a.xml", &text);
        },
        path: "a.xml",
    },
    Form {
        name: "Ghost",
        write: |root, body| {
            let post = json!({
                "id": "1", "uuid": "0b5f4e7e-6a52-4a8e-9d53-000000000001", "title": "A", "slug": "a", "html": body, "type": "post", "status": "published",
                "visibility": "public", "published_at": "2025-03-01T09:00:00.000Z", "created_at": "2025-03-01T08:00:00.000Z",
            });
            let site = json!({ "db": [{ "meta": { "version": "5.130.0" }, "data": { "posts": [post], "tags": [], "users": [] } }] });
            write(root, "a.json", &site.to_string());
        },
        path: "a.json",
    },
    Form {
        name: "Substack",
        write: |root, body| {
            let header =
                "post_id,post_date,is_published,email_sent_at,inbox_sent_at,type,audience,title,subtitle,podcast_url\n";
            write(root, "posts.csv", &format!("{header}1.a,2024-01-02T03:04:05.000Z,true,,,newsletter,everyone,A,,\n"));
            write(root, "posts/1.a.html", body);
        },
        path: "",
    },
    Form {
        name: "Medium",
        write: |root, body| {
            let text = format!(
                "<!DOCTYPE html><html><head><title>A</title></head><body><article class=\"h-entry\"><header><h1 class=\"p-name\">A</h1></header>\
                 <section data-field=\"body\" class=\"e-content\"><h3 class=\"graf--title\">A</h3>{body}</section>\
                 <footer><p>On <a href=\"https://medium.com/p/0123456789ab\"><time class=\"dt-published\" datetime=\"2019-05-01T09:00:00.123Z\">A day</time></a>.</p></footer></article></body></html>"
            );
            write(root, "posts/2019-05-01_A-0123456789ab.html", &text);
        },
        path: "",
    },
];

fn post(body: &str) -> String {
    format!("---\ntitle: A\ndate: 2020-01-01\n---\n{body}")
}

const BYTES: usize = 12_000;
/// A shorter time says nothing about how it grows, and harms nobody.
const HARMLESS: Duration = Duration::from_millis(200);
/// One of several tries is enough, because other processes on a busy machine disturb the measurement.
const TRIES: usize = 4;

fn time(form: &Form, part: &str, bytes: usize) -> Duration {
    let root = folder(&[]);
    (form.write)(root.path(), &part.repeat(bytes / part.len()));
    let start = Instant::now();
    let source = open(&root.path().join(form.path), None).unwrap_or_else(|e| panic!("{}: {e}", form.name));
    for index in 0..source.found.entries.len() {
        let _ = source.read(index);
    }
    start.elapsed()
}

#[test]
#[ignore = "takes minutes: scripts/torture --lengths"]
fn a_body_of_four_times_the_length_takes_less_than_six_times_the_time() {
    let mut slow = Vec::new();
    for form in FORMS {
        for part in PARTS {
            let grows = || {
                let long = time(form, part, 4 * BYTES);
                long >= HARMLESS && long >= 6 * time(form, part, BYTES)
            };
            if (0..TRIES).all(|_| grows()) {
                slow.push(format!("{}: {part:?}", form.name));
            }
        }
    }
    assert!(slow.is_empty(), "{slow:#?}");
}
