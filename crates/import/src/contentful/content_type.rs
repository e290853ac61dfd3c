//! The role of a content type: whether its entries become posts, pages or terms. The rule: the fields decide, by their types and their usual names; a type
//! without a title or a body is neither a post nor a page.

use serde_json::Value;

use crate::words::has_word;
use tidings_model::TermKind;

use super::item::{ContentfulItem, text_of};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FieldKind {
    /// A short text.
    Symbol,
    /// A long text, in Markdown.
    Text,
    RichText,
    Date,
    Boolean,
    Asset,
    Entry,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ContentField {
    pub id: String,
    /// For a list, the kind of its items.
    pub kind: FieldKind,
    pub is_list: bool,
    /// The name in lower case, with only letters and digits.
    pub name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryRole {
    Post,
    Page,
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ContentType {
    pub id: String,
    pub role: EntryRole,
    /// The kind of terms that its entries are, for a post that links to them.
    pub term: Option<TermKind>,
    pub fields: Vec<ContentField>,
    pub title: Option<String>,
    pub slug: Option<String>,
    pub date: Option<String>,
    pub body: Option<String>,
    pub subtitle: Option<String>,
    pub excerpt: Option<String>,
    pub cover: Option<String>,
    pub featured: Option<String>,
    pub url: Option<String>,
    pub job_title: Option<String>,
}

const TITLES: &str = "title headline heading name posttitle pagetitle";
const SLUGS: &str = "slug urlslug path url permalink uri handle";
const DATES: &str = "\
    publishdate publisheddate publicationdate publishingdate publishedat publishedon published datepublished postdate \
    date displaydate releasedate";
const BODIES: &str = "body content text article post richtext bodytext bodycopy copy maincontent markdown";
const SUBTITLES: &str = "subtitle";
const EXCERPTS: &str = "\
    excerpt summary description shortdescription teaser intro introduction abstract metadescription \
    seodescription";
const COVERS: &str = "\
    cover coverimage heroimage hero featuredimage featureimage mainimage headerimage image thumbnail banner";
const FEATURED: &str = "featured isfeatured pinned sticky";
const BIOS: &str = "bio shortbio biography about description";
const WEBSITES: &str = "website url homepage link";
const JOBS: &str = "jobtitle position role title";

/// Words in the names of post types, even if the name also contains "page": Contentful's own starter has the type `pageBlogPost`.
const POST_WORDS: &str = "post article";
const PAGE_WORD: &str = "page";
/// Words in the names of post types, unless the name also says page.
const BLOG_WORDS: &str = "blog news story";

/// The ends of the names of fields that contain names of terms. A field such as `authorEmail` contains none.
const TERM_ENDINGS: &str = "\
    author authors authorname authornames person persons people writer writers contributor contributors category \
    categories categoryname topic topics keyword keywords tag tags";
/// The fields with the name of a person, whatever field Contentful displays.
const PERSON_NAMES: &str = "name fullname";

impl ContentType {
    /// # Errors
    /// If it has no id.
    pub(super) fn read(item: &ContentfulItem) -> Result<Self, String> {
        let id = item.id().ok_or("has no id")?.to_owned();
        let fields = item.property("fields").and_then(Value::as_array).into_iter().flatten();
        let fields: Vec<ContentField> = fields.filter_map(ContentField::read).collect();
        let words = format!("{} {}", folded(&id), folded(item.text("name").unwrap_or_default()));
        let term = kind_of_terms(&words);
        let by_name = |names: &str, kinds: &[FieldKind]| find(&fields, names, kinds);
        let displayed = item.text("displayField");
        let displayed =
            fields.iter().find(|field| Some(field.id.as_str()) == displayed && field.kind == FieldKind::Symbol);
        let named = by_name(TITLES, &[FieldKind::Symbol, FieldKind::Text]);
        // The field `title` of a person is a job title.
        let title = match term {
            Some(_) => by_name(PERSON_NAMES, &[FieldKind::Symbol]).or(displayed).or(named),
            None => named.or(displayed),
        };
        let texts: &[FieldKind] = &[FieldKind::Symbol, FieldKind::Text, FieldKind::RichText];
        let body = if term.is_none() { body(&fields, title) } else { None };
        let excerpt = by_name(if term.is_some() { BIOS } else { EXCERPTS }, texts);
        let (slug, date) = (by_name(SLUGS, &[FieldKind::Symbol]), by_name(DATES, &[FieldKind::Date]));
        let id_of = |field: Option<&ContentField>| field.map(|field| field.id.clone());
        let role = match (term, title, body) {
            (None, Some(_), Some(_)) => role(&words, slug.is_some(), date.is_some()),
            _ => EntryRole::Other,
        };
        Ok(Self {
            role,
            term,
            title: id_of(title),
            slug: id_of(slug),
            date: id_of(date),
            body: id_of(body),
            subtitle: id_of(by_name(SUBTITLES, &[FieldKind::Symbol, FieldKind::Text])),
            excerpt: id_of(excerpt.filter(|field| Some(*field) != body && Some(*field) != title)),
            cover: id_of(by_name(COVERS, &[FieldKind::Asset])),
            featured: id_of(by_name(FEATURED, &[FieldKind::Boolean])),
            url: id_of(by_name(WEBSITES, &[FieldKind::Symbol])),
            job_title: id_of(by_name(JOBS, &[FieldKind::Symbol]).filter(|field| Some(*field) != title)),
            fields,
            id,
        })
    }
}

impl ContentField {
    fn read(value: &Value) -> Option<Self> {
        let id = value.get("id").and_then(text_of)?.to_owned();
        let (of, is_list) = match value.get("type").and_then(Value::as_str)? {
            "Array" => (value.get("items")?, true),
            _ => (value, false),
        };
        let kind = match (of.get("type").and_then(Value::as_str)?, of.get("linkType").and_then(Value::as_str)) {
            ("Symbol", _) => FieldKind::Symbol,
            ("Text", _) => FieldKind::Text,
            ("RichText", _) => FieldKind::RichText,
            ("Date", _) => FieldKind::Date,
            ("Boolean", _) => FieldKind::Boolean,
            ("Link", Some("Asset")) => FieldKind::Asset,
            ("Link" | "ResourceLink", _) => FieldKind::Entry,
            _ => FieldKind::Other,
        };
        Some(Self { name: folded(&id), id, kind, is_list })
    }

    /// The kind of terms that the texts or entries of the field are.
    pub(super) fn term(&self) -> Option<TermKind> {
        let is_name = || TERM_ENDINGS.split(' ').any(|ending| self.name.ends_with(ending));
        kind_of_terms(&self.name).filter(|_| self.kind != FieldKind::Symbol || is_name())
    }
}

/// The field with the first of these names that exists with one of these kinds.
fn find<'f>(fields: &'f [ContentField], names: &str, kinds: &[FieldKind]) -> Option<&'f ContentField> {
    names.split(' ').find_map(|name| {
        fields.iter().find(|field| field.name == name && kinds.contains(&field.kind) && !field.is_list)
    })
}

/// The field with a usual name, or else the only remaining one of its kind.
fn body<'f>(fields: &'f [ContentField], title: Option<&ContentField>) -> Option<&'f ContentField> {
    let named = find(fields, BODIES, &[FieldKind::Text, FieldKind::RichText]).filter(|field| Some(*field) != title);
    let only = |kind: FieldKind| {
        let is_one = |field: &&ContentField| field.kind == kind && !field.is_list && !has_word(EXCERPTS, &field.name);
        let mut found = fields.iter().filter(|field| is_one(field) && Some(*field) != title);
        found.next().filter(|_| found.next().is_none())
    };
    named.or_else(|| only(FieldKind::RichText)).or_else(|| only(FieldKind::Text))
}

