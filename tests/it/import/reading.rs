//! An independent reading of the corpora by plain string searches, which share no code with the importer.

use std::path::Path;

use chrono::{DateTime, Utc};
use tidings::model::Instant;

/// The data of a post in its file. Terms are identified by the name in lower case, because the importer keeps the first spelling of a name; in
/// WordPress exports by the slug, because two categories may have the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    pub origin: String,
    pub title: String,
    /// `None` for a draft.
    pub published_at: Option<Instant>,
    pub body: String,
    pub authors: Vec<String>,
    pub categories: Vec<String>,
    pub tags: Vec<String>,
}

pub fn go_blog(root: &Path) -> Vec<Reading> {
    let posts = files(root).into_iter().filter_map(|(origin, text)| {
        let (head, body) = split_front_matter(&text, "---\n")?;
        let date = value(head, "date:")?;
        value(head, "title:")?;
        let day = if date.contains('T') { date } else { format!("{}T00:00:00Z", padded(&date)) };
        Some(Reading {
            origin,
            title: value(head, "title:")?,
            published_at: Some(rfc3339(&day)),
            body: body.to_owned(),
            authors: items(head, "by:"),
            categories: Vec::new(),
            tags: items(head, "tags:"),
        })
    });
    posts.collect()
}

pub fn rust_blog(root: &Path) -> Vec<Reading> {
    let posts = files(root).into_iter().filter_map(|(origin, text)| {
        let (head, body) = split_front_matter(&text, "+++\n")?;
        let path = value(head, "path =")?;
        let day: Vec<&str> = path.trim_start_matches("inside-rust/").splitn(4, '/').collect();
        let [year, month, day, _] = day.as_slice() else { return None };
        let authors = head.lines().find(|line| line.starts_with("authors ="))?.to_owned();
        Some(Reading {
            origin,
            title: value(head, "title =")?,
            published_at: Some(rfc3339(&format!("{year}-{month}-{day}T00:00:00Z"))),
            body: body.to_owned(),
            authors: quoted(&authors),
            categories: Vec::new(),
            tags: Vec::new(),
        })
    });
    posts.collect()
}

pub fn jekyll_blog(root: &Path) -> Vec<Reading> {
    let posts = files(root).into_iter().filter_map(|(origin, text)| {
        let (head, body) = split_front_matter(&text, "---\n")?;
        let name = origin.rsplit('/').next()?;
        let of_name = || rfc3339(&format!("{}T00:00:00Z", &name[..10]));
        let date = value(head, "date:").and_then(|d| DateTime::parse_from_str(&d, "%Y-%m-%d %H:%M:%S %z").ok());
        let published_at =
            date.map_or_else(of_name, |at| Instant::from_chrono(at.with_timezone(&Utc)).expect("an instant"));
        let categories = value(head, "categories:").or_else(|| value(head, "category:")).unwrap_or_default();
        Some(Reading {
            origin: origin.clone(),
            title: value(head, "title:")?,
            published_at: Some(published_at),
            body: with_fences(&without_raw(body)),
            authors: value(head, "author:").into_iter().map(|a| a.to_lowercase()).collect(),
            categories: categories
                .trim_matches(['[', ']'])
                .split(',')
                .map(|c| c.trim().to_lowercase())
                .filter(|c| !c.is_empty())
                .collect(),
            tags: Vec::new(),
        })
    });
    posts.collect()
}

/// The body without the marks `{% raw %}` and `{% endraw %}`.
fn without_raw(body: &str) -> String {
    let (mut out, mut rest) = (String::new(), body);
    while let Some((before, after)) = rest.split_once("{% raw %}") {
        let (inside, after) = after.split_once("{% endraw %}").expect("an end");
        out.extend([before, inside]);
        rest = after;
    }
    out + rest
}

