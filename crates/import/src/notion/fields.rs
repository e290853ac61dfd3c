//! Reads the properties of a page as the fields of a post. The rule: a property that no field returns as written stays in the metadata; a page whose
//! status may not mean public becomes a draft.

use crate::{ReadOptions, folded};
use tidings_model::rules::SUBTITLE_CHARS_MAX;
use tidings_model::{Instant, JsonValue, Language, Slug, TimeZone};

use super::names;
use super::written_date::{self, SPAN};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PropertyField {
    Date,
    Created,
    Updated,
    Status,
    IsPublished,
    IsDraft,
    Authors,
    Categories,
    Tags,
    Slug,
    Subtitle,
    Excerpt,
    Language,
    IsFeatured,
    Cover,
}

/// The properties that are read, by their usual names.
const NAMES: &[(PropertyField, &str)] = &[
    (
        PropertyField::Date,
        "date, publish date, published date, publication date, publishing date, date published, published at, \
         published on, publish on, pubdate, publishdate, post date",
    ),
    (PropertyField::Created, "created, created at, created time, date created"),
    (
        PropertyField::Updated,
        "updated, updated at, last updated, last updated time, last edited, last edited time, last modified",
    ),
    (PropertyField::Status, "status"),
    (PropertyField::IsPublished, "published, publish, is published, public, live"),
    (PropertyField::IsDraft, "draft, is draft"),
    (PropertyField::Authors, "author, authors, author(s), by, writer, written by"),
    (PropertyField::Categories, "category, categories"),
    (PropertyField::Tags, "tag, tags, keywords, topic, topics"),
    (PropertyField::Slug, "slug"),
    (PropertyField::Subtitle, "subtitle"),
    (PropertyField::Excerpt, "excerpt, summary, description"),
    (PropertyField::Language, "lang, language, locale"),
    (PropertyField::IsFeatured, "featured, pinned"),
    (PropertyField::Cover, "cover, cover image, image, featured image, hero image, thumbnail"),
];

/// The statuses that mean public, and those that do not.
const PUBLIC: &str = "published, publish, public, live, posted, released, scheduled";
const NOT_PUBLIC: &str = "\
    archived, backlog, draft, drafting, editing, hidden, idea, ideas, in progress, in review, not started, private, \
    review, to do, unpublished, writing";

#[derive(Debug, Default)]
pub(super) struct PageFields {
    pub date: Option<Instant>,
    /// The name and value of a date property that cannot be read.
    pub bad_date: Option<(String, String)>,
    pub created: Option<Instant>,
    pub updated: Option<Instant>,
    pub is_draft: bool,
    /// Whether it is a draft only because nothing says that it is published.
    pub is_unmarked: bool,
    /// The status that made it a draft because its meaning is unknown.
    pub unknown_status: Option<String>,
    pub authors: Vec<String>,
    pub categories: Vec<String>,
    pub tags: Vec<String>,
    pub slug: Option<String>,
    pub subtitle: Option<String>,
    pub excerpt: Option<String>,
    pub language: Option<Language>,
    pub is_featured: Option<bool>,
    pub cover: Option<String>,
    /// The properties that stay in the metadata.
    rest: Vec<(String, String)>,
    /// The zone of dates without one.
    time_zone: TimeZone,
}

pub(super) fn is_known(name: &str) -> bool {
    field_of(name).is_some()
}

/// Whether one of these properties is the publication date.
pub(super) fn have_date(names: &[String]) -> bool {
    names.iter().any(|name| field_of(name) == Some(PropertyField::Date))
}

pub(super) fn have_cover(names: &[String]) -> bool {
    names.iter().any(|name| field_of(name) == Some(PropertyField::Cover))
}

fn field_of(name: &str) -> Option<PropertyField> {
    let name = folded(name);
    NAMES.iter().find(|(_, names)| names.split(", ").any(|known| known == name)).map(|(field, _)| *field)
}

