//! Marks of sizes, so that what was computed from sizes is used again for the same ones. The rule: a mark fits only sizes of which every figure
//! is the same.

use std::sync::{Arc, Weak};

use super::{Listed, Sizes};
use crate::content::tables::Months;
use crate::model::{Instant, Month, TermKind};

/// Names sizes without keeping their lists in memory: an address is not used again while there is a weak reference to it.
#[derive(Debug)]
pub struct SizesMark {
    posts: Option<Weak<Vec<Listed<Month>>>>,
    drafts: Option<Weak<Vec<Listed<Month>>>>,
    terms: [Option<Weak<Vec<Listed<String>>>>; TermKind::ALL.len()],
    /// The figures are the same from this instant on, and before the other one.
    from: Instant,
    until: Instant,
    are_shared: bool,
    is_coarse: bool,
    /// The number of fields that have an index, and of those whose index is not built.
    fields: [u64; 2],
}

impl Sizes {
    /// `None` if they contain what is known of objects that the operation names.
    pub fn mark(&self) -> Option<SizesMark> {
        if !self.named.indexes.is_empty() || self.named.change.is_some() {
            return None;
        }
        let from = self.now?;
        Some(SizesMark {
            posts: self.posts.as_ref().map(Arc::downgrade),
            drafts: self.drafts.as_ref().map(Arc::downgrade),
            terms: self.terms.each_ref().map(|terms| terms.as_ref().map(Arc::downgrade)),
            from,
            until: self.posts.as_ref().and_then(|posts| scheduled(posts, from)).unwrap_or(from.month().last()),
            are_shared: self.are_shared,
            is_coarse: self.is_coarse,
            fields: [self.indexed_fields, self.unbuilt_fields],
        })
    }

    /// Whether every figure is the same as it was of the sizes with this mark.
    pub fn have(&self, mark: &SizesMark) -> bool {
        let is_at = |now: Instant| mark.from <= now && now < mark.until;
        self.now.is_some_and(is_at)
            && (self.are_shared, self.is_coarse) == (mark.are_shared, mark.is_coarse)
            && [self.indexed_fields, self.unbuilt_fields] == mark.fields
            && is_same(self.posts.as_ref(), mark.posts.as_ref())
            && is_same(self.drafts.as_ref(), mark.drafts.as_ref())
            && self.terms.iter().zip(&mark.terms).all(|(terms, mark)| is_same(terms.as_ref(), mark.as_ref()))
            && self.named.indexes.is_empty()
            && self.named.change.is_none()
    }
}

/// The instant of the last scheduled post of the current month. The figures compare the current instant with months, and with the newest post of
/// each: before the current month ends, only the newest post of that month can be later. The list has the newest month first.
fn scheduled(posts: &Months, now: Instant) -> Option<Instant> {
    let present = posts.binary_search_by(|listed| now.month().cmp(&listed.partition)).ok()?;
    let newest = posts[present].count.newest.as_ref()?.at;
    (newest > now).then_some(newest)
}

fn is_same<T>(list: Option<&Arc<T>>, mark: Option<&Weak<T>>) -> bool {
    match (list, mark) {
        (Some(list), Some(mark)) => std::ptr::eq(Arc::as_ptr(list), mark.as_ptr()),
        (None, None) => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Instant {
        text.parse().expect("an instant")
    }

    fn sizes(now: &str) -> Sizes {
        Sizes::assumed(at(now), &[3, 4], [1, 2, 3, 4])
    }

    #[test]
    fn sizes_have_the_mark_of_the_same_lists_until_a_figure_changes() {
        let before = sizes("2026-06-15T12:00:00Z");
        let mark = before.mark().expect("a mark");
        let later = |now: &str| Sizes { now: Some(at(now)), ..before.clone() };
        assert!(later("2026-06-15T12:00:00Z").have(&mark) && later("2026-06-30T23:59:59Z").have(&mark));
        for other in ["2026-06-15T11:59:59Z", "2026-07-01T00:00:00Z"] {
            assert!(!later(other).have(&mark), "{other}");
        }
    }

    #[test]
    fn sizes_of_other_lists_do_not_have_the_mark() {
        let before = sizes("2026-06-15T12:00:00Z");
        let mark = before.mark().expect("a mark");
        let without = |change: fn(&mut Sizes)| {
            let mut changed = before.clone();
            change(&mut changed);
            changed
        };
        assert!(!sizes("2026-06-15T12:00:00Z").have(&mark), "equal lists that were read again");
        for changed in [
            without(|sizes| sizes.posts = None),
            without(|sizes| sizes.drafts = None),
            without(|sizes| sizes.terms[1] = None),
            without(|sizes| sizes.are_shared = true),
            without(|sizes| sizes.is_coarse = true),
            without(|sizes| sizes.indexed_fields = 1),
            without(|sizes| sizes.unbuilt_fields = 1),
            without(|sizes| sizes.now = None),
        ] {
            assert!(!changed.have(&mark), "{changed:?}");
        }
        drop(before);
        assert!(!sizes("2026-06-15T12:00:00Z").have(&mark), "at whatever address");
    }

    #[test]
    fn a_scheduled_post_ends_a_mark_at_its_instant() {
        let mut sizes = sizes("2026-06-15T12:00:00Z");
        let scheduled = at("2026-06-20T08:00:00Z");
        let mut months = sizes.posts.as_deref().expect("months").clone();
        months[0].count.newest.as_mut().expect("a post").at = scheduled;
        sizes.posts = Some(Arc::new(months));
        let mark = sizes.mark().expect("a mark");
        let at = |now: Instant| Sizes { now: Some(now), ..sizes.clone() };
        assert!(at(scheduled.previous().expect("an instant")).have(&mark) && !at(scheduled).have(&mark));
    }

    #[test]
    fn a_mark_ends_with_the_month_whatever_is_scheduled_later() {
        let sizes = Sizes::assumed(at("2026-12-15T12:00:00Z"), &[1; 10], [0; 4]);
        let now = at("2026-06-15T12:00:00Z");
        for has_posts in [true, false] {
            let mut months = sizes.posts.as_deref().expect("months").clone();
            months.retain(|listed| listed.partition != now.month() || has_posts);
            let sizes = Sizes { posts: Some(Arc::new(months)), now: Some(now), ..sizes.clone() };
            assert_eq!(sizes.mark().expect("a mark").until, at("2026-06-30T23:59:59.9999999Z"), "{has_posts}");
        }
    }
}