fn role(words: &str, has_slug: bool, has_date: bool) -> EntryRole {
    let has = |names: &str| names.split(' ').any(|name| words.contains(name));
    match () {
        () if has(POST_WORDS) => EntryRole::Post,
        () if words.contains(PAGE_WORD) => EntryRole::Page,
        () if has(BLOG_WORDS) || has_date => EntryRole::Post,
        () if has_slug => EntryRole::Page,
        () => EntryRole::Other,
    }
}

fn kind_of_terms(words: &str) -> Option<TermKind> {
    let words = words.replace("personal", "");
    let has = |names: &str| names.split(' ').any(|name| words.contains(name));
    match () {
        () if has("author person people writer contributor") => Some(TermKind::Author),
        () if has("categor") => Some(TermKind::Category),
        () if has("topic keyword") || words.split(' ').any(|word| word.ends_with("tag") || word.ends_with("tags")) => {
            Some(TermKind::Tag)
        }
        () => None,
    }
}

fn folded(name: &str) -> String {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn content_type(id: &str, displayed: &str, fields: &[(&str, &str)]) -> ContentType {
        let field = |(id, kind): &(&str, &str)| match *kind {
            "Asset" | "Entry" => json!({ "id": id, "type": "Link", "linkType": kind }),
            "Symbols" => json!({ "id": id, "type": "Array", "items": { "type": "Symbol" } }),
            "Entries" => json!({ "id": id, "type": "Array", "items": { "type": "Link", "linkType": "Entry" } }),
            kind => json!({ "id": id, "type": kind }),
        };
        let fields: Vec<_> = fields.iter().map(field).collect();
        let item = json!({ "sys": { "id": id }, "name": id, "displayField": displayed, "fields": fields });
        ContentType::read(&ContentfulItem::new(item).expect("an item")).expect("a content type")
    }

    #[test]
    fn the_fields_decide_what_the_entries_are() {
        let text = [("title", "Symbol"), ("body", "RichText")];
        let with = |more: &[(&'static str, &'static str)]| [&text[..], more].concat();
        for (id, fields, role) in [
            ("blogPost", with(&[("slug", "Symbol")]), EntryRole::Post),
            ("essay", with(&[("publishDate", "Date")]), EntryRole::Post),
            ("landingPage", with(&[("slug", "Symbol"), ("date", "Date")]), EntryRole::Page),
            ("pageBlogPost", with(&[("slug", "Symbol")]), EntryRole::Post),
            ("newsPage", with(&[("slug", "Symbol")]), EntryRole::Page),
            ("personalStory", with(&[]), EntryRole::Post),
            ("legal", with(&[("slug", "Symbol")]), EntryRole::Page),
            ("textBlock", with(&[]), EntryRole::Other),
            ("author", with(&[("slug", "Symbol")]), EntryRole::Other),
            ("blogPost", vec![("title", "Symbol"), ("slug", "Symbol"), ("date", "Date")], EntryRole::Other),
            ("event", vec![("title", "Symbol"), ("date", "Date"), ("description", "RichText")], EntryRole::Other),
            ("essay", vec![("internalName", "Symbol"), ("date", "Date"), ("words", "Text")], EntryRole::Post),
            ("essay", vec![("x", "Symbol"), ("date", "Date"), ("one", "Text"), ("two", "Text")], EntryRole::Other),
        ] {
            let displayed = fields[0].0;
            assert_eq!(content_type(id, displayed, &fields).role, role, "{id} {fields:?}");
        }
    }

    #[test]
    fn fields_are_found_by_the_names_that_people_give_them() {
        let post = content_type(
            "blogPost",
            "internalName",
            &[
                ("internalName", "Symbol"),
                ("post_title", "Symbol"),
                ("urlSlug", "Symbol"),
                ("eventDate", "Date"),
                ("publish_date", "Date"),
                ("sidebar", "RichText"),
                ("content", "Text"),
                ("description", "Text"),
                ("heroImage", "Asset"),
                ("isFeatured", "Boolean"),
                ("blogAuthors", "Entries"),
                ("tags", "Symbols"),
                ("stage", "Symbol"),
                ("authorEmail", "Symbol"),
                ("authorName", "Symbol"),
                ("personalNote", "Symbol"),
            ],
        );
        let names = [&post.title, &post.slug, &post.date, &post.body, &post.excerpt, &post.cover, &post.featured];
        let names: Vec<_> = names.iter().map(|name| name.as_deref().unwrap_or_default()).collect();
        assert_eq!(
            names,
            ["post_title", "urlSlug", "publish_date", "content", "description", "heroImage", "isFeatured"]
        );
        let terms: Vec<_> = post.fields.iter().filter_map(|field| Some((field.id.as_str(), field.term()?))).collect();
        let expected = [("blogAuthors", TermKind::Author), ("tags", TermKind::Tag), ("authorName", TermKind::Author)];
        assert_eq!(terms, expected);
        let person = content_type(
            "person",
            "internalName",
            &[
                ("internalName", "Symbol"),
                ("name", "Symbol"),
                ("title", "Symbol"),
                ("shortBio", "RichText"),
                ("website", "Symbol"),
            ],
        );
        assert_eq!(
            (person.term, person.title.as_deref(), person.excerpt.as_deref()),
            (Some(TermKind::Author), Some("name"), Some("shortBio"))
        );
        assert_eq!((person.job_title.as_deref(), person.url.as_deref()), (Some("title"), Some("website")));
    }
}
