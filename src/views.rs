//! The views of posts that were reported and are not written yet. The rule: a visitor is stored only as a hash, whose salt is in memory and dropped at the end
//! of the day; the memory is bounded.
//!
//! Whether a post exists, and whether a visit is a repeat, is decided later (`content::views`), so that no client waits for the storage.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::clock::Clock;
use crate::model::{Day, PostId, Slug};

/// The maximum number of pending visits: 10,000 a second, if they are written every 10 s.
const PENDING_MAX: usize = 100_000;
/// The maximum number of different post names. Each costs storage requests, even if there is no such post.
const NAMES_MAX: usize = 2_000;
/// The maximum number of pending visits of one address. Offices and mobile networks have many people behind one address.
const OF_ADDRESS_MAX: u32 = 200;

/// Parts of the names of programs that read pages for others, in lower case.
const BOTS: [&str; 18] = [
    "bot",
    "crawl",
    "spider",
    "slurp",
    "scrapy",
    "preview",
    "fetch",
    "archive",
    "monitor",
    "headless",
    "lighthouse",
    "facebookexternalhit",
    "curl/",
    "wget/",
    "python",
    "go-http",
    "java/",
    "axios",
];

/// The name of a post in a report.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ViewedPost {
    Id(PostId),
    Slug(Slug),
}

/// The visitors of each post, as hashes, by day.
pub type Visits = BTreeMap<Day, HashMap<ViewedPost, HashSet<u64>>>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooManyViews;

#[derive(Debug)]
pub struct Views {
    clock: Clock,
    /// The number of months that are kept, including the present one.
    months: u32,
    pending: Mutex<Pending>,
}

#[derive(Debug, Default)]
struct Pending {
    visits: Visits,
    count: usize,
    names: usize,
    /// The number of visits for each hash of an address.
    of_addresses: HashMap<u64, u32>,
    salt: Option<(Day, [u64; 2])>,
    dropped: u64,
}

impl Views {
    pub fn new(clock: Clock, months: u32) -> Self {
        Self { clock, months, pending: Mutex::default() }
    }

    /// The number of months whose views are kept, including the present one.
    pub fn months(&self) -> u32 {
        self.months
    }

    pub fn today(&self) -> Day {
        Day::of(self.clock.now())
    }

    /// Records a view, unless a bot reports it. `is_own_address`: whether the address belongs to one client, and not to a proxy.
    ///
    /// # Errors
    /// If too many views of the address are pending.
    pub fn note(
        &self,
        post: ViewedPost,
        (address, is_own_address): (Option<IpAddr>, bool),
        user_agent: &str,
    ) -> Result<(), TooManyViews> {
        if is_bot(user_agent) {
            return Ok(());
        }
        let mut pending = self.lock();
        // The clock is read inside the lock, so that no view of a day comes after the first one of the next day.
        let day = self.today();
        if pending.count >= PENDING_MAX || pending.of_addresses.len() >= PENDING_MAX {
            pending.dropped += 1;
            return Ok(());
        }
        // Without random bytes, no view is counted.
        let Some(salt) = pending.salt_of(day) else { return Ok(()) };
        if is_own_address {
            let of_address = pending.of_addresses.entry(hash(&(salt, address))).or_default();
            *of_address += 1;
            if *of_address > OF_ADDRESS_MAX {
                return Err(TooManyViews);
            }
        }
        pending.add(day, post, hash(&(salt, address, user_agent)));
        Ok(())
    }

    /// The visits since the last call, which the caller counts or puts back, and how many were dropped.
    pub fn take(&self) -> (Visits, u64) {
        let mut pending = self.lock();
        let salt = pending.salt;
        let taken = std::mem::replace(&mut *pending, Pending { salt, ..Pending::default() });
        (taken.visits, taken.dropped)
    }

