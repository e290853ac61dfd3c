//! Reads the front matter of a generator's file as fields, with the values from the generator's files. The rule: a file that may not be public is a
//! draft, and a value that no field returns as its author meant it gets a note.

use crate::{ImportedCover, dates};
use tidings_model::{Enclosure, Instant};

use super::fields::{PostFields, category_parents, divided_authors};
use super::name::{self, Name};
use super::sections::{self, Section};
use super::site_files::SiteFiles;
use super::value::{Value, is_one_of};
use super::{enclosure, marks, pictures, publication, unused};

/// The file without its body.
pub(super) struct Reading {
    pub front: Value,
    pub fields: PostFields,
    pub cover: ImportedCover,
    pub enclosure: Option<Enclosure>,
    pub notes: Vec<String>,
    /// What a file with a date is.
    pub section: Section,
    /// Whether it is a draft because it says so in the usual words, or because of its folder.
    pub is_plain_draft: bool,
    /// When the generator stops showing it.
    pub unpublish_at: Option<Instant>,
}

/// `front`: empty if the file has no front matter.
pub(super) fn read(site: &SiteFiles, origin: &str, front: Value) -> Reading {
    let zone = &site.time_zone;
    let day = name::day(front.get("path").and_then(Value::text), &Name::of(origin, zone), origin, zone);
    let front = match site.sections.is_of_jekyll(origin, day.is_some()) {
        true => with_words(front),
        false => front,
    };
    let own = site.with_data(origin, front);
    let hidden = marks::hidden_by(&own, zone, site.now);
    let is_own_draft = marks::is_plain_draft(&own);
    let front = site.with_cascade(origin, own);
    let mut fields = PostFields::read(&front, name::is_in_drafts(origin)).in_zone(zone);
    if sections::is_of_hexo(origin) {
        fields.category_parents = category_parents(&front, true);
    }
    let of_mark = |mark: String| match marks::is_password(&mark) {
        true => format!("of `{mark}`; a password is not imported"),
        false => format!("of `{mark}`"),
    };
    let inherited = || {
        let says_draft = || (!is_own_draft && marks::is_plain_draft(&front)).then(|| "draft: true".to_owned());
        let mark = marks::hidden_by(&front, zone, site.now).or_else(says_draft)?;
        Some(format!("of `{mark}` in the file of a folder above it"))
    };
    let by_name = || {
        let underscored = name::underscored(origin).map(|name| format!("the name `{name}` begins with `_`"));
        underscored.or_else(|| site.hidden_folders.why(origin)).filter(|_| !fields.is_draft)
    };
    let reason = hidden.map(of_mark).or_else(inherited).or_else(by_name);
    let is_plain_draft = fields.is_draft && reason.is_none();
    let section = site.sections.of(origin, &front, day.is_some());
    let date = match &fields.date {
        Some(date) if is_plain_draft => Some(date.clone()),
        // One that is after the import counts first.
        Some(date) => publication::later_than(site.now, &front, zone).or_else(|| Some(date.clone())),
        // A file in a folder of posts without any date has the time of its creation.
        None if is_plain_draft || section != Section::Posts || day.is_some() => None,
        None => fields.created.clone().filter(|text| dates::parse(text).is_some()),
    };
    let language = fields.language.clone().or_else(|| site.language(origin).cloned());
    let fields = PostFields { is_draft: fields.is_draft || reason.is_some(), date, language, ..fields };
    let (cover, enclosure) = (pictures::cover(&front), enclosure::enclosure(&front));
    let mut notes: Vec<String> = divided_authors(&front).map(note_of_authors).into_iter().collect();
    notes.extend(reason.map(|reason| format!("is imported as a draft, because {reason}")));
    notes.extend(publication::computed(&front).map(note_of_computed));
    notes.extend(enclosure::note(enclosure.as_ref()));
    notes.extend(unused::notes(&front, &fields, &cover));
    let unpublish_at = marks::expiry(&front, zone, site.now);
    Reading { front, fields, cover, enclosure, notes, section, is_plain_draft, unpublish_at }
}

/// Jekyll splits the text of these keys at white space, but not that of `tag` and `category`.
const DIVIDED: &str = "tags categories";

fn with_words(front: Value) -> Value {
    let Value::Table(pairs) = front else { return front };
    let words = |(key, value): (String, Value)| {
        let text = value.text().filter(|text| is_one_of(&key, DIVIDED) && !text.contains(','));
        match text.map(|text| text.split_whitespace().map(|word| Value::Text(word.to_owned())).collect::<Vec<_>>()) {
            Some(words) if words.len() > 1 => (key, Value::List(words)),
            _ => (key, value),
        }
    };
    Value::Table(pairs.into_iter().map(words).collect())
}

pub(super) fn note_of_authors(text: &str) -> String {
    format!("{text:?} is imported as several authors; if it is one, write a list: `authors: [{text:?}]`")
}

fn note_of_computed(text: &str) -> String {
    format!("`date: {text}` is computed by Eleventy and not known here; write a date to make it a post")
}
