//! The records of categories, tags, authors and series in JSON Lines. The rule: a field that belongs to another kind of terms is reported and not
//! imported.

use serde::{Deserialize, Serialize};

use crate::{ImportedTerm, TermKind};
use tidings_model::{AssetHash, NodeId, Profile, ProfileLink, Slug};

use super::values::{as_asset, first_version, version};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TermRecord {
    /// The id of the term for clients.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_id: Option<String>,
    #[serde(default = "first_version", deserialize_with = "version")]
    pub version: i32,
    pub slug: Slug,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub former_slugs: Vec<Slug>,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// For a category: the slug of its parent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<Slug>,
    /// This field and the following ones are only for authors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The id of the picture, which an export does not contain.
    #[serde(default, with = "as_asset", skip_serializing_if = "Option::is_none")]
    pub avatar_id: Option<AssetHash>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job_title: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<ProfileLink>,
}

impl TermRecord {
    /// The fields that have a value but belong to another kind of terms. They are not imported.
    pub(super) fn keys_of_others(&self, kind: TermKind) -> Vec<&'static str> {
        let of_authors = [
            ("url", self.url.is_some()),
            ("avatarId", self.avatar_id.is_some()),
            ("jobTitle", self.job_title.is_some()),
            ("links", !self.links.is_empty()),
        ];
        let of_categories = [("parent", self.parent.is_some())];
        let keys = if kind == TermKind::Author { &[][..] } else { &of_authors[..] };
        let parent = if kind == TermKind::Category { &[][..] } else { &of_categories[..] };
        keys.iter().chain(parent).filter(|(_, is_set)| *is_set).map(|(key, _)| *key).collect()
    }

    pub fn into_term(self, kind: TermKind) -> ImportedTerm {
        let is_author = kind == TermKind::Author;
        let node_id = match self.node_id.map(|id| id.parse()) {
            Some(Ok(NodeId::Term(id))) if id.key.kind == kind => Some(id),
            _ => None,
        };
        let named = ImportedTerm::named(kind, Some(self.slug), self.name);
        let profile = match is_author {
            true => Profile { avatar: self.avatar_id, job_title: self.job_title, links: self.links },
            false => Profile::default(),
        };
        let url = self.url.filter(|_| is_author);
        let (description, version, former_slugs) = (self.description, self.version, self.former_slugs);
        let parent = self.parent.filter(|_| kind == TermKind::Category);
        ImportedTerm { description, url, profile, node_id, version, former_slugs, parent, ..named }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_author_has_the_fields_of_a_person() {
        let values = format!(
            "{{\"slug\":\"a\",\"name\":\"A\",\"parent\":\"p\",\"description\":\"d\",\"url\":\"https://a.example/\",\"avatarId\":\"asset-{}\",\
             \"jobTitle\":\"j\",\"links\":[{{\"title\":\"t\",\"url\":\"https://t.example/\"}}]}}",
            "0".repeat(40)
        );
        let record: TermRecord = serde_json::from_str(&values).expect("a record");
        assert_eq!(record.keys_of_others(TermKind::Author), ["parent"]);
        let author = record.clone().into_term(TermKind::Author);
        assert_eq!(author.description.as_deref(), Some("d"));
        assert!(author.url.is_some() && author.profile.avatar.is_some() && author.profile.job_title.is_some());
        assert_eq!(author.profile.links.len(), 1);
        for kind in [TermKind::Category, TermKind::Tag, TermKind::Series] {
            let of_authors = ["url", "avatarId", "jobTitle", "links"];
            let parent = (kind != TermKind::Category).then_some("parent");
            assert_eq!(record.keys_of_others(kind), of_authors.into_iter().chain(parent).collect::<Vec<_>>());
            let term = record.clone().into_term(kind);
            assert_eq!(term.parent.is_some(), kind == TermKind::Category);
            assert_eq!((term.description.as_deref(), term.url, term.profile), (Some("d"), None, Profile::default()));
        }
    }
}
