//! Generated excerpts. The rule: an import that is repeated keeps the stored excerpt of a body that is the same, although another version of Tidings
//! generated it by another rule.

use crate::support::folder::{counts, folder, import};
use crate::support::site::{Site, instant, post};

#[tokio::test]
async fn the_stored_excerpt_of_the_same_body_is_kept() {
    let at = instant("2025-03-04T00:00:00Z");
    let mut stored = post(1, at);
    stored.post.origin = Some("a.md".to_owned());
    stored.post.excerpt = "By an earlier rule.".to_owned();
    let site = Site::in_memory().await;
    site.publish(&[stored]).await;
    let file = |body: &str| {
        let head =
            "---\ntitle: Post 1\nslug: post-1\ndate: 2025-03-04\ncreated: 2025-03-04\nlastmod: 2025-03-04\n---\n";
        folder(&[("a.md", &format!("{head}{body}\n"))])
    };
    let same = file("Post 1, *in full*.");
    assert_eq!(counts(&import(&site.content, same.path()).await.expect("an import")), (0, 0, 1, 0));
    let other = file("Another body.");
    import(&site.content, other.path()).await.expect("an import");
    let data = site.query("{ post(slug: \"post-1\") { excerpt } }").await;
    assert_ne!(data["post"]["excerpt"], "By an earlier rule.");
    site.assert_sound().await;
}
