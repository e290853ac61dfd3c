//! The rows of all tables, as small values. A row has no ETag of its own: each actor knows of which rows the ETag that it has read is still valid,
//! and every write of a row makes all actors drop its ETag.

/// The number of a writer, which is also the name of its intent.
pub type Name = u8;
/// Names no intent of this case: it was closed long ago.
pub const NOBODY: Name = 7;

pub const MONTHS: u8 = 2;
pub const SLUGS: u8 = 2;
pub const POSTS: u8 = 2;
pub const TAGS: u8 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    pub month: u8,
    pub slug: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Post {
    pub version: u8,
    pub place: Place,
    /// A bit for each.
    pub tags: u8,
    /// A bit for each slug that the post has left.
    pub former: u8,
}

impl Post {
    pub fn has_tag(&self, tag: u8) -> bool {
        self.tags & (1 << tag) != 0
    }

    pub fn has_slug(&self, slug: u8) -> bool {
        self.place.slug == slug || self.former & (1 << slug) != 0
    }

    pub fn has_pointer(&self, tag: u8, month: u8) -> bool {
        self.place.month == month && self.has_tag(tag)
    }
}

/// The row `s-{slug}` in a month's partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PostRow {
    None,
    Whole { id: u8, post: Post, made_by: Name, taken_by: Name },
    Tentative { id: u8, post: Post, from: Place, by: Name },
    Redirect { id: u8, by: Name },
}

impl PostRow {
    pub fn id(self) -> Option<u8> {
        match self {
            Self::None => None,
            Self::Whole { id, .. } | Self::Tentative { id, .. } | Self::Redirect { id, .. } => Some(id),
        }
    }
}

/// The row `r-{id}` in a month's partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Marker {
    None,
    Reserved(Name),
    Deleted(Name),
    Fenced(Name),
}

