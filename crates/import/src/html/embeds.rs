//! Content that a page loads from elsewhere: videos, posts of social networks, code. The rule: readers get a link to it, because the server shows no frames and
//! no scripts.

use std::collections::BTreeSet;

use tidings_model::embeds::{GISTS, shown_address};
use tidings_model::{html_text, rules};

use super::parts::HtmlParts;
use super::write::link;

/// Elements that belong to a page, not to a text.
const REMOVED: &[&str] = &["button", "form", "input", "link", "meta", "source", "style", "svg"];

/// Replaces frames and gists with links, and removes elements that no reader sees. Adds elements without an address to `lost`.
pub(crate) fn replace_embeds(html: &mut HtmlParts, lost: &mut BTreeSet<String>) {
    let mut edits = Vec::new();
    for element in html.elements() {
        let source = element.attribute("src").map(shown_address);
        let shown = match element.name.as_str() {
            "iframe" => match source.as_deref().and_then(|source| link_to(source, None)) {
                Some(link) => link,
                None => {
                    lost.insert("iframe".to_owned());
                    String::new()
                }
            },
            "script" => {
                let gist = source.filter(|source| source.starts_with(GISTS));
                gist.and_then(|gist| link_to(gist.trim_end_matches(".js"), None)).unwrap_or_default()
            }
            name if REMOVED.contains(&name) => String::new(),
            _ => continue,
        };
        edits.push((element.parts.clone(), shown));
    }
    edits.into_iter().for_each(|(parts, shown)| html.replace(parts, shown));
}

/// A paragraph with a link; `None` if the address is not a web address. Without a title, the link shows the address.
pub(crate) fn link_to(address: &str, title: Option<&str>) -> Option<String> {
    let title = title.map(str::trim).filter(|title| !title.is_empty()).unwrap_or(address);
    rules::is_web_address(address).then(|| format!("<p>{}</p>\n", link(address, &html_text::escape(title))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_and_gists_become_links() {
        let shown = |html: &str| {
            let (mut parts, mut lost) = (HtmlParts::read(html).expect("HTML"), BTreeSet::new());
            replace_embeds(&mut parts, &mut lost);
            (parts.html(), lost.into_iter().collect::<Vec<_>>())
        };
        let link = |address: &str| (format!("<p><a href=\"{address}\">{address}</a></p>\n"), Vec::<String>::new());
        for (source, address) in [
            ("https://www.youtube-nocookie.com/embed/a_b?rel=0", "https://www.youtube.com/watch?v=a_b"),
            ("//player.vimeo.com/video/12?autoplay=0", "https://vimeo.com/12"),
            ("https://x.example/y?z", "https://x.example/y?z"),
        ] {
            assert_eq!(shown(&format!("<iframe src=\"{source}\"><p>x</p></iframe>")), link(address));
        }
        let gist = "<script src=\"https://gist.github.com/ada/1f.js\"></script>";
        assert_eq!(shown(gist), link("https://gist.github.com/ada/1f"));
        assert_eq!(shown("a<iframe></iframe><script>x</script><form>b</form>"), ("a".into(), vec!["iframe".into()]));
    }
}