impl PageFields {
    pub(super) fn of(properties: Vec<(String, String)>, options: &ReadOptions) -> Self {
        let mut fields = Self { time_zone: options.time_zone.clone(), ..Self::default() };
        let (mut status, mut published, mut draft, mut has_date_of_publication) = (None, None, None, false);
        for (name, value) in properties {
            let is_returned = match field_of(&name) {
                _ if value.is_empty() => true,
                Some(PropertyField::Status) => {
                    status = status.or(Some(value.clone()));
                    matches!(folded(&value).as_str(), "published" | "draft")
                }
                Some(PropertyField::IsPublished) => match (truth(&value), fields.instant(&value)) {
                    (Some(truth), _) => {
                        published = published.or(Some(truth));
                        true
                    }
                    (None, Some(_)) => {
                        has_date_of_publication = true;
                        fields.take(PropertyField::Date, &name, &value)
                    }
                    (None, None) => false,
                },
                Some(PropertyField::IsDraft) => {
                    draft = draft.or(truth(&value));
                    truth(&value).is_some()
                }
                Some(field) => fields.take(field, &name, &value),
                None => false,
            };
            if !is_returned {
                fields.rest.push((name, value));
            }
        }
        let meaning = status.as_deref().map(is_public);
        let is_unknown = meaning == Some(None) && published != Some(true);
        let is_marked = status.is_some() || published.is_some() || draft.is_some() || has_date_of_publication;
        fields.is_unmarked = !is_marked && !options.unmarked_are_public;
        let is_marked_as_draft = draft == Some(true) || published == Some(false) || meaning == Some(Some(false));
        fields.is_draft = is_marked_as_draft || is_unknown || fields.is_unmarked;
        fields.unknown_status = status.filter(|_| is_unknown && draft != Some(true) && published.is_none());
        fields
    }

    fn instant(&self, value: &str) -> Option<Instant> {
        written_date::parse(value, &self.time_zone)
    }

    /// Reads one property. Returns whether a field returns it as written.
    fn take(&mut self, field: PropertyField, name: &str, value: &str) -> bool {
        match field {
            PropertyField::Date => {
                let date = self.instant(value);
                if date.is_none() && self.bad_date.is_none() {
                    self.bad_date = Some((name.to_owned(), value.to_owned()));
                }
                set(&mut self.date, date) && !value.contains(SPAN)
            }
            PropertyField::Created => set(&mut self.created, written_date::parse(value, &self.time_zone)),
            PropertyField::Updated => set(&mut self.updated, written_date::parse(value, &self.time_zone)),
            PropertyField::Authors => names::add(&mut self.authors, value),
            PropertyField::Categories => names::add(&mut self.categories, value),
            PropertyField::Tags => names::add(&mut self.tags, value),
            PropertyField::Slug => set(&mut self.slug, Some(value.to_owned())) && value.parse::<Slug>().is_ok(),
            PropertyField::Subtitle => set(
                &mut self.subtitle,
                Some(value.to_owned()).filter(|text| text.chars().count() <= SUBTITLE_CHARS_MAX),
            ),
            PropertyField::Excerpt => set(&mut self.excerpt, Some(value.to_owned())),
            PropertyField::Language => set(&mut self.language, Language::of_locale(value)),
            PropertyField::IsFeatured => set(&mut self.is_featured, truth(value)),
            // No field returns it as written.
            PropertyField::Cover => {
                set(&mut self.cover, Some(value.to_owned()));
                false
            }
            PropertyField::Status | PropertyField::IsPublished | PropertyField::IsDraft => false,
        }
    }

    /// The planned publication date of a draft is used as its creation if there is no other.
    pub(super) fn created_of_draft(&self) -> Option<Instant> {
        self.created.or(self.date)
    }

    pub(super) fn metadata(&self) -> JsonValue {
        let rest = self.rest.iter().map(|(name, value)| (name.clone(), JsonValue::Text(value.clone())));
        // A draft with another creation time has no field for its date.
        let planned = self.date.filter(|_| self.is_draft && self.created.is_some());
        let planned = planned.map(|date| ("date".to_owned(), JsonValue::Text(date.to_string())));
        JsonValue::object(rest.chain(planned))
    }
}

/// Sets a field unless it has a value. Returns whether it was set.
fn set<T>(field: &mut Option<T>, value: Option<T>) -> bool {
    let is_set = field.is_none() && value.is_some();
    if is_set {
        *field = value;
    }
    is_set
}

/// The value of a checkbox.
fn truth(value: &str) -> Option<bool> {
    match value.to_ascii_lowercase().as_str() {
        "yes" | "true" => Some(true),
        "no" | "false" => Some(false),
        _ => None,
    }
}

