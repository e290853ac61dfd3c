//! A change of a term; tags are the example.

use crate::case::Case;
use crate::post::may_write;
use crate::rows::{NOBODY, Row, TAGS, TagRow};
use crate::state::{Actor, Plan, Reply, State, Step};

/// Whether a slug points to the tag of this row.
fn has_slug(row: TagRow, key: u8) -> bool {
    matches!(row, TagRow::Identity { slug, former, .. } if slug == key || former & (1 << key) != 0)
}

impl Case {
    fn tag_plan(s: &State, a: &Actor) -> (u8, Option<u8>, Option<u8>) {
        let Plan::Tag { tag, from, to } = s.plan(a.name) else { unreachable!("the plan is a tag's") };
        (tag, from, to)
    }

    pub fn mark_tag(&self, s: &mut State, a: &mut Actor) {
        let (tag, ..) = Self::tag_plan(s, a);
        let row = Row::Tag(tag);
        if !a.sees(row) {
            return self.refuse(s, a);
        }
        if let TagRow::Identity { deleting_by, .. } = s.tables.tag_mut(tag) {
            *deleting_by = a.name;
        }
        s.touch(a, row);
        a.keep_etag(row);
        a.go(Step::LookAtIntents);
    }

    pub fn look_at_intents(&self, s: &mut State, a: &mut Actor) {
        let (tag, ..) = Self::tag_plan(s, a);
        if s.others(a.name).any(|other| s.plan(other).adds_tag(tag)) {
            return self.refuse(s, a);
        }
        a.go(Step::LookAtIndex);
    }

    pub fn look_at_index(&self, s: &mut State, a: &mut Actor) {
        let (tag, ..) = Self::tag_plan(s, a);
        if s.tables.has_pointers(tag) {
            return self.refuse(s, a);
        }
        a.go(Step::CommitTag);
    }

    pub fn write_slug_row(&self, s: &mut State, a: &mut Actor) {
        let (tag, _, to) = Self::tag_plan(s, a);
        let slug = to.expect("a rename has a slug");
        let row = Row::Tag(slug);
        let there = s.tables.tag(slug);
        let is_free = match there {
            TagRow::None => true,
            TagRow::Slug { first, by, .. } => first == tag && (s.is_closed(by) || by == a.name),
            // Back to the first slug: the identity row is the row of that slug.
            TagRow::Identity { .. } => slug == tag,
            TagRow::Gone { .. } => false,
        };
        if !is_free {
            return self.refuse(s, a);
        }
        if slug != tag && may_write(a, row, there == TagRow::None) {
            let named = TagRow::Slug { first: tag, by: a.name, listed: true };
            s.tables.put_tag_row(slug, named, there.is_listed(slug));
            s.touch(a, row);
        }
        a.go(Step::LookForNewTags);
    }

    pub fn look_for_new_tags(&self, s: &mut State, a: &mut Actor) {
        let (tag, _, to) = Self::tag_plan(s, a);
        let slug = to.expect("a rename has a slug");
        let is_requested =
            slug != tag && (s.others(a.name).any(|other| s.plan(other).makes_tag(slug)) || s.tables.has_pointers(slug));
        if is_requested {
            return self.refuse(s, a);
        }
        a.go(Step::CommitTag);
    }

    /// The take of a term that does not exist: its row already says so, in the name of the change that creates it.
    pub fn reserve_tag(&self, s: &mut State, a: &mut Actor) {
        let (tag, ..) = Self::tag_plan(s, a);
        let row = Row::Tag(tag);
        let there = s.tables.tag(tag);
        let is_free = match there {
            TagRow::None => !a.is_late || a.is_insert,
            TagRow::Gone { .. } => a.sees(row),
            // The row of a deleted tag whose slug rows are not removed yet.
            TagRow::Slug { first, by, .. } => !a.is_late && s.is_closed(by) && !has_slug(s.tables.tag(first), tag),
            TagRow::Identity { .. } => false,
        };
        if !is_free {
            return self.refuse(s, a);
        }
        let was_listed = self.rules.count_replaced_rows && there.is_listed(tag);
        s.tables.put_tag_row(tag, TagRow::Gone { by: a.name }, was_listed);
        s.touch(a, row);
        a.keep_etag(row);
        a.go(Step::CommitTag);
    }

