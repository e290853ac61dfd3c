//! A folder is imported, edited, and imported again. The rule: an edited file becomes the next version of its post, and no other post changes.

use serde_json::{Value, json};

use crate::support::command::Blog;

const ONE: (&str, &str) = ("2025-01-10-one.md", "---\ntitle: One\ntags: [a, b]\nauthor: Ada\n---\nOne.\n");
const TWO: (&str, &str) = ("2025-02-20-two.md", "---\ntitle: Two\ntags: [b]\n---\nTwo.\n");
const DRAFT: (&str, &str) = ("three.md", "---\ntitle: Three\ndraft: true\ntags: [c]\n---\nThree.\n");

/// A folder and a store. After each import the store must be consistent, and no post may have failed.
struct Story {
    blog: Blog,
    summary: String,
}

impl Story {
    fn begin() -> Self {
        let blog = Blog::of(&[ONE, TWO, DRAFT]);
        let ran = blog.import();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        Self { blog, summary: String::new() }
    }

    /// Imports again, and keeps the counts of created, changed and unchanged posts.
    fn import(&mut self) {
        let ran = self.blog.import();
        assert_eq!(ran.code, Some(0), "{ran:?}");
        let counts = ran.summary().strip_prefix("Imported: ").expect("a summary");
        self.summary = counts.split(", ").take(3).collect::<Vec<_>>().join(", ");
        let check = self.blog.check();
        assert_eq!(check.code, Some(0), "{check:?}");
    }

    fn edit(&mut self, file: &str, text: &str) {
        self.blog.write(file, text);
        self.import();
    }

    async fn post(&self, slug: &str) -> Value {
        let fields = "id slug title version createdAt updatedAt publishedAt tags { slug } body { markdown }";
        self.blog.query(&format!("{{ post(slug: {slug:?}) {{ {fields} }} }}")).await["post"].clone()
    }

    /// The slugs of a list.
    async fn list(&self, list: &str) -> Vec<String> {
        let data = self.blog.query(&format!("{{ list: {list} {{ ...on Tag {{ posts {{ ...p }} }} }} }} fragment p on PostConnection {{ nodes {{ slug }} totalCount }}")).await;
        slugs(&data["list"]["posts"])
    }

    async fn all(&self) -> Vec<String> {
        slugs(&self.blog.query("{ posts { nodes { slug } totalCount } }").await["posts"])
    }
}

fn slugs(connection: &Value) -> Vec<String> {
    let nodes = connection["nodes"].as_array().expect("nodes");
    assert_eq!(connection["totalCount"], json!(nodes.len()));
    nodes.iter().map(|node| node["slug"].as_str().expect("a slug").to_owned()).collect()
}

fn at(post: &Value, field: &str) -> tidings::model::Instant {
    post[field].as_str().and_then(|text| text.parse().ok()).unwrap_or_else(|| panic!("{field} of {post}"))
}

/// The post with these fields replaced.
fn with(post: &Value, fields: Value) -> Value {
    let mut post = post.clone();
    post.as_object_mut().expect("a post").extend(fields.as_object().expect("fields").clone());
    post
}

#[tokio::test]
async fn an_edited_file_creates_the_next_version_and_changes_no_other_post() {
    let mut story = Story::begin();
    let (one, two) = (story.post("one").await, story.post("two").await);
    story.edit(ONE.0, &ONE.1.replace("One.\n", "One, better.\n"));
    let edited = story.post("one").await;
    assert!(at(&edited, "updatedAt") > at(&one, "updatedAt"), "{edited}");
    let expected = json!({ "version": 2, "body": { "markdown": "One, better.\n" }, "updatedAt": edited["updatedAt"] });
    assert_eq!(edited, with(&one, expected));
    assert_eq!(story.post("two").await, two);
    assert_eq!(story.summary, "0 created, 1 changed, 2 unchanged");
}

#[tokio::test]
async fn a_retitled_post_keeps_its_slug() {
    let mut story = Story::begin();
    story.edit(ONE.0, &ONE.1.replace("title: One", "title: Number one"));
    let post = story.post("one").await;
    assert_eq!((&post["title"], &post["slug"], &post["version"]), (&json!("Number one"), &json!("one"), &json!(2)));
}

