//! What follows from a plan: the rows that it writes and removes. The rule: each list of rows is the same for the writer, a recovery and the sweep.

use crate::rows::{MONTHS, Place, Post, Row, SLUGS, TAGS, Tables, TagRow};
use crate::state::{Change, Plan};

impl Plan {
    /// Read from the rows; `None` if there is nothing to change.
    pub fn new(change: Change, tables: &Tables) -> Option<Self> {
        match change {
            Change::Nothing => None,
            Change::Create { id, place, tags, former } => {
                let after = Post { version: 1, place, tags, former };
                tables.find(id).is_none().then(|| Self::post(id, None, Some(after), tables))?
            }
            Change::Delete { id } => {
                let (before, _) = tables.find(id)?;
                Self::post(id, Some(before), None, tables)
            }
            Change::Retag { id, .. } | Change::Slug { id, .. } | Change::Redate { id, .. } | Change::Text { id } => {
                let (before, _) = tables.find(id)?;
                let after = changed(change, before);
                let is_same =
                    Post { version: before.version, ..after } == before && !matches!(change, Change::Text { .. });
                (!is_same).then(|| Self::post(id, Some(before), Some(after), tables))?
            }
            Change::MakeTag { tag } => match tables.tag(tag) {
                TagRow::None | TagRow::Gone { .. } => Some(Self::Tag { tag, from: None, to: Some(tag) }),
                TagRow::Identity { .. } | TagRow::Slug { .. } => None,
            },
            Change::RenameTag { tag, slug } => match tables.tag(tag) {
                TagRow::Identity { slug: from, .. } if from != slug => {
                    Some(Self::Tag { tag, from: Some(from), to: Some(slug) })
                }
                _ => None,
            },
            Change::DeleteTag { tag } => match tables.tag(tag) {
                TagRow::Identity { slug, .. } => Some(Self::Tag { tag, from: Some(slug), to: None }),
                _ => None,
            },
        }
    }

    /// `None` if the slug of a tag that the post is to get belongs to another tag.
    fn post(id: u8, before: Option<Post>, after: Option<Post>, tables: &Tables) -> Option<Self> {
        let mut new_tags = 0;
        for tag in gained_tags(before, after) {
            match tables.tag(tag) {
                TagRow::Identity { .. } => {}
                TagRow::None | TagRow::Gone { .. } => new_tags |= 1 << tag,
                TagRow::Slug { .. } => return None,
            }
        }
        Some(Self::Post { id, before, after, new_tags })
    }

    pub fn gained_tags(self) -> impl Iterator<Item = u8> {
        let (before, after) = self.versions();
        gained_tags(before, after)
    }

    fn versions(self) -> (Option<Post>, Option<Post>) {
        match self {
            Self::Post { before, after, .. } => (before, after),
            Self::None | Self::Tag { .. } => (None, None),
        }
    }

    pub fn id(self) -> Option<u8> {
        match self {
            Self::Post { id, .. } => Some(id),
            Self::None | Self::Tag { .. } => None,
        }
    }

    /// The claims that the post does not have yet.
    pub fn claims(self) -> impl Iterator<Item = Row> {
        let (before, after) = self.versions();
        let id = self.id().filter(|_| before.is_none() && after.is_some()).map(Row::Id);
        let own = after.map(|after| after.place.slug);
        let aliases =
            (0..SLUGS).filter(move |slug| own != Some(*slug) && after.is_some_and(|after| after.has_slug(*slug)));
        let slugs =
            own.into_iter().chain(aliases).filter(move |slug| !before.is_some_and(|before| before.has_slug(*slug)));
        id.into_iter().chain(slugs.map(Row::Slug))
    }

    pub fn gained_pointers(self) -> impl Iterator<Item = Row> {
        let (before, after) = self.versions();
        pointers(self.id(), after, before)
    }

    pub fn lost_pointers(self) -> impl Iterator<Item = Row> {
        let (before, after) = self.versions();
        pointers(self.id(), before, after)
    }

