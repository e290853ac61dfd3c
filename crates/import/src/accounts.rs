//! The accounts of an author on social networks, as links. The rule: a name with characters that account names do not have becomes no link.

use tidings_model::ProfileLink;

/// The field in Ghost's table `users` or in `socials` of Docusaurus, the title of the link, and the URL before the account name.
const SITES: &[(&str, &str, &str)] = &[
    ("x", "X", "https://x.com/"),
    ("twitter", "X", "https://x.com/"),
    ("github", "GitHub", "https://github.com/"),
    ("facebook", "Facebook", "https://www.facebook.com/"),
    ("linkedin", "LinkedIn", "https://www.linkedin.com/in/"),
    ("bluesky", "Bluesky", "https://bsky.app/profile/"),
    ("threads", "Threads", "https://www.threads.net/@"),
    ("instagram", "Instagram", "https://www.instagram.com/"),
    ("tiktok", "TikTok", "https://www.tiktok.com/@"),
    ("youtube", "YouTube", "https://www.youtube.com/@"),
];

const NAME_BYTES_MAX: usize = 200;

/// `name_of`: returns the account name in a field.
pub(super) fn links<'a>(name_of: impl Fn(&str) -> Option<&'a str>) -> Vec<ProfileLink> {
    let name = |field: &str| name_of(field).map(|text| text.trim().trim_start_matches('@'));
    let of_sites = SITES.iter().filter_map(|(field, title, start)| {
        let is_allowed = if *field == "facebook" { is_path_of_names } else { is_name };
        let name = name(field).filter(|name| is_allowed(name))?;
        Some(ProfileLink { title: (*title).to_owned(), url: format!("{start}{name}") })
    });
    of_sites.chain(name("mastodon").and_then(on_mastodon)).collect()
}

/// The title of a site for readers.
pub(super) fn title_of(site: &str) -> &str {
    SITES.iter().find(|(field, ..)| *field == site).map_or(site, |(_, title, _)| title)
}

/// `name`: `user@host`.
fn on_mastodon(name: &str) -> Option<ProfileLink> {
    let (user, host) = name.split_once('@').filter(|(user, host)| is_name(user) && is_name(host))?;
    Some(ProfileLink { title: "Mastodon".to_owned(), url: format!("https://{host}/@{user}") })
}

fn is_name(name: &str) -> bool {
    let is_part_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    (1..=NAME_BYTES_MAX).contains(&name.len()) && name.chars().all(is_part_of_name) && name.contains(|c| c != '.')
}

/// Facebook has names such as `pages/ghost/123`.
fn is_path_of_names(name: &str) -> bool {
    name.len() <= NAME_BYTES_MAX && name.split('/').all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_become_links_unless_their_names_are_damaged() {
        let urls = |json: &str| {
            let row: serde_json::Value = serde_json::from_str(json).expect("JSON");
            links(|field| row[field].as_str()).into_iter().map(|link| link.url).collect::<Vec<_>>()
        };
        assert_eq!(
            urls(
                r#"{ "twitter": "@ghost", "facebook": "pages/ghost", "youtube": "@ghost", "mastodon": "@a@b.example" }"#
            ),
            [
                "https://x.com/ghost",
                "https://www.facebook.com/pages/ghost",
                "https://www.youtube.com/@ghost",
                "https://b.example/@a"
            ]
        );
        assert!(urls(r#"{ "twitter": "a b", "bluesky": "\"", "mastodon": "a", "tiktok": 1 }"#).is_empty());
    }

    #[test]
    fn only_a_name_of_facebook_has_slashes() {
        let found = |field: &str, name: &str| links(|of| (of == field).then_some(name)).len();
        for (field, _, _) in SITES {
            assert_eq!(found(field, "a.b_c-d"), 1, "{field}");
            assert_eq!(found(field, "pages/ghost/123"), usize::from(*field == "facebook"), "{field}");
            for name in ["", ".", "..", "/", "../a", "a//b", "a/", "/a", "a/../b", "a?b", "ä"] {
                assert_eq!(found(field, name), 0, "{field} {name}");
            }
        }
        for (name, links) in [("@a@b.example", 1), ("@a@b.example/c", 0), ("@a/b@c.example", 0), ("@a@b@c.example", 0)]
        {
            assert_eq!(found("mastodon", name), links, "{name}");
        }
    }
}
