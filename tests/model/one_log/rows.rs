//! Objects, and the rows that follow from them. A state of an object and a row are one byte each; 0 is none.

/// Two posts, two terms, a job, and three pages, of which page 1 is the child of the page whose path is above its own.
pub const OBJECTS: usize = 8;
pub const POSTS: usize = 2;
pub const TERM: usize = 2;
pub const JOB: usize = 4;
pub const PAGE: usize = 5;
pub const PAGES: usize = 3;

/// The state of every object.
pub type World = [u8; OBJECTS];

pub const KEYS: usize = 27;
pub type Rows = [u8; KEYS];

pub const PARTITIONS: usize = 11;
/// Each change is reported here. A report is the watermark, so the partition has no other row.
pub const REPORTS: usize = 10;
/// Two months of posts, two lists of pointers, slugs, terms, jobs, pages, paths that begin with a, and those that begin with b.
const PARTITION_OF: Rows = [0, 0, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 4, 5, 5, 6, 7, 7, 7, 8, 8, 9, 9];

pub fn partition(key: usize) -> usize {
    usize::from(PARTITION_OF[key])
}

pub fn post_key(month: usize, post: usize) -> usize {
    month * 2 + post
}

pub fn pointer_key(list: usize, month: usize, post: usize) -> usize {
    4 + list * 5 + post_key(month, post)
}

/// The count of a list is in its watermark row.
pub fn count_key(list: usize) -> usize {
    4 + list * 5 + 4
}

pub fn is_count(key: usize) -> bool {
    key == count_key(0) || key == count_key(1)
}

pub fn slug_key(slug: usize) -> usize {
    14 + slug
}

pub fn term_key(term: usize) -> usize {
    17 + term
}

pub const JOB_KEY: usize = 19;

pub fn page_key(page: usize) -> usize {
    20 + page
}

/// Path 0 is a, 1 is a/c, 2 is b, and 3 is b/c.
pub fn path_key(path: usize) -> usize {
    23 + path
}

/// The list of a pointer's row.
pub fn list_of_pointer(key: usize) -> Option<usize> {
    (0..2).find(|list| (4 + list * 5..count_key(*list)).contains(&key))
}

/// Posts and pages are objects; all other rows lead to them.
pub fn is_object(key: usize) -> bool {
    key < 4 || (page_key(0)..path_key(0)).contains(&key)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Post {
    pub version: u8,
    pub month: usize,
    pub list: usize,
    pub slug: usize,
    /// The instant of the entry, by the clock of its writer.
    pub instant: u8,
}

impl Post {
    pub fn pack(self) -> u8 {
        self.version << 5 | (self.month as u8) << 4 | (self.list as u8) << 3 | (self.slug as u8) << 1 | self.instant
    }

    pub fn unpack(state: u8) -> Option<Self> {
        let bit = |at: u8| usize::from(state >> at & 1);
        let slug = usize::from(state >> 1 & 3);
        let post = Self { version: state >> 5, month: bit(4), list: bit(3), slug, instant: state & 1 };
        (state != 0).then_some(post)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Page {
    pub version: u8,
    pub path: usize,
}

impl Page {
    pub fn pack(self) -> u8 {
        self.version * 4 + self.path as u8
    }

    pub fn unpack(state: u8) -> Option<Self> {
        (state != 0).then_some(Self { version: state / 4, path: usize::from(state % 4) })
    }
}

/// What a slug row says: the post and the month in which it is.
pub fn slug_row(post: usize, month: usize) -> u8 {
    (1 + post * 2 + month) as u8
}

pub fn read_slug_row(row: u8) -> Option<(usize, usize)> {
    let place = usize::from(row.checked_sub(1)?);
    Some((place / 2, place % 2))
}

/// All rows that follow from the objects, with the counts.
pub fn rows_of(world: &World) -> Rows {
    let mut rows = [0; KEYS];
    for post in 0..POSTS {
        if let Some(state) = Post::unpack(world[post]) {
            rows[post_key(state.month, post)] = world[post];
            rows[pointer_key(state.list, state.month, post)] = 1;
            rows[count_key(state.list)] += 1;
            rows[slug_key(state.slug)] = slug_row(post, state.month);
        }
    }
    rows[term_key(0)] = world[TERM];
    rows[term_key(1)] = world[TERM + 1];
    rows[JOB_KEY] = world[JOB];
    for page in 0..PAGES {
        if let Some(state) = Page::unpack(world[PAGE + page]) {
            rows[page_key(page)] = world[PAGE + page];
            rows[path_key(state.path)] = page as u8 + 1;
        }
    }
    rows
}

/// Whether the row names one object before and another one after.
pub fn changes_owner(key: usize, before: u8, after: u8) -> bool {
    let owner =
        |row: u8| if key < path_key(0) { read_slug_row(row).map(|(post, _)| post) } else { Some(usize::from(row)) };
    let is_name = (slug_key(0)..term_key(0)).contains(&key) || key >= path_key(0);
    is_name && before != 0 && after != 0 && owner(before) != owner(after)
}
