//! The mutations that editors send. The rule: the expected effect of a mutation on a post is known before it is sent, so that a mutation without an
//! answer can be judged too.

use serde_json::{Value, json};
use tidings::model::TermKind;

use super::content::{Content, Expected, FIELDS, Shown, body_of, index, is_featured, language_of, term_id};

/// One mutation. A change of a post is based on the post that its editor has read.
#[derive(Debug, Clone)]
pub(super) enum Change {
    CreatePost { slug: String, title: String, publish_at: Option<String>, terms: Named },
    UpdatePost { base: Shown, fields: Fields },
    RestoreRevision { base: Shown, revision: i32, content: Content },
    PublishPost { base: Shown, at: String },
    UnpublishPost { base: Shown },
    DeletePost { base: Shown },
    SaveTerm { kind: TermKind, slug: String, new_slug: Option<String>, name: String },
    DeleteTerm { kind: TermKind, slug: String },
}

/// What `updatePost` changes; the rest is left out of its input.
#[derive(Debug, Clone, Default)]
pub(super) struct Fields {
    pub slug: Option<String>,
    pub title: Option<String>,
    pub terms: Named,
    /// When it is published, with the same change.
    pub publish_at: Option<String>,
}

/// The terms that a post is given, by their slugs; `None` leaves the terms of that kind alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Named {
    pub slugs: [Option<Vec<String>>; TermKind::ALL.len()],
    /// Whether each slug is the first and only one of its term, so that the term's id is known.
    pub are_fixed: bool,
}

impl Named {
    fn ids(&self, kind: TermKind) -> Option<Vec<String>> {
        let slugs = self.slugs[index(kind)].as_ref().filter(|_| self.are_fixed)?;
        Some(slugs.iter().map(|slug| term_id(kind, slug)).collect())
    }

    /// The terms of a post that had `before`, after it is given these.
    fn after(&self, before: &Expected) -> [Option<Vec<String>>; TermKind::ALL.len()] {
        TermKind::ALL.map(|kind| match &self.slugs[index(kind)] {
            None => before.terms[index(kind)].clone(),
            Some(none) if none.is_empty() => Some(Vec::new()),
            Some(_) => self.ids(kind),
        })
    }

    fn name(&self, term: &str) -> bool {
        TermKind::ALL.into_iter().any(|kind| {
            let slugs = self.slugs[index(kind)].iter().flatten();
            slugs.into_iter().any(|slug| term_id(kind, slug) == term)
        })
    }

    fn put(&self, input: &mut Value) {
        for kind in TermKind::ALL {
            match (&self.slugs[index(kind)], kind) {
                (None, _) => {}
                (Some(slugs), TermKind::Series) => input[kind.slugs_field()] = json!(slugs.first()),
                (Some(slugs), _) => input[kind.slugs_field()] = json!(slugs),
            }
        }
        input["createMissingTags"] = json!(true);
    }
}

/// A mutation as it is sent.
pub(super) struct Document {
    pub query: String,
    pub variables: Value,
}

impl Change {
    pub(super) fn base(&self) -> Option<&Shown> {
        match self {
            Self::UpdatePost { base, .. }
            | Self::RestoreRevision { base, .. }
            | Self::PublishPost { base, .. }
            | Self::UnpublishPost { base }
            | Self::DeletePost { base } => Some(base),
            Self::CreatePost { .. } | Self::SaveTerm { .. } | Self::DeleteTerm { .. } => None,
        }
    }

    pub(super) fn is_of_a_term(&self) -> bool {
        matches!(self, Self::SaveTerm { .. } | Self::DeleteTerm { .. })
    }

    pub(super) fn is_deletion(&self) -> bool {
        matches!(self, Self::DeletePost { .. } | Self::DeleteTerm { .. })
    }

    /// Whether the change names the term of this id by its first slug.
    pub(super) fn names(&self, term: &str) -> bool {
        match self {
            Self::CreatePost { terms, .. } => terms.name(term),
            Self::UpdatePost { fields, .. } => fields.terms.name(term),
            Self::SaveTerm { kind, slug, .. } | Self::DeleteTerm { kind, slug } => term_id(*kind, slug) == term,
            _ => false,
        }
    }

    /// The slug that a post has only if this change is made.
    pub(super) fn requested_slug(&self) -> Option<&str> {
        match self {
            Self::CreatePost { slug, .. } => Some(slug),
            Self::UpdatePost { fields, .. } => fields.slug.as_deref(),
            _ => None,
        }
    }