    /// All claims of a post that is deleted.
    pub fn released_claims(self) -> impl Iterator<Item = Row> {
        let (before, after) = self.versions();
        let before = before.filter(|_| after.is_none());
        let slugs = (0..SLUGS).filter(move |slug| before.is_some_and(|before| before.has_slug(*slug))).map(Row::Slug);
        self.id().filter(|_| before.is_some()).map(Row::Id).into_iter().chain(slugs)
    }

    /// From where and to where a post is copied that moves to another month.
    pub fn copy(self) -> Option<(Place, Place)> {
        match self.versions() {
            (Some(before), Some(after)) if before.place.month != after.place.month => Some((before.place, after.place)),
            _ => None,
        }
    }

    /// Whether it may write a row to the month's partition that does not exist there yet.
    pub fn puts_into(self, month: u8) -> bool {
        let (before, after) = self.versions();
        after.is_some_and(|after| after.place.month == month) && before.is_none_or(|before| before.place.month != month)
    }

    pub fn takes_from(self, month: u8) -> bool {
        let (before, after) = self.versions();
        before.is_some_and(|before| before.place.month == month) && after.is_none_or(|after| after.place.month != month)
    }

    /// The partition of the post's marker.
    pub fn marker(self) -> Option<Row> {
        match self {
            Self::Post { id, before: None, after: Some(post), .. }
            | Self::Post { id, before: Some(post), after: None, .. } => {
                Some(Row::Marker { month: post.place.month, id })
            }
            _ => None,
        }
    }

    pub fn replaces_version(self) -> bool {
        matches!(self.versions(), (Some(_), Some(_)))
    }

    /// The rows that may name the change after it was aborted.
    pub fn own_rows(self) -> impl Iterator<Item = Row> {
        let copy = self.copy().map(|(_, to)| Row::Post(to));
        let own_tags = (0..TAGS).filter(move |key| match self {
            Self::Tag { tag, to, .. } => to.unwrap_or(tag) == *key,
            Self::None | Self::Post { .. } => self.makes_tag(*key),
        });
        let revisions = self.id().filter(|_| self.replaces_version()).map(Row::Revisions);
        self.gained_pointers()
            .chain(revisions)
            .chain(self.claims())
            .chain(copy)
            .chain(self.marker())
            .chain(own_tags.map(Row::Tag))
    }

    pub fn adds_tag(self, tag: u8) -> bool {
        self.versions().1.is_some_and(|after| after.has_tag(tag))
    }

    pub fn makes_tag(self, tag: u8) -> bool {
        matches!(self, Self::Post { new_tags, .. } if new_tags & (1 << tag) != 0)
    }
}

fn changed(change: Change, before: Post) -> Post {
    let after = Post { version: before.version + 1, ..before };
    match change {
        Change::Retag { tags, .. } => Post { tags, ..after },
        Change::Redate { month, .. } => Post { place: Place { month, ..before.place }, ..after },
        Change::Slug { slug, .. } => {
            let former =
                if slug == before.place.slug { before.former } else { before.former | (1 << before.place.slug) };
            Post { place: Place { slug, ..before.place }, former: former & !(1 << slug), ..after }
        }
        _ => after,
    }
}

fn gained_tags(before: Option<Post>, after: Option<Post>) -> impl Iterator<Item = u8> {
    let tags = |post: Option<Post>| post.map_or(0, |post| post.tags);
    let gained = tags(after) & !tags(before);
    (0..TAGS).filter(move |tag| gained & (1 << tag) != 0)
}

/// The pointers that a post has in one version and not in the other.
fn pointers(id: Option<u8>, has: Option<Post>, has_not: Option<Post>) -> impl Iterator<Item = Row> {
    let keys = (0..TAGS).flat_map(|tag| (0..MONTHS).map(move |month| (tag, month)));
    let keys = keys.filter(move |(tag, month)| {
        let is_in = |post: Option<Post>| post.is_some_and(|post| post.has_pointer(*tag, *month));
        is_in(has) && !is_in(has_not)
    });
    keys.filter_map(move |(tag, month)| id.map(|id| Row::Pointer { tag, month, id }))
}