    pub fn commit_tag(&self, s: &mut State, a: &mut Actor) {
        let (tag, from, to) = Self::tag_plan(s, a);
        let row = Row::Tag(tag);
        let there = s.tables.tag(tag);
        let is_insert = from.is_none() && !self.rules.reserve_term && there == TagRow::None;
        if !is_insert && !a.sees(row) {
            return self.refuse(s, a);
        }
        let by = a.name;
        let after = match (there, to) {
            (_, None) => TagRow::Gone { by },
            (TagRow::Identity { former, .. }, Some(slug)) => {
                let left = from.map_or(0, |from| 1 << from);
                TagRow::Identity { slug, former: (former | left) & !(1 << slug), made_by: by, deleting_by: NOBODY }
            }
            (_, Some(slug)) => TagRow::Identity { slug, former: 0, made_by: by, deleting_by: NOBODY },
        };
        s.tables.put_tag_row(tag, after, from == Some(tag));
        s.touch(a, row);
        s.tags[usize::from(tag)] = match after {
            TagRow::Identity { slug, former, .. } => Some((slug, former)),
            _ => None,
        };
        s.made |= 1 << a.name;
        s.set_reply(a.name, Reply::Made);
        a.seen = 0;
        a.go(Step::Record);
    }

    pub fn unlist_slug_row(&self, s: &mut State, a: &mut Actor) {
        let (tag, from, _) = Self::tag_plan(s, a);
        let left = from.expect("a rename leaves a slug");
        let row = Row::Tag(left);
        let is_redirect = matches!(s.tables.tag(left), TagRow::Slug { first, .. } if first == tag);
        if is_redirect
            && self.may_remove(a, row)
            && self.may_reconcile(s, a)
            && let TagRow::Slug { first, by, listed } = s.tables.tag(left)
        {
            s.tables.put_tag_row(left, TagRow::Slug { first, by, listed: false }, listed);
            s.touch(a, row);
        }
        a.go(Step::Close);
    }

    /// Removes the rows of all other slugs of a deleted tag. They are removed before its identity row: if that is already gone, the rows with its
    /// name belong to another tag of that slug.
    pub fn remove_slug_rows(&self, s: &mut State, a: &mut Actor) {
        let (tag, ..) = Self::tag_plan(s, a);
        let is_gone = s.tables.tag(tag) == TagRow::Gone { by: a.name } || a.is_late || !self.rules.slug_rows_first;
        for slug in (0..TAGS).filter(|_| is_gone) {
            let row = Row::Tag(slug);
            let is_own = matches!(s.tables.tag(slug), TagRow::Slug { first, .. } if first == tag);
            if is_own && self.may_remove(a, row) && self.may_reconcile(s, a) {
                let was_listed = s.tables.tag(slug).is_listed(slug);
                s.tables.put_tag_row(slug, TagRow::None, was_listed);
                s.touch(a, row);
            }
        }
        a.go(Step::RemoveIdentity);
    }

    pub fn remove_identity(&self, s: &mut State, a: &mut Actor) {
        let (tag, ..) = Self::tag_plan(s, a);
        let row = Row::Tag(tag);
        let is_own = s.tables.tag(tag) == TagRow::Gone { by: a.name };
        // Without W3 a late removal removes whatever row exists.
        if (is_own || (a.is_late && !self.rules.read_check_remove))
            && self.may_remove(a, row)
            && self.may_reconcile(s, a)
        {
            s.tables.put_tag_row(tag, TagRow::None, false);
            s.touch(a, row);
        }
        a.go(Step::Close);
    }
}