/// Whether a status, which may be a list, means that a page is public; `None` if its meaning is unknown.
fn is_public(status: &str) -> Option<bool> {
    let mut words = status.split(',').map(folded);
    let means = |names: &str, word: &str| names.split(", ").any(|name| name == word);
    let meaning = |word: String| {
        let is_public = means(PUBLIC, &word);
        (is_public || means(NOT_PUBLIC, &word)).then_some(is_public)
    };
    let first = meaning(words.next()?)?;
    words.try_fold(first, |all, word| Some(meaning(word)? && all))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(properties: &[(&str, &str)]) -> PageFields {
        PageFields::of(
            properties.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
            &ReadOptions { unmarked_are_public: true, ..ReadOptions::default() },
        )
    }

    fn at(date: Option<Instant>) -> Option<String> {
        date.map(|at| at.to_string())
    }

    #[test]
    fn properties_are_read_under_their_names_and_others_are_kept() {
        let found = fields(&[
            ("Publish  Date", "January 2, 2024"),
            ("Last edited time", "January 3, 2024 5:06 PM"),
            ("Created time", "January 1, 2024"),
            ("Status", "Published"),
            ("Author", "Ada, Grace"),
            ("Category", "Boats"),
            ("Tags", "Low Water, low water, Tide"),
            ("Topics", "Moon"),
            ("slug", "on-time"),
            ("Summary", "Short."),
            ("Language", "pt_br"),
            ("Featured", "Yes"),
            ("Cover", "On%20time/a.png"),
            ("Mood", "calm"),
            ("Empty", ""),
        ]);
        assert_eq!(at(found.date).as_deref(), Some("2024-01-02T00:00:00Z"));
        assert_eq!(at(found.updated).as_deref(), Some("2024-01-03T17:06:00Z"));
        assert_eq!(at(found.created).as_deref(), Some("2024-01-01T00:00:00Z"));
        assert_eq!(
            (found.authors.as_slice(), found.categories.as_slice()),
            (&["Ada", "Grace"].map(String::from)[..], &["Boats".to_owned()][..])
        );
        assert_eq!(found.tags, ["Low Water", "Tide", "Moon"]);
        assert_eq!((found.slug.as_deref(), found.excerpt.as_deref()), (Some("on-time"), Some("Short.")));
        assert_eq!((found.language.as_ref().map(Language::as_str), found.is_featured), (Some("pt-BR"), Some(true)));
        assert_eq!(found.cover.as_deref(), Some("On%20time/a.png"));
        assert!(!found.is_draft && found.unknown_status.is_none());
        assert_eq!(found.metadata().to_json(), r#"{"Cover":"On%20time/a.png","Mood":"calm"}"#);
    }

    #[test]
    fn a_value_that_is_not_returned_as_it_is_written_is_kept() {
        let found = fields(&[
            ("Date", "January 2, 2024 → January 5, 2024"),
            ("Published at", "January 9, 2024"),
            ("Slug", "On Time"),
            ("Language", "Rust"),
            ("Status", "Scheduled"),
            ("Pinned", "top"),
        ]);
        let expected = r#"{"Date":"January 2, 2024 → January 5, 2024","Published at":"January 9, 2024","Slug":"On Time","Language":"Rust","Status":"Scheduled","Pinned":"top"}"#;
        assert_eq!(found.metadata().to_json(), expected);
        assert_eq!((found.slug.as_deref(), found.is_featured, found.is_draft), (Some("On Time"), None, false));
        let draft = fields(&[("Date", "2024-01-02"), ("Created", "2024-01-01"), ("Draft", "Yes")]);
        assert_eq!(draft.metadata().to_json(), r#"{"date":"2024-01-02T00:00:00Z"}"#);
        assert_eq!(at(draft.created_of_draft()).as_deref(), Some("2024-01-01T00:00:00Z"));
        let bad = fields(&[("Date", "02/01/2024")]);
        assert_eq!((bad.date, bad.bad_date.is_some()), (None, true));
    }

    #[test]
    fn only_what_says_that_a_page_is_public_publishes_it() {
        for (properties, is_draft, is_unknown) in [
            (&[][..], false, false),
            (&[("Status", "Live")][..], false, false),
            (&[("Status", "In progress")][..], true, false),
            (&[("Status", "Done")][..], true, true),
            (&[("Status", "Published, Done")][..], true, true),
            (&[("Status", "Published, Draft")][..], true, false),
            (&[("Status", "Done"), ("Published", "Yes")][..], false, false),
            (&[("Status", "Published"), ("Published", "No")][..], true, false),
            (&[("Published", "No")][..], true, false),
            (&[("Publish", "Yes")][..], false, false),
            (&[("Published", "January 2, 2024")][..], false, false),
            (&[("Draft", "Yes"), ("Published", "Yes")][..], true, false),
            (&[("Draft", "No")][..], false, false),
        ] {
            let found = fields(properties);
            assert_eq!((found.is_draft, found.unknown_status.is_some()), (is_draft, is_unknown), "{properties:?}");
        }
        assert!(fields(&[("Published", "January 2, 2024")]).date.is_some());
    }
}
