//! The authors and tags that `authors.yml` and `tags.yml` describe by key. The rule: a value that a term has no field for is named in a note.

use crate::{ImportedTerm, accounts};
use tidings_model::{Profile, ProfileLink, Slug, TermKind, rules};

use super::value::{Value, is_key};

const NAMES: &str = "name label";
const URLS: &str = "url website web homepage";
const AVATARS: &str = "image_url avatar image picture photo";
const DESCRIPTIONS: &str = "description bio";
const JOB_TITLES: &str = "title role position job_title";
const SOCIALS: &str = "socials";
/// The address of a tag's page, whose last part is its slug.
const PERMALINK: &str = "permalink";

const OF_AUTHORS: &[&str] = &[NAMES, DESCRIPTIONS, URLS, AVATARS, JOB_TITLES, SOCIALS];
const OF_TAGS: &[&str] = &[NAMES, DESCRIPTIONS, PERMALINK];

/// A term, the key by which posts name it, and the address of the author's picture.
pub(super) struct Described {
    pub key: String,
    pub term: ImportedTerm,
    pub avatar: Option<String>,
    pub notes: Vec<String>,
}

/// The terms of a file: a table of tables by key.
pub(super) fn read(kind: TermKind, value: &Value) -> Vec<Described> {
    value.pairs().iter().filter_map(|(key, value)| described(kind, key, value)).collect()
}

fn described(kind: TermKind, key: &str, value: &Value) -> Option<Described> {
    let Value::Table(pairs) = value else { return None };
    let text = |keys| value.first_text(keys).map(str::to_owned);
    let is_author = kind == TermKind::Author;
    // A table without a name is other data.
    let name = text(NAMES)?;
    let slug_of_page = text(PERMALINK).and_then(|path| Slug::from_name(path.trim_matches('/').rsplit('/').next()?));
    let slug = slug_of_page.filter(|_| !is_author).or_else(|| Slug::from_name(key))?;
    let (links, mut rest) = if is_author { links(value.pairs_of(SOCIALS)) } else { (Vec::new(), Vec::new()) };
    let has = |key: &&str| value.get(key).is_some_and(|value| !value.is_empty());
    let lists = if is_author { OF_AUTHORS } else { OF_TAGS };
    let used: Vec<&str> = lists.iter().filter_map(|keys| keys.split_whitespace().find(has)).collect();
    let unused = pairs.iter().filter(|(key, value)| !value.is_empty() && !used.iter().any(|known| is_key(key, known)));
    rest.extend(unused.map(|(key, _)| key.clone()));
    let noun = kind.noun();
    let notes = (!rest.is_empty()).then(|| format!("the {noun} {key} has no field for: {}", rest.join(", ")));
    let profile = match is_author {
        true => Profile { avatar: None, job_title: text(JOB_TITLES), links },
        false => Profile::default(),
    };
    let term = ImportedTerm {
        description: text(DESCRIPTIONS),
        url: text(URLS).filter(|_| is_author),
        profile,
        ..ImportedTerm::named(kind, Some(slug), name)
    };
    let avatar = text(AVATARS).filter(|_| is_author);
    Some(Described { key: key.to_owned(), term, avatar, notes: notes.into_iter().collect() })
}

/// The accounts of an author: names on known sites, and addresses. Also returns the keys of all others.
fn links(socials: &[(String, Value)]) -> (Vec<ProfileLink>, Vec<String>) {
    let mut rest = Vec::new();
    let mut links = Vec::new();
    for (site, value) in socials {
        let text = value.text().unwrap_or_default();
        if rules::is_web_address(text) {
            links.push(ProfileLink { title: accounts::title_of(site).to_owned(), url: text.to_owned() });
            continue;
        }
        match accounts::links(|field| (field == site).then_some(text)).pop() {
            Some(link) => links.push(link),
            None => rest.push(format!("{SOCIALS}.{site}")),
        }
    }
    (links, rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown::yaml;

    #[test]
    fn an_author_has_a_profile_and_what_has_no_field_is_named() {
        let text = "ada:\n  name: Ada Byron\n  title: Keeper\n  url: https://ada.example\n  image_url: /img/ada.png\n  page: true\n  email: a@b.example\n  \
                    socials:\n    x: ada\n    github: ada\n    newsletter: https://news.example\n    pager: '1'\n";
        let found = read(TermKind::Author, &yaml::parse(text).expect("YAML"));
        let [Described { key, term, avatar, notes }] = &found[..] else { panic!("one author") };
        assert_eq!(
            (key.as_str(), term.slug.as_ref().map(Slug::as_str), term.name.as_str()),
            ("ada", Some("ada"), "Ada Byron")
        );
        assert_eq!(
            (term.url.as_deref(), term.profile.job_title.as_deref()),
            (Some("https://ada.example"), Some("Keeper"))
        );
        assert_eq!(avatar.as_deref(), Some("/img/ada.png"));
        let links: Vec<_> = term.profile.links.iter().map(|link| (link.title.as_str(), link.url.as_str())).collect();
        assert_eq!(
            links,
            [("X", "https://x.com/ada"), ("GitHub", "https://github.com/ada"), ("newsletter", "https://news.example")]
        );
        assert_eq!(notes, &["the author ada has no field for: socials.pager, page, email"]);
    }

    #[test]
    fn a_tag_has_the_slug_of_its_page() {
        let text = "hello:\n  label: Hello\n  permalink: /greetings\n  description: D\nplain: text\nother:\n  x: y\n";
        let found = read(TermKind::Tag, &yaml::parse(text).expect("YAML"));
        let [Described { key, term, avatar: None, notes }] = &found[..] else { panic!("one tag") };
        let slug = term.slug.as_ref().map(Slug::as_str);
        assert_eq!(
            (key.as_str(), slug, term.name.as_str(), term.description.as_deref()),
            ("hello", Some("greetings"), "Hello", Some("D"))
        );
        assert!(notes.is_empty());
    }
}