    /// The post after the change; `None` if no post is left. `before`: the post as it was acknowledged in the version that the change is based on. In
    /// the version that the editor has read, tags that are created with the post may have been missing.
    pub(super) fn expected(&self, before: Option<&Content>) -> Option<Expected> {
        let known = |base: &Shown| match before {
            Some(before) => before.expected(),
            None => Expected { terms: [const { None }; TermKind::ALL.len()], ..base.content.expected() },
        };
        Some(match self {
            Self::CreatePost { slug, title, publish_at, terms } => {
                let none = [const { Some(Vec::new()) }; TermKind::ALL.len()];
                let (slug, title, published_at) = (slug.clone(), title.clone(), publish_at.clone());
                let empty = Expected { slug, title, published_at, terms: none };
                Expected { terms: terms.after(&empty), ..empty }
            }
            Self::UpdatePost { base, fields } => {
                let before = known(base);
                let terms = fields.terms.after(&before);
                let slug = fields.slug.clone().unwrap_or(before.slug);
                let title = fields.title.clone().unwrap_or(before.title);
                let published_at = fields.publish_at.clone().or(before.published_at);
                Expected { slug, title, terms, published_at }
            }
            Self::RestoreRevision { base, content, .. } => {
                let restored = content.expected();
                Expected {
                    slug: base.content.slug.clone(),
                    published_at: base.content.published_at.clone(),
                    ..restored
                }
            }
            Self::PublishPost { base, at } => Expected { published_at: Some(at.clone()), ..known(base) },
            Self::UnpublishPost { base } => Expected { published_at: None, ..known(base) },
            Self::DeletePost { .. } | Self::SaveTerm { .. } | Self::DeleteTerm { .. } => return None,
        })
    }

    /// The query for the term that the change names.
    pub(super) fn query_of_term(&self) -> Option<String> {
        match self {
            Self::SaveTerm { kind, slug, .. } | Self::DeleteTerm { kind, slug } => {
                Some(format!("{{ term: {}(slug: {slug:?}) {{ id version }} }}", kind.noun()))
            }
            _ => None,
        }
    }

    /// Whether the change needs the term that it names.
    pub(super) fn needs_term(&self) -> bool {
        matches!(self, Self::SaveTerm { new_slug: Some(_), .. } | Self::DeleteTerm { .. })
    }

    /// `term`: the id and the expected version of the term that the change names, if it exists.
    pub(super) fn document(&self, term: Option<&Value>) -> Document {
        let versioned = |base: &Shown| json!({ "id": base.id, "expectedVersion": base.version });
        let (field, input_type, input) = match self {
            Self::CreatePost { slug, title, publish_at, terms } => {
                let mut input =
                    json!({ "slug": slug, "title": title, "markdown": body_of(title), "language": language_of(title) });
                input["featured"] = json!(is_featured(title));
                if let Some(at) = publish_at {
                    input["publishAt"] = json!(at);
                }
                terms.put(&mut input);
                ("createPost".to_owned(), "CreatePostInput".to_owned(), input)
            }
            Self::UpdatePost { base, fields } => {
                let mut input = versioned(base);
                for (name, value) in
                    [("slug", &fields.slug), ("title", &fields.title), ("publishAt", &fields.publish_at)]
                {
                    if let Some(value) = value {
                        input[name] = json!(value);
                    }
                }
                if let Some(title) = &fields.title {
                    input["markdown"] = json!(body_of(title));
                    input["language"] = json!(language_of(title));
                    input["featured"] = json!(is_featured(title));
                }
                fields.terms.put(&mut input);
                ("updatePost".to_owned(), "UpdatePostInput".to_owned(), input)
            }
            Self::RestoreRevision { base, revision, .. } => {
                let id = format!("{}-{revision}", base.id.replace("post-", "revision-"));
                let input = json!({ "revisionId": id, "expectedVersion": base.version });
                ("restoreRevision".to_owned(), "RestoreRevisionInput".to_owned(), input)
            }
            Self::PublishPost { base, at } => {
                let mut input = versioned(base);
                input["publishAt"] = json!(at);
                ("publishPost".to_owned(), "PublishPostInput".to_owned(), input)
            }
            Self::UnpublishPost { base } => {
                ("unpublishPost".to_owned(), "UnpublishPostInput".to_owned(), versioned(base))
            }
            Self::DeletePost { base } => ("deletePost".to_owned(), "DeleteInput".to_owned(), versioned(base)),
            Self::SaveTerm { kind, slug, new_slug, name } => {
                let mut input = term.cloned().unwrap_or_else(|| json!({ "slug": slug }));
                input["name"] = json!(name);
                if let Some(new_slug) = new_slug {
                    input["slug"] = json!(new_slug);
                }
                let verb = if term.is_some() { "update" } else { "create" };
                (format!("{verb}{}", capitalized(*kind)), input_of(verb, *kind), input)
            }
            Self::DeleteTerm { kind, .. } => {
                let input = term.cloned().unwrap_or_default();
                (format!("delete{}", capitalized(*kind)), "DeleteInput".to_owned(), input)
            }
        };
        let result = self.result();
        let query = format!(
            "mutation($input: {input_type}!) {{ payload: {field}(input: $input) {{ {result} userErrors {{ code message }} }} }}"
        );
        Document { query, variables: json!({ "input": input }) }
    }

    /// The selection of the payload's result, under the name `result`.
    fn result(&self) -> String {
        match self {
            Self::SaveTerm { kind, .. } => format!("result: {} {{ id slug name }}", kind.noun()),
            _ if self.is_deletion() => "result: deletedId".to_owned(),
            _ => format!("result: post {{ {FIELDS} }}"),
        }
    }
}

fn input_of(verb: &str, kind: TermKind) -> String {
    format!("{}{}{}Input", verb[..1].to_uppercase(), &verb[1..], capitalized(kind))
}

fn capitalized(kind: TermKind) -> &'static str {
    match kind {
        TermKind::Category => "Category",
        TermKind::Tag => "Tag",
        TermKind::Author => "Author",
        TermKind::Series => "Series",
    }
}