impl Marker {
    pub fn names(self, name: Name) -> bool {
        matches!(self, Self::Reserved(n) | Self::Deleted(n) | Self::Fenced(n) if n == name)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IdClaim {
    pub place: Place,
    pub by: Name,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SlugClaim {
    pub id: u8,
    pub by: Name,
}

/// A row of `Tags`, at the key of a slug; a tag is named by the first slug that it had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TagRow {
    None,
    Identity { slug: u8, former: u8, made_by: Name, deleting_by: Name },
    Gone { by: Name },
    Slug { first: u8, by: Name, listed: bool },
}

impl TagRow {
    /// Whether the row at the key of a slug is an item of the list, and counted.
    pub fn is_listed(self, key: u8) -> bool {
        match self {
            Self::Identity { slug, .. } => slug == key,
            Self::Slug { listed, .. } => listed,
            Self::None | Self::Gone { .. } => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Intent {
    Absent,
    Open,
    /// Open, and its lease has expired.
    Expired,
    Kept,
}

/// A row of `Months`. Readers see the month if one of the two fields is not 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Listing {
    pub count: u8,
    /// A bit for each change that may put a row into the partition.
    pub needed_by: u8,
}

/// A row of which an actor can know the ETag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Row {
    Post(Place),
    Marker {
        month: u8,
        id: u8,
    },
    Id(u8),
    Slug(u8),
    Pointer {
        tag: u8,
        month: u8,
        id: u8,
    },
    Listing(u8),
    Tag(u8),
    /// All revisions of a post.
    Revisions(u8),
}

impl Row {
    /// Its bit in [`Actor::seen`](crate::state::Actor::seen).
    pub fn bit(self) -> u64 {
        let number = match self {
            Self::Post(place) => place.month * SLUGS + place.slug,
            Self::Marker { month, id } => 4 + month * POSTS + id,
            Self::Id(id) => 8 + id,
            Self::Slug(slug) => 10 + slug,
            Self::Pointer { tag, month, id } => 12 + (tag * MONTHS + month) * POSTS + id,
            Self::Listing(month) => 24 + month,
            Self::Tag(tag) => 26 + tag,
            Self::Revisions(id) => 29 + id,
        };
        1 << number
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Tables {
    posts: [[PostRow; SLUGS as usize]; MONTHS as usize],
    markers: [[Marker; POSTS as usize]; MONTHS as usize],
    pub ids: [Option<IdClaim>; POSTS as usize],
    pub slugs: [Option<SlugClaim>; SLUGS as usize],
    pointers: [[[Option<Name>; POSTS as usize]; MONTHS as usize]; TAGS as usize],
    pub listings: [Listing; MONTHS as usize],
    tags: [TagRow; TAGS as usize],
    /// The count of a partition of tags; each slug has a partition of its own.
    tag_counts: [i8; TAGS as usize],
    /// Whether the post has any; they name no intent.
    pub revisions: [bool; POSTS as usize],
    /// A bit for each change: its entry in the record has its name as the key, so that there is never a second one.
    pub record: u8,
}

impl Tables {
    pub fn empty() -> Self {
        Self {
            posts: [[PostRow::None; 2]; 2],
            markers: [[Marker::None; 2]; 2],
            ids: [None; 2],
            slugs: [None; 2],
            pointers: [[[None; 2]; 2]; 3],
            listings: [Listing { count: 0, needed_by: 0 }; 2],
            tags: [TagRow::None; 3],
            tag_counts: [0; 3],
            revisions: [false; 2],
            record: 0,
        }
    }

    /// Writes all rows of a post on which no change works.
    pub fn put_post(&mut self, id: u8, post: Post) {
        *self.post_mut(post.place) = PostRow::Whole { id, post, made_by: NOBODY, taken_by: NOBODY };
        self.ids[usize::from(id)] = Some(IdClaim { place: post.place, by: NOBODY });
        for slug in 0..SLUGS {
            if post.has_slug(slug) {
                self.slugs[usize::from(slug)] = Some(SlugClaim { id, by: NOBODY });
            }
        }
        for tag in 0..TAGS {
            if post.has_tag(tag) {
                *self.pointer_mut(tag, post.place.month, id) = Some(NOBODY);
            }
        }
        self.listings[usize::from(post.place.month)].count += 1;
    }

    pub fn put_tag(&mut self, tag: u8) {
        let row = TagRow::Identity { slug: tag, former: 0, made_by: NOBODY, deleting_by: NOBODY };
        self.put_tag_row(tag, row, false);
    }

    /// Writes the row and the count of its partition in one transaction. `was_listed`: whether the replaced row was listed, as its writer has read
    /// it.
    pub fn put_tag_row(&mut self, key: u8, row: TagRow, was_listed: bool) {
        self.tags[usize::from(key)] = row;
        self.tag_counts[usize::from(key)] += i8::from(row.is_listed(key)) - i8::from(was_listed);
    }

    pub fn tag_mut(&mut self, tag: u8) -> &mut TagRow {
        &mut self.tags[usize::from(tag)]
    }

    pub fn tags_are_counted(&self) -> bool {
        (0..TAGS).all(|key| self.tag_counts[usize::from(key)] == i8::from(self.tag(key).is_listed(key)))
    }

    pub fn post(&self, place: Place) -> PostRow {
        self.posts[usize::from(place.month)][usize::from(place.slug)]
    }

    pub fn post_mut(&mut self, place: Place) -> &mut PostRow {
        &mut self.posts[usize::from(place.month)][usize::from(place.slug)]
    }

    pub fn marker(&self, month: u8, id: u8) -> Marker {
        self.markers[usize::from(month)][usize::from(id)]
    }

    pub fn marker_mut(&mut self, month: u8, id: u8) -> &mut Marker {
        &mut self.markers[usize::from(month)][usize::from(id)]
    }

    pub fn pointer(&self, tag: u8, month: u8, id: u8) -> Option<Name> {
        self.pointers[usize::from(tag)][usize::from(month)][usize::from(id)]
    }

    pub fn pointer_mut(&mut self, tag: u8, month: u8, id: u8) -> &mut Option<Name> {
        &mut self.pointers[usize::from(tag)][usize::from(month)][usize::from(id)]
    }

    pub fn tag(&self, tag: u8) -> TagRow {
        self.tags[usize::from(tag)]
    }

    pub fn has_pointers(&self, tag: u8) -> bool {
        self.pointers[usize::from(tag)].iter().flatten().any(Option::is_some)
    }

    /// The count of a month's partition: it changes in the transaction that writes a post's rows there, also those of a tentative copy.
    pub fn count(&self, month: u8) -> u8 {
        let rows = self.posts[usize::from(month)].iter();
        rows.map(|row| u8::from(matches!(row, PostRow::Whole { .. } | PostRow::Tentative { .. }))).sum()
    }

    pub fn places() -> impl Iterator<Item = Place> {
        (0..MONTHS).flat_map(|month| (0..SLUGS).map(move |slug| Place { month, slug }))
    }

    /// The post as a reader finds it, and the row that it is read from. A tentative copy is valid if the old place redirects to it.
    pub fn find(&self, id: u8) -> Option<(Post, Place)> {
        Self::places().find_map(|place| match self.post(place) {
            PostRow::Whole { id: i, post, .. } if i == id => Some((post, place)),
            PostRow::Tentative { id: i, post, from, by }
                if i == id && self.post(from) == (PostRow::Redirect { id, by }) =>
            {
                Some((post, place))
            }
            _ => None,
        })
    }
}
