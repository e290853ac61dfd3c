//! The expected content of a site, in plain maps. The rule: it knows the rules of editing and nothing of the tables, so that the model and the server
//! cannot both be wrong in the same way.

use std::collections::BTreeMap;

use tidings::content::Content;
use tidings::model::{Instant, Slug, TermKind, WholePost};

/// All content of a site.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Model {
    /// By id.
    pub posts: BTreeMap<String, ModelPost>,
    /// By the first slug that each tag had; posts name their tags by it.
    pub tags: BTreeMap<String, ModelTag>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelTag {
    pub slug: String,
    pub name: String,
    pub former_slugs: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelPost {
    pub slug: String,
    pub title: String,
    pub markdown: String,
    /// JSON.
    pub metadata: String,
    /// Empty: none.
    pub language: String,
    pub is_featured: bool,
    /// Empty: none.
    pub series: String,
    pub version: i32,
    /// `None`: a draft.
    pub published_at: Option<Instant>,
    pub tags: Vec<String>,
    /// Categories and authors; no command here changes them.
    pub others: Vec<String>,
    /// In the order in which it had them.
    pub former_slugs: Vec<String>,
}

/// A change that an editor asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    Create {
        slug: String,
        title: String,
        tags: Vec<String>,
        publish_at: Option<Instant>,
    },
    Update {
        id: String,
        version: i32,
        changes: Fields,
    },
    /// Published or re-dated.
    Publish {
        id: String,
        version: i32,
        at: Instant,
    },
    Unpublish {
        id: String,
        version: i32,
    },
    Delete {
        id: String,
        version: i32,
    },
    SaveTag {
        slug: String,
        name: String,
    },
    RenameTag {
        slug: String,
        new_slug: String,
    },
    DeleteTag {
        slug: String,
    },
    /// The tag that has the slug is merged into another tag.
    MergeTag {
        slug: String,
        into: String,
    },
}

/// The fields of a post that a command changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fields {
    pub slug: Option<String>,
    pub title: Option<String>,
    pub markdown: Option<String>,
    /// JSON.
    pub metadata: Option<String>,
    /// Empty: it is removed.
    pub language: Option<String>,
    pub is_featured: Option<bool>,
    /// The slug of a series that exists; empty: it is removed.
    pub series: Option<String>,
    pub tags: Option<Vec<String>>,
    /// When it is published, with the same change.
    pub publish_at: Option<Instant>,
}