    pub fn give_back(&self, visits: Visits) {
        let mut pending = self.lock();
        for (day, posts) in visits {
            for (post, visitors) in posts {
                visitors.into_iter().for_each(|visitor| pending.add(day, post.clone(), visitor));
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    fn salt_of(&mut self, day: Day) -> Option<[u64; 2]> {
        if let Some((_, salt)) = self.salt.filter(|(of, _)| *of == day) {
            return Some(salt);
        }
        let salt = [getrandom::u64().ok()?, getrandom::u64().ok()?];
        self.salt = Some((day, salt));
        Some(salt)
    }

    fn add(&mut self, day: Day, post: ViewedPost, visitor: u64) {
        let posts = self.visits.entry(day).or_default();
        let is_new = !posts.contains_key(&post);
        if self.count >= PENDING_MAX || (is_new && self.names >= NAMES_MAX) {
            self.dropped += 1;
            return;
        }
        self.names += usize::from(is_new);
        self.count += usize::from(posts.entry(post).or_default().insert(visitor));
    }
}

/// A program without a name counts as a bot, because every browser has one.
fn is_bot(user_agent: &str) -> bool {
    // "Cubot" is a brand of telephones.
    let name = user_agent.to_ascii_lowercase().replace("cubot", "");
    name.is_empty() || BOTS.iter().any(|bot| name.contains(bot))
}

/// SipHash with 128 secret bits, so that nobody else can find an address by trying.
fn hash(of: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    of.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Instant;

    const BROWSER: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

    fn at(text: &str) -> Instant {
        text.parse().expect("an instant")
    }

    fn slug(number: usize) -> ViewedPost {
        ViewedPost::Slug(format!("post-{number}").parse().expect("a slug"))
    }

    fn address(last: u8) -> (Option<IpAddr>, bool) {
        (Some(IpAddr::from([192, 0, 2, last])), true)
    }

    fn visits(views: &Views) -> Vec<(String, usize)> {
        let (visits, _) = views.take();
        visits.into_iter().map(|(day, posts)| (day.to_string(), posts.values().map(HashSet::len).sum())).collect()
    }

    #[test]
    fn bots_and_repeats_are_not_counted_and_the_next_day_forgets_the_visitors() {
        let clock = Clock::fixed(at("2026-11-30T23:59:59Z"));
        let views = Views::new(clock.clone(), 1);
        for (from, by) in
            [(1, BROWSER), (1, BROWSER), (2, BROWSER), (1, "another browser"), (3, "Googlebot/2.1"), (4, "")]
        {
            views.note(slug(1), address(from), by).expect("not too many");
        }
        let (first, _) = views.take();
        clock.set(at("2026-12-01T00:00:00Z"));
        views.note(slug(1), address(1), BROWSER).expect("not too many");
        let (second, _) = views.take();
        let visitors =
            |visits: &Visits| visits.values().flat_map(HashMap::values).flatten().copied().collect::<HashSet<_>>();
        assert_eq!((visitors(&first).len(), visitors(&second).len()), (3, 1));
        assert!(visitors(&first).is_disjoint(&visitors(&second)));
        views.give_back(first);
        views.note(slug(1), address(1), BROWSER).expect("not too many");
        assert_eq!(visits(&views), [("2026-11-30".to_owned(), 3), ("2026-12-01".to_owned(), 1)]);
    }

    #[test]
    fn views_that_wait_are_bounded() {
        let views = Views::new(Clock::fixed(at("2026-11-30T12:00:00Z")), 1);
        for number in 0..OF_ADDRESS_MAX as usize {
            views.note(slug(number), address(1), BROWSER).expect("not too many");
        }
        assert_eq!(views.note(slug(0), address(1), BROWSER), Err(TooManyViews));
        let proxy = (address(1).0, false);
        (0..2 * NAMES_MAX).for_each(|number| views.note(slug(number), proxy, BROWSER).expect("a proxy has no limit"));
        assert_eq!(visits(&views)[0].1, NAMES_MAX);
        (0..2 * PENDING_MAX).for_each(|n| views.note(slug(0), proxy, &n.to_string()).expect("a proxy has no limit"));
        let (visits, dropped) = views.take();
        assert_eq!(visits.values().flat_map(HashMap::values).map(HashSet::len).sum::<usize>(), PENDING_MAX);
        assert_eq!(dropped, PENDING_MAX as u64);
        views.note(slug(0), address(1), BROWSER).expect("taken views do not count");
    }
}