/// The body with fences in place of the lines `{% highlight ruby %}` and `{% endhighlight %}`.
fn with_fences(body: &str) -> String {
    let lines = body.split('\n').map(|line| match line.strip_prefix("{% highlight ") {
        Some(rest) => format!("```{}", rest.trim_end_matches(" %}")),
        None if line == "{% endhighlight %}" => "```".to_owned(),
        None => line.to_owned(),
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A WordPress export, item by item.
pub fn wordpress(file: &Path) -> Vec<Reading> {
    let text = std::fs::read_to_string(file).expect("the export");
    let posts = text.split("<item>").skip(1).filter_map(|item| {
        let inner =
            |tag: &str| between(item, &format!("<{tag}>"), &format!("</{tag}>")).map(unwrapped).unwrap_or_default();
        if inner("wp:post_type") != "post" {
            return None;
        }
        let is_open = inner("wp:post_password").is_empty() && inner("wp:status") != "draft";
        let date = inner("wp:post_date_gmt").replace(' ', "T") + "Z";
        let named = |domain: &str| {
            let open = format!("<category domain=\"{domain}\"");
            let found = item.split(&open).skip(1).filter_map(|rest| between(rest, "nicename=\"", "\""));
            found.map(str::to_owned).collect::<Vec<_>>()
        };
        Some(Reading {
            origin: format!("https://wpthemetestdata.wordpress.com/?p={}", inner("wp:post_id")),
            title: inner("title"),
            published_at: is_open.then(|| rfc3339(&date)),
            body: inner("content:encoded"),
            // One item has a stray `>` before its author.
            authors: vec![inner("dc:creator").trim_start_matches('>').to_owned()],
            categories: named("category"),
            tags: named("post_tag"),
        })
    });
    posts.collect()
}

/// The posts of the export of WordPress, in the order in which they are read, whose words readers do not see as they are stored: a caption or a gallery is in attributes, and an address
/// becomes a player.
pub const OTHER_WORDS: &[&str] = &[
    "https://wpthemetestdata.wordpress.com/?p=555",
    "https://wpthemetestdata.wordpress.com/?p=568",
    "https://wpthemetestdata.wordpress.com/?p=587",
    "https://wpthemetestdata.wordpress.com/?p=1031",
    "https://wpthemetestdata.wordpress.com/?p=1736",
];

/// The words that readers see of the HTML of a post of WordPress: without tags, comments, references and the marks of captions.
pub fn words(html: &str) -> Vec<String> {
    let mut text = String::new();
    for part in html.replace("[/caption]", " ").split('<') {
        match part.split_once(if part.starts_with("!--") { "-->" } else { ">" }) {
            Some((_, after)) => text.extend([" ", after]),
            None => text.extend([" ", part]),
        }
    }
    let mut parts = text.split("[caption");
    let first = parts.next().unwrap_or_default().to_owned();
    let text = parts.fold(first, |text, part| text + " " + part.split_once(']').map_or(part, |(_, after)| after));
    let text = ["&lt;", "&gt;", "&amp;", "&quot;"].iter().fold(text, |text, reference| text.replace(reference, " "));
    let words = text.split_whitespace().flat_map(|word| word.split(|c: char| !c.is_alphanumeric()));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn files(root: &Path) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            let is_post = path.extension().is_some_and(|e| e == "md" || e == "markdown");
            if path.is_dir() {
                folders.push(path);
            } else if is_post {
                let origin = path.strip_prefix(root).expect("below the root").to_str().expect("a path").to_owned();
                found.push((origin, std::fs::read_to_string(&path).expect("a file")));
            }
        }
    }
    found
}

/// The front matter and the text after it.
fn split_front_matter<'a>(text: &'a str, fence: &str) -> Option<(&'a str, &'a str)> {
    let rest = text.strip_prefix(fence)?;
    let end = rest.find(&format!("\n{fence}"))?;
    Some((&rest[..=end], &rest[end + 1 + fence.len()..]))
}

/// One date of the Go blog has a month of one digit.
fn padded(date: &str) -> String {
    date.split('-').map(|part| format!("{part:0>2}")).collect::<Vec<_>>().join("-")
}

/// The value on the first line that starts with the key, without its quotes.
fn value(head: &str, key: &str) -> Option<String> {
    let line = head.lines().find(|line| line.starts_with(key))?;
    let text = line[key.len()..].trim();
    let bare = match text.strip_prefix("'''").and_then(|rest| rest.strip_suffix("'''")) {
        Some(bare) => return Some(bare.to_owned()),
        None => text,
    };
    let bare = match bare.as_bytes() {
        [b'"', .., b'"'] | [b'\'', .., b'\''] => &text[1..text.len() - 1],
        _ => text,
    };
    Some(bare.replace("\\\"", "\"").replace("''", "'"))
}

/// The `- item` lines below the line that starts with the key.
fn items(head: &str, key: &str) -> Vec<String> {
    let below = head.lines().skip_while(|line| !line.starts_with(key)).skip(1);
    let lines = below.take_while(|line| line.trim_start().starts_with("- "));
    lines.map(|line| line.trim_start_matches([' ', '-']).trim_matches(['"', '\'']).trim().to_lowercase()).collect()
}

/// The texts of a list, in single or double quotes.
fn quoted(text: &str) -> Vec<String> {
    let mark = if text.contains("['") { '\'' } else { '"' };
    text.split(mark).skip(1).step_by(2).map(str::to_lowercase).collect()
}

fn between<'a>(text: &'a str, open: &str, close: &str) -> Option<&'a str> {
    let rest = &text[text.find(open)? + open.len()..];
    Some(&rest[..rest.find(close)?])
}

/// The text without its CDATA mark, or with its entities decoded.
fn unwrapped(text: &str) -> String {
    match text.split_once("<![CDATA[") {
        Some((before, rest)) => format!("{before}{}", rest.split("]]>").next().unwrap_or_default()),
        None => text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&"),
    }
}

fn rfc3339(text: &str) -> Instant {
    text.parse().unwrap_or_else(|e| panic!("{e}"))
}