/// Why a change was refused.
impl Command {
    /// The slug of the tag that the command names.
    pub fn tag(&self) -> Option<&str> {
        match self {
            Self::SaveTag { slug, .. }
            | Self::RenameTag { slug, .. }
            | Self::DeleteTag { slug }
            | Self::MergeTag { slug, .. } => Some(slug),
            _ => None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    Taken,
    Conflict,
    NotFound,
    InUse,
    /// Other changes of the same content are under way.
    Busy,
}

impl Model {
    /// The content as the rows store it, drafts and scheduled posts included.
    pub async fn of(content: &Content) -> Self {
        let mut model = Self::default();
        let mut walk = content.walk();
        while let Some(posts) = walk.next().await.expect("the posts are read") {
            for whole in posts {
                let id = whole.post.id.to_string();
                if let Some(first) = model.posts.insert(id.clone(), ModelPost::of(whole)) {
                    // A model never has two posts with one id, so that a comparison with this one fails.
                    model.posts.insert(format!("{id}, a second time"), first);
                }
            }
        }
        for tag in content.all_terms(TermKind::Tag).await.expect("the tags are read") {
            let former_slugs = tag.former_slugs.iter().map(Slug::to_string).collect();
            let found = ModelTag { slug: tag.slug.to_string(), name: tag.name, former_slugs };
            if let Some(first) = model.tags.insert(tag.id.first_slug.to_string(), found) {
                // A model never has two tags with one first slug.
                model.tags.insert(format!("{}, a second time", tag.id.first_slug), first);
            }
        }
        model
    }

    /// The post that has this slug or had it.
    pub fn owner(&self, slug: &str) -> Option<&String> {
        let owns = |post: &ModelPost| post.slug == slug || post.former_slugs.iter().any(|former| former == slug);
        self.posts.iter().find(|(_, post)| owns(post)).map(|(id, _)| id)
    }

    /// The content after a change. `new_id`: the id that the server gave to a new post.
    pub fn after(&self, command: &Command, new_id: &str) -> Result<Self, Refusal> {
        let mut model = self.clone();
        match command {
            Command::Create { slug, title, tags, publish_at } => {
                // The terms of an input are looked up before its slug is reserved.
                let tags = self.first_slugs(tags)?;
                if self.owner(slug).is_some() {
                    return Err(Refusal::Taken);
                }
                let post = ModelPost {
                    slug: slug.clone(),
                    title: title.clone(),
                    markdown: body_of(title),
                    metadata: metadata_of(title),
                    language: language_of(title).to_owned(),
                    is_featured: is_featured(title),
                    series: String::new(),
                    version: 1,
                    published_at: *publish_at,
                    tags,
                    others: Vec::new(),
                    former_slugs: Vec::new(),
                };
                model.put(new_id.to_owned(), post);
            }
            Command::Update { id, version, changes } => {
                // The version is checked first, then the terms.
                let post = self.post(id, *version)?;
                let tags = changes.tags.as_ref().map(|tags| self.first_slugs(tags)).transpose()?;
                if changes.slug.as_ref().and_then(|slug| self.owner(slug)).is_some_and(|owner| owner != id) {
                    return Err(Refusal::Taken);
                }
                let changes = Fields { tags, ..changes.clone() };
                model.put(id.clone(), post.changed(&changes));
            }
            Command::Publish { id, version, at } => {
                model.put(id.clone(), self.post(id, *version)?.published(Some(*at)));
            }
            Command::Unpublish { id, version } => model.put(id.clone(), self.post(id, *version)?.published(None)),
            Command::Delete { id, version } => {
                self.post(id, *version)?;
                model.posts.remove(id);
            }
            Command::SaveTag { slug, name } => {
                let first = self.first_slug(slug).unwrap_or(slug).clone();
                model.tags.entry(first).or_insert_with(|| ModelTag::new(slug)).name.clone_from(name);
            }
            Command::RenameTag { slug, new_slug } => {
                let first = self.first_slug(slug).ok_or(Refusal::NotFound)?;
                if self.first_slug(new_slug).is_some_and(|owner| owner != first) {
                    return Err(Refusal::Taken);
                }
                model.tags.entry(first.clone()).and_modify(|tag| tag.rename(new_slug));
            }
            Command::DeleteTag { slug } => {
                let first = self.first_slug(slug).ok_or(Refusal::NotFound)?;
                if self.posts.values().any(|post| post.tags.contains(first)) {
                    return Err(Refusal::InUse);
                }
                model.tags.remove(first);
            }
            Command::MergeTag { slug, into } => {
                let from = self.first_slug(slug).ok_or(Refusal::NotFound)?;
                let into = self.first_slug(into).ok_or(Refusal::NotFound)?;
                model.merge(from, into);
            }
        }
        Ok(model)
    }

    /// The tags are named by their first slugs.
    fn merge(&mut self, from: &String, into: &String) {
        for post in self.posts.values_mut().filter(|post| post.tags.contains(from)) {
            match post.tags.contains(into) {
                true => post.tags.retain(|tag| tag != from),
                false => post.tags.iter_mut().filter(|tag| *tag == from).for_each(|tag| tag.clone_from(into)),
            }
            post.version += 1;
        }
        let gone = self.tags.remove(from).expect("a tag");
        let kept = self.tags.get_mut(into).expect("a tag");
        for slug in [from].into_iter().chain(&gone.former_slugs).chain([&gone.slug]) {
            if *slug != kept.slug && slug != into && !kept.former_slugs.contains(slug) {
                kept.former_slugs.push(slug.clone());
            }
        }
    }

    /// Whether both slugs belong to one tag.
    pub fn are_of_one_tag(&self, one: &String, other: &String) -> bool {
        self.first_slug(one).is_some_and(|first| self.first_slug(other) == Some(first))
    }

    /// The first slug of the tag that has or had this slug.
    fn first_slug(&self, slug: &String) -> Option<&String> {
        let owns = |tag: &ModelTag| tag.slug == *slug || tag.former_slugs.contains(slug);
        self.tags.iter().find(|(_, tag)| owns(tag)).map(|(first, _)| first)
    }

    /// The first slugs of the tags that a post is given by their present slugs, or by the slugs of tags that are created with it; each once.
    fn first_slugs(&self, tags: &[String]) -> Result<Vec<String>, Refusal> {
        let mut firsts: Vec<String> = Vec::new();
        for tag in tags {
            let first = match self.first_slug(tag) {
                Some(first) if self.tags[first].slug != *tag => return Err(Refusal::NotFound),
                first => first.unwrap_or(tag),
            };
            if !firsts.contains(first) {
                firsts.push(first.clone());
            }
        }
        Ok(firsts)
    }

    fn post(&self, id: &str, version: i32) -> Result<&ModelPost, Refusal> {
        let post = self.posts.get(id).ok_or(Refusal::NotFound)?;
        if post.version == version { Ok(post) } else { Err(Refusal::Conflict) }
    }

    /// Creates the tags of the post that do not exist.
    fn put(&mut self, id: String, post: ModelPost) {
        for tag in &post.tags {
            self.tags.entry(tag.clone()).or_insert_with(|| ModelTag::new(tag));
        }
        self.posts.insert(id, post);
    }
}

impl ModelTag {
    /// A tag as it is created together with a post.
    pub fn new(slug: &str) -> Self {
        Self { slug: slug.to_owned(), name: slug.to_owned(), former_slugs: Vec::new() }
    }

    fn rename(&mut self, slug: &str) {
        if self.slug != slug {
            self.former_slugs.retain(|former| former != slug);
            self.former_slugs.push(std::mem::replace(&mut self.slug, slug.to_owned()));
        }
    }
}

/// The body of a created post.
pub fn body_of(title: &str) -> String {
    format!("*{title}*, in full.\n")
}

/// The languages of posts; an empty one is that of a post without a language.
pub const LANGUAGES: [&str; 3] = ["de", "", "pt-BR"];

/// The language of a created post.
pub fn language_of(title: &str) -> &'static str {
    LANGUAGES[title.len() % LANGUAGES.len()]
}

/// Whether a created post is featured.
pub fn is_featured(title: &str) -> bool {
    title.len().is_multiple_of(2)
}

/// The metadata of a created post, as JSON; empty for some posts.
pub fn metadata_of(title: &str) -> String {
    if title.len().is_multiple_of(4) {
        "{}".to_owned()
    } else {
        format!("{{\"made\":{{\"as\":[{title:?},1.5,null]}},\"rating\":{}}}", title.len() % 3)
    }
}

impl ModelPost {
    fn of(whole: WholePost) -> Self {
        let texts = |slugs: &[Slug]| slugs.iter().map(Slug::to_string).collect::<Vec<_>>();
        let post = whole.post;
        Self {
            others: [texts(&post.categories), texts(&post.authors)].concat(),
            tags: texts(&post.tags),
            former_slugs: texts(&post.former_slugs),
            slug: post.slug.to_string(),
            title: post.title,
            markdown: whole.markdown.to_string(),
            metadata: whole.metadata.text().to_owned(),
            language: post.language.map(|language| language.to_string()).unwrap_or_default(),
            is_featured: post.is_featured,
            series: post.series.map(|series| series.to_string()).unwrap_or_default(),
            version: post.version,
            published_at: post.published_at,
        }
    }

    /// A change that changes nothing makes no version.
    fn next(&self, after: Self) -> Self {
        if after == *self { after } else { Self { version: self.version + 1, ..after } }
    }

    fn published(&self, at: Option<Instant>) -> Self {
        self.next(Self { published_at: at, ..self.clone() })
    }

    fn changed(&self, changes: &Fields) -> Self {
        let mut after = self.clone();
        if let Some(slug) = changes.slug.as_ref().filter(|slug| **slug != self.slug) {
            after.former_slugs.retain(|former| former != slug);
            after.former_slugs.push(self.slug.clone());
            after.slug.clone_from(slug);
        }
        after.title = changes.title.clone().unwrap_or(after.title);
        after.markdown = changes.markdown.clone().unwrap_or(after.markdown);
        after.metadata = changes.metadata.clone().unwrap_or(after.metadata);
        after.language = changes.language.clone().unwrap_or(after.language);
        after.is_featured = changes.is_featured.unwrap_or(after.is_featured);
        after.series = changes.series.clone().unwrap_or(after.series);
        after.tags = changes.tags.clone().unwrap_or(after.tags);
        after.published_at = changes.publish_at.or(after.published_at);
        self.next(after)
    }
}