#[tokio::test]
async fn a_retagged_post_changes_its_lists() {
    let mut story = Story::begin();
    story.edit(ONE.0, &ONE.1.replace("[a, b]", "[d, b]"));
    let lists = [r#"tag(slug: "a")"#, r#"tag(slug: "b")"#, r#"tag(slug: "d")"#];
    let found = [story.list(lists[0]).await, story.list(lists[1]).await, story.list(lists[2]).await];
    assert_eq!(found, [vec![], vec!["two".to_owned(), "one".to_owned()], vec!["one".to_owned()]]);
}

#[tokio::test]
async fn a_re_dated_post_moves_in_every_list_and_keeps_its_id() {
    let mut story = Story::begin();
    let one = story.post("one").await;
    story.edit(ONE.0, &ONE.1.replace("title: One", "title: One\ndate: 2025-03-01T12:00:00Z"));
    let moved = story.post("one").await;
    let expected = json!({ "version": 2, "publishedAt": "2025-03-01T12:00:00.000Z", "updatedAt": moved["updatedAt"] });
    assert_eq!(moved, with(&one, expected));
    assert_eq!(story.all().await, ["one", "two"]);
    assert_eq!(story.list(r#"tag(slug: "b")"#).await, ["one", "two"]);
    let archive = story.blog.query("{ archive { year month postCount } }").await;
    let month = |month| json!({ "year": 2025, "month": month, "postCount": 1 });
    assert_eq!(archive, json!({ "archive": [month(3), month(2)] }));
}

#[tokio::test]
async fn a_published_draft_appears_in_the_lists() {
    let mut story = Story::begin();
    assert_eq!(story.post("three").await, Value::Null);
    story.edit(DRAFT.0, "---\ntitle: Three\ndate: 2025-02-28\ntags: [c]\n---\nThree.\n");
    let post = story.post("three").await;
    assert_eq!((&post["version"], &post["publishedAt"]), (&json!(2), &json!("2025-02-28T00:00:00.000Z")));
    assert_eq!(story.all().await, ["three", "two", "one"]);
    assert_eq!(story.list(r#"tag(slug: "c")"#).await, ["three"]);
    assert_eq!(story.summary, "0 created, 1 changed, 2 unchanged");
}

#[tokio::test]
async fn a_post_that_becomes_a_draft_disappears_from_every_list() {
    let mut story = Story::begin();
    let id = story.post("two").await["id"].clone();
    story.edit(TWO.0, &TWO.1.replace("title: Two", "title: Two\ndraft: true"));
    let query = format!("{{ node(id: {id}) {{ id }} post(slug: \"two\") {{ id }} archive {{ month }} }}");
    assert_eq!(story.blog.query(&query).await, json!({ "node": null, "post": null, "archive": [{ "month": 1 }] }));
    assert_eq!(story.all().await, ["one"]);
    assert_eq!(story.list(r#"tag(slug: "b")"#).await, ["one"]);
    story.edit(TWO.0, TWO.1);
    let back = story.post("two").await;
    assert_eq!((&back["id"], &back["version"]), (&id, &json!(3)));
}

#[tokio::test]
async fn a_slug_edited_in_the_front_matter_renames_the_post_and_the_old_slug_redirects() {
    let mut story = Story::begin();
    let one = story.post("one").await;
    story.edit(ONE.0, &ONE.1.replace("title: One", "title: One\nslug: number-one"));
    let renamed = story.post("number-one").await;
    let expected = json!({ "version": 2, "slug": "number-one", "updatedAt": renamed["updatedAt"] });
    assert_eq!(renamed, with(&one, expected));
    assert_eq!(story.post("one").await, renamed);
    story.edit(ONE.0, &ONE.1.replace("title: One", "title: One\nslug: the-one"));
    assert_eq!(story.post("one").await["slug"], json!("the-one"));
    assert_eq!(story.post("number-one").await["slug"], json!("the-one"));
    // The post gets its first slug back.
    story.edit(ONE.0, ONE.1);
    assert_eq!(story.post("the-one").await["slug"], json!("one"));
    assert_eq!(story.all().await, ["two", "one"]);
}

#[tokio::test]
async fn an_added_alias_redirects_to_the_post() {
    let mut story = Story::begin();
    assert_eq!(story.post("uno").await, Value::Null);
    story.edit(ONE.0, &ONE.1.replace("title: One", "title: One\naliases: [/2024/uno.html]"));
    assert_eq!(story.post("uno").await["slug"], json!("one"));
    assert_eq!(story.summary, "0 created, 1 changed, 2 unchanged");
}

/// Old addresses never stop working.
#[tokio::test]
async fn a_removed_alias_still_redirects_to_the_post() {
    let mut story = Story::begin();
    story.edit(ONE.0, &ONE.1.replace("title: One", "title: One\naliases: [/2024/uno.html]"));
    story.edit(ONE.0, ONE.1);
    assert_eq!(story.post("uno").await["slug"], json!("one"));
}

#[tokio::test]
async fn a_file_that_is_moved_is_the_same_post() {
    let mut story = Story::begin();
    let one = story.post("one").await;
    story.blog.remove(ONE.0);
    story.edit(&format!("archive/{}", ONE.0), ONE.1);
    let moved = story.post("one").await;
    assert_eq!(moved, with(&one, json!({ "version": 2, "updatedAt": moved["updatedAt"] })));
    assert_eq!(story.all().await, ["two", "one"]);
    story.import();
    assert_eq!(story.summary, "0 created, 0 changed, 3 unchanged");
}

/// Jekyll publishes a draft by moving it from `_drafts` to `_posts`, with the day in the file name.
#[tokio::test]
async fn a_draft_that_is_moved_out_of_its_folder_is_published_under_its_own_slug() {
    let blog = Blog::of(&[("_drafts/hello.md", "---\ntitle: Hello\n---\nHello.\n")]);
    blog.import();
    blog.remove("_drafts/hello.md");
    blog.write("_posts/2025-05-05-hello.md", "---\ntitle: Hello\n---\nHello.\n");
    let ran = blog.import();
    assert!(ran.summary().starts_with("Imported: 0 created, 1 changed, "), "{ran:?}");
    let data = blog.query("{ posts { nodes { slug version } } }").await;
    assert_eq!(data, json!({ "posts": { "nodes": [{ "slug": "hello", "version": 2 }] } }));
}

#[tokio::test]
async fn two_posts_may_exchange_their_slugs() {
    let mut story = Story::begin();
    let ids = [story.post("one").await["id"].clone(), story.post("two").await["id"].clone()];
    story.blog.write(ONE.0, &ONE.1.replace("title: One", "title: One\nslug: two"));
    story.edit(TWO.0, &TWO.1.replace("title: Two", "title: Two\nslug: one"));
    let all = story.blog.query("{ posts { nodes { id } } }").await;
    assert_eq!(
        all,
        json!({ "posts": { "nodes": [{ "id": ids[1] }, { "id": ids[0] }] } }),
        "a post was created or lost"
    );
}

/// The time of the last change is part of the source, so an edit of it alone is a change.
#[tokio::test]
async fn an_edited_lastmod_sets_updated_at() {
    let mut story = Story::begin();
    story.edit(ONE.0, &ONE.1.replace("title: One", "title: One\nlastmod: 2025-06-07"));
    assert_eq!(story.post("one").await["updatedAt"], json!("2025-06-07T00:00:00.000Z"));
    assert_eq!(story.summary, "0 created, 1 changed, 2 unchanged");
    story.import();
    assert_eq!(story.summary, "0 created, 0 changed, 3 unchanged");
}

/// An import creates and changes posts. It deletes none, because a folder may be a part of a site.
#[tokio::test]
async fn removing_a_file_keeps_its_post() {
    let mut story = Story::begin();
    story.blog.remove(TWO.0);
    story.import();
    assert_eq!((story.summary.as_str(), story.all().await.len()), ("0 created, 0 changed, 2 unchanged", 2));
}
