//! The accounts of a Ghost author on social networks, as links. The rule: a name with other characters than account names have becomes no link.

use crate::model::ProfileLink;

use super::row::GhostRow;

/// The field of Ghost's table `users`, the title of the link, and the URL before the name of the account.
const SITES: &[(&str, &str, &str)] = &[
    ("twitter", "X", "https://x.com/"),
    ("facebook", "Facebook", "https://www.facebook.com/"),
    ("linkedin", "LinkedIn", "https://www.linkedin.com/in/"),
    ("bluesky", "Bluesky", "https://bsky.app/profile/"),
    ("threads", "Threads", "https://www.threads.net/@"),
    ("instagram", "Instagram", "https://www.instagram.com/"),
    ("tiktok", "TikTok", "https://www.tiktok.com/@"),
    ("youtube", "YouTube", "https://www.youtube.com/@"),
];

pub(super) fn links(row: &GhostRow) -> Vec<ProfileLink> {
    let name = |field| row.text(field).map(|text| text.trim().trim_start_matches('@'));
    let of_sites = SITES.iter().filter_map(|(field, title, start)| {
        let name = name(field).filter(|name| is_name(name))?;
        Some(ProfileLink { title: (*title).to_owned(), url: format!("{start}{name}") })
    });
    of_sites.chain(name("mastodon").and_then(on_mastodon)).collect()
}

/// `name`: as `user@host`.
fn on_mastodon(name: &str) -> Option<ProfileLink> {
    let (user, host) = name.split_once('@').filter(|(user, host)| is_name(user) && is_name(host))?;
    Some(ProfileLink { title: "Mastodon".to_owned(), url: format!("https://{host}/@{user}") })
}

/// Facebook has names such as `pages/ghost/123`.
fn is_name(name: &str) -> bool {
    let is_part_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-' | '/');
    (1..=200).contains(&name.len()) && name.chars().all(is_part_of_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_become_links_unless_their_names_are_damaged() {
        let row = |json: &str| GhostRow::new(serde_json::from_str(json).expect("JSON")).expect("a row");
        let urls = |json: &str| links(&row(json)).into_iter().map(|link| link.url).collect::<Vec<_>>();
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
}
